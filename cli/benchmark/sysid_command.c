/* cli/benchmark/sysid_command.c: volterra benchmark sysid: what was asked, the runs, their report. */
#include "benchmark/benchmarks.h"
#include "benchmark/sysid_report.h"
#include "terminal/messages.h"

#include <stdlib.h>

static const double default_budget = 300;

static int check(const benchmark_arguments *arguments)
{
    if (arguments->only && arguments->preset)
        return complain(EXIT_USAGE, "--only and --preset do not go together: a preset is of one set");
    if (arguments->again && arguments->preset)
        return complain(EXIT_USAGE,
                        "--again and --preset do not go together: one searches, the other need not");
    if (arguments->warm_up > SYSID_WARM_UP)
        return complain(EXIT_USAGE, "--warm-up must be at most %d, the rows that are not scored, and not %lld",
                        SYSID_WARM_UP, (long long)arguments->warm_up);
    if (!arguments->again && (arguments->budget > 0 || arguments->draws > 0))
        return complain(EXIT_USAGE, "--%s is for the search: give --again with it",
                        arguments->budget > 0 ? "budget" : "draws");
    return 0;
}

/* The sets and settings that are run, into runs->runs. */
static int choose_runs(const benchmark_arguments *arguments, sysid_runs *runs)
{
    bool chosen[8] = {false};
    name_list presets = sysid_preset_names(), sets = sysid_set_names();
    const sysid_setting *setting = NULL;
    int failed = 0;
    if (arguments->preset) {
        int found = names_find(&presets, arguments->preset);
        if (found < 0)
            return benchmark_unknown("preset", arguments->preset, &presets);
        setting = &sysid_presets[found];
        failed = benchmark_choose_sets(setting->set, &sets, chosen);
    } else {
        failed = benchmark_choose_sets(arguments->only, &sets, chosen);
    }
    for (int i = 0; !failed && i < n_sysid_sets; i++)
        if (chosen[i]) {
            sysid_run *run = &runs->runs[runs->count++];
            run->set = &sysid_sets[i];
            run->setting = setting ? *setting : *sysid_preset_of(run->set);
            run->warm_up = arguments->warm_up;
            if (arguments->rows > 0 && arguments->rows < run->setting.rows)
                run->setting.rows = arguments->rows;
        }
    return failed;
}

/* ---- runs ------------------------------------------------------------------------------------- */

static int run_one(sysid_run *run, const benchmark_arguments *arguments)
{
    int failed = 0;
    if (arguments->again) {
        sysid_search_options options = {.seconds = arguments->budget,
                                        .draws = arguments->draws,
                                        .seed = arguments->common.seed.value,
                                        .quiet = arguments->common.quiet};
        if (options.seconds <= 0 && options.draws <= 0)
            options.seconds = default_budget;
        failed = sysid_search(run, &options);
    }
    return failed ? failed : sysid_fit_and_simulate(run, arguments->common.quiet);
}

static int run_all(const benchmark_arguments *arguments, sysid_runs *runs)
{
    int failed = choose_runs(arguments, runs);
    if (!failed && arguments->output)
        failed = sysid_check_files(runs, arguments->output);
    /* All files first: a missing one is found before the work on another. */
    for (int r = 0; !failed && r < runs->count; r++)
        failed = sysid_read(&runs->runs[r].data, runs->runs[r].set, arguments->data);
    for (int r = 0; !failed && r < runs->count; r++)
        failed = run_one(&runs->runs[r], arguments);
    if (!failed && arguments->output)
        failed = sysid_write_files(runs, arguments->output);
    return failed ? failed : sysid_print(runs, arguments->common.json);
}

static int run_sysid(const benchmark_arguments *arguments, const char *command_line)
{
    int failed = check(arguments);
    if (failed)
        return failed;
    sysid_runs runs = {.runs = calloc((size_t)n_sysid_sets, sizeof *runs.runs), .command = command_line};
    failed = runs.runs ? run_all(arguments, &runs) : complain(EXIT_FAILED, "not enough memory for the runs");
    for (int r = 0; r < runs.count; r++)
        sysid_release(&runs.runs[r]);
    free(runs.runs);
    return failed;
}

const benchmark benchmark_sysid = {.name = "sysid",
                                   .options = " data only preset rows warm-up again budget draws output ",
                                   .needs_data = true,
                                   .sets = sysid_set_names,
                                   .run = run_sysid};
