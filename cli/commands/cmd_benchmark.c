/* cli/commands/cmd_benchmark.c: volterra benchmark, the published tables on measured data. */
#include "args/command.h"
#include "args/shell_words.h"
#include "benchmark/sysid_report.h"
#include "terminal/messages.h"

#include <stdlib.h>
#include <string.h>

typedef struct benchmark_arguments {
    common_arguments common;
    const char *name, *data, *only, *preset, *output;
    int64_t rows, draws, warm_up;
    double budget;
    bool again;
} benchmark_arguments;

static const double default_budget = 300;

static const option rows[] = {
    {.name = "NAME",
     .kind = OPTION_POSITIONAL,
     .required = true,
     .offset = offsetof(benchmark_arguments, name),
     .meaning = "the benchmark: sysid"},
    {.name = "data",
     .kind = OPTION_TEXT,
     .required = true,
     .argument = "FOLDER",
     .offset = offsetof(benchmark_arguments, data),
     .meaning = "the folder with the published files"},
    {.name = "only",
     .kind = OPTION_TEXT,
     .argument = "SETS",
     .offset = offsetof(benchmark_arguments, only),
     .names = sysid_set_names,
     .meaning = "run these alone, with commas between: {names} (default: all)"},
    {.name = "preset",
     .kind = OPTION_TEXT,
     .argument = "NAME",
     .offset = offsetof(benchmark_arguments, preset),
     .names = sysid_preset_names,
     .meaning = "run this setting alone: {names}"},
    {.name = "rows",
     .kind = OPTION_COUNT,
     .least = 2,
     .argument = "N",
     .offset = offsetof(benchmark_arguments, rows),
     .meaning = "fit on the first N rows behind the washout of a setting (default: all of its rows)"},
    {.name = "warm-up",
     .kind = OPTION_COUNT,
     .fallback = DIGITS(SYSID_WARM_UP),
     .argument = "N",
     .offset = offsetof(benchmark_arguments, warm_up),
     .meaning =
         "rows of a test whose measured outputs set the state of a model with feedback, at most 50, which are "
         "not scored; 0: none"},
    {.name = "again",
     .kind = OPTION_FLAG,
     .offset = offsetof(benchmark_arguments, again),
     .meaning = "search the settings again on training rows, in place of those that are built in"},
    {.name = "budget",
     .kind = OPTION_DURATION,
     .argument = "TIME",
     .offset = offsetof(benchmark_arguments, budget),
     .meaning = "with --again, time for the search of each set: 90s, 5min, 1h (default 5min, without --draws)"},
    {.name = "draws",
     .kind = OPTION_COUNT,
     .least = 1,
     .argument = "N",
     .offset = offsetof(benchmark_arguments, draws),
     .meaning = "with --again, try N draws for each set at most"},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .argument = "PREFIX",
     .offset = offsetof(benchmark_arguments, output),
     .meaning =
         "write PREFIX.html with tables and pictures, and PREFIX-SET-TEST.csv and .svg of every simulation"},
};

/* ---- what was asked --------------------------------------------------------------------------- */

static int complain_unknown(const char *what, const char *word, const name_list *names)
{
    char text[256];
    return complain(EXIT_USAGE, "there is no %s '%s' (there are %s)", what, word,
                    names_join(names, ", ", " and ", text, sizeof text));
}

/* Mark the sets in a list such as "wh,tanks". */
static int choose_sets(const char *list, bool *chosen)
{
    name_list names = sysid_set_names();
    if (!list) {
        for (int i = 0; i < n_sysid_sets; i++)
            chosen[i] = true;
        return 0;
    }
    for (const char *at = list;; at++) {
        char word[64];
        size_t length = strcspn(at, ",");
        if (length >= sizeof word)
            return complain_unknown("set", at, &names);
        memcpy(word, at, length);
        word[length] = '\0';
        int found = names_find(&names, word);
        if (found < 0)
            return complain_unknown("set", word, &names);
        chosen[found] = true;
        at += length;
        if (!*at)
            return 0;
    }
}

static int check(const benchmark_arguments *arguments)
{
    if (strcmp(arguments->name, "sysid") != 0)
        return complain(EXIT_USAGE, "there is no benchmark '%s' (there is sysid)", arguments->name);
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
    name_list presets = sysid_preset_names();
    const sysid_setting *setting = NULL;
    int failed = 0;
    if (arguments->preset) {
        int found = names_find(&presets, arguments->preset);
        if (found < 0)
            return complain_unknown("preset", arguments->preset, &presets);
        setting = &sysid_presets[found];
        failed = choose_sets(setting->set, chosen);
    } else {
        failed = choose_sets(arguments->only, chosen);
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

/* ---- the command ------------------------------------------------------------------------------ */

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

static int run_sysid(const benchmark_arguments *arguments, sysid_runs *runs)
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

static char *command_line(int argc, char *const *argv)
{
    shell_words words = {0};
    shell_words_add(&words, "volterra", "benchmark");
    for (int i = 0; i < argc; i++)
        shell_words_add(&words, argv[i], NULL);
    return shell_words_take(&words);
}

static int run_benchmark(int argc, char *const *argv)
{
    benchmark_arguments arguments = {0};
    int failed = options_parse(&command_benchmark.options, argc, argv, &arguments);
    if (!failed)
        failed = check(&arguments);
    if (failed)
        return failed;
    char *command = command_line(argc, argv);
    sysid_runs runs = {.runs = calloc((size_t)n_sysid_sets, sizeof *runs.runs), .command = command};
    failed = runs.runs && command ? run_sysid(&arguments, &runs)
                                  : complain(EXIT_FAILED, "not enough memory for the runs");
    for (int r = 0; r < runs.count; r++)
        sysid_release(&runs.runs[r]);
    free(runs.runs);
    free(command);
    return failed;
}

const cli_command command_benchmark = {
    .name = "benchmark",
    .summary = "the published tables of system identification on measured data",
    .description =
        "sysid: three measured systems, from their published files in FOLDER (CSV, or the original MAT\n"
        "files under their published names), with the official splits:\n"
        "  wh         Wiener-Hammerstein 2009   wiener_hammerstein.csv or WienerHammerBenchMark.mat\n"
        "  silverbox  Silverbox, three tests    silverbox_snls80mv.csv or SNLS80mV.mat\n"
        "  tanks      Cascaded Tanks            cascaded_tanks.csv or dataBenchmark.mat\n"
        "Every test is simulated: the model sees the inputs alone, from a zero past on; where outputs are\n"
        "fed back, the first 50 measured ones set its state, as the protocol allows (--warm-up 0: none do).\n"
        "The root of the mean squared error after the first 50 rows (tanks: also after 5) stands beside the\n"
        "figures that others have published.\n"
        "\n"
        "The settings that are built in were found by long searches on training rows; --again searches\n"
        "for --budget, on training rows too, and fits what it finds. The commands that do the same by hand\n"
        "(fit, predict, score) are printed below the table.\n",
    .examples = "  volterra benchmark sysid --data sysid -o table\n"
                "  volterra benchmark sysid --data sysid --only wh,tanks --json\n"
                "  volterra benchmark sysid --data sysid --preset tanks-1\n"
                "  volterra benchmark sysid --data sysid --only wh --again --budget 5min\n",
    .options = OPTION_TABLE(rows),
    .run = run_benchmark,
};
