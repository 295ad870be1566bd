/* tests/unit/stats/test_box_minimum.c: minima in a box, and the number of evaluations of the function. */
#include "stats/box_minimum.h"
#include "support/check.h"

enum { MAX_COUNT = 6 };

/* A function, whose calls are counted; points outside the box are an error. */
typedef struct counted {
    volt_box_problem problem;
    double low[MAX_COUNT], high[MAX_COUNT];
    int64_t calls, outside;
    double (*value)(const double *x, double *gradient, int64_t count);
} counted;

static double call(void *context, const double *x, double *gradient)
{
    counted *f = context;
    f->calls++;
    for (int64_t i = 0; i < f->problem.count; i++)
        f->outside += x[i] < f->low[i] || x[i] > f->high[i];
    return f->value(x, gradient, f->problem.count);
}

static void prepare(counted *f, int64_t count, double low, double high)
{
    f->problem = (volt_box_problem){call, f, count, f->low, f->high, 1e-13, 200};
    for (int64_t i = 0; i < count; i++) {
        f->low[i] = low;
        f->high[i] = high;
    }
}

/* Checks the minimum and that the number of evaluations is within 2 of the recorded one: rounding may add a step. */
static void check_minimum(counted *f, double *x, const double *expected, double value, int64_t calls)
{
    double workspace[VOLT_BOX_WORKSPACE * MAX_COUNT];
    f->calls = f->outside = 0;
    const double found = volt_box_minimise(&f->problem, x, workspace);
    for (int64_t i = 0; i < f->problem.count; i++)
        if (!(fabs(x[i] - expected[i]) <= 2e-5 * (1 + fabs(expected[i]))))
            fail_msg("variable %d: %.9g, expected %.9g", (int)i, x[i], expected[i]);
    assert_true(fabs(found - value) <= 1e-9 * (1 + fabs(value)));
    assert_int_equal(f->outside, 0);
    if (f->calls < calls - 2 || f->calls > calls + 2)
        fail_msg("%d evaluations, expected about %d", (int)f->calls, (int)calls);
}

/* sum_i 4^i (x_i - i + 2)^2 / 2, minima at -2, -1, 0, ... */
static double bowl(const double *x, double *gradient, int64_t count)
{
    double sum = 0, weight = 1;
    for (int64_t i = 0; i < count; i++, weight *= 4) {
        const double apart = x[i] - (double)i + 2;
        sum += weight * apart * apart / 2;
        gradient[i] = weight * apart;
    }
    return sum;
}

static void quadratic_without_bounds(void **state)
{
    counted f = {.value = bowl};
    prepare(&f, 5, -INFINITY, INFINITY);
    double x[] = {3, 1, 4, 1, 5};
    check_minimum(&f, x, (const double[]){-2, -1, 0, 1, 2}, 0, 17);
}

/* Bounds above and below the minimum: those variables end at the bound, the others do not depend on them. */
static void quadratic_with_bounds(void **state)
{
    counted f = {.value = bowl};
    prepare(&f, 5, -1.5, 1.25);
    double x[] = {1, 1, 1, -1, -1};
    check_minimum(&f, x, (const double[]){-1.5, -1, 0, 1, 1.25}, 0.125 + 256 * 0.75 * 0.75 / 2, 17);
    double corner[] = {-1.5, -1.5, 1.25, 1.25, 1.25}; /* starts at bounds that it has to leave */
    check_minimum(&f, corner, (const double[]){-1.5, -1, 0, 1, 1.25}, 0.125 + 256 * 0.75 * 0.75 / 2, 12);
}

static double rosenbrock(const double *x, double *gradient, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        gradient[i] = 0;
    for (int64_t i = 0; i + 1 < count; i++) {
        const double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
        sum += a * a + 100 * b * b;
        gradient[i] += -2 * a - 400 * b * x[i];
        gradient[i + 1] += 200 * b;
    }
    return sum;
}

static void curved_valley(void **state)
{
    counted f = {.value = rosenbrock};
    prepare(&f, 2, -INFINITY, INFINITY);
    double x[] = {-1.2, 1};
    check_minimum(&f, x, (const double[]){1, 1}, 0, 54);
    /* In x <= 0.5 the minimum is at (0.5, 0.25). */
    prepare(&f, 2, -2, 2);
    f.high[0] = 0.5;
    double y[] = {-1.2, 1};
    check_minimum(&f, y, (const double[]){0.5, 0.25}, 0.25, 38);
}

/* log is not defined below 0: the step is shortened. The minimum of x - log x is at 1. */
static double with_edge(const double *x, double *gradient, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += x[i] - log(x[i]);
        gradient[i] = 1 - 1 / x[i];
    }
    return sum;
}

static void undefined_values_and_limits(void **state)
{
    counted f = {.value = with_edge};
    prepare(&f, 2, -INFINITY, INFINITY);
    double x[] = {30, 0.01};
    check_minimum(&f, x, (const double[]){1, 1}, 2, 39);
    double outside[] = {-1, 3}, workspace[VOLT_BOX_WORKSPACE * MAX_COUNT];
    f.calls = 0;
    assert_false(isfinite(volt_box_minimise(&f.problem, outside, workspace)));
    assert_true(outside[0] == -1 && outside[1] == 3 && f.calls == 1);
    /* No iterations, and an exact start: the point stays. */
    double start[] = {2, 2};
    f.problem.max_iterations = 0;
    assert_true(volt_box_minimise(&f.problem, start, workspace) == 4 - 2 * log(2) && start[0] == 2);
    f.problem.max_iterations = 200;
    double exact[] = {1, 1};
    f.calls = 0;
    assert_true(volt_box_minimise(&f.problem, exact, workspace) == 2 && exact[0] == 1 && f.calls == 1);
    /* One iteration: the first step is along the gradient, at most 0.1 long in a variable. */
    double first[] = {30, 4};
    f.problem.max_iterations = 1;
    volt_box_minimise(&f.problem, first, workspace);
    assert_true(fabs(first[0] - 29.9) < 1e-12 && fabs(first[1] - (4 - 0.1 * 0.75 / (1 - 1 / 30.0))) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratic_without_bounds),
        cmocka_unit_test(quadratic_with_bounds),
        cmocka_unit_test(curved_valley),
        cmocka_unit_test(undefined_values_and_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
