/* tests/property/test_state_folds.c: scores of candidates with explicit states equal those computed from the
 * n x n matrix.
 *
 * The same kernel is computed both ways: an esn whose coef0 is 1e-300 is the same to the last bit, but no
 * longer a plain product of states, and is evaluated in its rows. Both solve a system whose condition is at
 * most 1 + n N / alpha (entries of states below 1), n N = 2000 here, and alpha at least 1e-3: forecasts
 * agree to some eps 2e6 = 5e-10, and a free run adds up what the rows before it were off. The largest
 * difference seen is 2e-11; 1e-9 is allowed. Profiled alphas are as small as 1e-8 of the diagonal, a
 * condition of n 1e8: 1e-5 is allowed to the best mean, where 2e-7 was seen. Rounding decides between two
 * alphas with equal scores. */
#include "kernel/kernel_entry.h"
#include "select/folds/problem.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/plain_cv.h"
#include "support/polling.h"
#include "support/sequences.h"
#include "volterra/select.h"

enum { N = 90, D = 2, FOLDS = 4 };

/* The kernel in its states, and in its rows. */
typedef struct pair {
    const char *states, *rows;
} pair;

static const pair pairs[] = {
    {"esn:size=12,radius=0.8,leak=0.6,seed=3", "esn:size=12,radius=0.8,leak=0.6,seed=3,coef0=1e-300"},
    {"esn:size=9,norm=0.7,start=zero,bias=1", "esn:size=9,norm=0.7,start=zero,bias=1,coef0=1e-300"},
    {"esn:size=7,pole=0.4", "esn:size=7,pole=0.4,coef0=1e-300"},
    {"esn:size=6 + 0.3*sas:size=5,norm=0.7", "esn:size=6,coef0=1e-300 + 0.3*sas:size=5,norm=0.7"},
    {"4*esn:size=5,seed=2,pair=0.5,angle=0.3 + esn:size=6,leak=0.4",
     "4*esn:size=5,seed=2,coef0=1e-300,pair=0.5,angle=0.3 + esn:size=6,leak=0.4,coef0=1e-300"},
};
enum { PAIRS = (int)(sizeof pairs / sizeof *pairs) };

/* ---- both ways -------------------------------------------------------------------------------- */

static volt_search *search_one(const plain_problem *problem, const char *kernel, double alpha, double feedback,
                               const volt_search_options *options)
{
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(&kernel, &alpha, &feedback, 1, &candidates));
    check_ok(volt_search_run(candidates, plain_inputs(problem), plain_targets(problem), options, &search));
    volt_candidates_free(candidates);
    return search;
}

/* How far two scores are apart, which must not be more than `tolerance`. */
static double apart(const pair *kernel, double alpha, double in_states, double in_rows, double tolerance)
{
    double distance = fabs(in_states - in_rows) / (1 + fabs(in_rows));
    if (!(distance <= tolerance))
        fail_msg("%s, alpha %g: %.17g in states, %.17g in rows", kernel->states, alpha, in_states, in_rows);
    return distance;
}

static double compare(const plain_problem *problem, const pair *kernel, double alpha, double feedback,
                      const volt_search_options *options)
{
    volt_search *one = search_one(problem, kernel->states, alpha, feedback, options);
    volt_search *other = search_one(problem, kernel->rows, alpha, feedback, options);
    const volt_trial *a = volt_search_trial(one, 0), *b = volt_search_trial(other, 0);
    double worst = 0;
    if (a->n_folds != b->n_folds || a->failure || b->failure)
        fail_msg("%s: %" PRId64 " and %" PRId64 " folds", kernel->states, a->n_folds, b->n_folds);
    for (int64_t k = 0; alpha > 0 && k < a->n_folds; k++)
        worst = fmax(worst, apart(kernel, alpha, a->folds[k], b->folds[k], 1e-9));
    if (alpha == 0)
        worst = apart(kernel, alpha, a->score, b->score, 1e-5);
    volt_search_free(one);
    volt_search_free(other);
    return worst;
}

static int64_t pick(volt_rng *rng, int64_t count)
{
    return (int64_t)(volt_rng_uniform(rng) * (double)count);
}

/* Random options of every kind. */
static volt_search_options draw_options(volt_rng *rng, const int64_t *records)
{
    static const volt_score scores[] = {VOLT_SCORE_R2, VOLT_SCORE_NMSE, VOLT_SCORE_MSE};
    volt_search_options options = volt_search_options_default();
    options.splits.folds = FOLDS;
    options.splits.gap = pick(rng, 3);
    options.race = VOLT_RACE_NONE;
    options.score = scores[pick(rng, 3)];
    options.start = pick(rng, 2) ? VOLT_START_RESET : VOLT_START_CONTINUE;
    options.intercept = pick(rng, 4) > 0;
    options.scale = pick(rng, 3) > 0;
    options.validate = pick(rng, 2) ? VOLT_VALIDATE_ONE_STEP : VOLT_VALIDATE_SIMULATE;
    if (pick(rng, 3) == 0) {
        options.records = records;
        options.n_records = 6;
        options.folds_by_records = (int)pick(rng, 2);
        if (options.folds_by_records)
            options.splits.min_train = 2;
    } else {
        options.washout = pick(rng, 2) ? 4 : 0;
        options.splits.min_train = 34;
        if (pick(rng, 3) == 0)
            options.splits.max_train = 30;
        else
            options.splits.rolling = pick(rng, 3) == 0;
    }
    return options;
}

static void state_and_row_readouts_agree(void **state)
{
    enum { CASES = UNDER_SANITIZERS ? 10 : 60 };
    static const int64_t records[] = {20, 14, 15, 13, 16, 12};
    volt_rng rng = test_rng(15001);
    double worst = 0, worst_profiled = 0;
    for (int c = 0; c < CASES; c++) {
        plain_problem problem = plain_problem_make(&rng, N, D, 1 + pick(&rng, 3));
        volt_search_options options = draw_options(&rng, records);
        double *base = normal_rows(&rng, N, problem.q);
        double alpha = pow(10, -3 + 4 * volt_rng_uniform(&rng)), feedback = pick(&rng, 3) == 0 ? 0.3 : 0;
        if (feedback == 0 && pick(&rng, 3) == 0)
            options.base = volt_view_of(base, N, problem.q);
        const pair *kernel = &pairs[c % PAIRS];
        worst = fmax(worst, compare(&problem, kernel, alpha, feedback, &options));
        if (c % 3 == 0)
            worst_profiled = fmax(worst_profiled, compare(&problem, kernel, 0, feedback, &options));
        free(base);
        plain_problem_free(&problem);
    }
    printf("# largest difference %.2g, with alpha profiled %.2g\n", worst, worst_profiled);
}

/* ---- who goes which way ----------------------------------------------------------------------- */

static int64_t states_of(const volt_problem *problem, const char *text)
{
    volt_kernel *kernel = NULL;
    volt_resolved resolved = {0};
    volt_extent unit[VOLT_MAX_FACTORS];
    for (int s = 0; s < VOLT_MAX_FACTORS; s++)
        unit[s] = (volt_extent){.radius = 1, .largest = 1};
    check_ok(volt_kernel_parse(text, &kernel));
    check_ok(volt_kernel_resolve_slices(kernel, unit, D, &resolved));
    int64_t states = volt_candidate_states(problem, &resolved);
    volt_resolved_release(&resolved);
    volt_kernel_free(kernel);
    return states;
}

static void state_readout_requires_few_states(void **state)
{
    volt_problem problem = {.n = N, .max_rows = N, .d = D, .q = 1, .score = VOLT_SCORE_MSE};
    static const int64_t sizes[PAIRS] = {12, 9, 7, 11, 11};
    for (int p = 0; p < PAIRS; p++) {
        assert_int_equal(states_of(&problem, pairs[p].states), sizes[p]);
        assert_int_equal(states_of(&problem, pairs[p].rows), 0);
    }
    assert_int_equal(states_of(&problem, "esn:size=44"), 44);
    assert_int_equal(states_of(&problem, "esn:size=45"), 0);
    assert_int_equal(states_of(&problem, "esn:size=9 + fir:mu=0.5"), 0);
    assert_int_equal(states_of(&problem, "esn:size=9,degree=2"), 0);
    assert_int_equal(states_of(&problem, "volterra"), 0);
    problem.score = VOLT_SCORE_LOG;
    assert_int_equal(states_of(&problem, "esn:size=9"), 0);
}

/* ---- threads, memory, cancelling --------------------------------------------------------------- */

static const char *const kernel_texts[] = {"esn:size=40,seed=2", "esn:size=6 + 0.3*sas:size=5,norm=0.7",
                                           "esn:size=5"};

/* With and without a start by reset, alpha given and profiled. */
static volt_status search_all(const plain_problem *problem, volt_start start, int64_t folds,
                              volt_progress progress, volt_search **search)
{
    static const double alphas[] = {0, 0.01, 0};
    volt_search_options options = volt_search_options_default();
    volt_candidates *candidates = NULL;
    options.splits.folds = folds;
    options.start = start;
    options.race = VOLT_RACE_NONE;
    options.progress = progress;
    volt_status status = volt_candidates_list(kernel_texts, alphas, NULL, 3, &candidates);
    if (status == VOLT_OK)
        status = volt_search_run(candidates, plain_inputs(problem), plain_targets(problem), &options, search);
    volt_candidates_free(candidates);
    return status;
}

static void results_are_bitwise_independent_of_threads(void **state)
{
    volt_rng rng = test_rng(15002);
    plain_problem problem = plain_problem_make(&rng, 300, D, 2);
    for (int start = 0; start < 2; start++) {
        volt_search *first = NULL;
        for (int64_t threads = 1; threads <= 4; threads++) {
            volt_search *search = NULL;
            volt_set_threads(threads);
            check_ok(search_all(&problem, start ? VOLT_START_RESET : VOLT_START_CONTINUE, FOLDS,
                                (volt_progress){0}, &search));
            for (int64_t i = 0; first && i < 3; i++) {
                const volt_trial *one = volt_search_trial(search, i), *other = volt_search_trial(first, i);
                assert_memory_equal(one->folds, other->folds, FOLDS * sizeof(double));
                assert_true(one->alpha == other->alpha);
            }
            if (first)
                volt_search_free(search);
            else
                first = search;
        }
        volt_search_free(first);
    }
    volt_set_threads(0);
    plain_problem_free(&problem);
}

static int cancel_at(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    return --*(int64_t *)context == 0;
}

/* Every poll calls the user callback. The search stops there and returns the trials finished so far. */
static void cancelled_at_every_poll(void **state)
{
    volt_rng rng = test_rng(15004);
    plain_problem problem = plain_problem_make(&rng, 400, D, 1);
    volt_status status = VOLT_ERR_CANCELLED;
    int64_t polls = 0;
    for (; status == VOLT_ERR_CANCELLED; polls++) {
        volt_search *search = NULL;
        int64_t left = polls + 1;
        failing_alloc_start(0);
        status = search_all(&problem, VOLT_START_RESET, 2,
                            (volt_progress){.report = cancel_at, .context = &left}, &search);
        volt_search_free(search);
        assert_int_equal(failing_alloc_live(), 0);
        failing_alloc_stop();
    }
    assert_int_equal(status, VOLT_OK);
    assert_true(polls > 12); /* two parts of the states for each of three candidates and two folds at least */
    plain_problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_and_row_readouts_agree),
        cmocka_unit_test(state_readout_requires_few_states),
        cmocka_unit_test(results_are_bitwise_independent_of_threads),
        cmocka_unit_test_setup_teardown(cancelled_at_every_poll, poll_always, poll_as_usual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
