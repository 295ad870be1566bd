/* src/task/series_forecast.c: the next rows of series: kernel fits and classical methods, combined.
 *
 * One fit of all horizons would be cheaper, but the value one season before the target is a different column
 * for every horizon, and so are the rows that may be held out. Each step is therefore a volt_model_fit with
 * that `ahead`. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "io/table/table.h"
#include "kernel/kernel_entry.h"
#include "model/model_internal.h"
#include "model/scaling.h"
#include "task/forecast_group.h"
#include "task/forecast_members.h"
#include "task/forecast_season.h"
#include "volterra/select.h"
#include "volterra/task.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* Default number of steps without a season, and the maximum with a season; length of a name in messages. */
enum { FEW_STEPS = 12, MAX_STEPS = VOLT_FORECAST_MAX_STEPS, NAME_LENGTH = 64 };

/* Each step is a fit, with a cost of n^3. Without all_rows, only the latest rows within this limit are used, about a second of
 * work. */
static const double max_work = 1.2e10;

/* A baseline is reported as better when its MSE is below this share of that of the forecast, unless the error of the forecast is
 * negligible relative to that of the naive forecast. */
static const double better_share = 0.8, negligible = 1e-6;

typedef struct step_result {
    volt_forecast_step shown;
    double member_value[FORECAST_MEMBERS], member_rmse[FORECAST_MEMBERS]; /* shown */
    double *ends;                                                         /* shown: lower, upper */
} step_result;

typedef struct series_result {
    volt_forecast_series shown;
    forecast_series members;
    forecast_combination combination;
    double member_rmse[FORECAST_MEMBERS]; /* shown */
    double *numbers;                      /* owns the arrays of members and combination */
} series_result;

/* All computations use series divided by a power of two, so that squares neither overflow nor underflow. */
struct volt_forecast {
    volt_forecast_info info;
    step_result *step;      /* steps x series */
    series_result *series;  /* series */
    double *ends;           /* steps x series x 2 x coverages */
    double *scale;          /* of the series: that power, 1 except for extreme data */
    double *levels;         /* the rows used divided by it, series after series */
    int64_t *seasons;       /* of the series */
    int64_t calendar;       /* season of the calendar, if the seasons are estimated; 0: none */
    volt_warning *warnings; /* at most two per series */
    char kernel[VOLT_KERNEL_LENGTH];
};

volt_forecast_options volt_forecast_options_default(void)
{
    return (volt_forecast_options){
        .struct_size = sizeof(volt_forecast_options), .kernel = "volterra", .season = VOLT_SEASON_AUTO};
}

int64_t volt_forecast_rows_for(int64_t step)
{
    /* Held-out rows begin after 2 steps + 2 of the n - steps pairs (volt_fit_report), and a few are needed. */
    return 3 * step + 10;
}

/* ---- kernel ----------------------------------------------------------------------------------- */

/* Sets the value and the errors of the kernel in one step of one series; `value` is its scaled output. */
static void take_step(const forecast_group *group, const volt_model *model, int64_t ahead, int64_t k,
                      double value, volt_forecast *forecast)
{
    int64_t series = group->data->columns[group->first + k], pairs = group->inputs.rows - ahead;
    series_result *result = &forecast->series[series];
    volt_forecast_step *shown = &forecast->step[(ahead - 1) * forecast->info.series + series].shown;
    forecast_values *kernel = &result->members.members[VOLT_MEMBER_KERNEL];
    const volt_error_list *errors = &model->errors.lists[VOLT_ERRORS_NEAR];
    const forecast_origins *origins = &result->members.origins;
    shown->kernel_share = model->report.share[k];
    shown->is_change = model->anchors[k] >= 0;
    if (shown->kernel_share == 0)
        return;
    kernel->value[ahead - 1] = value * group->scale[k];
    for (int64_t j = 0; j < origins->count; j++) {
        int64_t row = origins->known[j] - 1, i = row - (pairs - errors->rows);
        if (row < model->report.first || row >= pairs || i < 0 || !(errors->scale[i * model->q + k] > 0))
            continue;
        kernel->error[j * result->members.steps + ahead - 1] =
            errors->e[i * model->q + k] * model->target_scale[k] * group->scale[k];
    }
}

static volt_status fit_step(forecast_group *group, const volt_kernel *kernel, int64_t ahead,
                            volt_progress progress, volt_forecast *forecast)
{
    volt_model *model = NULL;
    volt_matrix out = volt_matrix_of(volt_alloc_doubles(ahead, group->count), ahead, group->count);
    if (!out.data)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_forecast_group_fit(group, kernel, group->inputs.rows, ahead, progress, &model);
    volt_view last = volt_view_rows(volt_as_view(group->inputs), group->inputs.rows - ahead, ahead);
    if (!status && model)
        status = volt_model_predict(model, last, NULL, out, NULL);
    for (int64_t k = 0; model && k < group->count && !status; k++)
        take_step(group, model, ahead, k, out.data[(ahead - 1) * out.ld + k], forecast);
    volt_model_free(model);
    volt_free(out.data);
    return status;
}

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

/* Fits all steps for which there are rows enough. */
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
            if (data->levels.rows >= volt_forecast_rows_for(ahead))
                status = fit_step(&group, kernel, ahead, progress, forecast);
            if (!status &&
                on_share(NULL, 1, &share)) /* a fit that is shorter than the time between two reports */
                status = volt_fail(VOLT_ERR_CANCELLED, "cancelled");
            share.done += share.each;
        }
        volt_forecast_group_release(&group);
    }
    return status;
}

/* ---- results ---------------------------------------------------------------------------------- */

static void warn_of_season(volt_forecast *forecast, int64_t k)
{
    if (forecast->series[k].shown.season == 0 && forecast->info.rows < 2 * forecast->calendar)
        forecast->warnings[forecast->info.n_warnings++] =
            (volt_warning){.code = VOLT_WARNING_SHORT_SEASON, .series = k, .value = (double)forecast->calendar};
}

static void warn_about(volt_forecast *forecast, int64_t k)
{
    const volt_forecast_series *shown = &forecast->series[k].shown;
    const double *rmse = shown->member_rmse;
    int best = VOLT_MEMBER_NAIVE;
    volt_warning warning = {.series = k};
    for (int member = VOLT_MEMBER_NAIVE; member <= VOLT_MEMBER_AR; member++)
        if (rmse[member] < rmse[best])
            best = member;
    if (!(shown->rmse >= 0))
        warning.code = VOLT_WARNING_FEW_ROWS;
    else if (rmse[VOLT_MEMBER_NAIVE] == 0)
        warning.code = VOLT_WARNING_CONSTANT_HELDOUT;
    else if (shown->rmse > negligible * rmse[VOLT_MEMBER_NAIVE] &&
             pow(rmse[best] / shown->rmse, 2) < better_share) {
        warning.code = VOLT_WARNING_BETTER_BASELINE;
        warning.value = pow(rmse[best] / shown->rmse, 2);
        warning.baseline = (volt_baseline)(best - VOLT_MEMBER_NAIVE);
    } else
        return;
    forecast->warnings[forecast->info.n_warnings++] = warning;
}

/* Root of the mean over steps of the squares of rmse; NaN if a step has none. */
static double rmse_of_steps(const double *rmse, int64_t steps)
{
    volt_squares squares = {0};
    for (int64_t h = 0; h < steps; h++)
        volt_squares_add(&squares, rmse[h]);
    return volt_squares_root_mean(&squares, steps);
}

/* Results of one member. `rmse` is workspace for one number per step. */
static void show_member(volt_forecast *forecast, int64_t k, int member, double *rmse)
{
    series_result *result = &forecast->series[k];
    const forecast_values *values = &result->members.members[member];
    int64_t steps = forecast->info.steps;
    double scale = forecast->scale[k];
    volt_forecast_rmse(&result->members, values->error, rmse);
    result->member_rmse[member] = rmse_of_steps(rmse, steps) * scale;
    for (int64_t h = 0; h < steps; h++) {
        step_result *step = &forecast->step[h * forecast->info.series + k];
        step->member_value[member] = values->value[h] * scale;
        step->member_rmse[member] = rmse[h] * scale;
    }
}

/* Results of one step of series k, whose expected error `rmse` was computed from `count` errors. */
static void show_step(volt_forecast *forecast, const volt_forecast_options *options, int64_t h, int64_t k,
                      double rmse, double count)
{
    const series_result *result = &forecast->series[k];
    int64_t coverages = options->n_coverages, index = h * forecast->info.series + k;
    step_result *step = &forecast->step[index];
    volt_forecast_step *shown = &step->shown;
    double *lower = forecast->ends + 2 * coverages * index, *upper = lower + coverages;
    shown->struct_size = sizeof *shown;
    shown->value = result->combination.value[h] * forecast->scale[k];
    shown->rmse = rmse * forecast->scale[k];
    shown->member_value = step->member_value;
    shown->member_rmse = step->member_rmse;
    shown->lower = coverages > 0 ? lower : NULL;
    shown->upper = coverages > 0 ? upper : NULL;
    for (int64_t c = 0; c < coverages; c++) {
        double half = shown->rmse * volt_forecast_quantile(&result->members, options->coverages[c], count, h);
        lower[c] = shown->value - half;
        upper[c] = shown->value + half;
    }
}

static void name_series(const char *const *names, int64_t k, char name[NAME_LENGTH])
{
    if (names)
        snprintf(name, NAME_LENGTH, "'%.60s'", names[k]);
    else
        snprintf(name, NAME_LENGTH, "%lld", (long long)k);
}

/* Values near the largest number may have a forecast or an interval beyond it. */
static volt_status check_step(const volt_forecast *forecast, const volt_forecast_options *options, int64_t h,
                              int64_t k)
{
    const volt_forecast_step *step = &forecast->step[h * forecast->info.series + k].shown;
    bool is_finite = isfinite(step->value) && !isinf(step->rmse);
    char name[NAME_LENGTH];
    for (int64_t c = 0; c < options->n_coverages; c++)
        is_finite = is_finite && !isinf(step->lower[c]) && !isinf(step->upper[c]);
    name_series(options->names, k, name);
    VOLT_REQUIRE(
        is_finite, VOLT_ERR_NOT_FINITE,
        "series %s: step %lld of the forecast, its error or its interval is beyond the largest number (%.3g): "
        "divide the series, for example by 1000",
        name, (long long)h + 1, DBL_MAX);
    return VOLT_OK;
}

static volt_status summarise(volt_forecast *forecast, const volt_forecast_options *options)
{
    int64_t steps = forecast->info.steps;
    double *rmse = volt_alloc_doubles(steps, 2);
    if (!rmse)
        return VOLT_ERR_MEMORY;
    double *counts = rmse + steps;
    volt_status status = VOLT_OK;
    for (int64_t k = 0; k < forecast->info.series && !status; k++) {
        series_result *result = &forecast->series[k];
        for (int m = 0; m < FORECAST_MEMBERS; m++)
            show_member(forecast, k, m, rmse);
        volt_forecast_spread(&result->members, result->combination.error, rmse, counts);
        for (int64_t h = 0; h < steps && !status; h++) {
            show_step(forecast, options, h, k, rmse[h], counts[h]);
            status = check_step(forecast, options, h, k);
        }
        result->shown =
            (volt_forecast_series){.struct_size = sizeof result->shown,
                                   .season = forecast->seasons[k],
                                   .rmse = rmse_of_steps(rmse, steps) * forecast->scale[k],
                                   .mase = volt_forecast_mase(&result->members, result->combination.error),
                                   .ets = result->members.ets,
                                   .member_weight = result->combination.weight,
                                   .member_rmse = result->member_rmse};
        warn_of_season(forecast, k);
        warn_about(forecast, k);
    }
    volt_free(rmse);
    return status;
}

/* ---- options and data ------------------------------------------------------------------------- */

static volt_status check_options(volt_view series, const volt_forecast_options *options)
{
    VOLT_REQUIRE(series.data && series.rows >= 0 && series.cols >= 1, VOLT_ERR_SHAPE,
                 "series must have at least one column (got %lld rows and %lld columns)",
                 (long long)series.rows, (long long)series.cols);
    VOLT_REQUIRE(options->kernel, VOLT_ERR_ARGUMENT, "kernel is NULL");
    VOLT_REQUIRE(options->steps >= 0 && options->steps <= VOLT_MAX_AHEAD, VOLT_ERR_ARGUMENT,
                 "steps must be 1 to %d, or 0 for the default (got %lld)", VOLT_MAX_AHEAD,
                 (long long)options->steps);
    VOLT_REQUIRE(options->season == VOLT_SEASON_AUTO || options->season == 0 || options->season >= 2,
                 VOLT_ERR_ARGUMENT, "season must be at least 2, 0 for none, or VOLT_SEASON_AUTO (got %lld)",
                 (long long)options->season);
    VOLT_REQUIRE(options->search_seconds >= 0 && isfinite(options->search_seconds), VOLT_ERR_ARGUMENT,
                 "search_seconds must be finite and at least 0 (got %g)", options->search_seconds);
    VOLT_REQUIRE(series.rows >= FORECAST_MIN_ROWS, VOLT_ERR_DATA, "%lld row%s: a forecast needs at least %d",
                 (long long)series.rows, series.rows == 1 ? "" : "s", FORECAST_MIN_ROWS);
    VOLT_REQUIRE(options->season <= series.rows / 2, VOLT_ERR_ARGUMENT,
                 "season must be at most half of the %lld rows (got %lld)", (long long)series.rows,
                 (long long)options->season);
    return volt_coverages_check(options->coverages, options->n_coverages);
}

static volt_status check_known(volt_view series, int64_t steps, volt_view known)
{
    if (!known.data)
        return VOLT_OK;
    VOLT_REQUIRE(known.rows == series.rows || known.rows >= series.rows + steps, VOLT_ERR_SHAPE,
                 "known must have the %lld rows of series, or at least %lld more for the steps to forecast "
                 "(got %lld)",
                 (long long)series.rows, (long long)steps, (long long)known.rows);
    int64_t used = known.rows > series.rows ? series.rows + steps : series.rows;
    for (int64_t i = 0; i < used; i++)
        for (int64_t j = 0; j < known.cols; j++)
            VOLT_REQUIRE(isfinite(known.data[i * known.ld + j]), VOLT_ERR_NOT_FINITE,
                         "row %lld, column %lld of known is %g", (long long)i, (long long)j,
                         known.data[i * known.ld + j]);
    return VOLT_OK;
}

static volt_status check_series(volt_view levels, const char *const *names)
{
    for (int64_t k = 0; k < levels.cols; k++) {
        char name[NAME_LENGTH];
        name_series(names, k, name);
        for (int64_t i = 0; i < levels.rows; i++) {
            double value = levels.data[i * levels.ld + k];
            VOLT_REQUIRE(isfinite(value), VOLT_ERR_NOT_FINITE, "row %lld of series %s is %g", (long long)i,
                         name, value);
        }
    }
    return VOLT_OK;
}

/* `future` is the number of rows for which the known inputs are given; 0: none. */
static int64_t choose_steps(int64_t asked, int64_t rows, const int64_t *seasons, int64_t series, int64_t future)
{
    if (asked > 0)
        return asked;
    int64_t steps = volt_min(volt_forecast_common_season(seasons, series), MAX_STEPS);
    steps = volt_max(1, volt_min(steps > 0 ? steps : FEW_STEPS, rows / 2));
    return future > 0 ? volt_min(steps, future) : steps;
}

int64_t volt_forecast_first_row(int64_t rows, int64_t steps, bool all_rows)
{
    int64_t most = (int64_t)cbrt(max_work / (double)steps);
    most = volt_max(most, volt_forecast_rows_for(steps));
    return all_rows || rows <= most ? 0 : rows - most;
}

static bool is_constant(const double *y, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (y[i] != y[0])
            return false;
    return true;
}

/* ---- steps of the task ------------------------------------------------------------------------ */

/* Allocates the arrays of one series. */
static volt_status create_series(volt_forecast *forecast, int64_t k, series_result *result)
{
    int64_t steps = forecast->info.steps, n = forecast->info.rows;
    forecast_origins origins = volt_forecast_origins(n, steps);
    int64_t each = steps * (1 + origins.count), count = (FORECAST_MEMBERS + 1) * each;
    result->numbers = volt_alloc_doubles(count, 1);
    if (!result->numbers)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++)
        result->numbers[i] = NAN;
    result->members = (forecast_series){.y = forecast->levels + k * n,
                                        .n = n,
                                        .season = forecast->seasons[k],
                                        .steps = steps,
                                        .origins = origins};
    for (int m = 0; m < FORECAST_MEMBERS; m++) {
        double *numbers = result->numbers + m * each;
        result->members.members[m] = (forecast_values){.value = numbers, .error = numbers + steps};
    }
    double *numbers = result->numbers + FORECAST_MEMBERS * each;
    result->combination = (forecast_combination){.value = numbers, .error = numbers + steps};
    forecast->info.origins = origins.count;
    return VOLT_OK;
}

/* Copies the scaled levels and finds their seasons. */
static volt_status find_seasons(volt_view series, const volt_forecast_options *options, volt_forecast *made)
{
    for (int64_t k = 0; k < series.cols; k++) {
        double *y = made->levels + k * series.rows;
        for (int64_t i = 0; i < series.rows; i++)
            y[i] = series.data[i * series.ld + k] / made->scale[k];
        made->seasons[k] = options->season;
        if (options->season == VOLT_SEASON_AUTO)
            VOLT_TRY(volt_forecast_season(y, series.rows, options->step, &made->seasons[k]));
    }
    return VOLT_OK;
}

/* Copies the levels of the rows used to the front. Seasons that these rows do not have twice are found in them again. */
static volt_status keep_rows_used(volt_view series, const volt_forecast_options *options, volt_forecast *made)
{
    int64_t rows = made->info.rows;
    for (int64_t k = 0; k < series.cols; k++) {
        double *y = made->levels + k * rows;
        for (int64_t i = 0; i < rows; i++)
            y[i] = made->levels[k * series.rows + made->info.first_row + i];
        if (rows < series.rows && options->season == VOLT_SEASON_AUTO && 2 * made->seasons[k] > rows)
            VOLT_TRY(volt_forecast_season(y, rows, options->step, &made->seasons[k]));
    }
    return VOLT_OK;
}

/* Seasons, number of steps, and the rows used. */
static volt_status plan(volt_view series, const volt_forecast_options *options, volt_forecast *made)
{
    volt_forecast_info *info = &made->info;
    made->scale = volt_alloc_doubles(series.cols, 1);
    made->seasons = volt_alloc(series.cols, sizeof *made->seasons);
    made->series = volt_alloc_zero(series.cols, sizeof *made->series);
    made->warnings = volt_alloc_zero(2 * series.cols, sizeof *made->warnings);
    made->levels = volt_alloc_doubles(series.rows, series.cols);
    if (!made->scale || !made->seasons || !made->series || !made->warnings || !made->levels)
        return VOLT_ERR_MEMORY;
    volt_target_scale_powers(series, made->scale);
    VOLT_TRY(find_seasons(series, options, made));
    made->calendar = options->season == VOLT_SEASON_AUTO ? volt_forecast_calendar(options->step) : 0;
    info->series = series.cols;
    info->members = FORECAST_MEMBERS;
    info->steps = choose_steps(options->steps, series.rows, made->seasons, series.cols,
                               options->known.data ? options->known.rows - series.rows : 0);
    info->first_row = volt_forecast_first_row(series.rows, info->steps, options->all_rows);
    if (options->season > 0) /* a given season at least twice */
        info->first_row =
            volt_min(info->first_row, volt_max(0, series.rows - 2 * volt_min(options->season, series.rows)));
    info->rows = series.rows - info->first_row;
    VOLT_TRY(keep_rows_used(series, options, made));
    made->step = volt_alloc_zero(info->steps * info->series, sizeof *made->step);
    made->ends = volt_alloc_doubles(2 * options->n_coverages * info->steps + 1, info->series);
    return made->step && made->ends ? check_known(series, info->steps, options->known) : VOLT_ERR_MEMORY;
}

/* Copies the series that are not constant, with their seasons, to `data`. */
static void take_changing(const volt_forecast *made, double *levels, int64_t *columns, forecast_data *data)
{
    int64_t rows = made->info.rows, count = 0, *seasons = columns + made->info.series;
    for (int64_t k = 0; k < made->info.series; k++)
        if (!is_constant(made->levels + k * rows, rows)) {
            columns[count] = k;
            seasons[count++] = made->seasons[k];
        }
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < rows; i++)
            levels[i * count + k] = made->levels[columns[k] * rows + i];
    data->levels = volt_view_of(levels, rows, count);
    data->columns = columns;
    data->seasons = seasons;
}

/* Kernel fits of the series that are not constant. */
static volt_status fit_kernel(const volt_forecast_options *options, volt_kernel **kernel, volt_forecast *made)
{
    volt_forecast_info *info = &made->info;
    double *levels = volt_alloc_doubles(info->rows, info->series);
    int64_t *columns = volt_alloc(2 * info->series, sizeof *columns);
    forecast_data data = {
        .steps = info->steps, .season_given = options->season != VOLT_SEASON_AUTO, .step = options->step};
    volt_status status = levels && columns ? VOLT_OK : VOLT_ERR_MEMORY;
    while (info->fitted_steps < info->steps && info->rows >= volt_forecast_rows_for(info->fitted_steps + 1))
        info->fitted_steps++;
    if (!status)
        take_changing(made, levels, columns, &data);
    if (options->known.data) {
        data.has_future = options->known.rows > info->first_row + info->rows;
        data.known =
            volt_view_rows(options->known, info->first_row, info->rows + (data.has_future ? info->steps : 0));
    }
    if (!status && data.levels.cols > 0 && options->search_seconds > 0)
        status = volt_forecast_search_run(&data, options, kernel, info);
    if (!status && data.levels.cols > 0)
        status = fit_steps(&data, *kernel, options, made);
    volt_free(levels);
    volt_free(columns);
    return status;
}

static volt_status make(volt_view series, const volt_forecast_options *options, volt_kernel **kernel,
                        volt_forecast *made)
{
    VOLT_TRY(volt_kernel_parse(options->kernel, kernel));
    VOLT_TRY(plan(series, options, made));
    for (int64_t k = 0; k < series.cols; k++) {
        VOLT_TRY(create_series(made, k, &made->series[k]));
        VOLT_TRY(volt_forecast_classical(&made->series[k].members));
    }
    VOLT_TRY(fit_kernel(options, kernel, made));
    for (int64_t k = 0; k < series.cols; k++)
        volt_forecast_combine(&made->series[k].members, &made->series[k].combination);
    snprintf(made->kernel, sizeof made->kernel, "%s", volt_kernel_text(*kernel));
    return summarise(made, options);
}

/* ---- missing values --------------------------------------------------------------------------- */

/* The first `rows` rows of `values` as a table; names may be NULL. */
static volt_status make_table(volt_view values, int64_t rows, const char *const *names, const volt_time *times,
                              volt_table **table)
{
    volt_table *made = volt_table_new(rows, values.cols);
    volt_status status = made ? VOLT_OK : VOLT_ERR_MEMORY;
    *table = made;
    if (!status && times) {
        made->times = volt_alloc(rows, sizeof *times);
        status = made->times ? VOLT_OK : VOLT_ERR_MEMORY;
        for (int64_t i = 0; i < rows && !status; i++)
            made->times[i] = times[i];
    }
    for (int64_t j = 0; j < values.cols && !status; j++) {
        char number[24];
        snprintf(number, sizeof number, "%lld", (long long)j);
        made->names[j] = volt_strdup(names ? names[j] : number);
        status = made->names[j] ? VOLT_OK : VOLT_ERR_MEMORY;
        for (int64_t i = 0; i < rows; i++)
            made->values[i * values.cols + j] = values.data[i * values.ld + j];
    }
    return status;
}

/* Joins the filled known inputs of the rows and those of the rows to forecast. */
static volt_status join_known(const volt_table *filled, int64_t rows, forecast_filling *made, volt_view *known)
{
    volt_view later = volt_view_rows(*known, rows, known->rows - rows);
    made->known = volt_alloc_doubles(filled->rows + later.rows, filled->cols);
    if (!made->known)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < filled->rows + later.rows; i++)
        for (int64_t j = 0; j < filled->cols; j++)
            made->known[i * filled->cols + j] = i < filled->rows
                                                    ? filled->values[i * filled->cols + j]
                                                    : later.data[(i - filled->rows) * later.ld + j];
    *known = volt_view_of(made->known, filled->rows + later.rows, filled->cols);
    return VOLT_OK;
}

static volt_status fill(volt_view *series, volt_forecast_options *options, forecast_filling *made)
{
    volt_table *known = NULL;
    volt_status status = make_table(*series, series->rows, options->names, options->times, &made->table);
    if (!status && options->known.data && options->known.rows >= series->rows)
        status = make_table(options->known, series->rows, NULL, NULL, &known);
    if (!status)
        status = volt_tables_fill(made->table, known, NULL);
    if (!status)
        status = volt_tables_clean(made->table, known, VOLT_MISSING_INTERPOLATE, NULL, 0);
    if (!status && known)
        status = join_known(known, series->rows, made, &options->known);
    if (!status) {
        *series = volt_table_view(made->table);
        options->times = made->table->times;
    }
    options->missing = VOLT_MISSING_ERROR;
    volt_table_free(known);
    return status;
}

/* Appends the calendar to the known inputs: of the rows, and of those after them whose inputs are known. Without other inputs
 * these are as many rows as can be forecast. */
static volt_status add_calendar(volt_view series, volt_forecast_options *options, forecast_filling *made)
{
    volt_view own = options->known;
    volt_calendar calendar = {.parts = options->calendar, .scale = 1};
    bool has_step = volt_time_step_is_known(options->step);
    VOLT_REQUIRE(options->times && series.rows >= 1, VOLT_ERR_ARGUMENT, "calendar requires times of the rows");
    VOLT_TRY(volt_calendar_columns(&calendar, NULL, volt_matrix_of(NULL, 0, 0)));
    int64_t rows = series.rows, steps = options->steps > 0 ? options->steps : VOLT_FORECAST_MAX_STEPS,
            more = own.data   ? volt_max(0, own.rows - rows)
                   : has_step ? volt_min(steps, VOLT_MAX_AHEAD)
                              : 0;
    VOLT_REQUIRE(more == 0 || has_step || options->future_times, VOLT_ERR_ARGUMENT,
                 "calendar requires dates of the future rows");
    VOLT_REQUIRE(!own.data || own.rows >= rows, VOLT_ERR_SHAPE,
                 "known must have the %lld rows of series, or more (got %lld)", (long long)rows,
                 (long long)own.rows);
    int64_t cols = (own.data ? own.cols : 0) + calendar.cols;
    double *joined = volt_alloc_doubles(rows + more, cols);
    volt_time *times = volt_alloc(rows + more, sizeof *times);
    volt_status status = joined && times ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; !status && i < rows + more; i++) {
        for (int64_t j = 0; j < cols - calendar.cols; j++)
            joined[i * cols + j] = own.data[i * own.ld + j];
        times[i] = i < rows ? options->times[i]
                   : options->future_times
                       ? options->future_times[i - rows]
                       : volt_time_advance(options->times[rows - 1], options->step, i - rows + 1);
    }
    if (!status)
        status = volt_calendar_columns(
            &calendar, times, (volt_matrix){joined + cols - calendar.cols, rows + more, calendar.cols, cols});
    volt_free(times);
    volt_free(made->known);
    made->known = joined;
    options->known = volt_view_of(joined, rows + more, cols);
    options->calendar = NULL;
    return status;
}

volt_status volt_forecast_fill(volt_view *series, volt_forecast_options *options, forecast_filling *made)
{
    *made = (forecast_filling){.table = NULL};
    VOLT_REQUIRE(options->missing == VOLT_MISSING_ERROR || options->missing == VOLT_MISSING_INTERPOLATE,
                 VOLT_ERR_ARGUMENT, "missing must be VOLT_MISSING_ERROR or VOLT_MISSING_INTERPOLATE (got %d)",
                 (int)options->missing);
    if (options->missing != VOLT_MISSING_ERROR && series->data && series->rows >= 1 && series->cols >= 1)
        VOLT_TRY(fill(series, options, made));
    return options->calendar ? add_calendar(*series, options, made) : VOLT_OK;
}

void volt_forecast_filling_release(forecast_filling *made)
{
    volt_table_free(made->table);
    volt_free(made->known);
}

static volt_status check(volt_view series, const volt_forecast_options *options)
{
    VOLT_TRY(check_options(series, options));
    return check_series(series, options->names);
}

volt_status volt_forecast_horizon(volt_view series, const volt_forecast_options *options, int64_t *steps)
{
    VOLT_TRY(check(series, options));
    volt_forecast *made = volt_alloc_zero(1, sizeof *made);
    volt_status status = made ? plan(series, options, made) : VOLT_ERR_MEMORY;
    if (!status)
        *steps = made->info.steps;
    volt_forecast_free(made);
    return status;
}

/* ---- public functions ------------------------------------------------------------------------- */

volt_status volt_forecast_run(volt_view series, const volt_forecast_options *options, volt_forecast **forecast)
{
    volt_forecast_options chosen = volt_forecast_options_default();
    VOLT_REQUIRE(forecast, VOLT_ERR_ARGUMENT, "forecast is NULL");
    *forecast = NULL;
    VOLT_TRY(volt_options_take(&chosen, sizeof chosen, options, "volt_forecast_options"));
    /* Hundreds of small fits: several threads take longer than one, ten times as long where other processes are busy. */
    int64_t before;
    volt_threads_begin(chosen.all_rows ? INFINITY : 0, &before);
    volt_kernel *kernel = NULL;
    volt_forecast *made = NULL;
    forecast_filling filling;
    volt_status status = volt_forecast_fill(&series, &chosen, &filling);
    if (!status)
        status = check(series, &chosen);
    if (!status) {
        made = volt_alloc_zero(1, sizeof *made);
        status = made ? make(series, &chosen, &kernel, made) : VOLT_ERR_MEMORY;
    }
    const volt_table *filled = filling.table;
    if (!status && filled) {
        made->info.inserted_rows = filled->inserted;
        made->info.interpolated = filled->interpolated + filled->filled_before + filled->filled_behind;
    }
    volt_forecast_filling_release(&filling);
    volt_kernel_free(kernel);
    volt_threads_end(before);
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
    for (int64_t k = 0; forecast->series && k < forecast->info.series; k++)
        volt_free(forecast->series[k].numbers);
    volt_free(forecast->step);
    volt_free(forecast->series);
    volt_free(forecast->ends);
    volt_free(forecast->scale);
    volt_free(forecast->levels);
    volt_free(forecast->seasons);
    volt_free(forecast->warnings);
    volt_free(forecast);
}

volt_status volt_forecast_get_info(const volt_forecast *forecast, volt_forecast_info *info)
{
    VOLT_REQUIRE(forecast && info, VOLT_ERR_ARGUMENT, "forecast and info must not be NULL");
    volt_forecast_info full = forecast->info;
    full.kernel = forecast->kernel;
    full.member_names = volt_forecast_method_names + 1;
    full.warnings = forecast->warnings;
    return volt_result_copy(info, &full, sizeof full, "volt_forecast_info");
}

const volt_forecast_step *volt_forecast_step_at(const volt_forecast *forecast, int64_t step, int64_t series)
{
    bool exists =
        forecast && step >= 0 && step < forecast->info.steps && series >= 0 && series < forecast->info.series;
    return exists ? &forecast->step[step * forecast->info.series + series].shown : NULL;
}

const volt_forecast_series *volt_forecast_series_at(const volt_forecast *forecast, int64_t series)
{
    bool exists = forecast && series >= 0 && series < forecast->info.series;
    return exists ? &forecast->series[series].shown : NULL;
}
