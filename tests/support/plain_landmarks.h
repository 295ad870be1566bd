/* tests/support/plain_landmarks.h: reference implementation of ridge regression on landmarks. */
#ifndef SUPPORT_PLAIN_LANDMARKS_H
#define SUPPORT_PLAIN_LANDMARKS_H

#include "volterra/base.h"

#include <stdbool.h>

/* Rows, some of which are fitted. */
typedef struct plain_rows {
    int64_t n, q;
    const double *Y; /* n x q */
    const bool *fits;
    bool intercept;
    double alpha;
} plain_rows;

/* Nystrom's fit from the kernels of m landmarks (m x m) and of all rows with them (n x m): with B = K_nm
 * L^{-T}, L L' = K_mm + 10 m eps max K_aa I, and Z = [1 B] where there is an intercept,
 *
 *     (Z'Z + alpha diag(0, 1, ..)) v = Z'y         over the rows that are fitted
 *
 * forecasts (n x q) receive Z v and leverages (n) the diagonal of Z (Z'Z + ..)^{-1} Z', of every row. */
void plain_landmark_fit(const double *Kmm, int64_t m, const double *Knm, const plain_rows *rows,
                        double *forecasts, double *leverages);

#endif
