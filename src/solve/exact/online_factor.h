/* src/solve/exact/online_factor.h: the factor of a window of rows, to which one is appended, and from which the oldest is dropped.
 *
 *     K + alpha I = L L',     W = L^{-1} [Y, 1]
 *
 * append   l = L^{-1} k,  delta = sqrt(k_tt + alpha - l' l):  L gets the row (l', delta), W the row ([y, 1] - l' W) / delta
 * drop     L = [l_11 0; l_21 L_22]:  the factor of the others is that of L_22 L_22' + l_21 l_21', one rank more, by n
 *          rotations, which W goes through as well
 *
 * n^2 operations each. Nothing is ever subtracted from a matrix, and a rounding error in row i of L L' leaves with that
 * row: errors do not add up, however long this goes on (docs/math.md). Forecasts need no coefficients:
 *
 *     c = u' w / u' u,     forecast = l' (w - u c) + c                              u, w: columns of W
 *
 * Everything runs on the calling thread, and every number is computed in the same way wherever the window lies. */
#ifndef SOLVE_ONLINE_FACTOR_H
#define SOLVE_ONLINE_FACTOR_H

#include "base/progress.h"

#include <stdbool.h>

typedef struct volt_online_factor {
    int64_t n, q;     /* rows, and targets */
    double alpha;     /* above 0 */
    int64_t capacity; /* rows that there is room for, those before `start` included */
    int64_t start;    /* row i of the window is row start + i of the memory */
    double *L;        /* capacity x capacity: entry (i, j), j <= i, is L[(start + j) * capacity + start + i] */
    double *W;        /* capacity x (q + 1) */
    double *l;        /* capacity: of the row at hand ... */
    double square;    /* ... and its delta^2 ... */
    double least;     /* ... which must exceed this */
    double *v;        /* capacity: l_21 on its way through the rotations */
    double *sums;     /* 3 x (q + 1): of a forecast */
} volt_online_factor;

/* Empty. VOLT_ERR_MEMORY. */
volt_status volt_online_create(int64_t q, double alpha, volt_online_factor **factor);
void volt_online_free(volt_online_factor *factor);

/* Room for `rows` rows in all: what follows does not fail then. VOLT_ERR_MEMORY, and nothing changes. */
volt_status volt_online_reserve(volt_online_factor *factor, int64_t rows);

/* The row at hand: k (n numbers) against the rows of the window, and `self` against itself. */
void volt_online_solve(volt_online_factor *factor, const double *k, double self);

/* Forecast (q numbers) of the row at hand; where constant[k], with an intercept. Without rows it is 0. */
void volt_online_forecast(const volt_online_factor *factor, const bool *constant, double *y);

/* May the row at hand be appended? VOLT_ERR_SINGULAR: to rounding it brings nothing new. */
volt_status volt_online_check(const volt_online_factor *factor);
/* Append it with its targets y (q numbers); there must be room, and the check must have passed. */
void volt_online_append(volt_online_factor *factor, const double *y);

/* Drop the oldest row, of which there must be one. The row at hand is to be solved again. */
void volt_online_drop(volt_online_factor *factor);

/* Coefficients A (n x q) and intercepts c (q) of the rows in the window; 0 where not constant[k]. */
void volt_online_coefficients(const volt_online_factor *factor, const bool *constant, volt_matrix A, double *c);

/* A lower bound of the condition number of K + alpha I: the largest pivot over the smallest, squared; 1 without rows. */
double volt_online_condition(const volt_online_factor *factor);

/* ---- all rows at once ------------------------------------------------------------------------- */

/* The place for the lower triangle of K (rows x rows), in a factor that is empty and has room for them. */
volt_matrix volt_online_gram(volt_online_factor *factor, int64_t rows);
/* Factor it, with targets Y (rows x q). The stage, which may be NULL, counts volt_cholesky_units. VOLT_ERR_SINGULAR;
 * VOLT_ERR_CANCELLED: the factor is empty then. BLAS is claimed by the caller. */
volt_status volt_online_factorise(volt_online_factor *factor, volt_view Y, volt_stage *stage);

/* L, row by row up to its diagonal: n (n + 1) / 2 numbers, out; and in, with W (n x (q + 1)). In: VOLT_ERR_FORMAT where a
 * pivot is not positive; there must be room. */
void volt_online_get(const volt_online_factor *factor, double *packed);
volt_status volt_online_set(volt_online_factor *factor, int64_t n, const double *packed, const double *W);

#endif
