/* tests/unit/fit/test_plan_times.c: planned times computed from measured ones, with a clock that the test
 * controls. */
#include "select/folds/problem.h"
#include "solve/choice/choice.h"
#include "solve/solver_table.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "task/identify_internal.h"
#include "volterra.h"

#include <time.h>

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
    volt_search_plan search = {.struct_size = sizeof search}, landmarks = search;
    volt_plan fit = {.struct_size = sizeof fit};
    check_ok(volt_plan_search(kernel, ROWS, 2, 1, 0, &options, 1, &search));
    check_ok(volt_plan_fit(kernel, search.max_rows, 2, 1, 0, 1, &fit, NULL));
    options.solver = "nystrom";
    options.landmarks = 45; /* a tenth of the rows: a thousandth of the time of a factor */
    check_ok(volt_plan_search(kernel, ROWS, 2, 1, 0, &options, 1, &landmarks));
    volt_kernel_free(kernel);
    double squares = sum_of_groups(splits, FOLDS, (double)search.max_rows, 2),
           cubes = sum_of_groups(splits, FOLDS, (double)search.max_rows, 3);
    assert_true(squares - cubes > 0.05 && cubes > 1); /* the powers are distinguishable */
    double expected = squares * fit.gram_seconds + VOLT_MAX_ALPHAS * cubes * fit.factor_seconds;
    print_message("# %g s, expected %g s\n", search.candidate_seconds, expected);
    assert_true(fabs(search.candidate_seconds - expected) <= 1e-9 * expected);
    assert_true(landmarks.candidate_seconds > 0 && landmarks.candidate_seconds < search.candidate_seconds);
    check_ok(volt_set_threads(0));
}

/* An identification expects the time of an exact trial with a given alpha, inputs and fed outputs together. */
static void trial_of_an_identification_is_planned(void **state)
{
    enum { ROWS = 900 };
    const volt_identify_state run = {.U = {.cols = 2}, .Y = {.cols = 1}, .found = {.washout = 7}};
    volt_search_options options = volt_identify_search_options(&run, ROWS);
    volt_search_plan plan = {.struct_size = sizeof plan};
    double seconds = 0;
    assert_true(options.splits.folds == VOLT_IDENTIFY_BLOCKS && options.washout == 7);
    assert_int_equal(options.splits.min_train, ROWS - VOLT_IDENTIFY_BLOCKS * (ROWS / 6));
    assert_true(options.score == VOLT_SCORE_NMSE);
    assert_string_equal(options.solver, "exact");
    check_ok(volt_set_threads(1));
    check_ok(volt_identify_trial_seconds(&run, ROWS, &seconds));
    options.draws = 1;
    volt_kernel *kernel = plain_parse("memory:pole=0.5,pair=0.5,angle=0.5 + fir");
    check_ok(volt_plan_search(kernel, ROWS, 3, 1, 1, &options, 1, &plan));
    print_message("# %g s, expected %g s\n", seconds, plan.candidate_seconds);
    assert_true(seconds > 0 && fabs(seconds - plan.candidate_seconds) <= 1e-9 * seconds);
    check_ok(volt_plan_search(kernel, ROWS, 3, 1, 0, &options, 1, &plan));
    assert_true(plan.candidate_seconds > 1.5 * seconds); /* with the choice of alpha */
    volt_kernel_free(kernel);
    check_ok(volt_set_threads(0));
}

/* ---- solvers ---------------------------------------------------------------------------------- */

enum { TRIAL_ROWS = 1536, STATES_TRIAL = 256, STATE_ROWS = 64 };
static const double tick = 1e-3;

static void check_near(const char *what, double expected, double found)
{
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%s: %.12g s, expected %.12g s", what, found, expected);
}

/* Trials take one tick: a factor of 1536 rows, n^3 / 3 operations, and a product of 256 x 256 numbers. */
static double seconds_on_states(double n, double m)
{
    return tick * (n * m * m + m * m * m / 3) / pow(STATES_TRIAL, 3);
}

static double seconds_of_iterations(double n, double m)
{
    double once = 2 * n * m * m, steps = 40 * (4 * n * m + 2 * n * n);
    return 2 * seconds_on_states(n, m) * (1 + 4 * steps / once);
}

static void solver_times_are_in_proportion_to_operations(void **state)
{
    for (double n = 500, m = 10; n <= 4000; n *= 8, m *= 9) {
        double found;
        check_ok(volt_solver_exact.seconds(n, m, &found));
        check_near("exact", tick * pow(n / TRIAL_ROWS, 3), found);
        check_ok(volt_solver_loss.seconds(n, m, &found));
        check_near("loss", 2 * tick * pow(n / TRIAL_ROWS, 3), found);
        check_ok(volt_solver_features.seconds(n, m, &found));
        check_near("features", seconds_on_states(n, m), found);
        check_ok(volt_solver_nystrom.seconds(n, m, &found));
        check_near("nystrom", 2 * seconds_on_states(n, m), found);
        check_ok(volt_solver_pcg.seconds(n, m, &found));
        check_near("pcg", seconds_of_iterations(n, m), found);
    }
}

/* The Gram matrix of 1536 rows, or of 256 expensive ones, takes some ticks; all figures follow from it. */
static void fit_times_follow_from_the_trial(void **state)
{
    static const struct {
        const char *text;
        double rows;
    } cases[] = {{"linear", TRIAL_ROWS}, {"rbf:gamma=1", TRIAL_ROWS}, {"gak:window=3", STATES_TRIAL}};
    const double n = 6000, q = 3, d = 2;
    check_ok(volt_set_threads(1));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_plan plan = {.struct_size = sizeof plan};
        volt_kernel *kernel = plain_parse(cases[c].text);
        check_ok(volt_plan_fit(kernel, (int64_t)n, (int64_t)d, (int64_t)q, 0, 1, &plan, NULL));
        double ticks = plan.gram_seconds * pow(cases[c].rows / n, 2) / tick;
        print_message("# %s: %g ticks\n", cases[c].text, ticks);
        assert_true(ticks > 0.5 && fabs(ticks - rint(ticks)) < 1e-6);
        check_near("factor", tick * pow(n / TRIAL_ROWS, 3), plan.factor_seconds);
        /* entries: a step computes n of them, and passes over them for each output */
        check_near("stream", n * plan.gram_seconds / (n * n / 2) * (1 + q / (d + 8)), plan.stream_seconds);
        check_near("choose", VOLT_MAX_ALPHAS * plan.factor_seconds * pow(fmin(1, 4096 / n), 3),
                   plan.choose_seconds);
        volt_kernel_free(kernel);
    }
    check_ok(volt_set_threads(0));
}

/* Two passes of the rows; a trial has 64 rows. */
static void times_on_states_follow_from_the_trial(void **state)
{
    const double n = 20000, m = 24;
    volt_plan plan = {.struct_size = sizeof plan};
    volt_kernel *kernel = plain_parse("esn:size=24");
    check_ok(volt_plan_fit(kernel, (int64_t)n, 2, 1, 0, 1, &plan, NULL));
    check_near("stream", tick / STATE_ROWS, plan.stream_seconds);
    check_near("states", 2 * n * plan.stream_seconds, plan.gram_seconds);
    check_near("sums", seconds_on_states(n, m), plan.factor_seconds);
    assert_true(plan.choose_seconds == 0);
    volt_kernel_free(kernel);
}

/* Landmarks: two passes of n rows against the columns of the landmarks, which are 100 with 3 rows before each run of
 * 32. Iterations: 40 products with the triangle. */
static void every_solver_has_a_time(void **state)
{
    const double n = 3000, m = 100, columns = 100 + 4 * 3;
    volt_plan fit = {.struct_size = sizeof fit};
    volt_solver_plans plans = {.struct_size = sizeof plans};
    volt_kernel *kernel = plain_parse("rbf:gamma=1,window=4");
    check_ok(volt_set_threads(1));
    check_ok(volt_plan_fit(kernel, (int64_t)n, 2, 1, (int64_t)m, 1, &fit, &plans));
    assert_int_equal(plans.count, 3);
    check_near("exact", fit.gram_seconds + fit.factor_seconds, plans.solver[0].seconds);
    check_near("nystrom", 2 * seconds_on_states(n, m) + 2 * n * columns / (n * n / 2) * fit.gram_seconds,
               plans.solver[1].seconds);
    double own = (double)plans.solver[2].landmarks; /* 12.7 sqrt(n) = 695.6 in runs of 32 */
    assert_true(own == 672);
    check_near("pcg", seconds_of_iterations(n, own) + 40 * fit.gram_seconds, plans.solver[2].seconds);
    check_ok(volt_set_threads(0));
    volt_kernel_free(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_time_is_sum_of_parts),
        cmocka_unit_test(trial_of_an_identification_is_planned),
        cmocka_unit_test(solver_times_are_in_proportion_to_operations),
        cmocka_unit_test(fit_times_follow_from_the_trial),
        cmocka_unit_test(times_on_states_follow_from_the_trial),
        cmocka_unit_test(every_solver_has_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
