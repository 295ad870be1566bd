/* cli/series/series_report.c: writes a forecast of series as a file and as a report. */
#include "series/series_report.h"

#include "files/outputs.h"
#include "terminal/messages.h"
#include "terminal/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts the steps of a method; *name is its name if there are any. */
static int64_t count_method(const series_outcome *outcome, int64_t k, int method, const char **name)
{
    int64_t count = 0, steps = outcome->info.steps;
    for (int64_t h = 0; h < steps; h++) {
        const volt_forecast_step *step = volt_forecast_step_at(outcome->forecast, h, k);
        if ((int)step->method == method && ++count == 1)
            *name = step->method_name;
    }
    return count;
}

/* ---- file ------------------------------------------------------------------------------------- */

/* Returns NAME and NAME.error of every series in one block, followed by the step numbers as text. */
static const char **column_names(const series_data *data, int64_t n_steps, char *const **numbers)
{
    enum { NUMBER_ROOM = 24 };
    static const char behind[] = ".error";
    size_t series = (size_t)data->levels.cols, steps = (size_t)n_steps, length = 0;
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

int series_write(const char *path, const series_outcome *outcome)
{
    const series_data *data = outcome->data;
    volt_matrix table = {0};
    char *const *numbers = NULL;
    const char **names = column_names(data, outcome->info.steps, &numbers);
    int failed = names ? 0 : complain(EXIT_FAILED, "not enough memory for the column names");
    if (!failed)
        failed = allocate_matrix(outcome->info.steps, 2 * outcome->info.series, "the forecast", &table);
    if (!failed) {
        for (int64_t h = 0; h < outcome->info.steps; h++)
            for (int64_t k = 0; k < outcome->info.series; k++) {
                const volt_forecast_step *step = volt_forecast_step_at(outcome->forecast, h, k);
                table.data[h * table.ld + 2 * k] = step->value;
                table.data[h * table.ld + 2 * k + 1] = step->rmse;
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

/* ---- text ------------------------------------------------------------------------------------- */

/* "fit for 9 steps, seasonal naive for 3" */
static void say_methods(const series_outcome *outcome, int64_t k, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int method = 0; method < VOLT_FORECAST_SEASONAL + 1 && used < size; method++) {
        const char *name = "";
        int64_t count = count_method(outcome, k, method, &name);
        if (count == outcome->info.steps)
            snprintf(text, size, "%s%s", name, outcome->info.steps > 1 ? " at every step" : "");
        else if (count > 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s at %lld step%s", used ? ", " : "", name,
                                     (long long)count, count == 1 ? "" : "s");
    }
}

static double step_error(const series_outcome *outcome, int64_t h, int64_t k)
{
    return volt_forecast_step_at(outcome->forecast, h, k)->rmse;
}

/* Reports a single series, one line per result. */
static void report_single(const series_outcome *outcome, result_list *results)
{
    char text[160];
    double rmse = volt_forecast_series_at(outcome->forecast, 0)->rmse;
    say_methods(outcome, 0, text, sizeof text);
    results_text(results, NULL, "made by", "%s", text);
    if (outcome->info.steps > 1)
        results_text(results, NULL, "error to expect", "RMSE %.4g at the first step, %.4g at the last",
                     step_error(outcome, 0, 0), step_error(outcome, outcome->info.steps - 1, 0));
    else
        results_text(results, NULL, "error to expect", "RMSE %.4g", step_error(outcome, 0, 0));
    for (int kind = 0; volt_baseline_name((volt_baseline)kind); kind++) {
        double other = volt_forecast_series_at(outcome->forecast, 0)->baseline_rmse[kind];
        if (other > 0 && isfinite(other))
            results_text(results, NULL, volt_baseline_name((volt_baseline)kind),
                         "RMSE %.4g; the forecast has %.3g of its squared error", other, pow(rmse / other, 2));
        else if (other == 0)
            results_text(results, NULL, volt_baseline_name((volt_baseline)kind), "RMSE 0");
    }
}

/* Reports one of several series on one line. */
static void report_one_of_many(const series_outcome *outcome, int64_t k, result_list *results)
{
    const series_data *data = outcome->data;
    char methods[160], line[512];
    double rmse = volt_forecast_series_at(outcome->forecast, k)->rmse;
    int used = snprintf(line, sizeof line, "RMSE %.4g", step_error(outcome, 0, k));
    if (outcome->info.steps > 1)
        used += snprintf(line + used, sizeof line - (size_t)used, " to %.4g",
                         step_error(outcome, outcome->info.steps - 1, k));
    const char *lead = "; of the squared error of";
    for (int kind = 0; volt_baseline_name((volt_baseline)kind); kind++) {
        double other = volt_forecast_series_at(outcome->forecast, k)->baseline_rmse[kind];
        if (!(other > 0) || !isfinite(other))
            continue;
        used += snprintf(line + used, sizeof line - (size_t)used, "%s %s %.3g", lead,
                         volt_baseline_name((volt_baseline)kind), pow(rmse / other, 2));
        lead = ",";
    }
    say_methods(outcome, k, methods, sizeof methods);
    if (volt_forecast_series_at(outcome->forecast, k)->season > 0)
        used += snprintf(line + used, sizeof line - (size_t)used, "; season %lld",
                         (long long)volt_forecast_series_at(outcome->forecast, k)->season);
    results_text(results, NULL, data->names[k], "%s; %s", line, methods);
}

/* Prints a library warning with advice. */
static void report_warning(const series_data *data, const volt_warning *warning, result_list *results)
{
    char who[80] = "";
    if (data->levels.cols > 1)
        snprintf(who, sizeof who, "%.60s: ", data->names[warning->series]);
    switch (warning->code) {
    case VOLT_WARNING_NAIVE_FORECAST:
        results_text(
            results, NULL, "note",
            "%s%s (the best fit has %.3g of its squared error); more rows, --season, --calendar, related "
            "series or --budget may help",
            who, volt_warning_text(warning->code), warning->value);
        break;
    case VOLT_WARNING_BETTER_BASELINE:
        results_text(results, NULL, "note", "%s%s: %s; try --budget 2min, another --season or more rows", who,
                     volt_warning_text(warning->code), volt_baseline_name(warning->baseline));
        break;
    default:
        results_text(results, NULL, "note", "%s%s", who, volt_warning_text(warning->code));
        break;
    }
}

/* Describes the result of --budget; NULL: not given. */
static const char *search_sentence(const volt_forecast_info *info, char *text, size_t size)
{
    switch (info->search) {
    case VOLT_FORECAST_SEARCH_NONE:
        return NULL;
    case VOLT_FORECAST_SEARCH_ROWS:
        snprintf(text, size, "none: %lld rows are too few to search on and to confirm the result",
                 (long long)info->rows);
        break;
    case VOLT_FORECAST_SEARCH_TIME:
        snprintf(text, size, "none: the time is too short for a draw; give a longer --budget");
        break;
    case VOLT_FORECAST_SEARCH_WORSE:
        snprintf(text, size, "%lld draws, none better than the kernel given on held-out rows",
                 (long long)info->search_draws);
        break;
    case VOLT_FORECAST_SEARCH_REJECTED:
        snprintf(text, size,
                 "%lld draws; the kernel given is kept: on the last quarter of the rows the best draw has %.3g "
                 "of the "
                 "squared error of naive, the kernel given %.3g",
                 (long long)info->search_draws, info->search_mse, info->search_mse_given);
        break;
    case VOLT_FORECAST_SEARCH_ACCEPTED:
        snprintf(
            text, size,
            "%lld draws; on the last quarter of the rows the best has %.3g of the squared error of naive, the "
            "kernel given %.3g",
            (long long)info->search_draws, info->search_mse, info->search_mse_given);
        break;
    }
    return text;
}

/* Prints the forecasts, or the first and last of them, in columns. */
static void print_steps(const series_outcome *outcome)
{
    const series_data *data = outcome->data;
    enum { MOST_SERIES = 4, MOST_LINES = 14, LAST_LINES = 3, CELL = 28 };
    int64_t series = outcome->info.series < MOST_SERIES ? outcome->info.series : MOST_SERIES,
            steps = outcome->info.steps;
    const char *const *times = data->time_name ? data->time_texts + data->levels.rows : NULL;
    int width = data->time_name ? shown_width(data->time_name) : 4;
    for (int64_t h = 0; times && h < steps; h++)
        width = shown_width(times[h]) > width ? shown_width(times[h]) : width;
    putchar('\n');
    print_shown(stdout, data->time_name ? data->time_name : "step", width);
    for (int64_t k = 0; k < series; k++) {
        fputs("  ", stdout);
        print_shown(stdout, data->names[k], k + 1 < series || shown_width(data->names[k]) > CELL ? CELL : 0);
    }
    printf("%s\n", outcome->info.series > series ? "  ..." : "");
    for (int64_t h = 0; h < steps; h++) {
        if (steps > MOST_LINES && h == MOST_LINES - LAST_LINES) {
            h = steps - LAST_LINES;
            printf("...\n");
        }
        if (times)
            print_shown(stdout, times[h], width);
        else
            printf("%*lld", width, (long long)h + 1);
        for (int64_t k = 0; k < series; k++) {
            char cell[64];
            snprintf(cell, sizeof cell, "%.5g +- %.3g", volt_forecast_step_at(outcome->forecast, h, k)->value,
                     step_error(outcome, h, k));
            printf("  %-*s", k + 1 < series ? CELL : 0, cell);
        }
        printf("\n");
    }
}

/* ---- JSON ------------------------------------------------------------------------------------- */

typedef enum step_field { FIELD_VALUE, FIELD_RMSE, FIELD_NAIVE_RMSE } step_field;

static void report_rows(const series_outcome *outcome, const char *key, step_field field, result_list *results)
{
    volt_matrix table = {0};
    if (allocate_matrix(outcome->info.steps, outcome->info.series, "the report", &table)) {
        note_lack_of_memory();
        return;
    }
    for (int64_t i = 0; i < outcome->info.steps * outcome->info.series; i++) {
        const volt_forecast_step *step =
            volt_forecast_step_at(outcome->forecast, i / outcome->info.series, i % outcome->info.series);
        table.data[i] = field == FIELD_VALUE  ? step->value
                        : field == FIELD_RMSE ? step->rmse
                                              : step->baseline_rmse[VOLT_BASELINE_NAIVE];
    }
    results_rows(results, key, volt_as_view(table));
    free(table.data);
}

static void report_series_json(const series_outcome *outcome, int64_t k, result_list *results)
{
    const series_data *data = outcome->data;
    result_list *inner = results_new(true);
    double rmse = volt_forecast_series_at(outcome->forecast, k)->rmse;
    const char **methods = malloc((size_t)outcome->info.steps * sizeof *methods);
    results_text(inner, "name", NULL, "%s", data->names[k]);
    results_count(inner, "season", NULL, volt_forecast_series_at(outcome->forecast, k)->season);
    results_number(
        inner, "skill", NULL,
        1 - pow(rmse / volt_forecast_series_at(outcome->forecast, k)->baseline_rmse[VOLT_BASELINE_NAIVE], 2));
    if (!methods)
        note_lack_of_memory();
    for (int64_t h = 0; methods && h < outcome->info.steps; h++)
        methods[h] = volt_forecast_step_at(outcome->forecast, h, k)->method_name;
    if (methods)
        results_texts(inner, "made_by", (char *const *)methods, outcome->info.steps);
    free((void *)methods);
    results_append(results, "series", inner);
    for (int kind = 0; volt_baseline_name((volt_baseline)kind); kind++) {
        double other = volt_forecast_series_at(outcome->forecast, k)->baseline_rmse[kind];
        if (!isfinite(other))
            continue;
        result_list *baseline = results_new(true);
        results_text(baseline, "name", NULL, "%s", volt_baseline_name((volt_baseline)kind));
        results_text(baseline, "series", NULL, "%s", data->names[k]);
        results_number(baseline, "mse", NULL, other * other);
        results_number(baseline, "rmse", NULL, other);
        results_number(baseline, "skill", NULL, 1 - pow(rmse / other, 2));
        results_append(results, "baselines", baseline);
    }
}

static void report_json(const series_outcome *outcome, result_list *results)
{
    const series_data *data = outcome->data;
    double skill = 0;
    results_texts(results, "names", (char *const *)data->names, outcome->info.series);
    results_count(results, "steps", NULL, outcome->info.steps);
    int64_t *horizons = malloc((size_t)outcome->info.steps * sizeof *horizons);
    if (!horizons)
        note_lack_of_memory();
    for (int64_t h = 0; horizons && h < outcome->info.steps; h++)
        horizons[h] = h + 1;
    if (horizons)
        results_counts(results, "horizons", horizons, outcome->info.steps);
    free(horizons);
    if (data->time_name)
        results_texts(results, "time", (char *const *)data->time_texts + data->levels.rows,
                      outcome->info.steps);
    report_rows(outcome, "forecast", FIELD_VALUE, results);
    report_rows(outcome, "rmse", FIELD_RMSE, results);
    report_rows(outcome, "naive_rmse", FIELD_NAIVE_RMSE, results);
    for (int64_t k = 0; k < outcome->info.series; k++) {
        const volt_forecast_series *series = volt_forecast_series_at(outcome->forecast, k);
        skill += (1 - pow(series->rmse / series->baseline_rmse[VOLT_BASELINE_NAIVE], 2)) /
                 (double)outcome->info.series;
        report_series_json(outcome, k, results);
    }
    results_number(results, "skill", NULL, skill);
    results_count(results, "heldout_rows", NULL, outcome->info.heldout_first);
}

/* ---- report ----------------------------------------------------------------------------------- */

static const char *target_word(const series_outcome *outcome)
{
    int64_t changes = 0, count = outcome->info.steps * outcome->info.series;
    for (int64_t i = 0; i < count; i++)
        changes += volt_forecast_step_at(outcome->forecast, i / outcome->info.series, i % outcome->info.series)
                       ->is_change;
    return changes == count ? "change" : changes == 0 ? "level" : "mixed";
}

static void report_source(const series_outcome *outcome, result_list *results)
{
    const series_data *data = outcome->data;
    int64_t rows = outcome->info.rows, season = 0;
    const char *const *times = data->time_name ? data->time_texts + outcome->info.first_row : NULL;
    for (int64_t k = 0; k < data->levels.cols && season == 0; k++)
        season = volt_forecast_series_at(outcome->forecast, k)->season;
    results_count(results, "rows", NULL, rows);
    results_count(results, "rows_left_out", NULL, outcome->info.first_row);
    if (times)
        results_text(results, NULL, "rows", "%lld, %s to %s", (long long)rows, times[0], times[rows - 1]);
    else
        results_text(results, NULL, "rows", "%lld", (long long)rows);
    results_count(results, "season", NULL, season);
    if (season > 0)
        results_text(results, NULL, "season", "%lld rows%s", (long long)season,
                     data->season != VOLT_SEASON_AUTO ? "" : ", found in the series");
    else
        results_text(results, NULL, "season", "none%s", data->season != VOLT_SEASON_AUTO ? "" : " found");
    if (times && outcome->info.steps > 1)
        results_text(results, NULL, "forecast", "%lld steps, %s to %s", (long long)outcome->info.steps,
                     times[rows], times[rows + outcome->info.steps - 1]);
    else
        results_text(results, NULL, "forecast", "%lld step%s%s%s", (long long)outcome->info.steps,
                     outcome->info.steps == 1 ? "" : "s", times ? ", " : "", times ? times[rows] : "");
}

int series_report(const series_outcome *outcome, bool json)
{
    const series_data *data = outcome->data;
    result_list *results = results_new(json);
    report_source(outcome, results);
    results_text(results, "kernel", "kernel", "%s", outcome->info.kernel);
    results_text(results, "target", "learned", "%s", target_word(outcome));
    if (outcome->info.series > 1)
        results_text(results, NULL, "inputs", "%s",
                     outcome->alone ? "each series from itself alone" : "every series from all of them");
    char sentence[256];
    const char *search = search_sentence(&outcome->info, sentence, sizeof sentence);
    if (search)
        results_text(results, "search", "search", "%s", search);
    if (json)
        report_json(outcome, results);
    if (!json && outcome->info.series == 1)
        report_single(outcome, results);
    for (int64_t k = 0; !json && outcome->info.series > 1 && k < outcome->info.series; k++)
        report_one_of_many(outcome, k, results);
    results_text(results, NULL, "measured on",
                 outcome->info.heldout_first == outcome->info.heldout_last
                     ? "the last %lld rows, each forecast from what was known then"
                     : "the last %lld rows, each forecast from what was known then (%lld at the last step)",
                 (long long)outcome->info.heldout_first, (long long)outcome->info.heldout_last);
    if (outcome->output)
        results_text(results, "output", "written", "%s", outcome->output);
    if (outcome->plot)
        results_text(results, "plot", "picture", "%s", outcome->plot);
    for (int64_t i = 0; i < outcome->info.n_warnings; i++)
        report_warning(data, &outcome->info.warnings[i], results);
    if (data->clock)
        results_text(results, NULL, "note",
                     "column '%s' only counts the rows: it is their time, and is not forecast", data->clock);
    if (outcome->info.first_row > 0)
        results_text(results, NULL, "note",
                     "the latest %lld of %lld rows are used, so that it ends soon; --rows 0: takes all",
                     (long long)outcome->info.rows, (long long)data->levels.rows);
    int failed = results_print(results);
    if (!failed && !json)
        print_steps(outcome);
    return failed;
}
