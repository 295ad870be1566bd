/* src/series/classify/left_out.h: rows left out of a ridge regression, in any blocks, from one factorisation.
 *
 * With R = (K + alpha I)^{-1}, r = R 1 and P = R - r r' / (1' r), the coefficients of the fit with an intercept are
 * A = P Y, and its intercepts c = r' Y / (1' r). A fit without the rows of a block B forecasts them with the errors
 *
 *     e_B = P_BB^{-1} A_B            (one row: e_i = A_i / P_ii)
 *
 * exactly: with the targets of B moved by e_B the fit of all rows has A_B = 0, so that it is the fit without them
 * (docs/math.md, "Series as objects"). */
#ifndef CLASSIFY_LEFT_OUT_H
#define CLASSIFY_LEFT_OUT_H

#include "volterra/base.h"

typedef struct volt_left_out_readout {
    int64_t n, q;
    double *P; /* n x n, both triangles */
    double *A; /* n x q */
    double *c; /* q */
    double *r; /* n: room */
} volt_left_out_readout;

volt_status volt_left_out_create(int64_t n, int64_t q, volt_left_out_readout *left_out);
void volt_left_out_release(volt_left_out_readout *left_out);

/* K (n x n, both triangles or the lower one) and targets Y (n x q). VOLT_ERR_SINGULAR. BLAS must be claimed. */
volt_status volt_left_out_solve(volt_left_out_readout *left_out, volt_view K, double alpha, volt_view Y);

/* Errors of every row left out alone (n x q). */
void volt_left_out_each(const volt_left_out_readout *left_out, volt_matrix errors);

/* Errors of the m rows of a block, fewer than n, left out together (m x q). `room` has m x m numbers. VOLT_ERR_SINGULAR
 * where rounding leaves nothing of P_BB. */
volt_status volt_left_out_block(const volt_left_out_readout *left_out, const int64_t *rows, int64_t m,
                                double *room, volt_matrix errors);

/* Errors of all rows (n x q) without the m rows of a block B: those of B by the fit of the others, and each of the others
 * left out of that fit as well. With C the other rows and S = P_CC - P_CB P_BB^{-1} P_BC, the P of the fit without B,
 *
 *     e_B = P_BB^{-1} A_B,    e_i = (A_i - P_iB e_B) / S_ii.
 *
 * `room` has m x (m + n + q) numbers. VOLT_ERR_SINGULAR as above. */
volt_status volt_left_out_without(const volt_left_out_readout *left_out, const int64_t *rows, int64_t m,
                                  double *room, volt_matrix errors);

#endif
