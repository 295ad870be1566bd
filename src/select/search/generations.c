/* src/select/search/generations.c: selects the parents of the next generation. */
#include "select/search/search_run.h"

#include "base/numbers.h"
#include "select/search/search_internal.h"

#include <math.h>
#include <string.h>

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
