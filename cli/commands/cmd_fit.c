/* cli/commands/cmd_fit.c: volterra fit, fits a filter to a sequence of inputs and targets. */
#include "args/command.h"
#include "commands/model_report.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "search/search_report.h"
#include "search/training.h"
#include "search/training_solver.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/results.h"
#include "volterra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fit_arguments {
    common_arguments common;
    training_arguments training;
    const char *kernel, *fitted, *output;
} fit_arguments;

#define ROW(...) OPTION(fit_arguments, __VA_ARGS__)
static const option rows[] = {
    HEADING("data"),
    GROUP(fit_arguments, training, &training_data_options),
    ROW("weights", "FILE:COLUMN", training.weights, LOSS_WEIGHTS, .is_rare = true),
    HEADING("model"),
    ROW("kernel", "K", kernel, KERNEL_MEANING, .fallback = "volterra", .python = ""),
    ROW("alpha", "A", training.fit.alpha, "regularisation strength", .unset = "chosen on held-out rows"),
    SWITCH(fit_arguments, "guard", training.fit.guarded, 1,
           "naive forecast kept unless the fit is clearly better on held-out rows; with --alpha and --target "
           "change"),
    GROUP(fit_arguments, training, &training_model_options),
    ROW("feedback-weight", "W", training.fit.feedback_weight,
        "weight of the outputs among the inputs, with --feedback", .unset = "1", .is_rare = true),
    GROUP(fit_arguments, training, &loss_options),
    HEADING("solver"),
    GROUP(fit_arguments, training, &solver_options_table),
    HEADING("output"),
    SWITCH(fit_arguments, "keep-factor", training.fit.keep_factor, 1,
           "factor of the Gram matrix in the model, for standard deviations; 4 bytes times the square of the "
           "rows"),
    ROW("fitted", "FILE", fitted, "file for the fitted values"),
    ROW("output", "MODEL", output, "model file (safetensors)", .letter = 'o', .required = true),
};

/* ---- fit and report --------------------------------------------------------------------------- */

/* Reports alpha and its origin. */
static void report_alpha(const fit_arguments *arguments, const volt_model_info *info, result_list *results)
{
    bool chosen = !(arguments->training.fit.alpha > 0);
    int64_t learned = 0, distinct = 1;
    for (int64_t k = 0; k < info->q; k++) {
        learned += isfinite(info->alphas[k]);
        distinct += k > 0 && info->alphas[k] != info->alphas[k - 1];
    }
    results_flag(results, "alpha_chosen", chosen);
    if (info->q > 1)
        results_fields(results, volt_model_info, info, "alphas");
    if (!chosen)
        results_text(results, NULL, "alpha", "%s", parameter_digits(info->alpha).text);
    else if (learned == 0)
        results_text(results, NULL, "alpha", "infinite (kernel not used)");
    else if (info->loss)
        results_text(results, NULL, "alpha", "%s (chosen by the loss on held-out rows)",
                     parameter_digits(info->alpha).text);
    else if (distinct == 1)
        results_text(results, NULL, "alpha", "%s (chosen on held-out rows among %lld)",
                     parameter_digits(info->alpha).text, (long long)info->report->alphas + 1);
    else
        results_text(results, NULL, "alpha", "one per output (chosen on held-out rows among %lld)",
                     (long long)info->report->alphas + 1);
}

/* Reports norm, effective dimension and noise level. */
static void report_norms(const volt_model_info *info, result_list *results)
{
    const volt_fit_report *report = info->report;
    results_details(results, true);
    results_numbers(results, "rkhs_norm", report->rkhs_norm, info->q);
    report_range(results, "norm of the functional", report->rkhs_norm, info->q);
    results_numbers(results, "effective_dimension", report->effective_dimension, info->q);
    results_numbers(results, "dimension_error", report->dimension_error, info->q);
    if (info->q == 1 && report->dimension_error[0] > 0)
        results_text(results, NULL, "effective dimension", "%s",
                     error_digits(report->effective_dimension[0], report->dimension_error[0]).text);
    else
        report_range(results, "effective dimension", report->effective_dimension, info->q);
    results_numbers(results, "noise", report->noise, info->q);
    report_range(results, "noise level", report->noise, info->q);
    results_details(results, false);
}

/* Reports the held-out rows, their score and the baselines. */
static void report_held_out(const volt_model_info *info, const volt_assessment *found, result_list *results)
{
    const volt_fit_report *report = info->report;
    results_details(results, true);
    results_count(results, "season", NULL, found->season);
    results_count(results, "heldout_rows", NULL, report->rows);
    results_number(results, "heldout_r2", NULL, report->heldout_r2);
    if (isfinite(report->log_likelihood)) /* an output without the kernel has none */
        results_number(results, "log_likelihood", "log likelihood", report->log_likelihood);
    results_details(results, false);
    if (report->rows == 0) {
        results_text(results, NULL, "R2 held out", "unknown (too few rows)");
        return;
    }
    results_number(results, "heldout_rmse", NULL, found->heldout_rmse);
    char blocks[32] = "";
    if (report->blocks > 1)
        snprintf(blocks, sizeof blocks, " in %d blocks", report->blocks);
    results_text(results, NULL, "R2 held out", "%s (last %lld rows%s, %s)%s", digits(report->heldout_r2).text,
                 (long long)report->rows, blocks,
                 report->blocks == 1 ? "from the rows before them" : "each from the rows before it",
                 assessment_has(found, VOLT_WARNING_WORSE_THAN_CONSTANT) ? ", worse than a constant" : "");
    results_details(results, true);
    results_text(results, NULL, "RMSE held out", "%s", digits(found->heldout_rmse).text);
    results_details(results, false);
    baselines_report(found, info->ahead, "held-out rows", "volterra tune, another --season or more rows",
                     results);
}

/* Reports the size of the stored factor. */
static void report_factor(const volt_model_info *info, result_list *results)
{
    char size[QUANTITY_LENGTH];
    int64_t kept = info->n - info->washout, factors = 0;
    for (int64_t k = 0; k < info->q; k++) { /* one factor per distinct alpha */
        bool is_new = isfinite(info->alphas[k]) != 0;
        for (int64_t j = 0; j < k; j++)
            is_new = is_new && info->alphas[j] != info->alphas[k];
        factors += is_new;
    }
    double bytes = 4 * (double)factors * (double)kept * ((double)kept + 3);
    results_number(results, "factor_bytes", NULL, bytes);
    results_text(results, NULL, "kept factor", "%s in the model file (predict --std)",
                 format_bytes(bytes, size));
}

/* Writes "525 rows in 2 records, 1 input, 3 outputs, 1 step ahead". */
enum { DATA_LENGTH = 160 };
static char *data_words(const volt_model_info *info, const training_data *data, char text[DATA_LENGTH])
{
    char records[48] = "", ahead[48] = "";
    if (data->pairing->records)
        snprintf(records, sizeof records, " in %lld record%s", (long long)data->records.n,
                 data->records.n == 1 ? "" : "s");
    if (info->ahead > 0)
        snprintf(ahead, sizeof ahead, ", %lld step%s ahead", (long long)info->ahead,
                 info->ahead == 1 ? "" : "s");
    snprintf(text, DATA_LENGTH, "%lld rows%s, %lld input%s, %lld output%s%s", (long long)info->n, records,
             (long long)info->d, info->d == 1 ? "" : "s", (long long)info->q, info->q == 1 ? "" : "s", ahead);
    return text;
}

static int print_summary(const fit_arguments *arguments, const volt_model *model, const training_data *data,
                         volt_view fitted)
{
    char text[DATA_LENGTH], form[FORM_LENGTH];
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    volt_assess_options options = training_assess_options(data);
    volt_assessment found = {.struct_size = sizeof found};
    options.model = model;
    options.fitted = fitted;
    volt_status status = volt_assess(data->pairing, &options, &found);
    if (status)
        return complain_status(status);
    result_list *results = results_new(arguments->common.json);
    results_text(results, "model", "model", "%s", arguments->output);
    results_fields(results, volt_model_info, &info,
                   "n d q ahead columns input alpha intercept scaled scale_each feedback");
    if (data->pairing->records)
        results_count(results, "records", NULL, data->records.n);
    results_text(results, NULL, "data", "%s", data_words(&info, data, text));
    results_details(results, true);
    results_count(results, "washout", "washout", info.washout);
    report_initial(results, &info);
    results_details(results, false);
    results_text(results, "kernel", "kernel", "%s", info.kernel);
    results_details(results, true);
    report_facts(results, info.facts);
    results_details(results, false);
    results_text(results, "target", NULL, "%s", target_words(&info));
    results_text(results, NULL, "target", "%s", form_words(target_words(&info), info.input, info.season, form));
    report_alpha(arguments, &info, results);
    results_details(results, true);
    results_number(results, "condition", "condition estimate", info.rcond > 0 ? 1 / info.rcond : INFINITY);
    if (info.feedback_weight > 0)
        results_parameter(results, "feedback_weight", "feedback weight", info.feedback_weight);
    if (info.keeps_factor)
        report_factor(&info, results);
    results_details(results, false);
    solver_report(&info, &found, results);
    if (info.loss) {
        loss_report(&info, &found, results);
    } else {
        results_number(results, "r2", "R2 in sample", found.r2);
        verdict_report(&found, info.q, results);
        if (info.report) {
            report_norms(&info, results);
            report_held_out(&info, &found, results);
        }
    }
    results_text(results, NULL, "can continue", "%s",
                 info.feedback              ? "yes (volterra continue)"
                 : info.feedback_weight > 0 ? "with new inputs (volterra predict)"
                                            : "no (the outputs are not the inputs)");
    return results_print(results);
}

static int write_results(const fit_arguments *arguments, const volt_model *model, const training_data *data,
                         volt_view fitted)
{
    int failed = model_write(model, arguments->output);
    if (!failed && arguments->fitted) {
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(model, &info);
        const char **names = output_names(&info);
        if (!names)
            return complain(EXIT_FAILED, "not enough memory for the column names");
        failed = output_matrix(arguments->fitted, fitted, names, false);
        output_names_free(names);
    }
    /* No summary if a file is written to standard output. */
    bool is_taken =
        is_standard_output(arguments->output) || (arguments->fitted && is_standard_output(arguments->fitted));
    if (!failed && !is_taken)
        failed = print_summary(arguments, model, data, fitted);
    return failed;
}

static int check_outputs(const fit_arguments *arguments)
{
    const char *checkpoint = arguments->training.fit.checkpoint;
    const output_option outputs[] = {
        {"-o", arguments->output}, {"--fitted", arguments->fitted}, {"--checkpoint", checkpoint}};
    int failed = outputs_check_distinct(outputs, 3);
    if (!failed)
        failed = training_check_output(&arguments->training, arguments->output);
    if (!failed && arguments->fitted)
        failed = training_check_output(&arguments->training, arguments->fitted);
    if (!failed && checkpoint)
        failed = training_check_output(&arguments->training, checkpoint);
    return failed;
}

static int run_fit(int argc, char *const *argv)
{
    fit_arguments arguments = {.training = training_defaults()};
    volt_fit_options *fit = &arguments.training.fit;
    training_data data = {0};
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_matrix fitted = {0};

    arguments.training.keeps_rows_without_target = true;
    int failed = options_parse(&command_fit.options, argc, argv, &arguments);
    if (failed)
        return failed;
    if (arguments.common.json && is_standard_output(arguments.output))
        return complain(EXIT_USAGE, "--json and -o - cannot both be written to standard output");
    if (fit->guarded && fit->alpha > 0 && fit->target != VOLT_TARGET_CHANGE)
        return complain(EXIT_USAGE, "--guard with --alpha requires --target change");
    bool is_fed = arguments.training.pairing.fed_outputs;
    if (fit->feedback_weight > 0 && !is_fed)
        return complain(EXIT_USAGE, "--feedback-weight %g requires --feedback", fit->feedback_weight);
    if (is_fed && !(fit->feedback_weight > 0))
        fit->feedback_weight = 1;
    volt_status status = volt_kernel_parse(arguments.kernel, &kernel);
    if (status)
        return complain_status_hint(status, " (see volterra help kernels)");

    failed = check_outputs(&arguments);
    if (!failed)
        failed = training_read(&arguments.training, &data);
    if (!failed)
        failed = allocate_matrix(data.targets.rows, data.pairing->outputs, "the fitted values", &fitted);
    if (!failed) {
        volt_fit_options options = training_options(&arguments.training, &data);
        failed = solver_landmarks(arguments.training.landmarks, &options);
        if (!failed)
            failed = training_fit(&data, kernel, options, arguments.common.quiet, fitted, &model);
    }
    if (!failed)
        failed = write_results(&arguments, model, &data, volt_as_view(fitted));
    if (!failed && fit->checkpoint)
        remove(fit->checkpoint);

    free(fitted.data);
    volt_model_free(model);
    volt_kernel_free(kernel);
    training_release(&data);
    return failed;
}

const cli_command command_fit = {
    .name = "fit",
    .group = "Models",
    .summary = "fit a model to one sequence of inputs and targets",
    .description =
        "Fits the ridge readout of a kernel to inputs X and targets Y, and writes a model for predict,\n"
        "continue and stream. The target of row t is row t of Y, or row t+H with --ahead H.\n"
        "\n"
        "X has n rows in time order and d columns, Y has n rows and q columns. Unless --no-scale is given,\n"
        "inputs are shifted and scaled to a largest norm of 1, and targets are standardised.\n"
        "\n"
        "Without --alpha, the regularisation strength and levels or changes are chosen on the later half of\n"
        "the rows, each predicted from the rows before it. If the targets are inputs, the naive forecast is\n"
        "kept unless the fit is clearly better on held-out rows. If no earlier value of a target is an\n"
        "input, predictions continue from inputs only. The held-out rows are then divided into at most 20\n"
        "blocks, each predicted from the rows before it. With --alpha, levels are learned from levels\n"
        "unless --target and --input are given.\n"
        "\n"
        "--verbose and --json report, in the units of the targets, the norm of the fitted functional in the\n"
        "space of the kernel. They also report the effective dimension tr K (K + alpha I)^-1 (above 1024\n"
        "rows an estimate with its standard error) and the noise level. The noise level relates the\n"
        "residuals to the number of rows less the effective dimension. pcg has no effective dimension.\n"
        "\n"
        "With --feedback the inputs of row t are (x_t, W y_{t-1}), where y is standardised and 0 before the\n"
        "first row (NARX model). The model is fitted with measured outputs and predicts with its own\n"
        "outputs. Alpha is chosen by predictions one step ahead.\n"
        "\n"
        "Before the first row of a record, the inputs are constant (zero, or the values of --initial) and\n"
        "the state is stationary. A record that starts far from the mean of the inputs has no transient\n"
        "with --initial first. With --feedback, the output before the first row is then the first measured\n"
        "one, or the stationary output for the first input.\n"
        "\n"
        "With --loss or --weights the readout minimises the sum of the (weighted) losses and alpha / 2\n"
        "|f|^2, to a relative duality gap of --tolerance. Quantiles are separate outputs, NAME.q0.1, and\n"
        "never cross. For logistic and multinomial, Y is a column of classes and the outputs are their\n"
        "probabilities, NAME.CLASS. For poisson, the output is the mean of a count. delta and epsilon are\n"
        "in units of the targets. Without --alpha, alpha is chosen by the loss on the last third of the\n"
        "rows, at most 400.\n"
        "\n"
        "An exact fit stores and factors an n x n matrix. --solver nystrom fits M landmarks with sums over\n"
        "blocks of rows, for hundreds of thousands of rows; the model stores the landmarks and the rows\n"
        "before each run of them. --solver pcg finds the exact readout by conjugate gradients without the\n"
        "matrix, to a residual of --tolerance relative to the targets without their mean. Its\n"
        "preconditioner has n x M numbers. With --checkpoint FILE an interrupted fit is resumed by the same\n"
        "command with the same result; FILE is removed when the model is written.\n"
        "\n"
        "--landmarks auto tries 2048, 4096, ... landmarks while twice as many reduce the held-out RMSE by 1\n"
        "% or more. Limits are 65536, the rows, memory, and a minute for the next trial. The fit uses the\n"
        "least of the last number, its half, its quarter, ... whose error is within 1 % of that of the last\n"
        "number. For pcg the number minimises the estimated operations of the preconditioner and the\n"
        "iterations. The model equals that of a fit with this number.\n"
        "\n"
        "With --series each record has its own state, and with --ahead H it has H targets fewer than rows.\n"
        "New inputs continue the last record. They begin after the last row that has a target: with --ahead\n"
        "1, with the last row of X.\n",
    .examples =
        "  volterra fit --x lorenz.csv --kernel volterra:tau_coef=0.3,lambda_coef=0.3 \\\n"
        "               --alpha 1e-10 --washout 100 -o lorenz.safetensors\n"
        "  volterra fit --x u.csv --y y.csv --kernel rbf:window=20 --alpha 1e-4 -o rbf.safetensors\n"
        "  volterra fit --x data.csv:u --y data.csv:y --kernel 'fir + memory' --feedback -o narx.safetensors\n"
        "  volterra fit --x u.npy --y y.npy --solver nystrom --landmarks 4000 -o large.safetensors\n"
        "  volterra fit --x u.npy --y y.npy --solver pcg --alpha 1e-2 --checkpoint fit.ckpt -o x.safetensors\n"
        "  volterra fit --x load.csv --loss quantile:q=0.1/0.5/0.9 -o quantiles.safetensors\n"
        "  volterra fit --x runs.csv:u --y runs.csv:y --series runs.csv:run -o model.safetensors\n"
        "  volterra fit --x data.csv:z1..z5 --y 'data.csv:h*' --ahead 1 -o model.safetensors\n",
    .options = OPTION_TABLE(rows),
    .run = run_fit,
};
