/* src/stats/metrics.c: errors of forecasts.
 *
 * With errors e_t = y_t - yhat_t of one output over T rows, and the mean over outputs taken last:
 *
 *     mse = mean e^2      nmse = mse / var(y), var with divisor T      r2 = 1 - nmse
 *     mae = mean |e|      mdae = median |e|                            mape = mean |e| / max(|y|, eps min(1, max |y|))
 *     rmse = sqrt(mse)
 *     w1  = Wasserstein-1 distance between the values of y and those of yhat
 *
 * A constant truth has no variance: r2 is 1 when all errors are 0 and 0 otherwise, and nmse = 1 - r2. These
 * are the conventions of scikit-learn, except that scikit-learn returns no value for a single row; here one
 * row is a constant truth. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "stats/stats_internal.h"
#include "volterra/stats.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

/* ---- one output ------------------------------------------------------------------------------- */

static double median_of_sorted(const double *values, int64_t count)
{
    int64_t middle = count / 2;
    return count % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/* The fields of volt_metrics. */
typedef struct figures {
    double mse, nmse, r2, mae, mdae, w1, mape, rmse;
} figures;

/* The metrics of one output from its truth y and forecast f; y, f and `errors` are overwritten. */
static figures output_figures(double *y, double *f, double *errors, int64_t count)
{
    double sum = 0, relative = 0, size = 0;
    volt_squares squares = {0};
    for (int64_t i = 0; i < count; i++)
        size = fmax(size, fabs(y[i]));
    double least = size < 1 && size > 0 ? size * DBL_EPSILON : DBL_EPSILON; /* scale-free */
    for (int64_t i = 0; i < count; i++) {
        errors[i] = fabs(y[i] - f[i]);
        volt_squares_add(&squares, errors[i]);
        sum += errors[i] / (double)count;
        relative += errors[i] / fmax(fabs(y[i]), least);
    }
    volt_output output = {y, f, 1, 1, count};
    double nmse = volt_output_nmse(&output);
    volt_sort(errors, count);
    volt_sort(y, count);
    volt_sort(f, count);

    figures metrics = {
        .mse = volt_squares_mean(&squares, count),
        .rmse = volt_squares_root_mean(&squares, count),
        .mae = sum,
        .mdae = median_of_sorted(errors, count),
        .w1 = volt_wasserstein_sorted(y, count, f, count),
        .mape = relative / (double)count,
        .nmse = nmse,
        .r2 = 1 - nmse,
    };
    return metrics;
}

static void add_share(figures *mean, const figures *metrics, double share)
{
    mean->mse += share * metrics->mse;
    mean->nmse += share * metrics->nmse;
    mean->r2 += share * metrics->r2;
    mean->mae += share * metrics->mae;
    mean->mdae += share * metrics->mdae;
    mean->w1 += share * metrics->w1;
    mean->mape += share * metrics->mape;
    mean->rmse += share * metrics->rmse;
}

/* The mean of squares may overflow when nothing else does. */
static int is_finite(const figures *m)
{
    const double all[] = {m->nmse, m->r2, m->mae, m->mdae, m->w1, m->mape, m->rmse};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!isfinite(all[i]))
            return 0;
    return 1;
}

/* ---- public ----------------------------------------------------------------------------------- */

volt_status volt_metrics_compute(volt_view truth, volt_view forecast, volt_metrics *metrics)
{
    VOLT_TRY(volt_check_pair(truth, forecast));
    VOLT_REQUIRE(metrics, VOLT_ERR_ARGUMENT, "the metrics are NULL");

    const int64_t n_rows = truth.rows;
    double *columns = volt_alloc_doubles(3, n_rows);
    if (!columns)
        return VOLT_ERR_MEMORY;
    double *y = columns, *f = columns + n_rows, *errors = columns + 2 * n_rows;

    volt_status status = VOLT_OK;
    figures mean = {0};
    for (int64_t j = 0; j < truth.cols && status == VOLT_OK; j++) {
        for (int64_t i = 0; i < n_rows; i++) {
            y[i] = truth.data[i * truth.ld + j];
            f[i] = forecast.data[i * forecast.ld + j];
        }
        figures output = output_figures(y, f, errors, n_rows);
        if (!is_finite(&output))
            status = volt_fail(VOLT_ERR_NOT_FINITE, "the errors of column %" PRId64 " overflow", j);
        add_share(&mean, &output, 1.0 / (double)truth.cols);
    }
    volt_free(columns);
    VOLT_TRY(status);
    volt_metrics found = {sizeof found, mean.mse, mean.nmse, mean.r2,  mean.mae,
                          mean.mdae,    mean.w1,  mean.mape, mean.rmse};
    return volt_result_copy(metrics, &found, sizeof found, "volt_metrics");
}

volt_status volt_r2(volt_view truth, volt_view forecast, double *r2)
{
    VOLT_TRY(volt_check_pair(truth, forecast));
    VOLT_REQUIRE(r2, VOLT_ERR_ARGUMENT, "r2 is NULL");
    double mean = 0;
    for (int64_t j = 0; j < truth.cols; j++) {
        volt_output output = volt_output_of(truth, forecast, j);
        double nmse = volt_output_nmse(&output);
        VOLT_REQUIRE(isfinite(nmse), VOLT_ERR_NOT_FINITE, "the squares of column %" PRId64 " overflow", j);
        mean += 1.0 / (double)truth.cols * (1 - nmse);
    }
    *r2 = mean;
    return VOLT_OK;
}

/* Euclidean norm of y - f (of y when f is NULL), scaled so that no square overflows. */
static double distance(const double *y, const double *f, int64_t count)
{
    double largest = 0, squares = 0;
    for (int64_t j = 0; j < count; j++) {
        double part = fabs(f ? y[j] - f[j] : y[j]);
        largest = isnan(part) ? INFINITY : fmax(largest, part);
    }
    if (largest == 0 || isinf(largest))
        return largest;
    for (int64_t j = 0; j < count; j++) {
        double part = (f ? y[j] - f[j] : y[j]) / largest;
        squares += part * part;
    }
    return largest * sqrt(squares);
}

volt_status volt_valid_rows(volt_view truth, volt_view forecast, double threshold, int64_t *rows, int *reached)
{
    VOLT_TRY(volt_check_pair(truth, forecast));
    VOLT_REQUIRE(isfinite(threshold) && threshold > 0, VOLT_ERR_ARGUMENT,
                 "the threshold must be positive and finite (got %g)", threshold);
    VOLT_REQUIRE(rows && reached, VOLT_ERR_ARGUMENT, "the number of rows is NULL");

    int64_t row = 0;
    for (; row < truth.rows; row++) {
        const double *y = truth.data + row * truth.ld, *f = forecast.data + row * forecast.ld;
        double error = distance(y, f, truth.cols), unit = distance(y, NULL, truth.cols);
        /* Where the truth is 0, only an exact forecast is valid. */
        if (unit > 0 ? !(error / unit < threshold) : error > 0)
            break;
    }
    *reached = row < truth.rows;
    *rows = *reached ? row + 1 : truth.rows;
    return VOLT_OK;
}
