/* src/task/identify_diagnose.c: diagnosis of an identified model, see docs/math.md (Diagnosis of a model). */
#include "volterra/identify.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "stats/cross_spectrum.h"
#include "task/identify_check.h"
#include "task/identify_internal.h"

#include <math.h>
#include <string.h>

enum {
    MOST_LAGS = 41,
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
static double lagged_sum(const diagnosing *self, int64_t first, int64_t second, int64_t lag)
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
        double *r = self->autocorrelation + k * lags, power = lagged_sum(self, k, k, 0);
        mean_at(self, k, &count);
        for (int64_t lag = 0; lag < lags; lag++)
            r[lag] = power > 0 ? lagged_sum(self, k, k, lag) / power : 0;
        for (int64_t i = 0; i < d; i++) {
            double input = lagged_sum(self, q + i, q + i, 0), sum = 1;
            for (int64_t lag = 0; lag < lags; lag++) {
                double scale = sqrt(power * input);
                self->cross[(k * d + i) * lags + lag] = scale > 0 ? lagged_sum(self, k, q + i, lag) / scale : 0;
                if (lag > 0 && input > 0)
                    sum += 2 * r[lag] * lagged_sum(self, q + i, q + i, lag) / input;
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
    options.progress = volt_identify_progress(self->run);
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
    VOLT_TRY(volt_identify_simulate_test(run, model, self->simulated, &is_bounded));
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
        self.made->lags = volt_max(1, volt_min(MOST_LAGS, self.made->rows / 4));
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
