/* src/solve/loss/loss_solve.h: the readout that minimises a loss, from a Gram matrix and targets. */
#ifndef SOLVE_LOSS_SOLVE_H
#define SOLVE_LOSS_SOLVE_H

#include "base/progress.h"
#include "solve/loss/loss.h"

typedef struct volt_loss_task {
    const volt_loss *loss;
    /* n x columns: one column per level; one column of +-1 for two classes; one column of 0 and 1 per class
     * for more */
    volt_view Y;
    const double *units;   /* (optional) columns: units of Y, in the units of the loss's parameter */
    const double *weights; /* (optional) n, at least 0; 0: the row is not fitted */
    double alpha, tolerance;
    double common; /* subtracted from every entry of K, K has the rounding error of the sum */
    bool intercept;
    /* a trial fit: fewer steps, and no warning if the gap stays open */
    bool tried;
    int64_t max_tried; /* number of screening rows if alpha is chosen (loss_choice.h); 0: 1200 */
    volt_progress progress;
    double from, share; /* of the progress */
} volt_loss_task;

/* The result; A and U (n x columns, may not be NULL) and c (columns) are the caller's. */
typedef struct volt_loss_result {
    volt_matrix A, U; /* coefficients; U = K A + 1 c */
    double *c;
    double objective, gap; /* the objective is at most gap above the minimum */
    double rcond;          /* approximate, of the factored matrix */
    double alpha;          /* of volt_loss_minimise_outputs: given or chosen */
    int64_t steps, newton_steps;
} volt_loss_result;

/* K (n x n) is given in its lower triangle and overwritten. A final gap above tolerance |objective| logs a
 * warning. VOLT_ERR_SINGULAR if K is not positive semidefinite, or if the gap is above 1e-3 |objective| (and
 * the tolerance); VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
volt_status volt_loss_minimise(volt_matrix K, const volt_loss_task *task, volt_loss_result *result);

/* The readout of all outputs of a model: as above, with Y, A, U and c of all outputs. Outputs before
 * volt_loss_first_column are 0. c is corrected for `common`, which K lacks. */
volt_status volt_loss_minimise_outputs(volt_matrix K, const volt_loss_task *task, volt_loss_result *result);

/* Numbers allocated in addition to K. */
double volt_loss_numbers(double n, double columns);

/* ---- alpha (loss_solve.c) --------------------------------------------------------------------- */

/* Above task->max_tried rows K (n x n, lower triangle) is overwritten and restored on success. The alpha of
 * the task is ignored. *alpha receives a positive value. VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED; VOLT_ERR_DATA
 * for fewer rows than VOLT_MIN_CHOSEN, because none can be held out. */
volt_status volt_loss_choose(volt_matrix K, const volt_loss_task *task, double *alpha);

/* The unit of alpha: the mean of the diagonal, or 1 if that is not positive. */
double volt_loss_unit(volt_view K);

/* Numbers allocated in addition to K. */
double volt_loss_choice_numbers(double n, double columns);

/* The weighted mean loss of u (in the units of the task's Y) over the rows from `first` on; levels are
 * sorted. NaN: none of them has a weight. */
double volt_loss_mean(const volt_loss_task *task, volt_view U, int64_t first);

/* ---- a readout under a loss as a convex problem, and its certificate --------------------------------- */

/* minimise    J(a, c) = sum_t w_t l(y_t, u_t) + (alpha / 2) a' K a,         u = K a + 1 c
 *     maximise    D(g)    = - sum_t (w l)*(g_t) - g' K g / (2 alpha),           1' g = 0 (with an intercept)
 *
 * For any (a, c) and any feasible g, J(a, c) - D(g) bounds the distance of J(a, c) from the minimum. With
 * delta = g + alpha a,
 *
 *     J - D = sum_t [ w l(y_t, u_t) + (w l)*(g_t) - g_t u_t ] + delta' K delta / (2 alpha).
 *
 * All terms are at least 0, so the sum is accurate up to rounding. Columns are independent except within
 * groups: the levels of one target must not cross, and classes share the probability of a row. */

typedef struct volt_loss_problem {
    const volt_loss *loss;
    int64_t n, columns;
    int64_t group;         /* adjacent coupled columns; 1: none */
    volt_view Y;           /* n x columns */
    const double *p;       /* columns: the parameter, in the units of Y */
    const double *weights; /* n; NULL: 1 each. Rows of weight 0 are not fitted */
    double alpha;
    double common; /* already subtracted from K */
    bool intercept;
    volt_matrix
        K; /* n x n: the strict upper triangle is K; the lower one and the diagonal are working memory */
    double *diagonal;      /* n: K_ii */
    double norm;           /* upper bound of the largest eigenvalue of K */
    double floor, ceiling; /* bounds of the minimum of J: volt_loss_bound */
    volt_stage *stage;
} volt_loss_problem;

/* A readout with objective and gap. All matrices are n x columns. */
typedef struct volt_loss_state {
    volt_matrix A, U, G; /* coefficients, u = K A + 1 c, and slopes g */
    double *c;           /* columns */
    double objective, gap;
} volt_loss_state;

/* ---- rows ------------------------------------------------------------------------------------- */

/* A direction of the columns of one row along which the slope of the smoothed loss changes by d per unit of
 * u. */
typedef struct volt_loss_direction {
    int64_t row;
    int64_t first, count; /* columns of the group */
    int64_t at;           /* offset of its `count` coefficients, a unit vector, in `numbers` */
    double d;
} volt_loss_direction;

/* Directions of all rows; release `items` and `numbers`. */
typedef struct volt_loss_directions {
    volt_loss_direction *items;
    double *numbers;
    int64_t size, capacity, numbers_size, numbers_capacity;
} volt_loss_directions;

/* Columns k .. k + group - 1 of a row: slopes g of the smoothed loss at u + g0 / rho (loss.h), and, unless
 * `directions` is NULL, its directions. VOLT_ERR_MEMORY. */
volt_status volt_loss_row_slope(const volt_loss_problem *problem, int64_t row, int64_t k, const double *u,
                                const double *g0, double rho, double *g, volt_loss_directions *directions);

/* ---- certificate ------------------------------------------------------------------------------ */

/* Sets floor and ceiling: the sum of the least values of the loss, and J of f = 0 with the best constants,
 * which `c` (columns, optional) receives. The constants are 0 without an intercept and for losses of whole
 * rows. */
void volt_loss_bound(volt_loss_problem *problem, double *c);

/* Computes U = K A + 1 c, objective and gap of the state. Its slopes G, which may be approximate, are made
 * feasible. If levels cross and there is an intercept, c and U of the upper levels are increased until none
 * cross. `space` is n x 2 columns. An open gap may be overestimated, never underestimated. It is INFINITY if
 * the objective is outside its bounds, or if levels still cross by more than rounding. */
void volt_loss_certify(const volt_loss_problem *problem, double tolerance, volt_loss_state *state,
                       double *space);

/* The largest gap that counts as closed: tolerance |objective|, but at least the rounding error of the sum
 * of the losses. */
double volt_loss_gap_tolerance(const volt_loss_problem *problem, double tolerance, double objective);

/* ---- alternating directions (loss_solve.c) ----------------------------------------------------------- */

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
     * FIRST_LOOK steps and whenever the number of steps has tripled (loss_solve.c). */
    volt_status (*refactor)(void *context, double rho);
    void *context;
    double min_rho, max_rho;
} volt_admm_task;
volt_status volt_admm_run(const volt_loss_problem *problem, const volt_admm_task *task, volt_loss_state *state,
                          int64_t *steps);

/* B <- (L L')^{-1} B, B has n rows. */
void volt_loss_solve_factor(volt_matrix L, volt_matrix B);

/* ---- Newton (loss_solve.c) ------------------------------------------------------------------ */

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

/* ---- one Newton step (loss_solve.c) ---------------------------------------------------------- */

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
