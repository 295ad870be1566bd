/* bench/plain.h: reference implementation of the Volterra kernel; results are checked against it before they are timed.
 *
 *     K[i][j] = 1 + lambda^2 kappa(x_i, y_j) K[i-1][j-1]
 *
 * entry by entry, on unscaled inputs, with zero initial state. */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

#include "volterra.h"

typedef enum plain_lift { PLAIN_GEOMETRIC, PLAIN_EVEN, PLAIN_EXPONENTIAL, PLAIN_POLY, PLAIN_RBF } plain_lift;

typedef struct plain_kernel {
    plain_lift lift;
    double tau2, lambda2;
    double gamma; /* RBF */
    int degree;   /* POLY */
} plain_kernel;

/* The lower triangle of the Gram matrix of X. */
void plain_gram(const plain_kernel *kernel, volt_view X, volt_matrix K);

/* Largest |K - reference| of the lower triangles. */
double lower_difference(volt_view K, volt_view reference);

/* Gaussian rows, scaled so that the longest has norm 1. */
void gaussian_inputs(uint64_t seed, volt_matrix X);

/* k (n numbers) is the kernel of a history and each row of Z; updates it to the history followed by z. The border of the lifts
 * with kappa(z, 0) = 1, all but RBF, is constant. */
void plain_step(const plain_kernel *kernel, volt_view Z, const double *z, double *k);

#endif
