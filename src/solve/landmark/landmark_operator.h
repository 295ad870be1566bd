/* src/solve/landmark/landmark_operator.h: the kernel of many rows, seen through a few landmarks (Nystrom's approximation).
 *
 * Landmarks are m of the columns of a past, and K is replaced by
 *
 *     K_nm K_mm^{-1} K_mn = B B',    B = K_nm L^{-T},    L L' = K_mm + jitter I
 *
 * so that B, n x m, are explicit features of the rows (docs/math.md, "Large n"): the operator has m states. A forecast is
 * k_m' beta, beta = L^{-T} gamma, where gamma is the readout of the features. B comes in blocks of rows, from one walk of
 * the rows past the columns, and is never stored. */
#ifndef SOLVE_LANDMARK_OPERATOR_H
#define SOLVE_LANDMARK_OPERATOR_H

#include "kernel/records.h"
#include "solve/exact/operator.h"

typedef struct volt_landmark_task {
    const volt_resolved *resolved; /* its records, if any, are the runs that the columns are */
    const volt_columns *columns;   /* the landmarks, and rows before each run that are only its past */
    const int64_t *column;         /* m: the columns that are landmarks, upwards */
    int64_t m;
    volt_view Z; /* n rows; without data, rows first .. first + Z.rows - 1 of them are ... */
    void (*get_rows)(void *context, int64_t first, volt_matrix Z); /* ... put here, cheapest in order */
    void *context;
    const volt_records *records; /* that those are; NULL: one sequence */
    double common;               /* that is subtracted from K */
    const volt_backend *backend; /* where blocks of rows are made; NULL: here */
} volt_landmark_task;

/* Everything in the task must outlive it. rows are not offered. VOLT_ERR_SINGULAR where K_mm is not positive semidefinite;
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED, VOLT_ERR_NOT_FINITE. */
volt_status volt_landmark_operator(const volt_landmark_task *task, volt_stage *stage, volt_operator **op);

/* Bytes that it takes, beside columns of so many numbers. */
double volt_landmark_bytes(double landmarks, double columns);

/* gamma (m x q) becomes beta, in place. */
void volt_landmark_coefficients(volt_operator *op, volt_matrix gamma);

/* The features of other rows, which begin after a zero past, and so do records among them (NULL: one sequence), into F
 * (Z.rows x m). Cancelled, F is unfinished and the status VOLT_OK. VOLT_ERR_MEMORY. */
volt_status volt_landmark_features(volt_operator *op, volt_view Z, const volt_records *records, volt_matrix F,
                                   volt_stage *stage);

/* Hand over the past after the last row of Z, as volt_kernel_operator_end does. */
volt_status volt_landmark_operator_end(volt_operator *op, volt_state **past);

#endif
