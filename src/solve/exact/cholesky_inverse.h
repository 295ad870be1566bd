/* src/solve/exact/cholesky_inverse.h: (L L')^{-1} from the factor L, in place in the lower triangle. */
#ifndef SOLVE_CHOLESKY_INVERSE_H
#define SOLVE_CHOLESKY_INVERSE_H

#include "base/progress.h"

/* 2 n^3 / 3 operations. The stage, which may be NULL, counts 2 volt_cholesky_units(); cancelled, it leaves L unfinished. The
 * same bits whatever the number of threads. */
void volt_cholesky_invert(volt_matrix L, volt_stage *stage);

/* R <- B B' + scale R in the lower triangle (R n x n, B n x k). The same bits whatever the number of threads. */
void volt_symmetric_update(volt_matrix R, volt_view B, double scale);

#endif
