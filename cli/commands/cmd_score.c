/* cli/commands/cmd_score.c: volterra score, how good a forecast is. */
#include "args/command.h"
#include "files/inputs.h"
#include "terminal/messages.h"
#include "terminal/results.h"
#include "volterra.h"

#include <string.h>

typedef struct score_arguments {
    common_arguments common;
    const char *truth, *forecast;
    row_range rows, truth_rows, forecast_rows;
    double lyapunov, dt, threshold;
} score_arguments;

static const option rows[] = {
    {.name = "truth",
     .kind = OPTION_TEXT,
     .required = true,
     .offset = offsetof(score_arguments, truth),
     .argument = "Y",
     .meaning = "what happened: FILE or FILE:COLUMNS"},
    {.name = "pred",
     .kind = OPTION_TEXT,
     .required = true,
     .offset = offsetof(score_arguments, forecast),
     .argument = "P",
     .meaning = "the forecast: FILE or FILE:COLUMNS, row by row with Y"},
    {.name = "rows",
     .kind = OPTION_ROWS,
     .offset = offsetof(score_arguments, rows),
     .argument = "A:B",
     .meaning = "use rows A <= t < B of both, counted from 0; negative ends count from the last row"},
    {.name = "truth-rows",
     .kind = OPTION_ROWS,
     .offset = offsetof(score_arguments, truth_rows),
     .argument = "A:B",
     .meaning = "the same for Y alone"},
    {.name = "pred-rows",
     .kind = OPTION_ROWS,
     .offset = offsetof(score_arguments, forecast_rows),
     .argument = "A:B",
     .meaning = "the same for P alone"},
    {.name = "lyapunov",
     .kind = OPTION_POSITIVE,
     .offset = offsetof(score_arguments, lyapunov),
     .argument = "L",
     .meaning = "largest Lyapunov exponent: also report the valid prediction time"},
    {.name = "dt",
     .kind = OPTION_POSITIVE,
     .offset = offsetof(score_arguments, dt),
     .argument = "H",
     .meaning = "time between rows, for the valid prediction time"},
    {.name = "threshold",
     .kind = OPTION_POSITIVE,
     .fallback = "0.2",
     .argument = "E",
     .offset = offsetof(score_arguments, threshold),
     .meaning = "relative error at which a forecast is no longer valid"},
};

static int read_both(const score_arguments *arguments, dataset *truth, dataset *forecast)
{
    const row_range *truth_rows = arguments->truth_rows.given ? &arguments->truth_rows : &arguments->rows;
    const row_range *pred_rows = arguments->forecast_rows.given ? &arguments->forecast_rows : &arguments->rows;
    if (strcmp(arguments->truth, "-") == 0 && strcmp(arguments->forecast, "-") == 0)
        return complain(EXIT_USAGE, "--truth and --pred cannot both be read from standard input");
    int failed = dataset_read_rows(forecast, arguments->forecast, VOLT_MISSING_ERROR, pred_rows,
                                   arguments->forecast_rows.given ? "--pred-rows" : "--rows");
    if (!failed)
        failed = dataset_read_like(truth, arguments->truth, truth_rows,
                                   arguments->truth_rows.given ? "--truth-rows" : "--rows", forecast);
    if (failed)
        return failed;
    if (truth->view.rows != forecast->view.rows)
        return complain(
            EXIT_FAILED, "%s has %lld rows but %s has %lld (--truth-rows and --pred-rows choose rows)",
            arguments->truth, (long long)truth->view.rows, arguments->forecast, (long long)forecast->view.rows);
    if (truth->view.cols != forecast->view.cols)
        return complain(EXIT_FAILED, "%s has %lld columns but %s has %lld (FILE:COLUMNS chooses columns)",
                        arguments->truth, (long long)truth->view.cols, arguments->forecast,
                        (long long)forecast->view.cols);
    return 0;
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
    results_text(results, NULL, "valid prediction time", "%s%.6g Lyapunov times (%lld rows, threshold %.6g)",
                 reached ? "" : "at least ", valid_time, (long long)valid_rows, arguments->threshold);
    return 0;
}

static int score(const score_arguments *arguments, volt_view truth, volt_view forecast)
{
    volt_metrics metrics;
    volt_status status = volt_metrics_compute(truth, forecast, &metrics);
    if (status)
        return complain_status(status);
    result_list *results = results_new(arguments->common.json);
    results_count(results, "rows", "rows", truth.rows);
    results_count(results, "columns", "columns", truth.cols);
    results_number(results, "mse", "MSE    mean squared error", metrics.mse);
    results_number(results, "nmse", "NMSE   over the variance of the truth", metrics.nmse);
    results_number(results, "r2", "R2     share of the variance explained", metrics.r2);
    results_number(results, "mae", "MAE    mean absolute error", metrics.mae);
    results_number(results, "mdae", "MdAE   median absolute error", metrics.mdae);
    results_number(results, "w1", "W1     distance of the distributions", metrics.w1);
    results_number(results, "mape", "MAPE   mean absolute error over |truth|", metrics.mape);
    int failed = arguments->lyapunov > 0 ? report_valid_time(arguments, truth, forecast, results) : 0;
    if (failed) {
        results_discard(results);
        return failed;
    }
    return results_print(results);
}

static int run_score(int argc, char *const *argv)
{
    score_arguments arguments = {0};
    dataset truth = {0}, forecast = {0};
    int failed = options_parse(&command_score.options, argc, argv, &arguments);
    if (failed)
        return failed;
    if ((arguments.lyapunov > 0) != (arguments.dt > 0))
        return complain(EXIT_USAGE, "--lyapunov and --dt belong together; %s is missing",
                        arguments.dt > 0 ? "--lyapunov" : "--dt");
    failed = read_both(&arguments, &truth, &forecast);
    if (!failed)
        failed = score(&arguments, truth.view, forecast.view);
    dataset_release(&truth);
    dataset_release(&forecast);
    return failed;
}

const cli_command command_score = {
    .name = "score",
    .summary = "compare a forecast with the truth",
    .description =
        "Prints each measure as its mean over the columns. Columns of Y are matched with those of P by\n"
        "name where both files have headers and Y has all names of P, otherwise by position. The valid\n"
        "prediction time is the first row t, counted from 1, with |y_t - yhat_t| >= threshold |y_t|,\n"
        "times the time step times the Lyapunov exponent.\n",
    .examples = "  volterra score --truth y.csv --pred forecast.csv\n"
                "  volterra score --truth lorenz.csv --truth-rows 5001: --pred path.csv \\\n"
                "                 --lyapunov 0.9 --dt 0.005\n",
    .options = OPTION_TABLE(rows),
    .run = run_score,
};
