/* src/stats/forecast_pair.c: what is checked of a truth and its forecast, and the variance of the truth. */
#include "stats/forecast_pair.h"

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

volt_status volt_check_pair(volt_view truth, volt_view forecast)
{
    VOLT_REQUIRE(truth.rows == forecast.rows && truth.cols == forecast.cols, VOLT_ERR_SHAPE,
                 "the truth is %" PRId64 " x %" PRId64 " and the forecast %" PRId64 " x %" PRId64
                 ": they must be equal",
                 truth.rows, truth.cols, forecast.rows, forecast.cols);
    VOLT_REQUIRE(truth.rows >= 1 && truth.cols >= 1, VOLT_ERR_SHAPE,
                 "the truth is %" PRId64 " x %" PRId64 ", and must have at least one row and one column",
                 truth.rows, truth.cols);
    VOLT_REQUIRE(truth.data && forecast.data && truth.ld >= truth.cols && forecast.ld >= forecast.cols,
                 VOLT_ERR_ARGUMENT,
                 "the truth or the forecast has no data, or a leading dimension (%" PRId64 ", %" PRId64
                 ") below its %" PRId64 " columns",
                 truth.ld, forecast.ld, truth.cols);
    VOLT_TRY(volt_require_finite("truth", truth));
    return volt_require_finite("forecast", forecast);
}

double volt_population_variance(const double *values, int64_t count, int64_t stride)
{
    double sum = 0, low = values[0], high = values[0];
    for (int64_t i = 0; i < count; i++) {
        double value = values[i * stride];
        sum += value;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (low == high)
        return 0;
    double mean = sum / (double)count, squares = 0;
    for (int64_t i = 0; i < count; i++)
        squares += (values[i * stride] - mean) * (values[i * stride] - mean);
    return isfinite(squares) ? squares / (double)count : NAN;
}
