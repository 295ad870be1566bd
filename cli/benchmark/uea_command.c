/* cli/benchmark/uea_command.c: volterra benchmark uea: the sets that are there, one after the other. */
#include "benchmark/benchmarks.h"
#include "benchmark/uea.h"
#include "terminal/messages.h"

#include <stdlib.h>

static int run_uea(const benchmark_arguments *arguments, const char *command_line)
{
    (void)command_line;
    uea_runs *runs = calloc(1, sizeof *runs);
    if (!runs)
        return complain(EXIT_FAILED, "not enough memory for the runs");
    uea_options options = {arguments->draws, arguments->budget, arguments->common.seed.value,
                           arguments->common.quiet};
    int failed = uea_find(runs, arguments->data, arguments->only);
    for (int r = 0; !failed && r < runs->count; r++)
        failed = uea_compute(&runs->runs[r], &options);
    if (!failed)
        failed = uea_print(runs, arguments->common.json);
    uea_release(runs);
    free(runs);
    return failed;
}

const benchmark benchmark_uea = {
    .name = "uea", .options = " data only draws budget ", .needs_data = true, .run = run_uea};
