/* cli/commands/cmd_stream.c: volterra stream, one line of inputs in, one line of forecasts out. */
#include "args/command.h"
#include "commands/forecast.h"
#include "commands/stream_session.h"
#include "files/outputs.h"
#include "terminal/messages.h"
#include "volterra.h"

#include <string.h>

static const choice missing_line_choices[] = {
    {"skip", MISSING_SKIP, NULL},
    {"hold", MISSING_HOLD, NULL},
    {"error", MISSING_ERROR, NULL},
    {NULL, 0, NULL},
};

static const choice target_rows_choices[] = {
    {"own", TARGETS_OWN, NULL},
    {"now", TARGETS_NOW, NULL},
    {NULL, 0, NULL},
};

/* 1 + what the library calls it: 0 is not given. */
static const choice forget_what_choices[] = {
    {"dynamics", 1 + VOLT_FORGET_DYNAMICS, NULL},
    {"all", 1 + VOLT_FORGET_ALL, NULL},
    {NULL, 0, NULL},
};

#define ROW(...) OPTION(stream_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("MODEL", NULL, model, "model file written by volterra fit", .required = true, .is_positional = true),
    HEADING("prediction"),
    START_OPTION(stream_arguments, start),
    BEYOND_OPTION(stream_arguments, beyond),
    ROW("missing", NULL, missing,
        "lines with missing values: skipped and answered with NA, filled with the previous row, or an error",
        .choices = missing_line_choices, .fallback = "skip"),
    ROW("strict", NULL, strict, "end at the first invalid line"),
    ROW("known", NULL, known,
        "lines of inputs and then measured outputs or NA, fed back in place of predictions; for models fitted "
        "with --feedback"),
    INTERVAL_OPTION(stream_arguments, bands.levels,
                    "prediction intervals of this coverage, adapted to the errors so far; lines of inputs and "
                    "then targets or NA"),
    ROW("header", NULL, header, "header line with the column names in the output"),
    ROW("state", "FILE", state, "state file: resumed if it exists, and written at the end"),
    HEADING("learning"),
    ROW("learn", NULL, learn, "lines of inputs and then targets: each row is predicted, then learned"),
    ROW("targets", NULL, targets,
        "row of the targets of a line: its own, or for a model with --ahead H the row H lines before (now)",
        .choices = target_rows_choices, .fallback = "own"),
    ROW("window", "N", window, "number of rows kept; when the window is full, the oldest row is dropped",
        .range = AT_LEAST(1), .unset = "all rows"),
    ROW("forget", "PHI", forget,
        "forgetting factor phi: the kernel of rows i and j is multiplied by phi^(|i-j|/2)",
        .range = ABOVE_TO(0, 1), .unset = "1"),
    ROW("forget-what", NULL, forget_what,
        "with --forget: the response to inputs (dynamics), or the level as well (all)",
        .choices = forget_what_choices, .unset = "all"),
    ROW("journal", "FILE", journal, "journal of learned rows, replayed after the state on restart"),
};

static int check_learning(const stream_arguments *arguments)
{
    const char *given = arguments->window    ? "--window"
                        : arguments->forget  ? "--forget"
                        : arguments->journal ? "--journal"
                                             : NULL;
    if (given && !arguments->learn)
        return complain(EXIT_USAGE, "%s goes with --learn", given);
    if (arguments->known && arguments->learn)
        return complain(EXIT_USAGE, "--known does not go with --learn: what is learned comes back by itself");
    if (arguments->targets == TARGETS_NOW && !arguments->learn && arguments->bands.levels.count == 0)
        return complain(EXIT_USAGE, "--targets goes with --learn or --interval");
    if (arguments->forget_what && arguments->forget == 0)
        return complain(EXIT_USAGE, "--forget-what goes with --forget");
    if (arguments->journal && is_standard_output(arguments->journal))
        return complain(EXIT_USAGE, "--journal must be a file: standard output brings the forecasts");
    if (arguments->journal && arguments->state && strcmp(arguments->journal, arguments->state) == 0)
        return complain(EXIT_USAGE, "--journal and --state must be two files, and both are %s",
                        arguments->state);
    return 0;
}

static int run_stream(int argc, char *const *argv)
{
    stream_arguments arguments = {0};
    volt_model *model = NULL;
    int failed = options_parse(&command_stream.options, argc, argv, &arguments);
    if (failed)
        return failed;
    if (strcmp(arguments.model, "-") == 0)
        return complain(EXIT_USAGE, "the model must be a file: standard input brings the rows");
    if (arguments.state && is_standard_output(arguments.state))
        return complain(EXIT_USAGE, "--state must be a file: standard output brings the forecasts");
    failed = bands_check(&arguments.bands.levels);
    if (!failed)
        failed = check_learning(&arguments);
    if (!failed && arguments.state)
        failed = output_check(arguments.state);
    if (!failed && arguments.state)
        failed = output_check_against(arguments.state, arguments.model);
    if (!failed && arguments.journal)
        failed = output_check_against(arguments.journal, arguments.model);
    if (!failed)
        failed = model_read(arguments.model, &model);
    if (!failed)
        failed = stream_run(&arguments, model);
    volt_model_free(model);
    return failed;
}

const cli_command command_stream = {
    .name = "stream",
    .summary = "forecast row by row: inputs on standard input, outputs on standard output",
    .description =
        "Each line of standard input is one row of inputs, numbers with commas between; each answer is\n"
        "printed before the next line is read. A first line of names is taken as a header, and may\n"
        "order the columns in its own way. With --json every answer is a JSON array.\n"
        "\n"
        "Every line but a header and blank ones has one line of answer, so that answers and rows stand\n"
        "side by side. A line that is no row (text, too many cells or too few) or that the model refuses\n"
        "is reported on standard error and costs that line: its answer is NA in every column, null with\n"
        "--json, and the stream goes on as if it had not come. With --missing skip, the default, so does\n"
        "a line with an empty cell, NA or the like; hold takes the missing values from the row before.\n"
        "The status is 0 unless no line at all gave a forecast.\n"
        "\n"
        "Where the model was fitted on several records (--series), an empty line or one that begins with #\n"
        "begins another: the past is zero again, and there is no answer.\n"
        "\n"
        "With --learn a line holds the inputs and then the targets, which mean what a row of --y means in\n"
        "fit: with --ahead H what comes H rows later. Each row is forecast before it is learned, and after\n"
        "every one the model is a fit on the rows that it knows, to rounding; scales, alpha and kernel stay.\n"
        "A row whose target is missing is forecast and not learned. With --targets now the lines are those of\n"
        "the series in their order: the targets of a line are what is known by now, and belong to the row H\n"
        "lines before, which is learned first; then the row is forecast, H rows ahead. Where the model\n"
        "forecasts its own inputs a line holds nothing but these; as for predict, the last H rows of the file\n"
        "that was fitted come first. With --journal a crash loses at most\n"
        "the row at hand: a line is on the disk before its answer is printed.\n"
        "\n"
        "With --interval a line holds the inputs and then the targets, or NA where they are not known (yet).\n"
        "The answer has the ends of intervals after the forecasts (NA: no bound). In the long run they hold\n"
        "this share of the targets for any data: each miss makes the next ones wider, each hit a little\n"
        "narrower. They start from the errors that predict --interval uses (\"Intervals\" in docs/math.md).\n"
        "\n"
        "With --known a line holds the inputs and then the outputs, measured, or NA: these come back to a "
        "model\n"
        "of --feedback with the next row, whose forecast is then one step ahead, and not that of a free run.\n"
        "\n"
        "With --state a stream that ends, at the end of its input, at a signal (Ctrl-C, SIGTERM) or at a\n"
        "line that ends it, goes on with the next call as if it had never stopped. The state is locked while\n"
        "a stream runs: a second one on the same file is refused, as it is on the same journal.\n",
    .examples = "  tail -n 100 new.csv | volterra stream model.safetensors\n"
                "  sensor | volterra stream model.safetensors --missing hold --header > forecast.csv\n"
                "  volterra stream model.safetensors --state sensor.state < today.csv\n"
                "  volterra stream model.safetensors --learn --window 500 --state s --journal j < pairs.csv\n"
                "  sensor | volterra stream series.safetensors --learn --targets now\n",
    .options = OPTION_TABLE(rows),
    .run = run_stream,
};
