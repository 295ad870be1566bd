/* cli/benchmark/chaos_command.c: volterra benchmark chaos: the systems that were asked for, one after the other. */
#include "benchmark/benchmarks.h"
#include "benchmark/chaos.h"
#include "terminal/messages.h"

enum { DEFAULT_ROWS = 1000, FEWEST_ROWS = 50, MOST_ROWS = 20000, MOST_STARTS = 10000 };

static int run_chaos(const benchmark_arguments *arguments, const char *command_line)
{
    (void)command_line;
    chaos_run runs[MOST_NAMES] = {{0}};
    bool chosen[MOST_NAMES] = {false};
    name_list names = chaos_system_names();
    int count = 0, failed = benchmark_choose_sets(arguments->only, &names, chosen);
    if (!failed && arguments->rows && (arguments->rows < FEWEST_ROWS || arguments->rows > MOST_ROWS))
        failed = complain(EXIT_USAGE, "--rows must lie between %d and %d for chaos, and is %lld", FEWEST_ROWS,
                          MOST_ROWS, (long long)arguments->rows);
    if (!failed && arguments->starts > MOST_STARTS)
        failed = complain(EXIT_USAGE, "--starts must be at most %d, and is %lld", MOST_STARTS,
                          (long long)arguments->starts);
    for (int i = 0; !failed && i < n_chaos_systems; i++) {
        if (!chosen[i])
            continue;
        chaos_run *run = &runs[count++];
        run->system = &chaos_systems[i];
        run->rows = arguments->rows ? arguments->rows : DEFAULT_ROWS;
        run->starts = arguments->starts;
        failed = chaos_compute(run, arguments->common.seed.value, arguments->common.quiet);
    }
    if (!failed)
        failed = chaos_print(runs, count, arguments->common.json);
    for (int r = 0; r < count; r++)
        chaos_release(&runs[r]);
    return failed;
}

const benchmark benchmark_chaos = {
    .name = "chaos", .options = " only rows starts ", .sets = chaos_system_names, .run = run_chaos};
