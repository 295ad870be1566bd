/* src/solve/ridge.h: the ridge readout of a factor. */
#ifndef SOLVE_RIDGE_H
#define SOLVE_RIDGE_H

#include "solve/factor.h"
#include "volterra/solve.h"

/* All rows of the factor, which are there and not factored, and then their intercepts; its W (in place of which the
 * targets stood) becomes A. Progress covers [from, from + share] of the call. An alpha below the rounding level is a
 * warning. */
volt_status volt_ridge_run(volt_factor *factor, volt_progress progress, double from, double share,
                           volt_ridge_report *report);

/* VOLT_ERR_SINGULAR with the sentence for a factorisation of n rows that failed at `pivot` (1-based), where
 * `level` is n eps max K_ii. */
volt_status volt_ridge_singular(int64_t pivot, int64_t n, double alpha, double level);

#endif
