/* src/kernel/engine/path_engine.h: paths that are built one by one, and what a path is against itself.
 *
 * Windows without augmentation share one matrix of local values (window_block.c). Every other path, a row read
 * as a path or an augmented window, is built explicitly, and each pair has local values of its own. */
#ifndef KERNEL_PATH_COLUMNS_H
#define KERNEL_PATH_COLUMNS_H

#include "base/progress.h"
#include "kernel/engine/columns.h"

/* Must the kernel build its paths one by one? */
bool volt_path_is_explicit(const volt_resolved *resolved);

/* Explicit features of a path, m of them in memory at a time, or 0 when those do not pay. */
int64_t volt_path_features(const volt_resolved *resolved, int64_t d, int64_t m);

/* Fill columns->features or columns->paths, and columns->self where the programme needs it. The stage, which may be
 * NULL, is polled: VOLT_ERR_CANCELLED. */
volt_status volt_path_columns(const volt_resolved *resolved, volt_columns *columns, volt_stage *stage);

/* Fill columns->self for windows that are not explicit. */
volt_status volt_path_self(const volt_resolved *resolved, volt_columns *columns, volt_stage *stage);

/* The path against itself, of the path that ends in the last of `rows` (window x d, contiguous). scratch has
 * volt_path_scratch() numbers. */
int64_t volt_path_scratch(const volt_resolved *resolved, const volt_columns *columns);
volt_self volt_path_against_itself(const volt_resolved *resolved, const volt_columns *columns,
                                   const double *rows, volt_stage *stage, double *scratch);

/* All pairs of explicit paths: rows has h + window - 1 rows of the sequence, scratch volt_path_scratch()
 * numbers for each thread. */
void volt_path_run(const volt_resolved *resolved, const volt_columns *columns, volt_view rows, int64_t h,
                   bool same, const volt_self *self, int64_t threads, double *scratch, volt_matrix K,
                   volt_stage *stage);

#endif
