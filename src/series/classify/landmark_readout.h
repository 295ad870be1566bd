/* src/series/classify/landmark_readout.h: ridge regression on Nystrom features, and rows left out of it.
 *
 * With Z the m landmarks among n rows and K_ZZ = L L', a row has the features f(x) = L^{-1} K_Z(x), so that
 * <f(x), f(y)> = K_xZ K_ZZ^{-1} K_Zy (Williams and Seeger, 2001). Ridge regression with an intercept on the rows of a set C
 * has, with F centred on its mean over C and F_C' F_C = U D U', V = F U,
 *
 *     b = (D + alpha)^{-1} V_C' (Y_C - mean of Y_C),    h_i = 1 / |C| + sum_j V_ij^2 / (D_j + alpha)
 *
 * and the errors Y_i - output_i of rows outside C, (Y_i - output_i) / (1 - h_i) of those of C, each left out. One
 * decomposition serves every alpha. */
#ifndef CLASSIFY_LANDMARK_READOUT_H
#define CLASSIFY_LANDMARK_READOUT_H

#include "volterra/base.h"

#include <stdbool.h>

typedef struct volt_landmark_readout {
    int64_t n, m, q;
    const int64_t *rows;         /* m: which of the n rows are landmarks; the caller's */
    double *L, *F, *V, *U;       /* m x m, n x m, n x m, m x m */
    double *values, *mean;       /* m, m */
    double *B, *y_mean;          /* m x q, q */
    double *work;                /* for the decomposition */
    int64_t work_size, included; /* rows in C */
    void *integers;
} volt_landmark_readout;

volt_status volt_landmark_readout_create(int64_t n, int64_t m, int64_t q, const int64_t *rows,
                                         volt_landmark_readout *readout);
void volt_landmark_readout_release(volt_landmark_readout *readout);

/* Features of K (n x m: rows against landmarks). VOLT_ERR_SINGULAR. BLAS must be claimed, here and below. */
volt_status volt_landmark_readout_map(volt_landmark_readout *readout, volt_view K);

/* Decompose for the rows that are not `out` (n, NULL: all rows count). VOLT_ERR_SINGULAR. */
volt_status volt_landmark_readout_decompose(volt_landmark_readout *readout, const bool *out, volt_view Y);

/* Errors of all rows (n x q) with alpha, of the set that was decomposed. */
void volt_landmark_readout_errors(const volt_landmark_readout *readout, double alpha, const bool *out,
                                  volt_view Y, volt_matrix errors);

/* Coefficients of the landmarks, outputs = K A + c: A (m x q), c (q). */
void volt_landmark_readout_coefficients(const volt_landmark_readout *readout, double alpha, double *A,
                                        double *c);

#endif
