/* src/model/feedback.c: outputs fed back as inputs of the next row. */
#include "model/feedback.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <inttypes.h>
#include <math.h>

/* Limit of a free run: beyond it, predictions are useless and soon overflow. */
static const double max_ranges = 10;

volt_status volt_feedback_create(int64_t n, double omega, volt_feedback *fed_outputs)
{
    double *numbers = volt_alloc_zero(4 * n, sizeof *numbers);
    if (!numbers)
        return VOLT_ERR_MEMORY;
    *fed_outputs = (volt_feedback){.n = n,
                                   .omega = omega,
                                   .offset = numbers,
                                   .weight = numbers + n,
                                   .low = numbers + 2 * n,
                                   .high = numbers + 3 * n};
    return VOLT_OK;
}

void volt_feedback_release(volt_feedback *fed_outputs)
{
    volt_free(fed_outputs->offset);
    *fed_outputs = (volt_feedback){0};
}

volt_status volt_feedback_check_targets(volt_view Y, const volt_records *records)
{
    for (int64_t i = 0; i + 1 < Y.rows; i++)
        for (int64_t k = 0; !volt_records_begins(records, i + 1) && k < Y.cols; k++)
            VOLT_REQUIRE(!isnan(Y.data[i * Y.ld + k]), VOLT_ERR_DATA,
                         "target %" PRId64 " of row %" PRId64
                         " is missing, and feedback requires it as an input of the next row",
                         k + 1, i + 1);
    return VOLT_OK;
}

/* Ignores missing targets. */
static void learn_ranges(volt_view Y, volt_feedback *fed_outputs)
{
    for (int64_t k = 0; k < fed_outputs->n; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < Y.rows; i++) {
            low = fmin(low, Y.data[i * Y.ld + k]);
            high = fmax(high, Y.data[i * Y.ld + k]);
        }
        fed_outputs->low[k] = low;
        fed_outputs->high[k] = high;
    }
}

/* The largest norm of the rows after subtracting `shift`. */
static double largest_norm(volt_matrix Z, const double *shift)
{
    double norm = 0;
    for (int64_t i = 0; i < Z.rows; i++) {
        volt_squares squares = {0};
        for (int64_t j = 0; j < Z.cols; j++)
            volt_squares_add(&squares, Z.data[i * Z.ld + j] - shift[j]);
        norm = fmax(norm, volt_squares_root(&squares));
    }
    return norm;
}

volt_status volt_feedback_learn(volt_feedback *fed_outputs, volt_view Y, const volt_records *records,
                                const double *mean, const double *deviation, bool identity, bool first_known,
                                volt_matrix Z, volt_input_scale *input)
{
    int64_t input_columns = Z.cols - fed_outputs->n;
    learn_ranges(Y, fed_outputs);
    for (int64_t k = 0; k < fed_outputs->n; k++) {
        fed_outputs->offset[k] = mean[k];
        fed_outputs->weight[k] = fed_outputs->omega / (input->scale * deviation[k]);
        input->shift[input_columns + k] =
            0; /* standardised columns need no shift; before the first row they are 0 */
        VOLT_REQUIRE(isfinite(fed_outputs->weight[k]), VOLT_ERR_NOT_FINITE,
                     "output %" PRId64 ": feedback weight %g over standard deviation %g "
                     "is not finite",
                     k + 1, fed_outputs->omega, deviation[k]);
    }
    for (int64_t i = 0; i < Z.rows; i++)
        for (int64_t k = 0; k < fed_outputs->n; k++) {
            bool begins = i == 0 || volt_records_begins(records, i);
            double before = Y.data[(begins ? i : i - 1) * Y.ld + k];
            bool known = !begins || (first_known && isfinite(before));
            Z.data[i * Z.ld + input_columns + k] = known ? volt_feedback_column(fed_outputs, k, before) : 0;
        }
    if (!identity)
        input->scale = 1 / largest_norm(Z, input->shift);
    VOLT_REQUIRE(isfinite(input->scale) && input->scale > 0, VOLT_ERR_NOT_FINITE,
                 "inputs and outputs fed back with weight %g cannot be scaled to 1", fed_outputs->omega);
    return VOLT_OK;
}

void volt_feedback_bounds(const volt_feedback *fed_outputs, int64_t k, double *middle, double *reach)
{
    double half = fed_outputs->high[k] / 2 - fed_outputs->low[k] / 2;
    *middle = half > 0 ? fed_outputs->low[k] + half : 0;
    *reach = half > 0 ? max_ranges * half : INFINITY;
}

int64_t volt_feedback_find_diverged(const volt_feedback *fed_outputs, const double *y)
{
    for (int64_t k = 0; k < fed_outputs->n; k++) {
        double middle, reach;
        volt_feedback_bounds(fed_outputs, k, &middle, &reach);
        if (!(fabs(y[k] - middle) <= reach))
            return k;
    }
    return -1;
}

void volt_feedback_clip(const volt_feedback *fed_outputs, double *y)
{
    for (int64_t k = 0; k < fed_outputs->n; k++) {
        double middle, reach;
        volt_feedback_bounds(fed_outputs, k, &middle, &reach);
        y[k] = fmin(fmax(y[k], middle - reach), middle + reach);
    }
}

volt_status volt_feedback_report_diverged(const volt_feedback *fed_outputs, int64_t k, int64_t row,
                                          const double *y)
{
    return volt_fail(VOLT_ERR_NOT_FINITE,
                     "the free run diverges: output %" PRId64 " of row %" PRId64
                     " is %g, beyond %g times the range of the training targets, %g to %g",
                     k + 1, row + 1, y[k], max_ranges, fed_outputs->low[k], fed_outputs->high[k]);
}
