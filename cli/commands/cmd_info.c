/* cli/commands/cmd_info.c: volterra info, what this build is and what it runs on. */
#include "args/command.h"
#include "terminal/quantities.h"
#include "terminal/results.h"
#include "volterra.h"

typedef struct info_arguments {
    common_arguments common;
} info_arguments;

static int run_info(int argc, char *const *argv)
{
    info_arguments arguments = {0};
    volt_build_info info;
    char bytes[QUANTITY_LENGTH];
    int failed = options_parse(&command_info.options, argc, argv, &arguments);
    if (failed)
        return failed;
    volt_build_info_get(&info);
    result_list *results = results_new(arguments.common.json);
    results_text(results, "version", "version", "%s", info.version);
    results_text(results, "compiler", "compiler", "%s", info.compiler);
    results_text(results, "cpu_flags", "CPU flags of the build", "%s", info.cpu_flags);
    results_text(results, "fast_loops", "fast loops", "%s", info.fast_loops);
    results_text(results, "blas", "BLAS", "%s", info.blas);
    results_count(results, "threads", "threads", info.threads);
    results_count(results, "memory", NULL, (int64_t)info.memory);
    results_text(results, NULL, "memory available", "%s",
                 info.memory ? format_bytes((double)info.memory, bytes) : "unknown");
    return results_print(results);
}

const cli_command command_info = {
    .name = "info",
    .summary = "version, compiler, BLAS, threads and memory of this program",
    .description = "Please send its output with a report of a fault.\n",
    .options = {NULL, 0},
    .run = run_info,
};
