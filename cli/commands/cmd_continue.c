/* cli/commands/cmd_continue.c: volterra continue, a model fed with its own outputs. */
#include "args/command.h"
#include "commands/forecast.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "volterra.h"

#include <stdlib.h>

typedef struct continue_arguments {
    common_arguments common;
    const char *model, *output;
    int64_t steps;
    int beyond;
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

static int continue_path(const continue_arguments *arguments, const volt_model *model)
{
    volt_model_info info;
    volt_matrix path = {0};
    int64_t beyond = 0;
    volt_model_describe(model, &info);
    if (!info.feedback)
        return complain(EXIT_USAGE,
                        "%s cannot continue: its %lld outputs are not its %lld inputs one step later "
                        "(fit it without --y, or with the same columns and --ahead 1)",
                        arguments->model, (long long)info.q, (long long)info.d);
    int failed = allocate_matrix(arguments->steps, info.q, "the path", &path);
    if (failed)
        return failed;

    volt_predict_options options = forecast_options(VOLT_START_CONTINUE, arguments->beyond);
    options.progress = progress_begin(arguments->common.quiet);
    volt_status status = volt_model_continue(model, &options, path, &beyond);
    progress_end();
    if (status)
        failed = complain_status(status);
    else
        failed = forecast_write(&info, volt_as_view(path),
                                &(forecast_output){.path = arguments->output,
                                                   .json = arguments->common.json,
                                                   .beyond = arguments->beyond,
                                                   .beyond_count = beyond});
    free(path.data);
    return failed;
}

static int run_continue(int argc, char *const *argv)
{
    continue_arguments arguments = {0};
    volt_model *model = NULL;
    int failed = options_parse(&command_continue.options, argc, argv, &arguments);
    if (!failed)
        failed = output_check(arguments.output);
    if (!failed)
        failed = output_check_against(arguments.output, arguments.model);
    if (!failed)
        failed = model_read(arguments.model, &model);
    if (!failed)
        failed = continue_path(&arguments, model);
    volt_model_free(model);
    return failed;
}

const cli_command command_continue = {
    .name = "continue",
    .summary = "let a model go on by itself, its outputs fed back as inputs",
    .description =
        "Needs a model whose outputs are its inputs one step later (volterra fit without --y). The path\n"
        "starts from the last training target: its first row follows the last row of the training file.\n",
    .examples = "  volterra continue lorenz.safetensors --steps 2500 -o path.csv\n",
    .options = OPTION_TABLE(rows),
    .run = run_continue,
};
