/* cli/commands/cmd_fit.c: volterra fit, learn a filter from one sequence of inputs and targets. */
#include "args/command.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "search/training.h"
#include "terminal/messages.h"
#include "terminal/results.h"
#include "volterra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fit_arguments {
    common_arguments common;
    training_arguments training;
    const char *kernel, *fitted, *output;
    double alpha;
} fit_arguments;

static const option rows[] = {
    TRAINING_SEQUENCE(offsetof(fit_arguments, training), 0),
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
    TRAINING_READOUT(offsetof(fit_arguments, training)),
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

/* ---- fit and report --------------------------------------------------------------------------- */

/* What the kernel is on these inputs; a kernel without a recursion has none of it. */
static void report_facts(result_list *results, const volt_kernel_facts *facts)
{
    if (facts->tau > 0)
        results_number(results, "tau", "tau", facts->tau);
    if (facts->lambda > 0) {
        results_number(results, "lambda", "lambda", facts->lambda);
        results_number(results, "lambda_bound", NULL, facts->lambda_bound);
    }
    if (facts->contraction > 0) {
        results_text(results, NULL, "contraction", "%.6g (share of the past that a step keeps, at most)",
                     facts->contraction);
        results_number(results, "contraction", NULL, facts->contraction);
        results_text(results, NULL, "horizon", "%.6g steps until the past has faded", facts->horizon);
        results_number(results, "horizon", NULL, facts->horizon);
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

    result_list *results = results_new(arguments->common.json);
    results_text(results, "model", "model", "%s", arguments->output);
    results_count(results, "n", "rows", info.n);
    results_count(results, "d", "inputs", info.d);
    results_count(results, "q", "outputs", info.q);
    results_count(results, "ahead", "steps ahead", info.ahead);
    results_count(results, "washout", "washout", info.washout);
    results_text(results, "kernel", "kernel", "%s", info.kernel);
    report_facts(results, &info.facts);
    results_number(results, "alpha", "alpha", info.alpha);
    results_number(results, "condition", "condition estimate", info.rcond > 0 ? 1 / info.rcond : INFINITY);
    results_flag(results, "intercept", info.intercept);
    results_flag(results, "scaled", info.scaled);
    results_flag(results, "feedback", info.feedback);
    results_number(results, "r2", "R2 in sample", metrics.r2);
    results_text(results, NULL, "can continue", "%s",
                 info.feedback ? "yes: volterra continue feeds its outputs back"
                               : "no: its outputs are not its next inputs");
    return results_print(results);
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
    const output_option outputs[] = {{"-o", arguments->output}, {"--fitted", arguments->fitted}};
    int failed = outputs_check_distinct(outputs, 2);
    if (!failed)
        failed = training_check_output(&arguments->training, arguments->output);
    if (!failed && arguments->fitted)
        failed = training_check_output(&arguments->training, arguments->fitted);
    return failed;
}

static int run_fit(int argc, char *const *argv)
{
    fit_arguments arguments = {.training = {.ahead = AHEAD_NOT_GIVEN}};
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
        failed = training_read(&arguments.training, &data);
    if (!failed)
        failed = allocate_matrix(data.targets.rows, data.targets.cols, "the fitted values", &fitted);
    if (!failed)
        failed = training_fit(&arguments.training, &data, kernel, arguments.alpha, arguments.common.quiet,
                              fitted, &model);
    if (!failed)
        failed = write_results(&arguments, model, &data, volt_as_view(fitted));

    free(fitted.data);
    volt_model_free(model);
    volt_kernel_free(kernel);
    training_release(&data);
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
