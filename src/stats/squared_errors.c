/* src/stats/squared_errors.c: sums over rows, all outputs of a row together. */
#include "stats/squared_errors.h"

#include <string.h>

/* A column all of whose values are equal has mean values[0] here, whatever the sum rounds to. */
static void column_means(volt_view Y, double *means)
{
    memset(means, 0, (size_t)Y.cols * sizeof *means);
    for (int64_t i = 0; i < Y.rows; i++)
        for (int64_t k = 0; k < Y.cols; k++)
            means[k] += Y.data[i * Y.ld + k] - Y.data[k];
    for (int64_t k = 0; k < Y.cols; k++)
        means[k] = Y.data[k] + means[k] / (double)Y.rows;
}

void volt_squared_errors(volt_view truth, volt_view forecast, double *means, double *errors, double *variances)
{
    int64_t q = truth.cols;
    column_means(truth, means);
    memset(errors, 0, (size_t)q * sizeof *errors);
    memset(variances, 0, (size_t)q * sizeof *variances);
    for (int64_t i = 0; i < truth.rows; i++) {
        const double *y = truth.data + i * truth.ld, *f = forecast.data + i * forecast.ld;
        for (int64_t k = 0; k < q; k++) {
            errors[k] += (y[k] - f[k]) * (y[k] - f[k]);
            variances[k] += (y[k] - means[k]) * (y[k] - means[k]);
        }
    }
    for (int64_t k = 0; k < q; k++) {
        errors[k] /= (double)truth.rows;
        variances[k] /= (double)truth.rows;
    }
}

double volt_normalised_error(const double *errors, const double *variances, int64_t q)
{
    double sum = 0;
    for (int64_t k = 0; k < q; k++)
        sum += variances[k] != 0 ? errors[k] / variances[k] : errors[k] > 0;
    return sum / (double)q;
}
