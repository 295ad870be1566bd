/* src/solve/loss/admm.h: the first method for every loss: alternating directions with one factor.
 *
 * With L L' = K + (alpha / rho) I, r1 = L^{-T} L^{-1} 1 and relaxation 1.7, a step is
 *
 *     b = u - s;   a0 = L^{-T} L^{-1} b;   c = 1' a0 / 1' r1;   a = a0 - r1 c;   v = b - (alpha / rho) a    (= K a + 1 c)
 *     v <- 1.7 v - 0.7 u;   u = prox_{l / rho}(v + s);   s <- s + v - u                                   (g = rho s)
 *
 * Boyd, Parikh, Chu, Peleato, Eckstein, Distributed optimization and statistical learning via the alternating direction
 * method of multipliers, 2011. */
#ifndef SOLVE_LOSS_ADMM_H
#define SOLVE_LOSS_ADMM_H

#include "solve/loss/loss_problem.h"

/* Steps until the gap is tolerance |J|, or `most_steps` are taken; with `settled` until, beside that, u and g move no
 * more than by that tolerance. problem->K holds L below the diagonal and on it; r1 is n numbers, rho the penalty. The state
 * receives a, c, u, g, objective and gap; *steps counts up. The gap is looked at every `every` steps and after the last.
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
typedef struct volt_admm_task {
    const double *r1;
    double rho, tolerance;
    int64_t most_steps, every;
    bool settled;
    /* (optional) put the factor for another rho, and its r1, in the place of the present one: rho then follows the
     * residuals, after FIRST_LOOK steps and each time that three times as many are done (admm.c). */
    volt_status (*refactor)(void *context, double rho);
    void *context;
    double least_rho, most_rho;
} volt_admm_task;
volt_status volt_admm_run(const volt_loss_problem *problem, const volt_admm_task *task, volt_loss_state *state,
                          int64_t *steps);

/* B <- (L L')^{-1} B, B n x any. */
void volt_loss_solve_factor(volt_matrix L, volt_matrix B);

#endif
