/* tests/property/test_landmark_search.c: searches on landmarks: invalid options, thread counts,
 * out-of-memory errors and cancellation. test_landmark_folds checks the scores. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/plain_cv.h"
#include "support/polling.h"
#include "support/sequences.h"
#include "volterra/select.h"

enum { N = 78, D = 2, FOLDS = 3 };

static const char *const texts[] = {
    "volterra:lambda_coef=0.6",
    "fir:mu=0.8,pole=0.4 + 0.5*memory:gamma=1,rho=0.5,mu=0.8,pair=0.5,angle=0.2",
    "rbf:gamma=0.7,window=4",
};

/* ---- what is refused -------------------------------------------------------------------------- */

static void check_refused(const plain_problem *problem, const volt_search_options *options, const char *words)
{
    double alpha = 1;
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(texts, &alpha, NULL, 1, &candidates));
    assert_int_equal(
        volt_search_run(candidates, plain_inputs(problem), plain_targets(problem), options, &search),
        VOLT_ERR_ARGUMENT);
    if (!strstr(volt_error_detail(), words))
        fail_msg("\"%s\" does not say \"%s\"", volt_error_detail(), words);
    assert_null(search);
    volt_candidates_free(candidates);
}

static void options_unsupported_by_landmarks_are_rejected(void **state)
{
    volt_rng rng = test_rng(17004);
    plain_problem problem = plain_problem_make(&rng, N, D, 1);
    volt_search_options nystrom = volt_search_options_default();
    nystrom.solver = "nystrom";
    nystrom.splits.folds = 5; /* of 78 rows: the first training part has 13 */
    volt_search_options options = nystrom;
    options.landmarks = 14;
    check_refused(&problem, &options, "1 to 13");
    options.washout = 3;
    options.landmarks = 11;
    check_refused(&problem, &options, "1 to 10");
    options.landmarks = -1;
    check_refused(&problem, &options, "landmarks must be");
    options = nystrom;
    options.score = VOLT_SCORE_PREQUENTIAL;
    check_refused(&problem, &options, "prequential");
    options.score = VOLT_SCORE_LOG;
    check_refused(&problem, &options, "likelihood");
    options = nystrom;
    options.loss = "huber:delta=1";
    check_refused(&problem, &options, "loss other than squares");
    options = nystrom;
    options.solver = "exact";
    options.landmarks = 5;
    check_refused(&problem, &options, "does not support landmarks");
    options.landmarks = 0;
    options.solver = "features";
    check_refused(&problem, &options, "auto, exact");
    options = nystrom;
    options.landmark_choice = (volt_landmarks)7;
    check_refused(&problem, &options, "choice 7");
    plain_problem_free(&problem);
}

/* ---- threads, memory, cancelling --------------------------------------------------------------- */

/* Alpha given and profiled, or of all rows. */
static volt_status search_all(const plain_problem *problem, volt_score score, volt_start start, int64_t folds,
                              volt_progress progress, volt_search **search)
{
    static const double alphas[] = {0, 0.01, 0};
    volt_search_options options = volt_search_options_default();
    volt_candidates *candidates = NULL;
    options.splits.folds = folds;
    options.solver = "nystrom";
    options.landmarks = 40;
    options.score = score;
    options.start = start;
    options.race = VOLT_RACE_NONE;
    options.progress = progress;
    volt_status status = volt_candidates_list(texts, alphas, NULL, 3, &candidates);
    if (status == VOLT_OK)
        status = volt_search_run(candidates, plain_inputs(problem), plain_targets(problem), &options, search);
    volt_candidates_free(candidates);
    return status;
}

static const struct {
    volt_score score;
    volt_start start;
} ways[] = {{VOLT_SCORE_R2, VOLT_START_CONTINUE},
            {VOLT_SCORE_R2, VOLT_START_RESET},
            {VOLT_SCORE_LOO, VOLT_START_CONTINUE}};
enum { WAYS = (int)(sizeof ways / sizeof *ways) };

static void results_are_bitwise_independent_of_threads(void **state)
{
    volt_rng rng = test_rng(17005);
    plain_problem problem = plain_problem_make(&rng, 300, D, 2);
    for (int way = 0; way < WAYS; way++) {
        volt_search *first = NULL;
        for (int64_t threads = 1; threads <= 4; threads++) {
            volt_search *search = NULL;
            volt_set_threads(threads);
            check_ok(
                search_all(&problem, ways[way].score, ways[way].start, FOLDS, (volt_progress){0}, &search));
            for (int64_t i = 0; first && i < 3; i++) {
                const volt_trial *one = volt_search_trial(search, i), *other = volt_search_trial(first, i);
                assert_int_equal(one->n_folds, other->n_folds);
                assert_memory_equal(one->folds, other->folds, (size_t)one->n_folds * sizeof(double));
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

static void every_allocation_may_fail(void **state)
{
    volt_rng rng = test_rng(17006);
    plain_problem problem = plain_problem_make(&rng, 90, D, 1);
    volt_set_threads(1);
    for (int way = 1; way < (UNDER_SANITIZERS ? 2 : WAYS);
         way++) /* a start by reset has all that the first has */
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_search *search = NULL;
            volt_status status =
                search_all(&problem, ways[way].score, ways[way].start, 1, (volt_progress){0}, &search);
            volt_search_free(search);
            failing_alloc_check(status);
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
    volt_rng rng = test_rng(17007);
    plain_problem problem = plain_problem_make(&rng, 90, D, 1);
    for (int way = 1; way < WAYS; way++) {
        volt_status status = VOLT_ERR_CANCELLED;
        int64_t polls = 0;
        for (; status == VOLT_ERR_CANCELLED; polls++) {
            volt_search *search = NULL;
            int64_t left = polls + 1;
            failing_alloc_start(0);
            status = search_all(&problem, ways[way].score, ways[way].start, 1,
                                (volt_progress){.report = cancel_at, .context = &left}, &search);
            volt_search_free(search);
            assert_int_equal(failing_alloc_live(), 0);
            failing_alloc_stop();
        }
        assert_int_equal(status, VOLT_OK);
        assert_true(polls > 6); /* the landmarks and the rows of each of three candidates at least */
    }
    plain_problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_unsupported_by_landmarks_are_rejected),
        cmocka_unit_test(results_are_bitwise_independent_of_threads),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test_setup_teardown(cancelled_at_every_poll, poll_always, poll_as_usual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
