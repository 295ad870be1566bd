/* cli/commands/cmd_compare.c: volterra compare, tunes, refits and tests several kernels on one data set. */
#define _POSIX_C_SOURCE 200809L
#include "args/command.h"
#include "args/shell_words.h"
#include "commands/bekk_params.h"
#include "compare/comparison.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "page/report_page.h"
#include "search/search_report.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/text_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct compare_arguments {
    common_arguments common;
    training_arguments user; /* --x, --y, --ahead, --rows, --missing */
    const char *preset, *log, *report, *csv, *latex;
    text_list kernels;
    int64_t length, train, draws, folds, repeat, gap; /* gap -1: not given */
    double test_share, budget;
    bool resume;
    int protocol, race;
} compare_arguments;

static const double default_budget = 60, default_test_share = 0.2;

#define ROW(...) OPTION(compare_arguments, __VA_ARGS__)
static const option rows[] = {
    HEADING("data"),
    ROW("preset", "NAME", preset, "simulated covolatility with parameters of real markets: {names}",
        .names = bekk_preset_names, .unset = BEKK_DEFAULT_PRESET ", without --x"),
    ROW("length", "N", length, "simulated rows of a preset", .range = AT_LEAST(20),
        .unset = DIGITS(PRESET_PAIRS)),
    ROW("x", "X", user.x, INPUTS_MEANING),
    GROUP(compare_arguments, user, &training_pairing_options),
    ROW("weights", "FILE:COLUMN", user.weights, LOSS_WEIGHTS, .is_rare = true),
    ROW("train", "N", train, "number of leading rows for training and tuning; the others are test rows",
        .range = AT_LEAST(2), .unset = "80 % of the rows"),
    ROW("test-share", "S", test_share, "share of the rows at the end used as test rows, in place of --train",
        .range = BETWEEN(0, 1)),
    HEADING("model"),
    ROW("kernel", "K...", kernels,
        "kernels to compare; parameters in the text are fixed, the others are searched",
        .unset = "all rows of the protocol"),
    ROW("protocol", NULL, protocol,
        "inputs of the kernels; history: past inputs for all; published: for each kernel those of the paper",
        .choices = protocol_choices, .fallback = "history"),
    GROUP(compare_arguments, user, &training_input_options),
    GROUP(compare_arguments, user, &loss_options),
    HEADING("search"),
    ROW("budget", "TIME", budget, "tuning time of each kernel: 60s, 5min, 1h", .is_duration = true,
        .unset = "60s, without --draws"),
    ROW("draws", "N", draws, "maximum number of candidates of each kernel", .range = AT_LEAST(1)),
    ROW("folds", "K", folds, "validation blocks within the training rows", .range = AT_LEAST(1),
        .fallback = "5"),
    ROW("gap", "G", gap, "rows excluded before validation rows and before test rows",
        .unset = "H-1 with --ahead H", .is_rare = true),
    ROW("race", NULL, race,
        "early stopping of candidates that cannot win (exact) or are unlikely to win (fast)",
        .choices = race_choices, .fallback = "exact", .is_rare = true),
    ROW("repeat", "R", repeat,
        "number of samples of the preset, with seeds S, S+1, ...; results are means and standard errors",
        .range = AT_LEAST(1), .fallback = "1"),
    HEADING("output"),
    ROW("log", "DIR", log, "directory for the logs of the searches, one numbered file per kernel"),
    ROW("resume", NULL, resume, "resume the searches in --log"),
    ROW("report", "FILE", report, "HTML page with tables and plots"),
    ROW("csv", "FILE", csv, "table of the results as CSV"),
    ROW("latex", "FILE", latex, "table of the results for LaTeX (package booktabs)"),
};

/* ---- arguments -------------------------------------------------------------------------------- */

static int check_source(const compare_arguments *arguments)
{
    const training_arguments *user = &arguments->user;
    if (user->x && arguments->preset)
        return complain(EXIT_USAGE, "--x and --preset cannot be given together");
    if (user->x && arguments->length)
        return complain(EXIT_USAGE, "--length requires --preset (select rows of %s with --rows)", user->x);
    const char *lonely = user->y                                ? "y"
                         : user->rows.given                     ? "rows"
                         : user->ahead                          ? "ahead"
                         : user->series                         ? "series"
                         : user->fit.target != VOLT_TARGET_AUTO ? "target"
                         : user->fit.input != VOLT_INPUT_AUTO   ? "input"
                         : strcmp(user->season, "auto") != 0    ? "season"
                         : user->fit.scale_each                 ? "scale-each"
                         : user->fit.loss                       ? "loss"
                         : user->weights                        ? "weights"
                         : arguments->gap >= 0                  ? "gap"
                                                                : NULL;
    if (!user->x && lonely)
        return complain(EXIT_USAGE, "--%s requires --x X", lonely);
    if (arguments->protocol == VOLT_PROTOCOL_PUBLISHED && (user->fit.loss || user->weights))
        return complain(EXIT_USAGE, "--protocol published is not supported with %s",
                        user->fit.loss ? "--loss" : "--weights");
    if (arguments->train && arguments->test_share > 0)
        return complain(EXIT_USAGE, "--train and --test-share cannot be given together");
    if (arguments->resume && !arguments->log)
        return complain(EXIT_USAGE, "--resume requires --log DIR");
    return 0;
}

/* Checks the output files. At most one output can go to standard output. */
static int check_outputs(const compare_arguments *arguments)
{
    const output_option outputs[] = {
        {"--report", arguments->report}, {"--csv", arguments->csv}, {"--latex", arguments->latex}};
    enum { COUNT = sizeof outputs / sizeof *outputs };
    const char *taken = arguments->common.json ? "--json" : NULL;
    for (int i = 0; i < COUNT; i++) {
        if (!outputs[i].path || !is_standard_output(outputs[i].path))
            continue;
        if (taken)
            return complain(EXIT_USAGE, "%s and %s - cannot both be written to standard output", taken,
                            outputs[i].option);
        taken = outputs[i].option;
    }
    int failed = outputs_check_distinct(outputs, COUNT);
    for (int i = 0; i < COUNT && !failed; i++)
        if (outputs[i].path)
            failed = training_check_output(&arguments->user, outputs[i].path);
    return failed;
}

static int choose_split(const compare_arguments *arguments, int64_t n, int64_t gap, int64_t *n_train)
{
    double share = arguments->test_share > 0 ? arguments->test_share : default_test_share;
    *n_train = arguments->train ? arguments->train : n - (int64_t)llround(share * (double)n);
    if (*n_train >= n)
        return complain(EXIT_USAGE, "%lld of %lld rows for training leave no test rows", (long long)*n_train,
                        (long long)n);
    if (*n_train < 2)
        return complain(EXIT_USAGE, "too few training rows (%lld of %lld)", (long long)*n_train, (long long)n);
    if (*n_train - gap < 2)
        return complain(EXIT_USAGE, "--gap %lld leaves fewer than 2 of the %lld training rows", (long long)gap,
                        (long long)*n_train);
    return 0;
}

static volt_compare_options compare_options(const compare_arguments *arguments)
{
    volt_compare_options options = volt_compare_options_default();
    options.protocol = (volt_protocol)arguments->protocol;
    options.draws = arguments->draws;
    options.seconds = arguments->budget > 0 || arguments->draws ? arguments->budget : default_budget;
    options.folds = arguments->folds;
    options.race = (volt_race)arguments->race;
    options.resume = arguments->resume;
    return options;
}

/* ---- comparison ------------------------------------------------------------------------------- */

/* Compares the kernels on the sample of one seed. *sample may hold partial results after a failure. Errors not
 * specific to a kernel are reported and returned as the exit status. */
static int compare_sample(compare_data *data, const trial_folders *logs, cli_comparison *result,
                          compare_watch *watch, volt_comparison **sample)
{
    comparison_setting *setting = &result->setting;
    volt_compare_options options = setting->options;
    options.seed = setting->first_seed + (uint64_t)watch->sample;
    char folder[TRIAL_FOLDER_LENGTH];
    options.log = trial_folders_path(logs, watch->sample, folder);
    int failed = compare_data_sample(data, options.seed);
    if (!failed && watch->sample == 0)
        failed = compare_data_keep_truth(data, setting->n_train);
    if (failed)
        return failed;
    compare_watch_sample(watch, &options);
    volt_set_log(NULL, NULL); /* no warnings of single draws; failed draws are counted */
    volt_status status =
        volt_compare_run(data->seen_inputs, data->seen_targets, setting->n_train, &options, sample);
    volt_set_log(hold_library_warning, NULL);
    if (!status)
        return 0;
    if (interrupt_seen() && (watch->sample > 0 || volt_comparison_row_at(*sample, 0)))
        return 0;
    char hint[HINT_LENGTH];
    if (status == VOLT_ERR_KERNEL)
        return complain_status_hint(status, " (see volterra help kernels)");
    return complain_status_hint(status, "%s", dataset_hint(&data->user.x, hint));
}

/* Returns true if at least one kernel has a result. */
static bool has_result(const volt_comparison *sample)
{
    bool found = false;
    for (int64_t i = 0; volt_comparison_row_at(sample, i); i++)
        found = found || !volt_comparison_row_at(sample, i)->failure;
    return found;
}

/* Compares all samples. Completed samples are kept if a later one fails. *incomplete is then the exit status;
 * the error has been reported. */
static int compare_samples(const compare_arguments *arguments, compare_data *data, const trial_folders *logs,
                           cli_comparison *result, int *incomplete)
{
    const comparison_setting *setting = &result->setting;
    compare_watch watch = {.samples = setting->repeat,
                           .max_draws = setting->options.draws,
                           .bar = progress_begin(arguments->common.quiet)};
    int failed = 0;
    for (; watch.sample < setting->repeat && !failed && !result->interrupted; watch.sample++) {
        volt_comparison *sample = NULL;
        failed = compare_sample(data, logs, result, &watch, &sample);
        result->interrupted = !failed && interrupt_seen();
        if (failed && has_result(sample)) { /* some kernels failed; continue with the next sample */
            *incomplete = failed;
            failed = 0;
        }
        /* Of several samples, only complete ones count. */
        if (failed || !sample || (result->interrupted && watch.sample > 0))
            volt_comparison_free(sample);
        else if (!comparison_add(result, sample))
            failed = complain(EXIT_FAILED, "not enough memory for the results");
    }
    progress_end();
    if (failed && result->n_samples == 0)
        return failed;
    if (failed)
        *incomplete = failed;
    return comparison_summarise(result) ? 0 : complain(EXIT_FAILED, "not enough memory for the results");
}

/* ---- results ---------------------------------------------------------------------------------- */

typedef void (*table_writer)(FILE *out, const cli_comparison *comparison);

/* Writes a table to a file, replaced atomically. */
static int write_table(const char *path, const cli_comparison *result, table_writer write)
{
    text_stream memory;
    if (text_open(&memory))
        write(memory.out, result);
    char *text = text_close(&memory);
    int failed = text ? output_text(path, text) : complain(EXIT_FAILED, "not enough memory for %s", path);
    free(text);
    return failed;
}

/* `incomplete` is the exit status of an incomplete comparison, otherwise 0. */
static int show_results(const compare_arguments *arguments, cli_comparison *result, int incomplete)
{
    compare_files files = {arguments->report, arguments->csv, arguments->latex};
    bool is_taken = (files.report && is_standard_output(files.report)) ||
                    (files.csv && is_standard_output(files.csv)) ||
                    (files.latex && is_standard_output(files.latex));
    int failed = files.csv ? write_table(files.csv, result, compare_write_csv) : 0;
    if (failed)
        files.csv = NULL;
    int latex_failed = files.latex ? write_table(files.latex, result, compare_write_latex) : 0;
    if (latex_failed)
        files.latex = NULL;
    int report_failed = files.report ? report_html_file(files.report, result) : 0;
    if (report_failed)
        files.report = NULL;

    /* The table is printed last, even if writing a file failed. */
    int print_failed = 0;
    if (arguments->common.json) {
        print_failed = compare_print_json(result, &files);
    } else if (!is_taken) {
        comparison_name_by_kernel(result);
        compare_print_text(stdout, result, &files);
    }
    if (result->interrupted)
        return complain(interrupt_exit_status(), "interrupted: %s%s",
                        result->n_samples > 1 || result->setting.repeat > 1
                            ? "results of the completed samples"
                            : "results of the completed kernels",
                        arguments->log ? "; repeat the command with --resume to continue" : "");
    const int statuses[] = {incomplete, failed, latex_failed, report_failed, print_failed};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i])
            return statuses[i];
    return EXIT_DONE;
}

/* ---- command ---------------------------------------------------------------------------------- */

static char *typed_command(int argc, char *const *argv)
{
    shell_words words = {0};
    shell_words_add(&words, "volterra", "compare");
    for (int i = 0; i < argc; i++)
        shell_words_add(&words, argv[i], NULL);
    return shell_words_take(&words);
}

static int prepare(const compare_arguments *arguments, compare_data *data, comparison_setting *setting)
{
    int failed = arguments->user.x ? compare_data_user(data, &arguments->user)
                                   : compare_data_preset(data, setting->source,
                                                         arguments->length ? arguments->length : PRESET_PAIRS);
    if (failed)
        return failed;
    setting->n = data->inputs.rows;
    setting->d = data->inputs.cols;
    setting->q = data->targets.cols;
    setting->output_names = (const char *const *)data->output_names;
    volt_compare_options *options = &setting->options;
    options->gap = setting->is_preset ? 0 : arguments->gap >= 0 ? arguments->gap : data->user.pairing->gap;
    failed = choose_split(arguments, setting->n, options->gap, &setting->n_train);
    if (failed || setting->is_preset)
        return failed;
    bool is_published = options->protocol == VOLT_PROTOCOL_PUBLISHED;
    failed = compare_data_prepare(data, &arguments->user, is_published, setting->n_train - options->gap);
    if (failed)
        return failed;
    options->base = data->seen.prepared->base;
    options->from_defaults = !is_published;
    options->records = data->user.pairing->records;
    options->n_records = data->user.pairing->n_records;
    setting->user = &data->user;
    setting->seen = &data->seen;
    const loss_data *loss = &data->user.loss;
    if (!loss_is_other(loss) && !loss->weights)
        return 0;
    options->loss = loss->info.text;
    if (arguments->user.fit.tolerance > 0)
        options->tolerance = arguments->user.fit.tolerance;
    options->weights = loss->weights;
    options->classes = data->user.pairing->classes;
    options->n_classes = data->user.pairing->n_classes;
    setting->loss_score = loss->loss ? loss->info.score : "half squared error";
    return 0;
}

/* Compares the best kernel with baselines on the test rows of user data. */
static int assess_best(const compare_data *data, cli_comparison *result)
{
    comparison_setting *setting = &result->setting;
    const comparison_row *best = comparison_lowest(result, comparison_ranked_by(result));
    if (setting->is_preset)
        return 0;
    volt_assess_options options = training_assess_options(&data->user);
    int64_t train_end = setting->n_train - setting->options.gap;
    volt_split test = {.train_end = train_end, .begin = setting->n_train, .end = setting->n};
    options.test = &test;
    options.measure = setting->loss_score ? VOLT_SCORE_LOSS : VOLT_SCORE_NMSE;
    options.score = best ? best->values[comparison_ranked_by(result)].mean : NAN;
    options.season_rows = train_end + data->user.ahead;
    setting->found.struct_size = sizeof setting->found;
    volt_status status = volt_assess(data->user.pairing, &options, &setting->found);
    return status ? complain_status(status) : 0;
}

static int run_compare(int argc, char *const *argv)
{
    compare_arguments arguments = {.user = training_defaults(), .gap = -1};
    compare_data data = {0};
    trial_folders logs = {.folder = NULL};
    cli_comparison result = {0};
    comparison_setting *setting = &result.setting;
    volt_contender *contenders = NULL;
    char *command = typed_command(argc, argv);

    int failed = command ? options_parse(&command_compare.options, argc, argv, &arguments)
                         : complain(EXIT_FAILED, "not enough memory for the words of the command");
    if (!failed)
        failed = check_source(&arguments);
    if (!failed)
        failed = check_outputs(&arguments);
    if (!failed) {
        setting->is_preset = !arguments.user.x;
        setting->source = arguments.user.x   ? arguments.user.x
                          : arguments.preset ? arguments.preset
                                             : BEKK_DEFAULT_PRESET;
        setting->options = compare_options(&arguments);
        setting->first_seed = arguments.common.seed.value;
        setting->repeat = arguments.repeat;
        setting->command = command;
        contenders = calloc((size_t)arguments.kernels.count + 1, sizeof *contenders);
        if (!contenders)
            failed = complain(EXIT_FAILED, "not enough memory for the list of kernels");
        for (int64_t i = 0; !failed && i < arguments.kernels.count; i++)
            contenders[i].kernel = arguments.kernels.texts[i];
        setting->options.contenders = arguments.kernels.count > 0 ? contenders : NULL;
        setting->options.n_contenders = arguments.kernels.count;
    }
    if (!failed)
        failed = prepare(&arguments, &data, setting);
    if (!failed)
        failed =
            trial_folders_open(&logs, arguments.log, setting->first_seed, setting->repeat, arguments.resume);
    int incomplete = 0;
    if (!failed)
        failed = compare_samples(&arguments, &data, &logs, &result, &incomplete);
    int not_measured = failed ? 0 : assess_best(&data, &result);
    incomplete = incomplete ? incomplete : not_measured;
    if (!failed) {
        setting->truth = volt_as_view(data.truth);
        failed = show_results(&arguments, &result, incomplete);
    }
    trial_folders_close(&logs);
    comparison_release(&result);
    compare_data_release(&data);
    free(contenders);
    free(command);
    text_list_free(&arguments.kernels);
    return failed;
}

const cli_command command_compare = {
    .name = "compare",
    .group = "Evaluate",
    .summary = "tune, refit and test several kernels on one data set",
    .description =
        "Tunes every kernel on the training rows with the same budget, refits the best candidate, and\n"
        "predicts the test rows. The table lists the test errors, membership in the model confidence set,\n"
        "the cost of tuning, and the best parameters.\n"
        "\n"
        "Errors are in the units of the targets; tables of a preset list MdAE and W1 times 100, as in the\n"
        "paper (--json and --csv do not).\n"
        "\n"
        "If the targets are inputs, changes of the targets are learned from levels and changes of the\n"
        "inputs, unless --target and --input are given; errors are computed from levels. Candidate 0 of\n"
        "every kernel has the default parameters and a profiled alpha. The table includes the naive,\n"
        "seasonal naive and drift forecasts and a linear autoregression on the test rows.\n"
        "\n"
        "With --loss, every kernel is fitted, tuned and compared by that loss, as in volterra tune, and the\n"
        "table includes the best constant. --weights apply to training and test rows.\n"
        "\n"
        "Without --x, the data are as in the paper: inputs are innovations of a BEKK model, targets 1000\n"
        "times the entries of the next covariance matrix. --protocol published also gives each kernel the\n"
        "inputs of the paper, where only volterra uses past inputs (esn, which the paper does not have,\n"
        "does so as well). The default, history, is not the setting of the paper: kernels with a memory,\n"
        "such as volterra, use all past inputs, and the others a window of tuned length.\n"
        "\n"
        "A kernel is a row of the protocol (--kernel Sig-PDE), the name of a kernel, or any kernel text. A\n"
        "kernel that fails is listed with the reason. A kernel without a trial within --budget gets ten\n"
        "times as long for its first candidate. Ctrl-C ends the command and reports the completed kernels.\n",
    .examples =
        "  volterra compare --preset sp500-d5 --report report.html\n"
        "  volterra compare --preset sp500-d10 --protocol published --draws 200 --repeat 3 --seed 1\n"
        "  volterra compare --x data.csv:u1..u3 --y data.csv:y --train 2000 --budget 30s --csv table.csv\n"
        "  volterra compare --x load.csv --loss quantile:q=0.1/0.5/0.9 --kernel linear volterra --draws 30\n"
        "  volterra compare --x u.csv --y y.csv --kernel linear rbf volterra volterra:lift=even --draws 50\n",
    .options = OPTION_TABLE(rows),
    .run = run_compare,
};
