/* cli/commands/cmd_anomaly.c: volterra anomaly, detects anomalous series and anomalous rows. */
#include "args/command.h"
#include "commands/anomaly_forms.h"
#include "files/collections.h"
#include "files/inputs.h"
#include "terminal/messages.h"

enum { AMONG = 1, ALONG }; /* the two forms of the command */

#define ROW(...) OPTION(anomaly_arguments, __VA_ARGS__)
static const option rows[] = {
    HEADING("anomalous series"),
    ROW("train", "A", train, "training series: " COLLECTION_FORMATS, .required = true, .form = AMONG),
    ROW("test", "B", test, "series to score", .unset = "the series of A, leave-one-out", .form = AMONG),
    ROW("normal", "CLASS", normal, "normal class of A; its other classes are examples of anomalies",
        .unset = "all classes", .form = AMONG),
    ROW("train-labels", "L", train_labels, "classes of A, if its file has none: FILE or FILE:COLUMN",
        .form = AMONG),
    ROW("test-labels", "L", test_labels, "classes of B, if its file has none: FILE or FILE:COLUMN",
        .form = AMONG),
    ROW("score", NULL, score,
        "distance from the nearest normal series, or from their mean; relative to their spread",
        .choices = anomaly_score_choices, .fallback = "conformance", .form = AMONG),
    ROW("alpha", "A", alpha,
        "regularisation strength: minimum variance of a direction, as a share of the total variance",
        .unset = "chosen", .form = AMONG),
    ROW("draws", "N", draws,
        "number of additional random kernels, with --normal; the one that best separates the other classes is "
        "used",
        .python = "", .form = AMONG),
    ROW("scale", NULL, scale, "scaling of each channel: over all normal series, within each series, or none",
        .choices = anomaly_scale_choices, .fallback = "channels", .form = AMONG),
    ROW("input", NULL, input, "values of a step: levels, changes, or both", .choices = anomaly_input_choices,
        .fallback = "level", .form = AMONG),
    HEADING("anomalous rows"),
    ROW("x", "X", x, "one series: FILE or FILE:COLUMNS, one row per time step", .required = true,
        .form = ALONG),
    ROW("labels", "L", labels,
        "column of 1 for anomalous rows and 0 for others: FILE:COLUMN; for the areas under the curves",
        .form = ALONG),
    ROWS_OPTION(anomaly_arguments, rows, "X", .form = ALONG),
    ROW("train-rows", "N", train_rows, "number of training rows at the start", .range = AT_LEAST(20),
        .unset = "a third of the rows, 50 to 2000", .form = ALONG),
    ROW("window", "N", window, "number of latest rows that are learned; 0: no learning after the training rows",
        .fallback = "500", .form = ALONG),
    MISSING_OPTION(anomaly_arguments, missing, .form = ALONG),
    HEADING("options of both"),
    ROW("kernel", "K", kernel, KERNEL_MEANING, .fallback = "volterra", .python = ""),
    ROW("rate", "R", rate, "expected share of normal series or rows above the threshold",
        .range = BETWEEN(0, 1), .unset = "0.05 of series, 0.001 of rows"),
    ROW("output", "FILE", output, "file for the scores, one row per series or row", .letter = 'o'),
};

static int run_anomaly(int argc, char *const *argv)
{
    anomaly_arguments arguments = {0};
    int failed = options_parse(&command_anomaly.options, argc, argv, &arguments);
    if (failed)
        return failed;
    return arguments.train ? anomaly_among_series(&arguments) : anomaly_along_series(&arguments);
}

const cli_command command_anomaly = {
    .name = "anomaly",
    .group = "Whole series",
    .summary = "detect anomalous series, or anomalous rows of a series",
    .description =
        "With --train, the score of a series is its distance from normal series in the feature space of a\n"
        "kernel, relative to their spread. With --x, the score of a row is its error of prediction from the\n"
        "rows before it, relative to recent errors.\n"
        "\n"
        "The distance of a series is relative to the spread of the normal series in each direction (the\n"
        "variance norm of Cass, Gonon and Zozoulenko): from the nearest of them (conformance), or from\n"
        "their mean (mahalanobis). The threshold is a quantile of the leave-one-out scores of the normal\n"
        "series, exceeded by a share --rate of them. If classes are known, the areas under the ROC and the\n"
        "precision-recall curve are reported.\n"
        "\n"
        "alpha and, with --draws, the kernel are chosen on the training series only: with --normal by the\n"
        "separation of the other classes of A (the sum of both areas), otherwise alpha by the likelihood of\n"
        "the left-out normal series.\n"
        "\n"
        "The score of a row is the largest error of a channel relative to 1.48 times the median of the last\n"
        "300 errors. A score raises an alarm if it is above a quantile of the scores so far, which a share\n"
        "--rate of them exceeds. If there are too few scores, the quantile is extrapolated from an\n"
        "exponential tail of the largest tenth. Without changes in the series, a share of at most --rate of\n"
        "the rows raises an alarm for any distribution of the errors. Rows with an alarm are not learned,\n"
        "but they are part of the state.\n",
    .examples =
        "  volterra anomaly --train walking.ts --test new.ts --kernel gak -o scores.csv\n"
        "  volterra anomaly --x sensor.csv --rate 0.001 -o alarms.csv\n"
        "  volterra anomaly --train train.ts --test test.ts --normal walking --kernel 'volterra' --draws 30\n"
        "  volterra anomaly --train train.ts --normal 1 --score mahalanobis --rate 0.1 --json\n"
        "  volterra anomaly --x sensor.csv:temperature --labels sensor.csv:fault --train-rows 500\n",
    .options = OPTION_TABLE(rows),
    .run = run_anomaly,
};
