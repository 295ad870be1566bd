/* src/stats/squared_errors.c: squared errors relative to the variance. A separate file: inlined into metrics.c they round
 * differently. */
#include "stats/stats_internal.h"

double volt_output_nmse(const volt_output *output)
{
    double unit = volt_output_unit(output), error = volt_output_error(output, unit);
    double variance = volt_output_variance(output, unit);
    return variance != 0 ? error / variance : error > 0;
}

double volt_output_nmse_of_levels(const volt_output *output, const volt_output *levels)
{
    double unit = volt_output_unit(levels), variance = volt_output_variance(levels, unit);
    if (variance == 0)
        unit = volt_output_unit(output);
    double error = volt_output_error(output, unit);
    return variance != 0 ? error / variance : error > 0;
}

double volt_normalised_error(volt_view truth, volt_view forecast)
{
    double sum = 0;
    for (int64_t k = 0; k < truth.cols; k++) {
        volt_output output = volt_output_of(truth, forecast, k);
        sum += volt_output_nmse(&output);
    }
    return sum / (double)truth.cols;
}
