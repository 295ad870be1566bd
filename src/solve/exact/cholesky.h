/* src/solve/exact/cholesky.h: the factor L of A = L L', in place in the lower triangle, and what follows from it. */
#ifndef SOLVE_CHOLESKY_H
#define SOLVE_CHOLESKY_H

#include "base/progress.h"

/* Factor A (n x n, n below 2^31). *pivot is 0, or the 1-based index of the pivot that was not positive; A
 * is lost then. A cancelled stage leaves A unfinished. The stage, which may be NULL, counts the
 * volt_cholesky_units() of the factorisation. */
void volt_cholesky_factor(volt_matrix A, volt_stage *stage, int64_t *pivot);
double volt_cholesky_units(int64_t n);
/* Rows and columns of its tiles. */
int64_t volt_cholesky_tile(int64_t n);

/* B <- L^{-1} B, and B <- L^{-T} B (B is n x q). */
void volt_cholesky_forward(volt_matrix L, volt_matrix B);
void volt_cholesky_backward(volt_matrix L, volt_matrix B);

/* Estimated reciprocal condition number of L L' in the 1-norm, `norm` being its 1-norm. Takes memory:
 * VOLT_ERR_MEMORY. */
volt_status volt_cholesky_rcond(volt_matrix L, double norm, double *rcond);

/* 1-norm (largest row sum of absolute values) of the symmetric A, of which the lower triangle is stored;
 * NaN when an entry is. `sums` is scratch space of n numbers. */
double volt_symmetric_norm(volt_view A, double *sums);

/* Overwrite the lower triangle of A with its Cholesky factor. VOLT_ERR_SINGULAR names the pivot. */
volt_status volt_cholesky(volt_matrix A, volt_progress progress);

#endif
