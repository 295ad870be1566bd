/* cli/benchmark/uea_command.c: volterra benchmark uea: the sets that are there, one after the other. */
#include "benchmark/benchmarks.h"
#include "benchmark/uea.h"
#include "terminal/messages.h"

#include <stdlib.h>

const choice uea_task_choices[] = {
    {"classify", UEA_CLASSIFY, NULL},
    {"anomaly", UEA_ANOMALY, NULL},
    {NULL, 0, NULL},
};

static int classify_sets(uea_runs *runs, const uea_options *options, bool json)
{
    int failed = 0;
    for (int r = 0; !failed && r < runs->count; r++)
        failed = uea_compute(&runs->runs[r], options);
    return failed ? failed : uea_print(runs, json);
}

static int find_novelties(const uea_runs *runs, const uea_options *options, bool json)
{
    uea_novelties *found = calloc((size_t)runs->count, sizeof *found);
    int failed = found ? 0 : complain(EXIT_FAILED, "not enough memory for the runs");
    for (int r = 0; !failed && r < runs->count; r++)
        failed = uea_find_novelties(&runs->runs[r], options, &found[r]);
    if (!failed)
        failed = uea_print_novelties(runs, found, json);
    free(found);
    return failed;
}

static int run_uea(const benchmark_arguments *arguments, const char *command_line)
{
    (void)command_line;
    if (arguments->task == UEA_ANOMALY && arguments->budget > 0)
        return complain(EXIT_USAGE, "--budget does not go with --task anomaly: see --draws");
    uea_runs *runs = calloc(1, sizeof *runs);
    if (!runs)
        return complain(EXIT_FAILED, "not enough memory for the runs");
    uea_options options = {arguments->kernel, arguments->draws, arguments->budget, arguments->common.seed.value,
                           arguments->common.quiet};
    int failed = uea_find(runs, arguments->data, arguments->only);
    if (!failed)
        failed = arguments->task == UEA_ANOMALY ? find_novelties(runs, &options, arguments->common.json)
                                                : classify_sets(runs, &options, arguments->common.json);
    uea_release(runs);
    free(runs);
    return failed;
}

const benchmark benchmark_uea = {
    .name = "uea", .options = " data only task kernel draws budget ", .needs_data = true, .run = run_uea};
