/* tests/support/plain_linear.h: reference implementation of small dense linear algebra. */
#ifndef SUPPORT_PLAIN_LINEAR_H
#define SUPPORT_PLAIN_LINEAR_H

#include "volterra/base.h"

/* Smallest and largest eigenvalue of the symmetric A (n x n, lower triangle), by cyclic Jacobi rotations. */
void plain_eigenvalues(volt_view A, double *smallest, double *largest);

/* Solve A X = B (A n x n, B n x q) by Gauss elimination with partial pivoting in long double; B receives X.
 * A is not changed. */
void plain_solve(volt_view A, volt_matrix B);

/* A random symmetric positive definite matrix G G' / n + shift I, full n x n. */
double *plain_random_spd(volt_rng *rng, int64_t n, double shift);

#endif
