/* src/select/search/search_loop.c: the loop over candidates, sequential or parallel: evaluation, race, time
 * limits, progress. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "select/search/search_internal.h"
#include "select/search/search_run.h"
#include "select/search/worker_pool.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAUSE = 1000 }; /* microseconds that an idle thread sleeps */

/* ---- progress --------------------------------------------------------------------------------- */

/* Completed share of the search, by number or by time, whichever is larger. */
static double fraction_done(const volt_run *r)
{
    double share = r->length > 0 ? (double)r->search->info.trials / (double)r->length : 0;
    if (r->options->seconds > 0)
        share = fmax(share, (volt_seconds() - r->begun) / r->options->seconds);
    return fmin(share, 1);
}

/* Trials per second: of the last VOLT_RECENT trials, because later candidates take longer (fewer are stopped
 * early when they are near the best) or less long. 0: unknown. */
static double recent_rate(const volt_run *r, int64_t made)
{
    int64_t count = volt_min(made, VOLT_RECENT);
    double begun = made > VOLT_RECENT ? r->ended[r->search->info.trials % VOLT_RECENT] : r->begun,
           now = volt_seconds();
    return count > 0 && now > begun ? (double)count / (now - begun) : 0;
}

/* Estimates the final number of trials at the recent rate. */
static void estimate(volt_run *r)
{
    volt_search_info *info = &r->search->info;
    info->seconds = volt_seconds() - r->begun;
    int64_t made = info->trials - info->resumed;
    info->total = r->length;
    info->expected = volt_max(r->length, 0);
    double rate = recent_rate(r, made);
    if (r->options->seconds > 0 && rate > 0) {
        double in_time = (double)info->trials + rate * fmax(r->options->seconds - info->seconds, 0);
        if (r->length < 0 || in_time < (double)r->length)
            info->expected = in_time < 9e15 ? (int64_t)in_time : INT64_MAX;
    }
}

/* Reports completed trials to the caller and checks the time. In the caller's thread. */
static int watch(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    volt_run *r = context;
    omp_set_lock(&r->lock);
    estimate(r);
    while (r->options->on_trial && r->reported < r->search->info.trials)
        r->options->on_trial(r->search, r->search->trials[r->reported++], r->options->trial_context);
    double share = fraction_done(r);
    bool failed = r->status != VOLT_OK;
    omp_unset_lock(&r->lock);

    volt_progress progress = r->options->progress;
    if (!r->cancelled && progress.report && progress.report("search", share, progress.context))
        r->cancelled = true;
    if (r->options->seconds > 0 && volt_seconds() - r->begun >= r->options->seconds)
        r->out_of_time = true;
    return r->cancelled || r->out_of_time || failed;
}

/* ---- positions -------------------------------------------------------------------------------- */

/* The first failure that is not specific to a candidate ends the run. The lock is held. */
static void end_run(volt_run *r, volt_status status)
{
    if (r->status != VOLT_OK)
        return;
    r->status = status;
    snprintf(r->sentence, sizeof r->sentence, "%s", volt_error_detail());
}

volt_status volt_run_know_parents(volt_run *r, int64_t position)
{
    if (position >= r->schedule.evolves_at)
        return volt_evolution_reach(r, position);
    int64_t before = volt_schedule_needs(&r->schedule, position);
    if (before == r->known)
        return VOLT_OK;
    volt_parents_choose(&r->schedule.standings, r->schedule.final, before, &r->parents);
    r->known = before;
    return VOLT_OK;
}

volt_status volt_run_candidate(const volt_run *r, int64_t position, char kernel[VOLT_KERNEL_LENGTH],
                               volt_setting *setting)
{
    if (position >= r->schedule.evolves_at)
        return volt_evolution_candidate(r, position, kernel, setting);
    return r->known > 0 ? volt_candidates_follow(r->candidates, position, &r->parents, kernel, setting)
                        : volt_candidates_take(r->candidates, position, kernel, setting);
}

/* The next position not yet started; -1 when none is left or the run is over. *wait: none can be started
 * yet. */
static int64_t fresh_position(volt_run *r, bool *wait)
{
    int64_t next = volt_schedule_next(&r->schedule);
    if (r->length >= 0 && next >= r->length) {
        *wait = r->away > 0; /* a remote candidate may be returned */
        return -1;
    }
    *wait = !volt_schedule_may_begin(&r->schedule);
    if (*wait)
        return -1;
    if (volt_schedule_take(&r->schedule) != VOLT_OK) {
        end_run(r, VOLT_ERR_MEMORY);
        return -1;
    }
    return next;
}

/* Takes a position for the evaluator; -1 and *wait as above. */
static int64_t begin_position(volt_run *r, const volt_evaluator *evaluator, bool *wait)
{
    int64_t position = -1;
    *wait = false;
    omp_set_lock(&r->lock);
    if (r->status == VOLT_OK)
        position = r->n_returned > 0 ? r->returned[--r->n_returned] : fresh_position(r, wait);
    volt_status status = position >= 0 ? volt_run_know_parents(r, position) : VOLT_OK;
    if (status != VOLT_OK) {
        end_run(r, status);
        position = -1;
    }
    if (position >= 0) {
        r->active++;
        r->away += evaluator->is_away;
    }
    omp_unset_lock(&r->lock);
    return position;
}

/* Ends the evaluation at the position with this status. */
static void end_position(volt_run *r, const volt_evaluator *evaluator, int64_t position, volt_status status)
{
    omp_set_lock(&r->lock);
    r->active--;
    r->away -= evaluator->is_away;
    if (evaluator->has_left)
        r->returned[r->n_returned++] = position;
    else if (status != VOLT_OK && status != VOLT_ERR_CANCELLED)
        end_run(r, status);
    omp_unset_lock(&r->lock);
}

/* ---- one candidate ---------------------------------------------------------------------------- */

static void account(volt_run *run, volt_cost cost)
{
    run->search->info.flops += cost.flops;
    run->search->info.blas_seconds += cost.blas_seconds;
}

/* Logs the trial and adds it to the search, which takes ownership also on failure. The lock is held. */
static volt_status keep(volt_trial *trial, void *context)
{
    volt_run *r = context;
    volt_status status = r->logs ? volt_trial_log_append(&r->log, trial) : VOLT_OK;
    double *ended = &r->ended[r->search->info.trials % VOLT_RECENT];
    if (status == VOLT_OK)
        status = volt_search_add(r->search, trial);
    if (status == VOLT_OK)
        *ended = volt_seconds();
    else
        volt_trial_free(trial);
    return status;
}

/* Whether a failure is specific to the candidate or ends the run. */
bool volt_run_is_candidates_own(volt_status status)
{
    return status == VOLT_ERR_SINGULAR || status == VOLT_ERR_NOT_FINITE || status == VOLT_ERR_ARGUMENT ||
           status == VOLT_ERR_KERNEL || status == VOLT_ERR_DATA || status == VOLT_ERR_DOMAIN ||
           status == VOLT_ERR_SHAPE;
}

/* Whether the candidate of the evaluator has exceeded its time limit. Never before a candidate has a score. */
static bool is_late(const volt_evaluator *evaluator)
{
    return evaluator->until > 0 && volt_seconds() > evaluator->until && atomic_load(&evaluator->run->has_score);
}

bool volt_run_goes_on(const volt_evaluator *evaluator)
{
    return volt_stage_poll(&evaluator->run->stage) && !is_late(evaluator);
}

/* Sets the time limit of the candidate. False: it is not started. */
static bool has_time(volt_evaluator *evaluator, int64_t position)
{
    double expected = 0;
    evaluator->until = evaluator->limit ? evaluator->limit(evaluator, position, &expected) : 0;
    bool is_too_long = evaluator->until > 0 && expected > 0 && volt_seconds() + expected > evaluator->until;
    return !is_too_long && !is_late(evaluator);
}

static bool is_own(const volt_evaluator *evaluator, volt_status status)
{
    return evaluator->is_own ? evaluator->is_own(evaluator, status) : volt_run_is_candidates_own(status);
}

/* Evaluates the candidate at `position` and records the trial. `folds` is a buffer for all scores. A
 * candidate without enough time is stopped before its first block. */
static volt_status try_candidate(volt_run *r, int64_t position, volt_evaluator *evaluator, double *folds)
{
    char kernel[VOLT_KERNEL_LENGTH] = "";
    volt_setting setting = {.alpha = NAN};
    double begun = volt_seconds();
    int64_t done = 0;
    volt_cost cost = {0};
    VOLT_TRY(volt_run_candidate(r, position, kernel, &setting));
    bool is_given_up = !has_time(evaluator, position);
    volt_status status =
        is_given_up ? VOLT_OK : evaluator->evaluate(evaluator, position, kernel, &setting, folds, &done, &cost);
    if (status == VOLT_ERR_CANCELLED && evaluator->until > 0 && volt_stage_should_continue(&r->stage)) {
        is_given_up = true;
        status = VOLT_OK;
    }
    if (evaluator->has_left || (status != VOLT_OK && !is_own(evaluator, status)))
        return status;

    volt_trial *trial = volt_trial_new(position, kernel, setting.alpha, folds, done,
                                       status == VOLT_OK ? NULL : volt_error_detail());
    if (!trial)
        return VOLT_ERR_MEMORY;
    if (is_given_up)
        volt_trial_stop(trial, 0);
    else if (status == VOLT_OK)
        atomic_store(&r->has_score, true);
    trial->feedback = setting.feedback;
    trial->seconds = volt_seconds() - begun;

    omp_set_lock(&r->lock);
    account(r, cost);
    status = volt_schedule_finish(&r->schedule, position, trial, keep, r);
    omp_unset_lock(&r->lock);
    return status;
}

/* Loop of every thread: candidates until none is left. */
static void work(volt_run *r, volt_evaluator *evaluator, double *folds)
{
    bool wait = false;
    while (!evaluator->has_left && volt_stage_should_continue(&r->stage)) {
        int64_t position = begin_position(r, evaluator, &wait);
        if (position < 0 && !wait)
            break;
        if (position >= 0)
            end_position(r, evaluator, position, try_candidate(r, position, evaluator, folds));
        else
            volt_sleep(PAUSE);
        if (!evaluator->is_away)
            volt_stage_advance(&r->stage, position >= 0);
    }
}

/* The caller's thread reports progress until the others are done. */
static void listen(volt_run *r)
{
    while (omp_get_thread_num() == 0 && volt_stage_should_continue(&r->stage)) {
        omp_set_lock(&r->lock);
        int64_t active = r->active;
        omp_unset_lock(&r->lock);
        if (active == 0)
            break;
        volt_stage_advance(&r->stage, 0);
        volt_sleep(PAUSE);
    }
}

static void work_locally(volt_run *r, volt_evaluator *evaluator, double *folds)
{
    evaluator->run = r;
    work(r, evaluator, folds);
    listen(r);
}

/* ---- the whole run ---------------------------------------------------------------------------- */

volt_status volt_run_draw(volt_run *r, volt_evaluator *const *evaluators, double *folds, int64_t parallel)
{
    volt_dispatchers dispatchers = {0};
    volt_progress listener = {.report = watch, .context = r};
    volt_stage_begin(&r->stage, listener, "search", 0, 1, 1);
    volt_status status = volt_dispatchers_start(r, work, &dispatchers);
    if (status == VOLT_OK && parallel == 1) {
        work_locally(r, evaluators[0], folds);
    } else if (status == VOLT_OK) {
#pragma omp parallel num_threads((int)parallel)
        {
            int64_t previous = 0, which = omp_get_thread_num();
            bool claimed = volt_blas_set_claimed(true);
            volt_set_threads_local(1, &previous); /* buffers per thread are allocated for one thread */
            work_locally(r, evaluators[which], folds + which * r->folds);
            volt_set_threads_local(previous, NULL);
            volt_blas_set_claimed(claimed);
        }
    }
    volt_dispatchers_end(r, &dispatchers);
    volt_stage_end(&r->stage);
    watch("search", 1, r); /* the last report */
    return status;
}

volt_status volt_run_conclude(volt_run *r)
{
    volt_search *search = r->search;
    search->info.out_of_time = r->out_of_time && (r->length < 0 || search->info.trials < r->length);
    volt_search_sort(search);
    if (r->status != VOLT_OK)
        return volt_fail(r->status, "%s", r->sentence);
    if (r->cancelled)
        return volt_fail(VOLT_ERR_CANCELLED, "cancelled after %" PRId64 " candidates", search->info.trials);
    VOLT_REQUIRE(search->info.trials > 0 || r->out_of_time, VOLT_ERR_DATA, "there are no candidates");
    VOLT_REQUIRE(search->info.trials > 0, VOLT_ERR_DATA,
                 "the budget of %g s ended before the first candidate was evaluated", r->options->seconds);
    return volt_search_require_best(search);
}

volt_status volt_run_begin(volt_run *r, volt_measure measure)
{
    omp_init_lock(&r->lock);
    atomic_init(&r->has_score, false);
    VOLT_TRY(volt_search_new(r->folds, measure, &r->search));
    VOLT_TRY(
        volt_schedule_begin(&r->schedule, (volt_race_rule){r->options->race, r->options->score, r->folds}));
    r->schedule.adaptive = r->options->strategy == VOLT_STRATEGY_ADAPTIVE;
    volt_evolution_plan(r);
    return VOLT_OK;
}

void volt_run_release_all(volt_run *r, volt_status status, volt_search **search)
{
    /* A cancelled search, or one in which all failed, is still returned. */
    bool keeps = status == VOLT_OK || (status == VOLT_ERR_CANCELLED && r->search && r->search->best) ||
                 (status == VOLT_ERR_DATA && r->search && r->search->info.trials > 0);
    if (keeps)
        *search = r->search;
    else
        volt_search_free(r->search);
    volt_evolution_end(&r->evolution);
    volt_schedule_end(&r->schedule);
    omp_destroy_lock(&r->lock);
}

volt_status volt_search_with(const volt_candidates *candidates, const volt_search_options *options,
                             int64_t folds, volt_evaluator *const *evaluators, int64_t count,
                             volt_search **search)
{
    volt_run r = {.candidates = candidates,
                  .options = options,
                  .folds = folds,
                  .length = candidates->count,
                  .begun = volt_seconds()};
    volt_blas_use use;
    VOLT_TRY(volt_blas_claim(&use));
    double *scores = volt_alloc_doubles(count, folds);
    volt_status status = volt_run_begin(&r, volt_measure_of(options->score, NULL));
    if (status == VOLT_OK && !scores)
        status = VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        r.search->info.parallel = count;
        r.schedule.max_ahead = candidates->count; /* no race: no trial waits for a reference */
        status = volt_run_draw(&r, evaluators, scores, count);
    }
    if (status == VOLT_OK)
        status = volt_run_conclude(&r);
    volt_run_release_all(&r, status, search);
    volt_free(scores);
    volt_blas_release(&use);
    return status;
}
