/* tests/support/plain_kernels.h: reference implementation of the Volterra kernel as plain double loops.
 *
 *     K[i][j] = 1 + lambda^2 kappa(x_i, y_j) P,   P = K[i-1][j-1], or on the border bx[i], by[j]
 *     b[0] = 1 / (1 - lambda^2),   b[i+1] = 1 + lambda^2 kappa(z_i, 0) b[i]
 *
 * Nothing here shares code or layout with src/kernel. */
#ifndef SUPPORT_PLAIN_KERNELS_H
#define SUPPORT_PLAIN_KERNELS_H

#include "volterra/base.h"
#include "volterra/kernel.h"

typedef enum plain_lift { PLAIN_GEOMETRIC, PLAIN_EVEN, PLAIN_EXPONENTIAL, PLAIN_POLY, PLAIN_RBF } plain_lift;

typedef struct plain_kernel {
    const char *text; /* what volt_kernel_parse takes */
    plain_lift lift;
    double tau, gamma, lambda;
    int degree;
} plain_kernel;

/* One kernel of each lift, all valid for |z| <= 1. */
enum { PLAIN_KERNELS = 5 };
extern const plain_kernel plain_kernels[PLAIN_KERNELS];

/* The same kernels much nearer to their bounds: contraction 0.99 and more for |z| <= 1. */
extern const plain_kernel plain_slow_kernels[PLAIN_KERNELS];

/* Parse the text; ends the test on failure. */
volt_kernel *plain_parse(const char *text);

double plain_kappa(const plain_kernel *kernel, const double *x, const double *y, int64_t d);

/* K (X.rows x Y.rows) by the formulas above. */
void plain_gram(const plain_kernel *kernel, volt_view X, volt_view Y, volt_matrix K);

/* How far a Gram matrix in double may lie from plain_gram, for inputs of norm at most `radius` in d
 * dimensions. With q = lambda^2 sup kappa and L = 1 / (1 - q) >= |K|, one step adds a fresh error of at most
 * eps L (10 + (d + 4) a) and keeps q times the old one, which sums to eps L^2 (10 + (d + 4) a). The inner
 * product of d terms is off by (d + 4) eps M^2 at most, and a is what kappa makes of that, relative to
 * kappa: sup kappa, 2 sup kappa, t, p for the lifts geometric, even, exponential, poly:p, t = (tau M)^2; for
 * rbf 8 gamma M^2, distances being made of norms and products of centred rows (norms up to 2 M). 10 counts
 * the other roundings of a step. Twice that: plain_gram rounds as well. */
double plain_tolerance(const plain_kernel *kernel, double radius, int64_t d);

#endif
