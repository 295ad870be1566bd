/* src/solve/loss/loss_problem.h: a readout under a loss as a convex problem, and its certificate.
 *
 *     minimise    J(a, c) = sum_t w_t l(y_t, u_t) + (alpha / 2) a' K a,         u = K a + 1 c
 *     maximise    D(g)    = - sum_t (w l)*(g_t) - g' K g / (2 alpha),           1' g = 0 (with an intercept)
 *
 * For any (a, c) and any feasible g, J(a, c) - D(g) bounds the distance of J(a, c) from the minimum. With
 * delta = g + alpha a,
 *
 *     J - D = sum_t [ w l(y_t, u_t) + (w l)*(g_t) - g_t u_t ] + delta' K delta / (2 alpha).
 *
 * All terms are at least 0, so the sum is accurate up to rounding. Columns are independent except within
 * groups: the levels of one target must not cross, and classes share the probability of a row. */
#ifndef SOLVE_LOSS_PROBLEM_H
#define SOLVE_LOSS_PROBLEM_H

#include "base/progress.h"
#include "solve/loss/loss.h"

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

static inline double volt_loss_weight(const volt_loss_problem *problem, int64_t row)
{
    return problem->weights ? problem->weights[row] : 1;
}

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

/* C <- K V, both n x V.cols. */
void volt_loss_multiply(const volt_loss_problem *problem, volt_view V, volt_matrix C);

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

#endif
