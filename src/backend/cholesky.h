/* src/backend/cholesky.h: the Cholesky factor L of A = L L', in place in the lower triangle, with solves
 * and inverse. */
#ifndef BACKEND_CHOLESKY_H
#define BACKEND_CHOLESKY_H

#include "base/progress.h"

#include <stdbool.h>

/* Factor A (n x n, n below 2^31). *pivot is 0, or the 1-based index of the pivot that was not positive; A is
 * then undefined. Cancelling leaves A unfinished. The stage (may be NULL) counts the volt_cholesky_units()
 * of the factorisation. */
void volt_cholesky_factor(volt_matrix A, volt_stage *stage, int64_t *pivot);
/* The same for up to VOLT_CHOLESKY_AT_ONCE matrices, whose tiles share the threads; a bad pivot ends only the
 * factorisation of its matrix. The factors have the bits of volt_cholesky_factor. Each small matrix is factored by one
 * thread, because threads that share its tiles wait for each other whenever another process delays one of them. */
enum { VOLT_CHOLESKY_AT_ONCE = 4 };
bool volt_cholesky_is_small(int64_t n);
void volt_cholesky_factor_all(int64_t count, const volt_matrix *A, volt_stage *stage, int64_t *pivots);
double volt_cholesky_units(int64_t n);

/* B <- L^{-1} B, and B <- L^{-T} B (B is n x q), on all threads. Results do not depend on their number. */
void volt_cholesky_forward(volt_matrix L, volt_matrix B);
void volt_cholesky_forward_all(int64_t count, const volt_matrix *L, const volt_matrix *B); /* of equal sizes */
void volt_cholesky_backward(volt_matrix L, volt_matrix B);

/* Estimated reciprocal condition number of L L' in the 1-norm; `norm` is the 1-norm of L L'.
 * VOLT_ERR_MEMORY. */
volt_status volt_cholesky_rcond(volt_matrix L, double norm, double *rcond);

/* 1-norm (largest row sum of absolute values) of the symmetric A from its lower triangle; NaN if an entry is
 * NaN. `sums` is workspace of VOLT_NORM_BANDS n numbers. */
enum { VOLT_NORM_BANDS = 16 };
double volt_symmetric_norm(volt_view A, double *sums);

/* Overwrite the lower triangle of A with its Cholesky factor. VOLT_ERR_SINGULAR names the pivot. */
volt_status volt_cholesky(volt_matrix A, volt_progress progress);

/* ---- (L L')^{-1} from the factor L, in place in the lower triangle ----------------------------- */

/* 2 n^3 / 3 operations. The stage (may be NULL) counts 2 volt_cholesky_units(). Cancelling leaves L
 * unfinished. Results do not depend on the number of threads. */
void volt_cholesky_invert(volt_matrix L, volt_stage *stage);

/* R <- B B' + scale R in the lower triangle (R n x n, B n x k). Results do not depend on the number of
 * threads. */
void volt_symmetric_update(volt_matrix R, volt_view B, double scale);

/* C = A B + shift; the q numbers of shift (NULL: zeros) are added to every row (A h x m, B m x q). Results do not
 * depend on the number of threads. */
void volt_product(volt_view A, volt_view B, const double *shift, volt_matrix C);

#endif
