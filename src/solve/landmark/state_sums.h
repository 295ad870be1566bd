/* src/solve/landmark/state_sums.h: ridge regression on explicit states, from sums over the rows.
 *
 * With K = F F', F having a row of N numbers for each of n rows, the readout of states B = F' A solves
 *
 *     (G + alpha I) B = H,      G = sum_t (f_t - m) (f_t - m)',   H = sum_t (f_t - m) y_t',   c = mean y - m' B
 *
 * m being the mean of the states with an intercept, and 0 without: the same forecasts as (K + alpha I) A = Y - 1 c gives,
 * for n N^2 operations and N^2 numbers (docs/math.md). Rows join the sums in time order, as many at a time as one likes,
 * and every prefix of them can be solved, for one alpha after the other. The sums are taken about the mean of the first
 * rows, so that no digits cancel. All results are the same bits whatever the number of threads.
 *
 *     create;  clear, add, solve, add, solve, ...;  clear ...;  free */
#ifndef SOLVE_STATE_SUMS_H
#define SOLVE_STATE_SUMS_H

#include "volterra/base.h"

#include <stdbool.h>

struct volt_bands;

typedef struct volt_state_sums {
    int64_t states, columns; /* N, and targets */
    double *B;               /* states x columns: the readout of the system that was solved last ... */
    double *c;               /* columns: ... and its intercepts, 0 without */
    double *y;               /* columns: sums of the targets */
    double counted;          /* rows that have a target */

    /* ---- what the functions below keep ---- */
    double *about, *total; /* states: what is subtracted from every state, and the sum of what is left */
    double *G, *H;         /* states x states (lower triangle), states x columns: sums about `about` */
    double *S;             /* states x states: room for a system */
    double *block;         /* rows that join at a time */
} volt_state_sums;

/* Is it worth while beside a matrix of n x n? One place says so for fits and searches. */
bool volt_state_sums_pay(int64_t rows, int64_t states);

/* For so many states and targets. VOLT_ERR_MEMORY. */
volt_status volt_state_sums_create(int64_t states, int64_t columns, volt_state_sums **sums);
void volt_state_sums_free(volt_state_sums *sums); /* NULL is fine */
double volt_state_sums_bytes(double states, double columns);

/* No row has joined. */
void volt_state_sums_clear(volt_state_sums *sums);

/* Rows with the states F (rows x states) and the targets Y (rows x columns) join. `without` (optional) marks those that
 * have no target, for which Y holds 0: they count for nothing. */
void volt_state_sums_add(volt_state_sums *sums, volt_view F, volt_view Y, const bool *without);

/* B and c for this alpha, with an intercept or without. rcond (optional) receives the estimated reciprocal condition number
 * of the system. VOLT_ERR_SINGULAR when alpha is too small, VOLT_ERR_NOT_FINITE when the states are too large,
 * VOLT_ERR_MEMORY. */
volt_status volt_state_sums_solve(volt_state_sums *sums, double alpha, bool constant, double *rcond);

/* The sums of the rows of all bands (base/row_bands.h), those of each process being over its own; collective. */
void volt_state_sums_join(volt_state_sums *sums, const struct volt_bands *bands);

/* The same sums in another of the same size, without the system that was solved. */
void volt_state_sums_copy(const volt_state_sums *from, volt_state_sums *to);

/* ---- rows left out (state_leverages.c) --------------------------------------------------------- */

/* Leverages h_t of rows F, which is overwritten, in the system S S' = G + alpha I, with this constant; S is that of the system
 * that was solved last (sums->S), or a copy of it:
 *
 *     h_t = 1 / n + |S^{-1} (f_t - m)|^2                                            (no 1 / n, and m = 0, without)
 *
 * so that leaving row t out errs by (y_t - forecast) / (1 - h_t). */
void volt_state_sums_leverages(const volt_state_sums *sums, volt_view S, bool constant, volt_matrix F,
                               double *h);
/* The sum of the leverages of all rows that have joined, alpha being that of the system, whose factor is lost. */
double volt_state_sums_freedom(volt_state_sums *sums, double alpha, bool constant);

/* Operations of adding so many rows, and of solving one system. */
double volt_state_sums_add_flops(const volt_state_sums *sums, double rows);
double volt_state_sums_solve_flops(const volt_state_sums *sums);

#endif
