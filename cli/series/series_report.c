/* cli/series/series_report.c: what became of a forecast of series, as a file and as a report. */
#include "series/series_report.h"

#include "files/outputs.h"
#include "terminal/messages.h"
#include "terminal/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the file --------------------------------------------------------------------------------- */

/* NAME and NAME.error of every series, in one block; and the numbers of the steps as texts behind them. */
static const char **column_names(const series_data *data, char *const **numbers)
{
    enum { NUMBER_ROOM = 24 };
    static const char behind[] = ".error";
    size_t series = (size_t)data->levels.cols, steps = (size_t)data->steps, length = 0;
    for (size_t k = 0; k < series; k++)
        length += strlen(data->names[k]) + sizeof behind;
    char **names = malloc((2 * series + steps) * sizeof *names + length + steps * NUMBER_ROOM);
    if (!names)
        return NULL;
    char *room = (char *)(names + 2 * series + steps);
    for (size_t k = 0; k < series; k++) {
        names[2 * k] = (char *)data->names[k];
        names[2 * k + 1] = room;
        room += sprintf(room, "%s%s", data->names[k], behind) + 1;
    }
    for (size_t h = 0; h < steps; h++, room += NUMBER_ROOM) {
        names[2 * series + h] = room;
        snprintf(room, NUMBER_ROOM, "%lld", (long long)h + 1);
    }
    *numbers = names + 2 * series;
    return (const char **)names;
}

int series_write(const char *path, const series_data *data, const series_forecast *forecast)
{
    volt_matrix table = {0};
    char *const *numbers = NULL;
    const char **names = column_names(data, &numbers);
    int failed = names ? 0 : complain(EXIT_FAILED, "not enough memory for the column names");
    if (!failed)
        failed = allocate_matrix(forecast->steps, 2 * forecast->series, "the forecast", &table);
    if (!failed) {
        for (int64_t h = 0; h < forecast->steps; h++)
            for (int64_t k = 0; k < forecast->series; k++) {
                const series_step *step = series_step_at(forecast, h, k);
                table.data[h * table.ld + 2 * k] = step->value;
                table.data[h * table.ld + 2 * k + 1] = sqrt(step->mse);
            }
        row_labels labels = {.name = "step", .texts = (const char **)numbers};
        if (data->time_name)
            labels = (row_labels){.name = data->time_name, .texts = data->time_texts + data->levels.rows};
        failed = output_labelled(path, volt_as_view(table), names, &labels, false, NULL, 0);
    }
    free(table.data);
    free(names);
    return failed;
}

/* ---- for people ------------------------------------------------------------------------------- */

/* "fit for 9 steps, seasonal naive for 3" */
static void say_methods(const series_forecast *forecast, int64_t k, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int method = 0; method < N_METHODS && used < size; method++) {
        int64_t count = series_count_method(forecast, k, (series_method)method);
        if (count == forecast->steps)
            snprintf(text, size, "%s%s", series_method_name((series_method)method),
                     forecast->steps > 1 ? " at every step" : "");
        else if (count > 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s at %lld step%s", used ? ", " : "",
                                     series_method_name((series_method)method), (long long)count,
                                     count == 1 ? "" : "s");
    }
}

static double step_error(const series_forecast *forecast, int64_t h, int64_t k)
{
    return sqrt(series_step_at(forecast, h, k)->mse);
}

/* One series: a line for everything. */
static void report_single(const series_forecast *forecast, result_list *results)
{
    char text[160];
    double mse = series_mean_mse(forecast, 0);
    say_methods(forecast, 0, text, sizeof text);
    results_text(results, NULL, "made by", "%s", text);
    if (forecast->steps > 1)
        results_text(results, NULL, "error to expect", "RMSE %.4g at the first step, %.4g at the last",
                     step_error(forecast, 0, 0), step_error(forecast, forecast->steps - 1, 0));
    else
        results_text(results, NULL, "error to expect", "RMSE %.4g", step_error(forecast, 0, 0));
    for (int kind = 0; kind < VOLT_BASELINES; kind++) {
        double other = series_baseline_mse(forecast, 0, (volt_baseline)kind);
        if (other > 0 && isfinite(other))
            results_text(results, NULL, volt_baseline_name((volt_baseline)kind),
                         "RMSE %.4g; the forecast has %.3g of its squared error", sqrt(other), mse / other);
        else if (other == 0)
            results_text(results, NULL, volt_baseline_name((volt_baseline)kind), "RMSE 0");
    }
}

/* Several: a line each, under its name. */
static void report_one_of_many(const series_data *data, const series_forecast *forecast, int64_t k,
                               result_list *results)
{
    char methods[160], line[512];
    double mse = series_mean_mse(forecast, k);
    int used = snprintf(line, sizeof line, "RMSE %.4g", step_error(forecast, 0, k));
    if (forecast->steps > 1)
        used += snprintf(line + used, sizeof line - (size_t)used, " to %.4g",
                         step_error(forecast, forecast->steps - 1, k));
    const char *lead = "; of the squared error of";
    for (int kind = 0; kind < VOLT_BASELINES; kind++) {
        double other = series_baseline_mse(forecast, k, (volt_baseline)kind);
        if (!(other > 0) || !isfinite(other))
            continue;
        used += snprintf(line + used, sizeof line - (size_t)used, "%s %s %.3g", lead,
                         volt_baseline_name((volt_baseline)kind), mse / other);
        lead = ",";
    }
    say_methods(forecast, k, methods, sizeof methods);
    if (data->seasons[k] > 0)
        used += snprintf(line + used, sizeof line - (size_t)used, "; season %lld", (long long)data->seasons[k]);
    results_text(results, NULL, data->names[k], "%s; %s", line, methods);
}

/* What the figures of a series mean, where it is not plain. */
static void report_notes(const series_data *data, const series_forecast *forecast, int64_t k,
                         result_list *results)
{
    char who[80] = "";
    if (forecast->series > 1)
        snprintf(who, sizeof who, "%.60s: ", data->names[k]);
    double mse = series_mean_mse(forecast, k), best = INFINITY, tried = 0;
    int best_kind = 0;
    for (int kind = 0; kind < VOLT_BASELINES; kind++) {
        double other = series_baseline_mse(forecast, k, (volt_baseline)kind);
        if (isfinite(other) && other < best) {
            best = other;
            best_kind = kind;
        }
    }
    for (int64_t h = 0; h < forecast->steps; h++)
        tried += series_step_at(forecast, h, k)->best_mse / (double)forecast->steps;
    double naive = series_baseline_mse(forecast, k, VOLT_BASELINE_NAIVE);
    if (!(naive > 0))
        results_text(results, NULL, "note", "%sthe series did not move in the rows that were held out", who);
    else if (series_count_method(forecast, k, BY_NAIVE) == forecast->steps)
        results_text(
            results, NULL, "note",
            "%sthe forecast is flat, the last value at every step: the best fit has %.3g of its squared "
            "error on held-out rows, which is not clearly less; more rows, --season, --calendar, related "
            "series or --budget may help",
            who, tried / naive);
    else if (best < 0.99 * mse)
        results_text(results, NULL, "note",
                     "%s%s does better on held-out rows: try --budget 2min, another --season or more rows", who,
                     volt_baseline_name((volt_baseline)best_kind));
}

/* The forecasts, or the first and the last of them, in columns. */
static void print_steps(const series_data *data, const series_forecast *forecast)
{
    enum { MOST_SERIES = 4, MOST_LINES = 14, LAST_LINES = 3, CELL = 28 };
    int64_t series = forecast->series < MOST_SERIES ? forecast->series : MOST_SERIES, steps = forecast->steps;
    const char *const *times = data->time_name ? data->time_texts + data->levels.rows : NULL;
    int width = data->time_name ? (int)strlen(data->time_name) : 4;
    for (int64_t h = 0; times && h < steps; h++)
        width = (int)strlen(times[h]) > width ? (int)strlen(times[h]) : width;
    printf("\n%-*s", width, data->time_name ? data->time_name : "step");
    for (int64_t k = 0; k < series; k++)
        printf("  %-*.*s", k + 1 < series ? CELL : 0, CELL, data->names[k]);
    printf("%s\n", forecast->series > series ? "  ..." : "");
    for (int64_t h = 0; h < steps; h++) {
        if (steps > MOST_LINES && h == MOST_LINES - LAST_LINES) {
            h = steps - LAST_LINES;
            printf("...\n");
        }
        if (times)
            printf("%-*s", width, times[h]);
        else
            printf("%*lld", width, (long long)h + 1);
        for (int64_t k = 0; k < series; k++) {
            char cell[64];
            snprintf(cell, sizeof cell, "%.5g +- %.3g", series_step_at(forecast, h, k)->value,
                     step_error(forecast, h, k));
            printf("  %-*s", k + 1 < series ? CELL : 0, cell);
        }
        printf("\n");
    }
}

/* ---- JSON ------------------------------------------------------------------------------------- */

typedef enum step_field { FIELD_VALUE, FIELD_RMSE, FIELD_NAIVE_RMSE } step_field;

static void report_rows(const series_forecast *forecast, const char *key, step_field field,
                        result_list *results)
{
    volt_matrix table = {0};
    if (allocate_matrix(forecast->steps, forecast->series, "the report", &table)) {
        note_lack_of_memory();
        return;
    }
    for (int64_t i = 0; i < forecast->steps * forecast->series; i++) {
        const series_step *step = &forecast->step[i];
        table.data[i] = field == FIELD_VALUE  ? step->value
                        : field == FIELD_RMSE ? sqrt(step->mse)
                                              : sqrt(step->baselines[VOLT_BASELINE_NAIVE]);
    }
    results_rows(results, key, volt_as_view(table));
    free(table.data);
}

static void report_series_json(const series_data *data, const series_forecast *forecast, int64_t k,
                               result_list *results)
{
    result_list *inner = results_new(true);
    double mse = series_mean_mse(forecast, k);
    const char **methods = malloc((size_t)forecast->steps * sizeof *methods);
    results_text(inner, "name", NULL, "%s", data->names[k]);
    results_count(inner, "season", NULL, data->seasons[k]);
    results_number(inner, "skill", NULL, 1 - mse / series_baseline_mse(forecast, k, VOLT_BASELINE_NAIVE));
    if (!methods)
        note_lack_of_memory();
    for (int64_t h = 0; methods && h < forecast->steps; h++)
        methods[h] = series_method_name(series_step_at(forecast, h, k)->method);
    if (methods)
        results_texts(inner, "made_by", (char *const *)methods, forecast->steps);
    free((void *)methods);
    results_append(results, "series", inner);
    for (int kind = 0; kind < VOLT_BASELINES; kind++) {
        double other = series_baseline_mse(forecast, k, (volt_baseline)kind);
        if (!isfinite(other))
            continue;
        result_list *baseline = results_new(true);
        results_text(baseline, "name", NULL, "%s", volt_baseline_name((volt_baseline)kind));
        results_text(baseline, "series", NULL, "%s", data->names[k]);
        results_number(baseline, "mse", NULL, other);
        results_number(baseline, "rmse", NULL, sqrt(other));
        results_number(baseline, "skill", NULL, 1 - mse / other);
        results_append(results, "baselines", baseline);
    }
}

static void report_json(const series_outcome *outcome, result_list *results)
{
    const series_data *data = outcome->data;
    const series_forecast *forecast = outcome->forecast;
    double skill = 0;
    results_texts(results, "names", (char *const *)data->names, forecast->series);
    results_count(results, "steps", NULL, forecast->steps);
    int64_t *horizons = malloc((size_t)forecast->steps * sizeof *horizons);
    if (!horizons)
        note_lack_of_memory();
    for (int64_t h = 0; horizons && h < forecast->steps; h++)
        horizons[h] = h + 1;
    if (horizons)
        results_counts(results, "horizons", horizons, forecast->steps);
    free(horizons);
    if (data->time_name)
        results_texts(results, "time", (char *const *)data->time_texts + data->levels.rows, forecast->steps);
    report_rows(forecast, "forecast", FIELD_VALUE, results);
    report_rows(forecast, "rmse", FIELD_RMSE, results);
    report_rows(forecast, "naive_rmse", FIELD_NAIVE_RMSE, results);
    for (int64_t k = 0; k < forecast->series; k++) {
        skill += (1 - series_mean_mse(forecast, k) / series_baseline_mse(forecast, k, VOLT_BASELINE_NAIVE)) /
                 (double)forecast->series;
        report_series_json(data, forecast, k, results);
    }
    results_number(results, "skill", NULL, skill);
    results_count(results, "heldout_rows", NULL, forecast->heldout);
}

/* ---- both ------------------------------------------------------------------------------------- */

static const char *target_word(const series_forecast *forecast)
{
    int64_t changes = 0, count = forecast->steps * forecast->series;
    for (int64_t i = 0; i < count; i++)
        changes += forecast->step[i].is_change;
    return changes == count ? "change" : changes == 0 ? "level" : "mixed";
}

static void report_source(const series_data *data, result_list *results)
{
    int64_t rows = data->levels.rows, season = 0;
    const char *const *times = data->time_name ? data->time_texts : NULL;
    for (int64_t k = 0; k < data->levels.cols && season == 0; k++)
        season = data->seasons[k];
    results_count(results, "rows", NULL, rows);
    results_count(results, "rows_left_out", NULL, data->left_out);
    if (times)
        results_text(results, NULL, "rows", "%lld, %s to %s", (long long)rows, times[0], times[rows - 1]);
    else
        results_text(results, NULL, "rows", "%lld", (long long)rows);
    results_count(results, "season", NULL, season);
    if (season > 0)
        results_text(results, NULL, "season", "%lld rows%s", (long long)season,
                     data->season_given ? "" : ", found in the series");
    else
        results_text(results, NULL, "season", "none%s", data->season_given ? "" : " found");
    if (times && data->steps > 1)
        results_text(results, NULL, "forecast", "%lld steps, %s to %s", (long long)data->steps, times[rows],
                     times[rows + data->steps - 1]);
    else
        results_text(results, NULL, "forecast", "%lld step%s%s%s", (long long)data->steps,
                     data->steps == 1 ? "" : "s", times ? ", " : "", times ? times[rows] : "");
}

int series_report(const series_outcome *outcome, bool json)
{
    const series_data *data = outcome->data;
    const series_forecast *forecast = outcome->forecast;
    result_list *results = results_new(json);
    report_source(data, results);
    results_text(results, "kernel", "kernel", "%s", outcome->kernel);
    results_text(results, "target", "learned", "%s", target_word(forecast));
    if (forecast->series > 1)
        results_text(results, NULL, "inputs", "%s",
                     outcome->alone ? "each series from itself alone" : "every series from all of them");
    if (outcome->search)
        results_text(results, "search", "search", "%s", outcome->search);
    if (json)
        report_json(outcome, results);
    if (!json && forecast->series == 1)
        report_single(forecast, results);
    for (int64_t k = 0; !json && forecast->series > 1 && k < forecast->series; k++)
        report_one_of_many(data, forecast, k, results);
    results_text(results, NULL, "measured on",
                 forecast->heldout == forecast->heldout_last
                     ? "the last %lld rows, each forecast from what was known then"
                     : "the last %lld rows, each forecast from what was known then (%lld at the last step)",
                 (long long)forecast->heldout, (long long)forecast->heldout_last);
    if (outcome->output)
        results_text(results, "output", "written", "%s", outcome->output);
    if (outcome->plot)
        results_text(results, "plot", "picture", "%s", outcome->plot);
    for (int64_t k = 0; k < forecast->series; k++)
        report_notes(data, forecast, k, results);
    if (data->clock)
        results_text(results, NULL, "note",
                     "column '%s' only counts the rows: it is their time, and is not forecast", data->clock);
    if (data->left_out > 0)
        results_text(results, NULL, "note",
                     "the latest %lld of %lld rows are used, so that it ends soon; --rows 0: takes all",
                     (long long)data->levels.rows, (long long)data->levels.rows + (long long)data->left_out);
    int failed = results_print(results);
    if (!failed && !json)
        print_steps(data, forecast);
    return failed;
}
