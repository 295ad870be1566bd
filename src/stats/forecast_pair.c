/* src/stats/forecast_pair.c: checks of a truth and its forecast, and their squared errors. */
#include "stats/stats_internal.h"

#include "base/error.h"

#include <inttypes.h>
#include <math.h>

volt_status volt_require_finite(const char *name, volt_view values)
{
    for (int64_t i = 0; i < values.rows; i++)
        for (int64_t j = 0; j < values.cols; j++)
            VOLT_REQUIRE(isfinite(values.data[i * values.ld + j]), VOLT_ERR_NOT_FINITE,
                         "row %" PRId64 ", column %" PRId64 " of the %s is %g", i, j, name,
                         values.data[i * values.ld + j]);
    return VOLT_OK;
}

static volt_status check_shapes(volt_view truth, volt_view forecast)
{
    VOLT_REQUIRE(truth.rows == forecast.rows && truth.cols == forecast.cols, VOLT_ERR_SHAPE,
                 "the truth is %" PRId64 " x %" PRId64 " and the forecast %" PRId64 " x %" PRId64
                 " (must be equal)",
                 truth.rows, truth.cols, forecast.rows, forecast.cols);
    VOLT_REQUIRE(truth.rows >= 1 && truth.cols >= 1, VOLT_ERR_SHAPE,
                 "the truth must have at least one row and one column (got %" PRId64 " x %" PRId64 ")",
                 truth.rows, truth.cols);
    VOLT_REQUIRE(truth.data && forecast.data && truth.ld >= truth.cols && forecast.ld >= forecast.cols,
                 VOLT_ERR_ARGUMENT,
                 "the truth or the forecast has no data, or a leading dimension (%" PRId64 ", %" PRId64
                 ") below its %" PRId64 " columns",
                 truth.ld, forecast.ld, truth.cols);
    return VOLT_OK;
}

volt_status volt_check_pair(volt_view truth, volt_view forecast)
{
    VOLT_TRY(check_shapes(truth, forecast));
    VOLT_TRY(volt_require_finite("truth", truth));
    return volt_require_finite("forecast", forecast);
}

volt_output volt_output_of(volt_view truth, volt_view forecast, int64_t k)
{
    volt_output output = {truth.data + k, forecast.data + k, truth.ld, forecast.ld, truth.rows};
    return output;
}

double volt_output_unit(const volt_output *output)
{
    double low = output->y[0], high = low, error = 0;
    for (int64_t i = 0; i < output->count; i++) {
        double value = output->y[i * output->y_stride];
        low = fmin(low, value);
        high = fmax(high, value);
        error = fmax(error, fabs(value / 2 - output->f[i * output->f_stride] / 2));
    }
    int exponent = 0;
    frexp(low < high ? high / 2 - low / 2 : error, &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

double volt_output_variance(const volt_output *output, double unit)
{
    double sum = 0, low = output->y[0], high = low;
    for (int64_t i = 0; i < output->count; i++) {
        double value = output->y[i * output->y_stride];
        sum += value * unit;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (low == high)
        return 0;
    double mean = sum / (double)output->count, squares = 0;
    for (int64_t i = 0; i < output->count; i++) {
        double deviation = output->y[i * output->y_stride] * unit - mean;
        squares += deviation * deviation;
    }
    return squares / (double)output->count;
}

double volt_output_error(const volt_output *output, double unit)
{
    double squares = 0;
    for (int64_t i = 0; i < output->count; i++) {
        double error = (output->y[i * output->y_stride] - output->f[i * output->f_stride]) * unit;
        squares += error * error;
    }
    return squares / (double)output->count;
}
