/* src/task/identify_check.c: data check of an identification, see docs/math.md (Data check). */
#include "task/identify_check.h"

#include "base/error.h"
#include "base/fft.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "stats/cross_spectrum.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum {
    FEW_CHANGES = 10,
    MOST_LAGS = 100,
    QUARTERS = 4,
    SPANS = 16,         /* increments of the outputs: over n / 16 rows */
    SPAN_INPUTS = 4,    /* most inputs of their regression */
    MOST_ROWS = 1 << 16 /* rows of a spectrum */
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

void volt_identify_warn(volt_identification *found, volt_warning warning)
{
    if (found->n_warnings < VOLT_IDENTIFY_WARNINGS)
        found->warnings[found->n_warnings++] = warning;
}

/* ---- ranges ----------------------------------------------------------------------------------- */

double volt_column_range(volt_view rows, int64_t column)
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
        double whole = volt_column_range(rows, k);
        if (whole > 0)
            product *= volt_column_range(volt_view_rows(rows, first, count), k) / whole;
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
            covered *= k < U.cols ? volt_column_range(volt_view_rows(U, first, count), k)
                                  : volt_column_range(volt_view_rows(Y, first, count), k - U.cols);
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
        VOLT_REQUIRE(volt_column_range(Y, k) > 0, VOLT_ERR_DATA,
                     "output %" PRId64 " is constant in the %" PRId64 " training rows", k + 1, Y.rows);
    for (int64_t k = 0; k < U.cols; k++)
        moving += volt_column_range(U, k) > 0;
    for (int64_t k = 0; k < Y.cols * U.cols; k++)
        VOLT_REQUIRE(!are_equal(U, k % U.cols, Y, k / U.cols), VOLT_ERR_DATA,
                     "output %" PRId64 " equals input %" PRId64
                     " in all training rows: remove it from the inputs",
                     k / U.cols + 1, k % U.cols + 1);
    VOLT_REQUIRE(moving > 0, VOLT_ERR_DATA,
                 "the inputs are constant in the %" PRId64 " training rows: there is no excitation", U.rows);
    for (int64_t k = 0; k < U.cols; k++)
        if (!(volt_column_range(U, k) > 0))
            volt_identify_warn(found, (volt_warning){.code = VOLT_WARNING_CONSTANT_INPUT, .series = k});
    for (int64_t t = 1; t < U.rows; t++) {
        bool changes = false;
        for (int64_t k = 0; k < U.cols && !volt_records_begins(records, t); k++)
            changes = changes || U.data[t * U.ld + k] != U.data[(t - 1) * U.ld + k];
        found->input_changes += changes;
    }
    if (found->input_changes < FEW_CHANGES)
        volt_identify_warn(found, (volt_warning){.code = VOLT_WARNING_LITTLE_EXCITATION,
                                                 .value = (double)found->input_changes});
    return VOLT_OK;
}

/* ---- delay ------------------------------------------------------------------------------------ */

double volt_column_mean(volt_view rows, int64_t column)
{
    double sum = 0;
    for (int64_t t = 0; t < rows.rows; t++)
        sum += rows.data[t * rows.ld + column] / (double)rows.rows;
    return sum;
}

double volt_column_variance(volt_view rows, int64_t column)
{
    double mean = volt_column_mean(rows, column), sum = 0;
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
    int64_t lags = volt_min(MOST_LAGS, U.rows / 4);
    for (int64_t i = 0; i < U.cols; i++)
        for (int64_t k = 0; k < Y.cols; k++) {
            double input = volt_column_mean(U, i), output = volt_column_mean(Y, k);
            double scale = sqrt(volt_column_variance(U, i) * volt_column_variance(Y, k)) * (double)U.rows;
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
        volt_identify_warn(found, (volt_warning){.code = VOLT_WARNING_UNEVEN_STEPS,
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
        double low = INFINITY, range = volt_column_range(rows, k);
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
        volt_identify_warn(found, (volt_warning){.code = VOLT_WARNING_SATURATED,
                                                 .series = output,
                                                 .value = found->output_at_extreme});
}

/* ---- frequencies of the inputs ---------------------------------------------------------------- */

/* (sum P)^2 / sum P^2 of the periodogram P, the smallest of all inputs that change: the number of sine waves of equal power. */
static volt_status count_lines(volt_view U, volt_identification *found)
{
    int64_t n = volt_power_of_two(volt_min(U.rows, MOST_ROWS));
    double complex *z = volt_alloc(n, sizeof *z);
    if (!z)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < U.cols; k++) {
        volt_view last = volt_view_rows(U, U.rows - n, n);
        double mean = volt_column_mean(last, k), sum = 0, squares = 0;
        for (int64_t t = 0; t < n; t++)
            z[t] = last.data[t * last.ld + k] - mean;
        volt_fft(z, n);
        for (int64_t b = 1; b <= n / 2; b++) {
            double power = creal(z[b] * conj(z[b]));
            sum += power;
            squares += power * power;
        }
        if (volt_column_range(U, k) > 0)
            found->input_lines = fmin(found->input_lines, squares > 0 ? sum * sum / squares : 0);
    }
    volt_free(z);
    if (found->input_lines < few_lines && found->input_changes >= FEW_CHANGES)
        volt_identify_warn(found,
                           (volt_warning){.code = VOLT_WARNING_FEW_FREQUENCIES, .value = found->input_lines});
    return VOLT_OK;
}

/* ---- drift and integration -------------------------------------------------------------------- */

/* Variance of all rows over the mean variance of four quarters, the largest of all columns. */
static double growth_of(volt_view rows)
{
    double most = 0;
    int64_t quarter = rows.rows / QUARTERS;
    for (int64_t k = 0; k < rows.cols; k++) {
        double within = 0, all = volt_column_variance(rows, k);
        for (int64_t i = 0; i < QUARTERS; i++)
            within += volt_column_variance(volt_view_rows(rows, i * quarter, quarter), k) / QUARTERS;
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
    double total = volt_column_variance(rows, d) * SPANS, explained = 0;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < c; j++) {
            double sum = 0, first = volt_column_mean(rows, i), second = volt_column_mean(rows, j);
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
        volt_identify_warn(found,
                           (volt_warning){.code = VOLT_WARNING_INTEGRATING, .value = found->integration});
    else if (drifts)
        volt_identify_warn(found, (volt_warning){.code = VOLT_WARNING_DRIFT, .value = found->output_growth});
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

static volt_status check(volt_view U, volt_view Y, const volt_records *records,
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
    return volt_identify_response(U, Y, records, begin, rows, progress, found);
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
        status = check(take_units(U, copies), take_units(Y, copies + U.rows * U.cols), records, options, first,
                       progress, found);
    volt_free(copies);
    return status;
}
