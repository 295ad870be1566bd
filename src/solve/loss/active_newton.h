/* src/solve/loss/active_newton.h: the second method, Newton on the rows whose slope can move.
 *
 * A smooth loss is minimised by Newton's method. One of straight lines (quantile, epsilon) is eased: the envelope of the
 * loss at rho around slopes g0 (loss.h) has a second derivative rho on the rows that are interpolated and 0 on all others,
 * and its minimum, with g0 <- g and rho growing from minimum to minimum, leads to that of the loss: the method of
 * multipliers, with the semismooth Newton steps of Li, Sun, Toh (SIAM J. Optim. 28, 2018). Both are
 *
 *     alpha da + B diag(d) B' (K da + 1 dc) = - (alpha a + g) =: -R,       1'(a + da) = 0,
 *
 * B the directions of change (one per active row; more where levels are tied), which is a system of as many unknowns as
 * there are directions: da = dn + B z with dn = -(I - B B') R / alpha,
 *
 *     (B' K B + alpha / d) z + B' 1 dc = - B' R / d - B' K dn
 *
 * and a search along the line for the root of the (increasing) derivative: every minimum is found from anywhere. */
#ifndef SOLVE_LOSS_ACTIVE_NEWTON_H
#define SOLVE_LOSS_ACTIVE_NEWTON_H

#include "solve/loss/loss_problem.h"

typedef struct volt_newton_task {
    double rho, most_rho; /* not for smooth losses */
    double least_shift;   /* alpha / d is at least this, for the factorisation */
    double tolerance;
    bool one_more; /* smooth losses: one more step once the gap is closed, which squares the error */
    int64_t most_steps;
} volt_newton_task;

/* Go on from the state, whose parts all count, until the gap is tolerance |J|, rounding stops it or the steps are spent;
 * *steps counts up. Not for losses of whole rows. The working room of problem->K is used. VOLT_ERR_MEMORY,
 * VOLT_ERR_CANCELLED, VOLT_ERR_SINGULAR. */
volt_status volt_newton_run(const volt_loss_problem *problem, const volt_newton_task *task,
                            volt_loss_state *state, int64_t *steps);

#endif
