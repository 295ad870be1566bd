/* src/solve/loss/loss_methods.h: the two methods that minimise a loss (loss_solve.c combines them). */
#ifndef SOLVE_LOSS_METHODS_H
#define SOLVE_LOSS_METHODS_H

#include "solve/loss/loss_problem.h"

/* ---- alternating directions (admm.c) ----------------------------------------------------------- */

/* The first method for every loss but squares: the alternating direction method of multipliers, with one factor.
 *
 * With L L' = K + (alpha / rho) I, r1 = L^{-T} L^{-1} 1 and relaxation 1.7, a step is
 *
 *     b = u - s;   a0 = L^{-T} L^{-1} b;   c = 1' a0 / 1' r1;   a = a0 - r1 c;   v = b - (alpha / rho) a    (=
 * K a + 1 c)
 *     v <- 1.7 v - 0.7 u;   u = prox_{l / rho}(v + s);   s <- s + v - u                                   (g =
 * rho s)
 *
 * Boyd, Parikh, Chu, Peleato, Eckstein, Distributed optimization and statistical learning via the
 * alternating direction method of multipliers, 2011. */
/* Iterates until the gap is tolerance |J| or `max_steps` is reached; with `needs_convergence`, also until u and
 * g change by no more than that tolerance. problem->K holds L below the diagonal and on it; r1 has n numbers,
 * rho is the penalty. The state receives a, c, u, g, objective and gap; *steps is incremented. The gap is
 * checked every `every` steps and after the last. VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
typedef struct volt_admm_task {
    const double *r1;
    double rho, tolerance;
    int64_t max_steps, every;
    bool needs_convergence;
    /* (optional) Replaces factor and r1 for another rho. rho is then adapted to the residuals after
     * FIRST_LOOK steps and whenever the number of steps has tripled (admm.c). */
    volt_status (*refactor)(void *context, double rho);
    void *context;
    double min_rho, max_rho;
} volt_admm_task;
volt_status volt_admm_run(const volt_loss_problem *problem, const volt_admm_task *task, volt_loss_state *state,
                          int64_t *steps);

/* B <- (L L')^{-1} B, B has n rows. */
void volt_loss_solve_factor(volt_matrix L, volt_matrix B);

/* ---- Newton (active_newton.c) ------------------------------------------------------------------ */

/* The second method: Newton's method on the rows whose slope can change.
 *
 * Smooth losses are minimised by Newton's method. Piecewise linear losses (quantile, epsilon) are smoothed:
 * the envelope of the loss at rho around slopes g0 (loss.h) has the second derivative rho on the
 * interpolated rows and 0 on all others. Its minima, with g0 <- g and increasing rho, converge to that of
 * the loss: the method of multipliers, with the semismooth Newton steps of Li, Sun, Toh (SIAM J. Optim. 28,
 * 2018). Both solve
 *
 *     alpha da + B diag(d) B' (K da + 1 dc) = - (alpha a + g) =: -R,       1'(a + da) = 0,
 *
 * where B are the directions of change (one per active row; more if levels are tied). This is a system with
 * one unknown per direction: da = dn + B z with dn = -(I - B B') R / alpha,
 *
 *     (B' K B + alpha / d) z + B' 1 dc = - B' R / d - B' K dn
 *
 * A line search finds the root of the (increasing) derivative, which makes the method globally convergent. */
typedef struct volt_newton_task {
    double rho, max_rho; /* not used for smooth losses */
    double min_shift;    /* lower bound of alpha / d, for the factorisation */
    double tolerance;
    bool one_more; /* smooth losses: one more step after the gap is closed, for quadratic convergence */
    int64_t max_steps;
} volt_newton_task;

/* Continues from the state, all fields of which are used, until the gap is tolerance |J|, rounding stops
 * progress or the steps are used up; *steps is incremented. Not for losses of whole rows. Uses the working
 * memory of problem->K. VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED, VOLT_ERR_SINGULAR. */
volt_status volt_newton_run(const volt_loss_problem *problem, const volt_newton_task *task,
                            volt_loss_state *state, int64_t *steps);

/* ---- one Newton step (newton_system.c) ---------------------------------------------------------- */

/* n x m each; m is the number of columns of the group. */
typedef struct newton_step {
    volt_matrix da, kda; /* the change of a, and its product with K */
    double *dc;          /* m */
    double reach;        /* input: the step of an intercept that no active row determines */
} newton_step;

/* Computes the step from a and the slopes g at u, with these directions. `space` is n x m. Levels that are
 * not tied by a direction are solved separately. */
volt_status volt_newton_step(const volt_loss_problem *problem, const volt_loss_directions *directions,
                             volt_matrix a, volt_matrix g, double min_shift, double *space, newton_step *step);

#endif
