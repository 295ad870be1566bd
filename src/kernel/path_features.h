/* src/kernel/path_features.h: kernels between paths through explicit features, K = 1 + F_x F_y'. */
#ifndef KERNEL_PATH_FEATURES_H
#define KERNEL_PATH_FEATURES_H

#include "base/progress.h"
#include "kernel/columns.h"

/* Features of a path, or 0 when walking the cells is cheaper: paths of `length` increments in `channels`
 * dimensions, m of them in memory at a time. */
int64_t volt_features_worth(const volt_programme *programme, int64_t length, int64_t channels, int64_t m);

/* Rows first .. first + count - 1 of K from the features of those rows and of the columns, all of them or, with
 * `lower`, those up to the diagonal. */
void volt_features_multiply(volt_view rows, volt_view columns, int64_t first, bool lower, volt_matrix K);

#endif
