/* src/solve/exact/ridge.h: ridge regression on a Gram matrix by Cholesky, in place, with an exact intercept.
 *
 * Minimises |K A + 1 c - Y|^2 + alpha tr(A' K A): (K + alpha I) A = Y - 1 c, with
 * c = (1' R Y) / (1' R 1), R = (K + alpha I)^{-1}, or c = 0 without intercept. */
#ifndef SOLVE_RIDGE_H
#define SOLVE_RIDGE_H

#include "solve/exact/factor.h"
#include "volterra/solve.h"

typedef struct volt_ridge_options {
    double alpha;  /* regularisation, > 0; 1e-6 */
    int intercept; /* unpenalised, 1 */
    volt_progress progress;
} volt_ridge_options;
volt_ridge_options volt_ridge_options_default(void);

typedef struct volt_ridge_report {
    double rcond;          /* estimated reciprocal condition number of K + alpha I */
    double rounding_level; /* n eps max_i K_ii: an alpha below it is not safe */
} volt_ridge_report;

/* Overwrites the lower triangle of K (n x n) with the factor L of K + alpha I = L L', and Y (n x q) with
 * A. c receives the q intercepts (zeros without). Only the lower triangle of K is read.
 * An alpha below the rounding level is a warning in the log; VOLT_ERR_SINGULAR when a pivot fails: the
 * sentence has the pivot, alpha, the rounding level and an alpha that would do. K and Y are lost then.
 * options and report may be NULL. */
volt_status volt_ridge_solve(volt_matrix K, volt_matrix Y, const volt_ridge_options *options, double *c,
                             volt_ridge_report *report);

/* All rows of the factor, which are there and not factored, and then their intercepts; its W (in place of which the
 * targets stood) becomes A. Progress covers [from, from + share] of the call. An alpha below the rounding level is a
 * warning. */
volt_status volt_ridge_run(volt_factor *factor, volt_progress progress, double from, double share,
                           volt_ridge_report *report);

/* VOLT_ERR_SINGULAR with the sentence for a factorisation of n rows that failed at `pivot` (1-based), where
 * `level` is n eps max K_ii. */
volt_status volt_ridge_singular(int64_t pivot, int64_t n, double alpha, double level);

#endif
