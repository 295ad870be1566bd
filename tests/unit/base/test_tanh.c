/* tests/unit/base/test_tanh.c: the vectorisable hyperbolic tangent compared with the C library. */
#include "base/fastmath.h"
#include "support/check.h"
#include "support/sequences.h"

/* The reference is long double, with at least 64 bits. */
static double error_in_ulp(double x)
{
    long double truth = tanhl((long double)x);
    double rounded = fabs((double)truth), ulp = nextafter(rounded, INFINITY) - rounded;
    return (double)(fabsl((long double)volt_tanh(x) - truth) / ulp);
}

static void check_range(volt_rng *rng, double low, double high, int count)
{
    double worst = 0, worst_at = 0;
    for (int i = 0; i < count; i++) {
        double x = low + (high - low) * volt_rng_uniform(rng), error = error_in_ulp(x);
        if (!(error <= worst)) {
            worst = error;
            worst_at = x;
        }
    }
    print_message("[%g, %g]: at most %.3f ulp, at %.17g\n", low, high, worst, worst_at);
    assert_true(worst <= 8);
}

/* Above 1/8 the difference 1 - e^{-2x} may lose up to log2(1 / 0.22) bits of an exponential that is accurate
 * to 2 ulp; the quotient rounds once more. */
static void error_is_a_few_ulp(void **state)
{
    volt_rng rng = test_rng(72);
    check_range(&rng, -25, 25, 30000);
    check_range(&rng, -1, 1, 30000);
    check_range(&rng, 0.125, 0.25, 20000);
    check_range(&rng, -0.125, 0.125, 20000);
    check_range(&rng, -1e-5, 1e-5, 5000);
}

/* On both sides of 1/8 the two formulas agree. */
static void continuous_at_formula_boundaries(void **state)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        double below = sign * nextafter(0.125, 0), at = sign * 0.125;
        assert_true(error_in_ulp(below) <= 8 && error_in_ulp(at) <= 8);
    }
}

static void special_values(void **state)
{
    assert_true(volt_tanh(0.0) == 0);
    assert_true(volt_tanh(1e-300) == 1e-300);
    assert_true(volt_tanh(-1e-300) == -1e-300);
    assert_true(volt_tanh(20.0) == 1 && volt_tanh(-20.0) == -1);
    assert_true(volt_tanh(1e300) == 1 && volt_tanh(-1e300) == -1);
    for (double x = 0.01; x < 19; x *= 1.3)
        assert_true(volt_tanh(-x) == -volt_tanh(x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_is_a_few_ulp),
        cmocka_unit_test(continuous_at_formula_boundaries),
        cmocka_unit_test(special_values),
    };
    return cmocka_run_group_tests_name("tanh", tests, NULL, NULL);
}
