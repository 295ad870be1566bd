/* src/select/folds/block_score.h: what the forecasts of one validation block are worth. */
#ifndef SELECT_BLOCK_SCORE_H
#define SELECT_BLOCK_SCORE_H

#include "select/folds/problem.h"

/* R2, NMSE, MSE or the prequential R2, as the problem says, of forecasts (block x q, scaled) for the split's block.
 * Where the targets have a base, errors are those of the targets, which are those of the levels too, and variances
 * those of the levels. VOLT_ERR_NOT_FINITE when they are too large. */
volt_status volt_block_score(const volt_problem *problem, const volt_split *split, volt_view forecast,
                             double *score);

/* The mean over outputs of gcv[k] (scaled) over the variance of the targets, or of the levels where they have a base.
 * VOLT_ERR_NOT_FINITE. */
volt_status volt_gcv_score(const volt_problem *problem, const double *gcv, double *score);

/* Is the score one of all rows together, with no blocks of validation? */
bool volt_score_is_of_all_rows(volt_score score);

/* The name in logs and sentences: r2, nmse, mse, prequential, log, loo, gcv, loss. */
const char *volt_score_name(volt_score score);

/* +1 where a high score is a good one, -1 otherwise. */
double volt_score_sign(volt_score score);

#endif
