/* tests/unit/select/test_search.c: search results and callbacks, failing candidates, cancellation, budgets and
 * invalid arguments. */
#define _GNU_SOURCE
#include "support/candidate.h"
#include "support/check.h"
#include "support/plain_cv.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/select.h"

#include <jansson.h>
#include <pthread.h>

enum { N = 45, D = 2, Q = 2 };

static plain_problem problem;
static volt_candidates *draws; /* unlimited */

static int make_problem(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, 2800, 0);
    problem = plain_problem_make(&rng, N, D, Q);
    return volt_candidates_draw("memory", plain_inputs(&problem), NULL, &draws);
}

static int free_problem(void **state)
{
    volt_candidates_free(draws);
    plain_problem_free(&problem);
    return 0;
}

static volt_status run(const volt_candidates *candidates, const volt_search_options *options,
                       volt_search **search)
{
    return volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), options, search);
}

static volt_search_info info_of(const volt_search *search)
{
    volt_search_info info = {.struct_size = sizeof info};
    memset(&info, 0x5a, sizeof info);
    info.struct_size = sizeof info;
    volt_search_get_info(search, &info);
    return info;
}

/* ---- results ---------------------------------------------------------------------------------- */

static void defaults(void **state)
{
    volt_search_options options = volt_search_options_default();
    assert_true(options.splits.folds == 5 && options.splits.min_train == 1 && options.splits.gap == 0);
    assert_true(options.start == VOLT_START_CONTINUE && options.washout == 0 && options.intercept == 1 &&
                options.scale == 1 && options.score == VOLT_SCORE_R2 && options.race == VOLT_RACE_EXACT);
    assert_true(options.draws == 0 && options.seconds == 0 && !options.log && !options.resume &&
                !options.on_trial && !options.progress.report);
}

static void description_is_complete(void **state)
{
    volt_search_options options = volt_search_options_default();
    options.draws = 7;
    options.race = VOLT_RACE_NONE;
    volt_search *search = NULL;
    check_ok(run(draws, &options, &search));
    volt_search_info info = info_of(search);
    assert_int_equal(info.trials, 7);
    assert_int_equal(info.failed, 0);
    assert_int_equal(info.resumed, 0);
    assert_int_equal(info.folds, 5);
    assert_int_equal(info.expected, 7);
    assert_int_equal(info.out_of_time, 0);
    assert_int_equal(info.score, VOLT_SCORE_R2);
    for (int k = 0; k <= 5; k++)
        assert_int_equal(info.stopped[k], 0);
    assert_true(info.seconds > 0 && info.blas_seconds > 0 && info.parallel >= 1);
    /* at least one factorisation of the rows before the last block */
    assert_true(info.flops >= 7 * pow(N * 5.0 / 6, 3) / 3);
    for (int64_t i = 0; i < 7; i++) {
        char kernel[VOLT_KERNEL_LENGTH];
        double alpha;
        const volt_trial *trial = volt_search_trial(search, i);
        check_ok(volt_candidates_get(draws, i, kernel, &alpha, NULL));
        assert_string_equal(trial->kernel, kernel);
        assert_true(trial->alpha == alpha && trial->seconds >= 0 && !trial->failure && !trial->stopped);
        double mean = 0;
        for (int f = 0; f < 5; f++)
            mean += trial->folds[f] / 5;
        assert_true(fabs(mean - trial->score) <= 1e-14 * (1 + fabs(mean)));
    }
    assert_null(volt_search_trial(search, 7));
    assert_null(volt_search_trial(search, -2));
    assert_null(volt_search_trial(NULL, VOLT_TRIAL_BEST));
    volt_search_free(search);
    volt_search_free(NULL);
}

/* Options NULL are the defaults: every candidate of a list is evaluated. */
static void options_may_be_null(void **state)
{
    const char *kernels[] = {"linear", "rbf"};
    const double alphas[] = {1, 0.1};
    volt_candidates *list = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(kernels, alphas, NULL, 2, &list));
    check_ok(run(list, NULL, &search));
    assert_int_equal(info_of(search).trials, 2);
    volt_search_free(search);
    volt_candidates_free(list);
}

/* Views with a leading dimension give the same results as packed matrices. */
static void inputs_may_be_part_of_a_wider_matrix(void **state)
{
    double wide[N * (D + Q + 1)];
    for (int i = 0; i < N; i++) {
        memcpy(wide + i * (D + Q + 1), problem.X + i * D, D * sizeof(double));
        memcpy(wide + i * (D + Q + 1) + D, problem.Y + i * Q, Q * sizeof(double));
        wide[i * (D + Q + 1) + D + Q] = NAN;
    }
    volt_view X = {wide, N, D, D + Q + 1}, Y = {wide + D, N, Q, D + Q + 1};
    volt_search_options options = volt_search_options_default();
    options.draws = 3;
    volt_search *narrow = NULL, *broad = NULL;
    check_ok(run(draws, &options, &narrow));
    check_ok(volt_search_run(draws, X, Y, &options, &broad));
    for (int i = 0; i < 3; i++)
        assert_true(volt_search_trial(narrow, i)->score == volt_search_trial(broad, i)->score);
    volt_search_free(broad);
    volt_search_free(narrow);
}

/* ---- callbacks -------------------------------------------------------------------------------- */

typedef struct listener {
    pthread_t caller;
    int64_t trials, reports, cancel_after; /* cancel_after < 0: never */
    int seen[64];
    double fraction;
} listener;

static void on_trial(const volt_search *search, const volt_trial *trial, void *context)
{
    listener *l = context;
    assert_true(pthread_equal(pthread_self(), l->caller));
    assert_true(trial->index >= 0 && (trial->index >= 64 || !l->seen[trial->index]));
    if (trial->index < 64)
        l->seen[trial->index] = 1;
    l->trials++;
    assert_true(info_of(search).trials >= l->trials);
    if (!trial->failure && !trial->stopped)
        assert_non_null(volt_search_trial(search, VOLT_TRIAL_BEST));
}

static int on_progress(const char *stage, double fraction, void *context)
{
    listener *l = context;
    assert_true(pthread_equal(pthread_self(), l->caller));
    assert_true(strlen(stage) > 0 && fraction >= l->fraction && fraction <= 1);
    l->fraction = fraction;
    l->reports++;
    return l->cancel_after >= 0 && l->trials >= l->cancel_after;
}

static volt_search_options listening(listener *l)
{
    volt_search_options options = volt_search_options_default();
    l->caller = pthread_self();
    options.on_trial = on_trial;
    options.trial_context = l;
    options.progress.report = on_progress;
    options.progress.context = l;
    return options;
}

static void callback_receives_every_trial_once(void **state)
{
    listener l = {.cancel_after = -1};
    volt_search_options options = listening(&l);
    options.draws = 40;
    volt_search *search = NULL;
    check_ok(run(draws, &options, &search));
    assert_int_equal(l.trials, 40);
    assert_true(l.reports > 0 && l.fraction == 1);
    volt_search_free(search);
}

/* ---- cancellation ----------------------------------------------------------------------------- */

static void cancellation_keeps_best_so_far(void **state)
{
    listener l = {.cancel_after = 10};
    volt_search_options options = listening(&l);
    options.draws = 1000000;
    volt_search *search = NULL;
    check_fails(run(draws, &options, &search), VOLT_ERR_CANCELLED, "cancelled");
    assert_non_null(search);
    volt_search_info info = info_of(search);
    assert_true(info.trials >= 10 && info.trials < 1000000);
    const volt_trial *best = volt_search_trial(search, VOLT_TRIAL_BEST);
    assert_non_null(best);
    for (int64_t i = 0; i < info.trials; i++) {
        const volt_trial *trial = volt_search_trial(search, i);
        assert_true(i == 0 || trial->index > volt_search_trial(search, i - 1)->index);
        if (!trial->failure && !trial->stopped)
            assert_true(trial->score <= best->score);
    }
    volt_search_free(search);
}

static void cancellation_before_first_score(void **state)
{
    listener l = {.cancel_after = 0};
    volt_search_options options = listening(&l);
    options.draws = 1000;
    volt_search *search = NULL;
    check_fails(run(draws, &options, &search), VOLT_ERR_CANCELLED, "");
    if (search) /* some may have finished before the first report */
        assert_non_null(volt_search_trial(search, VOLT_TRIAL_BEST));
    volt_search_free(search);
}

/* ---- budgets ---------------------------------------------------------------------------------- */

static void budget_stops_search_with_best_so_far(void **state)
{
    volt_search_options options = volt_search_options_default();
    options.seconds = 1; /* a thousand times the duration of one candidate */
    volt_search *search = NULL;
    check_ok(run(draws, &options, &search)); /* the search ends although the candidates do not */
    volt_search_info info = info_of(search);
    assert_true(info.out_of_time && info.trials > 0 && volt_search_trial(search, VOLT_TRIAL_BEST) &&
                info.expected > 0);
    volt_search_free(search);
}

static void unused_budget(void **state)
{
    volt_search_options options = volt_search_options_default();
    options.seconds = 3600;
    options.draws = 5;
    volt_search *search = NULL;
    check_ok(run(draws, &options, &search));
    volt_search_info info = info_of(search);
    assert_int_equal(info.out_of_time, 0);
    assert_int_equal(info.trials, 5);
    assert_int_equal(info.expected, 5);
    volt_search_free(search);
}

static void too_small_budget(void **state)
{
    volt_search_options options = volt_search_options_default();
    options.seconds = 1e-9;
    volt_search *search = NULL;
    volt_status status = run(draws, &options, &search);
    if (status == VOLT_OK) /* the first was shorter than the clock resolution */
        assert_non_null(volt_search_trial(search, VOLT_TRIAL_BEST));
    else
        assert_true(status == VOLT_ERR_DATA && !search && strstr(volt_error_detail(), "budget of 1e-09 s"));
    volt_search_free(search);
}

/* ---- failing candidates ----------------------------------------------------------------------- */

/* tanh with a negative shift is far from positive semidefinite, and poly of degree 64 overflows on unscaled
 * inputs; both fail on every machine. */
static const char *const indefinite = "sigmoid:gamma=5,coef0=-3", *const overflowing =
                                                                      "poly:degree=64,gamma=1e9";

static void failing_candidates_do_not_stop_the_search(void **state)
{
    const char *kernels[] = {indefinite, "rbf", overflowing, "linear", indefinite};
    const double alphas[] = {1e-9, 0.1, 1, 0.1, 1e-9};
    volt_candidates *list = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(kernels, alphas, NULL, 5, &list));
    volt_search_options options = volt_search_options_default();
    options.race = VOLT_RACE_NONE;
    options.log = scratch_path("failures.jsonl");
    check_ok(run(list, &options, &search));
    volt_search_info info = info_of(search);
    assert_int_equal(info.trials, 5);
    assert_int_equal(info.failed, 3);
    for (int i = 0; i < 5; i++) {
        const volt_trial *trial = volt_search_trial(search, i);
        assert_int_equal(trial->failure != NULL, i % 2 == 0);
        assert_int_equal(isnan(trial->score) != 0, i % 2 == 0);
        assert_int_equal(trial->stopped, 0);
        if (trial->failure)
            assert_true(strlen(trial->failure) > 10);
    }
    assert_non_null(strstr(volt_search_trial(search, 0)->failure, "Cholesky failed"));
    assert_true(volt_search_trial(search, VOLT_TRIAL_BEST)->index == 1 ||
                volt_search_trial(search, VOLT_TRIAL_BEST)->index == 3);

    /* The log lists them with the reason and without a score. */
    char *text = scratch_read(options.log, NULL);
    int failures = 0;
    for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1) {
        json_t *line = json_loadb(at, (size_t)(end - at), 0, NULL);
        const char *failure = json_string_value(json_object_get(line, "failure"));
        int64_t index = json_integer_value(json_object_get(line, "index"));
        assert_int_equal(failure != NULL, index % 2 == 0);
        if (failure) {
            failures++;
            assert_string_equal(failure, volt_search_trial(search, index)->failure);
            assert_true(json_is_null(json_object_get(line, "score")));
        }
        json_decref(line);
    }
    assert_int_equal(failures, 3);
    free(text);

    /* They are not evaluated again. */
    options.resume = 1;
    volt_search *again = NULL;
    check_ok(run(list, &options, &again));
    assert_int_equal(info_of(again).resumed, 5);
    assert_int_equal(info_of(again).failed, 3);
    assert_int_equal(volt_search_trial(again, VOLT_TRIAL_BEST)->index,
                     volt_search_trial(search, VOLT_TRIAL_BEST)->index);
    volt_search_free(again);
    volt_search_free(search);
    volt_candidates_free(list);
}

static void all_failed_reports_first_reason(void **state)
{
    const char *kernels[] = {indefinite, overflowing};
    const double alphas[] = {1e-9, 1};
    volt_candidates *list = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(kernels, alphas, NULL, 2, &list));
    check_fails(run(list, NULL, &search), VOLT_ERR_DATA, "candidates 2");
    assert_non_null(strstr(volt_error_detail(), "Cholesky failed"));
    assert_non_null(search);
    assert_int_equal(info_of(search).failed, 2);
    assert_null(volt_search_trial(search, VOLT_TRIAL_BEST));
    assert_non_null(volt_search_trial(search, 1)->failure);
    volt_search_free(search);
    volt_candidates_free(list);
}

/* Parameters outside a bound on these inputs fail only the candidate, and so do kernels that require a
 * window. */
static void invalid_bounds_fail_only_the_candidate(void **state)
{
    const char *kernels[] = {"volterra:tau=2,lambda=0.5", "gak:sigma=1", "linear"};
    const double alphas[] = {1, 1, 1};
    volt_candidates *list = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(kernels, alphas, NULL, 3, &list));
    check_ok(run(list, NULL, &search));
    assert_int_equal(info_of(search).failed, 2);
    assert_non_null(strstr(volt_search_trial(search, 0)->failure, "tau"));
    assert_non_null(strstr(volt_search_trial(search, 1)->failure, "window"));
    assert_int_equal(volt_search_trial(search, VOLT_TRIAL_BEST)->index, 2);
    volt_search_free(search);
    volt_candidates_free(list);
}

/* ---- functions -------------------------------------------------------------------------------- */

static int kernel_of_index(int64_t index, char *kernel, size_t size, double *alpha, void *context)
{
    const int64_t *wrong = context;
    snprintf(kernel, size, index == *wrong ? "no such kernel %d" : "rbf:gamma=%d", (int)index + 1);
    *alpha = 0.1;
    return 0;
}

static void texts_of_candidates_are_checked(void **state)
{
    int64_t wrong = -1;
    volt_candidates *five = NULL;
    volt_search *search = NULL;
    check_ok(candidates_of_function(kernel_of_index, &wrong, 5, &five));
    volt_search_options options = volt_search_options_default();
    options.draws = 50;
    check_ok(run(five, &options, &search));
    assert_int_equal(info_of(search).trials, 5);
    volt_search_free(search);
    search = NULL;

    wrong = 3; /* an invalid text is an error of the caller, not of the candidate */
    check_fails(run(five, &options, &search), VOLT_ERR_KERNEL, "kernel 4");
    assert_null(search);
    volt_candidates_free(five);
}

/* ---- invalid arguments ------------------------------------------------------------------------ */

static void check_refused(const volt_search_options *options, volt_status status, const char *fragment)
{
    volt_search *search = (volt_search *)&problem;
    check_fails(run(draws, options, &search), status, fragment);
    assert_ptr_equal(search, &problem);
}

static void invalid_options_are_rejected(void **state)
{
    volt_search_options good = volt_search_options_default(), options;
    good.draws = 2;
#define AGAIN(change, fragment)                               \
    do {                                                      \
        options = good;                                       \
        change;                                               \
        check_refused(&options, VOLT_ERR_ARGUMENT, fragment); \
    } while (0)
    AGAIN(options.draws = 0, "candidates");
    AGAIN(options.draws = -1, "-1 draws");
    AGAIN(options.seconds = -1, "budget -1");
    AGAIN(options.seconds = NAN, "budget");
    AGAIN(options.seconds = INFINITY, "budget inf");
    AGAIN(options.race = (volt_race)7, "race 7");
    AGAIN(options.score = (volt_score)9, "score 9");
    AGAIN(options.start = (volt_start)4, "start 4");
    AGAIN(options.resume = 1, "log");
    AGAIN(options.washout = -1, "washout -1");
    AGAIN(options.washout = 9, "a washout of 9 leaves fewer than 2");
    AGAIN((options.washout = 10, options.intercept = 0), "a washout of 10 leaves fewer than 1");
    AGAIN(options.splits.folds = 0, "0 folds");
    AGAIN(options.splits.folds = N, "too few");
    AGAIN(options.splits.folds = INT64_MAX, "too few");
    AGAIN(options.splits.gap = 50, "too few");
    AGAIN((options.splits.rolling = 1, options.splits.max_train = 9), "not both");
    for (int s = VOLT_SCORE_PREQUENTIAL; s <= VOLT_SCORE_LOG; s++) {
        AGAIN((options.score = (volt_score)s, options.start = VOLT_START_RESET), "the start reset");
        AGAIN((options.score = (volt_score)s, options.splits.rolling = 1), "maximum training length");
        AGAIN((options.score = (volt_score)s, options.splits.max_train = 9), "maximum training length");
    }
    AGAIN((options.score = VOLT_SCORE_LOG, options.splits.gap = 2), "support a gap");
    AGAIN(options.initial = (volt_initial)9, "9");
    static const int64_t records[] = {20, N - 20};
    good.records = records;
    good.n_records = 2;
    good.washout = 2;
    AGAIN(options.score = VOLT_SCORE_PREQUENTIAL, "washout 2 records");
    AGAIN(options.loss = "huber:delta=1", "washout 2 records loss");
    AGAIN(options.splits.rolling = 1, "washout 2 records");
    AGAIN(options.splits.max_train = 9, "washout 2 records");
    good = volt_search_options_default();
    good.draws = 2;
    double base[N * 2] = {0};
    for (int i = 0; i < 2; i++) {
        options = good;
        options.base = volt_view_of(base, N - 1 + i, 1 + (i == 0));
        check_refused(&options, VOLT_ERR_SHAPE, "base");
    }
#undef AGAIN
}

static void gap_follows_the_rows_ahead(void **state)
{
    for (int i = 0; i < 3; i++) {
        volt_search_options options = volt_search_options_default();
        volt_search *search = NULL;
        volt_search_info info = {.struct_size = sizeof info};
        options.draws = 1;
        options.splits.gap = VOLT_GAP_AUTO;
        options.ahead = i == 0 ? 0 : 4;
        options.score = i == 2 ? VOLT_SCORE_LOG : VOLT_SCORE_R2; /* of all rows together */
        check_ok(run(draws, &options, &search));
        volt_search_get_info(search, &info);
        assert_int_equal(info.gap, i == 1 ? 3 : 0);
        volt_search_free(search);
    }
}

static void invalid_data_are_rejected(void **state)
{
    volt_search_options options = volt_search_options_default();
    options.draws = 2;
    volt_view X = plain_inputs(&problem), Y = plain_targets(&problem), other;
    volt_search *search = NULL;
    check_fails(volt_search_run(NULL, X, Y, &options, &search), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_search_run(draws, X, Y, &options, NULL), VOLT_ERR_ARGUMENT, "NULL");
    other = volt_view_rows(Y, 0, N - 1);
    check_fails(volt_search_run(draws, X, other, &options, &search), VOLT_ERR_SHAPE, "45 rows inputs 44");
    other = volt_view_of(NULL, 0, 0);
    check_fails(volt_search_run(draws, other, Y, &options, &search), VOLT_ERR_SHAPE, "inputs");
    check_fails(volt_search_run(draws, X, other, &options, &search), VOLT_ERR_SHAPE, "targets");
    double *entry[] = {&problem.X[33], &problem.Y[44]};
    static const char *const names[] = {"inputs", "targets"};
    for (int e = 0; e < 2; e++) {
        double before = *entry[e];
        *entry[e] = NAN;
        check_fails(volt_search_run(draws, X, Y, &options, &search), VOLT_ERR_NOT_FINITE, names[e]);
        *entry[e] = INFINITY;
        check_fails(volt_search_run(draws, X, Y, &options, &search), VOLT_ERR_NOT_FINITE, names[e]);
        *entry[e] = before;
    }
    double constant[N * D];
    for (int i = 0; i < N * D; i++)
        constant[i] = 3;
    check_fails(volt_search_run(draws, volt_view_of(constant, N, D), Y, &options, &search), VOLT_ERR_DATA,
                "constant");
    assert_null(search);
}

/* Constant targets in every block: there is no variance to divide by. */
static void constant_targets_are_searched(void **state)
{
    double Y[N];
    for (int i = 0; i < N; i++)
        Y[i] = 0.1;
    volt_search_options options = volt_search_options_default();
    options.draws = 3;
    volt_search *search = NULL;
    check_ok(volt_search_run(draws, plain_inputs(&problem), volt_view_of(Y, N, 1), &options, &search));
    assert_true(isfinite(volt_search_trial(search, VOLT_TRIAL_BEST)->score));
    volt_search_free(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(description_is_complete),
        cmocka_unit_test(options_may_be_null),
        cmocka_unit_test(inputs_may_be_part_of_a_wider_matrix),
        cmocka_unit_test(callback_receives_every_trial_once),
        cmocka_unit_test(cancellation_keeps_best_so_far),
        cmocka_unit_test(cancellation_before_first_score),
        cmocka_unit_test(budget_stops_search_with_best_so_far),
        cmocka_unit_test(unused_budget),
        cmocka_unit_test(too_small_budget),
        cmocka_unit_test(failing_candidates_do_not_stop_the_search),
        cmocka_unit_test(all_failed_reports_first_reason),
        cmocka_unit_test(invalid_bounds_fail_only_the_candidate),
        cmocka_unit_test(texts_of_candidates_are_checked),
        cmocka_unit_test(invalid_options_are_rejected),
        cmocka_unit_test(gap_follows_the_rows_ahead),
        cmocka_unit_test(invalid_data_are_rejected),
        cmocka_unit_test(constant_targets_are_searched),
    };
    return cmocka_run_group_tests_name("search", tests, make_problem, free_problem);
}
