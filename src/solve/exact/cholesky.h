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

/* ---- a Cholesky factor that grows from one leading block to the next ---------------------------
 * L and what is not yet factored of A share one lower triangle. Every row stands at a number of columns that
 * are final; growing brings rows further, block by block:
 *
 *     rows    L[r, from:to] = (A[r, from:to] - L[r, :from] L[from:to, :from]') L[from:to, from:to]^{-T}
 *     corner  L[from:to, from:to] = chol(A[from:to, from:to] - L[from:to, :from] L[from:to, :from]')
 *
 * Work is divided in a way that does not depend on the number of threads, and so are the roundings. A stage,
 * which may be NULL, counts thousands of flops, and the volt_cholesky_units() of a corner; cancelled, it leaves the
 * block unfinished. */

/* Rows first .. first + count - 1, final up to column `from`, become final up to column `to`; the leading
 * to x to block is factored. */
void volt_cholesky_grow_rows(volt_matrix L, int64_t first, int64_t count, int64_t from, int64_t to,
                             volt_stage *stage);

/* The leading `from` rows are factored, and rows from .. to - 1 are final up to column `from`: factor the
 * leading `to` rows. *pivot is 0, or the 1-based row of the pivot that was not positive. */
void volt_cholesky_grow_corner(volt_matrix L, int64_t from, int64_t to, volt_stage *stage, int64_t *pivot);

/* B[from:to] <- L[from:to, from:to]^{-1} (B[from:to] - L[from:to, :from] B[:from]), where B[:from] is solved
 * already (B has q columns). */
void volt_cholesky_grow_forward(volt_matrix L, int64_t from, int64_t to, volt_matrix B);

/* B <- L[:m, :m]^{-T} B for the first m = B.rows rows. */
void volt_cholesky_leading_backward(volt_matrix L, volt_matrix B);

/* C = A B + shift, the q numbers of shift being added to every row (A h x m, B m x q). */
void volt_product(volt_view A, volt_view B, const double *shift, volt_matrix C);

/* ---- (L L')^{-1} from the factor L, in place in the lower triangle ----------------------------- */

/* 2 n^3 / 3 operations. The stage, which may be NULL, counts 2 volt_cholesky_units(); cancelled, it leaves L unfinished. The
 * same bits whatever the number of threads. */
void volt_cholesky_invert(volt_matrix L, volt_stage *stage);

/* R <- B B' + scale R in the lower triangle (R n x n, B n x k). The same bits whatever the number of threads. */
void volt_symmetric_update(volt_matrix R, volt_view B, double scale);

#endif
