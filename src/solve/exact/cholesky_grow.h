/* src/solve/exact/cholesky_grow.h: a Cholesky factor that grows from one leading block to the next.
 *
 * L and what is not yet factored of A share one lower triangle. Every row stands at a number of columns that
 * are final; growing brings rows further, block by block:
 *
 *     rows    L[r, from:to] = (A[r, from:to] - L[r, :from] L[from:to, :from]') L[from:to, from:to]^{-T}
 *     corner  L[from:to, from:to] = chol(A[from:to, from:to] - L[from:to, :from] L[from:to, :from]')
 *
 * Work is divided in a way that does not depend on the number of threads, and so are the roundings. A stage,
 * which may be NULL, counts thousands of flops, and the volt_cholesky_units() of a corner; cancelled, it leaves the
 * block unfinished. */
#ifndef SOLVE_CHOLESKY_GROW_H
#define SOLVE_CHOLESKY_GROW_H

#include "base/progress.h"

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

#endif
