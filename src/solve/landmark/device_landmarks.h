/* src/solve/landmark/device_landmarks.h: the blocks of landmark_operator.c on a device.
 *
 * The device computes a block of rows against all columns, gathers the landmarks, and converts them to
 * features with the factor of K_mm. Features that are added to sums are centred. The remaining memory stores
 * those of the last rows, so that products with them need no second pass. A part of a job (base/row_bands.h) stores
 * only rows of its own band. */
#ifndef SOLVE_DEVICE_LANDMARKS_H
#define SOLVE_DEVICE_LANDMARKS_H

#include "solve/exact/operator.h"
#include "solve/landmark/state_sums.h"

typedef struct volt_device_landmarks {
    const volt_backend *backend; /* NULL: no device is used, and the other fields are unset */
    int64_t m, columns, rows;    /* landmarks, columns, and rows of a block */
    const int64_t *column;       /* m: the columns that are landmarks */
    int64_t n;                   /* rows of the operator; ... */
    int64_t from, stored;        /* ... features of rows from .. from + stored - 1 have memory, ... */
    int64_t first, end;          /* ... and rows first .. end - 1 are there */
    double *K, *other;           /* rows x columns; and one more, if there are several blocks */
    double *W;                   /* (m + stored + rows) x m: L, stored features, and features of a block */
    double *shift;               /* m, host memory: subtracted from the landmarks of a row */
    double *centre, *about;      /* m, host memory: the centre of the landmarks, and of the features: ... */
    bool has_centre;             /* ... known after the first rows were added */
} volt_device_landmarks;

/* Returns whether the back end supports this. */
bool volt_device_landmarks_can(const volt_backend *backend);
/* Memory usage in bytes, with stored features of n rows. */
double volt_device_landmarks_bytes(const volt_backend *backend, double n, double landmarks, double columns);

/* For n rows; features of rows first .. last - 1 may be stored. VOLT_ERR_MEMORY. Release it in every case. */
volt_status volt_device_landmarks_make(const volt_backend *backend, const int64_t *column, int64_t m,
                                       int64_t columns, int64_t n, int64_t first, int64_t last,
                                       volt_device_landmarks *device);
void volt_device_landmarks_release(volt_device_landmarks *device);

/* K_mm, less the constant: its rows from `a` on, from rows `first` .. of the block. */
void volt_device_landmarks_corner(const volt_device_landmarks *device, int64_t first, int64_t count, int64_t a,
                                  double common);
/* Factors K_mm + jitter I. *pivot as of potrf. VOLT_ERR_NOT_FINITE, VOLT_ERR_MEMORY. */
volt_status volt_device_landmarks_factor(const volt_device_landmarks *device, volt_stage *stage,
                                         int64_t *pivot);
/* B (m x q, host memory) <- L^{-T} B. */
void volt_device_landmarks_backward(const volt_device_landmarks *device, volt_matrix B);

/* Copies the features of the first F.rows rows of the block to the host. */
volt_status volt_device_landmarks_features(const volt_device_landmarks *device, double common, volt_matrix F);
/* Sets the centre to the mean of the first `rows` rows of K, a block of this object, at most
 * VOLT_DEVICE_CENTRE_ROWS. Otherwise the first rows that are added determine it. */
enum { VOLT_DEVICE_CENTRE_ROWS = 512 };
volt_status volt_device_landmarks_centre(volt_device_landmarks *device, const double *K, double common,
                                         int64_t rows);
/* Adds the first Y.rows rows of K, a block of this object, which are rows `row` and following of the operator, to
 * the sums, which must be at the same back end. Another thread may compute the other block meanwhile. Rows with without[i] are skipped; their stored features are 0 when centred. */
volt_status volt_device_landmarks_add(volt_device_landmarks *device, const double *K, double common,
                                      int64_t row, volt_view Y, const bool *without, volt_state_sums *sums);

/* out <- (K - common 1 1') beta for the first out.rows rows of the block; beta (m x q) is in host memory. */
volt_status volt_device_landmarks_combine(const volt_device_landmarks *device, double common, volt_view beta,
                                          volt_matrix out);

/* ---- stored features F ------------------------------------------------------------------------ */

/* The first row of the operator, from `row` on, whose features are stored; n if there is none. */
int64_t volt_device_landmarks_stored(const volt_device_landmarks *device, int64_t row);
/* out <- F gamma of the stored rows from `row` on. */
volt_status volt_device_landmarks_spread(const volt_device_landmarks *device, int64_t row, volt_view gamma,
                                         volt_matrix out);
/* out <- F' R of the stored rows from `row` on. */
volt_status volt_device_landmarks_fold(const volt_device_landmarks *device, int64_t row, volt_view R,
                                       volt_matrix out);

#endif
