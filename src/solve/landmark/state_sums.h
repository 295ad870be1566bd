/* src/solve/landmark/state_sums.h: ridge regression on explicit states, from sums over the rows.
 *
 * With K = F F', where F has a row of N numbers for each of n rows, the readout of states B = F' A solves
 *
 *     (G + alpha I) B = H,      G = sum_t (f_t - m) (f_t - m)',   H = sum_t (f_t - m) y_t',   c = mean y - m' B
 *
 * m is the mean of the states with an intercept, and 0 without. Predictions are the same as from (K + alpha
 * I) A = Y - 1 c, with n N^2 operations and N^2 numbers (docs/math.md). Rows are added in time order in
 * blocks of any size. Every prefix can be solved, with any number of values of alpha. The sums are centred
 * at the mean of the first rows to avoid cancellation. Results do not depend on the number of threads.
 *
 *     create;  clear, add, solve, add, solve, ...;  clear ...;  free */
#ifndef SOLVE_STATE_SUMS_H
#define SOLVE_STATE_SUMS_H

#include "base/progress.h"
#include "volterra/base.h"

#include <stdbool.h>

struct volt_backend;
struct volt_bands;

typedef struct volt_state_sums {
    int64_t states, columns; /* N, and targets */
    double *B;               /* states x columns: the readout of the last solved system ... */
    double *c;               /* columns: ... and its intercepts, 0 without */
    double *y;               /* columns: sums of the targets */
    double counted;          /* rows with a target */
    /* (optional) Advanced by `add`, this many units a row, and by `solve`, one unit a system. If it is cancelled, the sums
     * or the solution are invalid. */
    volt_stage *stage;
    double row_units;

    /* ---- internal fields ---- */
    double *about, *total; /* states: the centre, and the sum of the centred states */
    double *G, *H;         /* states x states (lower triangle), states x columns: sums about `about` */
    double *S;             /* states x states: workspace for a system */
    double *block;         /* rows added at a time */

    /* ---- sums at a back end (state_sums.c): G and S are its memory, `block` is unused ---- */
    const struct volt_backend *backend; /* NULL: host memory */
    bool has_rows;                      /* G is initialised */
    int64_t *all_columns;               /* states: 0, 1, 2, ... */
    double *thin;                       /* states x 2: workspace */
} volt_state_sums;

/* Returns whether sums are cheaper than a matrix of n x n. Used by fits and searches. */
bool volt_state_sums_are_cheaper(int64_t rows, int64_t states);

/* For this many states and targets. VOLT_ERR_MEMORY. */
volt_status volt_state_sums_create(int64_t states, int64_t columns, volt_state_sums **sums);
void volt_state_sums_free(volt_state_sums *sums); /* NULL is allowed */
double volt_state_sums_bytes(double states, double columns);

/* The same with G and S at a back end that has `gather` and `accumulate`, and the bytes there. Rows are added by
 * volt_device_landmarks_add instead of volt_state_sums_add. Functions without a
 * status leave a failure to volt_backend_state. */
volt_status volt_state_sums_create_at(const struct volt_backend *backend, int64_t states, int64_t columns,
                                      volt_state_sums **sums);
double volt_state_sums_device_bytes(double states);

/* Remove all rows. */
void volt_state_sums_clear(volt_state_sums *sums);

/* Add rows with the states F (rows x states) and the targets Y (rows x columns). `without` (optional) marks
 * rows without a target, for which Y holds 0; they are ignored. */
void volt_state_sums_add(volt_state_sums *sums, volt_view F, volt_view Y, const bool *without);

/* Solve for B and c with this alpha, with or without an intercept. rcond (optional) receives the estimated
 * reciprocal condition number of the system. VOLT_ERR_SINGULAR if alpha is too small, VOLT_ERR_NOT_FINITE if
 * the states are too large, VOLT_ERR_MEMORY. */
volt_status volt_state_sums_solve(volt_state_sums *sums, double alpha, bool constant, double *rcond);

/* Adds up the sums of all bands (base/row_bands.h), each computed by one part, in host memory; collective. Either all
 * parts have sums at a back end or none. VOLT_ERR_MEMORY, VOLT_ERR_DEVICE. */
volt_status volt_state_sums_join(volt_state_sums *sums, const struct volt_bands *bands);

/* Copy the sums, without the solved system, to another object of the same size and memory. */
void volt_state_sums_copy(const volt_state_sums *from, volt_state_sums *to);
/* Returns a copy of the factor of the last solved system, in the memory of the sums; NULL without memory. */
double *volt_state_sums_copy_factor(const volt_state_sums *sums);

/* ---- leave-one-out (state_leverages.c) --------------------------------------------------------- */

/* Leverages h_t of rows F, which is overwritten, in the system S S' = G + alpha I, with this constant. S is
 * the factor of the last solved system (sums->S), or a copy of it:
 *
 *     h_t = 1 / n + |S^{-1} (f_t - m)|^2                                            (no 1 / n, and m = 0, without)
 *
 * The leave-one-out error of row t is (y_t - prediction) / (1 - h_t). */
void volt_state_sums_leverages(const volt_state_sums *sums, volt_view S, bool constant, volt_matrix F,
                               double *h);
/* The sum of the leverages of all rows; alpha is the one of the system, whose factor is overwritten. */
double volt_state_sums_freedom(volt_state_sums *sums, double alpha, bool constant);

/* ---- for state_sums.c (state_sums.c) ----------------------------------------------------------- */

/* Operations to add this many rows; and to solve one system. */
double volt_state_sums_add_flops(const volt_state_sums *sums, double rows);
double volt_state_sums_solve_flops(const volt_state_sums *sums);

#endif
