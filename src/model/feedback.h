/* src/model/feedback.h: outputs fed back as inputs of the next row (NARX; docs/math.md, "Feedback").
 *
 *     kernel inputs of row t     (x_t, omega v_{t-1}),     v_k = (y_k - mean_k) / sd_k,     v = 0 before the first row
 *
 * x is in the unit ball, as without feedback, and the whole row is divided by the largest norm in training.
 * Without scaling the row is (x_t, omega y_{t-1}). Training uses measured outputs; predictions use measured
 * or predicted ones. */
#ifndef MODEL_FEEDBACK_H
#define MODEL_FEEDBACK_H

#include "kernel/records.h"
#include "model/scaling.h"

typedef struct volt_feedback {
    int64_t n;          /* fed-back outputs; 0: none */
    double omega;       /* their weight, above 0 */
    double *offset;     /* n: an output y becomes the column */
    double *weight;     /* n: weight (y - offset) */
    double *low, *high; /* n: range of the training targets */
} volt_feedback;

/* Weights are 0 until volt_feedback_learn. Release at any stage; an all-zero struct needs no release. */
volt_status volt_feedback_create(int64_t n, double omega, volt_feedback *fed_outputs);
void volt_feedback_release(volt_feedback *fed_outputs);

static inline double volt_feedback_column(const volt_feedback *fed_outputs, int64_t k, double y)
{
    return fed_outputs->weight[k] * (y - fed_outputs->offset[k]);
}

static inline double volt_feedback_output(const volt_feedback *fed_outputs, int64_t k, double column)
{
    return fed_outputs->offset[k] + column / fed_outputs->weight[k];
}

/* Learns offsets, weights and ranges, fills the last columns of Z (rows x columns) from the targets of the
 * previous rows, and replaces the scale of the inputs by that of all columns. On entry the first columns of
 * Z hold the unscaled inputs and `input` their scale. `mean` and `deviation` describe the targets. identity:
 * no scaling. first_known: the output before a record is its first one, else the mean. Targets may be missing (NaN) only in the last row of a record. VOLT_ERR_NOT_FINITE. */
volt_status volt_feedback_learn(volt_feedback *fed_outputs, volt_view Y, const volt_records *records,
                                const double *mean, const double *deviation, bool identity, bool first_known,
                                volt_matrix Z, volt_input_scale *input);

/* VOLT_ERR_DATA if a target is missing that the next row requires. */
volt_status volt_feedback_check_targets(volt_view Y, const volt_records *records);

/* Centre of the training range of output k, and the largest allowed distance of a free run from it. */
void volt_feedback_bounds(const volt_feedback *fed_outputs, int64_t k, double *middle, double *reach);
/* Returns the first output outside an interval 10 times as wide as the training range with the same centre,
 * or -1. Constant targets have no range and no limit. */
int64_t volt_feedback_find_diverged(const volt_feedback *fed_outputs, const double *y);
/* Clips the outputs y to these bounds. */
void volt_feedback_clip(const volt_feedback *fed_outputs, double *y);
/* Reports VOLT_ERR_NOT_FINITE for output k of row `row` (from 0). */
volt_status volt_feedback_report_diverged(const volt_feedback *fed_outputs, int64_t k, int64_t row,
                                          const double *y);

#endif
