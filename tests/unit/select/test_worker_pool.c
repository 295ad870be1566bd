/* tests/unit/select/test_worker_pool.c: a search with candidates evaluated by several workers gives the results of a
 * single process, also when workers leave or never join. The workers are threads of this process, and
 * messages are stored in lists. */
#include "select/search/search_run.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/plain_cv.h"
#include "support/scratch.h"
#include "support/thread_pool.h"

enum { ROWS = 40, FOLDS = 4, DRAWS = 30 };

static plain_problem problem;
static volt_candidates *draws, *mixed;

/* ---- a search by one process and by a pool ---------------------------------------------------- */

static volt_search *run_alone(const volt_candidates *candidates, const volt_search_options *options)
{
    volt_search *search = NULL;
    check_ok(volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), options, &search));
    return search;
}

static void check_same(const volt_search *alone, const volt_search *together)
{
    volt_search_info a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    volt_search_get_info(alone, &a);
    volt_search_get_info(together, &b);
    assert_int_equal(a.trials, b.trials);
    assert_int_equal(a.failed, b.failed);
    for (int64_t i = 0; i < a.trials; i++) {
        const volt_trial *one = volt_search_trial(alone, i), *other = volt_search_trial(together, i);
        assert_int_equal(one->index, other->index);
        assert_string_equal(one->kernel, other->kernel);
        assert_memory_equal(&one->alpha, &other->alpha, sizeof(double));
        assert_memory_equal(&one->feedback, &other->feedback, sizeof(double));
        assert_int_equal(one->n_folds, other->n_folds);
        assert_int_equal(one->stopped, other->stopped);
        assert_memory_equal(one->folds, other->folds, (size_t)one->n_folds * sizeof(double));
        assert_int_equal(one->failure != NULL, other->failure != NULL);
        if (one->failure)
            assert_string_equal(one->failure, other->failure);
    }
    assert_int_equal(volt_search_trial(alone, VOLT_TRIAL_BEST)->index,
                     volt_search_trial(together, VOLT_TRIAL_BEST)->index);
}

static volt_search_options options_of(volt_race race)
{
    volt_search_options options = volt_search_options_default();
    options.splits.folds = FOLDS;
    options.draws = DRAWS;
    options.race = race;
    return options;
}

static int make_problem(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, 5200, 0);
    problem = plain_problem_make(&rng, ROWS, 2, 2);
    volt_draw_options options = volt_draw_options_default();
    options.from_defaults = 1;
    if (volt_candidates_draw("volterra", plain_inputs(&problem), &options, &draws) != VOLT_OK)
        return 1;
    /* The first and third candidates fail on every machine; alpha of the last two is profiled. */
    const char *kernels[] = {
        "sigmoid:gamma=5,coef0=-3", "rbf", "poly:degree=64,gamma=1e9", "linear", "volterra", "fir"};
    const double alphas[] = {1e-9, 0.1, 1, 0.1, 0, 0};
    return volt_candidates_list(kernels, alphas, NULL, 6, &mixed) != VOLT_OK;
}

static int free_problem(void **state)
{
    thread_pool_reset();
    volt_candidates_free(draws);
    volt_candidates_free(mixed);
    plain_problem_free(&problem);
    return 0;
}

/* ---- equal trials ----------------------------------------------------------------------------- */

static void check_workers(const volt_candidates *candidates, const volt_search_options *options,
                          int64_t servers, int64_t lanes, int64_t missing, int64_t spoilt_at)
{
    volt_search *together = NULL, *alone = run_alone(candidates, options);
    check_ok(thread_pool_run(candidates, plain_inputs(&problem), plain_targets(&problem), options, servers,
                             lanes, missing, spoilt_at, &together));
    assert_true(thread_pool.handed >= thread_pool.channels);
    assert_int_equal(thread_pool.channels, (servers - missing) * lanes);
    check_same(alone, together);
    volt_search_free(alone);
    volt_search_free(together);
}

static void workers_find_same_result_as_one_process(void **state)
{
    const volt_race races[] = {VOLT_RACE_EXACT, VOLT_RACE_FAST, VOLT_RACE_NONE};
    for (int i = 0; i < 3; i++) {
        volt_search_options options = options_of(races[i]);
        check_workers(draws, &options, 1, 1, 0, 0);
        check_workers(draws, &options, 3, 1, 0, 0);
        check_workers(draws, &options, 1, 3, 0, 0);
    }
}

static void failures_and_profiles_are_transmitted(void **state)
{
    volt_search_options options = options_of(VOLT_RACE_NONE);
    options.draws = 0;
    check_workers(mixed, &options, 2, 1, 0, 0);
}

static void generations_use_trials_of_all_workers(void **state)
{
    volt_search_options options = options_of(VOLT_RACE_EXACT);
    options.draws = VOLT_FIRST_DRAWS + VOLT_GENERATION + 3;
    for (int s = 0; s < 2; s++) {
        options.strategy = s ? VOLT_STRATEGY_CMA : VOLT_STRATEGY_ADAPTIVE;
        check_workers(draws, &options, 3, 1, 0, 0);
    }
}

static void fed_back_outputs(void **state)
{
    volt_candidates *fed_outputs = NULL;
    volt_draw_options drawn = volt_draw_options_default();
    drawn.fed_outputs = plain_targets(&problem);
    check_ok(volt_candidates_draw("volterra", plain_inputs(&problem), &drawn, &fed_outputs));
    volt_search_options options = options_of(VOLT_RACE_EXACT);
    options.draws = 10;
    check_workers(fed_outputs, &options, 2, 1, 0, 0);
    volt_candidates_free(fed_outputs);
}

/* ---- workers that leave ----------------------------------------------------------------------- */

static char last_warning[256];

static void keep_warning(volt_log_level level, const char *message, void *context)
{
    (void)context;
    if (level == VOLT_LOG_WARNING)
        snprintf(last_warning, sizeof last_warning, "%s", message);
}

static void work_of_leaving_worker_is_reassigned(void **state)
{
    volt_search_options options = options_of(VOLT_RACE_EXACT);
    volt_set_log(keep_warning, NULL);
    for (int spoils = 1; spoils <= 2; spoils++) {
        thread_pool.garbage = spoils == 2;
        /* the first may have taken all candidates: the second need not answer */
        check_workers(draws, &options, 2, 1, 0, 1);
        last_warning[0] = '\0';
        check_workers(draws, &options, 1, 1, 0, 1); /* only the leader is left */
        assert_non_null(strstr(last_warning, thread_pool.garbage
                                                 ? "process 1 left the search, and others took its "
                                                   "candidate: it sent an invalid message"
                                                 : "no memory in a test"));
    }
    options.draws = 2; /* no other work is left when the candidate is returned */
    check_workers(draws, &options, 1, 1, 0, 1);
    thread_pool.garbage = false;
    volt_set_log(NULL, NULL);
}

static void missing_workers_are_tolerated(void **state)
{
    volt_search_options options = options_of(VOLT_RACE_EXACT);
    check_workers(draws, &options, 3, 1, 2, 0);
    check_workers(draws, &options, 2, 1, 2, 0);
}

/* ---- logs and termination ---------------------------------------------------------------------- */

static void log_resumes_with_any_number_of_workers(void **state)
{
    volt_search_options options = options_of(VOLT_RACE_FAST), whole = options;
    volt_search *alone = run_alone(draws, &whole), *together = NULL;
    options.log = scratch_path("workers.jsonl");
    options.draws = 9;
    check_ok(thread_pool_run(draws, plain_inputs(&problem), plain_targets(&problem), &options, 2, 1, 0, 0,
                             &together));
    volt_search_free(together);
    options.resume = 1;
    options.draws = 20;
    volt_search_free(run_alone(draws, &options));
    options.draws = DRAWS;
    check_ok(thread_pool_run(draws, plain_inputs(&problem), plain_targets(&problem), &options, 2, 1, 0, 0,
                             &together));
    check_same(alone, together);
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(together, &info);
    assert_int_equal(info.resumed, 20);
    assert_int_equal(info.parallel, 3);
    volt_search_free(together);
    volt_search_free(alone);
}

static int64_t ended;

static void count_ended(const volt_search *search, const volt_trial *trial, void *context)
{
    (void)search;
    (void)trial;
    (void)context;
    ended++;
}

static int cancel_after_five(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    (void)context;
    return ended >= 5;
}

static void workers_stop_with_leader(void **state)
{
    volt_search_options options = options_of(VOLT_RACE_NONE);
    options.draws = 100000;
    options.progress.report = cancel_after_five;
    options.on_trial = count_ended;
    volt_search *search = NULL;
    ended = 0;
    check_fails(
        thread_pool_run(draws, plain_inputs(&problem), plain_targets(&problem), &options, 3, 1, 0, 0, &search),
        VOLT_ERR_CANCELLED, "cancelled");
    assert_true(ended >= 5);
    volt_search_free(search);
}

/* No worker waits for a leader that cannot start because its log already exists. */
static void failing_leader_stops_workers(void **state)
{
    volt_search_options options = options_of(VOLT_RACE_NONE);
    options.log = scratch_write_text("there.jsonl", "{}\n");
    volt_search *search = NULL;
    check_fails(
        thread_pool_run(draws, plain_inputs(&problem), plain_targets(&problem), &options, 2, 1, 0, 0, &search),
        VOLT_ERR_IO, "log");
    assert_null(search);
}

/* A pool belongs to one search. */
static void next_search_runs_without_workers(void **state)
{
    static const volt_worker_pool some;
    assert_null(volt_worker_pool_take());
    volt_worker_pool_use(&some);
    assert_ptr_equal(volt_worker_pool_take(), &some);
    assert_null(volt_worker_pool_take());
}

static int go_on(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    (void)context;
    return 0;
}

/* Whichever allocation fails, in the leader or in a worker, all terminate and the available results are
 * correct. */
static void every_allocation_may_fail(void **state)
{
    volt_search_options options = options_of(VOLT_RACE_EXACT);
    options.draws = 6;
    options.progress.report = go_on; /* no worker waits for another */
    volt_search *alone = run_alone(draws, &options);
    int64_t step = UNDER_SANITIZERS ? 29 : 7;
    for (int64_t k = 1, hit = 1; hit; k += k < 40 ? 1 : step) {
        volt_search *search = NULL;
        failing_alloc_start(k);
        volt_status status = thread_pool_run(draws, plain_inputs(&problem), plain_targets(&problem), &options,
                                             1, 1, 0, 0, &search);
        hit = failing_alloc_hit();
        if (status == VOLT_OK)
            check_same(alone, search);
        else
            assert_int_equal(status, VOLT_ERR_MEMORY);
        assert_true(hit || status == VOLT_OK);
        volt_search_free(search);
        assert_int_equal(failing_alloc_live(), 0);
        failing_alloc_stop();
    }
    volt_search_free(alone);
}

/* ---- messages --------------------------------------------------------------------------------- */

static void messages_are_transmitted_unchanged(void **state)
{
    volt_message head = {.kind = VOLT_MESSAGE_SCORES, .status = VOLT_ERR_SINGULAR, .alpha = 0.1, .n_folds = 3},
                 back;
    const double folds[] = {0.1, NAN, -1e-300};
    _Alignas(8) char bytes[THREAD_POOL_BYTES];
    const double *scores = NULL;
    const char *text = NULL;
    size_t size = volt_message_pack(head, folds, "why", bytes);
    assert_true(size <= volt_message_limit(3));
    assert_true(volt_message_unpack(bytes, size, 3, &back, &scores, &text));
    assert_memory_equal(scores, folds, sizeof folds);
    assert_string_equal(text, "why");
    assert_true(back.kind == head.kind && back.status == head.status && back.alpha == head.alpha &&
                back.n_folds == 3);
    for (size_t less = 0; less < size; less++)
        assert_false(volt_message_unpack(bytes, less, 3, &back, &scores, &text));
    assert_false(volt_message_unpack(bytes, size, 2, &back, &scores, &text));
    char longer[2 * VOLT_KERNEL_LENGTH];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    size = volt_message_pack(head, folds, longer, bytes);
    assert_int_equal(size, volt_message_limit(3));
    assert_true(volt_message_unpack(bytes, size, 3, &back, &scores, &text));
    assert_int_equal(strlen(text), VOLT_KERNEL_LENGTH - 1);
}

/* A candidate that cannot beat its reference is stopped after its first fold; one without a reference is
 * not. */
static void better_trial_stops_evaluation(void **state)
{
    volt_message candidate = {.kind = VOLT_MESSAGE_CANDIDATE, .alpha = 0.1},
                 reference = {.kind = VOLT_MESSAGE_REFERENCE, .score = 0.999, .spread = NAN, .n_folds = FOLDS};
    const double folds[FOLDS] = {0.999, 0.999, 0.999, 0.999};
    _Alignas(8) char bytes[THREAD_POOL_BYTES];
    thread_pool_task own = {.candidates = draws,
                            .X = plain_inputs(&problem),
                            .Y = plain_targets(&problem),
                            .options = options_of(VOLT_RACE_EXACT),
                            .threads = 1};
    volt_message head;
    const double *scores = NULL;
    const char *text = NULL;
    int64_t done[2];
    for (int i = 0; i < 2; i++) {
        thread_pool_reset();
        thread_pool.servers = 1;
        thread_pool.arrived = thread_pool.absent = thread_pool.channels = thread_pool.spoilt_at = 0;
        thread_pool_send(0, bytes, volt_message_pack(candidate, NULL, "fir:mu=0.5", bytes));
        if (i == 1)
            thread_pool_send(0, bytes, volt_message_pack(reference, folds, NULL, bytes));
        pthread_t thread;
        size_t size = 0;
        assert_int_equal(pthread_create(&thread, NULL, thread_pool_serve, &own), 0);
        while ((size = thread_pool_receive(0, bytes, sizeof bytes)) == 0)
            volt_sleep(VOLT_POLL_INTERVAL);
        volt_message over = {.kind = VOLT_MESSAGE_OVER};
        thread_pool_send(0, &over, sizeof over);
        pthread_join(thread, NULL);
        assert_true(volt_message_unpack(bytes, size, FOLDS, &head, &scores, &text));
        assert_int_equal(head.status, VOLT_OK);
        done[i] = head.n_folds;
    }
    assert_int_equal(done[0], FOLDS);
    assert_true(done[1] < FOLDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_find_same_result_as_one_process),
        cmocka_unit_test(failures_and_profiles_are_transmitted),
        cmocka_unit_test(generations_use_trials_of_all_workers),
        cmocka_unit_test(fed_back_outputs),
        cmocka_unit_test(work_of_leaving_worker_is_reassigned),
        cmocka_unit_test(missing_workers_are_tolerated),
        cmocka_unit_test(log_resumes_with_any_number_of_workers),
        cmocka_unit_test(workers_stop_with_leader),
        cmocka_unit_test(failing_leader_stops_workers),
        cmocka_unit_test(next_search_runs_without_workers),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(messages_are_transmitted_unchanged),
        cmocka_unit_test(better_trial_stops_evaluation),
    };
    return cmocka_run_group_tests_name("worker_pool", tests, make_problem, free_problem);
}
