/* src/select/race.c: when to give a candidate up.
 *
 * Scores are turned so that high is good: g. The best complete candidate so far has fold scores g*_k and mean
 * g*; F folds in all, f of them done.
 *
 *     exact   stop when (sum_{k<=f} g_k + (F - f) top) / F < g*, top being the best possible score of a fold (1
 *             for r2, 0 for errors): the candidate cannot win, whatever its remaining folds give.
 *     fast    also stop when  dbar + 2 s sqrt(1/f - 1/F) < 0,  dbar = mean_{k<=f} (g_k - g*_k).
 *
 * The second treats the folds done as a sample without replacement of all F: the mean difference over all F
 * folds is then dbar, give or take s sqrt(1/f - 1/F), where s is the standard deviation of such differences
 * between folds. s is the median of it over the complete candidates, so that hopeless ones among them, whose
 * differences are wild, do not set it. A candidate is given up when it is two standard errors behind. */
#include "select/race.h"

#include "base/numbers.h"
#include "select/search_internal.h"

#include <math.h>

enum { FEWEST_COMPLETE = 4 }; /* complete candidates beside the best that a spread can be learned from */
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

static bool is_complete(const volt_trial *trial)
{
    return trial && volt_trial_complete(trial);
}

volt_rival volt_rival_of(volt_race race, volt_score score, int64_t folds, volt_trial *const *trials,
                         int64_t count, double *scratch)
{
    volt_rival rival = {.race = race, .score = score, .folds = folds, .spread = NAN};
    double sign = volt_score_sign(score);
    for (int64_t i = 0; i < count; i++)
        if (is_complete(trials[i]) && (!rival.best || sign * (trials[i]->score - rival.best->score) > 0))
            rival.best = trials[i];
    if (race != VOLT_RACE_FAST || folds < 2)
        return rival;

    int64_t known = 0;
    for (int64_t i = 0; i < count; i++)
        if (is_complete(trials[i]) && trials[i] != rival.best)
            scratch[known++] = spread_of(trials[i], rival.best, folds);
    if (known >= FEWEST_COMPLETE) {
        volt_sort(scratch, known);
        rival.spread = scratch[known / 2];
    }
    return rival;
}

bool volt_rival_beats(const volt_rival *rival, const double *folds, int64_t done)
{
    if (rival->race == VOLT_RACE_NONE || !rival->best)
        return false;
    double sign = volt_score_sign(rival->score), top = sign > 0 ? 1 : 0, all = (double)rival->folds;
    double best = sign * rival->best->score, sum = (all - (double)done) * top, behind = 0;
    for (int64_t k = 0; k < done; k++) {
        sum += sign * folds[k];
        behind += sign * (folds[k] - rival->best->folds[k]) / (double)done;
    }
    /* The rounding of two means must not decide: what could tie is not given up. */
    if (sum / all < best - 1e-12 * (1 + fabs(best)))
        return true;
    double error = rival->spread * sqrt(1 / (double)done - 1 / all);
    return rival->race == VOLT_RACE_FAST && behind + standard_errors * error < 0; /* false for NaN */
}
