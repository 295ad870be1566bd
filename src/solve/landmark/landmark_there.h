/* src/solve/landmark/landmark_there.h: the blocks of landmark_operator.c at a back end elsewhere.
 *
 * A block of rows against all columns is made there, its landmarks are gathered, the factor of K_mm turns them into features,
 * and their sums stay there until somebody asks. */
#ifndef SOLVE_LANDMARK_THERE_H
#define SOLVE_LANDMARK_THERE_H

#include "solve/exact/operator.h"
#include "solve/landmark/state_sums.h"

typedef struct volt_landmarks_there {
    const volt_backend *backend; /* NULL: nothing is elsewhere, and there is nothing here */
    int64_t m, columns, rows;    /* landmarks, columns, and rows of a block */
    const int64_t *column;       /* m: the columns that are landmarks */
    double *K;                   /* rows x columns */
    double *W;                   /* (m + rows) x m: L, and features of the block below it */
    double *G;                   /* m x m: sums of features ... */
    bool has_sums;               /* ... if there are any */
    double *shift, *about;       /* m, here: what is subtracted from the landmarks of a row, and room */
} volt_landmarks_there;

/* Does the back end do that? */
bool volt_landmarks_there_can(const volt_backend *backend);
/* Rows of a block, and bytes of the whole. */
int64_t volt_landmarks_there_rows(int64_t columns);
double volt_landmarks_there_bytes(double landmarks, double columns);

/* VOLT_ERR_MEMORY. Release it in every case. */
volt_status volt_landmarks_there_make(const volt_backend *backend, const int64_t *column, int64_t m,
                                      int64_t columns, volt_landmarks_there *there);
void volt_landmarks_there_release(volt_landmarks_there *there);

/* Row `row` of the block that K holds, less the constant: m numbers here. */
volt_status volt_landmarks_there_row(const volt_landmarks_there *there, int64_t row, double common,
                                     double *out);
/* From now on features are made with this factor (m x m, here). */
void volt_landmarks_there_factor(const volt_landmarks_there *there, const double *L);
/* Features of the first F.rows rows of the block, here. */
volt_status volt_landmarks_there_features(const volt_landmarks_there *there, double common, volt_matrix F);
/* The first Y.rows rows join sums that stay there, about sums->about, and those of `sums` that are thin; without[i]: row i
 * does not. `L` is the factor, here. */
volt_status volt_landmarks_there_add(volt_landmarks_there *there, double common, const double *L, volt_view Y,
                                     const bool *without, volt_state_sums *sums);
/* The sums that stayed there, if any, join sums->G, and are gone. */
volt_status volt_landmarks_there_collect(volt_landmarks_there *there, volt_state_sums *sums);

/* out <- (K - common 1 1') beta of the first out.rows rows, beta (m x q) being here. */
volt_status volt_landmarks_there_combine(const volt_landmarks_there *there, double common, volt_view beta,
                                         volt_matrix out);

#endif
