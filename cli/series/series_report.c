/* cli/series/series_report.c: writes a forecast of series as a file and as a report. */
#include "series/series_inputs.h"

#include "files/header_line.h"
#include "files/outputs.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/results.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- file ------------------------------------------------------------------------------------- */

/* Number of columns of one series in the file: value, error, and both ends of each interval. */
static int64_t columns_each(const series_outcome *outcome)
{
    return 2 + 2 * outcome->n_coverages;
}

/* Returns the names of all columns in one block, followed by the step numbers as text. */
static const char **column_names(const series_outcome *outcome, char *const **numbers)
{
    enum { SUFFIX_SIZE = 40 };
    char suffix[HEADER_LINE_END];
    const series_data *data = outcome->data;
    size_t series = (size_t)data->levels.cols, steps = (size_t)outcome->info.steps, length = 0;
    size_t each = (size_t)columns_each(outcome), count = each * series;
    for (size_t k = 0; k < series; k++)
        length += each * (strlen(data->names[k]) + SUFFIX_SIZE);
    char **names = malloc((count + steps) * sizeof *names + length + steps * SUFFIX_SIZE);
    if (!names)
        return NULL;
    char *text = (char *)(names + count + steps);
    for (size_t k = 0; k < series; k++) {
        char **name = names + each * k;
        *name++ = (char *)data->names[k];
        *name++ = text;
        text += sprintf(text, "%s.error", data->names[k]) + 1;
        for (int64_t c = 0; c < outcome->n_coverages; c++)
            for (int end = 0; end < 2; end++) {
                *name++ = text;
                text +=
                    sprintf(text, "%s%s", data->names[k], header_line_end(outcome->coverages[c], end, suffix)) +
                    1;
            }
    }
    for (size_t h = 0; h < steps; h++, text += SUFFIX_SIZE) {
        names[count + h] = text;
        snprintf(text, SUFFIX_SIZE, "%lld", (long long)h + 1);
    }
    *numbers = names + count;
    return (const char **)names;
}

static void fill_row(const series_outcome *outcome, int64_t h, double *row)
{
    for (int64_t k = 0; k < outcome->info.series; k++) {
        const volt_forecast_step *step = volt_forecast_step_at(outcome->forecast, h, k);
        *row++ = step->value;
        *row++ = step->rmse;
        for (int64_t c = 0; c < outcome->n_coverages; c++) {
            *row++ = step->lower[c];
            *row++ = step->upper[c];
        }
    }
}

int series_write(const char *path, const series_outcome *outcome)
{
    const series_data *data = outcome->data;
    volt_matrix table = {0};
    char *const *numbers = NULL;
    const char **names = column_names(outcome, &numbers);
    int failed = names ? 0 : complain(EXIT_FAILED, "not enough memory for the column names");
    if (!failed)
        failed = allocate_matrix(outcome->info.steps, columns_each(outcome) * outcome->info.series,
                                 "the forecast", &table);
    if (!failed) {
        for (int64_t h = 0; h < outcome->info.steps; h++)
            fill_row(outcome, h, table.data + h * table.ld);
        row_labels labels = {.name = "step", .texts = (const char **)numbers};
        if (data->time_name)
            labels = (row_labels){.name = data->time_name, .texts = data->time_texts + data->levels.rows};
        failed = output_labelled(path, volt_as_view(table), names, &labels);
    }
    free(table.data);
    free(names);
    return failed;
}

/* ---- text ------------------------------------------------------------------------------------- */

enum { MAX_SERIES = 4, MAX_CELL = 28, CELL_LENGTH = 160 }; /* of the table of steps */

typedef struct text_line {
    char text[512];
    size_t used;
} text_line;

VOLT_PRINTF(2, 3) static void add_text(text_line *line, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (line->used < sizeof line->text) {
        int length = vsnprintf(line->text + line->used, sizeof line->text - line->used, format, values);
        line->used += length > 0 ? (size_t)length : 0;
    }
    va_end(values);
}

static const char *name_of_member(const series_outcome *outcome, const volt_forecast_series *series, int member)
{
    return member == VOLT_MEMBER_ETS && series->ets[0] ? series->ets : outcome->info.member_names[member];
}

/* Number of steps of series k in which the kernel has a part. */
static int64_t kernel_steps(const series_outcome *outcome, int64_t k)
{
    int64_t count = 0;
    for (int64_t h = 0; h < outcome->info.steps; h++)
        count += volt_forecast_step_at(outcome->forecast, h, k)->kernel_share > 0;
    return count;
}

/* "kernel 0.61 (8 of 12 steps), theta 0.20, ETS(M,Ad,M) 0.19" */
static void list_weights(const series_outcome *outcome, int64_t k, text_line *line)
{
    const volt_forecast_series *series = volt_forecast_series_at(outcome->forecast, k);
    int64_t fitted = kernel_steps(outcome, k);
    for (int m = 0; m < outcome->info.members; m++)
        if (series->member_weight[m] >= 0.005) { /* those that are not printed as 0.00 */
            add_text(line, "%s%s %s", line->used ? ", " : "", name_of_member(outcome, series, m),
                     fixed_digits(series->member_weight[m], 2).text);
            if (m == VOLT_MEMBER_KERNEL && fitted < outcome->info.steps)
                add_text(line, " (%lld of %lld steps)", (long long)fitted, (long long)outcome->info.steps);
        }
}

/* "naive 60.1, seasonal naive 36.2, drift 58.7, autoregression 22.4" */
static void list_baselines(const series_outcome *outcome, int64_t k, text_line *line)
{
    const volt_forecast_series *series = volt_forecast_series_at(outcome->forecast, k);
    for (int m = VOLT_MEMBER_NAIVE; m < outcome->info.members; m++)
        if (isfinite(series->member_rmse[m]))
            add_text(line, "%s%s %s", line->used ? ", " : "", outcome->info.member_names[m],
                     digits(series->member_rmse[m]).text);
}

static void report_errors(const series_outcome *outcome, int64_t k, const char *label, result_list *results)
{
    const volt_forecast_series *series = volt_forecast_series_at(outcome->forecast, k);
    const volt_forecast *forecast = outcome->forecast;
    text_line error = {0};
    if (isfinite(series->rmse) && outcome->info.series > 1)
        add_text(&error, "expected ");
    if (isfinite(series->rmse))
        add_text(&error, "RMSE %s (%s at the first step, %s at the last)", digits(series->rmse).text,
                 digits(volt_forecast_step_at(forecast, 0, k)->rmse).text,
                 digits(volt_forecast_step_at(forecast, outcome->info.steps - 1, k)->rmse).text);
    if (isfinite(series->mase))
        add_text(&error, ", MASE %s", digits(series->mase).text);
    if (!error.used)
        add_text(&error, "unknown: too few rows");
    results_text(results, NULL, label, "%s", error.text);
}

/* Why the methods have these weights. */
static void report_reason(const series_outcome *outcome, result_list *results)
{
    int64_t origins = outcome->info.origins, fitted = kernel_steps(outcome, 0);
    text_line reason = {0};
    if (origins > 0)
        add_text(&reason, "errors of forecasts from %lld earlier row%s", (long long)origins,
                 origins == 1 ? "" : "s");
    else
        add_text(&reason, "too few rows to compare the methods");
    const volt_forecast_info *info = &outcome->info;
    if (info->fitted_steps > 0 && fitted < info->fitted_steps)
        add_text(&reason, "; %sno kernel fit is clearly better than the last value",
                 fitted == 0 ? "" : "in other steps ");
    if (info->fitted_steps < info->steps)
        add_text(&reason, "; %lld rows are too few for a kernel fit of step %lld%s", (long long)info->rows,
                 (long long)info->fitted_steps + 1, info->fitted_steps + 1 < info->steps ? " and later" : "");
    results_text(results, NULL, "chosen by", "%s", reason.text);
}

/* Reports a single series, one line per result. */
static void report_single(const series_outcome *outcome, result_list *results)
{
    text_line weights = {0}, baselines = {0};
    list_weights(outcome, 0, &weights);
    list_baselines(outcome, 0, &baselines);
    results_text(results, NULL, "weights", "%s", weights.text);
    report_reason(outcome, results);
    report_errors(outcome, 0, "expected error", results);
    if (baselines.used > 0)
        results_text(results, NULL, "baselines", "RMSE %s", baselines.text);
}

/* Reports one of several series on two lines. */
static void report_one_of_many(const series_outcome *outcome, int64_t k, result_list *results)
{
    text_line weights = {0};
    list_weights(outcome, k, &weights);
    report_errors(outcome, k, outcome->data->names[k], results);
    int64_t season = volt_forecast_series_at(outcome->forecast, k)->season;
    if (season > 0)
        results_text(results, NULL, "", "season %lld rows; weights %s", (long long)season, weights.text);
    else
        results_text(results, NULL, "", "no season; weights %s", weights.text);
}

static void report_warning_json(const series_data *data, const volt_warning *warning, result_list *results)
{
    result_list *inner = results_new(true);
    results_text(inner, "series", NULL, "%s", data->names[warning->series]);
    results_text(inner, "text", NULL, "%s", volt_warning_text(warning->code));
    if (warning->code == VOLT_WARNING_BETTER_BASELINE) {
        results_text(inner, "baseline", NULL, "%s", volt_baseline_name(warning->baseline));
        results_number(inner, "ratio", NULL, warning->value);
    }
    results_append(results, "warnings", inner);
}

static void report_warning(const series_data *data, const volt_warning *warning, result_list *results)
{
    char who[80] = "";
    if (data->levels.cols > 1)
        snprintf(who, sizeof who, "%.60s: ", data->names[warning->series]);
    if (warning->code == VOLT_WARNING_SHORT_SEASON)
        results_text(results, NULL, "warning", "%s%s (%lld rows)", who, volt_warning_text(warning->code),
                     (long long)warning->value);
    else if (warning->code == VOLT_WARNING_BETTER_BASELINE)
        results_text(results, NULL, "warning", "%s%s: %s has %s of the squared error of the forecast", who,
                     volt_warning_text(warning->code), volt_baseline_name(warning->baseline),
                     digits(warning->value).text);
    else
        results_text(results, NULL, "warning", "%s%s", who, volt_warning_text(warning->code));
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

/* Digits and widths of the forecasts of a series and of their errors. */
typedef struct step_column {
    int decimals, value_width, error_width, width;
} step_column;

/* Writes a forecast and its expected error: "371.99 +- 0.34". */
static char *format_step(const volt_forecast_step *step, const step_column *column, char cell[CELL_LENGTH])
{
    number_text value = fixed_digits(step->value, column->decimals);
    if (isfinite(step->rmse))
        snprintf(cell, CELL_LENGTH, "%*s +- %*s", column->value_width, value.text, column->error_width,
                 fixed_digits(step->rmse, column->decimals).text);
    else
        snprintf(cell, CELL_LENGTH, "%*s", column->value_width, value.text);
    return cell;
}

static void widen(int *width, size_t length)
{
    *width = (int)length > *width ? (int)length : *width;
}

static step_column column_of(const series_outcome *outcome, int64_t k)
{
    char cell[CELL_LENGTH];
    step_column column = {0};
    double lowest = INFINITY, largest = 0;
    for (int64_t h = 0; h < outcome->info.steps; h++) {
        const volt_forecast_step *step = volt_forecast_step_at(outcome->forecast, h, k);
        lowest = fmin(lowest, step->rmse);
        largest = fmax(largest, fabs(step->value));
    }
    column.decimals = isfinite(lowest) ? error_decimals(lowest, largest) : column_decimals(largest);
    for (int64_t h = 0; h < outcome->info.steps; h++) {
        const volt_forecast_step *step = volt_forecast_step_at(outcome->forecast, h, k);
        widen(&column.value_width, strlen(fixed_digits(step->value, column.decimals).text));
        if (isfinite(step->rmse))
            widen(&column.error_width, strlen(fixed_digits(step->rmse, column.decimals).text));
    }
    column.width = shown_width(outcome->data->names[k]);
    for (int64_t h = 0; h < outcome->info.steps; h++)
        widen(&column.width,
              strlen(format_step(volt_forecast_step_at(outcome->forecast, h, k), &column, cell)));
    column.width = column.width < MAX_CELL ? column.width : MAX_CELL;
    return column;
}

/* Prints the forecasts, or the first and last of them, in columns. */
static void print_steps(const series_outcome *outcome)
{
    const series_data *data = outcome->data;
    enum { MAX_LINES = 14, LAST_LINES = 3 };
    step_column columns[MAX_SERIES];
    int64_t series = outcome->info.series < MAX_SERIES ? outcome->info.series : MAX_SERIES,
            steps = outcome->info.steps;
    const char *const *times = data->time_name ? data->time_texts + data->levels.rows : NULL;
    int width = data->time_name ? shown_width(data->time_name) : 4;
    for (int64_t h = 0; times && h < steps; h++)
        width = shown_width(times[h]) > width ? shown_width(times[h]) : width;
    putchar('\n');
    print_shown(stdout, data->time_name ? data->time_name : "step", width);
    for (int64_t k = 0; k < series; k++) {
        columns[k] = column_of(outcome, k);
        fputs("  ", stdout);
        print_shown(stdout, data->names[k],
                    k + 1 < series || shown_width(data->names[k]) > columns[k].width ? columns[k].width : 0);
    }
    printf("%s\n", outcome->info.series > series ? "  ..." : "");
    for (int64_t h = 0; h < steps; h++) {
        if (steps > MAX_LINES && h == MAX_LINES - LAST_LINES) {
            h = steps - LAST_LINES;
            printf("...\n");
        }
        if (times)
            print_shown(stdout, times[h], width);
        else
            printf("%*lld", width, (long long)h + 1);
        for (int64_t k = 0; k < series; k++) {
            char cell[CELL_LENGTH];
            format_step(volt_forecast_step_at(outcome->forecast, h, k), &columns[k], cell);
            printf("  %-*s", k + 1 < series ? columns[k].width : 0, cell);
        }
        printf("\n");
    }
}

/* ---- JSON ------------------------------------------------------------------------------------- */

/* One number of each step: the value, its error, the error of the naive forecast, or the end of an interval. */
typedef enum step_field { FIELD_VALUE, FIELD_RMSE, FIELD_NAIVE_RMSE, FIELD_LOWER, FIELD_UPPER } step_field;

static double step_number(const volt_forecast_step *step, step_field field, int64_t index)
{
    switch (field) {
    case FIELD_VALUE:
        return step->value;
    case FIELD_RMSE:
        return step->rmse;
    case FIELD_NAIVE_RMSE:
        return step->member_rmse[VOLT_MEMBER_NAIVE];
    case FIELD_LOWER:
        return step->lower[index];
    case FIELD_UPPER:
        return step->upper[index];
    }
    return NAN;
}

static void report_rows(const series_outcome *outcome, const char *key, step_field field, int64_t index,
                        result_list *results)
{
    volt_matrix table = {0};
    if (allocate_matrix(outcome->info.steps, outcome->info.series, "the report", &table)) {
        note_lack_of_memory();
        return;
    }
    for (int64_t i = 0; i < outcome->info.steps * outcome->info.series; i++)
        table.data[i] = step_number(
            volt_forecast_step_at(outcome->forecast, i / outcome->info.series, i % outcome->info.series), field,
            index);
    results_rows(results, key, volt_as_view(table));
    free(table.data);
}

/* The forecast of series k by member m. */
static void report_column(const series_outcome *outcome, const char *key, int64_t k, int m,
                          result_list *results)
{
    double *values = malloc((size_t)outcome->info.steps * sizeof *values);
    if (!values) {
        note_lack_of_memory();
        return;
    }
    for (int64_t h = 0; h < outcome->info.steps; h++)
        values[h] = volt_forecast_step_at(outcome->forecast, h, k)->member_value[m];
    results_numbers(results, key, values, outcome->info.steps);
    free(values);
}

static double skill_of(const volt_forecast_series *series)
{
    return 1 - pow(series->rmse / series->member_rmse[VOLT_MEMBER_NAIVE], 2);
}

static void report_series_json(const series_outcome *outcome, int64_t k, result_list *results)
{
    const volt_forecast_series *series = volt_forecast_series_at(outcome->forecast, k);
    result_list *inner = results_new(true);
    results_text(inner, "name", NULL, "%s", outcome->data->names[k]);
    results_fields(inner, volt_forecast_series, series, "season rmse mase ets");
    results_number(inner, "skill", NULL, skill_of(series));
    results_append(results, "series", inner);
    for (int m = 0; m < outcome->info.members; m++) {
        double other = series->member_rmse[m];
        result_list *member = results_new(true);
        results_text(member, "name", NULL, "%s", outcome->info.member_names[m]);
        results_text(member, "series", NULL, "%s", outcome->data->names[k]);
        results_number(member, "weight", NULL, series->member_weight[m]);
        results_number(member, "rmse", NULL, other);
        results_number(member, "skill", NULL, 1 - pow(series->rmse / other, 2));
        report_column(outcome, "forecast", k, m, member);
        results_append(results, "members", member);
    }
}

static void report_intervals(const series_outcome *outcome, result_list *results)
{
    for (int64_t c = 0; c < outcome->n_coverages; c++) {
        result_list *inner = results_new(true);
        results_number(inner, "coverage", NULL, outcome->coverages[c]);
        report_rows(outcome, "lower", FIELD_LOWER, c, inner);
        report_rows(outcome, "upper", FIELD_UPPER, c, inner);
        results_append(results, "intervals", inner);
    }
}

static void report_json(const series_outcome *outcome, result_list *results)
{
    const series_data *data = outcome->data;
    double skill = 0;
    results_texts(results, "names", (char *const *)data->names, outcome->info.series);
    results_fields(results, volt_forecast_info, &outcome->info, "steps origins");
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
    report_rows(outcome, "forecast", FIELD_VALUE, 0, results);
    report_rows(outcome, "rmse", FIELD_RMSE, 0, results);
    report_rows(outcome, "naive_rmse", FIELD_NAIVE_RMSE, 0, results);
    report_intervals(outcome, results);
    for (int64_t k = 0; k < outcome->info.series; k++) {
        skill += skill_of(volt_forecast_series_at(outcome->forecast, k)) / (double)outcome->info.series;
        report_series_json(outcome, k, results);
    }
    results_number(results, "skill", NULL, skill);
}

/* ---- report ----------------------------------------------------------------------------------- */

/* Times that the forecast skips. */
static const char *skipped_times(volt_time_step step)
{
    if (step.months > 0 && step.closed_weekdays)
        return step.is_month_end ? " (last weekday of the month; holidays are unknown)"
                                 : " (first weekday of the month; holidays are unknown)";
    return step.closed_weekdays ? " (weekdays without rows are skipped; holidays are unknown)" : "";
}

static void report_source(const series_outcome *outcome, result_list *results)
{
    const series_data *data = outcome->data;
    int64_t rows = outcome->info.rows, season = 0;
    const char *const *times = data->time_name ? data->time_texts + outcome->info.first_row : NULL;
    char gaps[64] = "";
    if (data->file.table->inserted > 0)
        snprintf(gaps, sizeof gaps, ", %lld of them filled in", (long long)data->file.table->inserted);
    else if (data->missing > 0)
        snprintf(gaps, sizeof gaps, ", %lld missing", (long long)data->missing);
    for (int64_t k = 0; k < data->levels.cols && season == 0; k++)
        season = volt_forecast_series_at(outcome->forecast, k)->season;
    results_count(results, "rows", NULL, rows);
    results_count(results, "rows_left_out", NULL, outcome->info.first_row);
    if (times)
        results_text(results, NULL, "rows", "%lld, %s to %s%s", (long long)rows, times[0], times[rows - 1],
                     gaps);
    else
        results_text(results, NULL, "rows", "%lld%s", (long long)rows, gaps);
    results_count(results, "season", NULL, season);
    if (season > 0)
        results_text(results, NULL, "season", "%lld rows%s", (long long)season,
                     data->season != VOLT_SEASON_AUTO ? "" : ", found in the series");
    else
        results_text(results, NULL, "season", "none%s", data->season != VOLT_SEASON_AUTO ? "" : " found");
    if (times && outcome->info.steps > 1)
        results_text(results, NULL, "forecast", "%lld steps, %s to %s%s", (long long)outcome->info.steps,
                     times[rows], times[rows + outcome->info.steps - 1],
                     data->future_times ? "" : skipped_times(data->step));
    else
        results_text(results, NULL, "forecast", "%lld step%s%s%s", (long long)outcome->info.steps,
                     outcome->info.steps == 1 ? "" : "s", times ? ", " : "", times ? times[rows] : "");
}

/* "promo, price of the rows to forecast" */
static void report_inputs(const series_data *data, result_list *results)
{
    const volt_table *table = data->inputs.table;
    text_line line = {0};
    for (int64_t j = 0; j < table->cols; j++)
        add_text(&line, "%s%s", j > 0 ? ", " : "", table->names[j]);
    results_text(results, NULL, "further inputs", "%s of %s", line.text,
                 data->future.data ? "the rows to forecast"
                                   : "earlier rows (--future: of the rows to forecast)");
    results_texts(results, "inputs", table->names, table->cols);
    results_flag(results, "inputs_known", data->future.data != NULL);
}

/* Reports a column of times that is not forecast. Missing rows were reported before. */
static void report_time_column(const series_data *data, const volt_warning *found, result_list *results)
{
    const volt_view view = data->file.view;
    const char *name = data->file.table->names[found->series];
    char date[VOLT_TIME_LENGTH];
    if (series_is_input(data, name))
        return;
    if (found->code == VOLT_WARNING_ROW_COUNTER)
        results_text(results, NULL, "note", "column '%s' numbers the rows and is %s", name,
                     data->file.table->time_texts ? "not forecast" : "used as their time");
    if (found->code == VOLT_WARNING_UNEVEN_CLOCK)
        results_text(results, NULL, "note", "column '%s' is a time without a regular step and not forecast",
                     name);
    const volt_time origin = {0, 0}, first = {found->value, found->value};
    if (found->code == VOLT_WARNING_SERIAL_DATES && !volt_time_write_like("1970-01-01", origin, first, date))
        results_text(results, NULL, "note", "%s? %.0f is %s: write dates as text to use them",
                     data->times.serial, floor(view.data[found->series]), date);
}

int series_report(const series_outcome *outcome, bool json)
{
    const series_data *data = outcome->data;
    result_list *results = results_new(json);
    report_source(outcome, results);
    int64_t fitted = 0;
    for (int64_t k = 0; k < outcome->info.series; k++)
        fitted += kernel_steps(outcome, k);
    results_text(results, "kernel", fitted > 0 ? "kernel" : NULL, "%s", outcome->info.kernel);
    if (outcome->info.series > 1)
        results_text(results, NULL, "inputs", "%s",
                     outcome->alone ? "each series from itself" : "each series from all series");
    if (data->inputs.table)
        report_inputs(data, results);
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
    if (outcome->output)
        results_text(results, "output", "written", "%s", outcome->output);
    if (outcome->plot)
        results_text(results, "plot", "plot", "%s", outcome->plot);
    for (int64_t i = 0; i < outcome->info.n_warnings; i++)
        (json ? report_warning_json : report_warning)(data, &outcome->info.warnings[i], results);
    for (int64_t i = 0; i < data->times.n_warnings; i++)
        report_time_column(data, &data->times.warnings[i], results);
    if (outcome->info.first_row > 0)
        results_text(results, NULL, "note",
                     "the forecast uses the latest %lld of %lld rows; --rows 0: uses all of them",
                     (long long)outcome->info.rows, (long long)data->levels.rows);
    int failed = results_print(results);
    if (!failed && !json)
        print_steps(outcome);
    return failed;
}
