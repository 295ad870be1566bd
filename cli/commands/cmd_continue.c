/* cli/commands/cmd_continue.c: volterra continue, a model fed with its own outputs. */
#include "args/command.h"
#include "commands/forecast.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "files/row_times.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "volterra.h"

#include <stdlib.h>
#include <string.h>

typedef struct continue_arguments {
    common_arguments common;
    const char *model, *output, *after;
    int64_t steps;
    int beyond, missing;
    row_range rows;
} continue_arguments;

static const option rows[] = {
    {.name = "MODEL",
     .kind = OPTION_POSITIONAL,
     .required = true,
     .offset = offsetof(continue_arguments, model),
     .meaning = "a model file that volterra fit wrote"},
    {.name = "steps",
     .kind = OPTION_COUNT,
     .least = 1,
     .required = true,
     .offset = offsetof(continue_arguments, steps),
     .argument = "H",
     .meaning = "rows to forecast"},
    {.name = "after",
     .kind = OPTION_TEXT,
     .offset = offsetof(continue_arguments, after),
     .argument = "X",
     .meaning = "rows that have come since training, which go in first: FILE or FILE:COLUMNS"},
    {.name = "rows",
     .kind = OPTION_ROWS,
     .offset = offsetof(continue_arguments, rows),
     .argument = "A:B",
     .meaning = "use rows A <= t < B of X, counted from 0; negative ends count from the last row"},
    {.name = "missing",
     .kind = OPTION_CHOICE,
     .choices = missing_choices,
     .fallback = "error",
     .offset = offsetof(continue_arguments, missing),
     .meaning = MISSING_MEANING},
    {.name = "beyond",
     .kind = OPTION_CHOICE,
     .choices = beyond_choices,
     .fallback = "clip",
     .offset = offsetof(continue_arguments, beyond),
     .meaning = BEYOND_MEANING},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(continue_arguments, output),
     .argument = "FILE",
     .meaning = "where to write (default: CSV on standard output)"},
};

/* Run on after `known`, which may have no rows, and write the path, with the times of its rows where they are known. */
static int continue_path(const continue_arguments *arguments, const volt_model *model,
                         const volt_model_info *info, const dataset *known)
{
    volt_matrix path = {0};
    row_labels times = {0};
    forecast_output output = {.path = arguments->output,
                              .json = arguments->common.json,
                              .times = &times,
                              .beyond = arguments->beyond,
                              .inputs = known->view.rows + arguments->steps};
    int failed = allocate_matrix(arguments->steps, info->q, "the path", &path);
    if (!failed && arguments->after)
        failed = row_labels_after(&times, known, arguments->steps, (volt_time_step){0});
    if (!failed) {
        volt_predict_options options = forecast_options(VOLT_START_CONTINUE, arguments->beyond);
        options.progress = progress_begin(arguments->common.quiet);
        volt_status status =
            volt_model_continue_after(model, known->view, &options, path, &output.beyond_count);
        progress_end();
        failed = status ? complain_status(status) : forecast_write(info, volt_as_view(path), &output);
    }
    row_labels_release(&times);
    free(path.data);
    return failed;
}

static int read_known(const continue_arguments *arguments, const volt_model_info *info, dataset *known)
{
    if (info->feedback_weight > 0)
        return complain(
            EXIT_USAGE,
            "%s cannot continue without inputs: its outputs come back beside them (volterra predict)",
            arguments->model);
    if (!info->feedback)
        return complain(EXIT_USAGE,
                        "%s cannot continue: its %lld outputs are not its %lld inputs one step later "
                        "(fit it without --y, or with the same columns and --ahead 1)",
                        arguments->model, (long long)info->q, (long long)info->d);
    if (!arguments->after)
        return arguments->rows.given ? complain(EXIT_USAGE, "--rows needs --after X, the file of the rows") : 0;
    int failed = dataset_read_inputs(known, arguments->after, missing_policy(arguments->missing),
                                     &arguments->rows, info);
    if (!failed)
        row_times_warn_order(known);
    return failed;
}

static int run_continue(int argc, char *const *argv)
{
    continue_arguments arguments = {0};
    volt_model *model = NULL;
    volt_model_info info;
    dataset known = {0};
    int failed = options_parse(&command_continue.options, argc, argv, &arguments);
    if (failed)
        return failed;
    if (arguments.after && strcmp(arguments.model, "-") == 0 && strcmp(arguments.after, "-") == 0)
        return complain(EXIT_USAGE, "the model and --after cannot both be read from standard input");
    failed = output_check(arguments.output);
    if (!failed)
        failed = output_check_against(arguments.output, arguments.model);
    if (!failed)
        failed = output_check_against(arguments.output, arguments.after);
    if (!failed)
        failed = model_read(arguments.model, &model);
    if (!failed) {
        volt_model_describe(model, &info);
        failed = read_known(&arguments, &info, &known);
    }
    if (!failed)
        failed = continue_path(&arguments, model, &info, &known);
    dataset_release(&known);
    volt_model_free(model);
    return failed;
}

const cli_command command_continue = {
    .name = "continue",
    .summary = "let a model go on by itself, its outputs fed back as inputs",
    .description =
        "Needs a model whose outputs are its inputs one step later (volterra fit without --y). The path\n"
        "starts from the last training target: its first row follows the last row of the training file.\n"
        "\n"
        "With --after the rows of X go in first, and the path follows the last of them. They follow the\n"
        "training rows as for predict: X begins with the last row of the training file, or with the row\n"
        "after it, which is told by whether its first row is that last one. Where X has a column of\n"
        "dates with a regular step, the path has it too, counted on.\n",
    .examples = "  volterra continue lorenz.safetensors --steps 2500 -o path.csv\n"
                "  volterra continue lorenz.safetensors --after new.csv --steps 100 -o path.csv\n",
    .options = OPTION_TABLE(rows),
    .run = run_continue,
};
