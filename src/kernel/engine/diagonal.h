/* src/kernel/engine/diagonal.h: the kernel of a sequence with itself at each of its rows, K(t, t). */
#ifndef KERNEL_DIAGONAL_H
#define KERNEL_DIAGONAL_H

#include "kernel/engine/engine.h"

/* Of the rows of Z (n x d, scaled and filtered, one sequence after a zero past) from `first` on, into `out` (n - first
 * numbers). O(d) a row for scans; kernels on windows compute some windows beside the ones that are wanted.
 * VOLT_ERR_MEMORY. */
volt_status volt_diagonal(const volt_resolved *resolved, volt_view Z, int64_t first, double *out);

#endif
