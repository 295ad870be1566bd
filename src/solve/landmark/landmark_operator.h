/* src/solve/landmark/landmark_operator.h: the Nystrom approximation of a kernel by landmarks.
 *
 * Landmarks are m of the columns of a state, and K is replaced by
 *
 *     K_nm K_mm^{-1} K_mn = B B',    B = K_nm L^{-T},    L L' = K_mm + jitter I
 *
 * B, n x m, are explicit features of the rows (docs/math.md, "Large n"): the operator has m states. A
 * prediction is k_m' beta, beta = L^{-T} gamma, where gamma is the readout of the features. B is computed in
 * blocks of rows, in one pass of the rows against the columns, and never stored. */
#ifndef SOLVE_LANDMARK_OPERATOR_H
#define SOLVE_LANDMARK_OPERATOR_H

#include "kernel/records.h"
#include "solve/exact/operator.h"
#include "solve/landmark/state_sums.h"

typedef struct volt_landmark_task {
    const volt_resolved *resolved; /* its records, if any, are the runs of columns */
    const volt_columns *columns;   /* the landmarks, and the rows before each run that initialise its state */
    const int64_t *column;         /* m: indices of the landmarks among the columns, in any order */
    int64_t m;
    volt_view Z; /* n rows; without data, rows first .. first + Z.rows - 1 are ... */
    /* ... computed by this function, cheapest in order */
    void (*get_rows)(void *context, int64_t first, volt_matrix Z);
    void *context;
    const volt_records *records; /* records of the rows; NULL: one sequence */
    double common;               /* subtracted from K */
    int64_t washout;             /* rows that are not fitted */
    const volt_backend *backend; /* where blocks of rows are computed; NULL: on the host */
} volt_landmark_task;

/* Everything in the task must outlive it. `rows` is not supported. VOLT_ERR_SINGULAR if K_mm is not positive
 * semidefinite; VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED, VOLT_ERR_NOT_FINITE. */
volt_status volt_landmark_operator(const volt_landmark_task *task, volt_stage *stage, volt_operator **op);

/* Units of the stage of volt_landmark_operator, in entries of K; and its share of the operations of a fit on the landmarks
 * with two passes over the rows and `entries` further entries of K. */
double volt_landmark_units(const volt_landmark_task *task);
double volt_landmark_share(const volt_landmark_task *task, double entries);

/* Memory usage in bytes, without the columns of `columns` numbers. */
double volt_landmark_bytes(double landmarks, double columns);

/* Converts gamma (m x q) to beta, in place. */
void volt_landmark_coefficients(volt_operator *op, volt_matrix gamma);

/* Computes the features of other rows into F (Z.rows x m). They start from a zero initial state, as do
 * records among them (NULL: one sequence). If cancelled, the status is VOLT_OK and F is unfinished.
 * VOLT_ERR_MEMORY. */
volt_status volt_landmark_features(volt_operator *op, volt_view Z, const volt_records *records, volt_matrix F,
                                   volt_stage *stage);

/* Hands over the state after the last row of Z, like volt_kernel_operator_end. */
volt_status volt_landmark_operator_end(volt_operator *op, volt_state **state);

/* ---- the blocks of landmark_operator.c on a device --------------------------------------------------- */

/* The device computes a block of rows against all columns, gathers the landmarks, and converts them to
 * features with the factor of K_mm. Features that are added to sums are centred. The remaining memory stores
 * those of the last rows, so that products with them need no second pass. A part of a job (base/row_bands.h) stores
 * only rows of its own band. */

/* Returns whether the back end supports this. */
bool volt_device_landmarks_can(const volt_backend *backend);
/* Memory usage in bytes, with stored features of n rows. */
double volt_device_landmarks_bytes(const volt_backend *backend, double n, double landmarks, double columns);

#endif
