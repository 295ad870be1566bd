/* src/gram/engine/explicit_path.h: paths that are built one by one.
 *
 * Windows without augmentation share one matrix of local values (window_block.c). All other paths, rows read
 * as paths or augmented windows, are built explicitly, and local values are computed for each pair. */
#ifndef KERNEL_EXPLICIT_PATH_H
#define KERNEL_EXPLICIT_PATH_H

#include "gram/engine/columns.h"

/* Returns whether the kernel builds its paths explicitly. */
bool volt_path_is_explicit(const volt_resolved *resolved);

/* Steps and channels of a path, and its size: the product of both. */
int64_t volt_explicit_length(const volt_resolved *resolved);
int64_t volt_explicit_channels(const volt_resolved *resolved);
int64_t volt_explicit_numbers(const volt_resolved *resolved);

/* Build the path of `rows` (window x d, contiguous): number k is written to path[k * step]. */
void volt_explicit_build(const volt_resolved *resolved, const double *rows, double *path, int64_t step);

/* The rows of the window that ends in row j of the columns, with the past before the first; `buffer` has space
 * for them. */
const double *volt_explicit_window(const volt_resolved *resolved, const volt_columns *columns, int64_t j,
                                   double *buffer);

/* The kernel with the effective window, without irrelevant zeros. */
volt_resolved volt_with_window(const volt_resolved *kernel, int64_t window);

/* ---- one pair --------------------------------------------------------------------------------- */

/* ---- a path against itself -------------------------------------------------------------------- */

/* Fill columns->self from row `first` on. */
volt_status volt_self_fill(const volt_resolved *resolved, int64_t first, volt_stage *stage,
                           volt_columns *columns);

/* For the path of `rows`. scratch has volt_self_scratch() numbers. */
int64_t volt_self_scratch(const volt_resolved *resolved);
volt_self volt_self_compute(const volt_resolved *resolved, const double *rows, volt_stage *stage,
                            double *scratch);

/* ---- explicit features: K = offset + F_x F_y', or a Gaussian of the distance of features ---------- */

/* K = offset + F_x F_y' from the features of rows and columns: all entries (own = VOLT_OTHER_ROWS) or, if
 * the first row is column `diagonal`, those up to the diagonal. */
void volt_features_multiply(volt_view rows, volt_view columns, double offset, int64_t diagonal, volt_matrix K);

#endif
