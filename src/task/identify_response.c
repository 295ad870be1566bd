/* src/task/identify_response.c: data check of an identification: dead time, direction, nonlinearity. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "stats/cross_spectrum.h"
#include "task/identify_check.h"

#include <math.h>
#include <stdbool.h>

enum {
    MOST_LAGS = 100,
    WHITENING = 10, /* largest order of the autoregressions that whiten inputs and outputs */
    MODEL_ROWS = 500,
    PAST = 10, /* rows before a row in the regressions of both directions */
    DIRECTION_ROWS = 4000,
    MOST_ROWS = 1 << 16 /* rows of a spectrum */
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
    double coefficients[WHITENING] = {0}, mean = volt_column_mean(from, column);
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
        double mean = volt_column_mean(rows, k), squares = 0;
        if (!(volt_column_range(rows, k) > 0))
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
        volt_identify_warn(found, (volt_warning){.code = VOLT_WARNING_REVERSED, .value = found->reverse_gain});
    return VOLT_OK;
}

/* ---- nonlinearity ----------------------------------------------------------------------------- */

/* Rows of the models, in records; n_records 0: one. */
typedef struct model_rows {
    volt_view U, Y;
    int64_t *records, n_records;
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
            double most = equal * volt_column_range(volt_view_rows(U, 0, period), k);
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
        double sum = 0, variance = volt_column_variance(Y, k);
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
    int64_t rows = volt_min(U.rows, MOST_ROWS);
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

volt_status volt_identify_response(volt_view U, volt_view Y, const volt_records *records, int64_t begin,
                                   int64_t rows, volt_progress progress, volt_identification *found)
{
    volt_view one_U = volt_view_rows(U, begin, rows), one_Y = volt_view_rows(Y, begin, rows);
    bool is_short = rows < VOLT_IDENTIFY_LONG;
    model_rows stretch = {is_short ? U : one_U, is_short ? Y : one_Y, NULL, 0};
    int64_t count = volt_min(MODEL_ROWS, stretch.U.rows), lags = volt_min(MOST_LAGS, rows / 4);
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
        volt_identify_warn(found, (volt_warning){.code = VOLT_WARNING_NO_RESPONSE, .value = (double)lags});
    return VOLT_OK;
}
