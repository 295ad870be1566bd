/* cli/commands/cmd_anomaly.c: volterra anomaly, series unlike normal ones, and rows unlike those before them. */
#include "args/command.h"
#include "commands/anomaly_forms.h"
#include "files/inputs.h"
#include "terminal/messages.h"

enum { AMONG = 1, ALONG }; /* the two forms of the command */

static const option rows[] = {
    {.name = "train",
     .kind = OPTION_TEXT,
     .form = AMONG,
     .required = true,
     .offset = offsetof(anomaly_arguments, train),
     .argument = "A",
     .meaning =
         "series to learn from: .ts, .arff, .npy (series x time x channels) or a CSV with a column series"},
    {.name = "x",
     .kind = OPTION_TEXT,
     .form = ALONG,
     .required = true,
     .offset = offsetof(anomaly_arguments, x),
     .argument = "X",
     .meaning = "one series, row by row: FILE or FILE:COLUMNS"},
    {.name = "test",
     .kind = OPTION_TEXT,
     .form = AMONG,
     .offset = offsetof(anomaly_arguments, test),
     .argument = "B",
     .meaning = "series to judge (default: those of A, each without itself)"},
    {.name = "normal",
     .kind = OPTION_TEXT,
     .form = AMONG,
     .offset = offsetof(anomaly_arguments, normal),
     .argument = "CLASS",
     .meaning =
         "the class of A that is normal; its other classes are examples of what is not (default: all of A is "
         "normal)"},
    {.name = "train-labels",
     .kind = OPTION_TEXT,
     .form = AMONG,
     .offset = offsetof(anomaly_arguments, train_labels),
     .argument = "L",
     .meaning = "the classes of A, one a series, where its own file has none: FILE or FILE:COLUMN"},
    {.name = "test-labels",
     .kind = OPTION_TEXT,
     .form = AMONG,
     .offset = offsetof(anomaly_arguments, test_labels),
     .argument = "L",
     .meaning = "the same of B"},
    {.name = "labels",
     .kind = OPTION_TEXT,
     .form = ALONG,
     .offset = offsetof(anomaly_arguments, labels),
     .argument = "L",
     .meaning = "which rows of X are anomalies, 1 or 0: FILE:COLUMN; gives the areas"},
    {.name = "kernel",
     .kind = OPTION_TEXT,
     .fallback = "volterra",
     .argument = "K",
     .offset = offsetof(anomaly_arguments, kernel),
     .meaning = "the kernel, see volterra help kernels"},
    {.name = "score",
     .kind = OPTION_CHOICE,
     .form = AMONG,
     .choices = anomaly_score_choices,
     .fallback = "conformance",
     .offset = offsetof(anomaly_arguments, score),
     .meaning = "distance from the nearest normal series, or from their mean, in units of their spread"},
    {.name = "alpha",
     .kind = OPTION_POSITIVE,
     .form = AMONG,
     .argument = "A",
     .offset = offsetof(anomaly_arguments, alpha),
     .meaning = "share of the total variance that every direction has at least (default: chosen)"},
    {.name = "draws",
     .kind = OPTION_COUNT,
     .form = AMONG,
     .argument = "N",
     .offset = offsetof(anomaly_arguments, draws),
     .meaning =
         "with --normal: try N kernels drawn for the series beside K, and keep the one that tells the other "
         "classes of A apart best"},
    {.name = "scale",
     .kind = OPTION_CHOICE,
     .form = AMONG,
     .choices = anomaly_scale_choices,
     .fallback = "channels",
     .offset = offsetof(anomaly_arguments, scale),
     .meaning = "what values are scaled by: each channel over all normal series, each channel of each series, "
                "nothing"},
    {.name = "input",
     .kind = OPTION_CHOICE,
     .form = AMONG,
     .choices = anomaly_input_choices,
     .fallback = "level",
     .offset = offsetof(anomaly_arguments, input),
     .meaning = "what a step of a series is: its values, their changes, or both"},
    {.name = "rows",
     .kind = OPTION_ROWS,
     .form = ALONG,
     .offset = offsetof(anomaly_arguments, rows),
     .argument = "A:B",
     .meaning = "use rows A <= t < B of X, counted from 0; negative ends count from the last row"},
    {.name = "train-rows",
     .kind = OPTION_COUNT,
     .form = ALONG,
     .least = 20,
     .offset = offsetof(anomaly_arguments, train_rows),
     .argument = "N",
     .meaning = "learn from the first N rows, and watch the others (default: a third of them, 50 to 2000)"},
    {.name = "window",
     .kind = OPTION_COUNT,
     .form = ALONG,
     .fallback = "500",
     .offset = offsetof(anomaly_arguments, window),
     .argument = "N",
     .meaning = "go on learning, from the last N rows; 0: what the first rows taught stays"},
    {.name = "missing",
     .kind = OPTION_CHOICE,
     .form = ALONG,
     .choices = missing_choices,
     .fallback = "error",
     .offset = offsetof(anomaly_arguments, missing),
     .meaning = MISSING_MEANING},
    {.name = "rate",
     .kind = OPTION_POSITIVE,
     .argument = "R",
     .offset = offsetof(anomaly_arguments, rate),
     .meaning =
         "share of normal series, or rows, that may be taken for anomalies (default: 0.05 of series, 0.001 of "
         "rows)"},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(anomaly_arguments, output),
     .argument = "FILE",
     .meaning = "write the scores: a row for each series or row that was judged"},
};

static int run_anomaly(int argc, char *const *argv)
{
    anomaly_arguments arguments = {0};
    int failed = options_parse(&command_anomaly.options, argc, argv, &arguments);
    if (failed)
        return failed;
    if (arguments.rate >= 1)
        return complain(EXIT_USAGE, "--rate is %g, and must lie between 0 and 1", arguments.rate);
    return arguments.train ? anomaly_among_series(&arguments) : anomaly_along_series(&arguments);
}

const cli_command command_anomaly = {
    .name = "anomaly",
    .summary = "series unlike normal ones, and rows of a series unlike what came before them",
    .description =
        "With --train: how far does a series lie from normal ones, in the space of the kernel and in units of\n"
        "the spread that these have in each direction (the variance norm of Cass, Gonon and Zozoulenko)? From\n"
        "the nearest of them (conformance), or from their mean (mahalanobis). Every normal series is scored\n"
        "without itself too, exactly and from the same factorisation: the threshold is the place among those\n"
        "scores that leaves --rate of them above. Classes of both files, where they have them, give the areas\n"
        "below the ROC and the precision-recall curve: what is not of a normal class should score higher.\n"
        "\n"
        "alpha, unless it is given, and with --draws the kernel, are chosen on training series alone: with\n"
        "--normal they are those that tell the other classes of A apart best (the sum of both areas, normal\n"
        "series left out); otherwise alpha is the one under which normal series that are left out are "
        "likeliest.\n"
        "\n"
        "With --x: each row of a series is forecast from those before it, and its score is the error in units\n"
        "of what errors are like there: 1.48 times the median of the last 300, of the channel that is off "
        "most.\n"
        "An alarm is a score that --rate of the scores so far exceed; where these are too few to show that\n"
        "rate, an exponential tail of the largest tenth says where it lies. While nothing changes that share\n"
        "of rows raises an alarm, whatever the distribution of the errors. Rows that raise one are not "
        "learned.\n",
    .examples =
        "  volterra anomaly --train walking.ts --test new.ts --kernel gak -o scores.csv\n"
        "  volterra anomaly --train train.ts --test test.ts --normal walking --kernel 'volterra' --draws 30\n"
        "  volterra anomaly --train train.ts --normal 1 --score mahalanobis --rate 0.1 --json\n"
        "  volterra anomaly --x sensor.csv --rate 0.001 -o alarms.csv\n"
        "  volterra anomaly --x sensor.csv:temperature --labels sensor.csv:fault --train-rows 500\n",
    .options = OPTION_TABLE(rows),
    .run = run_anomaly,
};
