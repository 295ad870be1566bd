/* cli/commands/cmd_info.c: volterra info, contents of a model file, or build and hardware information. */
#include "args/command.h"
#include "commands/model_report.h"
#include "files/outputs.h"
#include "search/search_report.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/results.h"
#include "volterra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct info_arguments {
    common_arguments common;
    const char *model;
} info_arguments;

#define ROW(...) OPTION(info_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("MODEL", NULL, model, "model file", .unset = "information about the program", .is_positional = true),
};

/* ---- a model ---------------------------------------------------------------------------------- */

/* Reports the number of inputs or outputs, and as many names as fit into a line. */
static void report_names(result_list *results, const char *key, const char *const *names, int64_t count)
{
    enum { LENGTH = 80 };
    char text[2 * LENGTH] = "";
    int used = 0;
    for (int64_t k = 0; names && k < count && used >= 0; k++) {
        const char *before = k == 0 ? ": " : ", ";
        if (used + strlen(before) + strlen(names[k]) > LENGTH) {
            used += snprintf(text + used, sizeof text - (size_t)used, "%s...", before);
            break;
        }
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s", before, names[k]);
    }
    results_text(results, NULL, key, "%lld%s", (long long)count, text);
    if (names)
        results_texts(results, key, (char *const *)names, count);
}

static void report_members(result_list *results, const volt_model_info *info)
{
    for (int64_t i = 0; i < info->n_members; i++) {
        volt_model_info member = {.struct_size = sizeof member};
        volt_model_get_info(info->members[i], &member);
        results_text(results, NULL, "member", "%g times %s", info->member_weights[i], member.kernel);
        result_list *inner = results_new(true);
        results_number(inner, "weight", NULL, info->member_weights[i]);
        results_text(inner, "kernel", NULL, "%s", member.kernel);
        if (member.n_members == 0)
            results_number(inner, "alpha", NULL, member.alpha);
        results_append(results, "members", inner);
    }
}

/* Reports kernel, readout and targets of a model that is not a sum. */
static void report_readout(result_list *results, const volt_model_info *info)
{
    char form[FORM_LENGTH];
    results_text(results, "kernel", "kernel", "%s", info->kernel);
    report_facts(results, info->facts);
    results_numbers(results, "alpha", info->alphas, info->q);
    if (info->q == 1)
        results_text(results, NULL, "alpha", "%s", parameter_digits(info->alphas[0]).text);
    else
        report_range(results, "alpha", info->alphas, info->q);
    results_text(results, "target", NULL, "%s", target_words(info));
    results_fields(results, volt_model_info, info,
                   "input season landmarks intercept scaled scale_each keeps_factor");
    results_text(results, NULL, "target", "%s",
                 form_words(target_words(info), info->input, info->season, form));
    if (info->landmarks > 0)
        results_text(results, NULL, "solver", "nystrom, %lld landmarks", (long long)info->landmarks);
    else
        results_text(results, NULL, "solver", "exact");
    results_count(results, "washout", info->washout > 0 ? "washout" : NULL, info->washout);
    report_initial(results, info);
}

/* Reports the root mean squared error of the training rows, if the file has it. */
static int report_errors(result_list *results, const volt_model *model, int64_t q)
{
    int64_t count = volt_model_errors_read(model, (volt_matrix){0});
    volt_matrix errors = {0};
    if (count == 0)
        return 0;
    int failed = allocate_matrix(count + 1, q, "the errors of the model", &errors);
    if (failed)
        return failed;
    double *rmse = errors.data + count * errors.ld;
    volt_model_errors_read(model, (volt_matrix){errors.data, count, q, errors.ld});
    for (int64_t k = 0; k < q; k++) {
        double squares = 0;
        int64_t known = 0;
        for (int64_t t = 0; t < count; t++) {
            double error = errors.data[t * errors.ld + k];
            known += isfinite(error) != 0;
            squares += isfinite(error) ? error * error : 0;
        }
        rmse[k] = known > 0 ? sqrt(squares / (double)known) : NAN;
    }
    results_numbers(results, "rmse", rmse, q);
    report_range(results, "training RMSE", rmse, q);
    free(errors.data);
    return 0;
}

static void report_notes(result_list *results, const volt_model_notes *notes)
{
    const struct {
        const char *key, *label, *text;
    } lines[] = {
        {"time_end", "last training row", notes->time_end},
        {"time_step", "time step", notes->time_step},
        {"horizons", "horizons", notes->horizons},
        {"calendar", "calendar", notes->calendar},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines[i].text)
            results_text(results, lines[i].key, lines[i].label, "%s", lines[i].text);
}

static int report_model(const info_arguments *arguments, const volt_model *model)
{
    struct stat about;
    char size[QUANTITY_LENGTH];
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    const char *kind = info.n_members == 0                 ? info.n_classes > 0 ? "classifier" : "regression"
                       : info.sum_kind == VOLT_SUM_AVERAGE ? "average of models"
                                                           : "sum of models of residuals";
    result_list *results = results_new(arguments->common.json);
    results_text(results, "model", "model", "%s", arguments->model);
    results_text(results, "kind", "kind", "%s", kind);
    results_fields(results, volt_model_info, &info, "library d q feedback feedback_weight");
    results_text(results, NULL, "written by", "volterra %s", info.library);
    if (!is_standard_output(arguments->model) && stat(arguments->model, &about) == 0) {
        results_count(results, "bytes", NULL, about.st_size);
        results_text(results, NULL, "size", "%s", format_bytes((double)about.st_size, size));
    }
    results_count(results, "rows", "training rows", info.n);
    if (info.records)
        results_count(results, "records", "records", info.n_records);
    report_names(results, "inputs", info.input_names, info.d);
    report_names(results, "outputs", info.output_names, info.q);
    results_count(results, "ahead", info.ahead > 0 ? "steps ahead" : NULL, info.ahead);
    if (info.n_members > 0)
        report_members(results, &info);
    else
        report_readout(results, &info);
    if (info.loss)
        results_text(results, "loss", "loss", "%s", info.loss);
    if (info.n_classes > 0)
        report_names(results, "classes", info.classes, info.n_classes);
    if (info.feedback_weight > 0)
        results_text(results, NULL, "feedback", "outputs of the previous row, weight %s",
                     parameter_digits(info.feedback_weight).text);
    else if (info.feedback)
        results_text(results, NULL, "feedback",
                     "the outputs are the inputs one step later (volterra continue)");
    report_notes(results, &info.notes);
    int failed = report_errors(results, model, info.q);
    if (failed) {
        results_discard(results);
        return failed;
    }
    return results_print(results);
}

/* ---- the program ------------------------------------------------------------------------------ */

static void report_device(result_list *results, int64_t number, const volt_device_info *info)
{
    char memory[QUANTITY_LENGTH], available[QUANTITY_LENGTH];
    results_text(results, NULL, "GPU", "gpu:%lld: %s, %s of memory, %s available, driver %s", (long long)number,
                 info->name, format_bytes((double)info->memory, memory),
                 format_bytes((double)info->available, available), info->driver);
    results_append_struct(results, "gpus", volt_device_info, info);
}

/* Reports the GPUs, or why none is available. */
static void report_devices(result_list *results)
{
    volt_devices devices = {.struct_size = sizeof devices};
    if (volt_devices_get(&devices, 0, NULL))
        return;
    results_text(results, "device", "device", "%s", devices.chosen);
    if (devices.count == 0) {
        results_text(results, "no_gpu", "GPU", "%s", devices.why);
        return;
    }
    results_text(results, "plugin", "plugin", "%s", devices.plugin);
    for (int64_t i = 0; i < devices.count; i++) {
        volt_device_info info = {.struct_size = sizeof info};
        if (volt_devices_get(&devices, i, &info) == VOLT_OK)
            report_device(results, i, &info);
        else
            results_text(results, NULL, "GPU", "gpu:%lld: %s", (long long)i, volt_error_detail());
    }
}

static int report_program(const info_arguments *arguments)
{
    volt_build_info info = {.struct_size = sizeof info};
    char bytes[QUANTITY_LENGTH];
    volt_build_info_get(&info);
    result_list *results = results_new(arguments->common.json);
    results_text(results, "version", "version", "%s", info.version);
    results_text(results, "compiler", "compiler", "%s", info.compiler);
    results_text(results, "cpu_flags", "CPU flags", "%s", info.cpu_flags);
    results_text(results, "fast_loops", "SIMD loops", "%s", info.fast_loops);
    results_text(results, "blas", "BLAS", "%s", info.blas);
    results_fields(results, volt_build_info, &info, "threads threads_from memory");
    results_text(results, NULL, "threads", "%lld (%s)", (long long)info.threads, info.threads_from);
    results_text(results, NULL, "memory available", "%s",
                 info.memory ? format_bytes((double)info.memory, bytes) : "unknown");
    report_devices(results);
    return results_print(results);
}

static int run_info(int argc, char *const *argv)
{
    info_arguments arguments = {0};
    volt_model *model = NULL;
    int failed = options_parse(&command_info.options, argc, argv, &arguments);
    if (failed || !arguments.model)
        return failed ? failed : report_program(&arguments);
    failed = model_read(arguments.model, &model);
    if (!failed)
        failed = report_model(&arguments, model);
    volt_model_free(model);
    return failed;
}

const cli_command command_info = {
    .name = "info",
    .group = "Tools",
    .summary = "contents of a model file, or version, BLAS, threads, memory and GPUs of this program",
    .description =
        "Prints kernel, alpha, solver, training rows, inputs and outputs of a model file, and the version of\n"
        "the program that wrote it. Without a file it describes this program, for bug reports.\n"
        "\n"
        "The training RMSE is the error of the training rows, each predicted from the rows before it; with\n"
        "landmarks, of the last rows. Models fitted with a loss or by an older version have none.\n",
    .examples = "  volterra info\n"
                "  volterra info model.safetensors\n",
    .options = OPTION_TABLE(rows),
    .run = run_info,
};
