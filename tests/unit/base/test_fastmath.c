/* tests/unit/base/test_fastmath.c: the vectorisable exponential against that of the C library. */
#include "base/fastmath.h"
#include "support/check.h"
#include "support/sequences.h"

/* Distance from the C library's exponential in units in the last place. The library is accurate to 1 ulp;
 * one point in 32 is also compared in long double. */
static double error_in_ulp(double x, bool precisely)
{
    double rounded = exp(x), ulp = nextafter(rounded, INFINITY) - rounded;
    if (precisely)
        return (double)(fabsl((long double)volt_exp(x) - expl((long double)x)) / ulp);
    return fabs(volt_exp(x) - rounded) / ulp;
}

static void check_range(volt_rng *rng, double low, double high, int count)
{
    double worst = 0, worst_at = 0;
    for (int i = 0; i < count; i++) {
        double x = low + (high - low) * volt_rng_uniform(rng), error = error_in_ulp(x, i % 32 == 0);
        if (!(error <= worst)) {
            worst = error;
            worst_at = x;
        }
    }
    print_message("[%g, %g]: at most %.3f ulp, at %.17g\n", low, high, worst, worst_at);
    assert_true(worst <= 2);
}

static void error_is_below_two_ulp(void **state)
{
    volt_rng rng = test_rng(71);
    check_range(&rng, -708, 700, 100000);
    check_range(&rng, 700, 709, 10000);
    check_range(&rng, -1, 1, 30000);
    check_range(&rng, -1e-3, 1e-3, 5000);
    check_range(&rng, -40, 0, 30000); /* range of the rbf lift */
}

/* r is largest and changes sign halfway between multiples of ln 2. */
static void error_is_small_at_range_reduction_boundary(void **state)
{
    double worst = 0;
    for (int k = -1021; k <= 1022; k += 3) {
        double middle = ((double)k + 0.5) * 0.69314718055994531;
        double around[] = {nextafter(middle, -INFINITY), middle, nextafter(middle, INFINITY),
                           (double)k * 0.69314718055994531};
        for (int i = 0; i < 4; i++)
            if (around[i] >= -708)
                worst = fmax(worst, error_in_ulp(around[i], true));
    }
    print_message("at most %.3f ulp\n", worst);
    assert_true(worst <= 2);
}

static void special_values(void **state)
{
    assert_true(volt_exp(0.0) == 1);
    assert_true(volt_exp(-0.0) == 1);
    assert_true(volt_exp(1e-320) == 1);
    assert_true(volt_exp(-708.0) > 0);
    assert_true(volt_exp(nextafter(-708.0, -INFINITY)) == 0);
    assert_true(volt_exp(-745.0) == 0);
    assert_true(volt_exp(-1e300) == 0);
    assert_true(volt_exp(-INFINITY) == 0);
    assert_true(isfinite(volt_exp(709.0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_is_below_two_ulp),
        cmocka_unit_test(error_is_small_at_range_reduction_boundary),
        cmocka_unit_test(special_values),
    };
    return cmocka_run_group_tests_name("fastmath", tests, NULL, NULL);
}
