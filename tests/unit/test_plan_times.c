/* tests/unit/test_plan_times.c: planned times computed from measured ones, with a clock that the test
 * controls. */
#include "select/folds/problem.h"
#include "solve/choice/choice.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "volterra.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

/* Replaces the library's clock: each call advances it by 1 ms. Every measurement takes the same time in
 * every run, on one thread, so plans are comparable. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    static long ticks;
    (void)clock;
    ticks++;
    *now = (struct timespec){.tv_sec = ticks / 1000, .tv_nsec = ticks % 1000 * 1000000};
    return 0;
}

/* Training parts of at most `max_train` rows. Parts that begin with the first row share one matrix, which is
 * smaller than the others. Returns the sum over the matrices of (rows / most rows)^power. */
static double sum_of_groups(const volt_split *splits, int64_t folds, double most, int power)
{
    double sum = 0;
    for (int64_t k = 0; k < folds; k++)
        if (k + 1 == folds || splits[k + 1].train_begin != splits[k].train_begin)
            sum += pow((double)(splits[k].train_end - splits[k].train_begin) / most, power);
    return sum;
}

/* Matrices cost the square of their rows; factors cost the third power for every alpha. */
static void search_time_is_sum_of_parts(void **state)
{
    (void)state;
    enum { ROWS = 1000, FOLDS = 4 };
    volt_split splits[FOLDS];
    volt_search_options options = volt_search_options_default();
    options.draws = 1;
    options.solver = "exact";
    options.start = VOLT_START_RESET;
    options.splits.folds = FOLDS;
    options.splits.max_train = 450;
    check_ok(volt_splits(ROWS, &options.splits, splits));
    check_ok(volt_set_threads(1));
    volt_kernel *kernel = plain_parse("linear");
    volt_search_plan search = {.struct_size = sizeof search};
    volt_plan fit = {.struct_size = sizeof fit};
    check_ok(volt_plan_search(kernel, ROWS, 2, 1, 0, &options, 1, &search));
    check_ok(volt_plan_fit(kernel, search.max_rows, 2, 1, 0, 1, &fit, NULL));
    volt_kernel_free(kernel);
    double squares = sum_of_groups(splits, FOLDS, (double)search.max_rows, 2),
           cubes = sum_of_groups(splits, FOLDS, (double)search.max_rows, 3);
    assert_true(squares - cubes > 0.05 && cubes > 1); /* the powers are distinguishable */
    double expected = squares * fit.gram_seconds + VOLT_MAX_ALPHAS * cubes * fit.factor_seconds;
    print_message("# %g s, expected %g s\n", search.candidate_seconds, expected);
    assert_true(fabs(search.candidate_seconds - expected) <= 1e-9 * expected);
    check_ok(volt_set_threads(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_time_is_sum_of_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
