/* src/solve/landmark/device_landmarks.h: the blocks of landmark_operator.c on a device.
 *
 * The device computes a block of rows against all columns, gathers the landmarks, and converts them to
 * features with the factor of K_mm. The sums of the features stay on the device until they are collected. */
#ifndef SOLVE_DEVICE_LANDMARKS_H
#define SOLVE_DEVICE_LANDMARKS_H

#include "solve/exact/operator.h"
#include "solve/landmark/state_sums.h"

typedef struct volt_device_landmarks {
    const volt_backend *backend; /* NULL: no device is used, and the other fields are unset */
    int64_t m, columns, rows;    /* landmarks, columns, and rows of a block */
    const int64_t *column;       /* m: the columns that are landmarks */
    double *K;                   /* rows x columns */
    double *W;                   /* (m + rows) x m: L, and features of the block below it */
    double *G;                   /* m x m: sums of features ... */
    bool has_sums;               /* ... if not empty */
    double *shift, *about;       /* m, host memory: subtracted from the landmarks of a row; and workspace */
} volt_device_landmarks;

/* Returns whether the back end supports this. */
bool volt_device_landmarks_can(const volt_backend *backend);
/* Rows of a block; and memory usage in bytes. */
int64_t volt_device_landmarks_rows(int64_t columns);
double volt_device_landmarks_bytes(double landmarks, double columns);

/* VOLT_ERR_MEMORY. Release it in every case. */
volt_status volt_device_landmarks_make(const volt_backend *backend, const int64_t *column, int64_t m,
                                       int64_t columns, volt_device_landmarks *device);
void volt_device_landmarks_release(volt_device_landmarks *device);

/* Row `row` of the block K, less the constant: m numbers in host memory. */
volt_status volt_device_landmarks_row(const volt_device_landmarks *device, int64_t row, double common,
                                      double *out);
/* Sets the factor (m x m, host memory) used for features. */
void volt_device_landmarks_factor(const volt_device_landmarks *device, const double *L);
/* Copies the features of the first F.rows rows of the block to the host. */
volt_status volt_device_landmarks_features(const volt_device_landmarks *device, double common, volt_matrix F);
/* Adds the first Y.rows rows to the sums on the device, centred at sums->about, and to the thin sums of
 * `sums`. Rows with without[i] are skipped. `L` is the factor, in host memory. */
volt_status volt_device_landmarks_add(volt_device_landmarks *device, double common, const double *L,
                                      volt_view Y, const bool *without, volt_state_sums *sums);
/* Adds the sums on the device, if any, to sums->G, and clears them. */
volt_status volt_device_landmarks_collect(volt_device_landmarks *device, volt_state_sums *sums);

/* out <- (K - common 1 1') beta for the first out.rows rows; beta (m x q) is in host memory. */
volt_status volt_device_landmarks_combine(const volt_device_landmarks *device, double common, volt_view beta,
                                          volt_matrix out);

#endif
