/* cli/cmd_fit.c: volterra fit, learn a filter from one sequence of inputs and targets. */
#include "command.h"
#include "inputs.h"
#include "interrupt.h"
#include "outputs.h"
#include "progress_bar.h"
#include "report.h"
#include "volterra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fit_arguments {
    common_arguments common;
    const char *x, *y, *kernel, *fitted, *output;
    int64_t ahead, washout;
    double alpha;
    bool no_intercept, no_scale;
    int missing;
    row_range rows;
} fit_arguments;

enum { NOT_GIVEN = -1 };

static const option rows[] = {
    {.name = "x",
     .kind = OPTION_TEXT,
     .required = true,
     .offset = offsetof(fit_arguments, x),
     .argument = "X",
     .meaning = "inputs: FILE or FILE:COLUMNS, one row per time step"},
    {.name = "y",
     .kind = OPTION_TEXT,
     .offset = offsetof(fit_arguments, y),
     .argument = "Y",
     .meaning = "targets, row by row with X (default: X itself, so the series forecasts itself)"},
    {.name = "ahead",
     .kind = OPTION_COUNT,
     .offset = offsetof(fit_arguments, ahead),
     .argument = "H",
     .meaning = "the target of row t is row t+H (default 0 with --y, 1 without)"},
    {.name = "kernel",
     .kind = OPTION_TEXT,
     .fallback = "volterra",
     .argument = "K",
     .offset = offsetof(fit_arguments, kernel),
     .meaning = "the kernel, see volterra help kernels"},
    {.name = "alpha",
     .kind = OPTION_POSITIVE,
     .fallback = "1e-6",
     .offset = offsetof(fit_arguments, alpha),
     .argument = "A",
     .meaning = "regularisation of the readout, above 0"},
    {.name = "washout",
     .kind = OPTION_COUNT,
     .fallback = "0",
     .offset = offsetof(fit_arguments, washout),
     .argument = "W",
     .meaning = "first rows that feed the past but are not fitted"},
    {.name = "rows",
     .kind = OPTION_ROWS,
     .offset = offsetof(fit_arguments, rows),
     .argument = "A:B",
     .meaning = "use rows A <= t < B of X and Y, counted from 0; negative ends count from the last row"},
    {.name = "no-intercept",
     .kind = OPTION_FLAG,
     .offset = offsetof(fit_arguments, no_intercept),
     .meaning = "fit no constant"},
    {.name = "no-scale",
     .kind = OPTION_FLAG,
     .offset = offsetof(fit_arguments, no_scale),
     .meaning = "take inputs and targets as they are"},
    {.name = "missing",
     .kind = OPTION_CHOICE,
     .choices = MISSING_CHOICES,
     .fallback = "error",
     .offset = offsetof(fit_arguments, missing),
     .meaning = "what to do with missing values"},
    {.name = "fitted",
     .kind = OPTION_TEXT,
     .offset = offsetof(fit_arguments, fitted),
     .argument = "FILE",
     .meaning = "also write the fitted values"},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .required = true,
     .offset = offsetof(fit_arguments, output),
     .argument = "MODEL",
     .meaning = "the model file to write (safetensors)"},
};

/* ---- the sequence ----------------------------------------------------------------------------- */

/* What is fitted: rows t of the inputs and rows t + ahead of the targets. */
typedef struct training_data {
    dataset x, y; /* y is empty when X is its own target */
    volt_view inputs, targets;
    int64_t ahead;
    bool feedback;
    const char **input_names, **output_names; /* NULL: no header */
} training_data;

static bool same_names(const char **first, const char **second, int64_t count)
{
    if (!first || !second)
        return false;
    for (int64_t j = 0; j < count; j++)
        if (strcmp(first[j], second[j]) != 0)
            return false;
    return true;
}

/* Is every target the next input? */
static bool targets_are_next_inputs(volt_view inputs, volt_view targets)
{
    if (!inputs.data || !targets.data)
        return false;
    for (int64_t i = 0; i + 1 < inputs.rows; i++)
        for (int64_t j = 0; j < inputs.cols; j++)
            if (targets.data[i * targets.ld + j] != inputs.data[(i + 1) * inputs.ld + j])
                return false;
    return inputs.rows > 1;
}

/* The outputs are the inputs one step later: by their names, or because the numbers say so. */
static bool can_feed_back(const training_data *data)
{
    if (data->inputs.cols != data->targets.cols)
        return false;
    if (data->ahead == 1 && same_names(data->input_names, data->output_names, data->inputs.cols))
        return true;
    return targets_are_next_inputs(data->inputs, data->targets);
}

static int read_files(const fit_arguments *arguments, training_data *data)
{
    volt_missing missing = missing_policy(arguments->missing);
    int failed;
    if (arguments->y) {
        failed = dataset_read_pair(&data->x, arguments->x, &data->y, arguments->y, missing);
        if (!failed)
            failed = dataset_take_rows(&data->y, &arguments->rows, "--rows");
    } else {
        failed = dataset_read(&data->x, arguments->x, missing);
    }
    if (!failed)
        failed = dataset_take_rows(&data->x, &arguments->rows, "--rows");
    return failed;
}

static int read_training_data(const fit_arguments *arguments, training_data *data)
{
    data->ahead = arguments->ahead == NOT_GIVEN ? !arguments->y : arguments->ahead;
    if (!arguments->y && data->ahead == 0)
        return complain(EXIT_USAGE, "--ahead 0 without --y would learn the inputs from themselves; "
                                    "give --ahead 1 or more, or --y");
    int failed = read_files(arguments, data);
    if (failed)
        return failed;

    const dataset *target = arguments->y ? &data->y : &data->x;
    int64_t n = data->x.view.rows;
    char hint[HINT_LENGTH];
    if (n == 1 && data->ahead > 0)
        return complain(EXIT_FAILED, "%s has only one row; a target %lld ahead needs at least %lld%s",
                        arguments->x, (long long)data->ahead, (long long)data->ahead + 1,
                        dataset_hint(&data->x, hint));
    if (data->ahead >= n)
        return complain(EXIT_USAGE, "--ahead %lld must be less than the %lld rows of %s%s",
                        (long long)data->ahead, (long long)n, arguments->x, dataset_hint(&data->x, hint));
    data->inputs = volt_view_rows(data->x.view, 0, n - data->ahead);
    data->targets = volt_view_rows(target->view, data->ahead, n - data->ahead);
    data->input_names = data->x.names;
    data->output_names = target->names;
    data->feedback = can_feed_back(data);
    return 0;
}

static void release_training_data(training_data *data)
{
    dataset_release(&data->x);
    dataset_release(&data->y);
}

/* ---- fit and report --------------------------------------------------------------------------- */

static int fit_model(const fit_arguments *arguments, const volt_kernel *kernel, const training_data *data,
                     volt_matrix fitted, volt_model **model)
{
    volt_fit_options options = volt_fit_options_default();
    options.alpha = arguments->alpha;
    options.washout = arguments->washout;
    options.intercept = !arguments->no_intercept;
    options.scale = !arguments->no_scale;
    options.ahead = data->ahead;
    options.feedback = data->feedback;
    options.input_names = (const char *const *)data->input_names;
    options.output_names = (const char *const *)data->output_names;
    options.progress = progress_begin(arguments->common.quiet);
    volt_status status = volt_model_fit(kernel, data->inputs, data->targets, &options, fitted, model);
    progress_end();
    if (status == VOLT_ERR_MEMORY)
        return complain_status_hint(status, " (run: volterra plan --n %lld --d %lld --q %lld)",
                                    (long long)data->inputs.rows, (long long)data->inputs.cols,
                                    (long long)data->targets.cols);
    if (!status && interrupt_seen())
        status = VOLT_ERR_CANCELLED;
    if (status == VOLT_ERR_SINGULAR && held_warning())
        return complain_status_hint(status, " (%s)", held_warning());
    char hint[HINT_LENGTH];
    return status ? complain_status_hint(status, "%s", dataset_hint(&data->x, hint)) : 0;
}

/* What the kernel is on these inputs; a kernel without a recursion has none of it. */
static void report_facts(cli_report *report, const volt_kernel_facts *facts)
{
    if (facts->tau > 0)
        report_number(report, "tau", "tau", facts->tau);
    if (facts->lambda > 0) {
        report_number(report, "lambda", "lambda", facts->lambda);
        report_number(report, "lambda_bound", NULL, facts->lambda_bound);
    }
    if (facts->contraction > 0) {
        report_text(report, NULL, "contraction", "%.6g (share of the past that a step keeps, at most)",
                    facts->contraction);
        report_number(report, "contraction", NULL, facts->contraction);
        report_text(report, NULL, "horizon", "%.6g steps until the past has faded", facts->horizon);
        report_number(report, "horizon", NULL, facts->horizon);
    }
}

static int print_summary(const fit_arguments *arguments, const volt_model *model, const training_data *data,
                         volt_view fitted)
{
    volt_model_info info;
    volt_model_describe(model, &info);
    int64_t used = info.n - info.washout;
    volt_metrics metrics;
    volt_status status = volt_metrics_compute(volt_view_rows(data->targets, info.washout, used),
                                              volt_view_rows(fitted, info.washout, used), &metrics);
    if (status)
        return complain_status(status);

    cli_report *report = report_new(arguments->common.json);
    report_text(report, "model", "model", "%s", arguments->output);
    report_count(report, "n", "rows", info.n);
    report_count(report, "d", "inputs", info.d);
    report_count(report, "q", "outputs", info.q);
    report_count(report, "ahead", "steps ahead", info.ahead);
    report_count(report, "washout", "washout", info.washout);
    report_text(report, "kernel", "kernel", "%s", info.kernel);
    report_facts(report, &info.facts);
    report_number(report, "alpha", "alpha", info.alpha);
    report_number(report, "condition", "condition estimate", info.rcond > 0 ? 1 / info.rcond : INFINITY);
    report_flag(report, "intercept", info.intercept);
    report_flag(report, "scaled", info.scaled);
    report_flag(report, "feedback", info.feedback);
    report_number(report, "r2", "R2 in sample", metrics.r2);
    report_text(report, NULL, "can continue", "%s",
                info.feedback ? "yes: volterra continue feeds its outputs back"
                              : "no: its outputs are not its next inputs");
    return report_print(report);
}

static int write_results(const fit_arguments *arguments, const volt_model *model, const training_data *data,
                         volt_view fitted)
{
    int failed = model_write(model, arguments->output);
    if (!failed && arguments->fitted) {
        volt_model_info info;
        volt_model_describe(model, &info);
        const char **names = output_names(&info);
        if (!names)
            return complain(EXIT_FAILED, "not enough memory for the column names");
        failed = output_matrix(arguments->fitted, fitted, names, false, NULL, 0);
        output_names_free(names);
    }
    /* When one of the files goes to standard output there is no room for the summary. */
    bool is_taken =
        is_standard_output(arguments->output) || (arguments->fitted && is_standard_output(arguments->fitted));
    if (!failed && !is_taken)
        failed = print_summary(arguments, model, data, fitted);
    return failed;
}

static int check_outputs(const fit_arguments *arguments)
{
    int failed = output_check(arguments->output);
    if (!failed)
        failed = output_check_against(arguments->output, arguments->x);
    if (!failed)
        failed = output_check_against(arguments->output, arguments->y);
    if (failed || !arguments->fitted)
        return failed;
    if (strcmp(arguments->fitted, arguments->output) == 0)
        return complain(EXIT_USAGE, "-o and --fitted name the same file, %s", arguments->output);
    failed = output_check(arguments->fitted);
    if (!failed)
        failed = output_check_against(arguments->fitted, arguments->x);
    if (!failed)
        failed = output_check_against(arguments->fitted, arguments->y);
    return failed;
}

static int run_fit(int argc, char *const *argv)
{
    fit_arguments arguments = {.ahead = NOT_GIVEN};
    training_data data = {0};
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_matrix fitted = {0};

    int failed = options_parse(&command_fit.options, argc, argv, &arguments);
    if (failed)
        return failed;
    if (arguments.common.json && is_standard_output(arguments.output))
        return complain(EXIT_USAGE, "--json and -o - both want standard output");
    volt_status status = volt_kernel_parse(arguments.kernel, &kernel);
    if (status)
        return complain_status_hint(status, " (see volterra help kernels)");

    failed = check_outputs(&arguments);
    if (!failed)
        failed = read_training_data(&arguments, &data);
    if (!failed)
        failed = allocate_matrix(data.targets.rows, data.targets.cols, "the fitted values", &fitted);
    if (!failed)
        failed = fit_model(&arguments, kernel, &data, fitted, &model);
    if (!failed)
        failed = write_results(&arguments, model, &data, volt_as_view(fitted));

    free(fitted.data);
    volt_model_free(model);
    volt_kernel_free(kernel);
    release_training_data(&data);
    return failed;
}

const cli_command command_fit = {
    .name = "fit",
    .summary = "learn a filter from one sequence of inputs and targets",
    .description =
        "Reads inputs X (n rows in time order, d columns) and targets Y (n rows, q columns), fits the\n"
        "ridge readout of the kernel, and writes a model for predict, continue and stream. The target\n"
        "of row t is row t of Y, or with --ahead H row t+H. Inputs are shifted and scaled so that the\n"
        "largest has norm 1, targets are standardised, unless --no-scale.\n"
        "\n"
        "Inputs that follow the training rows begin after the last row that had a target: with --ahead 1\n"
        "they begin with the last row of X.\n",
    .examples = "  volterra fit --x lorenz.csv --kernel volterra:tau_coef=0.3,lambda_coef=0.3 \\\n"
                "               --alpha 1e-10 --washout 100 -o lorenz.safetensors\n"
                "  volterra fit --x u.csv --y y.csv --kernel rbf:window=20 --alpha 1e-4 -o rbf.safetensors\n"
                "  volterra fit --x data.csv:z1..z5 --y 'data.csv:h*' --ahead 1 -o model.safetensors\n",
    .options = OPTION_TABLE(rows),
    .run = run_fit,
};
