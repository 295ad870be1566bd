/* cli/commands/cmd_predict.c: volterra predict, forecasts of a model for a file of inputs. */
#include "args/command.h"
#include "commands/predict_picture.h"
#include "commands/predict_pieces.h"
#include "commands/prediction.h"
#include "files/inputs.h"
#include "files/known_outputs.h"
#include "files/model_times.h"
#include "files/outputs.h"
#include "files/record_list.h"
#include "files/row_times.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "volterra.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct predict_arguments {
    common_arguments common;
    const char *model, *x, *series, *known, *output, *plot;
    int64_t warm_up;
    int start, beyond, missing;
    bool index;
    row_range rows;
    band_request bands;
} predict_arguments;

#define ROW(...) OPTION(predict_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("MODEL", NULL, model, "model file written by volterra fit", .required = true, .is_positional = true),
    ROW("x", "X", x, INPUTS_MEANING, .required = true),
    ROW("series", "FILE:COLUMN", series, SERIES_MEANING ", zero at its first row whatever --start is"),
    ROW("known", "Y", known,
        "measured outputs, fed back in place of predictions; of the dates or rows of X, for models fitted with "
        "--feedback"),
    ROW("warm-up", "N", warm_up, "leading rows of each record with measured outputs, with --known",
        .range = AT_LEAST(1), .unset = "all rows"),
    START_OPTION(predict_arguments, start),
    BEYOND_OPTION(predict_arguments, beyond),
    ROWS_OPTION(predict_arguments, rows, "X"),
    MISSING_OPTION(predict_arguments, missing),
    ROW("index", NULL, index, "first column 'row': the row of X of each prediction, counted from 0"),
    INTERVAL_OPTION(
        predict_arguments, bands.levels,
        "prediction intervals of this coverage; from the training errors, in columns NAME.lo90 and NAME.hi90"),
    ROW("std", NULL, bands.std,
        "standard deviation of an observation about its prediction; in columns NAME.std, requires a model "
        "fitted with --keep-factor"),
    ROW("plot", "FILE", plot, "plot of inputs, predictions and the widest interval (SVG, requires gnuplot)",
        .ending = ".svg"),
    OUTPUT_OPTION(predict_arguments, output),
};

/* Writes the row numbers of X in its file to the first column. */
static void fill_index(const dataset *inputs, volt_matrix table)
{
    for (int64_t i = 0; i < table.rows; i++)
        table.data[i * table.ld] = (double)inputs->table->row_numbers[i];
}

/* Data of a prediction. */
typedef struct predict_data {
    volt_model *model;
    volt_model_info info;
    model_times times; /* of the model */
    dataset inputs;
    record_list records;
    known_outputs known;
} predict_data;

static int predict_read_model(const predict_arguments *arguments, predict_data *data)
{
    int failed = model_read(arguments->model, &data->model);
    if (failed)
        return failed;
    data->info.struct_size = sizeof data->info;
    volt_model_get_info(data->model, &data->info);
    if (arguments->bands.levels.count > 0 && data->info.feedback_weight > 0 &&
        (!arguments->known || arguments->warm_up > 0))
        return complain(EXIT_USAGE,
                        "--interval requires predictions one step ahead, but %s feeds back its own outputs: "
                        "give --known without --warm-up",
                        arguments->model);
    if (arguments->bands.std && data->info.loss)
        return complain(EXIT_USAGE, "--std requires squares without weights, but %s was fitted with %s",
                        arguments->model,
                        strcmp(data->info.loss, "squares") == 0 ? "--weights" : data->info.loss);
    if (arguments->bands.std && !data->info.keeps_factor && data->info.n_members == 0)
        return complain(EXIT_USAGE, "--std requires a model fitted with --keep-factor");
    return model_times_read(&data->info, &data->times);
}

static int predict_read(const predict_arguments *arguments, predict_data *data)
{
    int failed =
        model_times_read_inputs(&data->inputs, arguments->x, (volt_missing)arguments->missing, &arguments->rows,
                                &data->info, &data->times, arguments->series, &data->records);
    if (!failed)
        failed =
            known_outputs_read(&data->known, arguments->known, &arguments->rows, &data->info, &data->inputs);
    if (!failed && !arguments->series)
        failed = model_times_warn_start(&data->info, &data->inputs, arguments->start == VOLT_START_CONTINUE);
    return failed;
}

static void predict_release(predict_data *data)
{
    known_outputs_release(&data->known);
    record_list_release(&data->records);
    dataset_release(&data->inputs);
    volt_model_free(data->model);
}

/* Returns the forecast columns and the interval columns after them. */
static volt_matrix outputs_of(const predict_arguments *arguments, volt_matrix table, int64_t q)
{
    return (volt_matrix){table.data + arguments->index, table.rows, q, table.ld};
}

static volt_matrix bands_of(const predict_arguments *arguments, volt_matrix table, int64_t q)
{
    return (volt_matrix){table.data + arguments->index + q, table.rows, bands_columns(&arguments->bands, q),
                         table.ld};
}

/* Writes the forecast to its columns of `table`; std without data: not requested. */
static int predict(const predict_arguments *arguments, const predict_data *data, volt_matrix table,
                   volt_matrix std, int64_t *beyond)
{
    volt_matrix forecast = outputs_of(arguments, table, data->info.q);
    int start = arguments->series ? VOLT_START_RESET : arguments->start;
    volt_predict_options options = forecast_options(start, arguments->beyond);
    options.records = data->records.lengths;
    options.n_records = data->records.n;
    options.known = volt_as_view(data->known.joined);
    options.warm_up = arguments->warm_up;
    options.progress = progress_begin(arguments->common.quiet);
    options.std = std;
    volt_predict_report found = {.struct_size = sizeof found};
    options.report = &found;
    volt_status status = volt_model_predict(data->model, data->inputs.view, &options, forecast, beyond);
    progress_end();
    for (int64_t i = 0; !status && i < found.n_warnings; i++)
        warn("%s%s", found.warnings[i].text,
             found.warnings[i].code == VOLT_WARNING_NO_FIRST_OUTPUT ? " (--known Y --warm-up N)" : "");
    return status ? complain_status(status) : 0;
}

static int predict_and_write(const predict_arguments *arguments, const predict_data *data)
{
    volt_matrix table = {0}, half = {0}, std = {0};
    row_labels times = {0};
    forecast_output output = {.path = arguments->output,
                              .json = arguments->common.json,
                              .times = &times,
                              .bands = arguments->bands,
                              .has_index = arguments->index,
                              .beyond = arguments->beyond};
    row_labels records = {.name = "series", .texts = data->records.of_row};
    int64_t q = data->info.q;
    int failed =
        arguments->bands.levels.count > 0 ? bands_of_model(data->model, &arguments->bands.levels, &half) : 0;
    if (failed) {
        free(half.data);
        return failed;
    }
    if (arguments->series)
        output.times = &records; /* rows of records are labelled by record */
    else
        failed = row_labels_of_targets(&times, &data->inputs, data->times.ahead, data->times.step);
    if (!failed)
        failed =
            allocate_matrix(data->inputs.view.rows, arguments->index + q + bands_columns(&arguments->bands, q),
                            "the forecast", &table);
    if (!failed && arguments->bands.std)
        failed = allocate_matrix(data->inputs.view.rows, q, "the standard deviations", &std);
    if (!failed)
        failed = predict(arguments, data, table, std, &output.beyond_count);
    if (!failed)
        bands_fill(&arguments->bands, volt_as_view(outputs_of(arguments, table, q)), volt_as_view(half),
                   volt_as_view(std), bands_of(arguments, table, q));
    if (!failed && arguments->index)
        fill_index(&data->inputs, table);
    if (!failed)
        failed = forecast_write(&data->info, volt_as_view(table), &output);
    if (!failed && arguments->plot) {
        const predict_picture picture = {.info = &data->info,
                                         .times = &data->times,
                                         .inputs = &data->inputs,
                                         .levels = &arguments->bands.levels,
                                         .half = volt_as_view(half),
                                         .forecast = volt_as_view(outputs_of(arguments, table, data->info.q))};
        failed = predict_picture_file(arguments->plot, &picture);
    }
    free(std.data);
    free(half.data);
    free(table.data);
    row_labels_release(&times);
    return failed;
}

/* Options that require all rows at once exclude pieces. */
static bool goes_in_pieces(const predict_arguments *arguments, const predict_data *data, int64_t *first,
                           int64_t *end)
{
    const char *output = arguments->output, *dot = output ? strrchr(output, '.') : NULL;
    bool is_whole = arguments->series || arguments->known || arguments->plot || arguments->bands.std ||
                    arguments->common.json || arguments->missing != VOLT_MISSING_ERROR ||
                    data->info.feedback_weight > 0 || (dot && strcasecmp(dot, ".mat") == 0);
    return !is_whole && predict_wants_pieces(arguments->x, &arguments->rows, first, end);
}

static int predict_all(const predict_arguments *arguments, predict_data *data)
{
    int64_t first, end;
    if (goes_in_pieces(arguments, data, &first, &end)) {
        const predict_pieces_task task = {.model = data->model,
                                          .info = &data->info,
                                          .times = &data->times,
                                          .x = arguments->x,
                                          .first = first,
                                          .end = end,
                                          .start = arguments->start,
                                          .missing = (volt_missing)arguments->missing,
                                          .quiet = arguments->common.quiet,
                                          .output = {.path = arguments->output,
                                                     .bands = arguments->bands,
                                                     .has_index = arguments->index,
                                                     .beyond = arguments->beyond}};
        return predict_pieces(&task);
    }
    int failed = predict_read(arguments, data);
    return failed ? failed : predict_and_write(arguments, data);
}

static int check_outputs(const predict_arguments *arguments)
{
    const output_option outputs[] = {{"-o", arguments->output}, {"--plot", arguments->plot}};
    if (arguments->plot && arguments->series)
        return complain(EXIT_USAGE, "--plot is not supported with --series");
    if (arguments->plot && is_standard_output(arguments->plot) && is_standard_output(arguments->output))
        return complain(
            EXIT_USAGE,
            "--plot - and the predictions cannot both be written to standard output (give -o FILE)");
    int failed = outputs_check_distinct(outputs, 2);
    for (int i = 0; i < 2 && !failed; i++) {
        failed = output_check(outputs[i].path);
        if (!failed)
            failed = output_check_against(outputs[i].path, arguments->x);
        if (!failed)
            failed = output_check_against(outputs[i].path, arguments->model);
        if (!failed)
            failed = output_check_against(outputs[i].path, arguments->series);
        if (!failed)
            failed = output_check_against(outputs[i].path, arguments->known);
    }
    return failed;
}

static int run_predict(int argc, char *const *argv)
{
    predict_arguments arguments = {0};
    predict_data data = {0};
    int failed = options_parse(&command_predict.options, argc, argv, &arguments);
    if (failed)
        return failed;
    if (strcmp(arguments.model, "-") == 0 && strcmp(arguments.x, "-") == 0)
        return complain(EXIT_USAGE, "the model and --x cannot both be read from standard input");
    if (arguments.known && strcmp(arguments.known, "-") == 0)
        return complain(EXIT_USAGE, "--known must be a file, not standard input");
    if (arguments.warm_up > 0 && !arguments.known)
        return complain(EXIT_USAGE, "--warm-up %lld requires --known Y", (long long)arguments.warm_up);

    failed = bands_check(&arguments.bands.levels);
    if (!failed)
        failed = check_outputs(&arguments);
    if (!failed)
        failed = predict_read_model(&arguments, &data);
    if (!failed)
        failed = predict_all(&arguments, &data);
    predict_release(&data);
    return failed;
}

const cli_command command_predict = {
    .name = "predict",
    .group = "Models",
    .summary = "predict the targets of new inputs with a model",
    .description =
        "Writes one row of outputs for every row of X, which follows the training rows or, with --start\n"
        "reset, begins a new sequence. A model fitted with --feedback runs free, or one step ahead from\n"
        "measured outputs (--known).\n"
        "\n"
        "Columns of X are matched with the model's inputs by name. If none of the names agree, as many\n"
        "columns are used by position, with a warning. If only some of the names agree, this is an error.\n"
        "\n"
        "With --start continue the rows of X follow the training rows. A model fitted with --ahead 1 used\n"
        "all rows of its file but the last, so X begins with that last row. A warning is printed if the\n"
        "times of X do not begin where those of training ended or, without times, if X repeats the training\n"
        "rows.\n"
        "\n"
        "A model fitted with --feedback runs free: its predictions are fed back. With --known Y measured\n"
        "outputs are fed back, for predictions one step ahead; --warm-up N limits them to the first N rows.\n"
        "Without --known, a run with --start reset has no previous output: the mean of the training targets\n"
        "(0 with --no-scale) takes its place, with a warning. Outputs of a free run are bounded to the\n"
        "range of the training targets plus 4.5 ranges on either side. A warning names the first bounded\n"
        "row. With --beyond error such a run is an error.\n"
        "\n"
        "A warning names the first row with an input below the smallest or above the largest training value\n"
        "by more than 10 % of its range, if the model learned from levels.\n"
        "\n"
        "--interval 0.9 adds the ends of an interval that contains 90 % of the observations if new errors\n"
        "are distributed like those of the last training rows. Its half-width is a quantile of at most 300\n"
        "of these errors; the last quarter of the rows is predicted by a model of the rows before it\n"
        "(\"Intervals\" in docs/math.md). With fewer errors than P / (1 - P) (9 for 0.9, 19 for 0.95) the\n"
        "tails are those of normal errors. The columns are NAME.lo90 and NAME.hi90, with the coverage in\n"
        "percent. For a model with --feedback, --interval requires --known. --std adds the standard\n"
        "deviation of the Gaussian process, which is larger for inputs unlike those of training.\n"
        "\n"
        "With --series the rows of X are several records, each with a zero initial state. The first column\n"
        "of the output, series, names the records.\n"
        "\n"
        "If X has a column of dates, the first column of the output is the time of each prediction, H rows\n"
        "after its row of X for a model fitted with --ahead H. With several horizons it is the time of the\n"
        "row of X. Times after the last row of X are continued with the step of the training rows, or of X.\n"
        "NPY and MAT files have no times.\n",
    .examples =
        "  volterra predict model.safetensors --x new.csv -o forecast.csv --plot forecast.svg\n"
        "  volterra predict model.safetensors --x new.csv --interval 0.8,0.95 --plot band.svg\n"
        "  volterra predict narx.safetensors --x new.csv:u --start reset --known new.csv:y --warm-up 50\n"
        "  volterra predict model.safetensors --x new.csv --start reset | head\n",
    .options = OPTION_TABLE(rows),
    .run = run_predict,
};
