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
#include <string.h>

/* ---- pairs -------------------------------------------------------------------------------------- */

/* Checks of a truth and its forecast, and their squared errors. */

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

/* Checks for equal shapes with at least one row and one column, and finite data. */
static volt_status check_pair(volt_view truth, volt_view forecast)
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

/* A power of two that scales the spread of the truth to about 1 (for a constant truth, its distance from the
 * forecasts), so that neither squared errors nor the variance overflow or underflow. */
static double output_unit(const volt_output *output)
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

/* Population variance of the truth times `unit`; exactly 0 when all values are equal. */
static double output_variance(const volt_output *output, double unit)
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

/* ---- squared errors ----------------------------------------------------------------------------- */

/* Squared errors relative to the variance. A separate file: inlined into metrics.c they round
 * differently. */

/* The mean squared error of one output divided by the population variance of its truth. For a constant
 * truth, 0 when the forecast is exact and 1 otherwise. */
static double output_nmse(const volt_output *output)
{
    double unit = output_unit(output), error = volt_output_error(output, unit);
    double variance = output_variance(output, unit);
    return variance != 0 ? error / variance : error > 0;
}

double volt_output_nmse_of_levels(const volt_output *output, const volt_output *levels)
{
    double unit = output_unit(levels), variance = output_variance(levels, unit);
    if (variance == 0)
        unit = output_unit(output);
    double error = volt_output_error(output, unit);
    return variance != 0 ? error / variance : error > 0;
}

double volt_normalised_error(volt_view truth, volt_view forecast)
{
    double sum = 0;
    for (int64_t k = 0; k < truth.cols; k++) {
        volt_output output = volt_output_of(truth, forecast, k);
        sum += output_nmse(&output);
    }
    return sum / (double)truth.cols;
}

/* ---- Wasserstein -------------------------------------------------------------------------------- */

/* The Wasserstein-1 distance of two empirical distributions on the line.
 *
 * It is the area between the two distribution functions,
 *
 *     W1 = integral |F(x) - G(x)| dx,     F(x) = (number of first values <= x) / n_first,
 *
 * a sum over the gaps between neighbouring values of both samples, which may have different lengths. The cost
 * is O(n log n) for sorting and O(n) for the sum. For equal lengths it is the mean of |x_(i) - y_(i)| over the
 * order statistics. */

static double wasserstein_sorted(const double *first, int64_t n_first, const double *second, int64_t n_second)
{
    int64_t i = 0, j = 0; /* values passed so far */
    double at = fmin(first[0], second[0]);
    double area = 0;
    while (i < n_first || j < n_second) {
        int take_first = j == n_second || (i < n_first && first[i] <= second[j]);
        double next = take_first ? first[i] : second[j];
        area += (next - at) * fabs((double)i / (double)n_first - (double)j / (double)n_second);
        at = next;
        if (take_first)
            i++;
        else
            j++;
    }
    return area;
}

static volt_status check_sample(const char *name, const double *values, int64_t count)
{
    VOLT_REQUIRE(values && count >= 1, VOLT_ERR_ARGUMENT,
                 "the %s sample must have at least 1 value (got %" PRId64 ")", name, values ? count : 0);
    for (int64_t i = 0; i < count; i++)
        VOLT_REQUIRE(isfinite(values[i]), VOLT_ERR_NOT_FINITE, "value %" PRId64 " of the %s sample is %g", i,
                     name, values[i]);
    return VOLT_OK;
}

volt_status volt_wasserstein(const double *first, int64_t n_first, const double *second, int64_t n_second,
                             double *distance)
{
    VOLT_TRY(check_sample("first", first, n_first));
    VOLT_TRY(check_sample("second", second, n_second));
    VOLT_REQUIRE(distance, VOLT_ERR_ARGUMENT, "the distance is NULL");

    volt_status status = VOLT_ERR_MEMORY;
    double *x = volt_alloc(n_first, sizeof *x);
    double *y = x ? volt_alloc(n_second, sizeof *y) : NULL;
    if (x && y) {
        memcpy(x, first, (size_t)n_first * sizeof *x);
        memcpy(y, second, (size_t)n_second * sizeof *y);
        volt_sort(x, n_first);
        volt_sort(y, n_second);
        double area = wasserstein_sorted(x, n_first, y, n_second);
        status = VOLT_OK;
        if (isfinite(area))
            *distance = area;
        else
            status = volt_fail(VOLT_ERR_NOT_FINITE, "the distance between the two samples overflows");
    }
    volt_free(y);
    volt_free(x);
    return status;
}

/* ---- losses ------------------------------------------------------------------------------------- */

/* The loss of a forecast at every row; its mean is the NMSE.
 *
 *     loss_t = (1/q) sum_k w_k (y_tk - yhat_tk)^2,      w_k = 1 / var_k, population variance of the truth
 *
 * A constant output has no variance. Its NMSE is 1 unless the forecast is exact (metrics.c), so its squared
 * errors are weighted by the inverse of their mean: w_k = T / sum_t (y_tk - yhat_tk)^2. */

/* The divisor of the squared errors of an output; 0 when the truth is constant and the forecast exact. */
static double divisor(const volt_output *output, double unit)
{
    double variance = output_variance(output, unit);
    return variance != 0 ? variance : volt_output_error(output, unit);
}

/* Adds all losses to `values`; the caller checks that they are finite. */
static void add_outputs(volt_view truth, volt_view forecast, double *values)
{
    for (int64_t t = 0; t < truth.rows; t++)
        values[t] = 0;
    for (int64_t k = 0; k < truth.cols; k++) {
        volt_output output = volt_output_of(truth, forecast, k);
        double unit = output_unit(&output), size = divisor(&output, unit);
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
    VOLT_TRY(check_pair(truth, forecast));
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

/* ---- metrics ------------------------------------------------------------------------------------ */

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
    double nmse = output_nmse(&output);
    volt_sort(errors, count);
    volt_sort(y, count);
    volt_sort(f, count);

    figures metrics = {
        .mse = volt_squares_mean(&squares, count),
        .rmse = volt_squares_root_mean(&squares, count),
        .mae = sum,
        .mdae = median_of_sorted(errors, count),
        .w1 = wasserstein_sorted(y, count, f, count),
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
    VOLT_TRY(check_pair(truth, forecast));
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
    VOLT_TRY(check_pair(truth, forecast));
    VOLT_REQUIRE(r2, VOLT_ERR_ARGUMENT, "r2 is NULL");
    double mean = 0;
    for (int64_t j = 0; j < truth.cols; j++) {
        volt_output output = volt_output_of(truth, forecast, j);
        double nmse = output_nmse(&output);
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
    VOLT_TRY(check_pair(truth, forecast));
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

/* ---- skill -------------------------------------------------------------------------------------- */

/* The errors of a forecast relative to a baseline.
 *
 *     skill = 1 - mean_k (sum_t e_tk^2 / sum_t b_tk^2),       mase = mean_k (sum_t |e_tk| / sum_t |b_tk|),
 *
 * with e the errors of the forecast and b those of the baseline, over the outputs k where the baseline is not
 * exact. */

/* Sum of absolute errors of an output, times `unit`. */
static double absolute_error(const volt_output *output, double unit)
{
    double sum = 0;
    for (int64_t i = 0; i < output->count; i++)
        sum += fabs((output->y[i * output->y_stride] - output->f[i * output->f_stride]) * unit);
    return sum;
}

/* The errors of all outputs. The sums in `found` stay 0 where the baseline is exact. */
static volt_status compare(volt_view truth, volt_view forecast, volt_view baseline, volt_skill *found)
{
    volt_status status = check_pair(truth, baseline);
    if (status)
        return volt_fail_prefix(status, "with the baseline as the forecast");
    double squares = 0, absolutes = 0;
    for (int64_t k = 0; k < truth.cols; k++) {
        const volt_output model = volt_output_of(truth, forecast, k),
                          other = volt_output_of(truth, baseline, k);
        const double unit = output_unit(&other), error = volt_output_error(&other, unit);
        if (error == 0)
            continue;
        squares += volt_output_error(&model, unit) / error;
        absolutes += absolute_error(&model, unit) / absolute_error(&other, unit);
        found->outputs++;
        VOLT_REQUIRE(isfinite(squares) && isfinite(absolutes), VOLT_ERR_NOT_FINITE,
                     "the squares of column %" PRId64 " overflow", k);
    }
    if (found->outputs > 0) {
        found->skill = 1 - squares / (double)found->outputs;
        found->mase = absolutes / (double)found->outputs;
    }
    return VOLT_OK;
}

/* Compares the last rows of the truth with the values found->lag rows earlier, the first of which may be in
 * `past`. */
static volt_status compare_naive(volt_view truth, volt_view forecast, volt_view past, volt_skill *found)
{
    const int64_t first = truth.rows - found->rows, cols = truth.cols;
    double *values = volt_alloc(found->rows * cols, sizeof *values);
    if (!values)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < found->rows; i++) {
        const int64_t row = first + i - found->lag;
        const double *from = row >= 0 ? truth.data + row * truth.ld : past.data + (past.rows + row) * past.ld;
        memcpy(values + i * cols, from, (size_t)cols * sizeof *values);
    }
    volt_status status =
        compare(volt_view_rows(truth, first, found->rows), volt_view_rows(forecast, first, found->rows),
                volt_view_of(values, found->rows, cols), found);
    volt_free(values);
    return status;
}

volt_status volt_skill_compute(volt_view truth, volt_view forecast, volt_view baseline, volt_view past,
                               int64_t ahead, int64_t season, volt_skill *skill)
{
    VOLT_TRY(check_pair(truth, forecast));
    VOLT_REQUIRE(skill, VOLT_ERR_ARGUMENT, "the skill is NULL");
    volt_skill found = {.struct_size = sizeof found, .skill = NAN, .mase = NAN, .rows = truth.rows};
    if (baseline.data) {
        VOLT_TRY(compare(truth, forecast, baseline, &found));
    } else {
        VOLT_REQUIRE(ahead >= 1, VOLT_ERR_ARGUMENT, "ahead must be at least 1 (got %" PRId64 ")", ahead);
        VOLT_REQUIRE(season == 0 || season >= 2, VOLT_ERR_ARGUMENT,
                     "season must be 0 (none) or at least 2 (got %" PRId64 ")", season);
        VOLT_REQUIRE(past.rows == 0 || (past.data && past.cols == truth.cols), VOLT_ERR_SHAPE,
                     "past has %" PRId64 " columns and truth has %" PRId64, past.cols, truth.cols);
        found.lag = season ? (ahead + season - 1) / season * season : ahead;
        const int64_t missing = found.lag > past.rows ? found.lag - past.rows : 0;
        found.rows = truth.rows > missing ? truth.rows - missing : 0;
        if (found.rows > 0)
            VOLT_TRY(compare_naive(truth, forecast, past, &found));
    }
    VOLT_TRY(volt_result_copy(skill, &found, sizeof found, "volt_skill"));
    VOLT_REQUIRE(found.rows > 0, VOLT_ERR_DATA,
                 "the naive forecast needs the truth %" PRId64 " rows earlier, which none of the %" PRId64
                 " rows has: pass the earlier rows as past",
                 found.lag, truth.rows);
    VOLT_REQUIRE(found.outputs > 0, VOLT_ERR_DATA, "the baseline is exact: relative errors are undefined");
    return VOLT_OK;
}
