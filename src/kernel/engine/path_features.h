/* src/kernel/engine/path_features.h: kernels between paths through explicit features, K = offset + F_x F_y', or a Gaussian
 * of the distance of features. */
#ifndef KERNEL_PATH_FEATURES_H
#define KERNEL_PATH_FEATURES_H

#include "base/progress.h"
#include "kernel/engine/columns.h"

/* Features of a path, or 0 when walking the cells is cheaper: paths of `length` increments in `channels`
 * dimensions, m of them in memory at a time. */
int64_t volt_features_worth(const volt_programme *programme, int64_t length, int64_t channels, int64_t m);

/* K = offset + F_x F_y' from the features of rows and columns, all of them (own = VOLT_OTHER_ROWS) or, where the first row is
 * column `own`, those up to the diagonal. */
void volt_features_multiply(volt_view rows, volt_view columns, double offset, int64_t own, volt_matrix K);

/* The same rows of K from F_x F_y' to exp(-gamma |f(x) - f(y)|^2); the norms are squared. Distances that cancel
 * in |f(x)|^2 + |f(y)|^2 - 2 <f(x), f(y)> are taken from the differences themselves. */
void volt_features_gaussian(double gamma, volt_view rows, const double *row_norms, volt_view columns,
                            const double *column_norms, int64_t own, volt_matrix K);

/* Squared norms of the rows of F. */
void volt_features_norms(volt_view F, double *norms);

#endif
