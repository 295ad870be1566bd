/* src/select/search/race.c: early stopping of candidates.
 *
 * Scores are signed so that higher is better: g. The best complete candidate so far has fold scores g*_k and
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
#include "select/search/race.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "select/search/search_internal.h"

#include <math.h>

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
