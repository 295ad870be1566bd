/* tests/support/plain_paths.h: reference implementation of kernels between paths, as plain loops over one
 * pair at a time.
 *
 * A path is a list of points: the window of rows that ends in a row, a row read as a path of scalars, a
 * whole series. Static kernels read their window as one long row. Every value comes with a bound on how far
 * the library may lie from it, which follows the size of the numbers that enter this very value: an outlier
 * widens the bounds of the paths that hold it, and of no others. Nothing here shares code or layout with
 * src/kernel. */
#ifndef SUPPORT_PLAIN_PATHS_H
#define SUPPORT_PLAIN_PATHS_H

#include "volterra/base.h"
#include "volterra/kernel.h"

#include <stdbool.h>

typedef struct plain_path {
    double *point; /* points x channels */
    int64_t points, channels;
} plain_path;

typedef enum plain_family {
    PLAIN_STATIC_LINEAR,
    PLAIN_STATIC_RBF,
    PLAIN_STATIC_POLY,
    PLAIN_STATIC_SIGMOID,
    PLAIN_GAK,
    PLAIN_SIG,
    PLAIN_SIGPDE,
    PLAIN_SIGPDE_RBF
} plain_family;

typedef struct plain_path_kernel {
    const char *text; /* what volt_kernel_parse takes, but for window and path */
    plain_family family;
    double gamma, coef0, sigma;
    int degree, level, order, dyadic;
    bool time, leadlag, basepoint; /* part of the text as well, except with path=rows */
} plain_path_kernel;

/* Parse kernel->text with one more parameter ("window=3"; NULL: none); ends the test on failure. */
volt_kernel *plain_path_parse(const plain_path_kernel *kernel, const char *more);

/* ---- paths ------------------------------------------------------------------------------------ */

/* The windows of `window` rows that end in each row of X, zeros before the first; each row of X times
 * `scale` as a path of scalars; each series. All with the augmentations of the kernel. */
plain_path *plain_windows(const plain_path_kernel *kernel, volt_view X, int64_t window);
plain_path *plain_rows(const plain_path_kernel *kernel, volt_view X, double scale);
plain_path *plain_series(const plain_path_kernel *kernel, const volt_view *series, int64_t count);
void plain_paths_free(plain_path *paths, int64_t count);

/* ---- kernels ---------------------------------------------------------------------------------- */

/* value[i][j] and bound[i][j] (n x m) of the kernel of X[i] and Y[j]. `centre` bounds the norm of what the
 * library may subtract from both sides before it takes distances. */
void plain_paths_gram(const plain_path_kernel *kernel, const plain_path *X, int64_t n, const plain_path *Y,
                      int64_t m, double centre, double *value, double *bound);

/* The signature up to `level`, levels 1, 2, ... one after the other, as the product of the exponentials of the
 * increments, each cut off after the power `order`; and the same of their absolute values. `list` and `sizes`
 * have plain_signature_length() numbers. */
int64_t plain_signature_length(int64_t channels, int level);
void plain_signature(const plain_path *path, int level, int order, double *list, double *sizes);

/* log of the global alignment kernel before normalisation, in logarithms from the first step on. */
double plain_gak_log(const plain_path *x, const plain_path *y, double sigma);

#endif
