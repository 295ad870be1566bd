/* src/model/feedback.h: outputs that come back as inputs of the next row (NARX; docs/math.md, "Feedback").
 *
 *     the kernel sees of row t     (x_t, omega v_{t-1}),     v_k = (y_k - mean_k) / sd_k,     v = 0 before the first row
 *
 * with x in the unit ball as without feedback, and all of it divided by the largest norm in training; without scaling
 * (x_t, omega y_{t-1}) as they are. A model learns with measured outputs, and forecasts with measured or its own ones. */
#ifndef MODEL_FEEDBACK_H
#define MODEL_FEEDBACK_H

#include "kernel/records.h"
#include "model/scaling.h"

typedef struct volt_fed {
    int64_t n;          /* outputs that come back; 0: none */
    double omega;       /* their weight, above 0 */
    double *offset;     /* n: an output y becomes the column ... */
    double *weight;     /* n: ... weight (y - offset) */
    double *low, *high; /* n: the range of the targets in training */
} volt_fed;

/* Weights are 0 until volt_fed_learn. Release it at any stage; one that is all zero needs none. */
volt_status volt_fed_create(int64_t n, double omega, volt_fed *fed);
void volt_fed_release(volt_fed *fed);

static inline double volt_fed_column(const volt_fed *fed, int64_t k, double y)
{
    return fed->weight[k] * (y - fed->offset[k]);
}

static inline double volt_fed_output(const volt_fed *fed, int64_t k, double column)
{
    return fed->offset[k] + column / fed->weight[k];
}

/* Learn offsets, weights and ranges, fill the last columns of Z (rows x columns) from the targets of the rows before, and
 * replace the scale of the inputs by that of all columns. On entry the first columns of Z are those of the inputs, not
 * yet scaled, and `input` is theirs; mean and deviation are those of the targets; identity: nothing is scaled. Missing targets
 * (NaN) are those of the last rows of records. VOLT_ERR_NOT_FINITE. */
volt_status volt_fed_learn(volt_fed *fed, volt_view Y, const volt_records *records, const double *mean,
                           const double *deviation, bool identity, volt_matrix Z, volt_input_scale *input);

/* VOLT_ERR_DATA where a target is missing that the row after it would see. */
volt_status volt_fed_check_targets(volt_view Y, const volt_records *records);

/* The middle of the range of output k in training, and how far from it a free run may go. */
void volt_fed_bounds(const volt_fed *fed, int64_t k, double *middle, double *reach);
/* Has an output left 10 times the range of training: the interval ten times as wide about the same middle? Returns the
 * output, -1: none has. Targets that never moved have no range, and nothing leaves it. */
int64_t volt_fed_strays(const volt_fed *fed, const double *y);
/* The sentence: VOLT_ERR_NOT_FINITE, of output k of row `row` (from 0). */
volt_status volt_fed_diverged(const volt_fed *fed, int64_t k, int64_t row, const double *y);

#endif
