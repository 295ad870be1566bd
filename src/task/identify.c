/* src/task/identify.c: a simulation model of a system: data check, rows, searches, validation, choice, fit, test and diagnosis. */
#include "base/error.h"

#include "base/fft.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "select/candidates/candidates.h"
#include "stats/cross_spectrum.h"
#include "stats/stats_internal.h"
#include "task/identify_internal.h"
#include "volterra/identify.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- checks of the data ------------------------------------------------------------------------- */

/* Data check_record of an identification, see docs/math.md (Data check_record). */

enum {
    FEW_CHANGES = 10,
    DELAY_LAGS = 100,
    QUARTERS = 4,
    SPANS = 16,             /* increments of the outputs: over n / 16 rows */
    SPAN_INPUTS = 4,        /* most inputs of their regression */
    SPECTRUM_ROWS = 1 << 16 /* rows of a spectrum */
};

/* A random walk has four times the variance of its quarters, a stationary output about the same. */
static const double drifting = 2.5, drifting_beside_input = 1.5;
/* Increments of the outputs that the sums of the inputs explain by more than this share: integration. */
static const double integrates = 0.7;
/* Fewer sine waves of equal power than this are too few. */
static const double few_lines = 3;
/* A row is at an extreme within this share of the range. A sine is there in 2 sqrt(share) / pi = 2 % of the rows; twice as
 * many are a saturation. */
static const double at_extreme = 1e-3, saturated = 0.0403, saturated_beside_input = 1.2;
/* Time steps that differ from their median by more than this share, and the share of such steps that is reported. */
static const double uneven = 0.1, often_uneven = 0.01;

/* Appends a warning to the result, unless it is full. */
static void identify_warn(volt_identification *found, volt_warning warning)
{
    if (found->n_warnings < VOLT_IDENTIFY_WARNINGS)
        found->warnings[found->n_warnings++] = warning;
}

/* ---- ranges ----------------------------------------------------------------------------------- */

/* population variance */
static double column_range(volt_view rows, int64_t column)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t t = 0; t < rows.rows; t++) {
        double value = rows.data[t * rows.ld + column];
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return high - low;
}

static double coverage_of(volt_view rows, int64_t first, int64_t count)
{
    double product = 1;
    for (int64_t k = 0; k < rows.cols; k++) {
        double whole = column_range(rows, k);
        if (whole > 0)
            product *= column_range(volt_view_rows(rows, first, count), k) / whole;
    }
    return product;
}

double volt_identify_coverage(volt_view U, volt_view Y, int64_t first, int64_t count)
{
    return coverage_of(U, first, count) * coverage_of(Y, first, count);
}

int64_t volt_identify_stretch(volt_view U, volt_view Y, int64_t count, double *product)
{
    int64_t best = U.rows - count, step = volt_max(1, count / 8);
    /* Products are compared without the ranges of all rows, which are common to them. A product is covered 2^exponent: in
     * large or small units it would overflow or underflow. */
    double most = 0;
    int most_exponent = 0;
    for (int64_t first = U.rows - count; first >= 0; first -= step) {
        double covered = 1;
        int exponent = 0, more = 0;
        for (int64_t k = 0; k < U.cols + Y.cols; k++) {
            covered *= k < U.cols ? column_range(volt_view_rows(U, first, count), k)
                                  : column_range(volt_view_rows(Y, first, count), k - U.cols);
            covered = frexp(covered, &more);
            exponent += more;
        }
        if (covered > 0 &&
            (most == 0 || exponent > most_exponent || (exponent == most_exponent && covered > most))) {
            most = covered;
            most_exponent = exponent;
            best = first;
        }
    }
    if (product)
        *product = volt_identify_coverage(U, Y, best, count);
    return best;
}

/* ---- excitation ------------------------------------------------------------------------------- */

static bool are_equal(volt_view U, int64_t i, volt_view Y, int64_t k)
{
    for (int64_t t = 0; t < U.rows; t++)
        if (U.data[t * U.ld + i] != Y.data[t * Y.ld + k])
            return false;
    return true;
}

static volt_status check_excitation(volt_view U, volt_view Y, const volt_records *records,
                                    volt_identification *found)
{
    int64_t moving = 0;
    for (int64_t k = 0; k < Y.cols; k++)
        VOLT_REQUIRE(column_range(Y, k) > 0, VOLT_ERR_DATA,
                     "output %" PRId64 " is constant in the %" PRId64 " training rows", k + 1, Y.rows);
    for (int64_t k = 0; k < U.cols; k++)
        moving += column_range(U, k) > 0;
    for (int64_t k = 0; k < Y.cols * U.cols; k++)
        VOLT_REQUIRE(!are_equal(U, k % U.cols, Y, k / U.cols), VOLT_ERR_DATA,
                     "output %" PRId64 " equals input %" PRId64
                     " in all training rows: remove it from the inputs",
                     k / U.cols + 1, k % U.cols + 1);
    VOLT_REQUIRE(moving > 0, VOLT_ERR_DATA,
                 "the inputs are constant in the %" PRId64 " training rows: there is no excitation", U.rows);
    for (int64_t k = 0; k < U.cols; k++)
        if (!(column_range(U, k) > 0))
            identify_warn(found, (volt_warning){.code = VOLT_WARNING_CONSTANT_INPUT, .series = k});
    for (int64_t t = 1; t < U.rows; t++) {
        bool changes = false;
        for (int64_t k = 0; k < U.cols && !volt_records_begins(records, t); k++)
            changes = changes || U.data[t * U.ld + k] != U.data[(t - 1) * U.ld + k];
        found->input_changes += changes;
    }
    if (found->input_changes < FEW_CHANGES)
        identify_warn(found, (volt_warning){.code = VOLT_WARNING_LITTLE_EXCITATION,
                                            .value = (double)found->input_changes});
    return VOLT_OK;
}

/* ---- delay ------------------------------------------------------------------------------------ */

static double column_mean(volt_view rows, int64_t column)
{
    double sum = 0;
    for (int64_t t = 0; t < rows.rows; t++)
        sum += rows.data[t * rows.ld + column] / (double)rows.rows;
    return sum;
}

static double column_variance(volt_view rows, int64_t column)
{
    double mean = column_mean(rows, column), sum = 0;
    for (int64_t t = 0; t < rows.rows; t++) {
        double deviation = rows.data[t * rows.ld + column] - mean;
        sum += deviation * deviation;
    }
    return sum / (double)rows.rows;
}

/* Sum of products of input i and output k, `lag` rows later in the same record, less their means. */
static double lagged_sum(volt_view U, int64_t i, volt_view Y, int64_t k, const volt_records *records,
                         int64_t lag, double input, double output)
{
    double sum = 0;
    for (int64_t begin = 0, end; begin < U.rows; begin = end) {
        end = volt_records_segment_end(records, begin, U.rows);
        for (int64_t t = begin + lag; t < end; t++)
            sum += (U.data[(t - lag) * U.ld + i] - input) * (Y.data[t * Y.ld + k] - output);
    }
    return sum;
}

static void find_delay(volt_view U, volt_view Y, const volt_records *records, volt_identification *found)
{
    int64_t lags = volt_min(DELAY_LAGS, U.rows / 4);
    for (int64_t i = 0; i < U.cols; i++)
        for (int64_t k = 0; k < Y.cols; k++) {
            double input = column_mean(U, i), output = column_mean(Y, k);
            double scale = sqrt(column_variance(U, i) * column_variance(Y, k)) * (double)U.rows;
            for (int64_t lag = 0; lag < lags && scale > 0; lag++) {
                double sum = lagged_sum(U, i, Y, k, records, lag, input, output);
                if (fabs(sum / scale) > fabs(found->correlation)) {
                    found->correlation = sum / scale;
                    found->delay = lag;
                }
            }
        }
}

/* ---- sampling --------------------------------------------------------------------------------- */

/* Time between row t - 1 and row t. */
static double step_before(const volt_identify_options *options, int64_t t)
{
    return options->times ? options->times[t].seconds - options->times[t - 1].seconds
                          : options->clock[t] - options->clock[t - 1];
}

/* Steps within records of the n rows from `first` on. */
static volt_status check_sampling(const volt_identify_options *options, int64_t first, int64_t n,
                                  const volt_records *records, volt_identification *found)
{
    if (!options->times && !options->clock)
        return VOLT_OK;
    double *steps = volt_alloc_doubles(n, 1);
    int64_t row = 0, count = 0;
    if (!steps)
        return VOLT_ERR_MEMORY;
    for (int64_t t = 1; t < n; t++)
        if (!volt_records_begins(records, t))
            steps[count++] = step_before(options, first + t);
    volt_sort(steps, count);
    found->time_step = count > 0 ? steps[count / 2] : 0;
    volt_free(steps);
    for (int64_t t = n - 1; t > 0; t--)
        if (!volt_records_begins(records, t) &&
            fabs(step_before(options, first + t) - found->time_step) > uneven * found->time_step) {
            found->uneven_steps++;
            row = first + t;
        }
    if ((double)found->uneven_steps > often_uneven * (double)count)
        identify_warn(found, (volt_warning){.code = VOLT_WARNING_UNEVEN_STEPS,
                                            .value = (double)found->uneven_steps,
                                            .row = row});
    return VOLT_OK;
}

/* ---- saturation ------------------------------------------------------------------------------- */

/* The largest share of rows at the minimum or the maximum of a column, and that column. */
static double share_at_extremes(volt_view rows, int64_t *column)
{
    double most = 0;
    *column = 0;
    for (int64_t k = 0; k < rows.cols; k++) {
        int64_t at_low = 0, at_high = 0;
        double low = INFINITY, range = column_range(rows, k);
        for (int64_t t = 0; t < rows.rows; t++)
            low = fmin(low, rows.data[t * rows.ld + k]);
        for (int64_t t = 0; t < rows.rows && range > 0; t++) {
            double place = (rows.data[t * rows.ld + k] - low) / range;
            at_low += place <= at_extreme;
            at_high += place >= 1 - at_extreme;
        }
        double share = (double)volt_max(at_low, at_high) / (double)rows.rows;
        if (share > most) {
            most = share;
            *column = k;
        }
    }
    return most;
}

static void find_saturation(volt_view U, volt_view Y, volt_identification *found)
{
    int64_t input = 0, output = 0;
    found->input_at_extreme = share_at_extremes(U, &input);
    found->output_at_extreme = share_at_extremes(Y, &output);
    if (found->output_at_extreme > saturated &&
        found->output_at_extreme > saturated_beside_input * found->input_at_extreme)
        identify_warn(found, (volt_warning){.code = VOLT_WARNING_SATURATED,
                                            .series = output,
                                            .value = found->output_at_extreme});
}

/* ---- frequencies of the inputs ---------------------------------------------------------------- */

/* (sum P)^2 / sum P^2 of the periodogram P, the smallest of all inputs that change: the number of sine waves of equal power. */
static volt_status count_lines(volt_view U, volt_identification *found)
{
    int64_t n = volt_power_of_two(volt_min(U.rows, SPECTRUM_ROWS));
    double complex *z = volt_alloc(n, sizeof *z);
    if (!z)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < U.cols; k++) {
        volt_view last = volt_view_rows(U, U.rows - n, n);
        double mean = column_mean(last, k), sum = 0, squares = 0;
        for (int64_t t = 0; t < n; t++)
            z[t] = last.data[t * last.ld + k] - mean;
        volt_fft(z, n);
        for (int64_t b = 1; b <= n / 2; b++) {
            double power = creal(z[b] * conj(z[b]));
            sum += power;
            squares += power * power;
        }
        if (column_range(U, k) > 0)
            found->input_lines = fmin(found->input_lines, squares > 0 ? sum * sum / squares : 0);
    }
    volt_free(z);
    if (found->input_lines < few_lines && found->input_changes >= FEW_CHANGES)
        identify_warn(found, (volt_warning){.code = VOLT_WARNING_FEW_FREQUENCIES, .value = found->input_lines});
    return VOLT_OK;
}

/* ---- drift and integration -------------------------------------------------------------------- */

/* Variance of all rows over the mean variance of four quarters, the largest of all columns. */
static double growth_of(volt_view rows)
{
    double most = 0;
    int64_t quarter = rows.rows / QUARTERS;
    for (int64_t k = 0; k < rows.cols; k++) {
        double within = 0, all = column_variance(rows, k);
        for (int64_t i = 0; i < QUARTERS; i++)
            within += column_variance(volt_view_rows(rows, i * quarter, quarter), k) / QUARTERS;
        if (all > 0)
            most = fmax(most, all / within);
    }
    return most;
}

/* Share of the variance of the increments of an output over spans of rows that the sums of the inputs over the same spans
 * explain, by least squares, corrected for the d numbers. `work`: SPANS x (d + 1), then d x (d + 1) complex numbers. */
static double explained_increments(volt_view U, volt_view Y, int64_t k, double *work, double complex *normal)
{
    int64_t d = U.cols, c = d + 1, span = (U.rows - 1) / SPANS;
    double complex *A = normal, *b = normal + d * d;
    for (int64_t s = 0; s < SPANS; s++)
        for (int64_t i = 0; i < c; i++) {
            double value = 0;
            for (int64_t t = s * span; t < (s + 1) * span && i < d; t++)
                value += U.data[t * U.ld + i];
            work[s * c + i] = i < d ? value : Y.data[(s + 1) * span * Y.ld + k] - Y.data[s * span * Y.ld + k];
        }
    volt_view rows = volt_view_of(work, SPANS, c);
    double total = column_variance(rows, d) * SPANS, explained = 0;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < c; j++) {
            double sum = 0, first = column_mean(rows, i), second = column_mean(rows, j);
            for (int64_t s = 0; s < SPANS; s++)
                sum += (work[s * c + i] - first) * (work[s * c + j] - second);
            *(j < d ? &A[i * d + j] : &b[i]) = sum;
        }
    double complex sides[SPAN_INPUTS];
    for (int64_t i = 0; i < d; i++)
        sides[i] = b[i];
    if (!(total > 0) || !volt_solve_complex(d, 1, A, b))
        return 0;
    for (int64_t i = 0; i < d; i++)
        explained += creal(sides[i] * b[i]);
    return 1 - (1 - explained / total) * (SPANS - 1) / (double)(SPANS - 1 - d);
}

static volt_status find_drift(volt_view U, volt_view Y, volt_identification *found)
{
    int64_t d = U.cols;
    found->output_growth = growth_of(Y);
    found->input_growth = growth_of(U);
    if (d <= SPAN_INPUTS && U.rows > SPANS) {
        double *work = volt_alloc_doubles(SPANS, d + 1);
        double complex *normal = volt_alloc(d * (d + 1), sizeof *normal);
        for (int64_t k = 0; k < Y.cols && work && normal; k++)
            found->integration = fmax(found->integration, explained_increments(U, Y, k, work, normal));
        volt_status status = work && normal ? VOLT_OK : VOLT_ERR_MEMORY;
        volt_free(work);
        volt_free(normal);
        VOLT_TRY(status);
    }
    bool drifts =
        found->output_growth > drifting && found->output_growth > drifting_beside_input * found->input_growth;
    if (found->integration > integrates)
        identify_warn(found, (volt_warning){.code = VOLT_WARNING_INTEGRATING, .value = found->integration});
    else if (drifts)
        identify_warn(found, (volt_warning){.code = VOLT_WARNING_DRIFT, .value = found->output_growth});
    return VOLT_OK;
}

/* ---- linear response ---------------------------------------------------------------------------- */

/* Data check of an identification: dead time, direction, nonlinearity. */

enum {
    LINEAR_LAGS = 100,
    WHITENING = 10, /* largest order of the autoregressions that whiten inputs and outputs */
    MODEL_ROWS = 500,
    PAST = 10, /* rows before a row in the regressions of both directions */
    DIRECTION_ROWS = 4000,
    RESPONSE_ROWS = 1 << 16 /* rows of a spectrum */
};

/* A clear nonlinearity: more than this share of the variance, and of the part that is not linear. */
static const double clear_share = 0.01, clear_part = 0.2;
/* Probability that unrelated inputs have a significant lag. */
static const double chance = 0.01;
/* The past outputs must reduce the error of the inputs by this much more than the reverse. */
static const double clearly_more = 0.1;
/* If the gains do not tell, the error of the reverse direction without the own past must be less than this share. */
static const double clearly_less = 0.5;

/* ---- dead time -------------------------------------------------------------------------------- */

/* Rows of one column, in records. */
typedef struct recorded {
    double *x;
    int64_t n;
    const volt_records *records;
} recorded;

/* Sum of a[t - lag] b[t] within records. */
static double lagged_product(recorded a, recorded b, int64_t lag)
{
    double sum = 0;
    for (int64_t begin = 0, end; begin < a.n; begin = end) {
        end = volt_records_segment_end(a.records, begin, a.n);
        for (int64_t t = begin + lag; t < end; t++)
            sum += a.x[t - lag] * b.x[t];
    }
    return sum;
}

/* Coefficients of an autoregression, by Levinson's recursion on the autocovariances. */
static void fit_autoregression(recorded rows, int64_t order, double coefficients[WHITENING])
{
    double r[WHITENING + 1] = {0}, previous[WHITENING];
    for (int64_t lag = 0; lag <= order; lag++)
        r[lag] = lagged_product(rows, rows, lag);
    double error = r[0] *= 1 + 1e-6; /* a smooth input is not amplified without bound */
    for (int64_t k = 0; k < order; k++) {
        double reflection = r[k + 1];
        for (int64_t j = 0; j < k; j++)
            reflection -= coefficients[j] * r[k - j];
        reflection /= error;
        for (int64_t j = 0; j < k; j++)
            previous[j] = coefficients[j];
        for (int64_t j = 0; j < k; j++)
            coefficients[j] = previous[j] - reflection * previous[k - 1 - j];
        coefficients[k] = reflection;
        error *= 1 - reflection * reflection;
    }
}

/* Residuals of the autoregression, from the last row of a record to the first, in place. The first rows are 0. */
static void whiten(recorded rows, int64_t order, const double coefficients[WHITENING])
{
    for (int64_t begin = 0, end; begin < rows.n; begin = end) {
        end = volt_records_segment_end(rows.records, begin, rows.n);
        for (int64_t t = end - 1; t >= begin; t--)
            for (int64_t j = 0; j < order; j++)
                rows.x[t] = t >= begin + order ? rows.x[t] - coefficients[j] * rows.x[t - 1 - j] : 0;
    }
}

/* The deviations of a column from their mean, whitened by their own autoregression; NaN if they are 0. */
static void whiten_column(volt_view from, int64_t column, int64_t order, recorded to)
{
    double coefficients[WHITENING] = {0}, mean = column_mean(from, column);
    for (int64_t t = 0; t < from.rows; t++)
        to.x[t] = from.data[t * from.ld + column] - mean;
    fit_autoregression(to, order, coefficients);
    whiten(to, order, coefficients);
}

/* The first lag with a significant correlation of two white series; -1: none, or a series is 0 or NaN. */
static int64_t first_response(recorded u, recorded y, int64_t lags, double bound)
{
    double scale = sqrt(lagged_product(u, u, 0) * lagged_product(y, y, 0));
    for (int64_t lag = 0; lag < lags; lag++)
        if (fabs(lagged_product(u, y, lag)) > bound * scale)
            return lag;
    return -1;
}

/* The smallest such lag of all inputs and outputs, below `lags`. The filters that whiten are causal and keep the first lag.
 * Under independence a correlation has the variance 1 / n, and P(|Z| > z) <= exp(-z^2 / 2). */
static volt_status find_dead_time(volt_view U, volt_view Y, const volt_records *records, int64_t longest,
                                  int64_t lags, volt_identification *found)
{
    int64_t n = U.rows, order = volt_min(WHITENING, longest / 4), white = n;
    for (int64_t t = volt_records_segment_end(records, 0, n); t < n;
         t = volt_records_segment_end(records, t, n))
        white -= order; /* the first rows of further records */
    double tests = (double)(lags * U.cols * Y.cols), bound = sqrt(2 * log(tests / chance) / (double)white);
    recorded u = {volt_alloc_doubles(n, 1), n, records}, y = {volt_alloc_doubles(n, 1), n, records};
    found->dead_time = -1;
    for (int64_t k = 0; k < Y.cols && u.x && y.x && white > 0; k++) {
        whiten_column(Y, k, order, y);
        for (int64_t i = 0; i < U.cols; i++) {
            whiten_column(U, i, order, u);
            int64_t lag = first_response(u, y, lags, bound);
            if (lag >= 0 && (found->dead_time < 0 || lag < found->dead_time))
                found->dead_time = lag;
        }
    }
    volt_status status = u.x && y.x ? VOLT_OK : VOLT_ERR_MEMORY;
    volt_free(u.x);
    volt_free(y.x);
    return status;
}

/* ---- direction -------------------------------------------------------------------------------- */

/* Least squares of the rows of `to` on a constant and the PAST rows before them of `first` and, with data, of `second`, fitted on
 * the first half. *error: mean squared error on the second half over the variance there, the mean of all columns. */
static volt_status regression_error(volt_view to, volt_view first, volt_view second, double *error)
{
    int64_t own = to.cols, columns = first.cols + (second.data ? second.cols : 0), half = to.rows / 2;
    int64_t past = volt_max(1, volt_min(PAST, half / (4 * columns))), m = past * columns + 1;
    double complex *A = volt_alloc_zero(m * m, sizeof *A), *B = volt_alloc_zero(m * own, sizeof *B);
    double *x = volt_alloc_doubles(1, m), *sums = volt_alloc_zero(3 * own, sizeof *sums);
    volt_status status = A && B && x && sums ? VOLT_OK : VOLT_ERR_MEMORY;
    bool is_solved = false;
    *error = 0;
    for (int64_t t = past; t < to.rows && !status; t++) {
        x[0] = 1;
        for (int64_t j = 0; j < m - 1; j++) {
            int64_t lag = 1 + j / columns, k = j % columns;
            x[1 + j] = k < first.cols || !second.data ? first.data[(t - lag) * first.ld + k]
                                                      : second.data[(t - lag) * second.ld + k - first.cols];
        }
        if (t == half) {
            for (int64_t i = 0; i < m; i++)
                A[i * m + i] *= 1 + 1e-10;
            is_solved = volt_solve_complex(m, own, A, B);
        }
        for (int64_t i = 0; i < m && t < half; i++) {
            for (int64_t j = 0; j < m; j++)
                A[i * m + j] += x[i] * x[j];
            for (int64_t k = 0; k < own; k++)
                B[i * own + k] += x[i] * to.data[t * to.ld + k];
        }
        for (int64_t k = 0; k < own && t >= half; k++) {
            double y = to.data[t * to.ld + k], left = y, above = y - to.data[half * to.ld + k];
            for (int64_t i = 0; i < m && is_solved; i++)
                left -= x[i] * creal(B[i * own + k]);
            sums[3 * k] += left * left;
            sums[3 * k + 1] += above; /* 0 for a constant column */
            sums[3 * k + 2] += above * above;
        }
    }
    for (int64_t k = 0; k < own && !status; k++) {
        double count = (double)(to.rows - half), mean = sums[3 * k + 1] / count;
        double variance = sums[3 * k + 2] / count - mean * mean;
        *error += variance > 0 ? sums[3 * k] / (count * variance * (double)own) : 1 / (double)own;
    }
    volt_free(A);
    volt_free(B);
    volt_free(x);
    volt_free(sums);
    return status;
}

/* *gain: share of the error of the rows of `to` from their own past that the past of `other` removes; 0 if their own past
 * explains everything. *error: that of the past of `other` without their own. */
static volt_status gain_of(volt_view to, volt_view other, double *gain, double *error)
{
    static const double exact = 1e-9;
    double own = 0, both = 0;
    VOLT_TRY(regression_error(to, to, volt_view_of(NULL, 0, 0), &own));
    VOLT_TRY(regression_error(to, to, other, &both));
    *gain = own > exact ? 1 - both / own : 0;
    return regression_error(to, other, volt_view_of(NULL, 0, 0), error);
}

/* The columns that change, centred and divided by their standard deviations: the regressions must not depend on units. */
static volt_view standardised(volt_view rows, double *room)
{
    int64_t cols = 0;
    volt_view out = volt_view_of(room, rows.rows, rows.cols);
    for (int64_t k = 0; k < rows.cols; k++) {
        double mean = column_mean(rows, k), squares = 0;
        if (!(column_range(rows, k) > 0))
            continue;
        for (int64_t t = 0; t < rows.rows; t++) {
            double x = rows.data[t * rows.ld + k] - mean;
            room[t * out.ld + cols] = x;
            squares += x * x;
        }
        for (int64_t t = 0; t < rows.rows; t++)
            room[t * out.ld + cols] /= sqrt(squares / (double)rows.rows);
        cols++;
    }
    out.cols = cols;
    return out;
}

static volt_status compare_directions(volt_view U, volt_view Y, volt_identification *found)
{
    int64_t count = volt_min(DIRECTION_ROWS, U.rows), first = U.rows - count;
    double *room = volt_alloc_doubles(count, U.cols + Y.cols), forward = 1, reverse = 1;
    volt_status status = room ? VOLT_OK : VOLT_ERR_MEMORY;
    if (!status) {
        U = standardised(volt_view_rows(U, first, count), room);
        Y = standardised(volt_view_rows(Y, first, count), room + count * U.ld);
    }
    if (!status && U.cols > 0 && Y.cols > 0) {
        status = gain_of(Y, U, &found->forward_gain, &forward);
        if (!status)
            status = gain_of(U, Y, &found->reverse_gain, &reverse);
    }
    volt_free(room);
    VOLT_TRY(status);
    bool gains = found->reverse_gain > fmax(0, found->forward_gain) + clearly_more;
    if (gains || (found->forward_gain < clearly_more && reverse < clearly_less * forward))
        identify_warn(found, (volt_warning){.code = VOLT_WARNING_REVERSED, .value = found->reverse_gain});
    return VOLT_OK;
}

/* ---- nonlinearity ----------------------------------------------------------------------------- */

/* Rows of the models, in records; n_records 0: one. */
typedef struct model_rows {
    volt_view U, Y; /* in a search, inputs as columns of the kernel */
    int64_t *records, n_records;
    volt_prepared *prepared; /* owns these inputs; NULL: as measured */
} model_rows;

/* Held-out NMSE of a model of the outputs from the inputs up to the same row; 1: no model. */
static volt_status held_out_error(const char *text, const model_rows *rows, volt_progress progress,
                                  double *error)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    volt_fit_options options = volt_fit_options_default();
    options.target = VOLT_TARGET_LEVEL;
    options.input = VOLT_INPUT_LEVEL;
    options.scale_each = rows->U.cols > 1;
    options.records = rows->records;
    options.n_records = rows->n_records;
    options.progress = progress;
    *error = 1;
    VOLT_TRY(volt_kernel_parse(text, &kernel));
    volt_status status = volt_model_fit(kernel, rows->U, rows->Y, &options, volt_matrix_of(NULL, 0, 0), &model);
    if (!status && !volt_model_get_info(model, &info) && info.report && info.report->rows > 0)
        *error = fmax(0, 1 - info.report->heldout_r2);
    volt_model_free(model);
    volt_kernel_free(kernel);
    return status == VOLT_ERR_CANCELLED || status == VOLT_ERR_MEMORY ? status : VOLT_OK;
}

/* Residual power over output power of the best linear response, for one length of segments. */
static volt_status residual_share(volt_view U, volt_view Y, int64_t length, double *share)
{
    volt_spectrum *spectrum = NULL;
    double *power = volt_alloc_doubles(4, Y.cols);
    volt_status status = power ? volt_spectrum_create(U, Y, length, &spectrum) : VOLT_ERR_MEMORY;
    *share = 0;
    if (!status) {
        double *residual = power + Y.cols, *all = power + 2 * Y.cols, *left = power + 3 * Y.cols;
        for (int64_t k = 0; k < Y.cols; k++)
            all[k] = left[k] = 0;
        for (int64_t b = 0; b < spectrum->bins; b++) {
            volt_spectrum_response(spectrum, b, NULL, power, residual);
            for (int64_t k = 0; k < Y.cols; k++) {
                all[k] += power[k];
                left[k] += residual[k];
            }
        }
        for (int64_t k = 0; k < Y.cols; k++)
            *share += (all[k] > 0 ? left[k] / all[k] : 1) / (double)Y.cols;
    }
    volt_spectrum_free(spectrum);
    volt_free(power);
    return status;
}

/* The smallest P with u[t + P] = u[t] in all rows and at least three periods; 0: none. */
static int64_t find_period(volt_view U)
{
    static const double equal = 1e-6;
    for (int64_t period = 2; period <= U.rows / 3; period++) {
        bool repeats = true;
        for (int64_t k = 0; k < U.cols && repeats; k++) {
            double most = equal * column_range(volt_view_rows(U, 0, period), k);
            repeats = most > 0 || U.cols > 1;
            for (int64_t t = period; t < U.rows && repeats; t++)
                repeats = fabs(U.data[t * U.ld + k] - U.data[(t - period) * U.ld + k]) <= most;
        }
        if (repeats)
            return period;
    }
    return 0;
}

/* Half of the mean squared difference of consecutive periods after the first, over the variance. */
static double change_of_periods(volt_view Y, int64_t period)
{
    double share = 0;
    for (int64_t k = 0; k < Y.cols; k++) {
        double sum = 0, variance = column_variance(Y, k);
        for (int64_t t = 2 * period; t < Y.rows; t++)
            sum += pow(Y.data[t * Y.ld + k] - Y.data[(t - period) * Y.ld + k], 2);
        share += sum / (2 * (double)(Y.rows - 2 * period) * variance * (double)Y.cols);
    }
    return share;
}

static volt_status find_nonlinearity(volt_view U, volt_view Y, const model_rows *stretch,
                                     volt_progress progress, volt_identification *found)
{
    static const char *const linear[] = {"fir", "fir:mu=0.99,corr=0.9"};
    static const char *const kernels[] = {"volterra:lift=rbf + fir", "fading + fir", "memory + fir"};
    int64_t rows = volt_min(U.rows, RESPONSE_ROWS);
    found->unexplained = 1;
    for (size_t i = 0; i < sizeof linear / sizeof *linear; i++) {
        double error = 1;
        VOLT_TRY(held_out_error(linear[i], stretch, progress, &error));
        found->unexplained = fmin(found->unexplained, error);
    }
    for (int64_t parts = 4; parts <= 32; parts *= 2) {
        int64_t length = volt_power_of_two(2 * rows / (parts * (U.cols + 1)));
        double share = 1;
        if (length < 8)
            break;
        VOLT_TRY(residual_share(volt_view_rows(U, U.rows - rows, rows), volt_view_rows(Y, U.rows - rows, rows),
                                length, &share));
        found->unexplained = fmin(found->unexplained, share);
    }
    found->noise = found->unexplained;
    found->input_period = find_period(U);
    if (found->input_period > 0)
        found->noise = fmin(found->noise, change_of_periods(Y, found->input_period));
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels && found->input_period == 0; i++) {
        double error = 1;
        VOLT_TRY(held_out_error(kernels[i], stretch, progress, &error));
        found->noise = fmin(found->noise, error);
    }
    found->nonlinearity = found->unexplained - found->noise;
    found->is_nonlinear = found->nonlinearity > fmax(clear_share, clear_part * found->unexplained);
    return VOLT_OK;
}

/* ---- all -------------------------------------------------------------------------------------- */

/* The part of the check about the response of the outputs: dead time in all records; direction and nonlinearity in
 * the longest one, `rows` rows from row `begin` on. If that has fewer than VOLT_IDENTIFY_LONG rows, the direction is not tested,
 * and nonlinearity is that of models of several records. */
static volt_status identify_response(volt_view U, volt_view Y, const volt_records *records, int64_t begin,
                                     int64_t rows, volt_progress progress, volt_identification *found)
{
    volt_view one_U = volt_view_rows(U, begin, rows), one_Y = volt_view_rows(Y, begin, rows);
    bool is_short = rows < VOLT_IDENTIFY_LONG;
    model_rows stretch = {is_short ? U : one_U, is_short ? Y : one_Y, NULL, 0, NULL};
    int64_t count = volt_min(MODEL_ROWS, stretch.U.rows), lags = volt_min(LINEAR_LAGS, rows / 4);
    int64_t first = volt_identify_stretch(stretch.U, stretch.Y, count, NULL);
    stretch.U = volt_view_rows(stretch.U, first, count);
    stretch.Y = volt_view_rows(stretch.Y, first, count);
    VOLT_TRY(find_dead_time(U, Y, records, rows, lags, found));
    if (is_short)
        VOLT_TRY(volt_records_slice(records, first, first + count, &stretch.records, &stretch.n_records));
    else
        VOLT_TRY(compare_directions(one_U, one_Y, found));
    volt_status status = find_nonlinearity(one_U, one_Y, &stretch, progress, found);
    volt_free(stretch.records);
    VOLT_TRY(status);
    /* An even function of the inputs is not correlated with them. */
    bool explains = found->forward_gain > clearly_more || found->reverse_gain > clearly_more ||
                    found->nonlinearity > clearly_more * found->unexplained;
    if (found->dead_time < 0 && !explains)
        identify_warn(found, (volt_warning){.code = VOLT_WARNING_NO_RESPONSE, .value = (double)lags});
    return VOLT_OK;
}

/* ---- the check -------------------------------------------------------------------------------- */

/* First row and length of the longest record of n rows. */
static int64_t longest_record(const volt_records *records, int64_t n, int64_t *rows)
{
    int64_t longest = 0;
    *rows = 0;
    for (int64_t begin = 0, end; begin < n; begin = end) {
        end = volt_records_segment_end(records, begin, n);
        if (end - begin > *rows) {
            longest = begin;
            *rows = end - begin;
        }
    }
    return longest;
}

static volt_status check_record(volt_view U, volt_view Y, const volt_records *records,
                                const volt_identify_options *options, int64_t first, volt_progress progress,
                                volt_identification *found)
{
    int64_t rows, begin = longest_record(records, U.rows, &rows);
    volt_view one_U = volt_view_rows(U, begin, rows), one_Y = volt_view_rows(Y, begin, rows);
    found->input_lines = INFINITY;
    VOLT_TRY(check_excitation(U, Y, records, found));
    VOLT_TRY(check_sampling(options, first, U.rows, records, found));
    if (rows >= VOLT_IDENTIFY_LONG)
        VOLT_TRY(count_lines(one_U, found));
    find_delay(U, Y, records, found);
    find_saturation(U, Y, found);
    if (rows >= VOLT_IDENTIFY_LONG)
        VOLT_TRY(find_drift(one_U, one_Y, found));
    return identify_response(U, Y, records, begin, rows, progress, found);
}

/* A copy with columns in units of powers of two, near their largest values. */
static volt_view take_units(volt_view rows, double *copy)
{
    for (int64_t k = 0; k < rows.cols; k++) {
        int exponent = volt_column_exponent(rows, k);
        for (int64_t t = 0; t < rows.rows; t++)
            copy[t * rows.cols + k] = ldexp(rows.data[t * rows.ld + k], -exponent);
    }
    return volt_view_of(copy, rows.rows, rows.cols);
}

volt_status volt_identify_check(volt_view U, volt_view Y, const volt_records *records,
                                const volt_identify_options *options, int64_t first, volt_progress progress,
                                volt_identification *found)
{
    double *copies = volt_alloc_doubles(U.rows, U.cols + Y.cols);
    volt_status status = VOLT_ERR_MEMORY;
    if (copies)
        status = check_record(take_units(U, copies), take_units(Y, copies + U.rows * U.cols), records, options,
                              first, progress, found);
    volt_free(copies);
    return status;
}

/* ---- progress ----------------------------------------------------------------------------------- */

static int report(const char *stage, double fraction, void *context)
{
    const volt_identify_state *run = context;
    volt_progress progress = run->options.progress;
    (void)stage;
    return progress.report &&
           progress.report(run->stage, fmin(1, run->done + run->fraction * fraction), progress.context);
}

/* Progress of the present stage as progress of the call. */
static volt_progress identify_progress(volt_identify_state *run)
{
    return (volt_progress){report, run};
}

/* Begins a stage with this share of the work; returns its part of the time that is left. */
static double identify_begin_stage(volt_identify_state *run, const char *name, double share)
{
    double left = fmax(0, run->options.seconds - (volt_seconds() - run->began));
    double part = share / run->shares;
    snprintf(run->stage, sizeof run->stage, "%s", name);
    run->done += run->fraction;
    run->fraction = (1 - run->done) * part;
    run->shares -= share;
    return fmax(1e-3, left * fmin(1, part)); /* 0 would be no limit */
}

/* ---- the rows ----------------------------------------------------------------------------------- */

/* Rows of an identification: test part, stretch of the searches, rows of the model. */

enum {
    TEST_SHARE = 5,     /* the last fifth of the rows is the test part ... */
    WASHOUT_SHARE = 20, /* washout: a twentieth of the rows of a record ... */
    MOST_WASHOUT = 100, /* ... at most this many */
    FEWEST_TRIALS = 40, /* trials on the rows of the search that a time budget should allow */
    MOST_TEST_ROWS = 20000
};

/* ... or whole records if the test part is then within these shares of the rows. */
static const double least_test = 0.15, most_test = 0.25;
/* The last rows are fitted instead of the best-excited ones if they cover this share of their product. */
static const double nearly_covers = 0.8;

/* ---- checks ----------------------------------------------------------------------------------- */

static volt_status check_shapes(const volt_identify_options *options, volt_view U, volt_view Y)
{
    volt_view V = options->test_inputs, Z = options->test_outputs;
    VOLT_REQUIRE(U.data && Y.data, VOLT_ERR_ARGUMENT, "the inputs or the outputs are NULL");
    VOLT_REQUIRE(U.rows == Y.rows && U.cols > 0 && Y.cols > 0, VOLT_ERR_SHAPE,
                 "the inputs are %" PRId64 " x %" PRId64 " and the outputs %" PRId64 " x %" PRId64
                 ": both need the same rows and at least one column",
                 U.rows, U.cols, Y.rows, Y.cols);
    VOLT_REQUIRE(U.rows >= VOLT_IDENTIFY_MIN_ROWS, VOLT_ERR_DATA,
                 "there are %" PRId64 " rows, and an identification requires at least %d", U.rows,
                 VOLT_IDENTIFY_MIN_ROWS);
    VOLT_REQUIRE(!V.data == !Z.data, VOLT_ERR_ARGUMENT, "test inputs and test outputs must be given together");
    VOLT_REQUIRE(!V.data || (V.rows == Z.rows && V.rows > 0 && V.cols == U.cols && Z.cols == Y.cols),
                 VOLT_ERR_SHAPE,
                 "the test inputs are %" PRId64 " x %" PRId64 " and the test outputs %" PRId64 " x %" PRId64
                 ": both need the same rows, and the %" PRId64 " and %" PRId64 " columns of the training rows",
                 V.rows, V.cols, Z.rows, Z.cols, U.cols, Y.cols);
    VOLT_REQUIRE(options->draws >= 0, VOLT_ERR_ARGUMENT, "draws must be at least 0 (got %" PRId64 ")",
                 options->draws);
    VOLT_REQUIRE(options->draws > 0 || (options->seconds > 0 && isfinite(options->seconds)), VOLT_ERR_ARGUMENT,
                 "seconds must be positive (got %g)", options->seconds);
    VOLT_TRY(volt_require_finite("inputs", U));
    VOLT_TRY(volt_require_finite("outputs", Y));
    if (V.data) {
        VOLT_TRY(volt_require_finite("test inputs", V));
        VOLT_TRY(volt_require_finite("test outputs", Z));
    }
    return VOLT_OK;
}

/* ---- training and test part ------------------------------------------------------------------- */

/* First row of the last fifth, or a start of a record near it. */
static int64_t test_begin_of(const volt_records *records, int64_t rows)
{
    int64_t cut = rows - rows / TEST_SHARE, best = cut, nearest = INT64_MAX;
    for (int64_t r = 0; r + 1 < records->n; r++) {
        int64_t begin = records->ends[r], distance = begin > cut ? begin - cut : cut - begin;
        double share = (double)(rows - begin) / (double)rows;
        if (share >= least_test && share <= most_test && distance < nearest) {
            best = begin;
            nearest = distance;
        }
    }
    return best;
}

/* Returns the rows at the start of a record of this many rows that set the state. */
static int64_t identify_start_rows(const volt_identify_state *run, int64_t rows)
{
    enum { SHARE = 10 };
    return rows > 1 ? volt_min(run->found.washout, volt_max(1, rows / SHARE)) : 0;
}

/* Counts the rows that are compared, and ends the test where they are enough. */
static void count_test_rows(volt_identify_state *run)
{
    volt_identification *found = &run->found;
    int64_t rows = run->test->U.rows;
    for (int64_t at = run->test_begin, end; at < rows && found->test_rows < MOST_TEST_ROWS; at = end) {
        end = volt_records_segment_end(&run->test->records, at, rows);
        int64_t start = volt_records_begins(&run->test->records, at) ? identify_start_rows(run, end - at) : 0;
        int64_t count = volt_min(end - at - start, MOST_TEST_ROWS - found->test_rows);
        found->test_washout = volt_max(found->test_washout, start);
        found->test_rows += count;
        run->test_end = at + start + count;
    }
}

static void divide_rows(volt_identify_state *run)
{
    volt_identification *found = &run->found;
    const volt_records *records = &run->given.records;
    found->rows = run->given.U.rows;
    found->test_is_separate = run->options.test_inputs.data != NULL;
    run->test = found->test_is_separate ? &run->other : &run->given;
    run->test_begin = found->test_is_separate ? 0 : test_begin_of(records, found->rows);
    found->train_rows = found->test_is_separate ? found->rows : run->test_begin;
    found->train_records = volt_records_at(records, found->train_rows - 1) + 1;
    found->washout = volt_min(MOST_WASHOUT, found->train_rows / found->train_records / WASHOUT_SHARE);
    found->washout = volt_max(1, found->washout);
    count_test_rows(run);
    run->U = volt_view_rows(run->given.U, 0, found->train_rows);
    run->Y = volt_view_rows(run->given.Y, 0, found->train_rows);
}

volt_status volt_identify_take_rows(volt_identify_state *run, volt_view U, volt_view Y)
{
    const volt_identify_options *options = &run->options;
    VOLT_TRY(check_shapes(options, U, Y));
    run->given.U = U;
    run->given.Y = Y;
    run->other.U = options->test_inputs;
    run->other.Y = options->test_outputs;
    VOLT_TRY(volt_records_make(options->records, options->n_records, U.rows, &run->given.records));
    if (run->other.U.data)
        VOLT_TRY(volt_records_make(options->test_records, options->n_test_records, run->other.U.rows,
                                   &run->other.records));
    divide_rows(run);
    run->output_tests = volt_alloc(Y.cols, sizeof *run->output_tests);
    if (!run->output_tests)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < Y.cols; k++)
        run->output_tests[k] = (volt_output_test){NAN, NAN, NAN};
    return VOLT_OK;
}

void volt_identify_release_rows(volt_identify_state *run)
{
    volt_records_release(&run->given.records);
    volt_records_release(&run->other.records);
    volt_free(run->search_records);
    volt_free(run->output_tests);
}

/* Lengths of the records of the training rows first .. first + count - 1, as in volt_records_slice. */
static volt_status identify_records(const volt_identify_state *run, int64_t first, int64_t count,
                                    int64_t **lengths, int64_t *n)
{
    return volt_records_slice(&run->given.records, first, first + count, lengths, n);
}

/* ---- rows of the searches and of the model ---------------------------------------------------- */

/* The part of the options of every fit that the rows determine: levels, washout, scales. */
static volt_fit_options identify_fit_options(const volt_identify_state *run)
{
    volt_fit_options options = volt_fit_options_default();
    options.target = VOLT_TARGET_LEVEL;
    options.input = VOLT_INPUT_LEVEL;
    options.washout = run->found.washout;
    options.scale_each = run->found.scale_each;
    options.initial = run->found.initial;
    return options;
}

volt_search_options volt_identify_search_options(const volt_identify_state *run, int64_t rows)
{
    volt_search_options options = volt_search_options_default();
    options.splits.folds = VOLT_IDENTIFY_BLOCKS;
    options.splits.min_train = rows - VOLT_IDENTIFY_BLOCKS * (rows / VOLT_IDENTIFY_BLOCK_SHARE);
    options.washout = run->found.washout;
    options.initial = run->found.initial;
    options.score = VOLT_SCORE_NMSE;
    options.solver = "exact";
    return options;
}

volt_status volt_identify_trial_seconds(const volt_identify_state *run, int64_t rows, double *seconds)
{
    volt_kernel *kernel = NULL;
    volt_search_plan plan = {.struct_size = sizeof plan};
    volt_search_options options = volt_identify_search_options(run, rows);
    options.draws = 1;
    VOLT_TRY(volt_kernel_parse("memory:pole=0.5,pair=0.5,angle=0.5 + fir", &kernel));
    volt_status status =
        volt_plan_search(kernel, rows, run->U.cols + run->Y.cols, run->Y.cols, 1, &options, 1, &plan);
    volt_kernel_free(kernel);
    *seconds = plan.candidate_seconds;
    return status;
}

static volt_status count_search_rows(const volt_identify_state *run, double share, int64_t *rows)
{
    static const int64_t lengths[] = {VOLT_IDENTIFY_SEARCH_ROWS, 2000, 1500, 1000};
    *rows = volt_min(run->found.train_rows, lengths[0]);
    if (run->options.draws > 0)
        return VOLT_OK;
    for (size_t i = 1; i < sizeof lengths / sizeof *lengths; i++) {
        double seconds = 0;
        if (lengths[i] >= *rows)
            continue;
        VOLT_TRY(volt_identify_trial_seconds(run, *rows, &seconds));
        if (seconds * FEWEST_TRIALS < run->options.seconds * share)
            break;
        *rows = lengths[i];
    }
    return VOLT_OK;
}

volt_status volt_identify_choose_search_rows(volt_identify_state *run, double share)
{
    volt_identification *found = &run->found;
    VOLT_TRY(count_search_rows(run, share, &found->search_rows));
    found->search_begin = volt_identify_stretch(run->U, run->Y, found->search_rows, NULL);
    run->search_U = volt_view_rows(run->U, found->search_begin, found->search_rows);
    run->search_Y = volt_view_rows(run->Y, found->search_begin, found->search_rows);
    return identify_records(run, found->search_begin, found->search_rows, &run->search_records,
                            &run->n_records);
}

/* Of more than `rows` training rows, the last ones if they are as well excited as the best stretch and the test
 * follows them. */
static void identify_place_fit(volt_identify_state *run, int64_t rows)
{
    volt_identification *found = &run->found;
    double best = 0;
    found->fit_rows = rows;
    found->fit_begin = volt_identify_stretch(run->U, run->Y, rows, &best);
    double last = volt_identify_coverage(run->U, run->Y, found->train_rows - rows, rows);
    if (!found->test_is_separate && last >= nearly_covers * best)
        found->fit_begin = found->train_rows - rows;
}

/* ---- simulation --------------------------------------------------------------------------------- */

/* Free runs of the models of an identification, record by record. */

enum { WARM_UP = 500 }; /* measured rows that set the state before rows that do not follow the fit */

/* Free run over rows first .. end - 1 of one record, after `before` measured rows, which set the state from zero;
 * with `follows` after the rows of the fit. */
static volt_status run_rows(volt_identify_state *run, const volt_model *model, const volt_identify_data *data,
                            int64_t first, int64_t before, int64_t end, bool follows, double *out,
                            bool *is_bounded)
{
    volt_predict_options options = volt_predict_options_default();
    volt_predict_report said = {.struct_size = sizeof said};
    volt_model_info info = {.struct_size = sizeof info};
    int64_t rows = end - (first - before), q = data->Y.cols;
    VOLT_TRY(volt_model_get_info(model, &info));
    options.start = follows ? VOLT_START_CONTINUE : VOLT_START_RESET;
    options.progress = identify_progress(run);
    options.report = &said;
    if (before > 0 && info.feedback_weight > 0) {
        options.known = volt_view_rows(data->Y, first - before, rows);
        options.warm_up = before;
    }
    double *outputs = volt_alloc_doubles(rows, q);
    if (!outputs)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_model_predict(model, volt_view_rows(data->U, first - before, rows), &options,
                                            volt_matrix_of(outputs, rows, q), NULL);
    for (int64_t i = 0; i < said.n_warnings; i++)
        *is_bounded |= said.warnings[i].code == VOLT_WARNING_RUN_BOUNDED;
    if (!status)
        memcpy(out, outputs + before * q, (size_t)((end - first) * q) * sizeof *out);
    volt_free(outputs);
    return status;
}

volt_status volt_identify_simulate(volt_identify_state *run, const volt_model *model,
                                   const volt_identify_data *data, int64_t begin, int64_t end, bool follows,
                                   double *out, bool *is_bounded)
{
    int64_t q = data->Y.cols;
    *is_bounded = false;
    for (int64_t at = begin, next; at < end; at = next) {
        int64_t record = volt_records_begin(&data->records, at), first = at;
        next = volt_records_segment_end(&data->records, at, end);
        if (record == at) /* the whole record counts, also where the simulation ends within it */
            first += volt_min(
                next - at,
                identify_start_rows(run, volt_records_segment_end(&data->records, at, data->U.rows) - at));
        for (int64_t i = (at - begin) * q; i < (first - begin) * q; i++)
            out[i] = NAN;
        bool continues = follows && at == begin && record < at;
        int64_t before = continues ? 0 : volt_min(WARM_UP, first - record);
        if (first < next)
            VOLT_TRY(run_rows(run, model, data, first, before, next, continues, out + (first - begin) * q,
                              is_bounded));
    }
    return VOLT_OK;
}

/* VOLT_ERR_NOT_FINITE if the model, which feeds its outputs back, diverges on the last sixth of its rows. */
static volt_status identify_check_stable(volt_identify_state *run, const volt_model *model)
{
    int64_t end = run->found.fit_begin + run->found.fit_rows;
    int64_t block = run->found.fit_rows / VOLT_IDENTIFY_BLOCK_SHARE;
    bool is_bounded = false;
    double *out = volt_alloc_doubles(block, run->Y.cols);
    if (!out)
        return VOLT_ERR_MEMORY;
    volt_status status =
        volt_identify_simulate(run, model, &run->given, end - block, end, false, out, &is_bounded);
    volt_free(out);
    VOLT_TRY(status);
    VOLT_REQUIRE(!is_bounded, VOLT_ERR_NOT_FINITE, "the simulation of the training rows diverges");
    return VOLT_OK;
}

/* Simulates the test rows: (test_end - test_begin) x q, see volt_identify_simulate. */
static volt_status identify_simulate_test(volt_identify_state *run, const volt_model *model, double *out,
                                          bool *is_bounded)
{
    const volt_identification *found = &run->found;
    bool follows = !found->test_is_separate && found->fit_begin + found->fit_rows == found->train_rows;
    return volt_identify_simulate(run, model, run->test, run->test_begin, run->test_end, follows, out,
                                  is_bounded);
}

/* Error of output k in simulated test rows, and its standard deviation in these rows. */
static void identify_test_output(const volt_identify_state *run, const double *out, int64_t k, double *rmse,
                                 double *std)
{
    const volt_view *Y = &run->test->Y;
    int64_t q = Y->cols, count = 0;
    volt_squares errors = {0}, deviations = {0};
    double sum = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t t = run->test_begin; t < run->test_end; t++) {
            double y = Y->data[t * Y->ld + k], simulated = out[(t - run->test_begin) * q + k];
            if (isnan(simulated))
                continue;
            if (pass > 0) {
                volt_squares_add(&errors, simulated - y);
                volt_squares_add(&deviations, y - sum / (double)count);
            } else {
                sum += y;
                count++;
            }
        }
    *rmse = volt_squares_root_mean(&errors, count);
    *std = volt_squares_root_mean(&deviations, count);
}

/* ---- the search --------------------------------------------------------------------------------- */

/* Searches of an identification.
 *
 * The factorisation of a candidate costs the cube of its rows. Families are therefore compared and refined on a
 * short stretch; all of them are then scored on the rows of the search, and the best are refined there:
 *
 *     explore   every family, adaptive search                                           short stretch
 *     refine    the best nonlinear family, and the second if it is close, by CMA-ES     short stretch
 *     compare   the best candidate of every family                                      all rows of the search
 *     polish    the linear families and the best two nonlinear ones, by CMA-ES          all rows of the search
 *
 * CMA-ES starts at the best candidate so far. With few rows there is one level: explore, refine. */

enum {
    CMA_ROWS = 500,     /* about 50 rows for each searched parameter */
    SHORT_ROWS = 800,   /* rows of the short stretch, ... */
    MIN_LONG = 1600,    /* ... if the search has at least this many */
    POLISH_DIVISOR = 32 /* with draws, this many times fewer trials on all rows, which cost more */
};

/* Shares of the time budget. */
static const double linear_share = 0.4, explore_share = 0.7, refine_share = 5, compare_share = 0.3,
                    polish_share = 2;
/* The second family is refined if its error is less than this many times that of the best. */
static const double close_share = 4;
/* Another initial input is used if the NMSE is at least this many times lower: 1.1 in RMSE. */
static const double clearly_better = 1.21;
/* Initial steps of CMA-ES, relative to the ranges of the parameters. */
static const double refine_step = 0.2, polish_step = 0.03;

typedef struct family {
    const char *name, *kernel;
    bool feeds;
    int64_t n_ranges; /* first ones of filter_ranges */
} family;

/* Filters are low passes: sampled systems are, and the search then has a quarter of the volume. */
static const volt_range filter_ranges[] = {
    {.name = "1.pole", .kind = VOLT_SEARCH_LINEAR, .low = 0, .high = 0.995},
    {.name = "1.angle", .kind = VOLT_SEARCH_LINEAR, .low = 0, .high = 0.6},
};

static const family families[VOLT_IDENTIFY_CANDIDATES] = {
    {"linear", "fir:corr=?", false, 0},
    {"linear, feedback", "fir:corr=?", true, 0},
    {"volterra", "volterra:lift=rbf,pole=? + ?*fir:corr=?", false, 1},
    {"memory", "memory:pole=?,pair=?,angle=? + ?*fir:corr=?", false, 2},
    {"fading, feedback", "fading + ?*fir:corr=?", true, 0},
    {"volterra, feedback", "volterra:lift=rbf + ?*fir:corr=?", true, 0},
};

/* Sum of the shares of the searches, and the share of those on all rows of the search. */
static double identify_search_shares(void)
{
    return VOLT_IDENTIFY_LINEAR * linear_share +
           (VOLT_IDENTIFY_CANDIDATES - VOLT_IDENTIFY_LINEAR) * explore_share + refine_share + compare_share +
           polish_share;
}

void volt_identify_begin_candidates(volt_identification *found)
{
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
        found->candidates[i] = (volt_identify_candidate){.name = families[i].name,
                                                         .is_linear = i < VOLT_IDENTIFY_LINEAR,
                                                         .nmse = INFINITY,
                                                         .test_rmse = NAN,
                                                         .growth = NAN,
                                                         .excess = NAN,
                                                         .long_run = NAN};
}

/* ---- one search ------------------------------------------------------------------------------- */

/* Consecutive rows of the search. */
typedef struct attempt {
    const model_rows *rows;
    double step;  /* of CMA-ES from the candidate; 0: adaptive search from draws */
    double share; /* of the time */
    int64_t
        divisor; /* of the number of draws; 0: one trial without a time limit, of the candidate or the defaults */
} attempt;

static void keep_trial(const volt_search *search, volt_identify_candidate *candidate)
{
    const volt_trial *best = search ? volt_search_trial(search, VOLT_TRIAL_BEST) : NULL;
    volt_search_info info = {.struct_size = sizeof info};
    if (!search || volt_search_get_info(search, &info))
        return;
    candidate->trials += info.trials;
    if (!best || best->n_folds < VOLT_IDENTIFY_BLOCKS || !isfinite(best->score) ||
        best->score >= candidate->nmse)
        return;
    snprintf(candidate->kernel, sizeof candidate->kernel, "%s", best->kernel);
    candidate->alpha = best->alpha;
    candidate->feedback_weight = best->feedback;
    candidate->nmse = best->score;
    memcpy(candidate->block_nmse, best->folds, sizeof candidate->block_nmse);
}

static volt_status draw_candidates(volt_identify_state *run, int64_t which, const attempt *how,
                                   volt_candidates **candidates)
{
    const volt_identify_candidate *candidate = &run->found.candidates[which];
    volt_draw_options drawing = volt_draw_options_default();
    volt_setting setting = {candidate->alpha, candidate->feedback_weight};
    drawing.seed = run->options.seed + (how->step > 0);
    drawing.scale = drawing.from_defaults = 1;
    drawing.ranges = filter_ranges;
    drawing.n_ranges = families[which].n_ranges;
    if (families[which].feeds)
        drawing.fed_outputs = how->rows->Y;
    VOLT_TRY(volt_candidates_draw(families[which].kernel, how->rows->U, &drawing, candidates));
    return how->step > 0 ? volt_candidates_start(*candidates, candidate->kernel, &setting, how->step) : VOLT_OK;
}

/* Searches a family and keeps its best trial, if it is better than the candidate so far. A family without a
 * score takes no part. */
static volt_status search_family(volt_identify_state *run, int64_t which, attempt how)
{
    volt_identify_candidate *candidate = &run->found.candidates[which];
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    volt_search_options options = volt_identify_search_options(run, how.rows->U.rows);
    double began = volt_seconds(), seconds = identify_begin_stage(run, candidate->name, how.share);
    if (how.step > 0 && candidate->kernel[0] == '\0')
        return VOLT_OK;
    options.seconds = run->options.draws > 0 || how.divisor == 0 ? 0 : seconds;
    options.draws = how.divisor == 0 ? 1 : volt_max(run->options.draws / how.divisor, run->options.draws > 0);
    options.strategy = how.step > 0 ? VOLT_STRATEGY_CMA : VOLT_STRATEGY_ADAPTIVE;
    options.progress = identify_progress(run);
    options.records = how.rows->records;
    options.n_records = how.rows->n_records;
    volt_status status = draw_candidates(run, which, &how, &candidates);
    if (!status)
        status = volt_search_run(candidates, how.rows->U, how.rows->Y, &options, &search);
    if (status != VOLT_ERR_CANCELLED)
        keep_trial(search, candidate);
    candidate->seconds += volt_seconds() - began;
    volt_search_free(search);
    volt_candidates_free(candidates);
    return status == VOLT_ERR_DATA ? VOLT_OK : status;
}

/* ---- stages ----------------------------------------------------------------------------------- */

static bool identify_has_score(const volt_identify_candidate *candidate)
{
    return isfinite(candidate->nmse) != 0;
}

bool volt_identify_is_better(const volt_identify_candidate *one, const volt_identify_candidate *other)
{
    for (int64_t b = 0; b < VOLT_IDENTIFY_BLOCKS; b++)
        if (!(one->block_nmse[b] < other->block_nmse[b]))
            return false;
    return identify_has_score(one);
}

/* Number of the best candidate of first .. end - 1 other than `skipped`; -1: none has a score. */
static int64_t identify_best_of(const volt_identification *found, int64_t first, int64_t end, int64_t skipped)
{
    int64_t best = -1;
    for (int64_t i = first; i < end; i++)
        if (i != skipped && identify_has_score(&found->candidates[i]) &&
            (best < 0 || found->candidates[i].nmse < found->candidates[best].nmse))
            best = i;
    return best;
}

/* The best two nonlinear families; -1: there is none. */
static void best_two(const volt_identification *found, int64_t best[2])
{
    best[0] = identify_best_of(found, VOLT_IDENTIFY_LINEAR, VOLT_IDENTIFY_CANDIDATES, -1);
    best[1] = identify_best_of(found, VOLT_IDENTIFY_LINEAR, VOLT_IDENTIFY_CANDIDATES, best[0]);
}

/* Reports a budget in which no trial of a nonlinear family is expected to end. */
static volt_status check_budget(const volt_identify_state *run, const model_rows *rows)
{
    double seconds = 0, left = fmax(0, run->options.seconds - (volt_seconds() - run->began));
    double part = left * explore_share / run->shares;
    if (run->options.draws > 0)
        return VOLT_OK;
    VOLT_TRY(volt_identify_trial_seconds(run, rows->U.rows, &seconds));
    if (seconds > part)
        volt_log(VOLT_LOG_WARNING,
                 "a trial of a nonlinear model is expected to take about %.2g s, and the budget of %g s leaves "
                 "%.2g s for each family: the model may be linear for lack of time; increase the budget",
                 seconds, run->options.seconds, part);
    return VOLT_OK;
}

/* Scores a linear candidate with the present initial input. */
static volt_status score_linear(volt_identify_state *run, int64_t which, const model_rows *rows)
{
    run->found.candidates[which].nmse = INFINITY;
    return search_family(run, which, (attempt){.rows = rows, .step = polish_step});
}

/* The inputs before the first row of a record are its first row if the linear model without feedback, whose memory is the
 * longest, is then clearly better on every block. */
static volt_status choose_initial(volt_identify_state *run, const model_rows *rows)
{
    volt_identify_candidate *one = &run->found.candidates[0], zero = *one;
    if (!identify_has_score(one))
        return VOLT_OK;
    run->found.initial = VOLT_INITIAL_FIRST;
    VOLT_TRY(score_linear(run, 0, rows));
    zero.trials = one->trials;
    zero.seconds = one->seconds;
    if (volt_identify_is_better(one, &zero) && clearly_better * one->nmse <= zero.nmse)
        return score_linear(run, 1, rows);
    run->found.initial = VOLT_INITIAL_ZERO;
    *one = zero;
    return VOLT_OK;
}

/* The first trial of a linear family has no time limit: the other models are compared with it. */
static volt_status explore(volt_identify_state *run, const model_rows *rows)
{
    const volt_identify_candidate *candidates = run->found.candidates;
    for (int64_t i = 0; i < VOLT_IDENTIFY_LINEAR; i++) {
        VOLT_TRY(search_family(run, i, (attempt){.rows = rows, .divisor = 1, .share = linear_share}));
        if (candidates[i].trials == 0)
            VOLT_TRY(search_family(run, i, (attempt){.rows = rows}));
    }
    VOLT_REQUIRE(identify_best_of(&run->found, 0, VOLT_IDENTIFY_LINEAR, -1) >= 0, VOLT_ERR_DATA,
                 "no linear model has a score after %" PRId64 " trials: check the data",
                 candidates[0].trials + candidates[1].trials);
    VOLT_TRY(choose_initial(run, rows));
    VOLT_TRY(check_budget(run, rows));
    for (int64_t i = VOLT_IDENTIFY_LINEAR; i < VOLT_IDENTIFY_CANDIDATES; i++)
        VOLT_TRY(search_family(run, i, (attempt){.rows = rows, .divisor = 1, .share = explore_share}));
    return VOLT_OK;
}

/* Both families have one long run if they are close: one with more parameters may be behind until late. */
static volt_status refine(volt_identify_state *run, const model_rows *rows)
{
    const volt_identification *found = &run->found;
    int64_t best[2];
    best_two(found, best);
    if (best[0] < 0)
        return VOLT_OK;
    attempt how = {.rows = rows, .step = refine_step, .divisor = 1, .share = refine_share};
    if (best[1] >= 0 && found->candidates[best[1]].nmse < close_share * found->candidates[best[0]].nmse) {
        how.share /= 2;
        VOLT_TRY(search_family(run, best[1], how));
    }
    return search_family(run, best[0], how);
}

/* Scores all candidates on the rows, and refines the linear ones and the best two others there. */
static volt_status compare(volt_identify_state *run, const model_rows *rows)
{
    volt_identification *found = &run->found;
    int64_t best[2];
    attempt how = {.rows = rows, .step = polish_step, .share = compare_share / VOLT_IDENTIFY_CANDIDATES};
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++) {
        found->candidates[i].nmse = INFINITY;
        VOLT_TRY(search_family(run, i, how));
    }
    VOLT_REQUIRE(identify_best_of(found, 0, VOLT_IDENTIFY_LINEAR, -1) >= 0, VOLT_ERR_DATA,
                 "no linear model has a score on %" PRId64 " rows: check the data", rows->U.rows);
    how.divisor = POLISH_DIVISOR;
    how.share = polish_share / 6;
    for (int64_t i = 0; i < VOLT_IDENTIFY_LINEAR; i++)
        VOLT_TRY(search_family(run, i, how));
    best_two(found, best);
    if (best[1] >= 0)
        VOLT_TRY(search_family(run, best[1], how));
    how.share *= 3;
    return best[0] >= 0 ? search_family(run, best[0], how) : VOLT_OK;
}

/* The best-excited rows among those of the search. Every input has its weight from all these. */
static volt_status shorten(const volt_identify_state *run, const model_rows *whole, int64_t count,
                           model_rows *part)
{
    int64_t first = volt_identify_stretch(run->search_U, run->search_Y, count, NULL);
    part->U = volt_view_rows(whole->U, first, count);
    part->Y = volt_view_rows(whole->Y, first, count);
    return identify_records(run, run->found.search_begin + first, count, &part->records, &part->n_records);
}

/* All rows of the search. */
static volt_status take_rows(const volt_identify_state *run, model_rows *whole)
{
    volt_fit_options options = identify_fit_options(run);
    *whole = (model_rows){run->search_U, run->search_Y, run->search_records, run->n_records, NULL};
    if (!options.scale_each)
        return VOLT_OK;
    VOLT_TRY(volt_prepare(run->search_U, run->search_Y, &options, run->search_U.rows, &whole->prepared));
    whole->U = whole->prepared->X;
    return VOLT_OK;
}

/* Searches all families on the rows of the search, and finds the better linear one. */
static volt_status identify_search(volt_identify_state *run)
{
    volt_identification *found = &run->found;
    model_rows whole, part;
    bool has_levels = found->search_rows >= MIN_LONG, refines = found->search_rows >= CMA_ROWS;
    if (!refines)
        run->shares -= refine_share;
    if (!has_levels)
        run->shares -= compare_share + polish_share;
    VOLT_TRY(take_rows(run, &whole));
    part = whole;
    volt_status status = has_levels ? shorten(run, &whole, SHORT_ROWS, &part) : VOLT_OK;
    if (!status)
        status = explore(run, &part);
    if (!status && refines)
        status = refine(run, &part);
    if (!status && has_levels)
        status = compare(run, &whole);
    if (has_levels)
        volt_free(part.records);
    volt_prepared_free(whole.prepared);
    found->best_linear = identify_best_of(found, 0, VOLT_IDENTIFY_LINEAR, -1);
    return status;
}

/* Fits a candidate on the training rows first .. first + count - 1. */
static volt_status identify_fit(volt_identify_state *run, const volt_identify_candidate *candidate,
                                int64_t first, int64_t count, volt_model **model)
{
    volt_kernel *kernel = NULL;
    int64_t *records = NULL;
    volt_fit_options options = identify_fit_options(run);
    options.alpha = candidate->alpha;
    options.feedback_weight = candidate->feedback_weight;
    options.input_names = run->options.input_names;
    options.output_names = run->options.output_names;
    options.times = run->options.times;
    options.n_times = run->options.times ? first + count : 0;
    options.progress = identify_progress(run);
    VOLT_TRY(identify_records(run, first, count, &records, &options.n_records));
    options.records = records;
    volt_status status = volt_kernel_parse(candidate->kernel, &kernel);
    if (!status)
        status =
            volt_model_fit(kernel, volt_view_rows(run->U, first, count), volt_view_rows(run->Y, first, count),
                           &options, volt_matrix_of(NULL, 0, 0), model);
    volt_kernel_free(kernel);
    volt_free(records);
    return status;
}

/* ---- validation --------------------------------------------------------------------------------- */

/* Free runs of the candidates of an identification beyond their scores.
 *
 * Every candidate is fitted on the rows of the search before the last validation block and simulates the block
 * twice: with the measured inputs u, and with mean + 1.3 (u - mean). It is also fitted on the rows before the first
 * block, and simulates all blocks in one run. With the nonlinear model f and linear g,
 *
 *     growth   root mean squared error of the last third of the first run over that of its first third
 *     excess   |f - g| / max(|g - m|, |y - m|) on the second run: root mean squares over the rows, m the
 *              mean of the training outputs y; the largest of all outputs
 *     long run |f - y| / |g - y| on the run over all blocks: root of the mean ratio of squares over the outputs
 *
 * A nonlinear candidate is rejected if one of the last two runs diverges, if its excess is larger than max_excess, or if
 * its long run is not below 1 - 1/sqrt(m), with m rows: errors that grow slowly do not show in short blocks, and a search
 * of many trials finds small advantages in blocks by chance. 1/sqrt(m) is the standard error of the ratio of two root mean
 * squares of m independent normal errors. */

static const double scaling = 1.3, max_excess = 3;

/* Rows of the check_validation, and the linear run. */
typedef struct check_validation {
    int64_t begin, end;        /* the last block, rows of the training part ... */
    int64_t first;             /* ... and the first row of the first one */
    volt_identify_data scaled; /* training rows with scaled inputs in the block */
    double *inputs;            /* of `scaled`: given rows x d */
    double *linear;            /* run of the linear model with scaled inputs: (end - begin) x q */
    double *outputs;           /* of a run, at most over all blocks */
    double *errors;            /* root mean squared errors of the linear model in the long run: q */
} check_validation;

/* Inputs of all given rows; those of the block are scaled about the mean of the rows before it. */
static void scale_inputs(const volt_identify_state *run, check_validation *c)
{
    volt_view U = run->given.U;
    int64_t first = run->found.search_begin, d = U.cols;
    for (int64_t t = 0; t < U.rows; t++)
        memcpy(c->inputs + t * d, U.data + t * U.ld, (size_t)d * sizeof *c->inputs);
    for (int64_t j = 0; j < d; j++) {
        double mean = 0;
        for (int64_t t = first; t < c->begin; t++)
            mean += (U.data[t * U.ld + j] - mean) / (double)(t - first + 1);
        for (int64_t t = c->begin; t < c->end; t++)
            c->inputs[t * d + j] = mean + scaling * (U.data[t * U.ld + j] - mean);
    }
    c->scaled = run->given;
    c->scaled.U = volt_view_of(c->inputs, U.rows, d);
}

static volt_status begin_check(const volt_identify_state *run, check_validation *c)
{
    int64_t rows = run->found.search_rows, block = rows / VOLT_IDENTIFY_BLOCK_SHARE, q = run->Y.cols;
    c->end = run->found.search_begin + rows;
    c->begin = c->end - block;
    c->first = c->end - VOLT_IDENTIFY_BLOCKS * block;
    c->inputs = volt_alloc_doubles(run->given.U.rows, run->given.U.cols);
    c->linear = volt_alloc_doubles(block, q);
    c->outputs = volt_alloc_doubles(VOLT_IDENTIFY_BLOCKS * block, q);
    c->errors = volt_alloc_doubles(1, q);
    if (!c->inputs || !c->linear || !c->outputs || !c->errors)
        return VOLT_ERR_MEMORY;
    scale_inputs(run, c);
    return VOLT_OK;
}

static void end_check(check_validation *c)
{
    volt_free(c->inputs);
    volt_free(c->linear);
    volt_free(c->outputs);
    volt_free(c->errors);
}

/* Root mean squared error of the rows first .. last - 1 of the block; NaN without simulated rows. */
static double error_of(const volt_identify_state *run, const check_validation *c, int64_t first, int64_t last)
{
    volt_view Y = run->given.Y;
    volt_squares squares = {0};
    int64_t count = 0;
    for (int64_t t = first; t < last; t++)
        for (int64_t k = 0; k < Y.cols; k++) {
            double simulated = c->outputs[t * Y.cols + k];
            if (isnan(simulated))
                continue;
            volt_squares_add(&squares, simulated - Y.data[(c->begin + t) * Y.ld + k]);
            count++;
        }
    return count > 0 ? volt_squares_root_mean(&squares, count) : NAN;
}

/* The excess of the outputs f of the run, the largest of all outputs; NaN: unknown. */
static double excess_of(const volt_identify_state *run, const check_validation *c)
{
    volt_view Y = run->given.Y;
    double excess = NAN;
    for (int64_t k = 0; k < Y.cols; k++) {
        volt_squares apart = {0}, linear = {0}, measured = {0};
        double mean = 0;
        for (int64_t t = run->found.search_begin; t < c->begin; t++)
            mean += (Y.data[t * Y.ld + k] - mean) / (double)(t - run->found.search_begin + 1);
        for (int64_t t = 0; t < c->end - c->begin; t++) {
            double f = c->outputs[t * Y.cols + k], g = c->linear[t * Y.cols + k];
            if (isnan(f) || isnan(g))
                continue;
            volt_squares_add(&apart, f - g);
            volt_squares_add(&linear, g - mean);
            volt_squares_add(&measured, Y.data[(c->begin + t) * Y.ld + k] - mean);
        }
        double size = fmax(volt_squares_root(&linear), volt_squares_root(&measured));
        if (size > 0)
            excess = fmax(excess, volt_squares_root(&apart) / size); /* the first replaces NaN */
    }
    return excess;
}

/* Both runs of a fitted candidate. The first candidate checked is the linear one. */
static volt_status check_runs(volt_identify_state *run, check_validation *c, const volt_model *model,
                              bool is_reference, volt_identify_candidate *candidate)
{
    bool is_bounded = false;
    int64_t block = c->end - c->begin, third = block / 3, q = run->Y.cols;
    VOLT_TRY(volt_identify_simulate(run, model, &run->given, c->begin, c->end, true, c->outputs, &is_bounded));
    candidate->growth = error_of(run, c, block - third, block) / error_of(run, c, 0, third);
    VOLT_TRY(volt_identify_simulate(run, model, &c->scaled, c->begin, c->end, true, c->outputs, &is_bounded));
    if (is_reference)
        memcpy(c->linear, c->outputs, (size_t)(block * q) * sizeof *c->linear);
    candidate->excess = excess_of(run, c);
    candidate->is_rejected = !candidate->is_linear && (is_bounded || candidate->excess > max_excess);
    return VOLT_OK;
}

/* Root mean squared error of output k in the long run. */
static double long_run_error(const volt_identify_state *run, const check_validation *c, int64_t k)
{
    volt_view Y = run->given.Y;
    volt_squares squares = {0};
    int64_t count = 0;
    for (int64_t t = c->first; t < c->end; t++) {
        double simulated = c->outputs[(t - c->first) * Y.cols + k];
        if (isnan(simulated))
            continue;
        volt_squares_add(&squares, simulated - Y.data[t * Y.ld + k]);
        count++;
    }
    return volt_squares_root_mean(&squares, count);
}

/* The run of a candidate fitted on the rows before the first block over all blocks. */
static volt_status check_long_run(volt_identify_state *run, check_validation *c, const volt_model *model,
                                  bool is_reference, volt_identify_candidate *candidate)
{
    bool is_bounded = false;
    double sum = 0;
    int64_t q = run->Y.cols;
    VOLT_TRY(volt_identify_simulate(run, model, &run->given, c->first, c->end, true, c->outputs, &is_bounded));
    for (int64_t k = 0; k < q; k++) {
        double error = long_run_error(run, c, k);
        if (is_reference)
            c->errors[k] = error;
        sum += pow(error / c->errors[k], 2) / (double)q;
    }
    candidate->long_run = sqrt(sum);
    if (!candidate->is_linear &&
        (is_bounded || !(candidate->long_run < 1 - 1 / sqrt((double)(c->end - c->first)))))
        candidate->is_rejected = 1;
    return VOLT_OK;
}

typedef volt_status (*check_fn)(volt_identify_state *run, check_validation *c, const volt_model *model,
                                bool is_reference, volt_identify_candidate *candidate);

/* Fits a candidate on the rows of the search before `end` and checks it. */
static volt_status fit_and_check(volt_identify_state *run, check_validation *c, int64_t end, check_fn runs,
                                 bool is_reference, volt_identify_candidate *candidate)
{
    volt_model *model = NULL;
    int64_t begin = run->found.search_begin;
    volt_status status = identify_fit(run, candidate, begin, end - begin, &model);
    if (!status)
        status = runs(run, c, model, is_reference, candidate);
    volt_model_free(model);
    if (status == VOLT_ERR_MEMORY || status == VOLT_ERR_CANCELLED)
        return status;
    candidate->is_rejected |= status != VOLT_OK;
    return VOLT_OK;
}

static volt_status check_candidate(volt_identify_state *run, check_validation *c, bool is_reference,
                                   volt_identify_candidate *candidate)
{
    VOLT_TRY(fit_and_check(run, c, c->begin, check_runs, is_reference, candidate));
    return fit_and_check(run, c, c->first, check_long_run, is_reference, candidate);
}

volt_status volt_identify_validate(volt_identify_state *run)
{
    volt_identification *found = &run->found;
    check_validation c = {0};
    volt_status status = begin_check(run, &c);
    if (!status)
        status = check_candidate(run, &c, true, &found->candidates[found->best_linear]);
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES && !status; i++)
        if (i != found->best_linear && identify_has_score(&found->candidates[i]))
            status = check_candidate(run, &c, false, &found->candidates[i]);
    end_check(&c);
    return status;
}

/* ---- the identification ------------------------------------------------------------------------- */

enum {
    REFIT_ROWS = 6000, /* most rows of the model, with draws */
    LARGEST_REFIT = 20000,
    CHECK_ROWS = 20000, /* most rows of the data check: its time must not depend on the record */
};

/* Nonlinear models whose NMSE is at most this many times that of the best, 1.1 in RMSE, are averaged with it.
 * The error of the average is at most the mean of theirs. */
static const double close_nmse = 1.21;

/* A linear model with less than this share of the squared error of the model on the test rows is reported. */
static const double better_share = 0.8;

/* Shares of the time budget, of which the searches have identify_search_shares(). */
static const double final_share = 2.5;

volt_identify_options volt_identify_options_default(void)
{
    return (volt_identify_options){
        .struct_size = sizeof(volt_identify_options), .seconds = 300, .scale_each = 1};
}

/* ---- fit -------------------------------------------------------------------------------------- */

/* Most rows that n_fits fits of this kernel and their tests can have in these seconds (0: no limit) and the
 * memory. */
static volt_status count_fit_rows(const volt_identify_state *run, const volt_kernel *kernel, int64_t n_fits,
                                  double seconds, int64_t *rows)
{
    int64_t least = run->found.search_rows;
    int64_t most = volt_min(run->found.train_rows, run->options.draws > 0 ? REFIT_ROWS : LARGEST_REFIT);
    volt_plan plan = {.struct_size = sizeof plan};
    *rows = most;
    VOLT_TRY(volt_plan_fit(kernel, most, run->U.cols + run->Y.cols, run->Y.cols, 0, run->options.draws == 0,
                           &plan, NULL));
    for (; *rows > least; *rows = volt_max(least, *rows - *rows / 8)) {
        double part = (double)*rows / (double)most;
        double needed = (double)n_fits * (plan.gram_seconds * part * part + plan.factor_seconds * pow(part, 3) +
                                          plan.stream_seconds * part * (double)run->found.test_rows);
        bool fits = plan.n_that_fits == 0 || *rows <= plan.n_that_fits;
        if (fits && (run->options.draws > 0 || needed <= seconds))
            break;
    }
    return VOLT_OK;
}

/* Fits a candidate on the rows of the model. A model that feeds its outputs back must be stable there. */
static volt_status fit_candidate(volt_identify_state *run, const volt_identify_candidate *candidate,
                                 volt_model **model)
{
    VOLT_TRY(identify_fit(run, candidate, run->found.fit_begin, run->found.fit_rows, model));
    volt_status status = candidate->feedback_weight > 0 ? identify_check_stable(run, *model) : VOLT_OK;
    if (status) {
        volt_model_free(*model);
        *model = NULL;
    }
    return status;
}

/* Root mean squared errors on the test rows: of all outputs, and of each in run->output_tests. */
static volt_status test_model(volt_identify_state *run, const volt_model *model, bool is_linear, double *rmse,
                              bool *is_bounded)
{
    int64_t q = run->Y.cols;
    double *out = volt_alloc_doubles(run->test_end - run->test_begin, q);
    if (!out)
        return VOLT_ERR_MEMORY;
    volt_status status = identify_simulate_test(run, model, out, is_bounded);
    volt_squares errors = {0}, deviations = {0};
    for (int64_t k = 0; k < q && !status; k++) {
        volt_output_test *one = &run->output_tests[k];
        double *error = is_linear ? &one->linear_rmse : &one->rmse;
        identify_test_output(run, out, k, error, &one->std);
        volt_squares_add(&errors, *error);
        volt_squares_add(&deviations, one->std);
    }
    if (!status) {
        *rmse = volt_squares_root_mean(&errors, q);
        run->found.test_std = volt_squares_root_mean(&deviations, q);
    }
    volt_free(out);
    return status;
}

/* ---- choice ----------------------------------------------------------------------------------- */

/* Lists the candidates in the order of choice: nonlinear ones that are better than the linear model on every block and not
 * rejected, then the linear ones. */
static int64_t order_candidates(const volt_identification *found, int64_t order[VOLT_IDENTIFY_CANDIDATES])
{
    int64_t count = 0;
    for (int64_t i = VOLT_IDENTIFY_LINEAR; i < VOLT_IDENTIFY_CANDIDATES; i++) {
        if (!volt_identify_is_better(&found->candidates[i], &found->candidates[found->best_linear]) ||
            found->candidates[i].is_rejected)
            continue;
        int64_t at = count++;
        for (; at > 0 && found->candidates[i].nmse < found->candidates[order[at - 1]].nmse; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    order[count++] = found->best_linear;
    if (identify_has_score(&found->candidates[1 - found->best_linear]))
        order[count++] = 1 - found->best_linear;
    return count;
}

static bool is_final(volt_status status)
{
    return status == VOLT_OK || status == VOLT_ERR_CANCELLED || status == VOLT_ERR_MEMORY;
}

/* Fits candidates in order until one succeeds and is stable. */
static volt_status fit_first(volt_identify_state *run, const int64_t *order, int64_t count, int64_t *which,
                             volt_model **model)
{
    volt_status status = VOLT_ERR_DATA;
    for (int64_t i = 0; i < count; i++) {
        *which = order[i];
        status = fit_candidate(run, &run->found.candidates[order[i]], model);
        if (is_final(status))
            break;
    }
    return status;
}

/* Whether the candidate is averaged with the chosen one: order_candidates lists it. */
static bool is_close(const volt_identification *found, int64_t which, int64_t chosen)
{
    const volt_identify_candidate *one = &found->candidates[which], *best = &found->candidates[chosen];
    return which != chosen && !one->is_linear && !best->is_linear && one->nmse <= close_nmse * best->nmse;
}

/* Replaces the model of the chosen candidate by its average with those of close ones. One that cannot be fitted
 * or diverges is left out. */
static volt_status average_close(volt_identify_state *run, const int64_t *order, int64_t count,
                                 volt_model **model)
{
    volt_identification *found = &run->found;
    volt_model *members[VOLT_IDENTIFY_CANDIDATES] = {*model}, *sum = NULL;
    volt_status status = VOLT_OK;
    found->averaged[0] = found->chosen;
    found->n_averaged = 1;
    for (int64_t i = 0; i < count && !status; i++) {
        if (!is_close(found, order[i], found->chosen))
            continue;
        status = fit_candidate(run, &found->candidates[order[i]], &members[found->n_averaged]);
        if (!status)
            found->averaged[found->n_averaged++] = order[i];
        else if (!is_final(status))
            status = VOLT_OK;
    }
    if (!status && found->n_averaged > 1)
        status =
            volt_model_sum((const volt_model *const *)members, NULL, found->n_averaged, VOLT_SUM_AVERAGE, &sum);
    for (int64_t i = sum ? 0 : 1; i < found->n_averaged; i++)
        volt_model_free(members[i]);
    if (sum)
        *model = sum;
    else
        found->n_averaged = 1;
    return status;
}

/* Number of models of the average. */
static int64_t count_close(const volt_identification *found, const int64_t *order, int64_t count)
{
    int64_t close = 1;
    for (int64_t i = 1; i < count; i++)
        close += is_close(found, order[i], order[0]);
    return close;
}

/* Error of the chosen candidate, and of the model, which may be an average. */
static volt_status test_chosen(volt_identify_state *run, const int64_t *order, int64_t count,
                               volt_model **model)
{
    volt_identification *found = &run->found;
    bool is_bounded = false;
    VOLT_TRY(test_model(run, *model, false, &found->candidates[found->chosen].test_rmse, &is_bounded));
    found->test_rmse = found->candidates[found->chosen].test_rmse;
    VOLT_TRY(average_close(run, order, count, model));
    if (found->n_averaged > 1)
        VOLT_TRY(test_model(run, *model, false, &found->test_rmse, &is_bounded));
    if (is_bounded)
        identify_warn(found, (volt_warning){.code = VOLT_WARNING_RUN_BOUNDED});
    return VOLT_OK;
}

/* Fits and tests the chosen model or average, and the linear one. */
static volt_status finish(volt_identify_state *run, volt_model **model)
{
    volt_identification *found = &run->found;
    int64_t order[VOLT_IDENTIFY_CANDIDATES], rows = 0, count = order_candidates(found, order);
    volt_kernel *kernel = NULL;
    volt_model *linear = NULL;
    double seconds = identify_begin_stage(run, "fit and test", run->shares);
    VOLT_TRY(volt_kernel_parse(found->candidates[order[0]].kernel, &kernel));
    volt_status status = count_fit_rows(run, kernel, 1 + count_close(found, order, count), seconds, &rows);
    volt_kernel_free(kernel);
    VOLT_TRY(status);
    identify_place_fit(run, rows);
    VOLT_TRY(fit_first(run, order, count, &found->chosen, model));
    VOLT_TRY(test_chosen(run, order, count, model));
    found->linear_test_rmse = found->test_rmse;
    if (found->candidates[found->chosen].is_linear) {
        found->best_linear = found->chosen;
        for (int64_t k = 0; k < run->Y.cols; k++)
            run->output_tests[k].linear_rmse = run->output_tests[k].rmse;
        return VOLT_OK;
    }
    int64_t linears = 1 + (order[count - 1] == 1 - found->best_linear);
    status = fit_first(run, order + count - linears, linears, &found->best_linear, &linear);
    bool is_bounded = false;
    if (!status)
        status = test_model(run, linear, true, &found->candidates[found->best_linear].test_rmse, &is_bounded);
    found->linear_test_rmse = found->candidates[found->best_linear].test_rmse;
    volt_model_free(linear);
    return is_final(status) ? status : VOLT_OK; /* without a linear model to compare with */
}

/* Data check, on the best excited stretch of many rows. */
static volt_status check_data(volt_identify_state *run)
{
    int64_t rows = volt_min(run->found.train_rows, CHECK_ROWS), first = 0;
    volt_records records = {0};
    if (rows < run->found.train_rows)
        first = volt_identify_stretch(run->U, run->Y, rows, NULL);
    VOLT_TRY(volt_records_from(&run->given.records, first, &records));
    volt_status status =
        volt_identify_check(volt_view_rows(run->U, first, rows), volt_view_rows(run->Y, first, rows), &records,
                            &run->options, first, identify_progress(run), &run->found);
    volt_records_release(&records);
    return status;
}

/* All stages after the options are read. */
static volt_status run_stages(volt_identify_state *run, volt_view U, volt_view Y, volt_model **model)
{
    volt_identification *found = &run->found;
    double whole = identify_search_shares() + final_share;
    found->struct_size = sizeof *found;
    found->scale_each = run->options.scale_each && U.cols > 1;
    volt_identify_begin_candidates(found);
    run->shares = whole;
    snprintf(run->stage, sizeof run->stage, "data check");
    VOLT_TRY(volt_identify_take_rows(run, U, Y));
    VOLT_TRY(check_data(run));
    VOLT_TRY(volt_identify_choose_search_rows(run, polish_share / whole));
    VOLT_TRY(identify_search(run));
    VOLT_TRY(volt_identify_validate(run));
    VOLT_TRY(finish(run, model));
    double chosen = found->candidates[found->chosen].nmse;
    double linear = pow(found->linear_test_rmse / found->test_rmse, 2);
    if (!(chosen < 1))
        identify_warn(found, (volt_warning){.code = VOLT_WARNING_WORSE_THAN_CONSTANT, .value = chosen});
    if (linear < better_share)
        identify_warn(found, (volt_warning){.code = VOLT_WARNING_BETTER_LINEAR, .value = linear});
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
        if (!identify_has_score(&found->candidates[i])) {
            found->candidates[i].nmse = NAN;
            for (int64_t b = 0; b < VOLT_IDENTIFY_BLOCKS; b++)
                found->candidates[i].block_nmse[b] = NAN;
        }
    found->seconds = volt_seconds() - run->began;
    return VOLT_OK;
}

volt_status volt_identify(volt_view U, volt_view Y, const volt_identify_options *options, volt_model **model,
                          volt_identification *result)
{
    volt_identify_state run = {.options = volt_identify_options_default(), .began = volt_seconds()};
    volt_model *made = NULL;
    VOLT_REQUIRE(model && result, VOLT_ERR_ARGUMENT, "the output for the model or the result is NULL");
    VOLT_TRY(volt_options_take(&run.options, sizeof run.options, options, "volt_identify_options"));
    volt_status status = run_stages(&run, U, Y, &made);
    if (!status)
        status = volt_result_copy(result, &run.found, sizeof run.found, "volt_identification");
    if (!status && run.options.output_tests)
        memcpy(run.options.output_tests, run.output_tests, (size_t)Y.cols * sizeof *run.output_tests);
    volt_identify_release_rows(&run);
    if (status) {
        volt_model_free(made);
        return status;
    }
    *model = made;
    return VOLT_OK;
}

/* ---- diagnosis ---------------------------------------------------------------------------------- */

/* Diagnosis of an identified model, see docs/math.md (Diagnosis of a model). */

enum {
    CORRELATION_LAGS = 41,
    LONGEST_SEGMENT = 512,
    SHORTEST_SEGMENT = 16,
    RESPONSE_LAGS = 400,
    BAND_ROWS = 3000, /* most rows of a model for standard deviations of its kernels ... */
    SHARE_ROWS = 6000 /* ... and for shares of the orders */
};

static const double pi = 3.14159265358979323846, normal_95 = 1.959963984540054;

typedef struct diagnosing {
    volt_identify_state *run;
    volt_diagnosis *made;
    double *measured, *simulated, *autocorrelation, *cross, *cross_bounds, *frequencies, *gain, *phase,
        *coherence, *model_gain, *model_phase, *beyond;
    int64_t *below, *above;
    int *exponents; /* of the columns of value_at */
    int64_t length; /* of segments */
    volt_view fit_U, fit_Y;
} diagnosing;

/* ---- correlations ----------------------------------------------------------------------------- */

static double residual_at(const diagnosing *self, int64_t t, int64_t k)
{
    int64_t q = self->made->q;
    return self->measured[t * q + k] - self->simulated[t * q + k];
}

static double input_at(const diagnosing *self, int64_t t, int64_t i)
{
    volt_view U = self->run->test->U;
    return U.data[(self->run->test_begin + t) * U.ld + i];
}

/* A column of the test rows: residual k (column < q) or input column - q, in units of its power of two. NaN where there is no
 * residual. */
static double value_at(const diagnosing *self, int64_t t, int64_t column)
{
    int64_t q = self->made->q;
    double residual = residual_at(self, t, column < q ? column : 0);
    double value = column < q || isnan(residual) ? residual : input_at(self, t, column - q);
    return ldexp(value, -self->exponents[column]);
}

/* As volt_column_exponent. */
static volt_status find_exponents(diagnosing *self)
{
    int64_t columns = self->made->q + self->made->d;
    self->exponents = volt_alloc_zero(columns, sizeof *self->exponents);
    if (!self->exponents)
        return VOLT_ERR_MEMORY;
    for (int64_t column = 0; column < columns; column++) {
        double largest = 0;
        for (int64_t t = 0; t < self->made->rows; t++)
            largest = fmax(largest, fabs(value_at(self, t, column)));
        frexp(largest, &self->exponents[column]);
    }
    return VOLT_OK;
}

/* Mean of a column over the rows with residuals; *count of them. */
static double mean_at(const diagnosing *self, int64_t column, int64_t *count)
{
    double sum = 0;
    *count = 0;
    for (int64_t t = 0; t < self->made->rows; t++) {
        double value = value_at(self, t, column);
        if (isnan(value))
            continue;
        sum += value;
        ++*count;
    }
    return *count > 0 ? sum / (double)*count : 0;
}

/* Sum of the products of the deviations of `first` at t and of `second` at t - lag, within records. */
static double lagged_products(const diagnosing *self, int64_t first, int64_t second, int64_t lag)
{
    const volt_identify_state *run = self->run;
    int64_t count, offset = run->test_begin;
    double sum = 0, first_mean = mean_at(self, first, &count), second_mean = mean_at(self, second, &count);
    for (int64_t begin = offset, end; begin < run->test_end; begin = end) {
        end = volt_records_segment_end(&run->test->records, begin, run->test_end);
        for (int64_t t = begin + lag; t < end; t++) {
            double a = value_at(self, t - offset, first), b = value_at(self, t - lag - offset, second);
            if (!isnan(a) && !isnan(b))
                sum += (a - first_mean) * (b - second_mean);
        }
    }
    return sum;
}

/* Correlations of the residuals with themselves and with the inputs before them. Bound of the latter by Bartlett's
 * formula: the variance of a correlation of independent series is sum_j r_e(j) r_u(j) / n. */
static void correlate(diagnosing *self)
{
    int64_t q = self->made->q, d = self->made->d, lags = self->made->lags, count;
    for (int64_t k = 0; k < q; k++) {
        double *r = self->autocorrelation + k * lags, power = lagged_products(self, k, k, 0);
        mean_at(self, k, &count);
        for (int64_t lag = 0; lag < lags; lag++)
            r[lag] = power > 0 ? lagged_products(self, k, k, lag) / power : 0;
        for (int64_t i = 0; i < d; i++) {
            double input = lagged_products(self, q + i, q + i, 0), sum = 1;
            for (int64_t lag = 0; lag < lags; lag++) {
                double scale = sqrt(power * input);
                self->cross[(k * d + i) * lags + lag] =
                    scale > 0 ? lagged_products(self, k, q + i, lag) / scale : 0;
                if (lag > 0 && input > 0)
                    sum += 2 * r[lag] * lagged_products(self, q + i, q + i, lag) / input;
            }
            self->cross_bounds[k * d + i] = normal_95 * sqrt(fmax(1, sum) / (double)count);
        }
        self->made->autocorrelation_bound = normal_95 / sqrt((double)count);
    }
}

/* ---- ranges ----------------------------------------------------------------------------------- */

static void compare_ranges(diagnosing *self)
{
    const volt_identify_state *run = self->run;
    int64_t d = self->made->d, q = self->made->q;
    for (int64_t column = 0; column < d + q; column++) {
        volt_view rows = column < d ? self->fit_U : self->fit_Y;
        volt_view test = column < d ? run->test->U : run->test->Y;
        int64_t k = column < d ? column : column - d;
        double low = INFINITY, high = -INFINITY, most = 0;
        for (int64_t t = 0; t < rows.rows; t++) {
            low = fmin(low, rows.data[t * rows.ld + k]);
            high = fmax(high, rows.data[t * rows.ld + k]);
        }
        self->below[column] = self->above[column] = 0;
        for (int64_t t = run->test_begin; t < run->test_end; t++) {
            double value = test.data[t * test.ld + k];
            self->below[column] += value < low;
            self->above[column] += value > high;
            most = fmax(most, fmax(low - value, value - high));
        }
        self->beyond[column] = most > 0 ? most / (high - low) : 0;
    }
}

/* ---- frequency response ----------------------------------------------------------------------- */

static volt_status estimate_response(diagnosing *self)
{
    volt_diagnosis *made = self->made;
    int64_t d = made->d, q = made->q, bins = made->bins;
    volt_spectrum *spectrum = NULL;
    if (bins == 0)
        return VOLT_OK;
    double complex *H = volt_alloc_zero(q * d, sizeof *H);
    double *power = volt_alloc_doubles(2, q);
    volt_status status =
        H && power ? volt_spectrum_create(self->fit_U, self->fit_Y, self->length, &spectrum) : VOLT_ERR_MEMORY;
    for (int64_t b = 0; b < bins && !status; b++) {
        int is_known = volt_spectrum_response(spectrum, b, H, power, power + q);
        self->frequencies[b] = (double)(b + 1) / (double)self->length;
        for (int64_t k = 0; k < q; k++) {
            self->coherence[k * bins + b] =
                is_known && power[k] > 0 ? fmax(0, 1 - power[q + k] / power[k]) : NAN;
            for (int64_t i = 0; i < d; i++) {
                int64_t at = (k * d + i) * bins + b;
                self->gain[at] = is_known ? cabs(H[k * d + i]) : NAN;
                self->phase[at] = is_known ? carg(H[k * d + i]) * 180 / pi : NAN;
            }
        }
    }
    volt_spectrum_free(spectrum);
    volt_free(H);
    volt_free(power);
    return status;
}

/* Linear part G(f) = sum_m g1[m] exp(-2 pi i f m), for all inputs of the expansion. With feedback these include the outputs of
 * the row before: H = (I - exp(-2 pi i f) G_y)^-1 G_u. */
static void linear_response(diagnosing *self, const volt_explanation *e, double complex *G, double complex *A,
                            double complex *H)
{
    int64_t d = self->made->d, q = self->made->q, bins = self->made->bins;
    for (int64_t b = 0; b < bins; b++) {
        double complex turn = cexp(-2 * pi * I * self->frequencies[b]);
        for (int64_t k = 0; k < q; k++)
            for (int64_t i = 0; i < e->d; i++) {
                double complex sum = 0, power = 1;
                for (int64_t m = 0; m < e->lags; m++, power *= turn)
                    sum += e->kernels[0][(k * e->lags + m) * e->d + i] * power;
                G[k * e->d + i] = sum;
            }
        for (int64_t k = 0; k < q; k++) {
            for (int64_t j = 0; j < q; j++)
                A[k * q + j] = (k == j) - (e->d > d ? turn * G[k * e->d + d + j] : 0);
            for (int64_t i = 0; i < d; i++)
                H[k * d + i] = G[k * e->d + i];
        }
        int is_known = volt_solve_complex(q, d, A, H);
        for (int64_t k = 0; k < q * d; k++) {
            self->model_gain[k * bins + b] = is_known ? cabs(H[k]) : NAN;
            self->model_phase[k * bins + b] = is_known ? carg(H[k]) * 180 / pi : NAN;
        }
    }
}

static bool is_fatal(volt_status status)
{
    return status == VOLT_ERR_MEMORY || status == VOLT_ERR_CANCELLED;
}

/* A kernel without a power series has neither a linear part nor a Volterra series. */
static volt_status explain(diagnosing *self, const volt_model *model)
{
    int64_t d = self->made->d, q = self->made->q, rows = self->fit_U.rows;
    volt_explanation *linear = NULL, *series = NULL;
    volt_explain_options options = volt_explain_options_default();
    options.progress = identify_progress(self->run);
    options.band = rows <= BAND_ROWS;
    options.shares = rows <= SHARE_ROWS;
    volt_status status = volt_model_explain(model, &options, &series);
    self->made->explanation = series;
    if (status)
        return is_fatal(status) ? status : VOLT_OK;
    options.order = 1;
    options.lags = volt_max(1, volt_min(RESPONSE_LAGS, rows / 2));
    options.band = options.shares = 0;
    status = self->made->bins > 0 ? volt_model_explain(model, &options, &linear) : VOLT_ERR_DATA;
    if (status)
        return is_fatal(status) ? status : VOLT_OK;
    double complex *work = volt_alloc(q * linear->d + q * q + q * d, sizeof *work);
    if (work) {
        linear_response(self, linear, work, work + q * linear->d, work + q * linear->d + q * q);
        self->made->model_gain = self->model_gain;
        self->made->model_phase = self->model_phase;
    }
    status = work ? VOLT_OK : VOLT_ERR_MEMORY;
    volt_free(work);
    volt_explanation_free(linear);
    return status;
}

/* ---- all -------------------------------------------------------------------------------------- */

/* Takes `count` numbers from *rest. */
static double *take(double **rest, int64_t count)
{
    double *taken = *rest;
    *rest += count;
    return taken;
}

/* Shapes and memory; the numbers are one block, which begins at `measured`. */
static volt_status allocate(diagnosing *self)
{
    volt_diagnosis *made = self->made;
    int64_t d = made->d, q = made->q, lags = made->lags, bins = made->bins, n = made->rows;
    double *rest = volt_alloc_doubles(
        2 * n * q + q * lags + q * d * (lags + 1) + bins + 4 * q * d * bins + q * bins + d + q, 1);
    made->measured = self->measured = rest;
    made->below = self->below = volt_alloc(2 * (d + q), sizeof *self->below);
    if (!rest || !self->below)
        return VOLT_ERR_MEMORY;
    made->above = self->above = self->below + d + q;
    take(&rest, n * q);
    made->simulated = self->simulated = take(&rest, n * q);
    made->autocorrelation = self->autocorrelation = take(&rest, q * lags);
    made->cross_correlation = self->cross = take(&rest, q * d * lags);
    made->cross_bounds = self->cross_bounds = take(&rest, q * d);
    made->frequencies = self->frequencies = take(&rest, bins);
    made->gain = self->gain = take(&rest, q * d * bins);
    made->phase = self->phase = take(&rest, q * d * bins);
    self->model_gain = take(&rest, q * d * bins);
    self->model_phase = take(&rest, q * d * bins);
    made->coherence = self->coherence = take(&rest, q * bins);
    made->beyond = self->beyond = take(&rest, d + q);
    return VOLT_OK;
}

/* At least eight segments for every estimated number. */
static int64_t choose_length(int64_t rows, int64_t d)
{
    int64_t length = volt_power_of_two(volt_max(1, volt_min(LONGEST_SEGMENT, 2 * rows / (8 * d + 1))));
    return length >= SHORTEST_SEGMENT ? length : 0;
}

static volt_status diagnose(diagnosing *self, const volt_model *model)
{
    volt_identify_state *run = self->run;
    volt_view Y = run->test->Y;
    bool is_bounded = false;
    VOLT_TRY(allocate(self));
    for (int64_t t = 0; t < self->made->rows; t++)
        for (int64_t k = 0; k < self->made->q; k++)
            self->measured[t * self->made->q + k] = Y.data[(run->test_begin + t) * Y.ld + k];
    VOLT_TRY(identify_simulate_test(run, model, self->simulated, &is_bounded));
    VOLT_TRY(find_exponents(self));
    correlate(self);
    compare_ranges(self);
    VOLT_TRY(estimate_response(self));
    return explain(self, model);
}

volt_status volt_identify_diagnose(volt_view U, volt_view Y, const volt_identify_options *options,
                                   const volt_model *model, const volt_identification *found,
                                   volt_diagnosis **diagnosis)
{
    volt_identify_state run = {.options = volt_identify_options_default(), .fraction = 1, .stage = "diagnosis"};
    diagnosing self = {.run = &run};
    VOLT_REQUIRE(model && found && diagnosis, VOLT_ERR_ARGUMENT, "the model, the result or the output is NULL");
    VOLT_TRY(volt_options_take(&run.options, sizeof run.options, options, "volt_identify_options"));
    self.made = volt_alloc_zero(1, sizeof *self.made);
    if (!self.made)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_identify_take_rows(&run, U, Y);
    if (!status && (found->fit_begin < 0 || found->fit_rows < 1 || found->train_rows != run.found.train_rows ||
                    found->fit_begin + found->fit_rows > run.found.train_rows))
        status = volt_fail(VOLT_ERR_ARGUMENT, "the result is not that of these rows");
    if (!status) {
        run.found.fit_begin = found->fit_begin;
        run.found.fit_rows = found->fit_rows;
        self.fit_U = volt_view_rows(run.U, found->fit_begin, found->fit_rows);
        self.fit_Y = volt_view_rows(run.Y, found->fit_begin, found->fit_rows);
        self.length = choose_length(found->fit_rows, U.cols);
        *self.made = (volt_diagnosis){.struct_size = sizeof *self.made,
                                      .d = U.cols,
                                      .q = Y.cols,
                                      .rows = run.test_end - run.test_begin,
                                      .first_row = run.test_begin,
                                      .bins = self.length / 2};
        self.made->lags = volt_max(1, volt_min(CORRELATION_LAGS, self.made->rows / 4));
        status = diagnose(&self, model);
    }
    volt_identify_release_rows(&run);
    volt_free(self.exponents);
    if (status) {
        volt_diagnosis_free(self.made);
        return status;
    }
    *diagnosis = self.made;
    return VOLT_OK;
}

void volt_diagnosis_free(volt_diagnosis *diagnosis)
{
    if (!diagnosis)
        return;
    volt_free((void *)diagnosis->measured);
    volt_free((void *)diagnosis->below);
    volt_explanation_free((volt_explanation *)diagnosis->explanation);
    volt_free(diagnosis);
}
