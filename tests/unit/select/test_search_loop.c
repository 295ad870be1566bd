/* tests/unit/select/test_search_loop.c: the search loop with task-specific evaluators: scores, failures, time
 * limits, cancellation. */
#include "base/error.h"
#include "base/progress.h"
#include "select/search/search_run.h"
#include "support/check.h"
#include "support/polling.h"

enum { COUNT = 40, FOLDS = 2, LANES = 2 };

/* Candidate i has the scores i / 100 and i / 50; every seventh fails with `failure`. */
typedef struct task {
    volt_evaluator evaluators[LANES];
    volt_status failure;
    double until, expected; /* of candidates after the first */
    int spins;              /* poll until the loop stops the candidate */
} task;

static task *task_of(const volt_evaluator *evaluator)
{
    return (task *)evaluator->run->candidates->context;
}

static volt_status get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                       volt_setting *setting)
{
    (void)candidates;
    *setting = (volt_setting){0};
    snprintf(kernel, VOLT_KERNEL_LENGTH, "rbf:gamma=%d", (int)index + 1);
    return VOLT_OK;
}

static volt_status evaluate(volt_evaluator *evaluator, int64_t position, const char *kernel,
                            volt_setting *setting, double *folds, int64_t *done, volt_cost *cost)
{
    (void)kernel;
    (void)setting;
    (void)cost;
    const task *own = task_of(evaluator);
    while (own->spins && evaluator->until > 0)
        if (!volt_run_goes_on(evaluator))
            return VOLT_ERR_CANCELLED;
    if (!volt_run_goes_on(evaluator))
        return VOLT_ERR_CANCELLED;
    if (own->failure && position % 7 == 6)
        return volt_fail(own->failure, "candidate %d", (int)position);
    folds[0] = (double)position / 100;
    folds[1] = (double)position / 50;
    *done = FOLDS;
    return VOLT_OK;
}

static double limit(const volt_evaluator *evaluator, int64_t position, double *expected)
{
    const task *own = task_of(evaluator);
    *expected = own->expected;
    return position > 0 ? own->until : 0;
}

static bool is_own(const volt_evaluator *evaluator, volt_status status)
{
    (void)evaluator;
    return status == VOLT_ERR_DATA;
}

static volt_status run(task *own, int64_t lanes, volt_progress progress, volt_search **search)
{
    volt_candidates candidates = {.count = COUNT, .get = get, .context = own};
    volt_search_options options = volt_search_options_default();
    volt_evaluator *evaluators[LANES];
    options.race = VOLT_RACE_NONE;
    options.progress = progress;
    for (int64_t i = 0; i < LANES; i++) {
        own->evaluators[i] = (volt_evaluator){.evaluate = evaluate, .limit = limit, .is_own = is_own};
        evaluators[i] = &own->evaluators[i];
    }
    return volt_search_with(&candidates, &options, FOLDS, evaluators, lanes, search);
}

static void every_candidate_is_a_trial(void **state)
{
    for (int64_t lanes = 1; lanes <= LANES; lanes++) {
        task own = {.failure = VOLT_ERR_DATA};
        volt_search *search = NULL;
        volt_search_info info = {.struct_size = sizeof info};
        check_ok(run(&own, lanes, (volt_progress){0}, &search));
        volt_search_get_info(search, &info);
        assert_true(info.trials == COUNT && info.failed == COUNT / 7 && info.stopped[0] == 0);
        assert_int_equal(volt_search_trial(search, VOLT_TRIAL_BEST)->index, COUNT - 1);
        for (int64_t i = 0; i < COUNT; i++) {
            const volt_trial *trial = volt_search_trial(search, i);
            assert_int_equal(trial->index, i);
            assert_true((i % 7 == 6) == (trial->failure != NULL) && !trial->stopped);
            assert_true(trial->failure ||
                        (trial->folds[0] == (double)i / 100 && trial->folds[1] == (double)i / 50));
        }
        volt_search_free(search);
    }
}

/* Candidates after the time limit stop before their first block; the first is always evaluated. */
static void candidates_are_stopped_at_time_limit(void **state)
{
    const task cases[] = {{.until = 1e-9},                                   /* expired before the start */
                          {.until = volt_seconds() + 1000, .expected = 1e6}, /* it would exceed the limit */
                          {.until = volt_seconds() + 0.01, .spins = 1}};     /* expires during evaluation */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        task own = cases[c];
        volt_search *search = NULL;
        volt_search_info info = {.struct_size = sizeof info};
        check_ok(run(&own, 1, (volt_progress){0}, &search));
        volt_search_get_info(search, &info);
        assert_true(info.trials == COUNT && info.failed == 0 && info.stopped[0] == COUNT - 1);
        assert_int_equal(volt_search_trial(search, VOLT_TRIAL_BEST)->index, 0);
        volt_search_free(search);
    }
}

static int cancel(const char *stage, double fraction, void *context)
{
    (void)stage;
    assert_true(fraction >= 0 && fraction <= 1);
    return --*(int *)context < 0;
}

static void failures_and_cancellation_stop_search(void **state)
{
    task own = {.failure = VOLT_ERR_SHAPE};
    volt_search *search = NULL;
    check_fails(run(&own, LANES, (volt_progress){0}, &search), VOLT_ERR_SHAPE, "candidate");
    assert_null(search);
    int calls = 5;
    own.failure = VOLT_OK;
    check_fails(run(&own, 1, (volt_progress){cancel, &calls}, &search), VOLT_ERR_CANCELLED, "cancelled");
    assert_true(search == NULL || volt_search_trial(search, VOLT_TRIAL_BEST));
    volt_search_free(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_candidate_is_a_trial),
        cmocka_unit_test(candidates_are_stopped_at_time_limit),
        cmocka_unit_test_setup_teardown(failures_and_cancellation_stop_search, poll_always, poll_as_usual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
