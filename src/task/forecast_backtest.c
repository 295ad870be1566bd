/* src/task/forecast_backtest.c: rolling-origin evaluation of forecasts.
 *
 * Origin j of K (0 the earliest) has n - H - (K - 1 - j) d rows, for a horizon of H steps and a distance d. Each is a
 * complete volt_forecast_run, compared with the H rows after it. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "model/scaling.h"
#include "task/forecast_group.h"
#include "task/forecast_members.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { METHODS = VOLT_BACKTEST_METHODS };

/* Sums over the origins of one method, or of one interval, in one series. */
typedef struct method_sums {
    double mase, smape, squares;
    int64_t mase_origins, values;
} method_sums;

typedef struct interval_sums {
    double inside, width;
    int64_t values;
} interval_sums;

typedef struct backtest_sums {
    method_sums *methods;     /* methods x series */
    interval_sums *intervals; /* coverages x series */
    double *scale;            /* of the series: a power of two, see volt_forecast */
} backtest_sums;

/* ---- origins ---------------------------------------------------------------------------------- */

/* Chooses the distance of the origins. The earliest has at least half of the rows, unless the horizon leaves fewer. */
static volt_status choose_origins(int64_t rows, const volt_forecast_options *options, int64_t count,
                                  volt_backtest *result)
{
    int64_t least = volt_max(FORECAST_MIN_ROWS, 2 * options->season), last = rows - options->steps;
    VOLT_REQUIRE(last >= least, VOLT_ERR_DATA,
                 "%lld rows: a backtest of %lld step%s needs at least %lld (%lld to forecast from)",
                 (long long)rows, (long long)options->steps, options->steps == 1 ? "" : "s",
                 (long long)(least + options->steps), (long long)least);
    least = volt_max(least, volt_min(rows / 2, last));
    VOLT_REQUIRE(count <= last - least + 1, VOLT_ERR_ARGUMENT,
                 "origins must be at most %lld for %lld rows and %lld step%s (got %lld)",
                 (long long)(last - least + 1), (long long)rows, (long long)options->steps,
                 options->steps == 1 ? "" : "s", (long long)count);
    result->names = volt_forecast_method_names;
    result->steps = options->steps;
    result->origins = count;
    result->distance = count > 1 ? volt_min(options->steps, (last - least) / (count - 1)) : options->steps;
    result->first_rows = last - (count - 1) * result->distance;
    return VOLT_OK;
}

/* ---- errors ----------------------------------------------------------------------------------- */

/* Mean absolute error of the (seasonal) naive forecast one step ahead in the first `rows` rows. */
static double naive_error(volt_view series, int64_t k, int64_t rows, int64_t season, double scale)
{
    int64_t lag = volt_max(1, season);
    double sum = 0;
    for (int64_t t = lag; t < rows; t++)
        sum += fabs(series.data[t * series.ld + k] / scale - series.data[(t - lag) * series.ld + k] / scale);
    return sum / (double)(rows - lag);
}

/* Adds the errors of one method at one origin. All values are divided by the scale of the series. */
static void add_errors(const double *truth, const double *value, int64_t steps, double naive, method_sums *sums)
{
    double absolute = 0;
    int64_t values = 0;
    for (int64_t h = 0; h < steps; h++) {
        double error = truth[h] - value[h], size = fabs(truth[h]) + fabs(value[h]);
        if (isnan(value[h]))
            continue;
        absolute += fabs(error);
        sums->squares += error * error;
        sums->smape += size > 0 ? 200 * fabs(error) / size : 0;
        values++;
    }
    sums->values += values;
    if (values > 0 && naive > 0) {
        sums->mase += absolute / (double)values / naive;
        sums->mase_origins++;
    }
}

static void add_intervals(const volt_forecast *forecast, int64_t k, const double *truth, int64_t steps,
                          double scale, int64_t coverage, interval_sums *sums)
{
    for (int64_t h = 0; h < steps; h++) {
        const volt_forecast_step *step = volt_forecast_step_at(forecast, h, k);
        double lower = step->lower[coverage] / scale, upper = step->upper[coverage] / scale;
        if (isnan(lower) || isnan(upper))
            continue;
        sums->inside += truth[h] >= lower && truth[h] <= upper;
        sums->width += upper - lower;
        sums->values++;
    }
}

static volt_status add_origin(volt_view series, const volt_forecast *forecast, int64_t rows,
                              const volt_forecast_options *options, backtest_sums *sums)
{
    int64_t steps = options->steps;
    double *truth = volt_alloc_doubles(steps, 2);
    if (!truth)
        return VOLT_ERR_MEMORY;
    double *value = truth + steps;
    for (int64_t k = 0; k < series.cols; k++) {
        double scale = sums->scale[k];
        double naive = naive_error(series, k, rows, volt_forecast_series_at(forecast, k)->season, scale);
        for (int64_t h = 0; h < steps; h++)
            truth[h] = series.data[(rows + h) * series.ld + k] / scale;
        for (int m = 0; m < METHODS; m++) {
            for (int64_t h = 0; h < steps; h++) {
                const volt_forecast_step *step = volt_forecast_step_at(forecast, h, k);
                value[h] = (m == 0 ? step->value : step->member_value[m - 1]) / scale;
            }
            add_errors(truth, value, steps, naive, &sums->methods[m * series.cols + k]);
        }
        for (int64_t c = 0; c < options->n_coverages; c++)
            add_intervals(forecast, k, truth, steps, scale, c, &sums->intervals[c * series.cols + k]);
    }
    volt_free(truth);
    return VOLT_OK;
}

static void set(double *array, int64_t i, double value)
{
    if (array)
        array[i] = value;
}

/* NaN, never -NaN, without values. */
static double mean_of(double sum, int64_t count)
{
    return count > 0 ? sum / (double)count : NAN;
}

static void summarise(const backtest_sums *sums, int64_t series, int64_t coverages, const volt_backtest *result)
{
    for (int64_t i = 0; i < METHODS * series; i++) {
        const method_sums *one = &sums->methods[i];
        set(result->mase, i, mean_of(one->mase, one->mase_origins));
        set(result->smape, i, mean_of(one->smape, one->values));
        set(result->rmse, i, sqrt(mean_of(one->squares, one->values)) * sums->scale[i % series]);
        if (result->values)
            result->values[i] = one->values;
    }
    for (int64_t i = 0; i < coverages * series; i++) {
        const interval_sums *one = &sums->intervals[i];
        set(result->coverage, i, mean_of(one->inside, one->values));
        set(result->width, i, mean_of(one->width, one->values) * sums->scale[i % series]);
    }
}

/* ---- runs ------------------------------------------------------------------------------------- */

/* Progress of all origins together. */
typedef struct progress_share {
    volt_progress whole;
    int64_t origin, origins;
} progress_share;

static int on_share(const char *stage, double fraction, void *context)
{
    const progress_share *share = context;
    char text[64];
    (void)stage;
    snprintf(text, sizeof text, "origin %lld of %lld", (long long)share->origin + 1, (long long)share->origins);
    return share->whole.report(text, ((double)share->origin + fraction) / (double)share->origins,
                               share->whole.context);
}

static volt_status run_origins(volt_view series, volt_forecast_options options, const volt_backtest *result,
                               backtest_sums *sums)
{
    progress_share share = {.whole = options.progress, .origins = result->origins};
    volt_view known = options.known;
    if (share.whole.report)
        options.progress = (volt_progress){on_share, &share};
    for (int64_t j = 0; j < result->origins; j++) {
        volt_forecast *forecast = NULL;
        int64_t rows = result->first_rows + j * result->distance;
        share.origin = j;
        if (known.data)
            options.known = volt_view_rows(known, 0, rows + (known.rows > series.rows ? options.steps : 0));
        VOLT_TRY(volt_forecast_run(volt_view_rows(series, 0, rows), &options, &forecast));
        volt_status status = add_origin(series, forecast, rows, &options, sums);
        volt_forecast_free(forecast);
        VOLT_TRY(status);
    }
    return VOLT_OK;
}

static volt_status backtest(volt_view series, volt_forecast_options chosen, int64_t origins,
                            volt_backtest *full)
{
    VOLT_TRY(volt_forecast_horizon(series, &chosen, &chosen.steps));
    VOLT_TRY(choose_origins(series.rows, &chosen, origins, full));
    backtest_sums sums = {.methods = volt_alloc_zero(METHODS * series.cols, sizeof *sums.methods),
                          .intervals =
                              volt_alloc_zero(chosen.n_coverages * series.cols + 1, sizeof *sums.intervals),
                          .scale = volt_alloc_doubles(series.cols, 1)};
    volt_status status = sums.methods && sums.intervals && sums.scale ? VOLT_OK : VOLT_ERR_MEMORY;
    if (!status) {
        volt_target_scale_powers(series, sums.scale);
        status = run_origins(series, chosen, full, &sums);
    }
    if (!status)
        summarise(&sums, series.cols, chosen.n_coverages, full);
    volt_free(sums.methods);
    volt_free(sums.intervals);
    volt_free(sums.scale);
    return status;
}

volt_status volt_forecast_backtest(volt_view series, const volt_forecast_options *options, int64_t origins,
                                   volt_backtest *result)
{
    volt_forecast_options chosen = volt_forecast_options_default();
    volt_backtest full = {.struct_size = sizeof full};
    VOLT_REQUIRE(result, VOLT_ERR_ARGUMENT, "result is NULL");
    VOLT_TRY(volt_options_take(&full, sizeof full, result, "volt_backtest"));
    VOLT_TRY(volt_options_take(&chosen, sizeof chosen, options, "volt_forecast_options"));
    VOLT_REQUIRE(origins >= 1, VOLT_ERR_ARGUMENT, "origins must be at least 1 (got %lld)", (long long)origins);
    forecast_filling filling;
    volt_status status = volt_forecast_fill(&series, &chosen, &filling);
    if (!status)
        status = backtest(series, chosen, origins, &full);
    volt_forecast_filling_release(&filling);
    return status ? status : volt_result_copy(result, &full, sizeof full, "volt_backtest");
}
