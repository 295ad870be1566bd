/* cli/commands/cmd_export.c: volterra export, a model as C source code or JSON. */
#include "args/choices.h"
#include "args/command.h"
#include "commands/bands.h"
#include "commands/prediction.h"
#include "files/outputs.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"
#include "volterra.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct export_arguments {
    common_arguments common;
    const char *model, *output, *name;
    int format, single;
    int64_t landmarks;
    number_list coverages;
} export_arguments;

static const choice format_choices[] = {
    {"c", VOLT_EXPORT_C, NULL},
    {"json", VOLT_EXPORT_JSON, NULL},
    {NULL, 0, NULL},
};

static const choice precision_choices[] = {
    {"double", 0, NULL},
    {"single", 1, NULL},
    {NULL, 0, NULL},
};

#define ROW(...) OPTION(export_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("MODEL", NULL, model, "model file", .required = true, .is_positional = true),
    ROW("format", NULL, format, "C99 source file and header, or all numbers as JSON", .choices = format_choices,
        .fallback = "c"),
    ROW("precision", NULL, single, "type of the numbers in C", .choices = precision_choices,
        .fallback = "double"),
    ROW("landmarks", "M", landmarks, "number of training rows that approximate the model", .range = AT_LEAST(1),
        .unset = "all rows"),
    INTERVAL_OPTION(
        export_arguments, coverages,
        "prediction intervals of this coverage; their widths are from the training errors and do not change"),
    ROW("name", "NAME", name, "prefix of the functions and types in C", .unset = "name of the output file"),
    ROW("output", "FILE", output, "file NAME.c, to which NAME.h is added, or a JSON file", .letter = 'o',
        .required = true),
};

/* The header next to NAME.c; the caller frees it. */
static char *header_path(const export_arguments *arguments)
{
    size_t length = strlen(arguments->output);
    char *path = malloc(length + 1);
    if (path) {
        memcpy(path, arguments->output, length + 1);
        if (length > 0)
            path[length - 1] = 'h';
    }
    return path;
}

static int check_header(const export_arguments *arguments)
{
    char *path = header_path(arguments);
    if (!path)
        return complain(EXIT_FAILED, "not enough memory for the name of the header");
    int failed = output_check(path);
    if (!failed)
        failed = output_check_against(path, arguments->model);
    free(path);
    return failed;
}

static int check(const export_arguments *arguments)
{
    size_t length = strlen(arguments->output);
    bool is_c = arguments->format == VOLT_EXPORT_C;
    if (is_c && (length < 3 || strcmp(arguments->output + length - 2, ".c") != 0))
        return complain(EXIT_USAGE, "--output must end in .c (got %s); for JSON use --format json",
                        arguments->output);
    if (!is_c && (arguments->single || arguments->name))
        return complain(EXIT_USAGE, "%s applies to --format c", arguments->single ? "--precision" : "--name");
    int failed = bands_check(&arguments->coverages);
    if (!failed)
        failed = output_check(arguments->output);
    if (!failed)
        failed = output_check_against(arguments->output, arguments->model);
    return failed || !is_c ? failed : check_header(arguments);
}

static int print_summary(const export_arguments *arguments, const volt_export_report *report)
{
    result_list *results = results_new(arguments->common.json);
    bool is_c = arguments->format == VOLT_EXPORT_C;
    results_text(results, "file", "file", "%s", arguments->output);
    if (is_c)
        results_text(results, "header", "header", "%.*sh", (int)strlen(arguments->output) - 1,
                     arguments->output);
    if (report->parts > 1)
        results_count(results, "models", "models", report->parts);
    if (report->rows > 0)
        results_count(results, "rows", "rows", report->rows);
    if (arguments->landmarks > 0) {
        results_text(results, NULL, "added error", "%s of the deviation of the predictions (training rows)",
                     digits(report->landmark_error).text);
        results_number(results, "landmark_error", NULL, report->landmark_error);
    }
    if (is_c) {
        results_text(results, "precision", "precision", "%s", arguments->single ? "single" : "double");
        results_text(results, NULL, "state", "%lld bytes", (long long)report->state_bytes);
        results_text(results, NULL, "constants", "%lld bytes", (long long)report->constant_bytes);
        results_text(results, NULL, "step", "about %.0f operations, %.0f calls of math.h", report->operations,
                     report->calls);
        results_fields(results, volt_export_report, report, "state_bytes constant_bytes operations calls");
    }
    return results_print(results);
}

static int export_model(const export_arguments *arguments)
{
    volt_model *model = NULL;
    volt_export_report report = {.struct_size = sizeof report};
    int failed = model_read(arguments->model, &model);
    if (failed)
        return failed;
    volt_export_options options = {.struct_size = sizeof options,
                                   .format = (volt_export_format)arguments->format,
                                   .single = arguments->single,
                                   .name = arguments->name,
                                   .landmarks = arguments->landmarks,
                                   .coverages = arguments->coverages.values,
                                   .n_coverages = arguments->coverages.count};
    options.progress = progress_begin(arguments->common.quiet);
    volt_status status = volt_model_export(model, &options, arguments->output, &report);
    progress_end();
    failed = status ? complain_status(status) : 0;
    volt_model_free(model);
    return failed || is_standard_output(arguments->output) ? failed : print_summary(arguments, &report);
}

static int run_export(int argc, char *const *argv)
{
    export_arguments arguments = {0};
    int failed = options_parse(&command_export.options, argc, argv, &arguments);
    if (!failed)
        failed = check(&arguments);
    return failed ? failed : export_model(&arguments);
}

const cli_command command_export = {
    .name = "export",
    .group = "Models",
    .summary = "write a model as C source code for other machines, or as JSON",
    .description =
        "The source is C99 with all tables and a step function. It needs math.h and float.h, allocates\n"
        "nothing, and predicts as stream does, with inputs outside the training range clipped.\n"
        "\n"
        "-o pump.c also writes pump.h with the functions\n"
        "\n"
        "  pump_reset     initial state of a new sequence\n"
        "  pump_continue  state after the last training row\n"
        "  pump_step      next row of inputs, and its predictions\n"
        "  pump_feed      measured outputs, fed back in place of the predictions (models with --feedback)\n"
        "  pump_interval  ends of an interval (with --interval)\n"
        "\n"
        "--landmarks M approximates a model of many rows and reports the error that this adds on the\n"
        "training rows. Kernels between paths (gak, sig, sigpde) are not supported.\n",
    .examples = "  volterra export model.safetensors -o model.c\n"
                "  volterra export model.safetensors --precision single --landmarks 64 -o model.c\n"
                "  volterra export model.safetensors --format json -o model.json\n",
    .options = OPTION_TABLE(rows),
    .run = run_export,
};
