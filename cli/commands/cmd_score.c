/* cli/commands/cmd_score.c: volterra score, accuracy of a forecast. */
#include "args/command.h"
#include "commands/score_skill.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "files/row_times.h"
#include "page/series_picture.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/results.h"
#include "volterra.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct score_arguments {
    common_arguments common;
    const char *truth, *forecast, *past, *plot;
    row_range rows, truth_rows, forecast_rows;
    int64_t ahead, season;
    double lyapunov, dt, threshold;
} score_arguments;

#define ROW(...) OPTION(score_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("truth", "Y", truth, "observed values: FILE or FILE:COLUMNS", .required = true),
    ROW("pred", "P", forecast, "predictions of the dates or rows of Y: FILE or FILE:COLUMNS", .required = true),
    ROWS_OPTION(score_arguments, rows, "both files"),
    ROW("truth-rows", "A:B", truth_rows, "the same for Y only"),
    ROW("pred-rows", "A:B", forecast_rows, "the same for P only"),
    ROW("ahead", "H", ahead, "horizon of the predictions: the naive forecast is the truth H rows before",
        .range = WITHIN(1, 1e9), .unset = "1; none with --lyapunov"),
    ROW("season", "S", season, "season length in rows, for comparison with the seasonal naive forecast",
        .range = WITHIN(2, 1e9)),
    ROW("past", "Y0", past, "observed values before the scored rows, for the naive forecasts",
        .unset = "the earlier rows of Y"),
    ROW("plot", "FILE", plot, "plot of truth and predictions (SVG)", .ending = ".svg"),
    ROW("lyapunov", "L", lyapunov, "largest Lyapunov exponent, for the valid prediction time"),
    ROW("dt", "H", dt, "time between rows, for the valid prediction time"),
    ROW("threshold", "E", threshold, "relative error at the end of the valid prediction time",
        .fallback = "0.2"),
};

/* Input data. */
typedef struct score_data {
    dataset truth, forecast, past;
    volt_table *earlier; /* earlier rows of the file of the truth, or NULL */
    volt_view before;    /* rows directly before the scored rows; may be empty */
} score_data;

static int check_inputs(const score_arguments *arguments)
{
    const char *sources[] = {arguments->truth, arguments->forecast, arguments->past};
    static const char *const names[] = {"--truth", "--pred", "--past"};
    int first = -1;
    for (int i = 0; i < 3; i++) {
        if (!sources[i] || strcmp(sources[i], "-") != 0)
            continue;
        if (first >= 0)
            return complain(EXIT_USAGE, "%s and %s cannot both be read from standard input", names[first],
                            names[i]);
        first = i;
    }
    return 0;
}

static int check_plot(const score_arguments *arguments)
{
    if (!arguments->plot)
        return 0;
    if (is_standard_output(arguments->plot) && arguments->common.json)
        return complain(EXIT_USAGE, "--json and --plot - cannot both be written to standard output");
    const char *sources[] = {arguments->truth, arguments->forecast, arguments->past};
    int failed = output_check(arguments->plot);
    for (int i = 0; i < 3 && !failed; i++)
        failed = output_check_against(arguments->plot, sources[i]);
    return failed;
}

/* Reads the rows of the truth's file before the scored ones. They are optional: unreadable rows are skipped,
 * and the comparison reports the number of rows without earlier values. */
static int read_earlier(const score_arguments *arguments, score_data *data)
{
    const volt_table *truth = data->truth.table;
    volt_read_options options = reading_options();
    options.missing = VOLT_MISSING_KEEP;
    options.end = truth->row_numbers[0];
    options.names = (const char *const *)data->truth.names;
    options.n_names = data->truth.names ? truth->cols : 0;
    if (options.end == 0 || !source_is_file(arguments->truth))
        return 0;
    volt_status status = volt_table_read(arguments->truth, &options, &data->earlier);
    if (status == VOLT_ERR_FORMAT || status == VOLT_ERR_NOT_FINITE)
        return 0;
    if (status)
        return complain_status(status);
    const volt_view earlier = volt_table_view(data->earlier);
    int64_t known = 0; /* rows after the last missing value */
    for (bool is_known = true; is_known && known < earlier.rows; known += is_known)
        for (int64_t k = 0; k < earlier.cols; k++)
            is_known = is_known && isfinite(earlier.data[(earlier.rows - 1 - known) * earlier.ld + k]);
    data->before = volt_view_rows(earlier, earlier.rows - known, known);
    return 0;
}

/* Reads the earlier rows from --past, otherwise from the file of the truth. */
static int read_past(const score_arguments *arguments, score_data *data)
{
    if (!arguments->past)
        return read_earlier(arguments, data);
    int failed =
        dataset_read_like(&data->past, arguments->past, VOLT_MISSING_ERROR, NULL, NULL, &data->forecast);
    if (failed)
        return failed;
    if (data->past.view.cols != data->truth.view.cols)
        return complain(EXIT_FAILED, "%s has %lld columns but %s has %lld (select columns with FILE:COLUMNS)",
                        arguments->past, (long long)data->past.view.cols, arguments->truth,
                        (long long)data->truth.view.cols);
    data->before = data->past.view;
    return 0;
}

static int read_all(const score_arguments *arguments, score_data *data)
{
    const row_range *truth_rows = arguments->truth_rows.given ? &arguments->truth_rows : &arguments->rows;
    const row_range *pred_rows = arguments->forecast_rows.given ? &arguments->forecast_rows : &arguments->rows;
    dataset *truth = &data->truth, *forecast = &data->forecast;
    int failed = dataset_read_rows(forecast, arguments->forecast, VOLT_MISSING_ERROR, pred_rows,
                                   arguments->forecast_rows.given ? "--pred-rows" : "--rows");
    if (!failed) /* row numbers of predict --index are not scored */
        dataset_pass_over_first(forecast, "row");
    if (!failed) /* interval ends are not scored */
        dataset_pass_over_bands(forecast);
    if (!failed)
        failed = dataset_read_like(truth, arguments->truth, VOLT_MISSING_ERROR, truth_rows,
                                   arguments->truth_rows.given ? "--truth-rows" : "--rows", forecast);
    if (!failed && truth->table->times &&
        forecast->table->times) /* otherwise the selected rows match one by one */
        failed = dataset_align((dataset *const[]){forecast, truth}, 2);
    if (failed)
        return failed;
    if (truth->view.rows != forecast->view.rows)
        return complain(
            EXIT_FAILED, "%s has %lld rows but %s has %lld (select rows with --truth-rows and --pred-rows)",
            arguments->truth, (long long)truth->view.rows, arguments->forecast, (long long)forecast->view.rows);
    if (truth->view.cols != forecast->view.cols)
        return complain(EXIT_FAILED, "%s has %lld columns but %s has %lld (select columns with FILE:COLUMNS)",
                        arguments->truth, (long long)truth->view.cols, arguments->forecast,
                        (long long)forecast->view.cols);
    return read_past(arguments, data);
}

static int report_valid_time(const score_arguments *arguments, volt_view truth, volt_view forecast,
                             result_list *results)
{
    int64_t valid_rows = 0;
    int reached = 0;
    volt_status status = volt_valid_rows(truth, forecast, arguments->threshold, &valid_rows, &reached);
    if (status)
        return complain_status(status);
    double valid_time = (double)valid_rows * arguments->dt * arguments->lyapunov;
    results_number(results, "valid_time", NULL, valid_time);
    results_count(results, "valid_rows", NULL, valid_rows);
    results_flag(results, "valid_reached", reached);
    results_text(results, NULL, "valid prediction time", "%s%s Lyapunov times (%lld rows, threshold %s)",
                 reached ? "" : "at least ", digits(valid_time).text, (long long)valid_rows,
                 digits(arguments->threshold).text);
    return 0;
}

/* Reports the MAPE. It is undefined if the truth contains zeros. */
static void report_mape(volt_view truth, double mape, result_list *results)
{
    bool has_zeros = false;
    for (int64_t k = 0; k < truth.cols; k++) {
        double size = 0;
        for (int64_t i = 0; i < truth.rows; i++)
            size = fmax(size, fabs(truth.data[i * truth.ld + k]));
        for (int64_t i = 0; i < truth.rows; i++)
            has_zeros = has_zeros || fabs(truth.data[i * truth.ld + k]) <= DBL_EPSILON * fmin(1, size);
    }
    const char *label = "MAPE";
    results_number(results, "mape", has_zeros ? NULL : label, has_zeros ? NAN : mape); /* NaN: null in JSON */
    if (has_zeros)
        results_text(results, NULL, label, "undefined: the truth has zeros");
}

static void report_notes(const score_notes *notes, result_list *results)
{
    for (int64_t i = 0; i < notes->count; i++)
        results_text(results, NULL, i == 0 ? "note" : "", "%s", notes->texts[i]);
    results_texts(results, "notes", notes->texts, notes->count);
}

static int report_all(const score_arguments *arguments, const score_data *data, result_list *results)
{
    volt_view truth = data->truth.view, forecast = data->forecast.view;
    volt_metrics metrics = {.struct_size = sizeof metrics};
    volt_status status = volt_metrics_compute(truth, forecast, &metrics);
    if (status)
        return complain_status(status);
    results_count(results, "rows", NULL, truth.rows);
    results_count(results, "columns", NULL, truth.cols);
    results_text(results, NULL, "data", "%lld row%s, %lld column%s", (long long)truth.rows,
                 truth.rows == 1 ? "" : "s", (long long)truth.cols, truth.cols == 1 ? "" : "s");
    results_details(results, true);
    results_number(results, "mse", "MSE", metrics.mse);
    results_details(results, false);
    results_number(results, "rmse", "RMSE", metrics.rmse);
    results_number(results, "nmse", "NMSE", metrics.nmse);
    results_number(results, "r2", "R2", metrics.r2);
    results_number(results, "mae", "MAE", metrics.mae);
    results_details(results, true);
    results_number(results, "mdae", "MdAE", metrics.mdae);
    results_number(results, "w1", "W1", metrics.w1);
    results_details(results, false);
    report_mape(truth, metrics.mape, results);

    static char constant[] = "R2 is below 0: the mean of the truth has the lower squared error";
    score_notes notes = {.count = 0};
    if (metrics.r2 < 0)
        notes.texts[notes.count++] = constant;
    /* With a valid time, the forecast is a path from its first row and has no horizon. */
    const bool compares =
        !(arguments->lyapunov > 0) || arguments->ahead || arguments->season || arguments->past;
    const skill_task task = {truth, forecast, data->before, arguments->ahead ? arguments->ahead : 1,
                             arguments->season};
    int failed = compares ? report_skill(&task, results, &notes) : 0;
    if (!failed)
        report_notes(&notes, results);
    if (!failed && arguments->lyapunov > 0)
        failed = report_valid_time(arguments, truth, forecast, results);
    return failed;
}

static int draw(const score_arguments *arguments, const score_data *data)
{
    const volt_table *truth = data->truth.table, *forecast = data->forecast.table;
    const char *const *names = (const char *const *)data->truth.names;
    const series_picture picture = {
        .names = names ? names : (const char *const *)data->forecast.names,
        .truth = data->truth.view,
        .forecast = data->forecast.view,
        .forecast_row = truth->row_numbers[0],
        .times = (const char *const *)(truth->time_texts ? truth->time_texts : forecast->time_texts),
        .times_row = truth->row_numbers[0],
        .n_times = truth->rows,
    };
    return picture_series_file(arguments->plot, &picture);
}

/* Prints the scores even if the plot fails, unless the plot goes to standard output. */
static int score(const score_arguments *arguments, const score_data *data)
{
    const bool only_picture = arguments->plot && is_standard_output(arguments->plot);
    result_list *results = results_new(arguments->common.json);
    int failed = report_all(arguments, data, results);
    if (failed) {
        results_discard(results);
        return failed;
    }
    int plot_failed = arguments->plot ? draw(arguments, data) : 0;
    if (arguments->plot && !plot_failed)
        results_text(results, "plot", "plot", "%s", arguments->plot);
    if (only_picture) {
        results_discard(results);
        return plot_failed;
    }
    failed = results_print(results);
    return failed ? failed : plot_failed;
}

static int run_score(int argc, char *const *argv)
{
    score_arguments arguments = {0};
    score_data data = {0};
    int failed = options_parse(&command_score.options, argc, argv, &arguments);
    if (failed)
        return failed;
    if ((arguments.lyapunov > 0) != (arguments.dt > 0))
        return complain(EXIT_USAGE, "--lyapunov and --dt must be given together (%s is missing)",
                        arguments.dt > 0 ? "--lyapunov" : "--dt");
    failed = check_inputs(&arguments);
    if (!failed)
        failed = check_plot(&arguments);
    if (!failed)
        failed = read_all(&arguments, &data);
    if (!failed)
        failed = score(&arguments, &data);
    dataset_release(&data.truth);
    dataset_release(&data.forecast);
    dataset_release(&data.past);
    volt_table_free(data.earlier);
    return failed;
}

const cli_command command_score = {
    .name = "score",
    .group = "Evaluate",
    .summary = "compare predictions with observed values",
    .description =
        "Prints RMSE, NMSE, R2, MAE, MAPE, skill and MASE as means over the columns. Columns of Y and P are\n"
        "matched by name if Y has all names of P, otherwise by position.\n"
        "\n"
        "Columns are matched by position if Y has none of the names (with a warning) or a file has no\n"
        "header. A first column named row in P (predict --index) and columns NAME.error, NAME.lo90 and\n"
        "NAME.hi90 are skipped. If both files have dates, rows of the same date are compared, and a warning\n"
        "gives their number if there are others.\n"
        "\n"
        "RMSE   root mean squared error\n"
        "NMSE   mean squared error / variance of the truth\n"
        "R2     coefficient of determination, 1 - NMSE\n"
        "MAE    mean absolute error\n"
        "MAPE   mean absolute error / |truth|; undefined if the truth has zeros\n"
        "skill  1 - MSE / MSE of the naive forecast, the truth H rows before\n"
        "MASE   MAE / MAE of the naive forecast\n"
        "With --verbose also MSE, MdAE (median absolute error) and W1 (Wasserstein distance of the\n"
        "distributions of truth and predictions).\n"
        "\n"
        "Skill and MASE use the rows whose earlier values are known, from the file of Y before\n"
        "--truth-rows, or from --past. The valid prediction time is the first row t, counted from 1, with\n"
        "|y_t - yhat_t| >= threshold |y_t|, times the time step times the Lyapunov exponent.\n",
    .examples = "  volterra score --truth y.csv --pred forecast.csv\n"
                "  volterra score --truth lorenz.csv --truth-rows 5001: --pred path.csv \\\n"
                "                 --lyapunov 0.9 --dt 0.005\n"
                "  volterra score --truth load.csv:mw --truth-rows 8000: --pred forecast.csv --ahead 24 \\\n"
                "                 --season 168 --plot forecast.svg\n",
    .options = OPTION_TABLE(rows),
    .run = run_score,
};
