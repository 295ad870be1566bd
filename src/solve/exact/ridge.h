/* src/solve/exact/ridge.h: ridge regression on a Gram matrix by Cholesky, in place, with an exact intercept.
 *
 * Minimises |K A + 1 c - Y|^2 + alpha tr(A' K A): (K + alpha I) A = Y - 1 c, with
 * c = (1' R Y) / (1' R 1), R = (K + alpha I)^{-1}, or c = 0 without intercept. */
#ifndef SOLVE_RIDGE_H
#define SOLVE_RIDGE_H

#include "solve/exact/factor.h"
#include "volterra/solve.h"

typedef struct volt_ridge_options {
    double alpha;  /* regularisation, > 0; default 1e-6 */
    int intercept; /* unpenalised; default 1 */
    volt_progress progress;
} volt_ridge_options;
volt_ridge_options volt_ridge_options_default(void);

typedef struct volt_ridge_report {
    double rcond;          /* estimated reciprocal condition number of K + alpha I */
    double rounding_level; /* n eps max_i K_ii: a smaller alpha is not safe */
} volt_ridge_report;

/* Overwrites the lower triangle of K (n x n) with the factor L of K + alpha I = L L', and Y (n x q) with A.
 * c receives the q intercepts (zeros without). Only the lower triangle of K is read. An alpha below the
 * rounding level logs a warning. VOLT_ERR_SINGULAR if a pivot fails; the message contains the pivot, alpha,
 * the rounding level and a sufficient alpha, and K and Y are undefined. options and report may be NULL. */
volt_status volt_ridge_solve(volt_matrix K, volt_matrix Y, const volt_ridge_options *options, double *c,
                             volt_ridge_report *report);

/* Factors all rows, which must be filled, and computes the intercepts. W, which holds the targets, becomes
 * A. Progress covers [from, from + share] of the call. An alpha below the rounding level logs a warning. */
volt_status volt_ridge_run(volt_factor *factor, volt_progress progress, double from, double share,
                           volt_ridge_report *report);

/* VOLT_ERR_SINGULAR with the message for a factorisation of n rows that failed at `pivot` (1-based); `level`
 * is n eps max K_ii. */
volt_status volt_ridge_singular(int64_t pivot, int64_t n, double alpha, double level);

#endif
