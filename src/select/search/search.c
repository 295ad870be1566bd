/* src/select/search/search.c: a search on rows: options, problem, log, workspaces. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/threads.h"
#include "fit/plan.h"
#include "gram/engine/state.h"
#include "kernel/kernel_entry.h"
#include "select/candidates/candidates.h"
#include "select/folds/problem.h"
#include "select/search/search_internal.h"
#include "select/search/search_run.h"
#include "select/search/trial_log.h"
#include "select/search/worker_pool.h"
#include "solve/choice/choice.h"
#include "solve/landmark/placement.h"
#include "solve/solver_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the trials of a search, their measure, and the search as their collection ----------------------- */

/* ---- measures --------------------------------------------------------------------------------- */

/* loss: NULL unless the score uses it. */
static volt_measure measure_of(volt_score score, const volt_loss *loss)
{
    volt_measure measure = {.score = score, .name = loss ? loss->kind->info.score : volt_score_name(score)};
    if (loss)
        snprintf(measure.loss, sizeof measure.loss, "%s", loss->text);
    return measure;
}

/* ---- trials ----------------------------------------------------------------------------------- */

void volt_trial_free(volt_trial *trial)
{
    if (!trial)
        return;
    volt_free((char *)trial->kernel);
    volt_free((char *)trial->failure);
    volt_free(trial->folds);
    volt_free(trial);
}

static double mean_of(const double *values, int64_t count)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += values[k];
    return sum / (double)count;
}

volt_trial *volt_trial_new(int64_t index, const char *kernel, double alpha, const double *folds,
                           int64_t n_folds, const char *failure)
{
    volt_trial *trial = volt_alloc_zero(1, sizeof *trial);
    if (!trial)
        return NULL;
    trial->struct_size = sizeof *trial;
    trial->index = index;
    trial->alpha = alpha;
    trial->n_folds = n_folds;
    trial->score = NAN;
    trial->kernel = volt_strdup(kernel);
    trial->folds = volt_alloc_doubles(n_folds, 1);
    trial->failure = failure ? volt_strdup(failure) : NULL;
    if (!trial->kernel || !trial->folds || (failure && !trial->failure)) {
        volt_trial_free(trial);
        return NULL;
    }
    if (n_folds > 0)
        memcpy(trial->folds, folds, (size_t)n_folds * sizeof *folds);
    if (n_folds > 0 && !failure)
        trial->score = mean_of(folds, n_folds);
    return trial;
}

void volt_trial_stop(volt_trial *trial, int64_t done)
{
    volt_free((char *)trial->failure);
    trial->failure = NULL;
    trial->stopped = true;
    trial->n_folds = done;
    trial->score = mean_of(trial->folds, done);
}

/* ---- the search ------------------------------------------------------------------------------- */

static volt_status search_new(int64_t folds, volt_measure measure, volt_search **search)
{
    volt_search *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->stopped = volt_alloc_zero(folds + 1, sizeof *fresh->stopped);
    if (!fresh->stopped) {
        volt_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    fresh->info.folds = folds;
    fresh->info.gap = -1;
    fresh->measure = measure;
    fresh->info.score = measure.score;
    fresh->info.loss = measure.loss[0] ? fresh->measure.loss : NULL;
    fresh->info.score_name = measure.name;
    fresh->info.stopped = fresh->stopped;
    fresh->info.parallel = 1;
    *search = fresh;
    return VOLT_OK;
}

void volt_search_free(volt_search *search)
{
    if (!search)
        return;
    for (int64_t i = 0; i < search->info.trials; i++)
        volt_trial_free(search->trials[i]);
    volt_free(search->trials);
    volt_free(search->stopped);
    volt_free(search);
}

/* Whether trial a is better than b; of equals the lower index. */
static bool is_better(volt_score score, const volt_trial *a, const volt_trial *b)
{
    double difference = volt_score_sign(score) * (a->score - b->score);
    return difference > 0 || (difference == 0 && a->index < b->index);
}

/* Takes ownership of the trial, except on failure. */
static volt_status search_add(volt_search *search, volt_trial *trial)
{
    volt_search_info *info = &search->info;
    volt_status status =
        volt_grow((void **)&search->trials, &search->capacity, info->trials + 1, sizeof(volt_trial *));
    if (status != VOLT_OK)
        return status;
    search->trials[info->trials++] = trial;
    if (trial->failure)
        info->failed++;
    else if (trial->stopped)
        search->stopped[volt_min(trial->n_folds, info->folds)]++;
    else if (!search->best || is_better(info->score, trial, search->best))
        search->best = trial;
    return VOLT_OK;
}

/* VOLT_ERR_DATA, with the first reason, when no trial has a score; stopped trials have no failure. */
static volt_status search_require_best(const volt_search *search)
{
    if (search->best)
        return VOLT_OK;
    int64_t trials = search->info.trials, failed = search->info.failed;
    const char *first = NULL;
    for (int64_t i = 0; i < trials && !first; i++)
        first = search->trials[i]->failure;
    if (!first)
        return volt_fail(VOLT_ERR_DATA, "all %" PRId64 " candidates were stopped early: none has a score",
                         trials);
    if (failed < trials)
        return volt_fail(VOLT_ERR_DATA,
                         "%" PRId64 " of %" PRId64
                         " candidates failed and the others were stopped early; first failure: %s",
                         failed, trials, first);
    return volt_fail(VOLT_ERR_DATA, "all %" PRId64 " candidates failed; first failure: %s", trials, first);
}

static int by_index(const void *a, const void *b)
{
    const volt_trial *first = *(volt_trial *const *)a, *second = *(volt_trial *const *)b;
    return (first->index > second->index) - (first->index < second->index);
}

/* Sorts the trials by index. */
static void search_sort(volt_search *search)
{
    if (search->info.trials > 1)
        qsort(search->trials, (size_t)search->info.trials, sizeof(volt_trial *), by_index);
}

volt_status volt_search_get_info(const volt_search *search, volt_search_info *info)
{
    VOLT_REQUIRE(search, VOLT_ERR_ARGUMENT, "the search is NULL");
    return volt_result_copy(info, &search->info, sizeof search->info, "volt_search_info");
}

const volt_trial *volt_search_trial(const volt_search *search, int64_t i)
{
    if (!search)
        return NULL;
    if (i == VOLT_TRIAL_BEST)
        return search->best;
    return i >= 0 && i < search->info.trials ? search->trials[i] : NULL;
}

/* ---- the number of workspaces, from threads and from memory of host and device ----------------------- */

enum {
    MAX_PARALLEL_ROWS = 8192, /* larger factorisations use all threads */
    MANY = 1000               /* assumed number of candidates of an unlimited search */
};

/* Shares of the available memory; the rest is for engines, and for other users of a device. */
static const double host_share = 0.5, device_share = 0.9;

/* Chooses the back end of the problem, for `candidates` candidates (-1: unlimited). */
static void flight_choose(volt_problem *problem, int64_t candidates)
{
    volt_work work = {
        .n = problem->max_rows, .d = problem->d, .factors = candidates < 0 ? MANY : (double)candidates};
    problem->backend = problem->loss        ? volt_place_on_cpu("a loss other than squares is minimised")
                       : problem->landmarks ? volt_place_on_cpu("candidates are fitted on landmarks")
                                            : volt_place(&work);
}

/* The same; VOLT_ERR_MEMORY when not even one workspace fits there. */
static volt_status flight_place(volt_problem *problem, int64_t candidates)
{
    char what[96];
    flight_choose(problem, candidates);
    snprintf(what, sizeof what, "a search on %" PRId64 " rows", problem->n);
    volt_status status = volt_memory_require(volt_workspace_bytes(problem), what);
    return status == VOLT_OK ? volt_place_require(problem->backend, problem->max_rows, what) : status;
}

/* Reduces the count until each has `bytes` of `share` of the available memory (0: unknown). */
static int64_t within(int64_t count, double bytes, double available, double share)
{
    while (count > 1 && available > 0 && (double)count * bytes > share * available)
        count--;
    return volt_max(count, 1);
}

/* The number of candidates at a time. On the CPU: one per thread, if a factorisation is too small to be
 * parallelised well and half of the memory holds their workspaces. On a device: enough to keep it busy,
 * within its memory, each with a host thread that mostly waits. */
static int64_t flight_size(const volt_problem *problem, int64_t candidates)
{
    const volt_backend *backend = problem->backend;
    int64_t count = volt_threads();
    int64_t devices = volt_backend_devices(backend);
    if (backend->streams > 0)
        count = backend->streams * devices;
    count = volt_max(count, devices);
    if (candidates >= 0)
        count = volt_min(count, candidates);
    if (!volt_backend_is_remote(backend) && !problem->landmarks && problem->max_rows > MAX_PARALLEL_ROWS)
        count = 1;
    count = within(count, volt_workspace_bytes(problem), (double)volt_memory_available(), host_share);
    for (int64_t i = 0; backend->available && i < devices; i++) {
        int64_t before = volt_backend_bind(backend, i), each = (count + devices - 1) / devices;
        each = within(each, volt_workspace_device_bytes(problem), (double)backend->available(), device_share);
        count = volt_min(count, each * devices);
        volt_backend_bind(backend, before);
    }
    return count;
}

/* ---- estimates memory and time of a search on this machine ------------------------------------------- */

/* Memory is computed by the functions of the search itself, for a problem without rows. Times are taken from
 * the plan of one fit (fit/plan.h) of the longest training part, multiplied by the number of folds and
 * alphas. */

typedef struct planned_search {
    const volt_kernel *kernel;
    volt_problem *problem;
    double alphas; /* alphas per candidate */
} planned_search;

/* Training parts that start at the same row share one matrix, which grows from block to block: the sum over
 * such groups of (rows / most rows)^power. */
static double groups(const volt_problem *problem, int power)
{
    double sum = 0, most = (double)problem->max_rows;
    for (int64_t k = 0; k < problem->n_splits; k++) {
        const volt_split *split = &problem->splits[k];
        bool grows = k + 1 < problem->n_splits && problem->splits[k + 1].train_begin == split->train_begin;
        int64_t end = problem->start == VOLT_START_RESET ? split->train_end : split->end;
        if (!grows)
            sum += pow((double)(end - split->train_begin) / most, power);
    }
    return problem->n_splits > 0 ? sum : 1; /* a score of all rows */
}

/* One Gram matrix per group, and a factor per alpha. */
static volt_status time_exact(const planned_search *s, double *seconds)
{
    const volt_problem *problem = s->problem;
    volt_plan plan = {.struct_size = sizeof plan};
    VOLT_TRY(volt_plan_with(s->kernel, &volt_solver_exact, problem->max_rows, problem->d, problem->q, 1,
                            problem->backend, &plan));
    bool on_device = plan.on_device && plan.device_factor_seconds > 0;
    double gram = on_device ? plan.device_gram_seconds : plan.gram_seconds;
    double factor = on_device ? plan.device_factor_seconds : plan.factor_seconds;
    *seconds = groups(problem, 2) * gram + s->alphas * groups(problem, 3) * factor;
    return VOLT_OK;
}

/* One pass over `columns` for `states` features, their sums, and a factor per block and alpha. */
static volt_status time_features(const planned_search *s, const volt_solver *solver, double states,
                                 double columns, double *seconds)
{
    const volt_problem *problem = s->problem;
    double n = (double)problem->max_rows, of_sums = 0;
    volt_plan plan = {.struct_size = sizeof plan};
    VOLT_TRY(volt_plan_with(s->kernel, &volt_solver_exact, problem->max_rows, problem->d, problem->q, 1,
                            problem->backend, &plan));
    VOLT_TRY(solver->seconds(n, states, &of_sums));
    double factor = plan.factor_seconds * pow(states / n, 3);
    *seconds = groups(problem, 1) * (of_sums + plan.gram_seconds * (2 * columns / n)) +
               (double)problem->folds * s->alphas * factor;
    return VOLT_OK;
}

/* The solver of a candidate, and its number of landmarks. */
static const volt_solver *solver_of(const volt_problem *problem, const volt_resolved *resolved,
                                    int64_t *landmarks)
{
    const volt_solver *solver = volt_candidate_solver(problem, resolved);
    *landmarks = solver->needs.landmarks ? problem->landmarks : 0;
    return solver;
}

/* The solver and the time of a candidate. */
static volt_status plan_candidate(const planned_search *s, bool measure, volt_search_plan *plan)
{
    const volt_problem *problem = s->problem;
    volt_extent extents[VOLT_MAX_FACTORS];
    volt_resolved resolved = {0};
    for (int i = 0; i < VOLT_MAX_FACTORS; i++)
        extents[i] = problem->shifted.extent;
    VOLT_TRY(volt_kernel_outline_slices(s->kernel, extents, problem->d, &resolved));
    double states = (double)volt_candidate_states(problem, &resolved);
    const volt_solver *solver = solver_of(problem, &resolved, &plan->landmarks);
    volt_resolved_release(&resolved);
    plan->solver = solver->info.name;
    if (!measure)
        return VOLT_OK;
    int64_t columns = 0;
    VOLT_TRY(volt_plan_columns(s->kernel, problem->d, plan->landmarks, &columns));
    return states > 0 ? time_features(s, solver, states, (double)volt_min(columns, problem->max_rows),
                                      &plan->candidate_seconds)
                      : time_exact(s, &plan->candidate_seconds);
}

/* Inputs with and without their mean, and targets, scaled; per concurrent candidate a workspace and its
 * additional memory. */
static volt_status plan_memory(const planned_search *s, int64_t draws, volt_search_plan *plan)
{
    volt_problem *problem = s->problem;
    double beside = 0, n = (double)problem->n;
    flight_choose(problem, draws);
    plan->max_rows = problem->max_rows;
    plan->on_device = volt_backend_is_remote(problem->backend);
    plan->parallel = flight_size(problem, draws);
    VOLT_TRY(volt_candidate_bytes(problem, volt_kernel_text(s->kernel), false, &beside));
    plan->bytes = 8 * n * (double)(2 * problem->d + problem->q) +
                  (double)plan->parallel * (volt_workspace_bytes(problem) + beside);
    plan->available_bytes = (double)volt_memory_available();
    plan->fits = !(plan->available_bytes > 0 && plan->bytes > plan->available_bytes);
    return VOLT_OK;
}

/* Expected seconds of a candidate on this machine, without early stopping; 0: unknown. */
static volt_status run_candidate_seconds(const volt_run *run, const char *kernel, double alpha, double *seconds)
{
    volt_search_plan plan = {.struct_size = sizeof plan};
    volt_kernel *parsed = NULL;
    *seconds = 0;
    if (run->problem->loss)
        return VOLT_OK;
    VOLT_TRY(volt_kernel_parse(kernel, &parsed));
    planned_search s = {.kernel = parsed, .problem = run->problem, .alphas = alpha > 0 ? 1 : VOLT_MAX_ALPHAS};
    volt_status status = plan_candidate(&s, true, &plan);
    volt_kernel_free(parsed);
    *seconds = plan.candidate_seconds;
    return status;
}

static volt_status plan_check(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q, double alpha,
                              const volt_search_options *options, const volt_search_plan *plan)
{
    VOLT_REQUIRE(kernel && plan, VOLT_ERR_ARGUMENT, "the kernel or the plan is NULL");
    VOLT_REQUIRE(n >= 1 && d >= 1 && q >= 1, VOLT_ERR_ARGUMENT,
                 "a search on %" PRId64 " rows, %" PRId64 " inputs and %" PRId64
                 " outputs cannot be planned: all must be at least 1",
                 n, d, q);
    VOLT_REQUIRE(alpha >= 0 && isfinite(alpha), VOLT_ERR_ARGUMENT, "alpha must be at least 0 (got %g)", alpha);
    VOLT_REQUIRE(options->draws >= 1, VOLT_ERR_ARGUMENT,
                 "the number of draws must be at least 1 (got %" PRId64 ")", options->draws);
    VOLT_REQUIRE(!options->loss && !options->weights && options->n_records == 0 && !options->base.data,
                 VOLT_ERR_ARGUMENT, "records, a base, losses and weights are not planned for");
    return VOLT_OK;
}

volt_status volt_plan_search(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q, double alpha,
                             const volt_search_options *options, int measure, volt_search_plan *plan)
{
    volt_search_options opts = volt_search_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_search_options"));
    options = &opts;
    VOLT_TRY(plan_check(kernel, n, d, q, alpha, options, plan));
    planned_search s = {.kernel = kernel, .alphas = alpha > 0 ? 1 : VOLT_MAX_ALPHAS};
    volt_search_plan made = {.struct_size = sizeof made};
    const volt_solver *solver;
    VOLT_TRY(volt_solver_parse(options->solver, &(volt_solver_request){0}, &solver));
    if (solver && !volt_solver_keeps_landmarks(solver))
        opts.landmarks = 0;
    VOLT_TRY(volt_problem_outline(n, d, q, &opts, &s.problem, &made.why));
    volt_status status = plan_memory(&s, options->draws, &made);
    if (status == VOLT_OK)
        status = plan_candidate(&s, measure != 0, &made);
    volt_problem_free(s.problem);
    if (status != VOLT_OK)
        return status;
    if (made.landmarks == 0)
        made.why = NULL;
    made.seconds = (double)options->draws * made.candidate_seconds;
    return volt_result_copy(plan, &made, sizeof made, "volt_search_plan");
}

/* The loop over candidates, sequential or parallel: evaluation, race, time
 * limits, progress. */

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

/* Finds the parents of the candidate at the position, before its generation starts. */
static volt_status run_know_parents(volt_run *r, int64_t position)
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

/* The candidate at a position whose parents are known. No other thread changes the parents before it
 * returns. */
static volt_status run_candidate(const volt_run *r, int64_t position, char kernel[VOLT_KERNEL_LENGTH],
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
    volt_status status = position >= 0 ? run_know_parents(r, position) : VOLT_OK;
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
        status = search_add(r->search, trial);
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

static int poll_run(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    return !volt_run_goes_on(context);
}

volt_progress volt_run_progress(volt_evaluator *evaluator)
{
    return (volt_progress){poll_run, evaluator};
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
    VOLT_TRY(run_candidate(r, position, kernel, &setting));
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

/* Runs the draws: with `parallel` local evaluators, with buffers for all scores of each in `folds`, and with
 * the pool. */
static volt_status run_draw(volt_run *r, volt_evaluator *const *evaluators, double *folds, int64_t parallel)
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

/* The status of the whole run. */
static volt_status run_conclude(volt_run *r)
{
    volt_search *search = r->search;
    search->info.out_of_time = r->out_of_time && (r->length < 0 || search->info.trials < r->length);
    search_sort(search);
    if (r->status != VOLT_OK)
        return volt_fail(r->status, "%s", r->sentence);
    if (r->cancelled)
        return volt_fail(VOLT_ERR_CANCELLED, "cancelled after %" PRId64 " candidates", search->info.trials);
    VOLT_REQUIRE(search->info.trials > 0 || r->out_of_time, VOLT_ERR_DATA, "there are no candidates");
    VOLT_REQUIRE(search->info.trials > 0, VOLT_ERR_DATA,
                 "the budget of %g s ended before the first candidate was evaluated", r->options->seconds);
    return search_require_best(search);
}

volt_status volt_run_begin(volt_run *r, volt_measure measure)
{
    omp_init_lock(&r->lock);
    atomic_init(&r->has_score, false);
    VOLT_TRY(search_new(r->folds, measure, &r->search));
    VOLT_TRY(
        volt_schedule_begin(&r->schedule, (volt_race_rule){r->options->race, r->options->score, r->folds}));
    r->schedule.adaptive = r->options->strategy == VOLT_STRATEGY_ADAPTIVE;
    volt_evolution_plan(r);
    return VOLT_OK;
}

/* Returns the search if it is usable, and releases the rest. */
static void run_release_all(volt_run *r, volt_status status, volt_search **search)
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
    volt_status status = volt_run_begin(&r, measure_of(options->score, NULL));
    if (status == VOLT_OK && !scores)
        status = VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        r.search->info.parallel = count;
        r.schedule.max_ahead = candidates->count; /* no race: no trial waits for a reference */
        status = run_draw(&r, evaluators, scores, count);
    }
    if (status == VOLT_OK)
        status = run_conclude(&r);
    run_release_all(&r, status, search);
    volt_free(scores);
    volt_blas_release(&use);
    return status;
}

/* Whether another process leads this search. */
static bool is_served(const volt_run *r)
{
    return r->pool && r->pool->serves;
}

/* ---- candidates on rows ----------------------------------------------------------------------- */

/* Waits until there is memory for the engine of the candidate, or until no other candidate runs. */
static volt_status reserve(volt_run *r, double bytes)
{
    for (bool granted = false; !granted;) {
        omp_set_lock(&r->lock);
        bool is_alone = r->reserved == 0;
        granted = is_alone || r->reserved + bytes <= r->room;
        if (granted)
            r->reserved += bytes;
        omp_unset_lock(&r->lock);
        if (granted && is_alone && bytes > r->room)
            return volt_memory_require(bytes, "the kernel of a candidate");
        if (!granted) {
            if (!volt_stage_advance(&r->stage, 0))
                return VOLT_ERR_CANCELLED;
            volt_sleep(1000);
        }
    }
    return VOLT_OK;
}

static void give_back(volt_run *r, double bytes)
{
    omp_set_lock(&r->lock);
    r->reserved -= bytes;
    if (r->reserved < 1) /* removes rounding, so that a single candidate can run */
        r->reserved = 0;
    omp_unset_lock(&r->lock);
}

volt_status volt_run_evaluate(volt_run *r, volt_workspace *workspace, const char *kernel, volt_setting *setting,
                              volt_continue_fn goes_on, void *context, volt_stage *stage, double *folds,
                              int64_t *done, volt_cost *cost)
{
    double bytes = 0;
    VOLT_TRY(volt_candidate_bytes(r->problem, kernel, setting->feedback > 0, &bytes));
    VOLT_TRY(reserve(r, bytes));
    int64_t before = volt_workspace_bind(workspace);
    volt_status status = volt_evaluate(r->problem, workspace, kernel, &setting->alpha, setting->feedback,
                                       goes_on, context, stage, folds, done, cost);
    volt_backend_bind(r->problem->backend, before);
    give_back(r, bytes);
    return status;
}

/* The evaluator of this process. */
typedef struct local_evaluator {
    volt_evaluator evaluator;
    volt_workspace *workspace;
    int64_t position; /* of the current candidate */
} local_evaluator;

/* Stops the candidate as soon as it loses to its reference. The final result is determined at its end. */
static bool goes_on(const double *folds, int64_t done, void *context)
{
    const local_evaluator *local = context;
    volt_run *r = local->evaluator.run;
    omp_set_lock(&r->lock);
    const volt_reference *reference = volt_schedule_reference(&r->schedule, local->position);
    bool beaten = reference && volt_reference_beats(&r->schedule.standings.rule, reference, folds, done);
    omp_unset_lock(&r->lock);
    return !beaten;
}

static volt_status evaluate_locally(volt_evaluator *evaluator, int64_t position, const char *kernel,
                                    volt_setting *setting, double *folds, int64_t *done, volt_cost *cost)
{
    local_evaluator *local = (local_evaluator *)evaluator;
    local->position = position;
    return volt_run_evaluate(evaluator->run, local->workspace, kernel, setting, goes_on, local,
                             &evaluator->run->stage, folds, done, cost);
}

/* ---- the whole run ---------------------------------------------------------------------------- */

/* Runs the draws, in local workspaces and other processes. */
static volt_status lead(volt_run *r, volt_workspace **spaces, double *folds, int64_t parallel)
{
    local_evaluator *local = volt_alloc_zero(parallel, sizeof *local);
    volt_evaluator **evaluators = volt_alloc(parallel, sizeof *evaluators);
    volt_status status = local && evaluators ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t p = 0; p < parallel && status == VOLT_OK; p++) {
        local[p] = (local_evaluator){.evaluator = {.evaluate = evaluate_locally}, .workspace = spaces[p]};
        evaluators[p] = &local[p].evaluator;
    }
    if (status == VOLT_OK)
        status = run_draw(r, evaluators, folds, parallel);
    volt_free(evaluators);
    volt_free(local);
    return status;
}

/* Warns when not even the first candidate can be evaluated within the budget. Small problems are not measured:
 * their candidates take less time than the measurement. */
static volt_status check_budget(const volt_run *r)
{
    enum { MIN_ROWS = 2000 };
    char kernel[VOLT_KERNEL_LENGTH];
    volt_setting setting;
    double seconds = 0;
    if (is_served(r) || !(r->options->seconds > 0) || r->problem->max_rows < MIN_ROWS)
        return VOLT_OK;
    VOLT_TRY(volt_candidates_take(r->candidates, 0, kernel, &setting));
    if (run_candidate_seconds(r, kernel, setting.alpha, &seconds) == VOLT_OK && seconds > r->options->seconds)
        volt_log(
            VOLT_LOG_WARNING,
            "a candidate is expected to take about %.2g s, and the budget is %g s: give a longer one, or fewer "
            "rows or landmarks",
            seconds, r->options->seconds);
    return VOLT_OK;
}

/* Creates up to *count workspaces, on the devices of the back end in turn, and sets *count to their number. With
 * several devices, those that fail are not used; a message is logged. */
static volt_status create_spaces(const volt_problem *problem, volt_workspace **spaces, int64_t *count)
{
    const volt_backend *backend = problem->backend;
    int64_t wanted = *count, devices = volt_backend_devices(backend), made = 0;
    volt_status status = VOLT_OK;
    for (int64_t p = 0; p < wanted && (status == VOLT_OK || devices > 1); p++) {
        int64_t before = volt_backend_bind(backend, p % devices);
        volt_status one = volt_workspace_create(problem, &spaces[made]);
        volt_backend_bind(backend, before);
        made += one == VOLT_OK;
        status = status == VOLT_OK ? one : status;
    }
    *count = made;
    if (made == 0 || devices == 1)
        return status;
    if (made < wanted)
        volt_log(VOLT_LOG_WARNING,
                 "%" PRId64 " of %" PRId64 " workspaces of the search could be created on the %" PRId64
                 " devices: %s",
                 made, wanted, devices, volt_error_detail());
    return VOLT_OK;
}

static volt_status evaluate_all(volt_run *r)
{
    VOLT_TRY(flight_place(r->problem, r->length));
    VOLT_TRY(check_budget(r));
    int64_t parallel = flight_size(r->problem, r->length);
    double available = (double)volt_memory_available(),
           spaced = (double)parallel * volt_workspace_bytes(r->problem);
    r->room = available > 0 ? fmax(0.75 * available - spaced, 0) : INFINITY;
    volt_workspace **spaces = volt_alloc_zero(parallel, sizeof(void *));
    double *folds = volt_alloc_doubles(parallel, r->folds);
    volt_status status = spaces && folds ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = create_spaces(r->problem, spaces, &parallel);
    r->search->info.parallel = parallel + r->n_channels;
    r->schedule.max_ahead = VOLT_LAG + 4 * r->search->info.parallel;
    if (status == VOLT_OK)
        status = is_served(r) ? volt_worker_pool_serve(r, spaces, folds, parallel)
                              : lead(r, spaces, folds, parallel);
    for (int64_t p = 0; spaces && p < parallel; p++)
        volt_workspace_free(spaces[p]);
    volt_free(spaces);
    volt_free(folds);
    return status;
}

static volt_status run_all(volt_run *r)
{
    volt_blas_use use;
    VOLT_TRY(volt_blas_claim(&use));
    volt_status status = evaluate_all(r);
    volt_blas_release(&use);
    return status;
}

/* Checks a trial of this search. It need not be a candidate of this run, which may be shorter. */
static volt_status check_folds(const volt_run *r, const volt_trial *trial)
{
    int64_t folds = r->folds;
    VOLT_REQUIRE(!volt_trial_complete(trial) || trial->n_folds == folds, VOLT_ERR_FORMAT,
                 "it has %" PRId64 " folds, but there are %" PRId64, trial->n_folds, folds);
    VOLT_REQUIRE(trial->n_folds <= folds, VOLT_ERR_FORMAT,
                 "it has %" PRId64 " folds, more than the %" PRId64 " that there are", trial->n_folds, folds);
    return VOLT_OK;
}

/* Checks that the trial is the candidate at the position, given the trials before it. */
static volt_status check_logged(volt_run *r, int64_t position, const volt_trial *trial)
{
    char kernel[VOLT_KERNEL_LENGTH] = "";
    volt_setting setting;
    int64_t n_trials = r->schedule.standings.count;
    if (position >= r->schedule.evolves_at)
        VOLT_TRY(volt_evolution_reach(r, position));
    VOLT_REQUIRE(volt_schedule_needs(&r->schedule, position) <= n_trials, VOLT_ERR_FORMAT,
                 "its candidate %" PRId64 " follows from earlier ones, of which candidate %" PRId64
                 " is not there",
                 trial->index, n_trials);
    VOLT_TRY(run_know_parents(r, position));
    VOLT_TRY(run_candidate(r, position, kernel, &setting));
    /* An alpha of 0 was profiled; the log contains the result. */
    VOLT_REQUIRE(strcmp(kernel, trial->kernel) == 0 && (setting.alpha == 0 || setting.alpha == trial->alpha),
                 VOLT_ERR_FORMAT, "its candidate %" PRId64 " is %s, alpha %g, and would now be %s, alpha %g",
                 trial->index, trial->kernel, trial->alpha, kernel, setting.alpha);
    VOLT_REQUIRE(setting.feedback == trial->feedback, VOLT_ERR_FORMAT,
                 "its candidate %" PRId64 " has the feedback weight %g, and would now have %g", trial->index,
                 trial->feedback, setting.feedback);
    return VOLT_OK;
}

/* Takes the trials of an earlier run that belong to this one, by position: later ones may depend on earlier
 * ones. */
static volt_status take_logged(volt_run *r, volt_trial_queue *queue)
{
    for (int64_t i = 0; i < queue->count; i++) {
        volt_trial *trial = queue->entries[i].trial;
        int64_t position = trial->index;
        bool is_ours = r->length < 0 || position < r->length;
        volt_status status = check_folds(r, trial);
        if (status == VOLT_OK && is_ours)
            status = check_logged(r, position, trial);
        if (status != VOLT_OK && status != VOLT_ERR_MEMORY)
            status =
                volt_fail_prefix(status, "%s, line %" PRId64, r->options->log, queue->entries[i].order + 1);
        VOLT_TRY(status);
        if (!is_ours || volt_schedule_has(&r->schedule, position))
            continue;
        VOLT_TRY(search_add(r->search, trial));
        queue->entries[i].trial = NULL; /* now owned by the search */
        r->search->info.resumed++;
        VOLT_TRY(volt_schedule_resume(&r->schedule, position, trial));
    }
    return VOLT_OK;
}

static volt_status resume(volt_run *r)
{
    volt_trial_queue queue = {0};
    int64_t whole = 0;
    volt_status status =
        volt_trial_log_read(r->options->log, r->fingerprint, &r->search->measure, &queue, &whole);
    if (status == VOLT_OK)
        status = take_logged(r, &queue);
    volt_trial_queue_free(&queue);
    return status == VOLT_OK ? volt_trial_log_cut(&r->log, whole) : status;
}

/* The log is locked before it is read, so that no other search can append in between. */
static volt_status open_log(volt_run *r)
{
    const volt_search_options *options = r->options;
    if (!options->log || is_served(r))
        return VOLT_OK;
    VOLT_TRY(volt_trial_log_open(options->log, r->fingerprint, &r->search->measure, &r->log));
    r->logs = true;
    if (volt_trial_log_is_empty(&r->log))
        return VOLT_OK;
    VOLT_REQUIRE(options->resume, VOLT_ERR_IO,
                 "%s: the log exists: resume it, remove it or choose another name", options->log);
    return resume(r);
}

/* Whether the search consists of the trials in its log. */
static bool reports_log(const volt_run *r)
{
    return r->length < 0 && r->options->resume && r->options->seconds == 0;
}

static volt_status require_logged(const volt_run *r)
{
    VOLT_REQUIRE(r->search->info.trials > 0, VOLT_ERR_DATA, "%s: there are no trials in the log",
                 r->options->log);
    return VOLT_OK;
}

static volt_status check(const volt_candidates *candidates, const volt_search_options *options,
                         volt_search **search)
{
    VOLT_REQUIRE(candidates && search, VOLT_ERR_ARGUMENT, "the candidates or the search is NULL");
    VOLT_REQUIRE(options->draws >= 0, VOLT_ERR_ARGUMENT,
                 "the number of draws must be at least 1 (got %" PRId64 ")", options->draws);
    VOLT_REQUIRE(options->seconds >= 0 && isfinite(options->seconds), VOLT_ERR_ARGUMENT,
                 "the budget must be positive and finite (got %g s)", options->seconds);
    VOLT_REQUIRE(candidates->count >= 0 || options->draws > 0 || options->seconds > 0 || options->resume,
                 VOLT_ERR_ARGUMENT, "the candidates are unlimited: give a number of draws or a budget");
    VOLT_REQUIRE(options->race >= VOLT_RACE_EXACT && options->race <= VOLT_RACE_NONE, VOLT_ERR_ARGUMENT,
                 "unknown race %d", (int)options->race);
    VOLT_REQUIRE(options->strategy >= VOLT_STRATEGY_RANDOM && options->strategy <= VOLT_STRATEGY_CMA,
                 VOLT_ERR_ARGUMENT, "unknown strategy %d", (int)options->strategy);
    VOLT_REQUIRE(options->strategy != VOLT_STRATEGY_ADAPTIVE || candidates->get_near, VOLT_ERR_ARGUMENT,
                 "an adaptive search is not supported with given candidates");
    VOLT_REQUIRE(options->strategy != VOLT_STRATEGY_CMA || candidates->locate, VOLT_ERR_ARGUMENT,
                 "a search by CMA-ES is not supported with given candidates");
    VOLT_REQUIRE(!options->resume || options->log, VOLT_ERR_ARGUMENT, "resume requires a log");
    VOLT_REQUIRE(options->validate == VOLT_VALIDATE_SIMULATE || options->validate == VOLT_VALIDATE_ONE_STEP,
                 VOLT_ERR_ARGUMENT, "unknown validation %d", (int)options->validate);
    if (!candidates->feeds)
        return VOLT_OK;
    VOLT_REQUIRE(options->score != VOLT_SCORE_LOSS && !options->weights, VOLT_ERR_ARGUMENT,
                 "candidates with feedback require squares and equal weights; not supported with "
                 "%s",
                 options->weights ? "weights" : "a loss");
    VOLT_REQUIRE(options->score < VOLT_SCORE_PREQUENTIAL || options->validate == VOLT_VALIDATE_ONE_STEP,
                 VOLT_ERR_ARGUMENT,
                 "the score %s requires one-step validation for candidates with feedback, not "
                 "free runs",
                 volt_score_name(options->score));
    VOLT_REQUIRE(!options->base.data, VOLT_ERR_ARGUMENT,
                 "candidates with feedback do not support targets with a base");
    return VOLT_OK;
}

static int64_t run_length(const volt_candidates *candidates, const volt_search_options *options)
{
    bool is_limited = options->draws > 0 && (candidates->count < 0 || options->draws < candidates->count);
    return is_limited ? options->draws : candidates->count;
}

static int64_t automatic_gap(const volt_search_options *options)
{
    bool of_all_rows = options->score == VOLT_SCORE_LOG || options->score == VOLT_SCORE_LOO ||
                       options->score == VOLT_SCORE_GCV;
    return of_all_rows || options->ahead < 1 ? 0 : options->ahead - 1;
}

volt_status volt_search_run(const volt_candidates *candidates, volt_view X, volt_view Y,
                            const volt_search_options *options, volt_search **search)
{
    volt_search_options opts = volt_search_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_search_options"));
    opts = volt_fold_loss_options(&opts);
    if (opts.splits.gap == VOLT_GAP_AUTO)
        opts.splits.gap = automatic_gap(&opts);
    options = &opts;
    VOLT_TRY(check(candidates, options, search));
    volt_run r = {
        .candidates = candidates, .options = options, .begun = volt_seconds(), .pool = volt_worker_pool_take()};
    r.log.file = -1;
    r.length = run_length(candidates, options);
    VOLT_TRY(volt_problem_create(X, Y, options, &r.problem));
    opts.landmarks = r.problem->landmarks; /* as chosen */
    r.folds = r.problem->folds;
    volt_status status = volt_run_begin(
        &r, measure_of(options->score, options->score == VOLT_SCORE_LOSS ? r.problem->loss->fit.loss : NULL));
    if (status == VOLT_OK) {
        r.search->info.landmarks = r.problem->landmarks;
        r.search->info.gap = options->splits.gap;
        r.search->info.solver = r.problem->solver->info.name;
    }
    if (status == VOLT_OK && (options->log || r.pool))
        status = volt_search_fingerprint(candidates, X, Y, options, r.fingerprint);
    if (status == VOLT_OK && r.pool &&
        !r.pool->serves) /* before the log is created, which others would take for an old one */
        status = volt_worker_pool_connect(&r);
    if (status == VOLT_OK)
        status = open_log(&r);
    if (status == VOLT_OK)
        status = reports_log(&r) ? require_logged(&r) : run_all(&r);
    if (status == VOLT_OK)
        status = run_conclude(&r);
    if (r.n_channels > 0)
        volt_dispatchers_end(&r, &(volt_dispatchers){0}); /* nothing was started, but the others must be told */
    run_release_all(&r, status, search);
    volt_trial_log_close(&r.log);
    volt_problem_free(r.problem);
    return status;
}
