/* src/select/search/evolution.c: generations of CMA-ES in a search.
 *
 * The search is over the positions u in the unit box along the axes of the space (candidates/space.c):
 * logarithmic ranges are searched in logarithms, integers are rounded, choices keep the value of the start.
 * The generation after a number of draws or adaptive generations starts a run:
 *
 *     run 0         at the best trial, with the root mean square distance of the next three from it
 *     run r >= 1    at draw number r of the first draws by score, with a wide distribution and a generation 2^r
 *                   times as large (IPOP: Auger and Hansen, CEC 2005)
 *
 * From a given candidate (volt_candidates_start), the search has no draws: run 0 starts there with the given
 * step, and run r at the best trial with 2^r times that step, at most max_sigma.
 *
 * A run ends without progress or at the precision; the next one follows.
 *
 * Race: the reference of a generation is the worst parent of the previous one, the trial at the end of its
 * better half. A stopped candidate has lost to it, so the ranking of parents is exact if at least half of the
 * generation is complete. Stopped candidates rank after the complete ones, by their mean difference from the
 * reference on their blocks; failed ones rank last. The first generation of a run has no reference.
 *
 * A generation depends only on earlier trials, the seed and the indices of its candidates. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "select/search/cma.h"
#include "select/search/search_internal.h"
#include "select/search/search_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- selects the parents of the next generation ------------------------------------------------------ */

double volt_trial_worth(const volt_trial *trial, const volt_trial *best, double sign)
{
    if (volt_trial_complete(trial))
        return sign * trial->score;
    if (trial->failure || trial->n_folds == 0)
        return NAN;
    double difference = 0;
    for (int64_t k = 0; k < trial->n_folds; k++)
        difference += sign * (trial->folds[k] - best->folds[k]) / (double)trial->n_folds;
    return sign * best->score + fmin(difference, 0);
}

static bool has_one_like(const volt_parents *parents, const volt_trial *trial)
{
    for (int64_t i = 0; i < parents->count; i++)
        if (parents->trials[i]->alpha == trial->alpha && parents->trials[i]->feedback == trial->feedback &&
            strcmp(parents->trials[i]->kernel, trial->kernel) == 0)
            return true;
    return false;
}

void volt_parents_choose(const volt_standings *standings, volt_trial *const *trials, int64_t count,
                         volt_parents *parents)
{
    const volt_trial *best = standings->references[count].best;
    double sign = volt_score_sign(standings->rule.score), worths[VOLT_MAX_PARENTS];
    parents->count = 0;
    for (int64_t p = 0; best && p < count; p++) {
        double own = volt_trial_worth(trials[p], best, sign);
        int64_t place = parents->count;
        while (place > 0 && own > worths[place - 1]) /* the first of equals; NaN is never moved up */
            place--;
        if (isnan(own) || place == VOLT_MAX_PARENTS || has_one_like(parents, trials[p]))
            continue;
        parents->count = volt_min(parents->count + 1, VOLT_MAX_PARENTS);
        for (int64_t i = parents->count - 1; i > place; i--) {
            parents->trials[i] = parents->trials[i - 1];
            worths[i] = worths[i - 1];
        }
        parents->trials[place] = trials[p];
        worths[place] = own;
    }
}

enum {
    MIN_POPULATION = 12,
    MAX_POPULATION = 4096,
    EXPLORED = 256, /* positions of an adaptive search before CMA-ES */
    MIN_ROWS = 1000 /* fewer rows do not support the refinement of an adaptive search */
};
static const double min_sigma = 0.05, default_sigma = 0.2, max_sigma = 0.3;
static const double tolerance_x = 1e-4, tolerance_value = 1e-3,
                    tolerance_log = 1e-6; /* the last for VOLT_SCORE_LOG */

void volt_evolution_plan(volt_run *r)
{
    volt_schedule *schedule = &r->schedule;
    if (r->options->strategy == VOLT_STRATEGY_CMA)
        schedule->evolves_at = r->candidates->start ? 1 : VOLT_FIRST_DRAWS;
    else if (schedule->adaptive && r->problem && r->problem->n - r->problem->washout >= MIN_ROWS)
        schedule->evolves_at = EXPLORED;
    schedule->generation_begin = schedule->generation_end = schedule->evolves_at;
}

void volt_evolution_end(volt_evolution *evolution)
{
    volt_cma_free(evolution->cma);
    evolution->cma = NULL;
}

/* ---- the start of a run ------------------------------------------------------------------------------ */

/* The trial of the first draws with this rank by worth, from 0; NULL: there are fewer. */
static const volt_trial *ranked_draw(const volt_run *r, int64_t place)
{
    const volt_standings *standings = &r->schedule.standings;
    const volt_trial *best = standings->references[standings->count].best;
    double sign = volt_score_sign(standings->rule.score), worths[VOLT_FIRST_DRAWS];
    for (int64_t p = 0; p < VOLT_FIRST_DRAWS; p++)
        worths[p] = best ? volt_trial_worth(r->schedule.final[p], best, sign) : NAN;
    for (;; place--) {
        int64_t top = -1;
        for (int64_t p = 0; p < VOLT_FIRST_DRAWS; p++)
            if (!isnan(worths[p]) && (top < 0 || worths[p] > worths[top]))
                top = p;
        if (top < 0 || place == 0)
            return top < 0 ? NULL : r->schedule.final[top];
        worths[top] = NAN;
    }
}

/* The root mean square distance per axis of the other parents from the start. */
static volt_status spread_of(const volt_run *r, const volt_parents *parents, const volt_point *start,
                             double *sigma)
{
    double squares = 0;
    int64_t count = 0;
    for (int64_t i = 1; i < parents->count; i++) {
        volt_point other;
        VOLT_TRY(volt_candidates_locate(r->candidates, parents->trials[i], &other));
        for (int64_t a = 0; a < start->count && other.source == start->source; a++, count++)
            squares += pow(other.u[start->axes[a]] - start->u[start->axes[a]], 2);
    }
    *sigma = count > 0 ? fmin(fmax(sqrt(squares / (double)count), min_sigma), max_sigma) : default_sigma;
    return VOLT_OK;
}

/* The best trial so far and the next three. */
static void best_trials(const volt_run *r, volt_parents *parents)
{
    volt_parents_choose(&r->schedule.standings, r->schedule.final, r->schedule.generation_end, parents);
}

/* The start of the next run of a search from a given candidate. */
static volt_status choose_from_given(const volt_run *r, volt_point *start, double *sigma)
{
    const volt_candidates *candidates = r->candidates;
    int64_t runs = r->evolution.runs;
    volt_parents parents = {.count = 0};
    volt_trial given = {.kernel = candidates->start,
                        .alpha = candidates->start_setting.alpha,
                        .feedback = candidates->start_setting.feedback};
    if (runs > 0)
        best_trials(r, &parents);
    *sigma = fmin(ldexp(candidates->start_step, (int)volt_min(runs, 12)), max_sigma);
    return volt_candidates_locate(candidates, parents.count > 0 ? parents.trials[0] : &given, start);
}

/* The start of the next run and its step size. A point that cannot move: the generation consists of draws. */
static volt_status choose_start(const volt_run *r, volt_point *start, double *sigma)
{
    if (r->candidates->start)
        return choose_from_given(r, start, sigma);
    volt_parents parents = {.count = 0};
    const volt_trial *trial = NULL;
    *sigma = max_sigma;
    start->count = 0;
    if (r->evolution.runs == 0) {
        best_trials(r, &parents);
        trial = parents.count > 0 ? parents.trials[0] : NULL;
    } else {
        trial = ranked_draw(r, r->evolution.runs);
    }
    if (!trial)
        return VOLT_OK;
    VOLT_TRY(volt_candidates_locate(r->candidates, trial, start));
    return r->evolution.runs == 0 ? spread_of(r, &parents, start, sigma) : VOLT_OK;
}

static volt_status begin_run(volt_run *r)
{
    volt_evolution *evolution = &r->evolution;
    double sigma = 0, u[VOLT_MAX_AXES];
    volt_evolution_end(evolution);
    VOLT_TRY(choose_start(r, &evolution->start, &sigma));
    int64_t n = evolution->start.count, doublings = volt_min(evolution->runs++, 12);
    r->schedule.generation_reference = (volt_reference){.spread = NAN};
    if (n == 0)
        return VOLT_OK;
    for (int64_t i = 0; i < n; i++)
        u[i] = evolution->start.u[evolution->start.axes[i]];
    int64_t usual = volt_max(MIN_POPULATION, 4 + (int64_t)(3 * log((double)n)));
    volt_cma_options options = {.n = n,
                                .start = u,
                                .sigma = sigma,
                                .population = volt_min(usual << doublings, MAX_POPULATION),
                                .tolerance_x = tolerance_x,
                                .tolerance_value =
                                    r->options->score == VOLT_SCORE_LOG ? tolerance_log : tolerance_value};
    return volt_cma_create(&options, &evolution->cma);
}

/* ---- the end of a generation -------------------------------------------------------------------------- */

/* Lower is better, and at least 0 for scores with a bound. */
static double loss_of(const volt_race_rule *rule, double score)
{
    double sign = volt_score_sign(rule->score);
    return (sign > 0 && rule->score != VOLT_SCORE_LOG ? 1 : 0) - sign * score;
}

/* Mean difference of a stopped trial from its reference, at least 0. */
static double behind(const volt_race_rule *rule, const volt_trial *trial, const volt_trial *reference)
{
    double sum = 0;
    for (int64_t k = 0; reference && k < trial->n_folds; k++)
        sum += loss_of(rule, trial->folds[k]) - loss_of(rule, reference->folds[k]);
    return fmax(sum / (double)volt_max(trial->n_folds, 1), 0);
}

/* The values of the generation, and the reference of the next one: the complete trial at the place of the last
 * parent, or the worst complete one. Without a complete trial the reference does not change. */
static void judge(volt_run *r, double *values)
{
    volt_schedule *schedule = &r->schedule;
    const volt_race_rule *rule = &schedule->standings.rule;
    const volt_trial *reference = schedule->generation_reference.best, *next = NULL;
    volt_trial *const *trials = schedule->final + schedule->generation_begin;
    int64_t count = schedule->generation_end - schedule->generation_begin, complete = 0;
    double worst = reference ? loss_of(rule, reference->score) : 0;
    for (int64_t k = 0; k < count; k++)
        if (volt_trial_complete(trials[k])) {
            values[k] = loss_of(rule, trials[k]->score);
            worst = fmax(worst, values[k]);
            complete++;
        }
    for (int64_t k = 0; k < count; k++)
        if (!volt_trial_complete(trials[k]))
            values[k] = trials[k]->failure || trials[k]->n_folds == 0
                            ? NAN
                            : worst + behind(rule, trials[k], reference);
    int64_t place = volt_min(count / 2, complete);
    for (int64_t k = 0; k < count && !next; k++) {
        int64_t better = 0;
        for (int64_t j = 0; j < count; j++)
            better +=
                volt_trial_complete(trials[j]) && (values[j] < values[k] || (j < k && values[j] == values[k]));
        if (volt_trial_complete(trials[k]) && better == place - 1)
            next = trials[k];
    }
    schedule->generation_reference =
        (volt_reference){.best = next ? next : reference,
                         .spread = schedule->standings.references[schedule->generation_end].spread};
}

/* Ends the generation and starts the next one, of the same run or of another. */
static volt_status advance(volt_run *r)
{
    volt_schedule *schedule = &r->schedule;
    volt_evolution *evolution = &r->evolution;
    int64_t count = schedule->generation_end - schedule->generation_begin;
    bool goes_on = false;
    if (evolution->cma) {
        double *values = volt_alloc_doubles(count, 1);
        if (!values)
            return VOLT_ERR_MEMORY;
        judge(r, values);
        goes_on = volt_cma_tell(evolution->cma, values);
        volt_free(values);
    }
    if (!goes_on)
        VOLT_TRY(begin_run(r));
    schedule->generation_begin = schedule->generation_end;
    if (evolution->cma) {
        static const uint64_t evolving = UINT64_C(0xa24baed4963ee407);
        volt_cma_ask(evolution->cma, r->candidates->seed ^ evolving, (uint64_t)schedule->generation_begin);
        schedule->generation_end += volt_cma_population(evolution->cma);
    } else {
        schedule->generation_end += VOLT_GENERATION;
    }
    return VOLT_OK;
}

volt_status volt_evolution_reach(volt_run *r, int64_t position)
{
    while (position >= r->schedule.generation_end && r->schedule.generation_end <= r->schedule.standings.count)
        VOLT_TRY(advance(r));
    return VOLT_OK;
}

volt_status volt_evolution_candidate(const volt_run *r, int64_t position, char kernel[VOLT_KERNEL_LENGTH],
                                     volt_setting *setting)
{
    const volt_evolution *evolution = &r->evolution;
    if (!evolution->cma)
        return volt_candidates_take(r->candidates, position, kernel, setting);
    volt_point point = evolution->start;
    const double *u = volt_cma_point(evolution->cma, position - r->schedule.generation_begin);
    for (int64_t i = 0; i < point.count; i++)
        point.u[point.axes[i]] = u[i];
    return volt_candidates_at(&point, kernel, setting);
}
