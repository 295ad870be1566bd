/* src/task/series_forecast.c: the next rows of series, with a separate fit and an expected error for each
 * step.
 *
 * One fit of all horizons would be cheaper, but the value one season before the target is a different column
 * for every horizon, and so are the rows that may be held out. Each step is therefore a volt_model_fit with
 * that `ahead`. If the value one season earlier is clearly better on the held-out rows, it is the forecast. */
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel_entry.h"
#include "model/scaling.h"
#include "stats/stats_internal.h"
#include "task/forecast_group.h"
#include "volterra/select.h"
#include "volterra/task.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* Default number of steps without a season, and the maximum with a season. */
enum { FEW_STEPS = 12, MOST_STEPS = 60 };

/* Each step is a fit, with a cost of n^3. Without all_rows, only the latest rows within this limit are used,
 * about half a minute on two cores. */
static const double most_work = 1.5e11;

/* The seasonal naive forecast replaces another when its MSE is below this share of the other's: the second
 * share where there are too few blocks of held-out rows to be sure of the first. */
static const double season_share = 0.9, half_share = 0.5;
enum { MOST_BLOCKS = 8 };

/* A baseline is reported as better when its MSE is below this share of the forecast's. */
static const double better_share = 0.99;

/* Mean squared errors on the held-out rows. */
typedef struct squared_errors {
    double mse, fit_mse;
    double baselines[VOLT_BASELINE_KINDS];
} squared_errors;

typedef struct step_result {
    volt_forecast_step shown;
    double baseline_rmse[VOLT_BASELINE_KINDS]; /* shown */
    squared_errors errors;
} step_result;

typedef struct series_result {
    volt_forecast_series shown;
    double baseline_rmse[VOLT_BASELINE_KINDS]; /* shown */
    squared_errors errors;                     /* means over the steps */
} series_result;

/* All computations use series divided by a power of two, so that squares neither overflow nor underflow. */
struct volt_forecast {
    volt_forecast_info info;
    step_result *step;      /* steps x series */
    series_result *series;  /* series */
    double *scale;          /* of the series: that power, 1 except for extreme data */
    double *scaled;         /* the series divided by it; NULL: all powers are 1 */
    volt_warning *warnings; /* at most one per series */
    char kernel[VOLT_KERNEL_LENGTH];
};

volt_forecast_options volt_forecast_options_default(void)
{
    return (volt_forecast_options){
        .struct_size = sizeof(volt_forecast_options), .kernel = "volterra", .season = VOLT_SEASON_AUTO};
}

int64_t volt_forecast_rows_for(int64_t steps)
{
    /* Held-out rows begin after 2 steps + 2 of the n - steps pairs (volt_fit_report), and a few are needed. */
    return 3 * steps + 10;
}

static const char *method_name(volt_forecast_method method)
{
    switch (method) {
    case VOLT_FORECAST_FIT:
        return "fit";
    case VOLT_FORECAST_HALF:
        return "half-way";
    case VOLT_FORECAST_NAIVE:
        return "naive";
    case VOLT_FORECAST_SEASONAL:
        return "seasonal naive";
    }
    return "unknown";
}

/* ---- one step --------------------------------------------------------------------------------- */

/* MSE of the baselines on the held-out rows of a step. */
static volt_status measure_baselines(const forecast_data *data, int64_t k, int64_t ahead,
                                     const volt_fit_report *report, squared_errors *errors)
{
    volt_view column = {data->levels.data + k, data->levels.rows, 1, data->levels.ld};
    int64_t begin = report->first + ahead;
    volt_matrix forecast = volt_matrix_of(volt_alloc_doubles(report->rows, 1), report->rows, 1);
    volt_status status = forecast.data ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int kind = 0; kind < VOLT_BASELINE_KINDS && !status; kind++) {
        volt_metrics metrics = {.struct_size = sizeof(volt_metrics), .mse = NAN};
        errors->baselines[kind] = NAN;
        if (kind == VOLT_BASELINE_SEASONAL && data->seasons[k] < 2)
            continue;
        status =
            volt_baseline_forecast((volt_baseline)kind, column, ahead, data->seasons[k], 0, begin, forecast);
        if (status == VOLT_ERR_ARGUMENT) { /* too few rows before the first */
            status = VOLT_OK;
            continue;
        }
        if (!status)
            status = volt_metrics_compute(volt_view_rows(column, begin, forecast.rows), volt_as_view(forecast),
                                          &metrics);
        errors->baselines[kind] = metrics.mse;
    }
    volt_free(forecast.data);
    return status;
}

/* Whether the value one season earlier is closer than the last value in every block of consecutive held-out
 * rows (in seven of eight). Means over all rows could be dominated by a few years. Blocks are as long as the
 * step, over which errors overlap, or longer if there are enough rows for two. */
static bool season_wins_blocks(volt_view levels, int64_t k, int64_t ahead, int64_t back,
                               const volt_fit_report *report, int64_t blocks)
{
    int64_t won = 0;
    for (int64_t b = 0; b < blocks; b++) {
        double gain = 0;
        for (int64_t i = b * report->rows / blocks; i < (b + 1) * report->rows / blocks; i++) {
            const double *target = levels.data + (report->first + i + ahead) * levels.ld + k;
            gain +=
                pow(target[0] - target[-ahead * levels.ld], 2) - pow(target[0] - target[-back * levels.ld], 2);
        }
        won += gain > 0;
    }
    return won >= (blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS - 1);
}

/* Uses the seasonal naive forecast if it is clearly better than the fit and the last value. */
static void consider_season(const forecast_data *data, int64_t k, int64_t ahead, const volt_fit_report *report,
                            step_result *step)
{
    volt_view levels = data->levels;
    squared_errors *errors = &step->errors;
    int64_t season = data->seasons[k], blocks = report->rows / ahead;
    if (season < 2 || report->rows < 2)
        return;
    blocks = blocks < 2 ? 2 : blocks > MOST_BLOCKS ? MOST_BLOCKS : blocks;
    double share = blocks < MOST_BLOCKS / 2 ? half_share : season_share;
    int64_t back = season * ((ahead + season - 1) / season);
    double other = fmin(errors->mse, errors->baselines[VOLT_BASELINE_NAIVE]);
    if (!(errors->baselines[VOLT_BASELINE_SEASONAL] < share * other) ||
        !season_wins_blocks(levels, k, ahead, back, report, blocks))
        return;
    step->shown.value = levels.data[(levels.rows - 1 + ahead - back) * levels.ld + k];
    errors->mse = errors->baselines[VOLT_BASELINE_SEASONAL];
    step->shown.method = VOLT_FORECAST_SEASONAL;
}

/* Reads the results of a step's fit; `values` is its row of scaled outputs. */
static volt_status take_step(const forecast_data *data, const forecast_group *group,
                             const volt_model_info *info, const double *values, step_result *steps)
{
    const volt_fit_report *report = info->report;
    volt_status status = VOLT_OK;
    for (int64_t k = 0; k < group->count && !status; k++) {
        step_result *step = &steps[group->first + k];
        double unit = group->scale[k] * group->scale[k];
        step->shown.value = values[k] * group->scale[k];
        step->errors.mse = report->mse[k] * unit;
        step->errors.fit_mse = report->best_mse[k] * unit;
        step->shown.method = report->share[k] == 0  ? VOLT_FORECAST_NAIVE
                             : report->share[k] < 1 ? VOLT_FORECAST_HALF
                                                    : VOLT_FORECAST_FIT;
        step->shown.is_change = info->anchors[k] >= 0;
        status = measure_baselines(data, group->first + k, info->ahead, report, &step->errors);
        if (!status)
            consider_season(data, group->first + k, info->ahead, report, step);
        step->shown.method_name = method_name(step->shown.method);
    }
    return status;
}

static volt_status fit_step(const forecast_data *data, const forecast_group *group, const volt_kernel *kernel,
                            int64_t ahead, volt_progress progress, volt_forecast *forecast)
{
    volt_view last = volt_view_rows(volt_as_view(group->inputs), group->inputs.rows - ahead, ahead);
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    volt_matrix out = volt_matrix_of(volt_alloc_doubles(ahead, group->count), ahead, group->count);
    if (!out.data)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_forecast_group_fit(group, kernel, group->inputs.rows, ahead, progress, &model);
    if (!status)
        status = volt_model_predict(model, last, NULL, out, NULL);
    if (!status) {
        volt_model_get_info(model, &info);
        if (info.report->rows == 0)
            status = volt_fail(VOLT_ERR_DATA, "%lld rows are too few to hold any out %lld steps ahead",
                               (long long)group->inputs.rows, (long long)ahead);
    }
    if (!status) {
        forecast->info.heldout_first = ahead == 1 ? info.report->rows : forecast->info.heldout_first;
        forecast->info.heldout_last = info.report->rows;
        status = take_step(data, group, &info, out.data + (ahead - 1) * out.ld,
                           forecast->step + (ahead - 1) * data->levels.cols);
    }
    volt_model_free(model);
    volt_free(out.data);
    return status;
}

/* ---- all steps -------------------------------------------------------------------------------- */

/* Progress of all fits together. */
typedef struct progress_share {
    volt_progress whole;
    double done, each;
    char stage[64];
} progress_share;

static int on_share(const char *stage, double fraction, void *context)
{
    progress_share *share = context;
    (void)stage;
    return share->whole.report
               ? share->whole.report(share->stage, share->done + fraction * share->each, share->whole.context)
               : 0;
}

static volt_status fit_steps(const forecast_data *data, const volt_kernel *kernel,
                             const volt_forecast_options *options, volt_forecast *forecast)
{
    int64_t series = data->levels.cols, groups = options->separate ? series : 1, each = series / groups;
    progress_share share = {.whole = options->progress, .each = 1 / (double)(groups * data->steps)};
    volt_progress progress = {on_share, &share};
    volt_status status = VOLT_OK;
    for (int64_t g = 0; g < groups && !status; g++) {
        forecast_group group = {0};
        status = volt_forecast_group_create(data, g * each, each, &group);
        for (int64_t ahead = 1; ahead <= data->steps && !status; ahead++) {
            snprintf(share.stage, sizeof share.stage, "step %lld of %lld", (long long)ahead,
                     (long long)data->steps);
            status = fit_step(data, &group, kernel, ahead, progress, forecast);
            if (!status &&
                on_share(NULL, 1, &share)) /* a fit that is shorter than the time between two reports */
                status = volt_fail(VOLT_ERR_CANCELLED, "cancelled");
            share.done += share.each;
        }
        volt_forecast_group_release(&group);
    }
    return status;
}

/* ---- means and warnings ----------------------------------------------------------------------- */

static void add_warning(volt_forecast *forecast, volt_warning warning)
{
    forecast->warnings[forecast->info.n_warnings++] = warning;
}

static void warn_about(volt_forecast *forecast, int64_t k)
{
    const squared_errors *errors = &forecast->series[k].errors;
    double naive = errors->baselines[VOLT_BASELINE_NAIVE];
    int64_t n_naive = 0;
    volt_baseline best = VOLT_BASELINE_NAIVE;
    for (int64_t h = 0; h < forecast->info.steps; h++)
        n_naive += volt_forecast_step_at(forecast, h, k)->method == VOLT_FORECAST_NAIVE;
    for (int kind = 0; kind < VOLT_BASELINE_KINDS; kind++)
        if (errors->baselines[kind] < errors->baselines[best])
            best = (volt_baseline)kind;
    if (!(naive > 0))
        add_warning(forecast, (volt_warning){.code = VOLT_WARNING_CONSTANT_HELDOUT, .series = k});
    else if (n_naive == forecast->info.steps)
        add_warning(
            forecast,
            (volt_warning){.code = VOLT_WARNING_NAIVE_FORECAST, .series = k, .value = errors->fit_mse / naive});
    else if (errors->baselines[best] < better_share * errors->mse)
        add_warning(forecast, (volt_warning){.code = VOLT_WARNING_BETTER_BASELINE,
                                             .series = k,
                                             .value = errors->baselines[best] / errors->mse,
                                             .baseline = best});
}

static void add_errors(const squared_errors *errors, double steps, squared_errors *mean)
{
    mean->mse += errors->mse / steps;
    mean->fit_mse += errors->fit_mse / steps;
    for (int kind = 0; kind < VOLT_BASELINE_KINDS; kind++)
        mean->baselines[kind] += errors->baselines[kind] / steps;
}

/* Roots of the errors, in the units of the series. */
static void show_errors(const squared_errors *errors, double scale, double *rmse, double *fit_rmse,
                        double *baselines)
{
    *rmse = sqrt(errors->mse) * scale;
    *fit_rmse = sqrt(errors->fit_mse) * scale;
    for (int kind = 0; kind < VOLT_BASELINE_KINDS; kind++)
        baselines[kind] = sqrt(errors->baselines[kind]) * scale;
}

static void summarise(const forecast_data *data, volt_forecast *forecast)
{
    for (int64_t k = 0; k < data->levels.cols; k++) {
        series_result *series = &forecast->series[k];
        series->shown.struct_size = sizeof series->shown;
        series->shown.season = data->seasons[k];
        for (int64_t h = 0; h < data->steps; h++) {
            step_result *step = &forecast->step[h * data->levels.cols + k];
            volt_forecast_step *shown = &step->shown;
            shown->struct_size = sizeof *shown;
            shown->value *= forecast->scale[k];
            shown->baseline_rmse = step->baseline_rmse;
            show_errors(&step->errors, forecast->scale[k], &shown->rmse, &shown->fit_rmse, step->baseline_rmse);
            add_errors(&step->errors, (double)data->steps, &series->errors);
        }
        series->shown.baseline_rmse = series->baseline_rmse;
        show_errors(&series->errors, forecast->scale[k], &series->shown.rmse, &series->shown.fit_rmse,
                    series->baseline_rmse);
        warn_about(forecast, k);
    }
}

/* ---- options and data ------------------------------------------------------------------------- */

static volt_status check_options(volt_view series, const volt_forecast_options *options)
{
    VOLT_REQUIRE(series.data && series.rows >= 0 && series.cols >= 1, VOLT_ERR_SHAPE,
                 "series has %lld rows and %lld columns, and must have at least one column",
                 (long long)series.rows, (long long)series.cols);
    VOLT_REQUIRE(options->kernel, VOLT_ERR_ARGUMENT, "kernel is NULL");
    VOLT_REQUIRE(options->steps >= 0, VOLT_ERR_ARGUMENT,
                 "steps is %lld, and must be at least 1, or 0 for the default", (long long)options->steps);
    VOLT_REQUIRE(options->season == VOLT_SEASON_AUTO || options->season == 0 || options->season >= 2,
                 VOLT_ERR_ARGUMENT, "season is %lld, and must be at least 2, 0 for none, or VOLT_SEASON_AUTO",
                 (long long)options->season);
    VOLT_REQUIRE(options->search_seconds >= 0 && isfinite(options->search_seconds), VOLT_ERR_ARGUMENT,
                 "search_seconds is %g, and must be finite and at least 0", options->search_seconds);
    VOLT_REQUIRE(!options->known.data || options->known.rows == series.rows, VOLT_ERR_SHAPE,
                 "known has %lld rows, and must have the %lld rows of series", (long long)options->known.rows,
                 (long long)series.rows);
    VOLT_REQUIRE(series.rows >= volt_forecast_rows_for(1), VOLT_ERR_DATA,
                 "%lld row%s: a forecast with a measured error needs at least %lld", (long long)series.rows,
                 series.rows == 1 ? "" : "s", (long long)volt_forecast_rows_for(1));
    VOLT_REQUIRE(options->season <= series.rows / 2, VOLT_ERR_ARGUMENT,
                 "season is %lld, and must be at most half of the %lld rows", (long long)options->season,
                 (long long)series.rows);
    int64_t most =
        (series.rows - volt_forecast_rows_for(0)) / (volt_forecast_rows_for(1) - volt_forecast_rows_for(0));
    VOLT_REQUIRE(options->steps <= most, VOLT_ERR_ARGUMENT,
                 "steps is %lld, and must be at most %lld: %lld rows are too few to measure the errors of more",
                 (long long)options->steps, (long long)most, (long long)series.rows);
    return VOLT_OK;
}

/* Checks that values are finite and no series is constant. */
static volt_status check_series(volt_view levels, const char *const *names)
{
    for (int64_t k = 0; k < levels.cols; k++) {
        char name[64];
        bool changes = false;
        if (names)
            snprintf(name, sizeof name, "'%.60s'", names[k]);
        else
            snprintf(name, sizeof name, "%lld", (long long)k);
        for (int64_t i = 0; i < levels.rows; i++) {
            double value = levels.data[i * levels.ld + k];
            VOLT_REQUIRE(isfinite(value), VOLT_ERR_NOT_FINITE, "row %lld of series %s is %g", (long long)i,
                         name, value);
            changes = changes || value != levels.data[k];
        }
        VOLT_REQUIRE(changes, VOLT_ERR_DATA, "series %s is %.6g in every row: there is nothing to forecast",
                     name, levels.data[k]);
    }
    return VOLT_OK;
}

static volt_status find_seasons(volt_view levels, int64_t given, int64_t *seasons)
{
    for (int64_t k = 0; k < levels.cols; k++) {
        seasons[k] = given;
        if (given == VOLT_SEASON_AUTO)
            VOLT_TRY(volt_season_find(levels.data + k, levels.rows, levels.ld, &seasons[k]));
    }
    return VOLT_OK;
}

static int64_t choose_steps(int64_t rows, int64_t asked, const int64_t *seasons, int64_t series)
{
    int64_t steps = asked;
    int64_t most = (rows - volt_forecast_rows_for(0)) / (volt_forecast_rows_for(1) - volt_forecast_rows_for(0));
    for (int64_t k = 0; k < series && steps == 0; k++)
        steps = seasons[k] < MOST_STEPS ? seasons[k] : MOST_STEPS;
    steps = steps == 0 ? FEW_STEPS : steps;
    return steps < most ? steps : most;
}

int64_t volt_forecast_first_row(int64_t rows, int64_t steps, bool all_rows)
{
    int64_t most = (int64_t)cbrt(most_work / (double)steps);
    most = most < volt_forecast_rows_for(steps) ? volt_forecast_rows_for(steps) : most;
    return all_rows || rows <= most ? 0 : rows - most;
}

/* ---- public functions ------------------------------------------------------------------------- */

/* Divides the series by their powers of two, unless all are 1. */
static volt_status scale_series(volt_forecast *made, volt_view *series)
{
    bool is_safe = true;
    volt_target_scale_powers(*series, made->scale);
    for (int64_t k = 0; k < series->cols; k++)
        is_safe = is_safe && made->scale[k] == 1;
    if (is_safe)
        return VOLT_OK;
    made->scaled = volt_alloc_doubles(series->rows, series->cols);
    if (!made->scaled)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < series->rows; i++)
        for (int64_t k = 0; k < series->cols; k++)
            made->scaled[i * series->cols + k] = series->data[i * series->ld + k] / made->scale[k];
    *series = volt_view_of(made->scaled, series->rows, series->cols);
    return VOLT_OK;
}

static volt_status create(int64_t series, volt_forecast **forecast)
{
    *forecast = volt_alloc_zero(1, sizeof **forecast);
    if (!*forecast)
        return VOLT_ERR_MEMORY;
    (*forecast)->series = volt_alloc_zero(series, sizeof *(*forecast)->series);
    (*forecast)->warnings = volt_alloc_zero(series, sizeof *(*forecast)->warnings);
    (*forecast)->scale = volt_alloc_doubles(1, series);
    return (*forecast)->series && (*forecast)->warnings && (*forecast)->scale ? VOLT_OK : VOLT_ERR_MEMORY;
}

static volt_status make(volt_view series, const volt_forecast_options *options, int64_t *seasons,
                        volt_kernel **kernel, volt_forecast *made)
{
    volt_forecast_info *info = &made->info;
    VOLT_TRY(volt_kernel_parse(options->kernel, kernel));
    VOLT_TRY(scale_series(made, &series));
    VOLT_TRY(find_seasons(series, options->season, seasons));
    info->series = series.cols;
    info->steps = choose_steps(series.rows, options->steps, seasons, series.cols);
    info->first_row = volt_forecast_first_row(series.rows, info->steps, options->all_rows);
    info->rows = series.rows - info->first_row;
    forecast_data data = {.levels = volt_view_rows(series, info->first_row, info->rows),
                          .seasons = seasons,
                          .steps = info->steps};
    if (options->known.data)
        data.known = volt_view_rows(options->known, info->first_row, info->rows);
    VOLT_TRY(check_series(data.levels, options->names));
    made->step = volt_alloc_zero(info->steps * info->series, sizeof *made->step);
    if (!made->step)
        return VOLT_ERR_MEMORY;
    if (options->search_seconds > 0)
        VOLT_TRY(volt_forecast_search_run(&data, options, kernel, info));
    VOLT_TRY(fit_steps(&data, *kernel, options, made));
    snprintf(made->kernel, sizeof made->kernel, "%s", volt_kernel_text(*kernel));
    summarise(&data, made);
    return VOLT_OK;
}

volt_status volt_forecast_run(volt_view series, const volt_forecast_options *options, volt_forecast **forecast)
{
    volt_forecast_options chosen = volt_forecast_options_default();
    VOLT_REQUIRE(forecast, VOLT_ERR_ARGUMENT, "forecast is NULL");
    *forecast = NULL;
    VOLT_TRY(volt_options_take(&chosen, sizeof chosen, options, "volt_forecast_options"));
    VOLT_TRY(check_options(series, &chosen));
    VOLT_TRY(check_series(series, chosen.names));
    volt_forecast *made = NULL;
    volt_kernel *kernel = NULL;
    int64_t *seasons = volt_alloc(series.cols, sizeof *seasons);
    volt_status status = seasons ? create(series.cols, &made) : VOLT_ERR_MEMORY;
    if (!status)
        status = make(series, &chosen, seasons, &kernel, made);
    volt_kernel_free(kernel);
    volt_free(seasons);
    if (status)
        volt_forecast_free(made);
    else
        *forecast = made;
    return status;
}

void volt_forecast_free(volt_forecast *forecast)
{
    if (!forecast)
        return;
    volt_free(forecast->step);
    volt_free(forecast->series);
    volt_free(forecast->warnings);
    volt_free(forecast->scale);
    volt_free(forecast->scaled);
    volt_free(forecast);
}

volt_status volt_forecast_get_info(const volt_forecast *forecast, volt_forecast_info *info)
{
    VOLT_REQUIRE(forecast && info, VOLT_ERR_ARGUMENT, "forecast and info must not be NULL");
    volt_forecast_info full = forecast->info;
    full.kernel = forecast->kernel;
    full.warnings = forecast->warnings;
    return volt_result_copy(info, &full, sizeof full, "volt_forecast_info");
}

const volt_forecast_step *volt_forecast_step_at(const volt_forecast *forecast, int64_t step, int64_t series)
{
    return &forecast->step[step * forecast->info.series + series].shown;
}

const volt_forecast_series *volt_forecast_series_at(const volt_forecast *forecast, int64_t series)
{
    return &forecast->series[series].shown;
}
