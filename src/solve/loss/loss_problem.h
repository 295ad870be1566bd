/* src/solve/loss/loss_problem.h: a readout under a loss as a convex problem, and its certificate.
 *
 *     minimise    J(a, c) = sum_t w_t l(y_t, u_t) + (alpha / 2) a' K a,         u = K a + 1 c
 *     maximise    D(g)    = - sum_t (w l)*(g_t) - g' K g / (2 alpha),           1' g = 0 (with an intercept)
 *
 * For any (a, c) and any feasible g, J(a, c) - D(g) bounds what (a, c) misses the minimum by; with delta = g + alpha a,
 *
 *     J - D = sum_t [ w l(y_t, u_t) + (w l)*(g_t) - g_t u_t ] + delta' K delta / (2 alpha),
 *
 * a sum of parts that are all at least 0, so that it is exact down to rounding. Columns are independent of each other but
 * for groups of them: the levels of one target must not cross, and classes share a row's probability. */
#ifndef SOLVE_LOSS_LOSS_PROBLEM_H
#define SOLVE_LOSS_LOSS_PROBLEM_H

#include "base/progress.h"
#include "solve/loss/loss.h"

typedef struct volt_loss_problem {
    const volt_loss *loss;
    int64_t n, columns;
    int64_t group;         /* coupled columns side by side; 1: none are */
    volt_view Y;           /* n x columns */
    const double *p;       /* columns: the parameter, in the units of Y */
    const double *weights; /* n; NULL: 1 each. A row of weight 0 is not fitted */
    double alpha;
    double common; /* taken from K before */
    bool intercept;
    volt_matrix
        K; /* n x n: its strict upper triangle is K, the lower one and the diagonal are working memory */
    double *diagonal;      /* n: K_ii */
    double norm;           /* at least the largest eigenvalue of K */
    double floor, ceiling; /* the minimum of J lies between: volt_loss_bound */
    volt_stage *stage;
} volt_loss_problem;

/* A readout, and what it is worth. All matrices are n x columns. */
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

/* A direction of the columns of one row along which the slope of the eased loss changes by d for a unit of u. */
typedef struct volt_loss_direction {
    int64_t row;
    int64_t first, count; /* columns of the group */
    int64_t at;           /* its coefficients, a unit vector: `count` numbers of `numbers` from here */
    double d;
} volt_loss_direction;

/* Of all rows; release `items` and `numbers`. */
typedef struct volt_loss_directions {
    volt_loss_direction *items;
    double *numbers;
    int64_t size, capacity, numbers_size, numbers_capacity;
} volt_loss_directions;

/* Columns k .. k + group - 1 of a row: slopes g of the eased loss at u + g0 / rho (loss.h), and, unless `directions` is
 * NULL, its directions. VOLT_ERR_MEMORY. */
volt_status volt_loss_row_slope(const volt_loss_problem *problem, int64_t row, int64_t k, const double *u,
                                const double *g0, double rho, double *g, volt_loss_directions *directions);

/* ---- certificate ------------------------------------------------------------------------------ */

/* C <- K V, both n x V.cols. */
void volt_loss_multiply(const volt_loss_problem *problem, volt_view V, volt_matrix C);

/* Sets floor and ceiling: the sum of the least values of the loss, and J of f = 0 with the best constants, which `c` (columns,
 * optional) receives. They are 0 without an intercept and for losses of whole rows. */
void volt_loss_bound(volt_loss_problem *problem, double *c);

/* Computes U = K A + 1 c, objective and gap of the state. Its slopes G, any near ones, become feasible; where levels cross and
 * there is an intercept, c and U of the upper ones move until none does. `space` is n x 2 columns. The gap may be found larger than
 * it is, never smaller, where that shows that it is open. It is INFINITY where the objective lies outside its bounds, and where
 * levels still cross by more than rounding. */
void volt_loss_certify(const volt_loss_problem *problem, double tolerance, volt_loss_state *state,
                       double *space);

/* The largest gap that counts as closed: tolerance |objective|, and at least the rounding of the sum of the losses. */
double volt_loss_open_above(const volt_loss_problem *problem, double tolerance, double objective);

#endif
