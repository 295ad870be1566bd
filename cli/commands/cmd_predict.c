/* cli/commands/cmd_predict.c: volterra predict, forecasts of a model for a file of inputs. */
#include "args/command.h"
#include "commands/predict_pieces.h"
#include "commands/prediction.h"
#include "files/inputs.h"
#include "files/known_outputs.h"
#include "files/model_times.h"
#include "files/outputs.h"
#include "files/record_list.h"
#include "files/row_times.h"
#include "page/series_picture.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "volterra.h"

#include <stdio.h>
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
    ROW("plot", "FILE", plot, "plot of inputs, predictions and the widest interval (SVG)", .ending = ".svg"),
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

/* ---- plot -------------------------------------------------------------------------------------
 * The x axis counts the rows of X. A forecast made at row t with horizon H is drawn at row t + H. With several
 * horizons, only the forecasts made at the last row are drawn, in order of the horizon. */

/* Returns the input with the name of an output, which may end in a horizon ("load+3"); -1: none. */
static int64_t find_input(const volt_model_info *info, const char *name, size_t length)
{
    for (int64_t j = 0; info->input_names && j < info->d; j++)
        if (strlen(info->input_names[j]) == length && strncmp(info->input_names[j], name, length) == 0)
            return j;
    return -1;
}

/* Plotted series: one output, or one output at several horizons. */
typedef struct drawn_series {
    volt_view forecast, half;  /* rows of the inputs x outputs, and half-widths as in bands_fill */
    const number_list *levels; /* of the intervals, of which the widest is plotted; empty: no band */
    int64_t count, horizons;   /* output k * horizons + h is series k, horizon h */
    int64_t first;             /* first horizon, in rows */
    const char **names;        /* count names; NULL: unknown */
    char *name_storage;        /* storage for names cut from longer ones */
    volt_matrix history;       /* data NULL: some series are not inputs */
    volt_matrix band;          /* half-widths of the plotted forecasts; data NULL: none */
    char band_name[48];
    volt_matrix path;   /* forecasts of several horizons made at the last row */
    const char **times; /* of the rows of X and of the forecasts; NULL: unknown */
    int64_t n_times;
    row_labels later; /* storage for times after the last row */
} drawn_series;

static void release_drawn(drawn_series *drawn)
{
    free((void *)drawn->names);
    free(drawn->name_storage);
    free(drawn->history.data);
    free(drawn->path.data);
    free(drawn->band.data);
    free((void *)drawn->times);
    row_labels_release(&drawn->later);
}

static void find_horizons(const predict_data *data, drawn_series *drawn)
{
    long long first = 0, last = 0;
    const char *text = data->info.notes.horizons;
    drawn->count = data->info.q;
    drawn->horizons = 1;
    drawn->first = data->times.ahead;
    if (text && sscanf(text, "%18lld..%18lld", &first, &last) == 2 && first >= 0 && last > first &&
        data->info.q % (last - first + 1) == 0) {
        drawn->horizons = last - first + 1;
        drawn->count = data->info.q / drawn->horizons;
        drawn->first = first;
    }
}

/* Finds the names of the series and their columns in X. */
static int find_columns(const predict_data *data, drawn_series *drawn)
{
    const volt_model_info *info = &data->info;
    const int64_t count = drawn->count;
    if (!info->output_names)
        return 0;
    size_t longest = 1;
    for (int64_t k = 0; k < info->q; k++)
        longest = strlen(info->output_names[k]) > longest ? strlen(info->output_names[k]) : longest;
    drawn->names = malloc((size_t)count * sizeof *drawn->names);
    drawn->name_storage = malloc((size_t)count * (longest + 1));
    int64_t *from = malloc((size_t)count * sizeof *from);
    int failed = drawn->names && drawn->name_storage && from
                     ? 0
                     : complain(EXIT_FAILED, "not enough memory for the names in the plot");
    bool all = true;
    for (int64_t k = 0; !failed && k < count; k++) {
        const char *name = info->output_names[k * drawn->horizons];
        const char *horizon = drawn->horizons > 1 ? strrchr(name, '+') : NULL;
        size_t length = horizon ? (size_t)(horizon - name) : strlen(name);
        char *own = drawn->name_storage + (size_t)k * (longest + 1);
        memcpy(own, name, length);
        own[length] = '\0';
        drawn->names[k] = own;
        from[k] = find_input(info, name, length);
        all = all && from[k] >= 0;
    }
    volt_view X = data->inputs.view;
    if (!failed && all)
        failed = allocate_matrix(X.rows, count, "the history in the plot", &drawn->history);
    for (int64_t i = 0; !failed && all && i < X.rows; i++)
        for (int64_t k = 0; k < count; k++)
            drawn->history.data[i * drawn->history.ld + k] = X.data[i * X.ld + from[k]];
    free(from);
    return failed;
}

/* Arranges the forecasts made at the last row as consecutive rows, one per horizon. */
static int lay_path(drawn_series *drawn)
{
    volt_view forecast = drawn->forecast;
    int failed = allocate_matrix(drawn->horizons, drawn->count, "the path in the plot", &drawn->path);
    if (failed)
        return failed;
    const double *last = forecast.data + (forecast.rows - 1) * forecast.ld;
    for (int64_t h = 0; h < drawn->horizons; h++)
        for (int64_t k = 0; k < drawn->count; k++)
            drawn->path.data[h * drawn->path.ld + k] = last[k * drawn->horizons + h];
    return 0;
}

/* Sets the band of the plotted forecasts to the widest interval. */
static int lay_band(drawn_series *drawn)
{
    const number_list *levels = drawn->levels;
    volt_view half = drawn->half;
    int64_t count = drawn->horizons > 1 ? drawn->horizons : drawn->forecast.rows, widest = 0;
    if (!half.data)
        return 0;
    for (int64_t c = 1; c < levels->count; c++)
        widest = levels->values[c] > levels->values[widest] ? c : widest;
    int failed = allocate_matrix(count, drawn->count, "the interval in the plot", &drawn->band);
    for (int64_t i = 0; !failed && i < count; i++) {
        int64_t row = drawn->horizons > 1 ? drawn->forecast.rows - 1 : i;
        const double *widths = half.data + (half.rows > 1 ? row : 0) * half.ld;
        for (int64_t k = 0; k < drawn->count; k++) {
            int64_t output = drawn->horizons > 1 ? k * drawn->horizons + i : k;
            drawn->band.data[i * drawn->band.ld + k] = widths[output * levels->count + widest];
        }
    }
    snprintf(drawn->band_name, sizeof drawn->band_name, "%.6g %% interval", 100 * levels->values[widest]);
    return failed;
}

/* Finds the times of the rows of X and of the next `ahead` rows. The axis shows row numbers if the times cannot
 * be extrapolated, or if `ahead` far exceeds the number of rows. */
static int find_times(const predict_data *data, int64_t ahead, drawn_series *drawn)
{
    const volt_table *table = data->inputs.table;
    int64_t n = table->rows;
    volt_time_step step = data->times.step;
    int failed = volt_time_step_is_known(step) ? 0 : row_times_step(&data->inputs, &step);
    if (failed || !table->times || (ahead > 0 && !volt_time_step_is_known(step)) || ahead > 1000 + n)
        return failed;
    failed = row_labels_of_targets(&drawn->later, &data->inputs, ahead, step);
    if (failed || !drawn->later.name)
        return failed;
    drawn->times = malloc((size_t)(n + ahead) * sizeof *drawn->times);
    if (!drawn->times)
        return complain(EXIT_FAILED, "not enough memory for the times in the plot");
    for (int64_t i = 0; i < n + ahead; i++)
        drawn->times[i] = i < n ? table->time_texts[i] : i < ahead ? "" : drawn->later.texts[i - ahead];
    drawn->n_times = n + ahead;
    return 0;
}

/* Draws the forecast inputs, and each forecast at its target row. */
static int draw(const predict_arguments *arguments, const predict_data *data, volt_view forecast,
                volt_view widths)
{
    drawn_series drawn = {.forecast = forecast, .half = widths, .levels = &arguments->bands.levels};
    find_horizons(data, &drawn);
    int64_t n = data->inputs.view.rows;
    bool several = drawn.horizons > 1;
    int failed = find_columns(data, &drawn);
    if (!failed && several)
        failed = lay_path(&drawn);
    if (!failed)
        failed = lay_band(&drawn);
    if (!failed)
        failed = find_times(data, drawn.first + drawn.horizons - 1, &drawn);
    if (!failed) {
        const volt_view half = volt_as_view(drawn.band);
        const series_picture wanted = {
            .names = drawn.names,
            .history = volt_as_view(drawn.history),
            .forecast = several ? volt_as_view(drawn.path) : forecast,
            .forecast_row = several ? n - 1 + drawn.first : drawn.first,
            .half_widths = &half,
            .band_names = &(const char *){drawn.band_name},
            .n_bands = drawn.band.data != NULL,
            .times = drawn.times,
            .n_times = drawn.n_times,
        };
        failed = picture_series_file(arguments->plot, &wanted);
    }
    release_drawn(&drawn);
    return failed;
}

/* ---- predictions ------------------------------------------------------------------------------ */

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
    if (!failed && arguments->plot)
        failed =
            draw(arguments, data, volt_as_view(outputs_of(arguments, table, data->info.q)), volt_as_view(half));
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
