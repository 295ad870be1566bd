/* src/stats/squared_errors.c: mean squared errors and variances, output by output. */
#include "stats/squared_errors.h"

#include "stats/forecast_pair.h"

#include <string.h>

void volt_squared_errors(volt_view truth, volt_view forecast, double *errors, double *variances)
{
    int64_t q = truth.cols;
    memset(errors, 0, (size_t)q * sizeof *errors);
    for (int64_t i = 0; i < truth.rows; i++) {
        const double *y = truth.data + i * truth.ld, *f = forecast.data + i * forecast.ld;
        for (int64_t k = 0; k < q; k++)
            errors[k] += (y[k] - f[k]) * (y[k] - f[k]) / (double)truth.rows;
    }
    for (int64_t k = 0; k < q; k++)
        variances[k] = volt_population_variance(truth.data + k, truth.rows, truth.ld);
}

double volt_normalised_error(const double *errors, const double *variances, int64_t q)
{
    double sum = 0;
    for (int64_t k = 0; k < q; k++)
        sum += variances[k] != 0 ? errors[k] / variances[k] : errors[k] > 0;
    return sum / (double)q;
}
