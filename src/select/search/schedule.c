/* src/select/search/schedule.c: positions, standings of the race, and trials whose reference is not known
 * yet. */

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "select/search/search_internal.h"
#include "select/search/search_run.h"

#include <math.h>

/* ---- early stopping of candidates -------------------------------------------------------------------- */

/* Scores are signed so that higher is better: g. The best complete candidate so far has fold scores g*_k and
 * mean g*; F folds in all, f of them done.
 *
 *     exact   stop when (sum_{k<=f} g_k + (F - f) top) / F < g*, top being the best possible score of a fold (1
 *             for r2, 0 for errors): the candidate cannot win with any remaining scores.
 *     fast    also stop when  dbar + 2 s sqrt(1/f - 1/F) < 0,  dbar = mean_{k<=f} (g_k - g*_k).
 *
 * The second rule treats the completed folds as a sample without replacement of all F. The mean difference
 * over all F folds is then dbar with standard error s sqrt(1/f - 1/F), where s is the standard deviation of
 * such differences between folds. s is the median over the complete candidates, which is robust to poor ones
 * with large differences. A candidate is stopped when it is two standard errors behind. */

enum { MIN_COMPLETE = 4 }; /* complete candidates other than the best, required for a spread */
static const double standard_errors = 2;

/* Standard deviation over the folds of the differences between two trials. */
static double spread_of(const volt_trial *a, const volt_trial *b, int64_t folds)
{
    double mean = 0, squares = 0;
    for (int64_t k = 0; k < folds; k++)
        mean += (a->folds[k] - b->folds[k]) / (double)folds;
    for (int64_t k = 0; k < folds; k++) {
        double apart = a->folds[k] - b->folds[k] - mean;
        squares += apart * apart;
    }
    return sqrt(squares / (double)(folds - 1));
}

/* ---- standings ------------------------------------------------------------------------------------- */

static volt_status append_reference(volt_standings *standings, volt_reference reference)
{
    VOLT_TRY(volt_grow((void **)&standings->references, &standings->reference_capacity, standings->count + 1,
                       sizeof reference));
    standings->references[standings->count] = reference;
    return VOLT_OK;
}

volt_status volt_standings_begin(volt_standings *standings, volt_race_rule rule)
{
    *standings = (volt_standings){.rule = rule};
    return append_reference(standings, (volt_reference){.spread = NAN});
}

void volt_standings_end(volt_standings *standings)
{
    volt_free(standings->references);
    volt_free(standings->complete);
    volt_free(standings->spreads);
}

/* Differences are relative to the best trial, so a new best changes them all. */
static void measure_again(volt_standings *standings, const volt_trial *best)
{
    standings->n_spreads = 0;
    for (int64_t i = 0; i < standings->n_complete; i++)
        if (standings->complete[i] != best)
            standings->spreads[standings->n_spreads++] =
                spread_of(standings->complete[i], best, standings->rule.folds);
    volt_sort(standings->spreads, standings->n_spreads);
}

static void insert_spread(volt_standings *standings, double spread)
{
    int64_t at = standings->n_spreads++;
    for (; at > 0 && standings->spreads[at - 1] > spread; at--)
        standings->spreads[at] = standings->spreads[at - 1];
    standings->spreads[at] = spread;
}

static volt_status add_complete(volt_standings *standings, const volt_trial *trial, volt_reference *reference)
{
    VOLT_TRY(volt_grow((void **)&standings->complete, &standings->complete_capacity, standings->n_complete + 1,
                       sizeof(void *)));
    VOLT_TRY(volt_grow((void **)&standings->spreads, &standings->spread_capacity, standings->n_complete + 1,
                       sizeof(double)));
    standings->complete[standings->n_complete++] = trial;
    double sign = volt_score_sign(standings->rule.score);
    bool is_best = !reference->best || sign * (trial->score - reference->best->score) > 0;
    if (is_best)
        reference->best = trial;
    if (standings->rule.race != VOLT_RACE_FAST || standings->rule.folds < 2)
        return VOLT_OK;
    if (is_best)
        measure_again(standings, trial);
    else
        insert_spread(standings, spread_of(trial, reference->best, standings->rule.folds));
    if (standings->n_spreads >= MIN_COMPLETE)
        reference->spread = standings->spreads[standings->n_spreads / 2];
    return VOLT_OK;
}

volt_status volt_standings_add(volt_standings *standings, const volt_trial *trial)
{
    volt_reference reference = standings->references[standings->count];
    if (volt_trial_complete(trial))
        VOLT_TRY(add_complete(standings, trial, &reference));
    standings->count++;
    return append_reference(standings, reference);
}

/* ---- the rule --------------------------------------------------------------------------------- */

bool volt_reference_beats(const volt_race_rule *rule, const volt_reference *reference, const double *folds,
                          int64_t done)
{
    if (rule->race == VOLT_RACE_NONE || !reference->best)
        return false;
    double sign = volt_score_sign(rule->score), top = sign > 0 ? 1 : 0, all = (double)rule->folds;
    double best = sign * reference->best->score, sum = (all - (double)done) * top, behind = 0;
    for (int64_t k = 0; k < done; k++) {
        sum += sign * folds[k];
        behind += sign * (folds[k] - reference->best->folds[k]) / (double)done;
    }
    /* Rounding of two means must not decide: a possible tie is not stopped. */
    if (sum / all < best - 1e-12 * (1 + fabs(best)))
        return true;
    double error = reference->spread * sqrt(1 / (double)done - 1 / all);
    return rule->race == VOLT_RACE_FAST && behind + standard_errors * error < 0; /* false for NaN */
}

volt_status volt_schedule_begin(volt_schedule *schedule, volt_race_rule rule)
{
    *schedule = (volt_schedule){.max_ahead = VOLT_LAG, .evolves_at = INT64_MAX};
    return volt_standings_begin(&schedule->standings, rule);
}

void volt_schedule_end(volt_schedule *schedule)
{
    for (int64_t p = 0; p < schedule->positions; p++)
        volt_trial_free(schedule->waiting[p]);
    volt_free(schedule->waiting);
    volt_free(schedule->final);
    volt_standings_end(&schedule->standings);
}

static volt_status make_positions(volt_schedule *schedule, int64_t count)
{
    VOLT_TRY(volt_grow((void **)&schedule->final, &schedule->final_capacity, count, sizeof(volt_trial *)));
    VOLT_TRY(volt_grow((void **)&schedule->waiting, &schedule->waiting_capacity, count, sizeof(volt_trial *)));
    for (; schedule->positions < count; schedule->positions++)
        schedule->final[schedule->positions] = schedule->waiting[schedule->positions] = NULL;
    return VOLT_OK;
}

bool volt_schedule_has(const volt_schedule *schedule, int64_t position)
{
    return position < schedule->positions && schedule->final[position];
}

/* Adds trials to the standings in order of position. */
static volt_status update_standings(volt_schedule *schedule)
{
    while (volt_schedule_has(schedule, schedule->standings.count))
        VOLT_TRY(volt_standings_add(&schedule->standings, schedule->final[schedule->standings.count]));
    return VOLT_OK;
}

volt_status volt_schedule_resume(volt_schedule *schedule, int64_t position, volt_trial *trial)
{
    VOLT_TRY(make_positions(schedule, position + 1));
    schedule->final[position] = trial;
    return update_standings(schedule);
}

int64_t volt_schedule_next(volt_schedule *schedule)
{
    while (volt_schedule_has(schedule, schedule->next))
        schedule->next++;
    return schedule->next;
}

int64_t volt_schedule_needs(const volt_schedule *schedule, int64_t position)
{
    if (position >= schedule->evolves_at)
        return position < schedule->generation_end ? schedule->generation_begin : schedule->generation_end;
    return schedule->adaptive ? volt_generation_begin(position) : 0;
}

bool volt_schedule_may_begin(const volt_schedule *schedule)
{
    return volt_schedule_needs(schedule, schedule->next) <= schedule->standings.count &&
           schedule->next - schedule->standings.count < schedule->max_ahead;
}

volt_status volt_schedule_take(volt_schedule *schedule)
{
    VOLT_TRY(make_positions(schedule, schedule->next + 1));
    schedule->next++;
    return VOLT_OK;
}

const volt_reference *volt_schedule_reference(const volt_schedule *schedule, int64_t position)
{
    if (position >= schedule->evolves_at)
        return &schedule->generation_reference; /* generations do not overlap */
    int64_t before = volt_max(0, position - VOLT_LAG + 1);
    return before <= schedule->standings.count ? &schedule->standings.references[before] : NULL;
}

/* Truncates the trial to the folds that the rule allows. */
static void judge(const volt_schedule *schedule, const volt_reference *reference, volt_trial *trial)
{
    const volt_race_rule *rule = &schedule->standings.rule;
    for (int64_t done = 1; done <= trial->n_folds && done < rule->folds; done++)
        if (volt_reference_beats(rule, reference, trial->folds, done)) {
            volt_trial_stop(trial, done);
            return;
        }
}

/* Settles trials whose reference is known; each may be the reference of a later one. */
static volt_status finalise(volt_schedule *schedule, volt_keep_trial keep, void *context)
{
    for (int64_t p = schedule->standings.count; p < schedule->next; p++) {
        const volt_reference *reference = volt_schedule_reference(schedule, p);
        volt_trial *trial = schedule->waiting[p];
        if (!reference)
            break;
        if (!trial)
            continue;
        schedule->waiting[p] = NULL;
        judge(schedule, reference, trial);
        VOLT_TRY(keep(trial, context));
        schedule->final[p] = trial;
        VOLT_TRY(update_standings(schedule));
    }
    return VOLT_OK;
}

volt_status volt_schedule_finish(volt_schedule *schedule, int64_t position, volt_trial *trial,
                                 volt_keep_trial keep, void *context)
{
    schedule->waiting[position] = trial;
    return finalise(schedule, keep, context);
}
