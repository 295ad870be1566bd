/* src/model/scaling.h: scales inputs to the unit ball, targets to mean 0 and variance 1. */
#ifndef MODEL_SCALING_H
#define MODEL_SCALING_H

#include "volterra/base.h"

#include <stdbool.h>

/* Checks training inputs and targets: matching shapes, within BLAS limits, finite. */
volt_status volt_check_pairs(volt_view X, volt_view Y);
/* The same with missing targets: `present` holds the others. */
volt_status volt_check_pairs_present(volt_view X, volt_view Y, volt_view present);

/* Rows that need not be in memory. A row is valid until the next is read. Rows are read in order from 0, any
 * number of times. */
typedef struct volt_row_source {
    int64_t rows, cols;
    const double *(*row)(void *context, int64_t i);
    void *context;
} volt_row_source;

/* A row x becomes (x - shift) * scale. */
typedef struct volt_input_scale {
    double *shift; /* d */
    double scale;
} volt_input_scale;

/* Learns from the rows of X: shift is their mean (zero when !centre), scale makes the largest norm 1.
 * `identity` leaves inputs unchanged. VOLT_ERR_DATA when the inputs are constant (all zero without a shift). */
volt_status volt_input_scale_learn_rows(const volt_row_source *X, bool centre, bool identity,
                                        volt_input_scale *scale);
volt_status volt_input_scale_learn(volt_view X, bool centre, bool identity, volt_input_scale *scale);

/* Scales one row. */
void volt_input_scale_row(const volt_input_scale *scale, int64_t d, const double *x, double *z);

/* Learns from the rows of Y: column means and population standard deviations (1 for a constant column). */
void volt_target_scale_learn(volt_view Y, bool identity, double *mean, double *deviation);

/* Scales of unstandardised targets: 1, or a power of two if squares of the targets would overflow or
 * underflow. */
void volt_target_scale_powers(volt_view Y, double *scale);

#endif
