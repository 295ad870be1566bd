/* cli/series/series_forecast.c: the next rows of series, each step by a fit of its own, with the error to expect.
 *
 * One fit of all horizons would be cheaper, but what stood there a season before the target is another column for
 * every horizon, and so are the rows that may be held out: a fit of its own for each is what volterra fit --ahead H
 * does. Where a season clearly repeats itself better than the fit foresees it, the season is the forecast. */
#include "series/series_forecast.h"

#include "search/baseline_scores.h"
#include "series/series_group.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The seasonal naive forecast replaces another when it has less than this share of its squared error: the second where
 * there are too few blocks of held-out rows to be sure of the first. */
static const double season_share = 0.9, half_share = 0.5;
enum { MOST_BLOCKS = 8 };

const char *series_method_name(series_method method)
{
    static const char *const names[N_METHODS] = {
        [BY_FIT] = "fit", [BY_HALF] = "half-way", [BY_NAIVE] = "naive", [BY_SEASON] = "seasonal naive"};
    return names[method];
}

/* ---- one step --------------------------------------------------------------------------------- */

/* Progress of all fits together. */
typedef struct progress_share {
    volt_progress whole;
    double done, each;
} progress_share;

static int on_share(const char *stage, double fraction, void *context)
{
    progress_share *share = context;
    return share->whole.report(stage, share->done + fraction * share->each, share->whole.context);
}

/* What needs no model, on the rows that were held out. */
static int measure_baselines(const series_data *data, int64_t k, int64_t ahead, const volt_fit_report *report,
                             series_step *step)
{
    baseline_list list = {0};
    volt_matrix levels = data->levels;
    training_data column = {
        .series = {levels.data + k, levels.rows, 1, levels.ld}, .ahead = ahead, .first_ahead = ahead};
    int failed = baselines_measure(&column, data->seasons[k], report->first, report->rows, 0, &list);
    for (int kind = 0; kind < VOLT_BASELINES; kind++) {
        step->baselines[kind] = NAN;
        for (int i = 0; i < list.count; i++)
            if (strcmp(list.scores[i].name, volt_baseline_name((volt_baseline)kind)) == 0)
                step->baselines[kind] = list.scores[i].mse;
    }
    return failed;
}

/* Is a season ago closer than the present value in every block of consecutive held-out rows (of eight in seven)? Their
 * means alone would let a few good years decide. Blocks are as long as the step, over which errors
 * overlap, or longer, where there are rows enough for two. */
static bool season_wins_blocks(const series_data *data, int64_t k, int64_t ahead, int64_t back,
                               const volt_fit_report *report, int64_t blocks)
{
    int64_t won = 0;
    for (int64_t b = 0; b < blocks; b++) {
        double gain = 0;
        for (int64_t i = b * report->rows / blocks; i < (b + 1) * report->rows / blocks; i++) {
            const double *target = data->levels.data + (report->first + i + ahead) * data->levels.ld + k;
            gain += pow(target[0] - target[-ahead * data->levels.ld], 2) -
                    pow(target[0] - target[-back * data->levels.ld], 2);
        }
        won += gain > 0;
    }
    return won >= (blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS - 1);
}

/* A season that clearly repeats itself beats both the fit and the present value. */
static void consider_season(const series_data *data, int64_t k, int64_t ahead, const volt_fit_report *report,
                            series_step *step)
{
    int64_t season = data->seasons[k], rows = data->levels.rows, blocks = report->rows / ahead;
    if (season < 2 || report->rows < 2)
        return;
    blocks = blocks < 2 ? 2 : blocks > MOST_BLOCKS ? MOST_BLOCKS : blocks;
    double share = blocks < MOST_BLOCKS / 2 ? half_share : season_share;
    int64_t back = season * ((ahead + season - 1) / season);
    if (!(step->baselines[VOLT_BASELINE_SEASONAL] <
          share * fmin(step->mse, step->baselines[VOLT_BASELINE_NAIVE])) ||
        !season_wins_blocks(data, k, ahead, back, report, blocks))
        return;
    step->value = data->levels.data[(rows - 1 + ahead - back) * data->levels.ld + k];
    step->mse = step->baselines[VOLT_BASELINE_SEASONAL];
    step->method = BY_SEASON;
}

/* Read what the fit of a step says of its series; `forecast` is its row of scaled outputs. */
static int take_step(const series_data *data, const series_group *group, const volt_model *model,
                     const double *forecast, series_step *steps)
{
    volt_model_info info;
    volt_model_describe(model, &info);
    const volt_fit_report *report = info.report;
    int failed = 0;
    for (int64_t k = 0; k < group->count && !failed; k++) {
        series_step *step = &steps[group->first + k];
        double unit = group->scale[k] * group->scale[k];
        step->value = forecast[k] * group->scale[k];
        step->mse = report->mse[k] * unit;
        step->best_mse = report->best_mse[k] * unit;
        step->method = report->share[k] == 0 ? BY_NAIVE : report->share[k] < 1 ? BY_HALF : BY_FIT;
        step->is_change = info.anchors[k] >= 0;
        failed = measure_baselines(data, group->first + k, info.ahead, report, step);
        if (!failed)
            consider_season(data, group->first + k, info.ahead, report, step);
    }
    return failed;
}

static int fit_step(const series_data *data, const series_group *group, const volt_kernel *kernel,
                    int64_t ahead, volt_progress progress, series_forecast *forecast)
{
    volt_view last = volt_view_rows(volt_as_view(group->inputs), group->inputs.rows - ahead, ahead);
    volt_predict_options going_on = volt_predict_options_default();
    volt_model *model = NULL;
    volt_matrix out = {0};
    int failed = allocate_matrix(ahead, group->count, "the forecast", &out);
    if (failed)
        return failed;
    volt_status status = series_group_fit(group, kernel, group->inputs.rows, ahead, progress, &model);
    if (!status)
        status = volt_model_predict(model, last, &going_on, out, NULL);
    if (status == VOLT_ERR_MEMORY)
        failed = complain_status_hint(status, " (--rows -1000: takes the last 1000 rows)");
    else if (status)
        failed = complain_status(status);
    if (!failed) {
        volt_model_info info;
        volt_model_describe(model, &info);
        if (info.report->rows == 0)
            failed = complain(EXIT_FAILED, "%s has too few rows to hold any out %lld steps ahead",
                              data->file.source, (long long)ahead);
        forecast->heldout = ahead == 1 ? info.report->rows : forecast->heldout;
        forecast->heldout_last = info.report->rows;
        if (!failed)
            failed = take_step(data, group, model, out.data + (ahead - 1) * out.ld,
                               series_step_at(forecast, ahead - 1, 0));
    }
    volt_model_free(model);
    free(out.data);
    return failed;
}

/* ---- all steps -------------------------------------------------------------------------------- */

int series_forecast_make(const series_data *data, const volt_kernel *kernel, bool alone, bool quiet,
                         series_forecast *forecast)
{
    int64_t series = data->levels.cols, groups = alone ? series : 1, each = alone ? 1 : series;
    forecast->steps = data->steps;
    forecast->series = series;
    forecast->step = calloc((size_t)(data->steps * series), sizeof *forecast->step);
    if (!forecast->step)
        return complain(EXIT_FAILED, "not enough memory for %lld steps of %lld series", (long long)data->steps,
                        (long long)series);
    progress_share share = {.whole = progress_begin(quiet), .each = 1 / (double)(groups * data->steps)};
    int failed = 0;
    for (int64_t g = 0; g < groups && !failed; g++) {
        series_group group = {0};
        failed = series_group_make(data, g * each, each, &group);
        for (int64_t ahead = 1; ahead <= data->steps && !failed; ahead++) {
            char text[64];
            snprintf(text, sizeof text, "step %lld of %lld", (long long)ahead, (long long)data->steps);
            progress_describe(text);
            failed = fit_step(data, &group, kernel, ahead, (volt_progress){on_share, &share}, forecast);
            share.done += share.each;
        }
        series_group_release(&group);
    }
    progress_end();
    return failed;
}

void series_forecast_release(series_forecast *forecast)
{
    free(forecast->step);
    memset(forecast, 0, sizeof *forecast);
}

/* ---- sums ------------------------------------------------------------------------------------- */

double series_mean_mse(const series_forecast *forecast, int64_t series)
{
    double sum = 0;
    for (int64_t h = 0; h < forecast->steps; h++)
        sum += series_step_at(forecast, h, series)->mse / (double)forecast->steps;
    return sum;
}

double series_baseline_mse(const series_forecast *forecast, int64_t series, volt_baseline kind)
{
    double sum = 0;
    for (int64_t h = 0; h < forecast->steps; h++)
        sum += series_step_at(forecast, h, series)->baselines[kind] / (double)forecast->steps;
    return sum;
}

int64_t series_count_method(const series_forecast *forecast, int64_t series, series_method method)
{
    int64_t count = 0;
    for (int64_t h = 0; h < forecast->steps; h++)
        count += series_step_at(forecast, h, series)->method == method;
    return count;
}
