/* cli/commands/cmd_info.c: volterra info, what this build is and what it runs on. */
#include "args/command.h"
#include "terminal/report.h"
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
    cli_report *report = report_new(arguments.common.json);
    report_text(report, "version", "version", "%s", info.version);
    report_text(report, "compiler", "compiler", "%s", info.compiler);
    report_text(report, "cpu_flags", "CPU flags of the build", "%s", info.cpu_flags);
    report_text(report, "fast_loops", "fast loops", "%s", info.fast_loops);
    report_text(report, "blas", "BLAS", "%s", info.blas);
    report_count(report, "threads", "threads", info.threads);
    report_count(report, "memory", NULL, (int64_t)info.memory);
    report_text(report, NULL, "memory available", "%s",
                info.memory ? format_bytes((double)info.memory, bytes) : "unknown");
    return report_print(report);
}

const cli_command command_info = {
    .name = "info",
    .summary = "version, compiler, BLAS, threads and memory of this program",
    .description = "Please send its output with a report of a fault.\n",
    .options = {NULL, 0},
    .run = run_info,
};
