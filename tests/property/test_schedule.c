/* tests/property/test_schedule.c: the result of a race does not depend on the order in which candidates
 * finish. */
#include "support/check.h"

#include "select/search/search_internal.h"

enum { CANDIDATES = 60, FOLDS = 5, ROUNDS = 40 };

/* Scores of a candidate that is not stopped. A failure keeps the scores before it. */
typedef struct outcome {
    double folds[FOLDS];
    int64_t done;
} outcome;

static void draw(volt_rng *rng, outcome *all)
{
    for (int64_t i = 0; i < CANDIDATES; i++) {
        double level = 1 - fabs(volt_rng_normal(rng));
        for (int k = 0; k < FOLDS; k++)
            all[i].folds[k] = fmin(level + 0.1 * volt_rng_normal(rng), 1);
        all[i].done = volt_rng_uniform(rng) < 0.1 ? (int64_t)(volt_rng_uniform(rng) * FOLDS) : FOLDS;
        if (i > 0 && volt_rng_uniform(rng) < 0.1) /* ties */
            all[i] = all[i - 1];
    }
}

static volt_trial *trial_of(const outcome *one, int64_t position)
{
    volt_trial *trial =
        volt_trial_new(position, "linear", 1, one->folds, one->done, one->done < FOLDS ? "failed" : NULL);
    assert_non_null(trial);
    return trial;
}

/* ---- the plain rule: one after the other, everything measured again each time ------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double spread_between(const volt_trial *a, const volt_trial *b)
{
    double mean = 0, squares = 0;
    for (int k = 0; k < FOLDS; k++)
        mean += (a->folds[k] - b->folds[k]) / FOLDS;
    for (int k = 0; k < FOLDS; k++)
        squares += (a->folds[k] - b->folds[k] - mean) * (a->folds[k] - b->folds[k] - mean);
    return sqrt(squares / (FOLDS - 1));
}

static volt_reference plain_reference(volt_trial *const *trials, int64_t count)
{
    volt_reference reference = {.spread = NAN};
    double spreads[CANDIDATES] = {0};
    int64_t known = 0;
    for (int64_t i = 0; i < count; i++)
        if (volt_trial_complete(trials[i]) && (!reference.best || trials[i]->score > reference.best->score))
            reference.best = trials[i];
    for (int64_t i = 0; i < count; i++)
        if (volt_trial_complete(trials[i]) && trials[i] != reference.best)
            spreads[known++] = spread_between(trials[i], reference.best);
    qsort(spreads, (size_t)known, sizeof *spreads, by_value);
    if (known >= 4)
        reference.spread = spreads[known / 2];
    return reference;
}

static void run_plainly(const volt_race_rule *rule, const outcome *all, volt_trial **trials)
{
    for (int64_t p = 0; p < CANDIDATES; p++) {
        volt_reference reference = plain_reference(trials, p < VOLT_LAG ? 0 : p - VOLT_LAG + 1);
        trials[p] = trial_of(&all[p], p);
        for (int64_t done = 1; done <= all[p].done && done < FOLDS; done++)
            if (volt_reference_beats(rule, &reference, all[p].folds, done)) {
                volt_trial_stop(trials[p], done);
                break;
            }
    }
}

/* ---- the schedule, with `parallel` candidates at a time that end in any order ------------------- */

typedef struct kept {
    volt_trial *trials[CANDIDATES];
    int64_t count;
} kept;

static volt_status keep(volt_trial *trial, void *context)
{
    kept *all = context;
    assert_null(all->trials[trial->index]);
    all->trials[trial->index] = trial;
    all->count++;
    return VOLT_OK;
}

typedef struct active {
    int64_t position, done;
    bool stopped;
} active;

/* One more fold of the candidate; true when it has ended. */
static bool go_on(const volt_schedule *schedule, const outcome *all, active *one)
{
    if (one->done == all[one->position].done)
        return true;
    one->done++;
    const volt_reference *reference = volt_schedule_reference(schedule, one->position);
    one->stopped =
        one->done < FOLDS && reference &&
        volt_reference_beats(&schedule->standings.rule, reference, all[one->position].folds, one->done);
    return one->stopped;
}

static void run_in_parallel(const volt_race_rule *rule, const outcome *all, volt_rng *rng, int64_t parallel,
                            int64_t resumed, volt_trial *const *before, kept *result)
{
    volt_schedule schedule;
    active running[64];
    int64_t n_running = 0;
    check_ok(volt_schedule_begin(&schedule, *rule));
    schedule.max_ahead = VOLT_LAG + 4 * parallel;
    for (int64_t i = 0; i < resumed; i++) { /* any trials of an earlier run */
        int64_t position = (int64_t)(volt_rng_uniform(rng) * CANDIDATES);
        if (!volt_schedule_has(&schedule, position)) {
            outcome as_logged = {.done = before[position]->n_folds};
            memcpy(as_logged.folds, before[position]->folds, sizeof(double) * (size_t)as_logged.done);
            volt_trial *trial = volt_trial_new(position, "linear", 1, as_logged.folds, as_logged.done,
                                               before[position]->failure);
            trial->stopped = before[position]->stopped;
            check_ok(keep(trial, result));
            check_ok(volt_schedule_resume(&schedule, position, trial));
        }
    }
    while (result->count < CANDIDATES) {
        int64_t next = volt_schedule_next(&schedule);
        if (n_running < parallel && next < CANDIDATES && volt_schedule_may_begin(&schedule)) {
            check_ok(volt_schedule_take(&schedule));
            running[n_running++] = (active){.position = next};
            continue;
        }
        assert_true(n_running > 0);
        int64_t which = (int64_t)(volt_rng_uniform(rng) * (double)n_running);
        active *one = &running[which];
        if (!go_on(&schedule, all, one))
            continue;
        outcome made = all[one->position];
        if (one->stopped)
            made.done = one->done;
        volt_trial *trial = trial_of(&made, one->position);
        if (one->stopped)
            volt_trial_stop(trial, one->done);
        check_ok(volt_schedule_finish(&schedule, one->position, trial, keep, result));
        running[which] = running[--n_running];
    }
    volt_schedule_end(&schedule);
}

static void assert_same(const volt_trial *a, const volt_trial *b)
{
    assert_int_equal(a->n_folds, b->n_folds);
    assert_int_equal(a->stopped, b->stopped);
    assert_int_equal(a->failure != NULL, b->failure != NULL);
    for (int64_t k = 0; k < a->n_folds; k++)
        assert_true(a->folds[k] == b->folds[k]);
    assert_true(a->score == b->score || (isnan(a->score) && isnan(b->score)));
}

static void result_does_not_depend_on_completion_order(void **state)
{
    static const int64_t at_a_time[] = {1, 2, 7, 8, 9, 16, 60};
    int64_t stopped = 0, failed = 0;
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        outcome all[CANDIDATES];
        volt_trial *plain[CANDIDATES];
        volt_rng rng;
        volt_rng_init(&rng, seed, 0);
        draw(&rng, all);
        volt_race_rule rule = {seed % 2 ? VOLT_RACE_FAST : VOLT_RACE_EXACT, VOLT_SCORE_R2, FOLDS};
        run_plainly(&rule, all, plain);
        for (size_t i = 0; i < sizeof at_a_time / sizeof *at_a_time; i++) {
            kept result = {.count = 0};
            run_in_parallel(&rule, all, &rng, at_a_time[i], i % 2 ? 20 : 0, plain, &result);
            for (int64_t p = 0; p < CANDIDATES; p++) {
                assert_same(result.trials[p], plain[p]);
                volt_trial_free(result.trials[p]);
            }
        }
        for (int64_t p = 0; p < CANDIDATES; p++) {
            stopped += plain[p]->stopped;
            failed += plain[p]->failure != NULL;
            volt_trial_free(plain[p]);
        }
    }
    print_message("seeds 0 to %d: %lld given up, %lld failed of %d\n", ROUNDS - 1, (long long)stopped,
                  (long long)failed, ROUNDS * CANDIDATES);
    assert_true(stopped > ROUNDS * CANDIDATES / 4 && failed > ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(result_does_not_depend_on_completion_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
