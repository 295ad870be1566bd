/* cli/commands/cmd_continue.c: volterra continue, runs a model with its outputs fed back as inputs. */
#include "args/command.h"
#include "commands/prediction.h"
#include "files/inputs.h"
#include "files/model_times.h"
#include "files/outputs.h"
#include "files/row_times.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "volterra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct continue_arguments {
    common_arguments common;
    const char *model, *output, *after;
    int64_t steps, paths;
    int beyond, missing;
    row_range rows;
    band_request bands;
} continue_arguments;

#define ROW(...) OPTION(continue_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("MODEL", NULL, model, "model file written by volterra fit", .required = true, .is_positional = true),
    ROW("steps", "H", steps, "rows to forecast", .range = AT_LEAST(1), .required = true),
    ROW("after", "X", after, "rows observed since training, applied before the forecast: FILE or FILE:COLUMNS",
        .python = ""),
    ROWS_OPTION(continue_arguments, rows, "X"),
    MISSING_OPTION(continue_arguments, missing),
    BEYOND_OPTION(continue_arguments, beyond),
    ROW("paths", "N", paths, "number of simulated paths with noise, for --interval", .range = AT_LEAST(1)),
    INTERVAL_OPTION(
        continue_arguments, bands.levels,
        "prediction intervals of this coverage; quantiles of the paths, in columns NAME.lo90 and NAME.hi90"),
    OUTPUT_OPTION(continue_arguments, output),
};

static int upwards(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Fills the ends of the bands with order statistics of N paths: the floor((N + 1)(1 - p) / 2)-th from below and
 * from above. */
static void fill_bands(const continue_arguments *arguments, int64_t q, volt_view paths, double *values,
                       volt_matrix out)
{
    const number_list *levels = &arguments->bands.levels;
    int64_t n = arguments->paths, steps = arguments->steps;
    for (int64_t i = 0; i < steps; i++)
        for (int64_t k = 0; k < q; k++) {
            for (int64_t p = 0; p < n; p++)
                values[p] = paths.data[(p * steps + i) * paths.ld + k];
            qsort(values, (size_t)n, sizeof *values, upwards);
            for (int c = 0; c < levels->count; c++) {
                int64_t rank = (int64_t)((double)(n + 1) * (1 - levels->values[c]) / 2 * (1 + 1e-12));
                double *ends = out.data + i * out.ld + (k * levels->count + c) * 2;
                ends[0] = values[rank - 1];
                ends[1] = values[n - rank];
            }
        }
}

/* Computes the bands of noisy paths into `out`. */
static int run_paths(const continue_arguments *arguments, const volt_model *model, const volt_model_info *info,
                     const dataset *known, volt_start start, volt_matrix out)
{
    volt_matrix paths = {0};
    double *values = malloc((size_t)arguments->paths * sizeof *values);
    int failed = values ? 0 : complain(EXIT_FAILED, "not enough memory for the paths");
    if (!failed && arguments->paths > INT64_MAX / arguments->steps)
        failed = complain(EXIT_USAGE, "--paths %lld is too large for %lld steps", (long long)arguments->paths,
                          (long long)arguments->steps);
    if (!failed)
        failed = allocate_matrix(arguments->paths * arguments->steps, info->q, "the paths", &paths);
    if (!failed) {
        volt_predict_options options = forecast_options((int)start, arguments->beyond);
        options.progress = progress_begin(arguments->common.quiet);
        options.paths = arguments->paths;
        options.seed = arguments->common.seed.value;
        volt_status status = volt_model_continue(model, known->view, &options, paths, NULL);
        progress_end();
        failed = status ? complain_status(status) : 0;
    }
    if (!failed) {
        fill_bands(arguments, info->q, volt_as_view(paths), values, out);
        report("the intervals are quantiles of paths with training errors as noise; their coverage is not "
               "guaranteed");
    }
    free(values);
    free(paths.data);
    return failed;
}

/* Checks that every level has at least one path outside the band on each side. */
static int check_paths(const continue_arguments *arguments)
{
    const number_list *levels = &arguments->bands.levels;
    int failed = bands_check(levels);
    if (!failed && (arguments->paths > 0) != (levels->count > 0))
        return complain(EXIT_USAGE,
                        arguments->paths > 0 ? "--paths requires --interval" : "--interval requires --paths");
    for (int c = 0; !failed && c < levels->count; c++) {
        double needed = ceil(2 / (1 - levels->values[c]) * (1 - 1e-12)) - 1;
        if ((double)arguments->paths < needed)
            failed = complain(EXIT_USAGE, "--interval %g requires at least %.0f paths (got --paths %lld)",
                              levels->values[c], needed, (long long)arguments->paths);
    }
    return failed;
}

/* Continues after `known` (may have no rows) and writes the path, with row times if known. */
static int continue_path(const continue_arguments *arguments, const volt_model *model,
                         const volt_model_info *info, const dataset *known, volt_start start)
{
    volt_matrix path = {0};
    row_labels times = {0};
    forecast_output output = {.path = arguments->output,
                              .json = arguments->common.json,
                              .times = &times,
                              .bands = arguments->bands,
                              .beyond = arguments->beyond,
                              .inputs = known->view.rows + arguments->steps};
    volt_matrix table = {0};
    int64_t band_columns = bands_columns(&arguments->bands, info->q);
    int failed = allocate_matrix(arguments->steps, info->q + band_columns, "the path", &table);
    path = (volt_matrix){table.data, table.rows, info->q, table.ld};
    if (!failed && arguments->after)
        failed = row_labels_after(&times, known, arguments->steps, NULL);
    if (!failed) {
        volt_predict_options options = forecast_options((int)start, arguments->beyond);
        options.progress = progress_begin(arguments->common.quiet);
        volt_status status = volt_model_continue(model, known->view, &options, path, &output.beyond_count);
        progress_end();
        failed = status ? complain_status(status) : 0;
    }
    if (!failed && band_columns > 0)
        failed = run_paths(arguments, model, info, known, start,
                           (volt_matrix){table.data + info->q, table.rows, band_columns, table.ld});
    if (!failed)
        failed = forecast_write(info, volt_as_view(table), &output);
    row_labels_release(&times);
    free(table.data);
    return failed;
}

static int read_known(const continue_arguments *arguments, const volt_model_info *info, dataset *known,
                      volt_start *start)
{
    if (info->n_members > 0)
        return complain(EXIT_USAGE, "%s cannot continue: it is a sum of models", arguments->model);
    if (info->feedback_weight > 0)
        return complain(
            EXIT_USAGE,
            "%s cannot continue without inputs: it was fitted with --feedback (use volterra predict)",
            arguments->model);
    if (!info->feedback)
        return complain(EXIT_USAGE,
                        "%s cannot continue: its outputs are not its inputs one row later (fit without --y, or "
                        "with the same columns and --ahead 1)",
                        arguments->model);
    if (!arguments->after)
        return arguments->rows.given ? complain(EXIT_USAGE, "--rows requires --after X") : 0;
    model_times times;
    int failed = model_times_read(info, &times);
    if (!failed)
        failed = dataset_read_inputs(known, arguments->after, (volt_missing)arguments->missing,
                                     &arguments->rows, info);
    return failed ? failed : model_times_find_start(info, known, start);
}

static int run_continue(int argc, char *const *argv)
{
    continue_arguments arguments = {0};
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    dataset known = {0};
    volt_start start = VOLT_START_CONTINUE;
    int failed = options_parse(&command_continue.options, argc, argv, &arguments);
    if (failed)
        return failed;
    if (arguments.after && strcmp(arguments.model, "-") == 0 && strcmp(arguments.after, "-") == 0)
        return complain(EXIT_USAGE, "the model and --after cannot both be read from standard input");
    failed = check_paths(&arguments);
    if (!failed)
        failed = output_check(arguments.output);
    if (!failed)
        failed = output_check_against(arguments.output, arguments.model);
    if (!failed)
        failed = output_check_against(arguments.output, arguments.after);
    if (!failed)
        failed = model_read(arguments.model, &model);
    if (!failed) {
        volt_model_get_info(model, &info);
        failed = read_known(&arguments, &info, &known, &start);
    }
    if (!failed)
        failed = continue_path(&arguments, model, &info, &known, start);
    dataset_release(&known);
    volt_model_free(model);
    return failed;
}

const cli_command command_continue = {
    .name = "continue",
    .group = "Models",
    .summary = "continue a series with a model, its outputs fed back as inputs",
    .description =
        "Feeds the outputs of a model back as its inputs for H steps, from the last row of the training\n"
        "file on. It requires a model whose outputs are its inputs one step later (volterra fit without\n"
        "--y).\n"
        "\n"
        "With --after, the path follows the last row of X. X begins with the last row of the training file,\n"
        "as for predict, or with the next row. The dates of both files determine which; earlier rows of X\n"
        "are skipped with a warning. Without dates, a first row equal to the last training row is taken as\n"
        "that row, with a warning. If X has dates with a regular step, the path has dates as well.\n"
        "\n"
        "--paths N --interval P simulates N paths, adding errors of random training rows at each step, and\n"
        "writes the ends of the band that contains a share P of them. N must be at least 2 / (1 - P) - 1.\n"
        "The band assumes that errors are distributed as in training.\n",
    .examples = "  volterra continue lorenz.safetensors --steps 2500 -o path.csv\n"
                "  volterra continue lorenz.safetensors --after new.csv --steps 100 -o path.csv\n"
                "  volterra continue lorenz.safetensors --steps 100 --paths 200 --interval 0.9 -o band.csv\n",
    .options = OPTION_TABLE(rows),
    .run = run_continue,
};
