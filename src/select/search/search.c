/* src/select/search/search.c: candidates one after the other or several at a time, raced, logged and timed. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "select/candidates/candidates.h"
#include "select/folds/problem.h"
#include "select/search/crew.h"
#include "select/search/generations.h"
#include "select/search/in_flight.h"
#include "select/search/schedule.h"
#include "select/search/search_internal.h"
#include "select/search/search_run.h"
#include "select/search/trial_log.h"
#include "select/search/trial_pile.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

volt_search_options volt_search_options_default(void)
{
    volt_search_options options = {
        .splits = volt_split_options_default(), .intercept = 1, .scale = 1, .shards = 1, .tolerance = 1e-6};
    return options;
}

enum { PAUSE = 1000 }; /* microseconds that a thread without work sleeps */

static int64_t index_of(const volt_run *r, int64_t position)
{
    return r->options->shard + position * r->options->shards;
}

/* Does another process lead this search? */
static bool is_served(const volt_run *r)
{
    return r->crew && r->crew->serves;
}

/* ---- progress --------------------------------------------------------------------------------- */

/* Share of the search that is done: by number or by time, whichever is nearer to the end. */
static double fraction_done(const volt_run *r)
{
    double share = r->length > 0 ? (double)r->search->info.trials / (double)(r->length + r->climbs) : 0;
    if (r->options->seconds > 0)
        share = fmax(share, (volt_seconds() - r->begun) / r->options->seconds);
    return fmin(share, 1);
}

/* How many trials there will be when the pace stays what it is. */
static void estimate(volt_run *r)
{
    volt_search_info *info = &r->search->info;
    info->seconds = volt_seconds() - r->begun;
    int64_t made = info->trials - info->resumed;
    int64_t planned = r->length < 0 ? -1 : r->length + r->climbs;
    info->expected = volt_max(planned, 0);
    if (r->options->seconds > 0 && made > 0 && info->seconds > 0) {
        double in_time = (double)info->resumed + (double)made * r->options->seconds / info->seconds;
        if (planned < 0 || in_time < (double)planned)
            info->expected = in_time < 9e15 ? (int64_t)in_time : INT64_MAX;
    }
}

/* Tell the caller about trials that have ended since, and look at the clock. In the caller's thread. */
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

/* The first failure that is not a candidate's own ends the run. */
void volt_run_end(volt_run *r, volt_status status)
{
    if (r->status != VOLT_OK)
        return;
    r->status = status;
    snprintf(r->sentence, sizeof r->sentence, "%s", volt_error_detail());
}

/* Look for the parents of the candidate at the position, in whose generation nothing has begun yet. */
static void know_parents(volt_run *r, int64_t position)
{
    int64_t before = r->schedule.adaptive ? volt_generation_begin(position) : 0;
    if (before == r->known)
        return;
    volt_parents_choose(&r->schedule.standings, r->schedule.settled, before, &r->parents);
    r->known = before;
}

/* The candidate at a position whose parents are known. No other thread looks for the next ones before it has ended. */
static volt_status make_candidate(const volt_run *r, int64_t position, char kernel[VOLT_KERNEL_LENGTH],
                                  volt_setting *setting)
{
    int64_t index = index_of(r, position);
    return r->known > 0 ? volt_candidates_follow(r->candidates, index, &r->parents, kernel, setting)
                        : volt_candidates_take(r->candidates, index, kernel, setting);
}

/* The next position that nobody has begun; -1 when there is none left or the run is over. *wait: none can be begun yet. */
static int64_t fresh_position(volt_run *r, bool *wait)
{
    int64_t next = volt_schedule_next(&r->schedule);
    if ((r->length < 0 || next < r->length) && !volt_candidates_has(r->candidates, index_of(r, next)))
        r->length = next; /* a function that has no more */
    if (r->length >= 0 && next >= r->length) {
        *wait = r->away > 0; /* one of those may come back */
        return -1;
    }
    *wait = !volt_schedule_may_begin(&r->schedule);
    if (*wait)
        return -1;
    if (volt_schedule_take(&r->schedule) != VOLT_OK) {
        volt_run_end(r, VOLT_ERR_MEMORY);
        return -1;
    }
    return next;
}

/* Take a position for the evaluator; -1 and *wait as above. */
static int64_t begin_position(volt_run *r, const volt_evaluator *evaluator, bool *wait)
{
    int64_t position = -1;
    *wait = false;
    omp_set_lock(&r->lock);
    if (r->status == VOLT_OK)
        position = r->n_returned > 0 ? r->returned[--r->n_returned] : fresh_position(r, wait);
    if (position >= 0) {
        know_parents(r, position);
        r->active++;
        r->away += evaluator->is_away;
    }
    omp_unset_lock(&r->lock);
    return position;
}

/* The evaluation at the position has ended with this status. */
static void end_position(volt_run *r, const volt_evaluator *evaluator, int64_t position, volt_status status)
{
    omp_set_lock(&r->lock);
    r->active--;
    r->away -= evaluator->is_away;
    if (evaluator->has_left)
        r->returned[r->n_returned++] = position;
    else if (status != VOLT_OK && status != VOLT_ERR_CANCELLED)
        volt_run_end(r, status);
    omp_unset_lock(&r->lock);
}

/* ---- one candidate ---------------------------------------------------------------------------- */

typedef struct racer {
    volt_run *run;
    int64_t position;
} racer;

/* Stops the candidate as soon as its rival is known to beat it; what it is worth is settled at its end. */
static bool goes_on(const double *folds, int64_t done, void *context)
{
    const racer *one = context;
    volt_run *r = one->run;
    omp_set_lock(&r->lock);
    const volt_rival *rival = volt_schedule_rival(&r->schedule, one->position);
    bool beaten = rival && volt_rival_beats(&r->schedule.standings.rule, rival, folds, done);
    omp_unset_lock(&r->lock);
    return !beaten;
}

/* Log the trial and hand it to the search. */
volt_status volt_run_keep(volt_trial *trial, void *context)
{
    volt_run *r = context;
    volt_status status = r->logs ? volt_trial_log_append(&r->log, trial) : VOLT_OK;
    if (status == VOLT_OK)
        status = volt_search_add(r->search, trial);
    if (status != VOLT_OK)
        volt_trial_free(trial);
    return status;
}

/* The evaluator of this process. */
typedef struct own_evaluator {
    volt_evaluator evaluator;
    volt_run *run;
    volt_workspace *workspace;
} own_evaluator;

static volt_status evaluate_here(volt_evaluator *evaluator, int64_t position, const char *kernel,
                                 volt_setting *setting, double *folds, int64_t *done, volt_cost *cost)
{
    const own_evaluator *own = (const own_evaluator *)evaluator;
    racer one = {.run = own->run, .position = position};
    return volt_run_evaluate(own->run, own->workspace, kernel, setting, goes_on, &one, &own->run->stage, folds,
                             done, cost);
}

/* Have the candidate at `position` evaluated and record the trial. `folds` has room for all scores. */
static volt_status try_candidate(volt_run *r, int64_t position, volt_evaluator *evaluator, double *folds)
{
    char kernel[VOLT_KERNEL_LENGTH] = "";
    volt_setting setting = {.alpha = NAN};
    double begun = volt_seconds();
    int64_t done = 0;
    volt_cost cost = {0};
    VOLT_TRY(make_candidate(r, position, kernel, &setting));
    volt_status status = evaluator->evaluate(evaluator, position, kernel, &setting, folds, &done, &cost);
    if (evaluator->has_left || (status != VOLT_OK && !volt_run_is_candidates_own(status)))
        return status;

    volt_trial *trial = volt_trial_new(index_of(r, position), kernel, setting.alpha, folds, done,
                                       status == VOLT_OK ? NULL : volt_error_detail());
    if (!trial)
        return VOLT_ERR_MEMORY;
    trial->feedback = setting.feedback;
    trial->seconds = volt_seconds() - begun;

    omp_set_lock(&r->lock);
    r->search->info.flops += cost.flops;
    r->search->info.blas_seconds += cost.blas_seconds;
    status = volt_schedule_finish(&r->schedule, position, trial, volt_run_keep, r);
    omp_unset_lock(&r->lock);
    return status;
}

/* What every thread does: candidates until there are none left. */
static void work(volt_run *r, volt_evaluator *evaluator, double *folds)
{
    bool wait = false;
    while (!evaluator->has_left && volt_stage_goes_on(&r->stage)) {
        int64_t position = begin_position(r, evaluator, &wait);
        if (position < 0 && !wait)
            break;
        if (position >= 0)
            end_position(r, evaluator, position, try_candidate(r, position, evaluator, folds));
        else
            volt_rest(PAUSE);
        if (!evaluator->is_away)
            volt_stage_advance(&r->stage, position >= 0);
    }
}

static void work_here(volt_run *r, volt_workspace *workspace, double *folds)
{
    own_evaluator own = {{.evaluate = evaluate_here}, r, workspace};
    work(r, &own.evaluator, folds);
    volt_run_listen(r);
}

void volt_run_listen(volt_run *r)
{
    while (omp_get_thread_num() == 0 && volt_stage_goes_on(&r->stage)) {
        omp_set_lock(&r->lock);
        int64_t active = r->active;
        omp_unset_lock(&r->lock);
        if (active == 0)
            break;
        volt_stage_advance(&r->stage, 0);
        volt_rest(PAUSE);
    }
}

/* ---- the whole run ---------------------------------------------------------------------------- */

/* The draws, in the workspaces here and by the others, then the climbs. */
static volt_status lead(volt_run *r, volt_workspace **spaces, double *folds, int64_t parallel)
{
    volt_hands hands = {0};
    volt_progress listener = {.report = watch, .context = r};
    volt_stage_begin(&r->stage, listener, "search", 0, 1, 1);
    volt_status status = volt_hands_start(r, work, &hands);
    if (status == VOLT_OK && parallel == 1) {
        work_here(r, spaces[0], folds);
    } else if (status == VOLT_OK) {
#pragma omp parallel num_threads((int)parallel)
        {
            int64_t own = 0, which = omp_get_thread_num();
            volt_set_own_threads(1, &own); /* what a candidate keeps for every thread is kept for one */
            work_here(r, spaces[which], folds + which * r->problem->folds);
            volt_set_own_threads(own, NULL);
        }
    }
    volt_hands_end(r, &hands);
    if (status == VOLT_OK && r->climbs > 0)
        volt_run_climb(r, spaces, parallel);
    volt_stage_end(&r->stage);
    watch("search", 1, r);
    return status;
}

static volt_status evaluate_all(volt_run *r)
{
    VOLT_TRY(volt_flight_place(r->problem, r->length));
    int64_t parallel = volt_flight_size(r->problem, r->length);
    r->search->info.parallel = parallel + r->hands;

    r->schedule.most_ahead = VOLT_LAG + 4 * r->search->info.parallel;
    double available = (double)volt_memory_available(),
           spaced = (double)parallel * volt_workspace_bytes(r->problem);
    r->room = available > 0 ? fmax(0.75 * available - spaced, 0) : INFINITY;
    volt_workspace **spaces = volt_alloc_zero(parallel, sizeof(void *));
    double *folds = volt_alloc_doubles(parallel, r->problem->folds);
    volt_status status = spaces && folds ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t p = 0; p < parallel && status == VOLT_OK; p++)
        status = volt_workspace_create(r->problem, &spaces[p]);
    if (status == VOLT_OK)
        status = is_served(r) ? volt_crew_serve(r, spaces, folds, parallel) : lead(r, spaces, folds, parallel);
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

/* A trial of this search, whether it is one of this run's candidates or not: logs are merged with all their lines. */
static volt_status check_folds(const volt_run *r, const volt_trial *trial)
{
    int64_t folds = r->problem->folds;
    VOLT_REQUIRE(!volt_trial_complete(trial) || trial->n_folds == folds, VOLT_ERR_FORMAT,
                 "it has %" PRId64 " folds, and there are %" PRId64, trial->n_folds, folds);
    VOLT_REQUIRE(trial->n_folds <= folds, VOLT_ERR_FORMAT,
                 "it has %" PRId64 " folds, more than the %" PRId64 " that there are", trial->n_folds, folds);
    return VOLT_OK;
}

/* Is the trial that of the candidate at the position, after those that stand there? */
static volt_status check_logged(volt_run *r, int64_t position, const volt_trial *trial)
{
    char kernel[VOLT_KERNEL_LENGTH] = "";
    volt_setting setting;
    int64_t there = r->schedule.standings.count;
    VOLT_REQUIRE(!r->schedule.adaptive || volt_generation_begin(position) <= there, VOLT_ERR_FORMAT,
                 "its candidate %" PRId64 " follows from earlier ones, of which candidate %" PRId64
                 " is not there",
                 trial->index, index_of(r, there));
    know_parents(r, position);
    VOLT_TRY(make_candidate(r, position, kernel, &setting));
    /* An alpha of 0 was profiled: the log has what it came to. */
    VOLT_REQUIRE(strcmp(kernel, trial->kernel) == 0 && (setting.alpha == 0 || setting.alpha == trial->alpha),
                 VOLT_ERR_FORMAT, "its candidate %" PRId64 " is %s, alpha %g, and would now be %s, alpha %g",
                 trial->index, trial->kernel, trial->alpha, kernel, setting.alpha);
    VOLT_REQUIRE(setting.feedback == trial->feedback, VOLT_ERR_FORMAT,
                 "its candidate %" PRId64 " has the feedback weight %g, and would now have %g", trial->index,
                 trial->feedback, setting.feedback);
    return VOLT_OK;
}

/* Take the trials of an earlier run that this one would make, by position: later ones may follow from earlier ones. */
static volt_status take_logged(volt_run *r, volt_trial_pile *pile)
{
    int64_t shards = r->options->shards;
    volt_trial_pile_sort(pile);
    for (int64_t i = 0; i < pile->count; i++) {
        volt_trial *trial = pile->pieces[i].trial;
        int64_t position = trial->index / shards;
        bool is_ours = trial->index % shards == r->options->shard && (r->length < 0 || position < r->length);
        volt_status status = check_folds(r, trial);
        if (status == VOLT_OK && is_ours)
            status = check_logged(r, position, trial);
        if (status != VOLT_OK && status != VOLT_ERR_MEMORY)
            status = volt_fail_prefix(status, "%s, line %" PRId64, r->options->log, pile->pieces[i].order + 1);
        VOLT_TRY(status);
        if (!is_ours || volt_schedule_has(&r->schedule, position))
            continue;
        VOLT_TRY(volt_search_add(r->search, trial));
        pile->pieces[i].trial = NULL; /* the search has it now */
        r->search->info.resumed++;
        VOLT_TRY(volt_schedule_resume(&r->schedule, position, trial));
    }
    return VOLT_OK;
}

static volt_status resume(volt_run *r)
{
    volt_trial_pile pile = {0};
    volt_measure measure = r->search->measure;
    int64_t whole = 0;
    volt_status status =
        volt_trial_log_read(r->options->log, r->fingerprint, &measure, volt_trial_pile_take, &pile, &whole);
    if (status == VOLT_OK)
        status = take_logged(r, &pile);
    volt_trial_pile_free(&pile);
    return status == VOLT_OK ? volt_trial_log_cut(&r->log, whole) : status;
}

/* The log is locked first and read then, so that no other search adds lines between the two. */
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
                 "%s: there is a log already; resume from it, or remove it or choose another name",
                 options->log);
    return resume(r);
}

/* What the run came to. */
static volt_status conclude(volt_run *r)
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

static volt_status check(const volt_candidates *candidates, const volt_search_options *options,
                         volt_search **search)
{
    VOLT_REQUIRE(candidates && search, VOLT_ERR_ARGUMENT, "the candidates or the place for the search is NULL");
    VOLT_REQUIRE(options->draws >= 0, VOLT_ERR_ARGUMENT, "there are %" PRId64 " draws, and must be at least 1",
                 options->draws);
    VOLT_REQUIRE(options->seconds >= 0 && isfinite(options->seconds), VOLT_ERR_ARGUMENT,
                 "the budget is %g s, and must be positive and finite", options->seconds);
    VOLT_REQUIRE(candidates->count >= 0 || options->draws > 0 || options->seconds > 0 ||
                     options->strategy == VOLT_STRATEGY_GRADIENT,
                 VOLT_ERR_ARGUMENT, "there is no end to the candidates: give a number of draws or a budget");
    VOLT_REQUIRE(options->race >= VOLT_RACE_EXACT && options->race <= VOLT_RACE_NONE, VOLT_ERR_ARGUMENT,
                 "there is no race %d", (int)options->race);
    VOLT_REQUIRE(options->strategy >= VOLT_STRATEGY_RANDOM && options->strategy <= VOLT_STRATEGY_GRADIENT,
                 VOLT_ERR_ARGUMENT, "there is no strategy %d", (int)options->strategy);
    if (options->strategy == VOLT_STRATEGY_GRADIENT)
        VOLT_TRY(volt_run_check_climb(candidates, options));
    VOLT_REQUIRE(options->strategy != VOLT_STRATEGY_ADAPTIVE || candidates->get_near, VOLT_ERR_ARGUMENT,
                 "an adaptive search draws its candidates, and these are given");
    VOLT_REQUIRE(options->shards >= 1 && options->shard >= 0 && options->shard < options->shards,
                 VOLT_ERR_ARGUMENT, "shard %" PRId64 " of %" PRId64 ": it must lie from 0 to %" PRId64,
                 options->shard, options->shards, options->shards - 1);
    VOLT_REQUIRE(!options->resume || options->log, VOLT_ERR_ARGUMENT, "there is no log to resume from");
    VOLT_REQUIRE(options->validate == VOLT_VALIDATE_SIMULATE || options->validate == VOLT_VALIDATE_ONE_STEP,
                 VOLT_ERR_ARGUMENT, "there is no way to validate %d", (int)options->validate);
    if (!candidates->feeds)
        return VOLT_OK;
    VOLT_REQUIRE(
        options->score != VOLT_SCORE_LOSS && !options->weights, VOLT_ERR_ARGUMENT,
        "candidates whose outputs come back are fitted by squares, every row alike: they do not go with "
        "%s",
        options->weights ? "weights" : "a loss");
    VOLT_REQUIRE(
        options->score < VOLT_SCORE_PREQUENTIAL || options->validate == VOLT_VALIDATE_ONE_STEP,
        VOLT_ERR_ARGUMENT,
        "the score %s is one of single steps: with outputs that come back it goes with validation one step "
        "ahead alone, not with free runs",
        volt_score_name(options->score));
    VOLT_REQUIRE(!options->base.data, VOLT_ERR_ARGUMENT,
                 "outputs that come back are levels: targets with a base do not go with them");
    return VOLT_OK;
}

/* Positions in this shard. */
static int64_t shard_length(const volt_candidates *candidates, const volt_search_options *options)
{
    int64_t total = candidates->count;
    if (options->draws > 0 && (total < 0 || options->draws < total))
        total = options->draws;
    if (total < 0)
        return -1;
    return total > options->shard ? (total - options->shard - 1) / options->shards + 1 : 0;
}

volt_status volt_search_run(const volt_candidates *candidates, volt_view X, volt_view Y,
                            const volt_search_options *options, volt_search **search)
{
    volt_search_options standard = volt_search_options_default();
    volt_search_options own = volt_fold_loss_options(options ? options : &standard);
    options = &own;
    VOLT_TRY(check(candidates, options, search));
    volt_run r = {
        .candidates = candidates, .options = options, .begun = volt_seconds(), .crew = volt_crew_take()};
    r.log.file = -1;
    r.length = shard_length(candidates, options);
    if (options->strategy == VOLT_STRATEGY_GRADIENT)
        volt_run_plan_climb(&r);
    VOLT_REQUIRE(r.length != 0, VOLT_ERR_ARGUMENT, "shard %" PRId64 " of %" PRId64 " has no candidates",
                 options->shard, options->shards);
    VOLT_TRY(volt_problem_create(X, Y, options, &r.problem));
    own.solver = r.problem->landmarks > 0 ? VOLT_SOLVER_NYSTROM : VOLT_SOLVER_EXACT; /* as it was settled */
    own.landmarks = r.problem->landmarks;
    omp_init_lock(&r.lock);

    volt_status status = volt_search_new(
        r.problem->folds,
        volt_measure_of(options->score, options->score == VOLT_SCORE_LOSS ? r.problem->loss->fit.loss : NULL),
        &r.search);
    if (status == VOLT_OK)
        status =
            volt_schedule_begin(&r.schedule, (volt_race_rule){options->race, options->score, r.problem->folds});
    if (status == VOLT_OK)
        r.search->info.landmarks = r.problem->landmarks;
    r.schedule.adaptive = options->strategy == VOLT_STRATEGY_ADAPTIVE;
    if (status == VOLT_OK && (options->log || r.crew))
        status = volt_search_fingerprint(candidates, X, Y, options, r.fingerprint);
    if (status == VOLT_OK && r.crew &&
        !r.crew->serves) /* before there is a log, which others would take for an old one */
        status = volt_crew_meet(&r);
    if (status == VOLT_OK)
        status = open_log(&r);
    if (status == VOLT_OK)
        status = run_all(&r);
    if (status == VOLT_OK)
        status = conclude(&r);
    /* A search that was cancelled, or in which all failed, is still of use. */
    bool keeps = status == VOLT_OK || (status == VOLT_ERR_CANCELLED && r.search->best) ||
                 (status == VOLT_ERR_DATA && r.search && r.search->info.trials > 0);
    if (keeps)
        *search = r.search;
    else
        volt_search_free(r.search);
    if (r.hands > 0)
        volt_hands_end(&r, &(volt_hands){0}); /* nothing was begun, and the others are to know it */
    volt_trial_log_close(&r.log);
    volt_schedule_end(&r.schedule);
    volt_problem_free(r.problem);
    omp_destroy_lock(&r.lock);
    return status;
}
