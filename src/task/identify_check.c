/* src/task/identify_check.c: data check of an identification: excitation, delay, drift, direction. */
#include "task/identify_check.h"

#include "base/error.h"
#include "base/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum { FEW_CHANGES = 10, MOST_LAGS = 100, DIRECTION_ROWS = 1000, QUARTERS = 4 };

/* A random walk has four times the variance of its quarters, a stationary output about the same. */
static const double drifting = 2.5, drifting_beside_input = 1.5;
/* The reverse direction must have less than this share of the error. */
static const double clearly_less = 0.5;

void volt_identify_warn(volt_identification *found, volt_warning warning)
{
    if (found->n_warnings < VOLT_IDENTIFY_WARNINGS)
        found->warnings[found->n_warnings++] = warning;
}

/* ---- ranges ----------------------------------------------------------------------------------- */

static double range_of(volt_view rows, int64_t column)
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
        double whole = range_of(rows, k);
        if (whole > 0)
            product *= range_of(volt_view_rows(rows, first, count), k) / whole;
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
    /* Products are compared without the ranges of all rows, which are common to them. */
    double most = -1;
    for (int64_t first = U.rows - count; first >= 0; first -= step) {
        double covered = 1;
        for (int64_t k = 0; k < U.cols + Y.cols; k++)
            covered *= k < U.cols ? range_of(volt_view_rows(U, first, count), k)
                                  : range_of(volt_view_rows(Y, first, count), k - U.cols);
        if (covered > most) {
            most = covered;
            best = first;
        }
    }
    if (product)
        *product = volt_identify_coverage(U, Y, best, count);
    return best;
}

/* ---- excitation ------------------------------------------------------------------------------- */

static volt_status check_excitation(volt_view U, volt_view Y, const volt_records *records,
                                    volt_identification *found)
{
    int64_t moving = 0;
    for (int64_t k = 0; k < Y.cols; k++)
        VOLT_REQUIRE(range_of(Y, k) > 0, VOLT_ERR_DATA,
                     "output %" PRId64 " is constant in the %" PRId64 " training rows", k + 1, Y.rows);
    for (int64_t k = 0; k < U.cols; k++)
        moving += range_of(U, k) > 0;
    VOLT_REQUIRE(moving > 0, VOLT_ERR_DATA,
                 "the inputs are constant in the %" PRId64 " training rows: there is no excitation", U.rows);
    for (int64_t k = 0; k < U.cols; k++)
        if (!(range_of(U, k) > 0))
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

static double mean_of(volt_view rows, int64_t column)
{
    double sum = 0;
    for (int64_t t = 0; t < rows.rows; t++)
        sum += rows.data[t * rows.ld + column] / (double)rows.rows;
    return sum;
}

static double variance_of(volt_view rows, int64_t column)
{
    double mean = mean_of(rows, column), sum = 0;
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
            double input = mean_of(U, i), output = mean_of(Y, k);
            double scale = sqrt(variance_of(U, i) * variance_of(Y, k)) * (double)U.rows;
            for (int64_t lag = 0; lag < lags && scale > 0; lag++) {
                double sum = lagged_sum(U, i, Y, k, records, lag, input, output);
                if (fabs(sum / scale) > fabs(found->correlation)) {
                    found->correlation = sum / scale;
                    found->delay = lag;
                }
            }
        }
}

/* ---- drift ------------------------------------------------------------------------------------ */

/* Variance of all rows over the mean variance of four quarters, the largest of all columns. */
static double growth_of(volt_view rows)
{
    double most = 0;
    int64_t quarter = rows.rows / QUARTERS;
    for (int64_t k = 0; k < rows.cols; k++) {
        double within = 0, all = variance_of(rows, k);
        for (int64_t i = 0; i < QUARTERS; i++)
            within += variance_of(volt_view_rows(rows, i * quarter, quarter), k) / QUARTERS;
        if (all > 0)
            most = fmax(most, all / within);
    }
    return most;
}

static void find_drift(volt_view U, volt_view Y, volt_identification *found)
{
    found->output_growth = growth_of(Y);
    found->input_growth = growth_of(U);
    if (found->output_growth > drifting && found->output_growth > drifting_beside_input * found->input_growth)
        volt_identify_warn(found,
                           (volt_warning){.code = VOLT_WARNING_INTEGRATING, .value = found->output_growth});
}

/* ---- direction -------------------------------------------------------------------------------- */

/* Held-out NMSE of a linear model of the rows of `to` from the rows of `from` before them; NaN: unknown. */
static volt_status linear_error(volt_view from, volt_view to, volt_progress progress, double *error)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    volt_fit_options options = volt_fit_options_default();
    options.target = VOLT_TARGET_LEVEL;
    options.input = VOLT_INPUT_LEVEL;
    options.progress = progress;
    *error = NAN;
    VOLT_TRY(volt_kernel_parse("fir", &kernel));
    volt_status status =
        volt_model_fit(kernel, volt_view_rows(from, 0, from.rows - 1), volt_view_rows(to, 1, to.rows - 1),
                       &options, volt_matrix_of(NULL, 0, 0), &model);
    if (!status && !volt_model_get_info(model, &info) && info.report && info.report->rows > 0)
        *error = 1 - info.report->prequential_r2;
    volt_model_free(model);
    volt_kernel_free(kernel);
    return status == VOLT_ERR_CANCELLED || status == VOLT_ERR_MEMORY ? status : VOLT_OK;
}

/* On rows of the longest record. */
static volt_status compare_directions(volt_view U, volt_view Y, const volt_records *records,
                                      volt_progress progress, volt_identification *found)
{
    int64_t longest = 0, rows = 0;
    for (int64_t begin = 0, end; begin < U.rows; begin = end) {
        end = volt_records_segment_end(records, begin, U.rows);
        if (end - begin > rows) {
            longest = begin;
            rows = end - begin;
        }
    }
    U = volt_view_rows(U, longest, rows);
    Y = volt_view_rows(Y, longest, rows);
    int64_t count = volt_min(DIRECTION_ROWS, U.rows);
    int64_t first = volt_identify_stretch(U, Y, count, NULL);
    U = volt_view_rows(U, first, count);
    Y = volt_view_rows(Y, first, count);
    VOLT_TRY(linear_error(U, Y, progress, &found->forward_nmse));
    VOLT_TRY(linear_error(Y, U, progress, &found->reverse_nmse));
    if (found->reverse_nmse < clearly_less * found->forward_nmse)
        volt_identify_warn(found, (volt_warning){.code = VOLT_WARNING_REVERSED,
                                                 .value = found->reverse_nmse / found->forward_nmse});
    return VOLT_OK;
}

volt_status volt_identify_check(volt_view U, volt_view Y, const volt_records *records, volt_progress progress,
                                volt_identification *found)
{
    VOLT_TRY(check_excitation(U, Y, records, found));
    find_delay(U, Y, records, found);
    find_drift(U, Y, found);
    return compare_directions(U, Y, records, progress, found);
}
