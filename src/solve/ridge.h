/* src/solve/ridge.h: the ridge readout as a stage of a longer call. */
#ifndef SOLVE_RIDGE_H
#define SOLVE_RIDGE_H

#include "volterra/solve.h"

/* Where a readout stands in a longer call. */
typedef struct volt_ridge_stage {
    double from, share; /* its progress covers [from, from + share] of the call */
    double size; /* K was computed from numbers up to this size, and is rounded like them; 0: like max K_ii */
} volt_ridge_stage;

volt_status volt_ridge_solve_stage(volt_matrix K, volt_matrix Y, const volt_ridge_options *options,
                                   volt_ridge_stage stage, double *c, volt_ridge_report *report);

/* VOLT_ERR_SINGULAR with the sentence for a factorisation of n rows that failed at `pivot` (1-based), where
 * `level` is n eps max K_ii. */
volt_status volt_ridge_singular(int64_t pivot, int64_t n, double alpha, double level);

#endif
