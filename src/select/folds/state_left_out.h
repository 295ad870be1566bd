/* src/select/folds/state_left_out.h: rows left out one by one, of a candidate that is evaluated in features of its rows.
 *
 * A row that is left out is missed by (y_t - forecast) / (1 - h_t), h_t being its leverage (solve/landmark/state_sums.h): two passes
 * over the rows, one for the sums and one for errors and leverages with all alphas. */
#ifndef SELECT_STATE_LEFT_OUT_H
#define SELECT_STATE_LEFT_OUT_H

#include "select/folds/state_folds.h"

/* LOO or GCV, as the problem says, for each of `count` alphas, into scores; the sums have all rows, and Y are their targets.
 * status[a] is what became of alpha a: VOLT_ERR_SINGULAR and VOLT_ERR_NOT_FINITE are its own, and leave no score. The status
 * returned is VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED, or VOLT_OK. */
volt_status volt_state_left_out(volt_state_folds *folds, volt_view Y, const double *alphas, int64_t count,
                                bool constant, volt_stage *stage, volt_status *status, double *scores);

/* Bytes that it takes, for so many features and alphas. */
double volt_state_left_out_bytes(const volt_problem *problem, double states, double alphas);

#endif
