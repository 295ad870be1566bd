/* cli/commands/cmd_predict.c: volterra predict, forecasts of a model for a file of inputs. */
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

typedef struct predict_arguments {
    common_arguments common;
    const char *model, *x, *output;
    int start, beyond, missing;
    bool index;
    row_range rows;
} predict_arguments;

static const option rows[] = {
    {.name = "MODEL",
     .kind = OPTION_POSITIONAL,
     .required = true,
     .offset = offsetof(predict_arguments, model),
     .meaning = "a model file that volterra fit wrote"},
    {.name = "x",
     .kind = OPTION_TEXT,
     .required = true,
     .offset = offsetof(predict_arguments, x),
     .argument = "X",
     .meaning = "inputs: FILE or FILE:COLUMNS, one row per time step"},
    {.name = "start",
     .kind = OPTION_CHOICE,
     .choices = start_choices,
     .fallback = "continue",
     .offset = offsetof(predict_arguments, start),
     .meaning = START_MEANING},
    {.name = "beyond",
     .kind = OPTION_CHOICE,
     .choices = beyond_choices,
     .fallback = "clip",
     .offset = offsetof(predict_arguments, beyond),
     .meaning = BEYOND_MEANING},
    {.name = "rows",
     .kind = OPTION_ROWS,
     .offset = offsetof(predict_arguments, rows),
     .argument = "A:B",
     .meaning = "use rows A <= t < B of X, counted from 0; negative ends count from the last row"},
    {.name = "missing",
     .kind = OPTION_CHOICE,
     .choices = missing_choices,
     .fallback = "error",
     .offset = offsetof(predict_arguments, missing),
     .meaning = MISSING_MEANING},
    {.name = "index",
     .kind = OPTION_FLAG,
     .offset = offsetof(predict_arguments, index),
     .meaning =
         "add a column row before the outputs: the row of X that the forecast is made from, counted from 0"},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(predict_arguments, output),
     .argument = "FILE",
     .meaning = "where to write (default: CSV on standard output)"},
};

/* Number the rows of X, as they stand in its file, in the first column. */
static void fill_index(const dataset *inputs, volt_matrix table)
{
    for (int64_t i = 0; i < table.rows; i++)
        table.data[i * table.ld] = (double)inputs->table->row_numbers[i];
}

static int predict(const predict_arguments *arguments, const volt_model *model, const dataset *inputs)
{
    volt_model_info info;
    volt_matrix table = {0};
    row_labels times = {0};
    forecast_output output = {.path = arguments->output,
                              .json = arguments->common.json,
                              .times = &times,
                              .has_index = arguments->index,
                              .beyond = arguments->beyond};
    volt_model_describe(model, &info);
    int64_t before = arguments->index; /* columns before the outputs */
    int failed = row_labels_of_targets(&times, inputs, info.ahead, (volt_time_step){0});
    if (!failed)
        failed = allocate_matrix(inputs->view.rows, before + info.q, "the forecast", &table);
    if (!failed) {
        volt_predict_options options = forecast_options(arguments->start, arguments->beyond);
        options.progress = progress_begin(arguments->common.quiet);
        volt_matrix forecast = {table.data + before, table.rows, info.q, table.ld};
        volt_status status = volt_model_predict(model, inputs->view, &options, forecast, &output.beyond_count);
        progress_end();
        failed = status ? complain_status(status) : 0;
    }
    if (!failed && arguments->index)
        fill_index(inputs, table);
    if (!failed)
        failed = forecast_write(&info, volt_as_view(table), &output);
    free(table.data);
    row_labels_release(&times);
    return failed;
}

static int run_predict(int argc, char *const *argv)
{
    predict_arguments arguments = {0};
    dataset inputs = {0};
    volt_model *model = NULL;
    int failed = options_parse(&command_predict.options, argc, argv, &arguments);
    if (failed)
        return failed;
    if (strcmp(arguments.model, "-") == 0 && strcmp(arguments.x, "-") == 0)
        return complain(EXIT_USAGE, "the model and --x cannot both be read from standard input");

    failed = output_check(arguments.output);
    if (!failed)
        failed = output_check_against(arguments.output, arguments.x);
    if (!failed)
        failed = output_check_against(arguments.output, arguments.model);
    if (!failed)
        failed = model_read(arguments.model, &model);
    if (!failed) {
        volt_model_info info;
        volt_model_describe(model, &info);
        failed = dataset_read_inputs(&inputs, arguments.x, missing_policy(arguments.missing), &arguments.rows,
                                     &info);
    }
    if (!failed)
        row_times_warn_order(&inputs);
    if (!failed)
        failed = predict(&arguments, model, &inputs);

    dataset_release(&inputs);
    volt_model_free(model);
    return failed;
}

const cli_command command_predict = {
    .name = "predict",
    .summary = "forecast the targets of new inputs with a model",
    .description =
        "Writes one row of outputs for every row of X. Columns of X with the names of the model's\n"
        "inputs are found by name; a file with other names must have as many columns as the model.\n"
        "\n"
        "With --start continue the rows of X follow the training rows. A model fitted with --ahead 1\n"
        "saw all rows of its file but the last, so X begins with that last row.\n"
        "\n"
        "Where X has a column of dates, so has the output, under the same name and first: the time that\n"
        "each forecast is for, H rows after its row of X for a model fitted with --ahead H. Times behind\n"
        "the last row of X are counted on with the step of its rows; where they have none, the column is\n"
        "left out, and one line says so. NPY and MAT files hold numbers, and no times.\n",
    .examples = "  volterra predict model.safetensors --x new.csv -o forecast.csv\n"
                "  volterra predict model.safetensors --x new.csv --start reset | head\n",
    .options = OPTION_TABLE(rows),
    .run = run_predict,
};
