/* cli/commands/cmd_benchmark.c: volterra benchmark, the published tables: measured systems, chaotic ones, series in classes. */
#include "args/command.h"
#include "args/shell_words.h"
#include "benchmark/benchmarks.h"
#include "benchmark/sysid.h"
#include "terminal/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const benchmark *const benchmarks[] = {&benchmark_sysid, &benchmark_chaos, &benchmark_uea};
enum { N_BENCHMARKS = sizeof benchmarks / sizeof benchmarks[0] };

static name_list benchmark_names(void)
{
    name_list list = {0};
    for (int i = 0; i < N_BENCHMARKS; i++)
        names_add(&list, benchmarks[i]->name);
    return list;
}

/* Of all benchmarks. */
static name_list set_names(void)
{
    name_list list = {0};
    for (int i = 0; i < N_BENCHMARKS; i++) {
        name_list own = {0};
        if (benchmarks[i]->sets)
            own = benchmarks[i]->sets();
        for (int k = 0; k < own.count; k++)
            names_add(&list, own.names[k]);
    }
    return list;
}

static const option rows[] = {
    {.name = "NAME",
     .kind = OPTION_POSITIONAL,
     .required = true,
     .offset = offsetof(benchmark_arguments, name),
     .names = benchmark_names,
     .meaning = "the benchmark: {names or}"},
    {.name = "data",
     .kind = OPTION_TEXT,
     .argument = "FOLDER",
     .offset = offsetof(benchmark_arguments, data),
     .meaning = "sysid, uea: the folder with the published files, which must be given"},
    {.name = "only",
     .kind = OPTION_TEXT,
     .argument = "SETS",
     .offset = offsetof(benchmark_arguments, only),
     .names = set_names,
     .meaning = "run these alone, with commas between: {names}, folders of uea (default: all)"},
    {.name = "task",
     .kind = OPTION_CHOICE,
     .choices = uea_task_choices,
     .fallback = "classify",
     .offset = offsetof(benchmark_arguments, task),
     .meaning = "uea: the classes of test series, or those that are unlike one class"},
    {.name = "kernel",
     .kind = OPTION_TEXT,
     .argument = "K",
     .offset = offsetof(benchmark_arguments, kernel),
     .meaning = "uea: this kernel in place of those of the task"},
    {.name = "preset",
     .kind = OPTION_TEXT,
     .argument = "NAME",
     .offset = offsetof(benchmark_arguments, preset),
     .names = sysid_preset_names,
     .meaning = "sysid: run this setting alone: {names}"},
    {.name = "rows",
     .kind = OPTION_COUNT,
     .least = 2,
     .argument = "N",
     .offset = offsetof(benchmark_arguments, rows),
     .meaning = "sysid: fit on the first N rows behind the washout of a setting (default: all of its rows); "
                "chaos: learn from N rows "
                "(default: 1000)"},
    {.name = "starts",
     .kind = OPTION_COUNT,
     .least = 1,
     .fallback = "20",
     .argument = "N",
     .offset = offsetof(benchmark_arguments, starts),
     .meaning = "chaos: starting points that the figures are of, each with rows of its own to learn from"},
    {.name = "warm-up",
     .kind = OPTION_COUNT,
     .fallback = DIGITS(SYSID_WARM_UP),
     .argument = "N",
     .offset = offsetof(benchmark_arguments, warm_up),
     .meaning = "sysid: rows of a test whose measured outputs set the state of a model with feedback, at most "
                "50, which are "
                "not scored; 0: none"},
    {.name = "again",
     .kind = OPTION_FLAG,
     .offset = offsetof(benchmark_arguments, again),
     .meaning = "sysid: search the settings again on training rows, in place of those that are built in"},
    {.name = "budget",
     .kind = OPTION_DURATION,
     .argument = "TIME",
     .offset = offsetof(benchmark_arguments, budget),
     .meaning = "sysid with --again, uea: time for the search of each set: 90s, 5min, 1h (default of sysid "
                "without --draws: 5min)"},
    {.name = "draws",
     .kind = OPTION_COUNT,
     .least = 1,
     .argument = "N",
     .offset = offsetof(benchmark_arguments, draws),
     .meaning = "sysid with --again, uea: try N draws for each set at most (default of uea: 60, of --task "
                "anomaly: 20)"},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .argument = "PREFIX",
     .offset = offsetof(benchmark_arguments, output),
     .meaning = "sysid: write PREFIX.html with tables and pictures, and PREFIX-SET-TEST.csv and .svg of every "
                "simulation"},
};

/* ---- the table -------------------------------------------------------------------------------- */

int benchmark_unknown(const char *what, const char *word, const name_list *names)
{
    char text[256];
    return complain(EXIT_USAGE, "there is no %s '%s' (there are %s)", what, word,
                    names_join(names, ", ", " and ", text, sizeof text));
}

int benchmark_choose_sets(const char *list, const name_list *names, bool *chosen)
{
    for (int i = 0; !list && i < names->count; i++)
        chosen[i] = true;
    for (const char *at = list; at; at++) {
        char word[64];
        size_t length = strcspn(at, ",");
        if (length >= sizeof word)
            return benchmark_unknown("set", at, names);
        memcpy(word, at, length);
        word[length] = '\0';
        int found = names_find(names, word);
        if (found < 0)
            return benchmark_unknown("set", word, names);
        chosen[found] = true;
        at += length;
        if (!*at)
            break;
    }
    return 0;
}

/* Does the option stand on the command line? */
static bool is_given(const option *row, int argc, char *const *argv)
{
    size_t length = strlen(row->name);
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (row->letter && word[0] == '-' && word[1] == row->letter)
            return true;
        if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, row->name, length) == 0 &&
            (word[2 + length] == '\0' || word[2 + length] == '='))
            return true;
    }
    return false;
}

/* Options that the benchmark does not know, and the one that it needs. */
static int check_options(const benchmark *chosen, const benchmark_arguments *arguments, int argc,
                         char *const *argv)
{
    const option_table *table = &command_benchmark.options;
    for (int i = 0; i < table->count; i++) {
        char word[64];
        const option *row = &table->options[i];
        snprintf(word, sizeof word, " %s ", row->name);
        if (row->kind != OPTION_POSITIONAL && !strstr(chosen->options, word) && is_given(row, argc, argv))
            return complain(EXIT_USAGE, "--%s does not go with the benchmark %s", row->name, chosen->name);
    }
    if (chosen->needs_data && !arguments->data)
        return complain(EXIT_USAGE, "the benchmark %s needs --data FOLDER (see volterra help benchmark)",
                        chosen->name);
    return 0;
}

/* ---- the command ------------------------------------------------------------------------------ */

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
    name_list names = benchmark_names();
    int failed = options_parse(&command_benchmark.options, argc, argv, &arguments);
    if (failed)
        return failed;
    int found = names_find(&names, arguments.name);
    if (found < 0)
        return benchmark_unknown("benchmark", arguments.name, &names);
    failed = check_options(benchmarks[found], &arguments, argc, argv);
    if (failed)
        return failed;
    char *command = command_line(argc, argv);
    failed = command ? benchmarks[found]->run(&arguments, command)
                     : complain(EXIT_FAILED, "not enough memory for the command");
    free(command);
    return failed;
}

const cli_command command_benchmark = {
    .name = "benchmark",
    .summary = "the published tables: measured systems, chaotic ones, series in classes",
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
        "(fit, predict, score) are printed below the table.\n"
        "\n"
        "chaos: how long a forecast that feeds on itself follows a chaotic system, without any file:\n"
        "  lorenz        Lorenz 1963, three variables, rows 0.025 apart\n"
        "  mackey-glass  Mackey-Glass with a delay of 17, one variable, rows 1 apart\n"
        "From every one of --starts starting points the system is integrated to rounding; the methods learn\n"
        "from --rows noise-free rows and then see no more of it. The valid time is that until the error first\n"
        "reaches 0.4 of the spread of the training rows, in Lyapunov times: its median and quartiles over the\n"
        "starts stand in the table. Beside the Volterra kernel there are a next generation reservoir computer\n"
        "(ridge regression on the quadratic monomials of delayed rows) and an echo state network, each with\n"
        "the setting that is best on five other starts (fewer, where there are fewer --starts).\n"
        "\n"
        "uea: classes of whole series, volterra classify as it is by default, on every set of the UEA archive\n"
        "in FOLDER (FOLDER/NAME/NAME_TRAIN.ts and NAME_TEST.ts, or .arff), with the archive's split. All is\n"
        "chosen on training series. Accuracies of 1-NN DTW and MiniRocket stand beside where they are known.\n"
        "With --task anomaly every class is the normal one once, after Cass, Gonon and Zozoulenko: volterra\n"
        "anomaly learns its training series with volterra, gak, sig:level=4 and esn:size=100 and both\n"
        "scores, chooses on training series, and judges all test series; areas are means over the classes.\n",
    .examples = "  volterra benchmark sysid --data sysid -o table\n"
                "  volterra benchmark sysid --data sysid --only wh,tanks --json\n"
                "  volterra benchmark sysid --data sysid --preset tanks-1\n"
                "  volterra benchmark sysid --data sysid --only wh --again --budget 5min\n"
                "  volterra benchmark chaos\n"
                "  volterra benchmark chaos --only lorenz --rows 400 --json\n"
                "  volterra benchmark uea --data uea --only ERing,NATOPS\n"
                "  volterra benchmark uea --data uea --task anomaly --draws 5 --seed 1 --json\n",
    .options = OPTION_TABLE(rows),
    .run = run_benchmark,
};
