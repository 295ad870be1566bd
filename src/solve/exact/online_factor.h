/* src/solve/exact/online_factor.h: the factor of a sliding window of rows.
 *
 *     K + alpha I = L L',     W = L^{-1} [Y, 1]
 *
 * append   l = L^{-1} k,  delta = sqrt(k_tt + alpha - l' l):  L gets the row (l', delta), W the row ([y, 1] - l' W) / delta
 * drop     L = [l_11 0; l_21 L_22]:  the new factor is the factor of L_22 L_22' + l_21 l_21', a rank-one update by n
 *          rotations, which are applied to W as well
 *
 * n^2 operations each. No matrix is downdated, and a rounding error in row i of L L' leaves the window with
 * that row, so errors do not accumulate (docs/math.md). Predictions need no coefficients:
 *
 *     c = u' w / u' u,     forecast = l' (w - u c) + c                              u, w: columns of W
 *
 * Everything runs on the calling thread. Results do not depend on the position of the window in memory. */
#ifndef SOLVE_ONLINE_FACTOR_H
#define SOLVE_ONLINE_FACTOR_H

#include "base/progress.h"

#include <stdbool.h>

typedef struct volt_online_factor {
    int64_t n, q;     /* rows, and targets */
    double alpha;     /* above 0 */
    int64_t capacity; /* capacity in rows, including those before `start` */
    int64_t start;    /* row i of the window is row start + i of the memory */
    double *L;        /* capacity x capacity: entry (i, j), j <= i, is L[(start + j) * capacity + start + i] */
    double *W;        /* capacity x (q + 1) */
    double *l;        /* capacity: l of the current row ... */
    double square;    /* ... its delta^2 ... */
    double least;     /* ... and the lower bound of delta^2 */
    double *v;        /* capacity: l_21 during the rotations */
    double *sums;     /* 3 x (q + 1): workspace of a prediction */
} volt_online_factor;

/* Creates an empty factor. VOLT_ERR_MEMORY. */
volt_status volt_online_create(int64_t q, double alpha, volt_online_factor **factor);
void volt_online_free(volt_online_factor *factor);

/* Reserve memory for `rows` rows in total; the functions below then cannot fail for lack of memory. After
 * VOLT_ERR_MEMORY the factor is unchanged. */
volt_status volt_online_reserve(volt_online_factor *factor, int64_t rows);

/* Set the current row: k (n numbers) against the rows of the window, and `self` against itself. */
void volt_online_solve(volt_online_factor *factor, const double *k, double self);

/* Prediction (q numbers) of the current row, with an intercept if constant[k]. 0 without rows. */
void volt_online_forecast(const volt_online_factor *factor, const bool *constant, double *y);

/* Checks that the current row can be appended. VOLT_ERR_SINGULAR: it is linearly dependent up to rounding. */
volt_status volt_online_check(const volt_online_factor *factor);
/* Append the current row with its targets y (q numbers). Memory must be reserved, and the check must have
 * passed. */
void volt_online_append(volt_online_factor *factor, const double *y);

/* Drop the oldest row; the window must not be empty. The current row must be solved again. */
void volt_online_drop(volt_online_factor *factor);

/* Coefficients A (n x q) and intercepts c (q) of the rows in the window; 0 where not constant[k]. */
void volt_online_coefficients(const volt_online_factor *factor, const bool *constant, volt_matrix A, double *c);

/* A lower bound of the condition number of K + alpha I: the squared ratio of the largest to the smallest
 * pivot; 1 without rows. */
double volt_online_condition(const volt_online_factor *factor);

/* ---- all rows at once ------------------------------------------------------------------------- */

/* Memory for the lower triangle of K (rows x rows), in an empty factor with sufficient capacity. */
volt_matrix volt_online_gram(volt_online_factor *factor, int64_t rows);
/* Factor it, with targets Y (rows x q). The stage (may be NULL) counts volt_cholesky_units.
 * VOLT_ERR_SINGULAR; VOLT_ERR_CANCELLED: the factor is then empty. The caller claims BLAS. */
volt_status volt_online_factorise(volt_online_factor *factor, volt_view Y, volt_stage *stage);

/* Export L, row by row up to its diagonal: n (n + 1) / 2 numbers; import it with W (n x (q + 1)). Import
 * returns VOLT_ERR_FORMAT if a pivot is not positive; memory must be reserved. */
void volt_online_get(const volt_online_factor *factor, double *packed);
volt_status volt_online_set(volt_online_factor *factor, int64_t n, const double *packed, const double *W);

#endif
