/* tests/support/plain_losses.h: a slow minimiser for every loss that shares no code with src/, and brackets the minimum.
 *
 * It works with the features F of the kernel, K = F F', so the unknowns are the coefficients b (rank x columns) of the features
 * and the intercepts c:
 *
 *     minimise   sum_i w_i l(y_i, u_i) + alpha / 2 |b|^2,        u_i = F_i b + c.
 *
 * Losses of straight lines are sums of hinges s max(0, t), with t affine in u. A hinge is max over 0 <= g <= s of g t;
 * a logarithmic barrier mu (log g + log (s - g)) makes it smooth, and mu goes to 0. Levels that must not cross get the exact
 * penalty P max(0, u_j - u_{j+1}), with P growing until none do. Newton steps in (b, c) with bisection along the line minimise each smooth problem.
 *
 * The bracket needs none of this to have converged. Every row has a linear minorant at the present u (slope g), so that for any
 * (b, c), with the gradient r = (r_b, r_c) of the smooth problem,
 *
 *     J(b, c) >= J* >= (minorants at u) + alpha / 2 |b|^2 - |r_b|^2 / (2 alpha) - PLAIN_REACH |r_c|_1,
 *
 * where the optimal intercepts lie within PLAIN_REACH of c. */
#ifndef SUPPORT_PLAIN_LOSSES_H
#define SUPPORT_PLAIN_LOSSES_H

#include "volterra/base.h"

#include <stdbool.h>

enum { PLAIN_COLUMNS = 3, PLAIN_ROWS = 24, PLAIN_REACH = 1000 };

typedef enum plain_loss_kind {
    PLAIN_SQUARES,
    PLAIN_HUBER,
    PLAIN_QUANTILE,
    PLAIN_EPSILON,
    PLAIN_EXPECTILE,
    PLAIN_LOGISTIC,
    PLAIN_MULTINOMIAL,
    PLAIN_POISSON
} plain_loss_kind;

typedef struct plain_loss_problem {
    plain_loss_kind kind;
    int64_t n, rank, columns;
    double p[PLAIN_COLUMNS]; /* the parameter of each column */
    const double *F;         /* n x rank */
    const double *Y;         /* n x columns */
    const double *weights;   /* n */
    double alpha;
    bool intercept;
    bool ordered; /* u_1 <= u_2 <= ... in every row of positive weight */
} plain_loss_problem;

/* J where u is n x columns and the squared norm of f is `norm`; crossing levels are not looked at. */
double plain_loss_objective(const plain_loss_problem *problem, const double *u, double norm);

/* The minimum lies between *low and *high. */
void plain_loss_minimum(const plain_loss_problem *problem, double *low, double *high);

#endif
