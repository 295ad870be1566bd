/* src/stats/losses.c: the loss of a forecast at every row; its mean is the NMSE.
 *
 *     loss_t = (1/q) sum_k w_k (y_tk - yhat_tk)^2,      w_k = 1 / var_k, population variance of the truth
 *
 * A constant output has no variance. Its NMSE is 1 unless the forecast is exact (metrics.c), so its squared
 * errors are weighted by the inverse of their mean: w_k = T / sum_t (y_tk - yhat_tk)^2. */
#include "base/error.h"
#include "base/memory.h"
#include "stats/stats_internal.h"
#include "volterra/stats.h"

#include <inttypes.h>
#include <math.h>

/* The divisor of the squared errors of an output; 0 when the truth is constant and the forecast exact. */
static double divisor(const volt_output *output, double unit)
{
    double variance = volt_output_variance(output, unit);
    return variance != 0 ? variance : volt_output_error(output, unit);
}

/* Adds all losses to `values`; the caller checks that they are finite. */
static void add_outputs(volt_view truth, volt_view forecast, double *values)
{
    for (int64_t t = 0; t < truth.rows; t++)
        values[t] = 0;
    for (int64_t k = 0; k < truth.cols; k++) {
        volt_output output = volt_output_of(truth, forecast, k);
        double unit = volt_output_unit(&output), size = divisor(&output, unit);
        if (size == 0)
            continue;
        for (int64_t t = 0; t < truth.rows; t++) {
            double error = (truth.data[t * truth.ld + k] - forecast.data[t * forecast.ld + k]) * unit;
            values[t] += error * error / size;
        }
    }
    for (int64_t t = 0; t < truth.rows; t++)
        values[t] /= (double)truth.cols;
}

volt_status volt_losses(volt_view truth, volt_view forecast, volt_matrix losses)
{
    VOLT_TRY(volt_check_pair(truth, forecast));
    VOLT_REQUIRE(losses.rows == truth.rows && losses.cols == 1, VOLT_ERR_SHAPE,
                 "the losses are %" PRId64 " x %" PRId64 " for a truth of %" PRId64
                 " rows: they must be one column with as many rows",
                 losses.rows, losses.cols, truth.rows);
    VOLT_REQUIRE(losses.data && losses.ld >= 1, VOLT_ERR_ARGUMENT,
                 "the losses have no data or the leading dimension %" PRId64, losses.ld);

    double *values = volt_alloc(truth.rows, sizeof *values);
    if (!values)
        return VOLT_ERR_MEMORY;
    add_outputs(truth, forecast, values);
    volt_status status = VOLT_OK;
    for (int64_t t = 0; t < truth.rows && status == VOLT_OK; t++)
        if (!isfinite(values[t]))
            status = volt_fail(VOLT_ERR_NOT_FINITE, "the squares of row %" PRId64 " overflow", t);
    for (int64_t t = 0; t < truth.rows && status == VOLT_OK; t++)
        losses.data[t * losses.ld] = values[t];
    volt_free(values);
    return status;
}
