/* src/select/folds/cross_validation.h: the scores of one candidate on all validation blocks. */
#ifndef SELECT_CROSS_VALIDATION_H
#define SELECT_CROSS_VALIDATION_H

#include "select/folds/problem.h"
#include "select/folds/workspace.h"

/* Asked after every block with the scores so far: go on? */
typedef bool (*volt_goes_on_fn)(const double *folds, int64_t n_done, void *context);

/* Scores of a candidate, whose outputs come back with the weight `feedback` (0: they do not), into folds (problem->folds of them), *n_done of them when `goes_on` ended it. *alpha 0 is
 * profiled: replaced by the one of solve/choice/choice.h's grid with the best mean score, of equals the largest; `goes_on` is
 * not asked then, and an alpha that fails is left out unless all do. The
 * stage is shared by all evaluations that run at the same time. VOLT_ERR_CANCELLED when it is cancelled;
 * VOLT_ERR_SINGULAR, VOLT_ERR_NOT_FINITE, VOLT_ERR_ARGUMENT and VOLT_ERR_KERNEL belong to the candidate. */
volt_status volt_evaluate(const volt_problem *problem, volt_workspace *workspace, const char *kernel,
                          double *alpha, double feedback, volt_goes_on_fn goes_on, void *context,
                          volt_stage *stage, double *folds, int64_t *n_done, volt_cost *cost);

#endif
