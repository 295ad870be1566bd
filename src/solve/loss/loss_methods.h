/* src/solve/loss/loss_methods.h: the two methods that minimise a loss (loss_solve.c has the order). */
#ifndef SOLVE_LOSS_LOSS_METHODS_H
#define SOLVE_LOSS_LOSS_METHODS_H

#include "solve/loss/loss_problem.h"

/* ---- alternating directions (admm.c) ----------------------------------------------------------- */

/* The first method for every loss: alternating directions with one factor.
 *
 * With L L' = K + (alpha / rho) I, r1 = L^{-T} L^{-1} 1 and relaxation 1.7, a step is
 *
 *     b = u - s;   a0 = L^{-T} L^{-1} b;   c = 1' a0 / 1' r1;   a = a0 - r1 c;   v = b - (alpha / rho) a    (= K a + 1 c)
 *     v <- 1.7 v - 0.7 u;   u = prox_{l / rho}(v + s);   s <- s + v - u                                   (g = rho s)
 *
 * Boyd, Parikh, Chu, Peleato, Eckstein, Distributed optimization and statistical learning via the alternating direction
 * method of multipliers, 2011. */
/* Steps until the gap is tolerance |J|, or `most_steps` are taken; with `settled` until also u and g move no
 * more than by that tolerance. problem->K holds L below the diagonal and on it; r1 is n numbers, rho the penalty. The state
 * receives a, c, u, g, objective and gap; *steps counts up. The gap is looked at every `every` steps and after the last.
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
typedef struct volt_admm_task {
    const double *r1;
    double rho, tolerance;
    int64_t most_steps, every;
    bool settled;
    /* (optional) replaces factor and r1 by those for another rho: rho then follows the
     * residuals, after FIRST_LOOK steps and each time that three times as many are done (admm.c). */
    volt_status (*refactor)(void *context, double rho);
    void *context;
    double least_rho, most_rho;
} volt_admm_task;
volt_status volt_admm_run(const volt_loss_problem *problem, const volt_admm_task *task, volt_loss_state *state,
                          int64_t *steps);

/* B <- (L L')^{-1} B, B n x any. */
void volt_loss_solve_factor(volt_matrix L, volt_matrix B);

/* ---- Newton (active_newton.c) ------------------------------------------------------------------ */

/* The second method: Newton on the rows whose slope can move.
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
typedef struct volt_newton_task {
    double rho, most_rho; /* not for smooth losses */
    double least_shift;   /* alpha / d is at least this, for the factorisation */
    double tolerance;
    bool one_more; /* smooth losses: one more step once the gap is closed, which squares the error */
    int64_t most_steps;
} volt_newton_task;

/* Continues from the state, whose fields are all used, until the gap is tolerance |J|, rounding stops it or the steps are spent;
 * *steps counts up. Not for losses of whole rows. The working memory of problem->K is used. VOLT_ERR_MEMORY,
 * VOLT_ERR_CANCELLED, VOLT_ERR_SINGULAR. */
volt_status volt_newton_run(const volt_loss_problem *problem, const volt_newton_task *task,
                            volt_loss_state *state, int64_t *steps);

/* ---- one Newton step (newton_system.c) ---------------------------------------------------------- */

/* n x m each, m the columns of the group. */
typedef struct newton_step {
    volt_matrix da, kda; /* the change of a, and K times that */
    double *dc;          /* m */
    double reach;        /* given: the step of an intercept to which no row says how far */
} newton_step;

/* From a and the slopes g at u, with these directions. `space` is n x m. Levels that no direction ties together are solved
 * each by itself. */
volt_status volt_newton_step(const volt_loss_problem *problem, const volt_loss_directions *directions,
                             volt_matrix a, volt_matrix g, double least_shift, double *space,
                             newton_step *step);

#endif
