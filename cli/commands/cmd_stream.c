/* cli/commands/cmd_stream.c: volterra stream, reads lines of inputs and writes lines of forecasts. */
#include "args/command.h"
#include "commands/prediction.h"
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

/* 1 + the library constant; 0: not given. */
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
        "lines of inputs and then measured outputs or NA; the outputs are fed back in place of predictions, "
        "for models fitted with --feedback"),
    INTERVAL_OPTION(stream_arguments, bands.levels,
                    "prediction intervals of this coverage, adapted to the errors so far; lines of inputs and "
                    "then targets or NA"),
    ROW("header", NULL, header, "header line with the column names in the output"),
    ROW("state", "FILE", state,
        "state file, resumed if it exists and replaced at the end; during the run every minute or 10,000 rows"),
    HEADING("learning"),
    ROW("learn", NULL, learn, "lines of inputs and then targets: each row is predicted, then learned"),
    ROW("targets", NULL, targets,
        "row of the targets of a line: its own, or for a model with --ahead H the row H lines before (now)",
        .choices = target_rows_choices, .fallback = "own"),
    ROW("window", "N", window, "number of rows kept; when the window is full, the oldest row is dropped",
        .range = AT_LEAST(1), .unset = "all rows"),
    ROW("forget", "PHI", forget,
        "forgetting factor phi: the kernel of rows i and j is multiplied by phi^(abs(i-j)/2)",
        .range = ABOVE_TO(0, 1), .unset = "1"),
    ROW("forget-what", NULL, forget_what,
        "scope of --forget; dynamics: the response to inputs; all: the level as well",
        .choices = forget_what_choices, .unset = "all"),
};

static int check_learning(const stream_arguments *arguments)
{
    const char *given = arguments->window ? "--window" : arguments->forget != 0 ? "--forget" : NULL;
    if (given && !arguments->learn)
        return complain(EXIT_USAGE, "%s requires --learn", given);
    if (arguments->known && arguments->learn)
        return complain(EXIT_USAGE,
                        "--known is not supported with --learn, which feeds back the measured targets");
    if (arguments->targets == TARGETS_NOW && !arguments->learn && arguments->bands.levels.count == 0)
        return complain(EXIT_USAGE, "--targets requires --learn or --interval");
    if (arguments->forget_what && arguments->forget == 0)
        return complain(EXIT_USAGE, "--forget-what requires --forget");
    return 0;
}

static int run_stream(int argc, char *const *argv)
{
    stream_arguments arguments = {0};
    volt_model *model = NULL;
    int failed = options_parse(&command_stream.options, argc, argv, &arguments);
    if (!failed)
        failed = reading_options_refuse("stream");
    if (failed)
        return failed;
    if (strcmp(arguments.model, "-") == 0)
        return complain(EXIT_USAGE, "the model must be a file: standard input is used for the rows");
    if (arguments.state && is_standard_output(arguments.state))
        return complain(EXIT_USAGE, "--state must be a file: standard output is used for the predictions");
    failed = bands_check(&arguments.bands.levels);
    if (!failed)
        failed = check_learning(&arguments);
    if (!failed && arguments.state)
        failed = output_check(arguments.state);
    if (!failed && arguments.state)
        failed = output_check_against(arguments.state, arguments.model);
    if (!failed)
        failed = model_read(arguments.model, &model);
    if (!failed)
        failed = stream_run(&arguments, model);
    volt_model_free(model);
    return failed;
}

const cli_command command_stream = {
    .name = "stream",
    .group = "Models",
    .summary = "predict row by row: inputs on standard input, outputs on standard output",
    .description =
        "Each line of standard input is one row of inputs, separated by commas. Each prediction is printed\n"
        "before the next line is read.\n"
        "\n"
        "A first line with all names of the model is a header and may reorder the columns; a header with\n"
        "only some of the names is an error. A model with a calendar requires a date in every line. With\n"
        "--json every output line is a JSON array.\n"
        "\n"
        "Each input line except a header and blank lines produces one output line. An invalid line (other\n"
        "text, wrong number of cells, a row that the model rejects) is reported on standard error, its\n"
        "output is NA in every column (null with --json), and the state is unchanged. --missing skip, the\n"
        "default, treats lines with missing values in the same way; hold uses the values of the previous\n"
        "row. The exit status is 0 if at least one line was predicted.\n"
        "\n"
        "For a model of several records (--series), an empty line or a line that begins with # starts a new\n"
        "record with a zero state.\n"
        "\n"
        "With --learn each line contains the inputs, then the targets, as in fit: with --ahead H the values\n"
        "H rows later. Each row is predicted, then learned; the result is a fit on the rows in the window,\n"
        "with the scales, alpha and kernel of the model. A row without a target is predicted and not\n"
        "learned. With --targets now the targets of a line are the current values: they are learned for the\n"
        "row H lines before, then the row is predicted H rows ahead. If the model predicts its own inputs,\n"
        "a line contains only these. As for predict, the stream begins with the last H rows of the training\n"
        "file.\n"
        "\n"
        "With --interval each line contains the inputs, then the targets (NA: unknown). The ends of the\n"
        "intervals follow the predictions (NA: unbounded). They adapt after each error, so that the\n"
        "long-run coverage holds for any data. They start from the errors used by predict --interval\n"
        "(\"Intervals\" in docs/math.md).\n"
        "\n"
        "With --known each line contains the inputs, then the measured outputs or NA, which are fed back to\n"
        "a model with --feedback for predictions one step ahead.\n"
        "\n"
        "With --state the stream is resumed by the next call, also after a signal (Ctrl-C, SIGTERM). A\n"
        "process that is killed loses the rows since the state was last replaced: every minute or 10,000\n"
        "rows. The state is locked while a stream runs; a second stream on the same state is an error.\n",
    .examples = "  tail -n 100 new.csv | volterra stream model.safetensors\n"
                "  sensor | volterra stream model.safetensors --missing hold --header > forecast.csv\n"
                "  volterra stream model.safetensors --state sensor.state < today.csv\n"
                "  volterra stream model.safetensors --learn --window 500 --state s < pairs.csv\n"
                "  sensor | volterra stream series.safetensors --learn --targets now\n",
    .options = OPTION_TABLE(rows),
    .run = run_stream,
};
