/* src/fit/landmark_growth.h: the number of landmarks, chosen by what it buys (VOLT_LANDMARKS_AUTO).
 *
 * A trial is one pass over the rows with M landmarks in nested order, from which the errors of M, M/2, M/4, ... landmarks
 * follow (solve/landmark/solver_nystrom.c). M doubles while that reduces the held-out error by 1 % or more, and the fit uses
 * the least number whose error is within 1 % of the last. For an iterative solver the number has the fewest estimated
 * operations, of the preconditioner and of the iterations. The fit is the same as with this number given. */
#ifndef FIT_LANDMARK_GROWTH_H
#define FIT_LANDMARK_GROWTH_H

#include "fit/fit_task.h"

/* Properties of the fit that determine the cost of landmarks. */
typedef struct volt_landmark_costs {
    bool iterates;    /* landmarks are a preconditioner */
    double n, d, q;   /* rows, their length, outputs */
    double tolerance; /* of the iteration */
} volt_landmark_costs;

/* Index of the level to use; *grows: twice as many landmarks as in the last level should be tried first. -1: the errors are
 * unknown. */
int64_t volt_landmark_level_choose(const volt_landmark_levels *levels, const volt_landmark_costs *costs,
                                   bool *grows);

/* volt_fit_solve; with VOLT_LANDMARKS_AUTO the number is chosen first, and stored in loss->options. */
volt_status volt_fit_grow(const volt_kernel *kernel, fit_task *task, volt_loss_fit *loss, volt_matrix fitted,
                          volt_model **model);

#endif
