/* bench/path_reference.h: kernels of windows, paths and whole histories, one pair at a time: the reference that results are
 * checked against before they are timed.
 *
 * Rows before the first are zeros. */
#ifndef BENCH_PATH_REFERENCE_H
#define BENCH_PATH_REFERENCE_H

#include "volterra.h"

/* ---- paths ------------------------------------------------------------------------------------ */

typedef struct plain_path {
    int64_t length, channels;
    double *points; /* length x channels; the caller's to free */
} plain_path;

/* The `window` rows of X that end in row i. */
plain_path plain_window(volt_view X, int64_t i, int64_t window);

/* Row i of X as a path of d numbers. */
plain_path plain_row(volt_view X, int64_t i);

/* The same times `scale`, as (time, lag, lead): 2 d - 1 points, time from 0 to 1. */
plain_path plain_row_lead_lag(volt_view X, int64_t i, double scale);

/* The global alignment kernel, normalised. */
double plain_gak(const plain_path *x, const plain_path *y, double sigma);

/* The Goursat scheme on the second differences of <x, y>, dyadic order 0. */
double plain_sigpde(const plain_path *x, const plain_path *y);

/* 1 + the inner products of the signatures' levels 1 .. level. */
double plain_sig(const plain_path *x, const plain_path *y, int level);

/* ---- sums over the past ----------------------------------------------------------------------- */

/* <x, y> and |x - y|^2 of rows i and j of X; a negative row is 0. */
double plain_product(volt_view X, int64_t i, int64_t j);
double plain_distance(volt_view X, int64_t i, int64_t j);

/* The sum of a local value over the `window` pairs of rows that end in (i, j). */
double plain_sum(double (*local)(volt_view X, int64_t i, int64_t j), volt_view X, int64_t i, int64_t j,
                 int64_t window);

#endif
