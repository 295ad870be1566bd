/* src/task/series_forecast.c: the next rows of series: kernel fits and classical methods, combined.
 *
 * One fit of all horizons would be cheaper, but the value one season before the target is a different column
 * for every horizon, and so are the rows that may be held out. Each step is therefore a volt_model_fit with
 * that `ahead`. */
#include "base/error.h"

#include "base/blas.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/threads.h"
#include "io/series/series_list.h"
#include "io/table/table.h"
#include "io/time/time_grid.h"
#include "io/time/time_text.h"
#include "kernel/kernel_entry.h"
#include "model/model_internal.h"
#include "model/recipe.h"
#include "stats/classical.h"
#include "stats/stats_internal.h"
#include "task/series_forecast.h"
#include "text/text.h"
#include "volterra/select.h"
#include "volterra/stats.h"
#include "volterra/task.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- the season --------------------------------------------------------------------------------- */

/* The season of a series that is forecast. */

enum { MAX_PERIODS = 2 };

/* Periods of the calendar in rows; returns their number. */
static int calendar_periods(volt_time_step step, int64_t periods[MAX_PERIODS])
{
    int count = 0, n_lengths = step.closed_weekdays ? 1 : 2; /* holidays shift a week of open days */
    const double day = 86400, lengths[] = {day, 7 * day};
    if (step.months > 0 && step.months < 12 && 12 % step.months == 0)
        periods[count++] = 12 / step.months;
    if (step.months > 0)
        return count;
    if (step.seconds == 604800)
        periods[count++] = 52;
    for (int i = 0; i < n_lengths && step.seconds > 0; i++) {
        double rows = lengths[i] / step.seconds;
        if (rows >= 2 && rows <= 2016 && rows == floor(rows))
            periods[count++] = (int64_t)rows;
    }
    return count;
}

int64_t volt_forecast_calendar(volt_time_step step)
{
    int64_t periods[MAX_PERIODS];
    return calendar_periods(step, periods) > 0 ? periods[0] : 0;
}

/* Mean absolute difference of values `lag` rows apart. */
static double mean_gap(const double *y, int64_t n, int64_t lag)
{
    double sum = 0;
    for (int64_t t = lag; t < n; t++)
        sum += fabs(y[t] - y[t - lag]);
    return sum / (double)(n - lag);
}

/* Whether the means of the S phases of a season differ at the level 5 %: an F test of the series without its trend, a
 * centred moving average over one season. Paulson's approximation of the F distribution. */
static bool repeats(const double *y, int64_t n, int64_t S, double *means)
{
    static const double bound = 1.645; /* normal quantile of 0.95 */
    int64_t half = S / 2, rows = n - 2 * half;
    double between = 0, total = 0, mean = 0;
    if (rows < S + 2)
        return false;
    for (int64_t j = 0; j < S; j++)
        means[j] = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t t = half; t < n - half; t++) {
            double trend = S % 2 == 0 ? -(y[t - half] + y[t + half]) / 2 : 0;
            for (int64_t i = t - half; i <= t + half; i++)
                trend += y[i];
            double x = y[t] - trend / (double)S;
            int64_t j = t % S, count = rows / S + ((t - half) % S < rows % S);
            if (pass == 0) {
                means[j] += x / (double)count;
                mean += x / (double)rows;
            } else {
                total += (x - mean) * (x - mean);
                between += (means[j] - mean) * (means[j] - mean);
            }
        }
    double a = (double)(S - 1), b = (double)(rows - S), within = total - between;
    if (!(within > 0))
        return between > 0;
    double root = cbrt(between / a / (within / b)), u = 2 / (9 * a), v = 2 / (9 * b);
    return (1 - v) * root - (1 - u) > bound * sqrt(v * root * root + u);
}

volt_status volt_forecast_season(const double *y, int64_t n, volt_time_step step, int64_t *season)
{
    int64_t periods[MAX_PERIODS];
    int count = calendar_periods(step, periods);
    double least = INFINITY, *means = volt_alloc_doubles(n, 1);
    *season = 0;
    if (!means)
        return VOLT_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        if (!repeats(y, n, periods[i], means))
            continue;
        double gap = mean_gap(y, n, periods[i]);
        if (gap < least)
            *season = periods[i];
        least = fmin(gap, least);
    }
    volt_free(means);
    return *season > 0 ? VOLT_OK : volt_season_find(y, n, 1, season);
}

bool volt_forecast_is_calendar(volt_time_step step, int64_t season)
{
    int64_t periods[MAX_PERIODS];
    int count = calendar_periods(step, periods);
    for (int i = 0; i < count; i++)
        if (periods[i] == season)
            return true;
    return false;
}

/* The season of several series in one fit, independent of their order: the most frequent one, the shortest of several; 0: none
 * has a season. */
static int64_t forecast_common_season(const int64_t *seasons, int64_t count)
{
    int64_t best = 0, most = 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t same = 0;
        for (int64_t i = 0; i < count; i++)
            same += seasons[i] == seasons[k];
        if (seasons[k] > 0 && (same > most || (same == most && seasons[k] < best))) {
            best = seasons[k];
            most = same;
        }
    }
    return best;
}

/* ---- classical members -------------------------------------------------------------------------- */

/* Classical methods and baselines at the end of a series and at earlier rows. */

const char *const volt_forecast_method_names[1 + FORECAST_MEMBERS] = {
    "forecast",
    [1 + VOLT_MEMBER_KERNEL] = "kernel",
    [1 + VOLT_MEMBER_THETA] = "theta",
    [1 + VOLT_MEMBER_ETS] = "ets",
    [1 + VOLT_MEMBER_NAIVE] = "naive",
    [1 + VOLT_MEMBER_DRIFT] = "drift",
    [1 + VOLT_MEMBER_AR] = "autoregression",
    [1 + VOLT_MEMBER_SEASONAL] = "seasonal naive",
};

/* Chooses the origins of n >= 3 rows: spread over the later half, and earlier where that is needed to measure all
 * steps twice. */
static forecast_origins volt_forecast_origins(int64_t n, int64_t steps)
{
    forecast_origins origins = {0};
    int64_t first = volt_max(volt_min(n / 2, n - steps - 1), FORECAST_MIN_ROWS), last = n - 1;
    int64_t possible = last - first + 1;
    if (possible < 1)
        return origins;
    origins.count = volt_min(possible, FORECAST_ORIGINS);
    for (int64_t j = 0; j < origins.count; j++)
        origins.known[j] = origins.count == 1 ? last : first + j * (last - first) / (origins.count - 1);
    return origins;
}

/* Form and parameters of the smoothing of all rows, where the fit at an earlier origin begins. */
typedef struct member_fit {
    volt_ets_info ets;
    bool has_ets;
} member_fit;

static void forecast_baseline(volt_forecast_member member, const forecast_series *series, int64_t known,
                              double *mean)
{
    const double *y = series->y;
    double change = known > 1 ? (y[known - 1] - y[0]) / (double)(known - 1) : 0;
    int64_t S = series->season;
    for (int64_t h = 1; h <= series->steps; h++) {
        int64_t back = S >= 2 ? (h + S - 1) / S * S : 0;
        if (member == VOLT_MEMBER_NAIVE || member == VOLT_MEMBER_AR) /* too few rows for an autoregression */
            mean[h - 1] = y[known - 1];
        else if (member == VOLT_MEMBER_DRIFT)
            mean[h - 1] = y[known - 1] + (double)h * change;
        else
            mean[h - 1] = S >= 2 && known - 1 + h >= back ? y[known - 1 + h - back] : NAN;
    }
}

/* Forecasts all steps from the first `known` rows. */
static volt_status forecast_from(volt_forecast_member member, const forecast_series *series, int64_t known,
                                 member_fit *fit, double *mean)
{
    if (member == VOLT_MEMBER_THETA)
        return volt_theta_forecast(VOLT_THETA_OPTIMISED, series->y, known, series->season, series->steps, mean,
                                   NULL);
    if (member == VOLT_MEMBER_AR && known >= VOLT_SEASONAL_AR_ROWS)
        return volt_seasonal_ar_forecast(series->y, known, series->season, series->steps, mean);
    if (member != VOLT_MEMBER_ETS) {
        forecast_baseline(member, series, known, mean);
        return VOLT_OK;
    }
    volt_ets_info info;
    VOLT_TRY(volt_ets_forecast(series->y, known, series->season, series->steps, fit->has_ets ? &fit->ets : NULL,
                               mean, NULL, &info));
    if (!fit->has_ets)
        fit->ets = info;
    fit->has_ets = true;
    return VOLT_OK;
}

static volt_status forecast_member(volt_forecast_member member, forecast_series *series)
{
    forecast_values *values = &series->members[member];
    int64_t steps = series->steps;
    member_fit fit = {0};
    VOLT_TRY(forecast_from(member, series, series->n, &fit, values->value));
    for (int64_t j = 0; j < series->origins.count; j++) {
        int64_t known = series->origins.known[j];
        double *error = values->error + j * steps;
        VOLT_TRY(forecast_from(member, series, known, &fit, error));
        for (int64_t h = 0; h < steps; h++)
            error[h] = known + h < series->n ? series->y[known + h] - error[h] : NAN;
    }
    if (member == VOLT_MEMBER_ETS)
        volt_ets_name(fit.ets.form, series->ets);
    return VOLT_OK;
}

/* ---- the model of one or several series --------------------------------------------------------- */

/* Series that are forecast from each other, and a fit of them. */

static double spread_of(volt_view levels, int64_t k)
{
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < levels.rows; i++)
        mean += (levels.data[i * levels.ld + k] - mean) / (double)(i + 1);
    for (int64_t i = 0; i < levels.rows; i++) {
        double gap = levels.data[i * levels.ld + k] - mean;
        variance += gap * gap / (double)levels.rows;
    }
    return sqrt(variance);
}

/* Sets the phases of the season in the rows that are forecast. */
static void set_phases(forecast_group *group, int64_t ahead)
{
    static const double spread = 0.5; /* relative to the series */
    int64_t first = group->inputs.cols - group->phases;
    for (int64_t j = 0; j < group->phases; j++)
        for (int64_t i = 0; i < group->inputs.rows; i++)
            group->inputs.data[i * group->inputs.ld + first + j] =
                spread * volt_season_phase(group->season, j, i + ahead);
}

/* Sets the known inputs for a forecast `ahead` rows ahead, each divided by its spread. */
static void set_known(forecast_group *group, int64_t ahead)
{
    volt_view known = group->data->known;
    int64_t shift = group->data->has_future ? ahead : 0;
    for (int64_t j = 0; known.data && j < known.cols; j++) {
        double spread = spread_of(known, j);
        for (int64_t i = 0; i < group->inputs.rows; i++)
            group->inputs.data[i * group->inputs.ld + group->count + j] =
                known.data[(i + shift) * known.ld + j] / (spread > 0 ? spread : 1);
    }
}

/* A fit scales all its inputs by one number, so series of different units are brought to one spread. */
volt_status volt_forecast_group_create(const forecast_data *data, int64_t first, int64_t count,
                                       forecast_group *group)
{
    volt_view levels = data->levels;
    int64_t rows = levels.rows, more = data->known.data ? data->known.cols : 0;
    group->data = data;
    group->first = first;
    group->count = count;
    group->season = forecast_common_season(data->seasons + first, count);
    /* A period found in the autocorrelations may not be constant, as in a chaotic series. */
    if (data->season_given || volt_forecast_is_calendar(data->step, group->season))
        group->phases = volt_season_phases(group->season, rows);
    more += group->phases;
    group->scale = volt_alloc_doubles(1, count);
    group->anchors = volt_alloc(count, sizeof *group->anchors);
    group->inputs = volt_matrix_of(volt_alloc_doubles(rows, count + more), rows, count + more);
    if (!group->scale || !group->anchors || !group->inputs.data)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        group->anchors[k] = k;
        group->scale[k] = spread_of(levels, first + k); /* positive: the series is not constant */
        for (int64_t i = 0; i < rows; i++)
            group->inputs.data[i * group->inputs.ld + k] =
                levels.data[i * levels.ld + first + k] / group->scale[k];
    }
    set_known(group, 1);
    set_phases(group, 1);
    return VOLT_OK;
}

void volt_forecast_group_release(forecast_group *group)
{
    volt_free(group->inputs.data);
    volt_free(group->scale);
    volt_free(group->anchors);
}

/* Alpha changes little from one step to the next. It is chosen at steps 1, 2, 4, 8 ..., near the last choice, and kept in
 * between. The guard against the naive forecast is applied at every step. */
static void choose_alpha(const forecast_group *group, int64_t ahead, volt_fit_options *options)
{
    int64_t power = 1;
    while (power < ahead)
        power *= 2;
    if (group->alpha == 0 || ahead == 1)
        return;
    if (power == ahead || group->is_level || isinf(group->alpha)) {
        options->alpha_start = group->alpha;
        return;
    }
    options->alpha = group->alpha;
    options->target = VOLT_TARGET_CHANGE;
    options->input = VOLT_INPUT_BOTH;
    options->guarded = 1;
}

static void keep_choice(const volt_model *model, forecast_group *group)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    if (group->count > 1 || info.report->rows == 0)
        return;
    group->alpha = info.report->best_alpha[0];
    group->is_level = info.anchors[0] < 0 && info.report->share[0] > 0;
}

/* Whether a series or a known input changes in the first `rows` rows. */
static bool has_changes(const forecast_group *group, int64_t rows)
{
    int64_t cols = group->inputs.cols - group->phases;
    for (int64_t i = 1; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            if (group->inputs.data[i * group->inputs.ld + j] != group->inputs.data[j])
                return true;
    return false;
}

volt_status volt_forecast_group_fit(forecast_group *group, const volt_kernel *kernel, int64_t rows,
                                    int64_t ahead, volt_progress progress, volt_model **model)
{
    *model = NULL;
    set_known(group, ahead);
    if (!has_changes(group, rows - ahead))
        return VOLT_OK;
    set_phases(group, ahead);
    volt_view inputs = volt_view_rows(volt_as_view(group->inputs), 0, rows);
    int64_t pairs = rows - ahead;
    volt_view targets = {inputs.data + ahead * inputs.ld, pairs, group->count, inputs.ld};
    volt_fit_options options = volt_fit_options_default();
    options.ahead = ahead;
    options.anchors = group->anchors;
    options.season = group->season;
    options.passthrough_columns = inputs.cols - group->count;
    options.progress = progress;
    choose_alpha(group, ahead, &options);
    VOLT_TRY(volt_model_fit(kernel, volt_view_rows(inputs, 0, pairs), targets, &options,
                            volt_matrix_of(NULL, 0, 0), model));
    if (options.alpha == 0)
        keep_choice(*model, group);
    return VOLT_OK;
}

/* Least number of rows for a kernel fit of step `step` with held-out errors. */
static int64_t forecast_rows_for(int64_t step)
{
    /* Held-out rows begin after 2 steps + 2 of the n - steps pairs (volt_fit_report), and a few are needed. */
    return 3 * step + 10;
}

/* ---- the search --------------------------------------------------------------------------------- */

/* Searches the parameters of a kernel for a forecast of series. */

/* The score of the best of many candidates is optimistic: on the last quarter of the rows its MSE must be
 * below this share of the MSE of the given kernel. */
static const double clearly_less = 0.95;

enum { MAX_HORIZONS = 3, TEST_SHARE = 4 };

/* Common to all candidates. */
typedef struct trials {
    const forecast_data *data;
    forecast_group *groups;
    int64_t n_groups;
    int64_t learn_rows; /* the first ones; the others are the test */
    int64_t horizons[MAX_HORIZONS];
    int n_horizons;
    volt_progress progress;
    double began, seconds;
    char stage[96];
} trials;

/* A candidate and its mean squared errors relative to the naive forecast's. */
typedef struct scored_kernel {
    volt_kernel *kernel;
    double heldout, test;
} scored_kernel;

/* Reports the share of the time that has passed. */
static int report_time(const char *stage, double fraction, void *context)
{
    const trials *all = context;
    (void)stage;
    (void)fraction;
    if (!all->progress.report)
        return 0;
    return all->progress.report(all->stage, fmin(1, (volt_seconds() - all->began) / all->seconds),
                                all->progress.context);
}

/* Adds the MSE relative to the naive forecast's on the test rows, for every series of the group. */
static volt_status test_model(const trials *all, const forecast_group *group, const volt_model *model,
                              int64_t ahead, double *sum)
{
    volt_view inputs = volt_as_view(group->inputs);
    int64_t first = all->learn_rows - ahead, rows = inputs.rows - all->learn_rows; /* origins with a target */
    volt_predict_options options = volt_predict_options_default();
    double *values = volt_alloc_doubles(rows + 1, group->count);
    if (!values)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_model_predict(model, volt_view_rows(inputs, first, rows), &options,
                                            volt_matrix_of(values, rows, group->count), NULL);
    for (int64_t k = 0; !status && k < group->count; k++) {
        double error = 0, naive = 0;
        for (int64_t i = ahead - 1; i < rows; i++) { /* origins after all training rows */
            double truth = inputs.data[(first + i + ahead) * inputs.ld + k];
            error += pow(values[i * group->count + k] - truth, 2);
            naive += pow(inputs.data[(first + i) * inputs.ld + k] - truth, 2);
        }
        *sum += naive > 0 ? error / naive : 1;
    }
    volt_free(values);
    return status;
}

/* Scores a candidate: means over series and horizons, infinite for a kernel that cannot be fitted. */
static volt_status try_kernel(const trials *all, scored_kernel *candidate)
{
    double heldout = 0, test = 0;
    int64_t fits = 0;
    volt_status status = VOLT_OK;
    for (int64_t g = 0; g < all->n_groups && !status; g++)
        for (int i = 0; i < all->n_horizons && !status; i++) {
            forecast_group *group = &all->groups[g];
            volt_model *model = NULL;
            volt_model_info info = {.struct_size = sizeof info};
            status = volt_forecast_group_fit(group, candidate->kernel, all->learn_rows, all->horizons[i],
                                             (volt_progress){report_time, (void *)all}, &model);
            fits += model ? group->count : 0;
            if (model) {
                volt_model_get_info(model, &info);
                for (int64_t k = 0; k < group->count; k++)
                    heldout +=
                        info.report->naive_mse[k] > 0 ? info.report->mse[k] / info.report->naive_mse[k] : 1;
                status = test_model(all, group, model, all->horizons[i], &test);
            }
            volt_model_free(model);
        }
    if (status == VOLT_ERR_CANCELLED || status == VOLT_ERR_MEMORY)
        return status;
    bool failed = status || fits == 0;
    candidate->heldout = failed || !isfinite(heldout) ? INFINITY : heldout / (double)fits;
    candidate->test = failed || !isfinite(test) ? INFINITY : test / (double)fits;
    return report_time(NULL, 0, (void *)all) ? volt_fail(VOLT_ERR_CANCELLED, "cancelled") : VOLT_OK;
}

static volt_status make_trials(const forecast_data *data, const volt_forecast_options *options, trials *all)
{
    int64_t series = data->levels.cols, each = options->separate ? 1 : series;
    const int64_t wanted[MAX_HORIZONS] = {1, (data->steps + 1) / 2, data->steps};
    *all = (trials){.data = data,
                    .n_groups = series / each,
                    .learn_rows = data->levels.rows - data->levels.rows / TEST_SHARE,
                    .progress = options->progress,
                    .seconds = options->search_seconds,
                    .began = volt_seconds(),
                    .stage = "search"};
    for (int i = 0; i < MAX_HORIZONS; i++)
        if (i == 0 || wanted[i] > all->horizons[all->n_horizons - 1])
            all->horizons[all->n_horizons++] = wanted[i];
    all->groups = volt_alloc_zero(all->n_groups, sizeof *all->groups);
    if (!all->groups)
        return VOLT_ERR_MEMORY;
    for (int64_t g = 0; g < all->n_groups; g++)
        VOLT_TRY(volt_forecast_group_create(data, g * each, each, &all->groups[g]));
    return VOLT_OK;
}

static void release_trials(trials *all)
{
    for (int64_t g = 0; all->groups && g < all->n_groups; g++)
        volt_forecast_group_release(&all->groups[g]);
    volt_free(all->groups);
}

/* Draws until the time is up; *best, which begins as the kernel given, becomes the best candidate. */
static volt_status draw_kernels(trials *all, const volt_candidates *candidates, scored_kernel *best,
                                int64_t *draws)
{
    double longest = volt_seconds() - all->began; /* time of the given kernel */
    /* The forecast that follows has more steps and more rows. */
    double rest = (double)all->data->steps / all->n_horizons *
                  pow((double)all->data->levels.rows / (double)all->learn_rows, 3);
    volt_status status = VOLT_OK;
    while (!status && volt_seconds() - all->began + (1 + rest) * longest < all->seconds) {
        char text[VOLT_KERNEL_LENGTH];
        double alpha, start = volt_seconds();
        scored_kernel drawn = {.heldout = INFINITY, .test = INFINITY};
        snprintf(all->stage, sizeof all->stage, "draw %lld, best MSE %.4g of naive", (long long)*draws + 1,
                 best->heldout);
        status = volt_candidates_get(candidates, *draws, text, &alpha, NULL);
        if (!status)
            status = volt_kernel_parse(text, &drawn.kernel);
        if (!status)
            status = try_kernel(all, &drawn);
        if (!status && drawn.heldout < best->heldout) {
            scored_kernel old = *best;
            *best = drawn;
            drawn = old;
        }
        volt_kernel_free(drawn.kernel);
        ++*draws;
        longest = fmax(longest, volt_seconds() - start);
    }
    return status;
}

/* Keeps the best candidate if it is also better on the last quarter of the rows. */
static void choose_kernel(const scored_kernel *given, scored_kernel *best, volt_kernel **kernel,
                          volt_forecast_info *info)
{
    info->search_mse = best->test;
    info->search_mse_given = given->test;
    if (info->search_draws == 0)
        info->search = VOLT_FORECAST_SEARCH_TIME;
    else if (!(best->heldout < given->heldout))
        info->search = VOLT_FORECAST_SEARCH_WORSE;
    else if (!(best->test < clearly_less * given->test))
        info->search = VOLT_FORECAST_SEARCH_REJECTED;
    else {
        volt_kernel *old = *kernel;
        *kernel = best->kernel;
        best->kernel = old;
        info->search = VOLT_FORECAST_SEARCH_ACCEPTED;
    }
}

volt_status volt_forecast_search_run(const forecast_data *data, const volt_forecast_options *options,
                                     volt_kernel **kernel, volt_forecast_info *info)
{
    trials all;
    volt_candidates *candidates = NULL;
    scored_kernel best = {.heldout = INFINITY, .test = INFINITY};
    volt_draw_options drawing = volt_draw_options_default();
    drawing.seed = options->seed;
    volt_status status = make_trials(data, options, &all);
    if (!status && all.learn_rows < forecast_rows_for(data->steps)) {
        info->search = VOLT_FORECAST_SEARCH_ROWS;
        release_trials(&all);
        return VOLT_OK;
    }
    if (!status)
        status =
            volt_candidates_draw(options->kernel, volt_as_view(all.groups[0].inputs), &drawing, &candidates);
    if (!status)
        status = volt_kernel_parse(volt_kernel_text(*kernel), &best.kernel);
    if (!status)
        status = try_kernel(&all, &best);
    scored_kernel given = best;
    if (!status)
        status = draw_kernels(&all, candidates, &best, &info->search_draws);
    if (!status)
        choose_kernel(&given, &best, kernel, info);
    volt_kernel_free(best.kernel);
    volt_candidates_free(candidates);
    release_trials(&all);
    return status;
}

/* ---- the combination ---------------------------------------------------------------------------- */

/* The weighted mean of the members of a forecast, its expected errors and intervals. */

/* Root mean squared error of every step, from origins x steps errors; NaN: none. */
static void forecast_rmse(const forecast_series *series, const double *error, double *rmse)
{
    for (int64_t h = 0; h < series->steps; h++) {
        double sum = 0;
        int64_t count = 0;
        for (int64_t j = 0; j < series->origins.count; j++) {
            double e = error[j * series->steps + h];
            if (!isnan(e)) {
                sum += e * e;
                count++;
            }
        }
        rmse[h] = count > 0 ? sqrt(sum / (double)count) : NAN;
    }
}

/* ---- weights ---------------------------------------------------------------------------------- */

/* The rows from which on an autoregression takes part, and the origins after which an error counts half. */
enum { PARTS = 5, AR_ROWS = 60, HALF_LIFE = 8 };

/* A forecast that takes part in the weighted mean. The first one is Theta, the second one the kernel. */
typedef struct forecast_part {
    const double *value, *error;
    double weight;
} forecast_part;

/* Error of a part relative to that of the first one, where both are known; NaN: nowhere. The mean absolute errors of the
 * origins are averaged by their square roots, so that a crisis at one of them does not decide, and recent ones count more. */
static double relative_error(const forecast_series *series, const forecast_part *part,
                             const forecast_part *first)
{
    double sum = 0, other = 0;
    for (int64_t j = 0; j < series->origins.count; j++) {
        double errors = 0, others = 0;
        int64_t count = 0;
        for (int64_t i = j * series->steps; i < (j + 1) * series->steps; i++)
            if (!isnan(part->error[i]) && !isnan(first->error[i])) {
                errors += fabs(part->error[i]);
                others += fabs(first->error[i]);
                count++;
            }
        double recent = exp2(-(double)(series->origins.count - 1 - j) / HALF_LIFE);
        sum += count > 0 ? recent * sqrt(errors / (double)count) : 0;
        other += count > 0 ? recent * sqrt(others / (double)count) : 0;
    }
    return other > 0 ? pow(sum / other, 2) : NAN;
}

/* Sets the weights, proportional to the power -4 of the relative error; parts whose errors are unknown have weight 0. */
static void set_weights(const forecast_series *series, forecast_part *parts, int n)
{
    static const double least = 1e-12; /* of the error of the first part */
    double total = 0;
    for (int i = 0; i < n; i++) {
        double error = i == 0 ? 1 : relative_error(series, &parts[i], &parts[0]);
        parts[i].weight = isnan(error) ? 0 : 1 / pow(fmax(error, least), 4);
        total += parts[i].weight;
    }
    for (int i = 0; i < n; i++)
        parts[i].weight /= total;
}

/* Sets errors below the rounding of the largest value to 0, as of an exactly periodic series. */
static void drop_rounding(const forecast_series *series, double *error, int64_t count)
{
    double largest = 0;
    for (int64_t t = 0; t < series->n; t++)
        largest = fmax(largest, fabs(series->y[t]));
    for (int64_t i = 0; i < count; i++)
        if (fabs(error[i]) < DBL_EPSILON * largest)
            error[i] = 0;
}

/* The weighted mean of the parts but the kernel that are known at this place; NaN if none is. *pull: what the kernel adds to
 * it; NaN: unknown. */
static double mean_of_parts(const forecast_part *parts, int n, bool errors, int64_t i, double *pull)
{
    double sum = 0, total = 0;
    for (int p = 0; p < n; p++) {
        double value = errors ? parts[p].error[i] : parts[p].value[i];
        if (p == 1 || isnan(value))
            continue;
        sum += parts[p].weight * value;
        total += parts[p].weight;
    }
    double kernel = errors ? parts[1].error[i] : parts[1].value[i], mean = total > 0 ? sum / total : NAN;
    *pull = parts[1].weight > 0 ? parts[1].weight / (parts[1].weight + total) * (kernel - mean) : NAN;
    return mean;
}

/* Means of the steps from `first` on. In steps without a kernel fit the kernel adds half of what it adds one step before, and
 * half of what it adds one step after, so that the forecast does not jump where the methods change. */
static void mean_steps(const forecast_part *parts, int n, bool errors, int64_t first, int64_t steps,
                       double *mean)
{
    double before = 0, after = 0, pull;
    for (int64_t h = 0; h < steps; h++) {
        mean[h] = mean_of_parts(parts, n, errors, first + h, &pull);
        before = isnan(pull) ? before / 2 : pull;
        mean[h] += before;
    }
    for (int64_t h = steps - 1; h >= 0; h--) {
        mean_of_parts(parts, n, errors, first + h, &pull);
        after = isnan(pull) ? after / 2 : pull;
        mean[h] += isnan(pull) ? after : 0;
    }
}

void volt_forecast_combine(const forecast_series *series, forecast_combination *combination)
{
    static const volt_forecast_member members[PARTS] = {VOLT_MEMBER_THETA, VOLT_MEMBER_KERNEL, VOLT_MEMBER_ETS,
                                                        VOLT_MEMBER_SEASONAL, VOLT_MEMBER_AR};
    forecast_part parts[PARTS];
    volt_forecast_member member[PARTS];
    int64_t steps = series->steps;
    int n = 0;
    for (int i = 0; i < PARTS; i++) {
        bool is_seasonal = members[i] == VOLT_MEMBER_ETS || members[i] == VOLT_MEMBER_SEASONAL;
        if ((is_seasonal && series->season < 2) || (members[i] == VOLT_MEMBER_AR && series->n < AR_ROWS))
            continue;
        const forecast_values *values = &series->members[members[i]];
        member[n] = members[i];
        parts[n++] = (forecast_part){values->value, values->error, 0};
    }
    set_weights(series, parts, n);
    mean_steps(parts, n, false, 0, steps, combination->value);
    for (int64_t j = 0; j < series->origins.count; j++)
        mean_steps(parts, n, true, j * steps, steps, combination->error + j * steps);
    drop_rounding(series, combination->error, series->origins.count * steps);
    for (int m = 0; m < FORECAST_MEMBERS; m++)
        combination->weight[m] = 0;
    for (int i = 0; i < n; i++)
        combination->weight[member[i]] = parts[i].weight;
}

/* ---- expected errors and intervals ------------------------------------------------------------ */

/* Mean absolute value of the last rows of the first `known` ones: a season, at least 3. */
static double recent_level(const forecast_series *series, int64_t known)
{
    int64_t count = volt_min(known, volt_max(3, series->season));
    double sum = 0;
    for (int64_t t = known - count; t < known; t++)
        sum += fabs(series->y[t]);
    return sum / (double)count;
}

/* Factor of the variances of errors at an origin: errors often grow with the level. The ratio of the levels now and
 * then, instead of its square, is half-way between errors of constant size and errors in proportion to the level. */
static double level_ratio(const forecast_series *series, int64_t known)
{
    double then = recent_level(series, known), now = recent_level(series, series->n);
    return then > 0 && now > 0 ? fmin(fmax(now / then, 0.5), 2) : 1;
}

/* Replaces the variances by the nearest increasing sequence in the sense of least squares with these weights (pool
 * adjacent violators). */
static void make_increasing(double *variance, const double *weight, int64_t count)
{
    for (int64_t end = 1; end <= count; end++) {
        /* Blocks of equal values end at `end`; merge while the block before has a larger value. */
        int64_t begin = end - 1;
        double sum = weight[begin] * variance[begin], total = weight[begin];
        while (begin > 0 && variance[begin - 1] * total >= sum) {
            double value = variance[begin - 1];
            while (begin > 0 && variance[begin - 1] == value) {
                begin--;
                sum += weight[begin] * value;
                total += weight[begin];
            }
        }
        for (int64_t i = begin; i < end; i++)
            variance[i] = sum / total;
    }
}

void volt_forecast_spread(const forecast_series *series, const double *error, double *spread, double *counts)
{
    int64_t steps = series->steps, measured = 0;
    for (int64_t h = 0; h < steps; h++) {
        double sum = 0;
        counts[h] = 0;
        for (int64_t j = 0; j < series->origins.count; j++) {
            double e = error[j * steps + h];
            if (isnan(e))
                continue;
            sum += e * e * level_ratio(series, series->origins.known[j]);
            counts[h]++;
        }
        spread[h] = counts[h] > 0 ? sum / counts[h] : NAN;
        measured += counts[h] > 0;
    }
    make_increasing(spread, counts, measured); /* the first steps are measured */
    for (int64_t h = measured; h < steps; h++) /* the growth of a random walk */
        spread[h] = measured > 0 ? spread[measured - 1] * (double)(h + 1) / (double)measured : NAN;
    for (int64_t h = 0; h < steps; h++)
        spread[h] = sqrt(spread[h]);
}

/* Errors of forecasts h steps ahead from origins closer than h rows overlap. */
double volt_forecast_quantile(const forecast_series *series, double coverage, double count, int64_t step)
{
    int64_t rows = series->origins.count > 0 ? series->n - series->origins.known[0] : 0;
    double independent = (double)rows / (double)(step + 1);
    return volt_error_quantile(coverage, fmin(count, independent));
}

/* Mean absolute error relative to that of the (seasonal) naive forecast one step ahead in all rows. */
static double forecast_mase(const forecast_series *series, const double *error)
{
    int64_t lag = volt_max(1, series->season), count = 0, differences = series->n - lag;
    double sum = 0, naive = 0;
    for (int64_t i = 0; i < series->origins.count * series->steps; i++)
        if (!isnan(error[i])) {
            sum += fabs(error[i]);
            count++;
        }
    for (int64_t t = lag; t < series->n; t++)
        naive += fabs(series->y[t] - series->y[t - lag]);
    return count > 0 && naive > 0 ? sum / (double)count / (naive / (double)differences) : NAN;
}

/* ---- the forecast ------------------------------------------------------------------------------- */

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

/* Fits all steps for which there are rows enough. */
static volt_status fit_steps(const forecast_data *data, const volt_kernel *kernel,
                             const volt_forecast_options *options, volt_forecast *forecast)
{
    int64_t series = data->levels.cols, groups = options->separate ? series : 1, each = series / groups;
    char stage[64] = "";
    volt_progress_part part = {options->progress, stage, 0, 1 / (double)(groups * data->steps)};
    volt_progress progress = volt_progress_of_part(&part);
    volt_status status = VOLT_OK;
    for (int64_t g = 0; g < groups && !status; g++) {
        forecast_group group = {0};
        status = volt_forecast_group_create(data, g * each, each, &group);
        for (int64_t ahead = 1; ahead <= data->steps && !status; ahead++) {
            snprintf(stage, sizeof stage, "step %lld of %lld", (long long)ahead, (long long)data->steps);
            if (data->levels.rows >= forecast_rows_for(ahead))
                status = fit_step(&group, kernel, ahead, progress, forecast);
            if (!status && progress.report && /* a fit may be shorter than the time between two reports */
                progress.report(NULL, 1, progress.context))
                status = volt_fail(VOLT_ERR_CANCELLED, "cancelled");
            part.from += part.share;
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
    forecast_rmse(&result->members, values->error, rmse);
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

static volt_status summarise_forecast(volt_forecast *forecast, const volt_forecast_options *options)
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
                                   .mase = forecast_mase(&result->members, result->combination.error),
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
    int64_t steps = volt_min(forecast_common_season(seasons, series), MAX_STEPS);
    steps = volt_max(1, volt_min(steps > 0 ? steps : FEW_STEPS, rows / 2));
    return future > 0 ? volt_min(steps, future) : steps;
}

int64_t volt_forecast_first_row(int64_t rows, int64_t steps, bool all_rows)
{
    int64_t most = (int64_t)cbrt(max_work / (double)steps);
    most = volt_max(most, forecast_rows_for(steps));
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
    while (info->fitted_steps < info->steps && info->rows >= forecast_rows_for(info->fitted_steps + 1))
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
        for (int member = VOLT_MEMBER_THETA; member < FORECAST_MEMBERS; member++)
            VOLT_TRY(forecast_member((volt_forecast_member)member, &made->series[k].members));
    }
    VOLT_TRY(fit_kernel(options, kernel, made));
    for (int64_t k = 0; k < series.cols; k++)
        volt_forecast_combine(&made->series[k].members, &made->series[k].combination);
    snprintf(made->kernel, sizeof made->kernel, "%s", volt_kernel_text(*kernel));
    return summarise_forecast(made, options);
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

/* Replaces the series and the known inputs by filled ones if options->missing requests it, and appends the calendar. `made`
 * owns them, also after a failure. */
static volt_status forecast_fill(volt_view *series, volt_forecast_options *options, forecast_filling *made)
{
    *made = (forecast_filling){.table = NULL};
    VOLT_REQUIRE(options->missing == VOLT_MISSING_ERROR || options->missing == VOLT_MISSING_INTERPOLATE,
                 VOLT_ERR_ARGUMENT, "missing must be VOLT_MISSING_ERROR or VOLT_MISSING_INTERPOLATE (got %d)",
                 (int)options->missing);
    if (options->missing != VOLT_MISSING_ERROR && series->data && series->rows >= 1 && series->cols >= 1)
        VOLT_TRY(fill(series, options, made));
    return options->calendar ? add_calendar(*series, options, made) : VOLT_OK;
}

static void forecast_filling_release(forecast_filling *made)
{
    volt_table_free(made->table);
    volt_free(made->known);
}

static volt_status check(volt_view series, const volt_forecast_options *options)
{
    VOLT_TRY(check_options(series, options));
    return check_series(series, options->names);
}

/* Checks the series and the options, and determines the number of steps to forecast. */
static volt_status forecast_horizon(volt_view series, const volt_forecast_options *options, int64_t *steps)
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
    volt_status status = forecast_fill(&series, &chosen, &filling);
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
    forecast_filling_release(&filling);
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

/* ---- backtest ----------------------------------------------------------------------------------- */

/* Rolling-origin evaluation of forecasts.
 *
 * Origin j of K (0 the earliest) has n - H - (K - 1 - j) d rows, for a horizon of H steps and a distance d. Each is a
 * complete volt_forecast_run, compared with the H rows after it. */

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
static double mean_or_nan(double sum, int64_t count)
{
    return count > 0 ? sum / (double)count : NAN;
}

static void summarise_backtest(const backtest_sums *sums, int64_t series, int64_t coverages,
                               const volt_backtest *result)
{
    for (int64_t i = 0; i < METHODS * series; i++) {
        const method_sums *one = &sums->methods[i];
        set(result->mase, i, mean_or_nan(one->mase, one->mase_origins));
        set(result->smape, i, mean_or_nan(one->smape, one->values));
        set(result->rmse, i, sqrt(mean_or_nan(one->squares, one->values)) * sums->scale[i % series]);
        if (result->values)
            result->values[i] = one->values;
    }
    for (int64_t i = 0; i < coverages * series; i++) {
        const interval_sums *one = &sums->intervals[i];
        set(result->coverage, i, mean_or_nan(one->inside, one->values));
        set(result->width, i, mean_or_nan(one->width, one->values) * sums->scale[i % series]);
    }
}

/* ---- runs ------------------------------------------------------------------------------------- */

static volt_status run_origins(volt_view series, volt_forecast_options options, const volt_backtest *result,
                               backtest_sums *sums)
{
    char stage[64] = "";
    volt_progress_part part = {options.progress, stage, 0, 1 / (double)result->origins};
    volt_view known = options.known;
    options.progress = volt_progress_of_part(&part);
    for (int64_t j = 0; j < result->origins; j++) {
        volt_forecast *forecast = NULL;
        int64_t rows = result->first_rows + j * result->distance;
        snprintf(stage, sizeof stage, "origin %lld of %lld", (long long)j + 1, (long long)result->origins);
        part.from = (double)j / (double)result->origins;
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
    VOLT_TRY(forecast_horizon(series, &chosen, &chosen.steps));
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
        summarise_backtest(&sums, series.cols, chosen.n_coverages, full);
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
    volt_status status = forecast_fill(&series, &chosen, &filling);
    if (!status)
        status = backtest(series, chosen, origins, &full);
    forecast_filling_release(&filling);
    return status ? status : volt_result_copy(result, &full, sizeof full, "volt_backtest");
}

/* ---- many series -------------------------------------------------------------------------------- */

/* Forecasts of many series in long format, each from its own rows. */

/* Series whose forecasts are in memory at a time, at least and at most, the length of a message. */
enum { FIRST_BLOCK = 16, BLOCK = 256, MESSAGE_LENGTH = 512 };

static const double block_seconds = 1; /* longer blocks become smaller: results are reported after each */

/* Rows grouped by series. */
typedef struct long_series {
    const volt_long_rows *data;
    volt_text_index ids; /* those of `done` that have no rows follow */
    int64_t count;       /* series */
    int64_t *first;      /* count + 1: where the rows of each series begin below */
    int64_t *rows;       /* grouped: rows of the data */
    double *values;      /* the same: values, and times if there are any */
    const char **texts;
    int64_t *done;              /* of the series: index in data->done; -1: none */
    volt_date_order date_order; /* in the whole column */
} long_series;

typedef struct one_forecast {
    volt_forecast_result shown;
    volt_forecast *forecast;
    const char **times; /* owns the texts of shown.times, in one block */
    char message[MESSAGE_LENGTH];
} one_forecast;

/* Times of one series; next to its rows. */
typedef struct series_times {
    const long_series *all;
    int64_t first;            /* of the grouped rows */
    const char *const *texts; /* NULL: none */
    int64_t n;
    volt_time *dates;    /* NULL: not dates */
    volt_time_step step; /* between dates; all zero: unknown */
    double last, each;   /* numbers: the last and the difference; each 0: no regular one */
} series_times;

/* ---- rows ------------------------------------------------------------------------------------- */

static void release_series(long_series *series)
{
    volt_text_index_clear(&series->ids);
    volt_free(series->first);
    volt_free(series->rows);
    volt_free(series->values);
    volt_free((void *)series->texts);
    volt_free(series->done);
}

/* Places the rows by series, in the given order within each. */
static void place_rows(long_series *series, const int64_t *of_row, int64_t *next)
{
    const volt_long_rows *data = series->data;
    for (int64_t i = 0; i < data->rows; i++)
        series->first[of_row[i] + 1]++;
    for (int64_t s = 0; s < series->count; s++) {
        series->first[s + 1] += series->first[s];
        next[s] = series->first[s];
    }
    for (int64_t i = 0; i < data->rows; i++) {
        int64_t place = next[of_row[i]]++;
        series->rows[place] = i;
        series->values[place] = data->values[i];
        if (series->texts)
            series->texts[place] = data->times[i];
    }
}

static volt_status group_rows(long_series *series)
{
    const volt_long_rows *data = series->data;
    int64_t n = data->rows, *of_row = volt_alloc(n, sizeof *of_row);
    volt_status status = of_row ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++)
        status = volt_text_index_put(&series->ids, data->ids[i], &of_row[i]);
    series->count = series->ids.count;
    int64_t *next = volt_alloc_zero(series->count + 1, sizeof *next);
    series->first = volt_alloc_zero(series->count + 1, sizeof *series->first);
    series->rows = volt_alloc(n, sizeof *series->rows);
    series->values = volt_alloc_doubles(n, 1);
    series->texts = data->times ? volt_alloc(n, sizeof *series->texts) : NULL;
    series->done = volt_alloc(series->count + 1, sizeof *series->done);
    if (!next || !series->first || !series->rows || !series->values || (data->times && !series->texts) ||
        !series->done)
        status = VOLT_ERR_MEMORY;
    if (!status)
        place_rows(series, of_row, next);
    for (int64_t s = 0; s < series->count && !status; s++)
        series->done[s] = -1;
    for (int64_t i = 0, s = 0; i < data->n_done && !status; i++) {
        status = volt_text_index_put(&series->ids, data->done[i], &s);
        if (!status && s < series->count)
            series->done[s] = i;
    }
    volt_free(next);
    volt_free(of_row);
    return status;
}

/* Finds the order of day and month from all rows, because one row can determine it for the others. Each series determines
 * its own if the rows contradict each other. */
static void find_date_order(long_series *series)
{
    for (int64_t i = 0; series->texts && i < series->data->rows; i++) {
        volt_time_text parts;
        volt_time time;
        if (!volt_time_text_read(series->texts[i], &parts) || !parts.is_either)
            continue;
        volt_date_order found = volt_time_text_order(series->texts[i], &parts);
        bool is_month_first = found == VOLT_ORDER_MONTH_FIRST;
        if (found == VOLT_ORDER_OPEN || !volt_time_of_text(series->texts[i], &parts, is_month_first, &time))
            continue;
        if (series->date_order != VOLT_ORDER_OPEN && found != series->date_order) {
            series->date_order = VOLT_ORDER_OPEN;
            return;
        }
        series->date_order = found;
    }
}

/* Names the line and the column of a grouped row in the message of a failure. */
static volt_status fail_at(const long_series *series, int64_t place, const char *column, volt_status status)
{
    const volt_long_rows *data = series->data;
    if (!data->lines)
        return status;
    if (column)
        return volt_fail_prefix(status, "line %" PRId64 ", column '%.60s'", data->lines[series->rows[place]],
                                column);
    return volt_fail_prefix(status, "line %" PRId64, data->lines[series->rows[place]]);
}

/* ---- times of one series ---------------------------------------------------------------------- */

static volt_status fail_time(const series_times *times, int64_t i, volt_status status)
{
    return fail_at(times->all, times->first + i, times->all->data->time_name, status);
}

static volt_status fail_order(const series_times *times, int64_t i, bool is_same)
{
    volt_status status = is_same
                             ? volt_fail(VOLT_ERR_DATA, "two rows have the time %.60s", times->texts[i])
                             : volt_fail(VOLT_ERR_DATA, "the rows are not in time order: %.60s follows %.60s",
                                         times->texts[i], times->texts[i - 1]);
    return fail_time(times, i, status);
}

static volt_status check_dates(series_times *times, int64_t *missing)
{
    volt_times_report report = {.struct_size = sizeof report};
    VOLT_TRY(volt_times_check(times->dates, times->n, NULL, (volt_time){NAN, NAN}, &report));
    times->step = report.step;
    for (int64_t i = 0; i < report.n_warnings; i++)
        if (report.warnings[i].code == VOLT_WARNING_ROWS_MISSING)
            *missing = volt_max(1, report.missing);
    int64_t early = volt_times_disorder(times->dates, times->n, report.step);
    if (early < times->n)
        return fail_order(times, early, times->dates[early].seconds == times->dates[early - 1].seconds);
    return VOLT_OK;
}

/* Times that are numbers, such as 1, 2, 3. */
static volt_status check_numbers(series_times *times)
{
    double first = 0, value = 0, before = 0, rounding = 0;
    for (int64_t i = 0; i < times->n; i++, before = value) {
        if (!volt_parse_number(times->texts[i], &value) || !isfinite(value))
            return fail_time(times, i,
                             volt_fail(VOLT_ERR_FORMAT, "the time '%.60s' is not a number", times->texts[i]));
        if (i > 0 && !(value > before))
            return fail_order(times, i, value == before);
        first = i > 0 ? first : value;
    }
    times->last = value;
    times->each = times->n > 1 ? (value - first) / (double)(times->n - 1) : 0;
    rounding = 1e-6 * times->each + 1e-12 * fmax(fabs(first), fabs(value));
    for (int64_t i = 0; i < times->n; i++) {
        volt_parse_number(times->texts[i], &value);
        if (fabs(value - first - (double)i * times->each) > rounding)
            times->each = 0;
    }
    return VOLT_OK;
}

/* Names the row of the first text that is not a date; a failure for another reason keeps its message. */
static volt_status fail_date(const series_times *times, volt_status status)
{
    for (int64_t i = 0; i < times->n && status == VOLT_ERR_FORMAT; i++) {
        volt_time_text parts;
        volt_time time;
        if (!times->texts[i][0])
            return fail_time(times, i, volt_fail(status, "the time is missing"));
        if (!volt_time_text_read_known(times->texts[i], &parts) || parts.fields[TIME_YEAR].length == 0 ||
            (!volt_time_of_text(times->texts[i], &parts, 0, &time) &&
             !volt_time_of_text(times->texts[i], &parts, 1, &time)))
            return fail_time(times, i, status);
    }
    return status;
}

/* Reads the times of a series; `dates` receives them if they are dates. */
static volt_status read_times(const long_series *series, int64_t s, series_times *times, volt_time **dates,
                              int64_t *missing)
{
    int64_t first = series->first[s];
    double number;
    *times = (series_times){.all = series, .first = first, .n = series->first[s + 1] - first};
    if (!series->texts)
        return VOLT_OK;
    times->texts = series->texts + first;
    *dates = volt_alloc(times->n, sizeof **dates);
    volt_status status =
        *dates ? volt_times_parse_as(times->texts, times->n, series->date_order, *dates) : VOLT_ERR_MEMORY;
    if (status == VOLT_ERR_FORMAT && volt_parse_number(times->texts[0], &number))
        return check_numbers(times);
    if (status)
        return fail_date(times, status);
    times->dates = *dates;
    return check_dates(times, missing);
}

/* Time of a step, from 1; false: unknown. */
static bool write_time(const series_times *times, int64_t step, char text[VOLT_TIME_LENGTH])
{
    if (times->dates && volt_time_step_is_known(times->step)) {
        volt_time last = times->dates[times->n - 1], later = volt_time_advance(last, times->step, step);
        int64_t form = volt_times_form_row(times->texts, times->n);
        return volt_time_write_like(times->texts[form], times->dates[form], later, text) == VOLT_OK;
    }
    if (times->dates || !(times->each > 0))
        return false;
    double at = times->last + (double)step * times->each;
    bool is_whole = at == rint(at) && fabs(at) < 1e15; /* milliseconds since 1970 have 13 digits */
    snprintf(text, VOLT_TIME_LENGTH, is_whole ? "%.0f" : "%.12g", at);
    return true;
}

static volt_status write_times(const series_times *times, int64_t steps, one_forecast *one)
{
    one->times = volt_alloc(steps, sizeof *one->times + VOLT_TIME_LENGTH);
    if (!one->times)
        return VOLT_ERR_MEMORY;
    char *text = (char *)(one->times + steps);
    one->shown.is_dated = times->texts != NULL;
    for (int64_t h = 0; h < steps; h++) {
        one->times[h] = text + h * VOLT_TIME_LENGTH;
        one->shown.is_dated = one->shown.is_dated && write_time(times, h + 1, text + h * VOLT_TIME_LENGTH);
    }
    for (int64_t h = 0; h < steps && !one->shown.is_dated; h++)
        snprintf(text + h * VOLT_TIME_LENGTH, VOLT_TIME_LENGTH, "%" PRId64, h + 1);
    one->shown.times = one->times;
    return VOLT_OK;
}

/* ---- one series ------------------------------------------------------------------------------- */

static volt_status check_values(const series_times *times, const double *values, volt_missing missing)
{
    const volt_long_rows *data = times->all->data;
    for (int64_t i = 0; i < times->n; i++) {
        int64_t row = times->all->rows[times->first + i];
        const char *fault = data->faults ? data->faults[row] : NULL;
        volt_status status = fault ? VOLT_ERR_FORMAT : VOLT_ERR_NOT_FINITE;
        if (!fault && (isfinite(values[i]) || (isnan(values[i]) && missing == VOLT_MISSING_INTERPOLATE)))
            continue;
        if (fault && data->lines)
            volt_fail(status, "%s", fault);
        else if (fault && times->texts)
            volt_fail(status, "the value at %.60s: %s", times->texts[i], fault);
        else if (fault)
            volt_fail(status, "the value of row %" PRId64 ": %s", i, fault);
        else if (times->texts)
            volt_fail(status, "the value at %.60s is %s", times->texts[i],
                      isnan(values[i]) ? "missing" : "infinite");
        else
            volt_fail(status, "the value of row %" PRId64 " is %s", i,
                      isnan(values[i]) ? "missing" : "infinite");
        return fail_at(times->all, times->first + i, data->value_name, status);
    }
    return VOLT_OK;
}

/* Whether the first step has the time that it has in an earlier forecast. */
static bool follows(const series_times *times, const char *time)
{
    char text[VOLT_TIME_LENGTH];
    return strcmp(time, write_time(times, 1, text) ? text : "1") == 0;
}

static volt_status forecast_one(const long_series *series, int64_t s, volt_forecast_options options,
                                volt_time **dates, one_forecast *one)
{
    const double *values = series->values + series->first[s];
    volt_forecast_info info = {.struct_size = sizeof info};
    series_times times;
    VOLT_TRY(read_times(series, s, &times, dates, &one->shown.missing_rows));
    VOLT_TRY(check_values(&times, values, options.missing));
    if (series->done[s] >= 0 && follows(&times, series->data->done_times[series->done[s]])) {
        one->shown.done = series->done[s];
        return VOLT_OK;
    }
    options.step = times.step;
    options.times = times.dates;
    if (options.season > times.n / 2)
        options.season = 0;
    VOLT_TRY(volt_forecast_run(volt_view_of(values, times.n, 1), &options, &one->forecast));
    one->shown.forecast = one->forecast;
    VOLT_TRY(volt_forecast_get_info(one->forecast, &info));
    return write_times(&times, info.steps, one);
}

static void describe(const long_series *series, int64_t s, one_forecast *one)
{
    *one = (one_forecast){.shown = {.struct_size = sizeof one->shown,
                                    .id = series->ids.texts + series->ids.places[s],
                                    .index = s,
                                    .count = series->count,
                                    .rows = series->first[s + 1] - series->first[s],
                                    .status = VOLT_ERR_CANCELLED,
                                    .done = -1}};
    one->shown.message = one->message;
}

static void run_one(const long_series *series, int64_t s, const volt_forecast_options *options,
                    one_forecast *one)
{
    volt_time *dates = NULL;
    volt_status status = forecast_one(series, s, *options, &dates, one);
    volt_free(dates);
    if (status) {
        const char *detail = volt_error_detail();
        snprintf(one->message, sizeof one->message, "%s",
                 status == VOLT_ERR_MEMORY || !detail[0] ? volt_status_message(status) : detail);
    }
    one->shown.status = status;
}

/* ---- all series ------------------------------------------------------------------------------- */

/* A call in progress. */
typedef struct many_run {
    const long_series *series;
    volt_forecast_options options; /* of each series */
    volt_stage stage;
    double seconds, began; /* time limit, 0: none, and the begin of the call */
    _Atomic int64_t made;  /* forecasts, earlier ones included */
    one_forecast *all;     /* BLOCK */
} many_run;

/* Whether a further series may begin. At least one is forecast, so that repeated calls complete the work. */
static bool has_time(many_run *run)
{
    return run->seconds == 0 || atomic_load(&run->made) == 0 || volt_seconds() - run->began < run->seconds;
}

static void run_block(many_run *run, int64_t first, int64_t count)
{
#pragma omp parallel num_threads((int)volt_min(volt_threads(), count))
    {
        int64_t own = 0;
        bool claimed = volt_blas_set_claimed(true);
        volt_set_threads_local(1, &own);
#pragma omp for schedule(dynamic)
        for (int64_t i = 0; i < count; i++) {
            one_forecast *one = &run->all[i];
            describe(run->series, first + i, one);
            if (!volt_stage_should_continue(&run->stage))
                continue;
            if (has_time(run)) {
                run_one(run->series, first + i, &run->options, one);
                atomic_fetch_add(&run->made, one->shown.status == VOLT_OK);
            } else {
                snprintf(one->message, sizeof one->message, "not begun within %g s", run->seconds);
            }
            volt_stage_advance(&run->stage, 1);
        }
        volt_set_threads_local(own, NULL);
        volt_blas_set_claimed(claimed);
    }
}

/* A failure that every series would have. */
static bool ends_all(volt_status status)
{
    return status == VOLT_ERR_ARGUMENT || status == VOLT_ERR_KERNEL || status == VOLT_ERR_MEMORY;
}

/* After a cancellation, the series that are complete are still reported. */
static volt_status report_block(const many_run *run, int64_t count, volt_forecast_fn report, void *context)
{
    bool is_cancelled = !volt_stage_should_continue(&run->stage);
    for (int64_t i = 0; i < count; i++) {
        const volt_forecast_result *shown = &run->all[i].shown;
        if (ends_all(shown->status))
            return volt_fail(shown->status, "%s", shown->message);
        if (is_cancelled && shown->status == VOLT_ERR_CANCELLED)
            continue;
        VOLT_REQUIRE(!report(shown, context), VOLT_ERR_CANCELLED,
                     "cancelled after %" PRId64 " of %" PRId64 " series", shown->index + 1, shown->count);
    }
    return VOLT_OK;
}

static void release_block(one_forecast *all, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        volt_forecast_free(all[i].forecast);
        volt_free((void *)all[i].times);
    }
}

static volt_status run_blocks(many_run *run, volt_forecast_fn report, void *context)
{
    int64_t count = run->series->count, next = FIRST_BLOCK;
    char reason[MESSAGE_LENGTH] = "";
    for (int64_t first = 0, size = 0; first < count; first += size) {
        double began = volt_seconds();
        size = volt_min(next, count - first);
        run_block(run, first, size);
        volt_status status = report_block(run, size, report, context);
        if (first == 0)
            snprintf(reason, sizeof reason, "%s", run->all[0].message);
        release_block(run->all, size);
        if (status)
            return status;
        if (!volt_stage_should_continue(&run->stage))
            break;
        if (volt_seconds() - began < block_seconds)
            next = volt_min(2 * next, BLOCK);
        else
            next = volt_max(next / 2, FIRST_BLOCK);
    }
    VOLT_TRY(volt_stage_end(&run->stage));
    VOLT_REQUIRE(atomic_load(&run->made) > 0, VOLT_ERR_DATA,
                 "none of the %" PRId64 " series has a forecast; '%.60s': %s", count, run->series->ids.texts,
                 reason);
    return VOLT_OK;
}

static volt_status check_arguments(const volt_long_rows *data, const volt_forecast_options *options,
                                   volt_forecast_fn report)
{
    VOLT_REQUIRE(report, VOLT_ERR_ARGUMENT, "report is NULL");
    VOLT_REQUIRE(data->rows == 0 || (data->ids && data->values), VOLT_ERR_ARGUMENT,
                 "ids and values must not be NULL");
    VOLT_REQUIRE(data->rows > 0, VOLT_ERR_DATA, "there are no rows");
    VOLT_REQUIRE(!options->known.data && !options->calendar, VOLT_ERR_ARGUMENT,
                 "known and calendar are not supported for many series");
    for (int64_t i = 0; i < data->rows; i++)
        VOLT_REQUIRE(data->ids[i] && (!data->times || data->times[i]), VOLT_ERR_ARGUMENT,
                     "the name or the time of row %" PRId64 " is NULL", i);
    VOLT_REQUIRE(options->many_seconds >= 0, VOLT_ERR_ARGUMENT, "many_seconds must be at least 0 (got %g)",
                 options->many_seconds);
    VOLT_REQUIRE(data->n_done == 0 || (data->n_done > 0 && data->done && data->done_times), VOLT_ERR_ARGUMENT,
                 "done and done_times must have n_done entries (n_done is %" PRId64 ")", data->n_done);
    return VOLT_OK;
}

volt_status volt_forecast_many(const volt_long_rows *data, const volt_forecast_options *options,
                               volt_forecast_fn report, void *context)
{
    volt_forecast_options chosen = volt_forecast_options_default();
    volt_long_rows rows = {.struct_size = sizeof rows};
    long_series series = {.data = &rows};
    VOLT_REQUIRE(data, VOLT_ERR_ARGUMENT, "data is NULL");
    VOLT_TRY(volt_options_take(&rows, sizeof rows, data, "volt_long_rows"));
    VOLT_TRY(volt_options_take(&chosen, sizeof chosen, options, "volt_forecast_options"));
    VOLT_TRY(check_arguments(&rows, &chosen, report));
    chosen.names = NULL;
    volt_blas_use use;
    VOLT_TRY(volt_start_threads());
    VOLT_TRY(volt_blas_claim(&use));
    many_run run = {.series = &series,
                    .options = chosen,
                    .seconds = chosen.many_seconds,
                    .began = volt_seconds(),
                    .all = volt_alloc_zero(BLOCK, sizeof *run.all)};
    volt_status status = run.all ? group_rows(&series) : VOLT_ERR_MEMORY;
    if (!status) {
        find_date_order(&series);
        run.options.progress = volt_stage_polled(&run.stage); /* a long forecast can be cancelled */
        volt_stage_begin(&run.stage, chosen.progress, "forecasts", 0, 1, (double)series.count);
        status = run_blocks(&run, report, context);
    }
    release_series(&series);
    volt_free(run.all);
    volt_blas_release(&use);
    return status;
}
