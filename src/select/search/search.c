/* src/select/search/search.c: a search on rows: options, problem, log, workspaces. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "select/candidates/candidates.h"
#include "select/folds/problem.h"
#include "select/search/schedule.h"
#include "select/search/search_internal.h"
#include "select/search/search_run.h"
#include "select/search/trial_log.h"
#include "select/search/worker_pool.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

typedef struct racer {
    volt_run *run;
    int64_t position;
} racer;

/* Stops the candidate as soon as it loses to its reference. The final result is determined at its end. */
static bool goes_on(const double *folds, int64_t done, void *context)
{
    const racer *one = context;
    volt_run *r = one->run;
    omp_set_lock(&r->lock);
    const volt_reference *reference = volt_schedule_reference(&r->schedule, one->position);
    bool beaten = reference && volt_reference_beats(&r->schedule.standings.rule, reference, folds, done);
    omp_unset_lock(&r->lock);
    return !beaten;
}

/* The evaluator of this process. */
typedef struct local_evaluator {
    volt_evaluator evaluator;
    volt_workspace *workspace;
} local_evaluator;

static volt_status evaluate_locally(volt_evaluator *evaluator, int64_t position, const char *kernel,
                                    volt_setting *setting, double *folds, int64_t *done, volt_cost *cost)
{
    const local_evaluator *local = (const local_evaluator *)evaluator;
    racer one = {.run = evaluator->run, .position = position};
    return volt_run_evaluate(evaluator->run, local->workspace, kernel, setting, goes_on, &one,
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
        local[p] = (local_evaluator){{.evaluate = evaluate_locally}, spaces[p]};
        evaluators[p] = &local[p].evaluator;
    }
    if (status == VOLT_OK)
        status = volt_run_draw(r, evaluators, folds, parallel);
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
    if (volt_run_candidate_seconds(r, kernel, setting.alpha, &seconds) == VOLT_OK &&
        seconds > r->options->seconds)
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
    VOLT_TRY(volt_flight_place(r->problem, r->length));
    VOLT_TRY(check_budget(r));
    int64_t parallel = volt_flight_size(r->problem, r->length);
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
    VOLT_TRY(volt_run_know_parents(r, position));
    VOLT_TRY(volt_run_candidate(r, position, kernel, &setting));
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
        VOLT_TRY(volt_search_add(r->search, trial));
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
        &r,
        volt_measure_of(options->score, options->score == VOLT_SCORE_LOSS ? r.problem->loss->fit.loss : NULL));
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
        status = volt_run_conclude(&r);
    if (r.n_channels > 0)
        volt_dispatchers_end(&r, &(volt_dispatchers){0}); /* nothing was started, but the others must be told */
    volt_run_release_all(&r, status, search);
    volt_trial_log_close(&r.log);
    volt_problem_free(r.problem);
    return status;
}
