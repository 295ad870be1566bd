/* cli/commands/cmd_forecast.c: volterra forecast. */
#include "args/command.h"
#include "commands/bands.h"
#include "commands/prediction.h"
#include "files/calendar.h"
#include "files/outputs.h"
#include "page/series_picture.h"
#include "search/training.h"
#include "series/backtest_report.h"
#include "series/series_many.h"
#include "series/series_report.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "volterra.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct forecast_arguments {
    common_arguments common;
    series_arguments series;
    const char *id, *kernel, *output, *plot;
    double budget, time_limit; /* in seconds; 0: none */
    int64_t backtest;          /* origins; 0: a forecast */
    number_list coverages;
    bool alone, resume;
} forecast_arguments;

/* Intervals of the plot without --interval. */
static const number_list usual_coverages = {.count = 2, .values = {0.8, 0.95}};

#define ROW(...) OPTION(forecast_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("FILE", NULL, series.file,
        "series: FILE or FILE:COLUMNS, one row per time step; a column of dates is their time",
        .required = true, .is_positional = true,
        .synonyms = "y target targets column columns series input inputs data"),
    ROW("id", "COLUMN", id,
        "column of series names, for a file with the rows of many series (long format); each series is "
        "forecast from its own rows",
        .unset = "unique_id, if the file has columns unique_id, ds and y", .python = ""),
    ROW("steps", "H", series.steps, "forecast horizon in rows", .range = WITHIN(1, 1e6),
        .unset = "one season, at most 60; 12 without a season; at most half of the rows",
        .synonyms = "horizon h n periods ahead length"),
    ROW("season", "S", series.season, SEASON_MEANING, .fallback = "auto"),
    ROW("calendar", "PARTS", series.calendar, CALENDAR_MEANING),
    ROW("x", "COLUMNS", series.x, "input columns of the file, which are not forecast, such as promo,price",
        .python = "known"),
    ROW("future", "FILE", series.future,
        "values of the --x columns in the rows to forecast, one row per step; without --steps, their number is "
        "H",
        .unset = "the last rows of the file without a target; if none, the inputs of earlier rows are used",
        .python = "known"),
    ROW("backtest", "K", backtest, "errors of forecasts from K earlier rows instead of a forecast",
        .range = AT_LEAST(1), .python = ""),
    ROW("alone", NULL, alone, "a separate model for each series, without the other series as inputs",
        .python = "separate"),
    ROW("kernel", "K", kernel, KERNEL_MEANING, .fallback = "volterra", .python = ""),
    ROW("budget", "TIME", budget, "search time for the parameters of the kernel: 90s, 3min, 2h",
        .is_duration = true, .unset = "no search"),
    ROW("time-limit", "TIME", time_limit, "time limit of the whole run, with many series: 10min, 2h",
        .is_duration = true, .unset = "none", .python = ""),
    ROW("resume", NULL, resume,
        "continuation of an earlier run with many series; the forecasts in the output are kept, and the other "
        "series are forecast",
        .python = ""),
    INTERVAL_OPTION(forecast_arguments, coverages,
                    "prediction intervals of this coverage; in columns NAME.lo90 and NAME.hi90"),
    ROWS_OPTION(forecast_arguments, series.rows, "the file"),
    MISSING_OPTION(forecast_arguments, series.missing),
    ROW("output", "CSV", output, "file for the forecast", .letter = 'o',
        .unset = "./NAME-forecast.csv for NAME.csv"),
    ROW("plot", "SVG", plot, "plot of the forecast, or none", .ending = ".svg",
        .unset = "next to the forecast"),
};

/* ---- files ------------------------------------------------------------------------------------ */

typedef struct forecast_files {
    char output[PATH_MAX], plot[PATH_MAX]; /* "": none */
} forecast_files;

/* Extracts NAME from "folder/NAME.csv:columns". */
static void stem_of(const char *source, char *stem, size_t size)
{
    size_t length = strcspn(source, ":");
    size_t from = length, to = length;
    while (from > 0 && source[from - 1] != '/')
        from--;
    for (size_t i = from + 1; i < length; i++)
        if (source[i] == '.')
            to = i;
    snprintf(stem, size, "%.*s", (int)(to - from), source + from);
    if (!stem[0] || strcmp(stem, "-") == 0)
        snprintf(stem, size, "series");
}

/* Sets default names for the forecast and plot files, except with --json or -o -. */
static void choose_files(const forecast_arguments *arguments, forecast_files *files)
{
    char stem[NAME_MAX / 2] = "";
    const char *output = arguments->output, *plot = arguments->plot;
    bool prints = (output && is_standard_output(output)) || arguments->common.json;
    memset(files, 0, sizeof *files);
    stem_of(arguments->series.file, stem, sizeof stem);
    if (output)
        snprintf(files->output, sizeof files->output, "%s", output);
    else if (!arguments->common.json)
        snprintf(files->output, sizeof files->output, "%s-forecast.csv", stem);
    if (plot && strcmp(plot, "none") != 0) {
        snprintf(files->plot, sizeof files->plot, "%s", plot);
    } else if (!plot && !prints) {
        const char *end = strrchr(files->output, '.');
        int length = end && !strchr(end, '/') ? (int)(end - files->output) : (int)strlen(files->output);
        snprintf(files->plot, sizeof files->plot, "%.*s.svg", length < PATH_MAX - 8 ? length : PATH_MAX - 8,
                 files->output);
    }
}

static int check_files(const forecast_arguments *arguments, const forecast_files *files)
{
    const char *output = files->output[0] ? files->output : NULL, *plot = files->plot[0] ? files->plot : NULL;
    const output_option outputs[] = {{"-o", output}, {"--plot", plot}};
    if (arguments->common.json &&
        ((output && is_standard_output(output)) || (plot && is_standard_output(plot))))
        return complain(EXIT_USAGE, "--json and %s - cannot both be written to standard output",
                        output && is_standard_output(output) ? "-o" : "--plot");
    int failed = outputs_check_distinct(outputs, 2);
    for (int i = 0; i < 2 && !failed; i++) {
        failed = outputs[i].path ? output_check(outputs[i].path) : 0;
        if (!failed && outputs[i].path)
            failed = output_check_against(outputs[i].path, arguments->series.file);
        if (!failed && outputs[i].path)
            failed = output_check_against(outputs[i].path, arguments->series.future);
    }
    return failed;
}

/* ---- plot ------------------------------------------------------------------------------------- */

/* Returns a few seasons or a few times the forecast length. */
static int64_t rows_to_show(const series_outcome *outcome)
{
    enum { SEASONS = 4, FORECASTS = 4, MIN_ROWS = 48 };
    int64_t steps = outcome->info.steps, shown = FORECASTS * steps > MIN_ROWS ? FORECASTS * steps : MIN_ROWS;
    for (int64_t k = 0; k < outcome->info.series; k++) {
        int64_t season = volt_forecast_series_at(outcome->forecast, k)->season;
        shown = SEASONS * season > shown ? SEASONS * season : shown;
    }
    return shown < outcome->info.rows ? shown : outcome->info.rows;
}

/* Fills the forecast and the half-widths of the intervals, widest first, from the last known row on: a matrix of
 * steps + 1 rows and series (1 + count) columns. */
static void fill_lines(const series_outcome *outcome, const int *order, int count, volt_matrix lines)
{
    int64_t series = outcome->info.series;
    volt_view known = volt_as_view(outcome->data->levels);
    for (int64_t k = 0; k < series; k++)
        for (int64_t h = 0; h < lines.rows; h++) {
            const volt_forecast_step *step = h > 0 ? volt_forecast_step_at(outcome->forecast, h - 1, k) : NULL;
            double *row = lines.data + h * lines.ld;
            row[k] = step ? step->value : known.data[(known.rows - 1) * known.ld + k];
            for (int b = 0; b < count; b++) {
                double half = step ? (step->upper[order[b]] - step->lower[order[b]]) / 2 : 0;
                row[(b + 1) * series + k] = isfinite(half) ? half : 0;
            }
        }
}

static int draw(const char *path, const series_outcome *outcome, const number_list *coverages)
{
    const series_data *data = outcome->data;
    int64_t steps = outcome->info.steps, series = outcome->info.series, known = data->levels.rows,
            shown = rows_to_show(outcome);
    int order[NUMBER_LIST_CAPACITY], count = outcome->info.origins > 0 ? coverages->count : 0;
    char names[NUMBER_LIST_CAPACITY][32], title[256], stem[64];
    const char *band_names[NUMBER_LIST_CAPACITY];
    volt_view half_widths[NUMBER_LIST_CAPACITY];
    volt_matrix lines = {0};
    int failed = allocate_matrix(steps + 1, (1 + count) * series, "the plot", &lines);
    if (failed)
        return failed;
    for (int b = 0; b < count; b++) { /* insertion by decreasing coverage */
        int place = b;
        for (; place > 0 && coverages->values[order[place - 1]] < coverages->values[b]; place--)
            order[place] = order[place - 1];
        order[place] = b;
    }
    fill_lines(outcome, order, count, lines);
    for (int b = 0; b < count; b++) {
        snprintf(names[b], sizeof names[b], "%.6g %% interval", 100 * coverages->values[order[b]]);
        half_widths[b] = (volt_view){lines.data + (b + 1) * series, steps + 1, series, lines.ld};
        band_names[b] = names[b];
    }
    stem_of(data->file.source, stem, sizeof stem);
    snprintf(title, sizeof title, "%s: forecast of %lld step%s", stem, (long long)steps, steps == 1 ? "" : "s");
    series_picture picture = {.title = title,
                              .names = (const char *const *)data->names,
                              .history = volt_view_rows(volt_as_view(data->levels), known - shown, shown),
                              .history_row = known - shown,
                              .forecast = {lines.data, steps + 1, series, lines.ld},
                              .half_widths = half_widths,
                              .band_names = band_names,
                              .n_bands = count,
                              .forecast_row = known - 1,
                              .has_origin = true,
                              .times = data->time_name ? data->time_texts : NULL,
                              .times_row = 0,
                              .n_times = known + steps};
    failed = picture_series_file(path, &picture);
    free(lines.data);
    return failed;
}

/* ---- command ---------------------------------------------------------------------------------- */

static const number_list *coverages_of(const forecast_arguments *arguments)
{
    return arguments->coverages.count > 0 ? &arguments->coverages : &usual_coverages;
}

static int finish(const forecast_arguments *arguments, const forecast_files *files, series_outcome *outcome)
{
    bool taken = false;
    if (files->output[0]) {
        int failed = series_write(files->output, outcome);
        if (failed)
            return failed;
        outcome->output = files->output;
        taken = is_standard_output(files->output);
    }
    int plot_failed = 0;
    if (files->plot[0]) {
        plot_failed = draw(files->plot, outcome, coverages_of(arguments));
        outcome->plot = plot_failed ? NULL : files->plot;
        taken = taken || is_standard_output(files->plot);
    }
    int failed = taken ? 0 : series_report(outcome, arguments->common.json);
    return failed ? failed : plot_failed;
}

static volt_forecast_options options_of(const forecast_arguments *arguments, const series_data *data)
{
    volt_forecast_options options = volt_forecast_options_default();
    options.kernel = arguments->kernel;
    options.steps = data->steps;
    options.season = data->season;
    options.separate = arguments->alone;
    options.all_rows = arguments->series.rows.given;
    options.step = data->step;
    options.coverages = coverages_of(arguments)->values;
    options.n_coverages = coverages_of(arguments)->count;
    options.known = volt_as_view(data->known);
    options.calendar = arguments->series.calendar;
    options.times = data->file.table->times;
    options.future_times = data->future_times;
    options.search_seconds = arguments->budget;
    options.seed = arguments->common.seed.value;
    options.names = (const char *const *)data->names;
    return options;
}

/* `task` names the option of the task in the message, or is "". */
static int complain_forecast(volt_status status, const series_data *data, const char *task)
{
    char hint[HINT_LENGTH];
    if (!status)
        return 0;
    if (status == VOLT_ERR_MEMORY)
        return complain_status_hint(status, " (--rows -1000: takes the last 1000 rows)");
    return complain_status_hint(status, " (%s%.120s)%s", task, data->file.source,
                                dataset_hint(&data->file, hint));
}

static int run_task(const forecast_arguments *arguments, const series_data *data, volt_forecast **forecast)
{
    volt_forecast_options options = options_of(arguments, data);
    options.progress = progress_begin(arguments->common.quiet);
    volt_status status = volt_forecast_run(volt_as_view(data->levels), &options, forecast);
    progress_end();
    return complain_forecast(status, data, "");
}

/* Evaluates forecasts from earlier rows. */
static int run_backtest(const forecast_arguments *arguments)
{
    series_data data = {0};
    backtest_table table = {.data = &data, .coverages = *coverages_of(arguments)};
    const char *output = arguments->output;
    if (arguments->plot && strcmp(arguments->plot, "none") != 0)
        return complain(EXIT_USAGE, "--plot is not supported with --backtest");
    if (output && arguments->common.json && is_standard_output(output))
        return complain(EXIT_USAGE, "--json and -o - cannot both be written to standard output");
    int failed = output ? output_check(output) : 0;
    if (!failed && output)
        failed = output_check_against(output, arguments->series.file);
    if (!failed && output && arguments->series.future)
        failed = output_check_against(output, arguments->series.future);
    if (!failed)
        failed = series_read(&arguments->series, &data);
    if (!failed)
        failed = backtest_create(&table);
    if (!failed) {
        volt_forecast_options options = options_of(arguments, &data);
        options.progress = progress_begin(arguments->common.quiet);
        volt_status status =
            volt_forecast_backtest(volt_as_view(data.levels), &options, arguments->backtest, &table.result);
        progress_end();
        failed = complain_forecast(status, &data, "--backtest, ");
    }
    if (!failed && output)
        failed = backtest_write(output, &table);
    if (!failed && !(output && is_standard_output(output)))
        failed = backtest_report(&table, output, arguments->common.json);
    backtest_release(&table);
    series_release(&data);
    return failed;
}

/* ---- many series ------------------------------------------------------------------------------ */

/* Rejects options that are not supported for files in long format. */
static int check_many(const forecast_arguments *arguments, const char *output)
{
    const struct {
        bool given;
        const char *option;
    } refused[] = {
        {arguments->backtest > 0, "--backtest"},
        {arguments->series.x != NULL, "--x"},
        {arguments->series.future != NULL, "--future"},
        {arguments->series.calendar != NULL, "--calendar"},
        {arguments->series.rows.given, "--rows"},
        {arguments->plot && strcmp(arguments->plot, "none") != 0, "--plot"},
    };
    if (arguments->budget > 0)
        return complain(
            EXIT_USAGE,
            "--budget, the time of a search for one file of series, is not supported for many series; "
            "--time-limit limits the time of the run");
    if (arguments->resume && (!output[0] || is_standard_output(output)))
        return complain(EXIT_USAGE, "--resume requires an output file: -o FILE");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].given)
            return complain(EXIT_USAGE, "%s is not supported for a file of many series (%s)", refused[i].option,
                            arguments->id ? "--id" : "columns unique_id, ds, y");
    return 0;
}

static int run_many(const forecast_arguments *arguments, const long_source *source)
{
    forecast_arguments chosen = *arguments;
    forecast_files files;
    chosen.plot = "none";
    chosen.series.file = source->path;
    choose_files(&chosen, &files);
    many_request request = {.source = source,
                            .missing = VOLT_MISSING_KEEP,
                            .options = volt_forecast_options_default(),
                            .coverages = arguments->coverages.values,
                            .n_coverages = arguments->coverages.count,
                            .output = files.output[0] ? files.output : NULL,
                            .resume = arguments->resume,
                            .json = arguments->common.json,
                            .quiet = arguments->common.quiet};
    int failed = check_many(arguments, files.output);
    if (!failed)
        failed = check_files(&chosen, &files);
    if (!failed)
        failed = training_season(arguments->series.season, &request.options.season);
    if (failed)
        return failed;
    if ((volt_missing)arguments->series.missing == VOLT_MISSING_DROP)
        request.missing = VOLT_MISSING_DROP;
    if ((volt_missing)arguments->series.missing == VOLT_MISSING_INTERPOLATE)
        request.options.missing = VOLT_MISSING_INTERPOLATE;
    request.options.kernel = arguments->kernel;
    request.options.steps = arguments->series.steps;
    request.options.many_seconds = arguments->time_limit;
    request.options.seed = arguments->common.seed.value;
    request.options.coverages = request.coverages;
    request.options.n_coverages = request.n_coverages;
    return many_run(&request);
}

static int run_forecast(int argc, char *const *argv)
{
    forecast_arguments arguments = {0};
    long_source source;
    forecast_files files;
    series_data data = {0};
    volt_forecast *forecast = NULL;
    volt_kernel *kernel = NULL;
    int failed = options_parse(&command_forecast.options, argc, argv, &arguments);
    if (failed)
        return failed;
    volt_status status = volt_kernel_parse(arguments.kernel, &kernel); /* before any file is read */
    volt_kernel_free(kernel);
    if (status)
        return complain_status_hint(status, " (see volterra help kernels)");
    failed = bands_check(&arguments.coverages);
    if (!failed)
        failed = long_source_find(arguments.series.file, arguments.id, &source);
    if (failed)
        return failed;
    if (source.path[0])
        return run_many(&arguments, &source);
    if (arguments.resume || arguments.time_limit > 0)
        return complain(EXIT_USAGE, "%s requires a file of many series (--id, or columns unique_id, ds, y)%s",
                        arguments.resume ? "--resume" : "--time-limit",
                        arguments.resume ? "" : "; --budget is the time of a search");
    if (arguments.backtest > 0)
        return run_backtest(&arguments);
    choose_files(&arguments, &files);
    failed = check_files(&arguments, &files);
    if (!failed)
        failed = series_read(&arguments.series, &data);
    if (!failed)
        failed = run_task(&arguments, &data, &forecast);
    series_outcome outcome = {.data = &data,
                              .forecast = forecast,
                              .info = {.struct_size = sizeof outcome.info},
                              .coverages = arguments.coverages.values,
                              .n_coverages = arguments.coverages.count,
                              .alone = arguments.alone};
    if (!failed) {
        volt_forecast_get_info(forecast, &outcome.info);
        failed = series_find_times(&data, outcome.info.steps);
    }
    if (!failed)
        failed = finish(&arguments, &files, &outcome);
    volt_forecast_free(forecast);
    series_release(&data);
    return failed;
}

const cli_command command_forecast = {
    .name = "forecast",
    .group = "Forecast and identify",
    .summary = "forecast a series: predictions, expected error, plot",
    .description =
        "Forecasts the next H rows of one or several series, with the expected error and the intervals of\n"
        "every step. The forecast is a mean of kernel fits and classical methods, weighted by their errors\n"
        "in forecasts from earlier rows.\n"
        "\n"
        "There is one kernel fit for each step. The classical methods are the optimised Theta method,\n"
        "exponential smoothing (ETS), the seasonal naive forecast and an autoregression. Only the classical\n"
        "methods are used in steps for which no kernel fit is clearly better than the last value, and for\n"
        "series that are too short for a kernel fit (from 3 rows on).\n"
        "\n"
        "The output is a CSV with the time and, for each series, its values and NAME.error, the expected\n"
        "root mean squared error of the step. Times continue with the step of the file's dates; without\n"
        "dates, steps are numbered. The plot shows 80 % and 95 % intervals, or those of --interval. -o -\n"
        "prints only the CSV. --json prints all results and writes no file unless -o or --plot is given.\n"
        "\n"
        "With --budget, random kernels are evaluated on the first three quarters of the rows. The best one\n"
        "replaces the given kernel only if it is clearly better on the held-out last quarter.\n"
        "\n"
        "--x promo,price takes columns of the file as further inputs. If their values in the rows to\n"
        "forecast are known, give them with --future, or as last rows of the file without a target.\n"
        "Otherwise the forecast uses the inputs of earlier rows.\n"
        "\n"
        "--backtest K evaluates the forecast instead. It makes K complete forecasts from earlier rows and\n"
        "compares each with the H rows after it. The last one begins H rows before the end, and the others\n"
        "H rows before each other, or closer if the first would have less than half of the rows. The table\n"
        "has the MASE, the sMAPE (in percent) and the RMSE of the forecast and of every method, and the\n"
        "coverage of the intervals. -o writes it as CSV.\n"
        "\n"
        "--missing interpolate also fills in the rows that are missing between times with a regular step,\n"
        "such as days, open weekdays or months. Weekends and holidays of up to two working days are not\n"
        "filled in.\n"
        "\n"
        "A column that counts the rows (year, t, index, or the first column) is used as time. Long files\n"
        "are limited to their latest rows unless --rows is given.\n"
        "\n"
        "A file in long format has a column of series names: --id COLUMN, or unique_id in a file with\n"
        "columns unique_id, ds and y. FILE:VALUES names the column of the values (default y). The times are\n"
        "in column ds, or in the column of dates. Each series is forecast from its own rows, with its own\n"
        "season and dates, and the output is in long format, with y.error and the ends of the intervals. A\n"
        "series has no forecast if a value is missing (unless --missing is given) or not a number, if its\n"
        "times are unreadable, repeated or unordered, or if it has fewer than 3 rows. A warning names the\n"
        "series and the line of the file. The exit status is 0 if at least one series has a forecast. The\n"
        "series are divided among the threads. --budget, --x, --future, --calendar, --backtest, --rows and\n"
        "--plot are not supported.\n"
        "\n"
        "--time-limit limits the time of the whole run. Series that have not begun by then are counted, and\n"
        "the others are written. During a long run the output file is replaced every minute by the\n"
        "forecasts so far, and an interrupt keeps the complete ones. The same command with --resume\n"
        "continues the run, also with another --time-limit. It keeps series in the output whose times\n"
        "follow the rows of FILE. If FILE is newer than the output, or the options, which are stored in\n"
        "CSV.options, differ, all series are forecast again.\n",
    .examples = "  volterra forecast sales.csv\n"
                "  volterra forecast load.csv:load --steps 48 --calendar hour,weekday -o next.csv\n"
                "  volterra forecast sales.csv:sales --x promo,price --future plan.csv\n"
                "  volterra forecast sales.csv --backtest 5\n"
                "  volterra forecast weather.csv:temp,pressure --season 24 --json\n"
                "  volterra forecast all_stores.csv:sales --id store --steps 12 -o -\n",
    .options = OPTION_TABLE(rows),
    .run = run_forecast,
};
