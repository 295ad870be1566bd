/* src/series/gram/objects_steps.h: series compared step by step, without regard to when.
 *
 * With k_ij the kernel of x up to step i and y up to step j,
 *
 *     K(x, y) = 1 / (P Q) sum_{i <= P} sum_{j <= Q} k_ij
 *
 * is the inner product of the mean features of the two series: final states, windows or steps count wherever they stand,
 * and how often. */
#ifndef OBJECTS_STEPS_H
#define OBJECTS_STEPS_H

#include "series/gram/objects_internal.h"

/* K of `rows` (NULL: the training series themselves) against the training series, normalised as those want it; self
 * (optional) as in volt_objects_cross. VOLT_ERR_KERNEL for a kernel that does not run on a sequence. */
volt_status volt_objects_compare_steps(const volt_objects *objects, const volt_kernel *kernel,
                                       const volt_series_block *rows, const volt_progress *progress,
                                       volt_matrix K, double *self);

#endif
