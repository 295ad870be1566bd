/* src/select/folds/block_score.h: what the forecasts of one validation block are worth. */
#ifndef SELECT_BLOCK_SCORE_H
#define SELECT_BLOCK_SCORE_H

#include "select/folds/problem.h"

/* R2, NMSE, MSE or the prequential R2, as the problem says, of forecasts (block x q, scaled) for the split's block.
 * Where the targets have a base, errors are those of the targets, which are those of the levels too, and variances
 * those of the levels. VOLT_ERR_NOT_FINITE when they are too large. */
volt_status volt_block_score(const volt_problem *problem, const volt_split *split, volt_view forecast,
                             double *score);

/* +1 where a high score is a good one, -1 otherwise. */
double volt_score_sign(volt_score score);

#endif
