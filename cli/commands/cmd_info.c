/* cli/commands/cmd_info.c: volterra info, build and hardware information. */
#include "args/command.h"
#include "terminal/messages.h"
#include "terminal/results.h"
#include "volterra.h"

typedef struct info_arguments {
    common_arguments common;
} info_arguments;

static void report_device(result_list *results, int64_t number, const volt_device_info *info)
{
    char memory[QUANTITY_LENGTH], available[QUANTITY_LENGTH];
    results_text(results, NULL, "GPU", "gpu:%lld: %s, %s of memory, %s available, driver %s", (long long)number,
                 info->name, format_bytes((double)info->memory, memory),
                 format_bytes((double)info->available, available), info->driver);
    result_list *inner = results_new(true);
    results_text(inner, "name", NULL, "%s", info->name);
    results_text(inner, "driver", NULL, "%s", info->driver);
    results_count(inner, "memory", NULL, (int64_t)info->memory);
    results_count(inner, "available", NULL, (int64_t)info->available);
    results_append(results, "gpus", inner);
}

/* Reports the GPUs, or why none is available. */
static void report_devices(result_list *results)
{
    volt_devices devices = {.struct_size = sizeof devices};
    if (volt_devices_get(&devices))
        return;
    results_text(results, "device", "device", "%s", devices.chosen);
    if (devices.count == 0) {
        results_text(results, "no_gpu", "GPU", "%s", devices.why);
        return;
    }
    results_text(results, "plugin", "plugin", "%s", devices.plugin);
    for (int64_t i = 0; i < devices.count; i++) {
        volt_device_info info = {.struct_size = sizeof info};
        if (volt_device_get_info(i, &info) == VOLT_OK)
            report_device(results, i, &info);
        else
            results_text(results, NULL, "GPU", "gpu:%lld: %s", (long long)i, volt_error_detail());
    }
}

static int run_info(int argc, char *const *argv)
{
    info_arguments arguments = {0};
    volt_build_info info = {.struct_size = sizeof info};
    char bytes[QUANTITY_LENGTH];
    int failed = options_parse(&command_info.options, argc, argv, &arguments);
    if (failed)
        return failed;
    volt_build_info_get(&info);
    result_list *results = results_new(arguments.common.json);
    results_text(results, "version", "version", "%s", info.version);
    results_text(results, "compiler", "compiler", "%s", info.compiler);
    results_text(results, "cpu_flags", "CPU flags", "%s", info.cpu_flags);
    results_text(results, "fast_loops", "SIMD loops", "%s", info.fast_loops);
    results_text(results, "blas", "BLAS", "%s", info.blas);
    results_count(results, "threads", NULL, info.threads);
    results_text(results, "threads_from", NULL, "%s", info.threads_from);
    results_text(results, NULL, "threads", "%lld (%s)", (long long)info.threads, info.threads_from);
    results_count(results, "memory", NULL, (int64_t)info.memory);
    results_text(results, NULL, "memory available", "%s",
                 info.memory ? format_bytes((double)info.memory, bytes) : "unknown");
    report_devices(results);
    return results_print(results);
}

const cli_command command_info = {
    .name = "info",
    .group = "Tools",
    .summary = "version, compiler, BLAS, threads, memory and GPUs of this program",
    .description =
        "Prints the kernel, alpha, solver, rows, inputs and outputs of a model file, or without one the\n"
        "version, compiler, BLAS, threads, memory and GPUs of this program. Include the output in bug\n"
        "reports.\n",
    .options = {NULL, 0},
    .run = run_info,
};
