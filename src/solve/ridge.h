/* src/solve/ridge.h: the ridge readout as a stage of a longer call. */
#ifndef SOLVE_RIDGE_H
#define SOLVE_RIDGE_H

#include "volterra/solve.h"

/* volt_ridge_solve with its progress covering [from, from + share] of the call. */
volt_status volt_ridge_solve_stage(volt_matrix K, volt_matrix Y, const volt_ridge_options *options, double from,
                                   double share, double *c, volt_ridge_report *report);

#endif
