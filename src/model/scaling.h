/* src/model/scaling.h: inputs into the unit ball, targets to mean 0 and variance 1. */
#ifndef MODEL_SCALING_H
#define MODEL_SCALING_H

#include "volterra/base.h"

#include <stdbool.h>

/* Inputs and targets to learn from: shapes that agree, not too large for BLAS, finite. */
volt_status volt_check_pairs(volt_view X, volt_view Y);
/* The same where targets may be missing: the values of those that are there are `present`. */
volt_status volt_check_pairs_present(volt_view X, volt_view Y, volt_view present);

/* Rows that need not be in memory: row i is there until the next is asked for; they are asked for from 0 on, in order, as
 * often as wanted. */
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

/* From the rows of X: shift is their mean (zero when !centre), scale makes the largest norm 1. `identity`
 * leaves inputs as they are. VOLT_ERR_DATA when the inputs are constant (all zero without a shift). */
volt_status volt_input_scale_learn_rows(const volt_row_source *X, bool centre, bool identity,
                                        volt_input_scale *scale);
volt_status volt_input_scale_learn(volt_view X, bool centre, bool identity, volt_input_scale *scale);

/* One row. */
void volt_input_scale_row(const volt_input_scale *scale, int64_t d, const double *x, double *z);

/* From the rows of Y: column means and population standard deviations (1 for a constant column). */
void volt_target_scale_learn(volt_view Y, bool identity, double *mean, double *deviation);

/* Scales of targets that are taken as they are: 1, or a power of two where squares of the targets would overflow or vanish. */
void volt_target_scale_powers(volt_view Y, double *scale);

#endif
