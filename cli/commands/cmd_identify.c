/* cli/commands/cmd_identify.c: volterra identify, finds a simulation model of a system. */
#include "args/command.h"
#include "args/shell_words.h"
#include "files/clock.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "files/record_list.h"
#include "page/identify_page.h"
#include "search/training.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"
#include "volterra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct identify_arguments {
    common_arguments common;
    const char *file, *x, *y, *test, *output, *report;
    const char *series;
    row_range rows;
    int missing;
    bool no_scale_each;
    double budget;
    int64_t draws;
} identify_arguments;

#define ROW(...) OPTION(identify_arguments, __VA_ARGS__)
static const option rows[] = {
    HEADING("data"),
    ROW("FILE", NULL, file, "measured rows; --x and --y are then columns of it", .is_positional = true,
        .python = "", .unset = "--x and --y are FILE or FILE:COLUMNS"),
    ROW("x", "X", x, "inputs of the system, one row per time step", .required = true, .python = "u",
        .synonyms = "input inputs u"),
    ROW("y", "Y", y, "outputs of the system, row by row with X", .required = true,
        .synonyms = "target targets outputs"),
    ROW("test", "FILE", test, "another experiment for the test, with the same column names",
        .unset = "the last fifth of the rows, or whole last records of 15 to 25 % of them"),
    ROW("series", "COLUMN", series, SERIES_MEANING "; without FILE: FILE:COLUMN"),
    ROWS_OPTION(identify_arguments, rows, "FILE, or of X and Y"),
    MISSING_OPTION(identify_arguments, missing),
    HEADING("search"),
    ROW("no-scale-each", NULL, no_scale_each,
        "one scale for all inputs; default: --scale-each of volterra fit, with two or more inputs",
        .python = ""),
    ROW("budget", "TIME", budget, "time limit of the whole command: 90s, 3min, 2h, 1h30m, or seconds",
        .is_duration = true, .unset = "5min, unless --draws is given"),
    ROW("draws", "N", draws, "number of candidates of every search, instead of a time limit",
        .range = AT_LEAST(1)),
    HEADING("output"),
    ROW("output", "MODEL", output, "model file (safetensors)", .letter = 'o', .required = true),
    ROW("report", "FILE", report, "HTML page with plots, residuals and tables (plots require gnuplot)",
        .python = ""),
};

/* ---- data ------------------------------------------------------------------------------------- */

typedef struct identify_data {
    dataset x, y, test_x, test_y;
    record_list records, test_records;
    row_clock clock;
} identify_data;

/* FILE:COLUMNS */
typedef struct identify_sources {
    char *x, *y, *series, *test_series; /* NULL: not given */
} identify_sources;

/* Joins "FILE" and "COLUMNS", or copies a source if no file was given. */
static char *source_of(const char *file, const char *columns)
{
    size_t size = (file ? strlen(file) : 0) + strlen(columns) + 2;
    char *source = malloc(size);
    if (source)
        snprintf(source, size, "%s%s%s", file ? file : "", file ? ":" : "", columns);
    return source;
}

/* The column of records in the test file: "COLUMN", or the part of "FILE:COLUMN" after the colon. */
static char *test_series_of(const identify_arguments *arguments)
{
    const char *colon = strrchr(arguments->series, ':');
    if (!arguments->file && !colon)
        return source_of(NULL, arguments->test);
    return source_of(arguments->test, arguments->file || !colon ? arguments->series : colon + 1);
}

static int make_sources(const identify_arguments *arguments, identify_sources *sources)
{
    sources->x = source_of(arguments->file, arguments->x);
    sources->y = source_of(arguments->file, arguments->y);
    if (arguments->series)
        sources->series = source_of(arguments->file, arguments->series);
    if (arguments->series && arguments->test)
        sources->test_series = test_series_of(arguments);
    bool all = sources->x && sources->y && (!arguments->series || sources->series) &&
               (!arguments->series || !arguments->test || sources->test_series);
    return all ? 0 : complain(EXIT_FAILED, "not enough memory");
}

static void release_sources(identify_sources *sources)
{
    free(sources->x);
    free(sources->y);
    free(sources->series);
    free(sources->test_series);
}

static int check_output(const identify_arguments *arguments, const identify_sources *sources)
{
    const char *const files[] = {sources->x, sources->y, sources->series, arguments->test};
    int failed = output_check(arguments->output);
    if (!failed && arguments->report)
        failed = output_check(arguments->report);
    for (size_t i = 0; i < sizeof files / sizeof *files && !failed; i++)
        failed = output_check_against(arguments->output, files[i]);
    return failed;
}

static int read_test(const identify_arguments *arguments, const identify_sources *sources, identify_data *data)
{
    const row_range all = {0};
    volt_missing wanted = missing_policy(arguments->missing);
    bool drops = wanted == VOLT_MISSING_DROP; /* a row without an input or an output */
    volt_missing each = drops ? VOLT_MISSING_KEEP : record_list_policy(sources->test_series, wanted);
    int failed = dataset_read_like(&data->test_x, arguments->test, each, &all, "--test", &data->x);
    if (!failed)
        failed = dataset_read_like(&data->test_y, arguments->test, each, &all, "--test", &data->y);
    if (!failed && drops)
        failed = dataset_clean_pair(&data->test_x, &data->test_y, wanted);
    if (!failed)
        failed = record_list_read(&data->test_records, sources->test_series, &data->test_x);
    if (!failed)
        failed = record_list_fill(&data->test_records, &data->test_x, &data->test_y, wanted);
    return failed;
}

static int read_data(const identify_arguments *arguments, const identify_sources *sources, identify_data *data)
{
    volt_missing wanted = missing_policy(arguments->missing);
    int failed = check_output(arguments, sources);
    if (!failed)
        failed = dataset_read_pair(&data->x, sources->x, &data->y, sources->y,
                                   record_list_policy(sources->series, wanted), false, &arguments->rows);
    if (!failed)
        failed = record_list_read(&data->records, sources->series, &data->x);
    if (!failed)
        failed = record_list_fill(&data->records, &data->x, &data->y, wanted);
    if (!failed)
        failed = clock_read(&data->clock, &data->x, arguments->file, data->records.lengths, data->records.n);
    if (!failed && arguments->test)
        failed = read_test(arguments, sources, data);
    return failed;
}

static void release_data(identify_data *data)
{
    dataset_release(&data->x);
    dataset_release(&data->y);
    dataset_release(&data->test_x);
    dataset_release(&data->test_y);
    record_list_release(&data->records);
    record_list_release(&data->test_records);
    clock_release(&data->clock);
}

/* ---- report ----------------------------------------------------------------------------------- */

static const volt_identify_candidate *chosen_of(const volt_identification *found)
{
    return &found->candidates[found->chosen];
}

static void warn_of(const volt_identification *found, const identify_data *data)
{
    char text[IDENTIFY_WARNING_LENGTH];
    for (int64_t i = 0; i < found->n_warnings; i++)
        warn("%s", identify_warning_text(found, i, (const char *const *)data->x.names,
                                         (const char *const *)data->y.names, text));
}

static void report_candidate(const volt_identify_candidate *one, result_list *results)
{
    result_list *inner = results_new(true);
    char time[QUANTITY_LENGTH], rejected[3 * QUANTITY_LENGTH] = "";
    results_text(inner, "name", NULL, "%s", one->name);
    results_flag(inner, "linear", one->is_linear);
    results_text(inner, "kernel", NULL, "%s", one->kernel);
    results_number(inner, "alpha", NULL, one->alpha);
    results_number(inner, "feedback_weight", NULL, one->feedback_weight);
    results_number(inner, "nmse", NULL, one->nmse);
    results_numbers(inner, "block_nmse", one->block_nmse, VOLT_IDENTIFY_BLOCKS);
    results_count(inner, "trials", NULL, one->trials);
    results_number(inner, "seconds", NULL, one->seconds);
    results_number(inner, "test_rmse", NULL, one->test_rmse);
    results_number(inner, "growth", NULL, one->growth);
    results_number(inner, "excess", NULL, one->excess);
    results_number(inner, "long_run", NULL, one->long_run);
    results_flag(inner, "rejected", one->is_rejected);
    results_append(results, "candidates", inner);
    if (one->is_rejected)
        snprintf(rejected, sizeof rejected, "; rejected (excess %.2g, long run %.2g)", one->excess,
                 one->long_run);
    if (isfinite(one->nmse))
        results_text(
            results, NULL, one->name, "NMSE %.4g (blocks %.3g, %.3g, %.3g), growth %.2g, %lld trial%s, %s%s",
            one->nmse, one->block_nmse[0], one->block_nmse[1], one->block_nmse[2], one->growth,
            (long long)one->trials, one->trials == 1 ? "" : "s", format_seconds(one->seconds, time), rejected);
    else
        results_text(results, NULL, one->name, "no trial with a score, %lld trials, %s", (long long)one->trials,
                     format_seconds(one->seconds, time));
}

static void report_check(const volt_identification *found, result_list *results)
{
    char dead_time[64] = "no significant response";
    results_number(results, "time_step", NULL, found->time_step);
    results_count(results, "uneven_steps", NULL, found->uneven_steps);
    results_count(results, "delay", NULL, found->delay);
    results_number(results, "correlation", NULL, found->correlation);
    results_count(results, "dead_time", NULL, found->dead_time);
    results_count(results, "input_changes", NULL, found->input_changes);
    results_number(results, "input_lines", NULL, found->input_lines);
    results_number(results, "output_at_extreme", NULL, found->output_at_extreme);
    results_number(results, "input_at_extreme", NULL, found->input_at_extreme);
    results_number(results, "output_growth", NULL, found->output_growth);
    results_number(results, "input_growth", NULL, found->input_growth);
    results_number(results, "integration", NULL, found->integration);
    results_number(results, "forward_gain", NULL, found->forward_gain);
    results_number(results, "reverse_gain", NULL, found->reverse_gain);
    results_number(results, "unexplained", NULL, found->unexplained);
    results_number(results, "noise", NULL, found->noise);
    results_number(results, "nonlinearity", NULL, found->nonlinearity);
    results_flag(results, "is_nonlinear", found->is_nonlinear);
    results_count(results, "input_period", NULL, found->input_period);
    if (found->dead_time >= 0)
        snprintf(dead_time, sizeof dead_time, "dead time %lld row%s", (long long)found->dead_time,
                 found->dead_time == 1 ? "" : "s");
    results_text(results, NULL, "data check",
                 "%s; shares of the output variance: linear %.3g, noise up to %.3g, nonlinear %s%.3g",
                 dead_time, 1 - found->unexplained, found->noise, found->is_nonlinear ? "at least " : "",
                 found->nonlinearity);
}

/* Rows first .. first + count - 1 of the data as rows of the file: "A:B". */
static const char *file_rows(const identify_data *data, int64_t first, int64_t count,
                             char text[QUANTITY_LENGTH])
{
    const int64_t *numbers = data->x.table->row_numbers;
    snprintf(text, QUANTITY_LENGTH, "%lld:%lld", (long long)numbers[first],
             (long long)numbers[first + count - 1] + 1);
    return text;
}

static void report_parts(const volt_identification *found, const identify_data *data, result_list *results)
{
    char records[QUANTITY_LENGTH] = "", searched[QUANTITY_LENGTH], fitted[QUANTITY_LENGTH];
    if (found->train_records > 1)
        snprintf(records, sizeof records, " in %lld records", (long long)found->train_records);
    results_text(results, NULL, "data", "%lld training rows%s, searches on %s%s, model on %s",
                 (long long)found->train_rows, records,
                 found->search_rows < found->train_rows ? "the best excited rows " : "",
                 file_rows(data, found->search_begin, found->search_rows, searched),
                 file_rows(data, found->fit_begin, found->fit_rows, fitted));
}

/* Reports the state at the first row of a record, and the use of measured outputs. */
static void report_initial(const volt_identification *found, result_list *results)
{
    bool is_first = found->initial == VOLT_INITIAL_FIRST, feeds = false;
    char test[2 * QUANTITY_LENGTH] = "continues the training rows";
    if (found->test_washout > 0)
        snprintf(test, sizeof test, "starts from the measured outputs of %lld row%s",
                 (long long)found->test_washout, found->test_washout == 1 ? "" : "s");
    results_text(results, "initial", NULL, "%s", is_first ? "first" : "zero");
    results_text(results, NULL, "initial state", "earlier inputs: %s (--initial %s); the test %s",
                 is_first ? "the first of the record" : "their mean", is_first ? "first" : "zero", test);
    for (int64_t i = 0; i < found->n_averaged; i++)
        feeds = feeds || found->candidates[found->averaged[i]].feedback_weight > 0;
    if (feeds)
        results_text(results, NULL, "", "another experiment needs measured outputs: %s %lld; otherwise %s",
                     "predict --start reset --known Y --warm-up", (long long)found->washout,
                     is_first ? "it starts at rest" : "it starts at the mean");
}

static void report_rows(const volt_identification *found, const identify_data *data, result_list *results)
{
    results_count(results, "rows", NULL, found->rows);
    results_count(results, "d", NULL, data->x.view.cols);
    results_count(results, "q", NULL, data->y.view.cols);
    results_count(results, "train_rows", NULL, found->train_rows);
    results_count(results, "train_records", NULL, found->train_records);
    results_count(results, "test_rows", NULL, found->test_rows);
    results_flag(results, "test_is_separate", found->test_is_separate);
    results_count(results, "test_washout", NULL, found->test_washout);
    results_count(results, "search_begin", NULL, found->search_begin);
    results_count(results, "search_rows", NULL, found->search_rows);
    results_count(results, "fit_begin", NULL, found->fit_begin);
    results_count(results, "fit_rows", NULL, found->fit_rows);
    results_count(results, "washout", NULL, found->washout);
    report_parts(found, data, results);
    report_initial(found, results);
    report_check(found, results);
}

/* The chosen family, and those averaged with it. */
static void report_chosen(const volt_identification *found, result_list *results)
{
    char names[256] = "";
    bool has_others = false;
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
        has_others = has_others || (!found->candidates[i].is_linear && isfinite(found->candidates[i].nmse));
    for (int64_t i = 0; i < found->n_averaged; i++) {
        const char *name = found->candidates[found->averaged[i]].name;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? " + " : "", name);
    }
    results_count(results, "averaged", NULL, found->n_averaged);
    results_text(results, NULL, "chosen", "%s%s", found->n_averaged > 1 ? "average of " : "", names);
    if (chosen_of(found)->is_linear)
        results_text(results, NULL, "", "%s",
                     has_others ? "no other model is better on every block and in one run over all of them"
                                : "no nonlinear model has a score: increase the budget");
}

static int print_report(const identify_arguments *arguments, const volt_identification *found,
                        const identify_data *data, const char *command, const identify_report *report)
{
    const volt_identify_candidate *chosen = chosen_of(found);
    result_list *results = results_new(arguments->common.json);
    results_text(results, "model", "model", "%s", arguments->output);
    report_rows(found, data, results);
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
        report_candidate(&found->candidates[i], results);
    results_text(results, "chosen", NULL, "%s", chosen->name);
    results_text(results, "best_linear", NULL, "%s", found->candidates[found->best_linear].name);
    results_text(results, "kernel", NULL, "%s", chosen->kernel);
    results_number(results, "alpha", NULL, chosen->alpha);
    results_number(results, "feedback_weight", NULL, chosen->feedback_weight);
    results_flag(results, "scale_each", found->scale_each);
    report_chosen(found, results);
    results_number(results, "test_rmse", NULL, found->test_rmse);
    results_number(results, "linear_test_rmse", NULL, found->linear_test_rmse);
    results_number(results, "test_std", NULL, found->test_std);
    results_text(results, NULL, "test RMSE",
                 "%.6g, linear model %.6g, standard deviation of %s %.6g (%lld rows)", found->test_rmse,
                 found->linear_test_rmse, data->y.view.cols > 1 ? "the outputs" : "the output", found->test_std,
                 (long long)found->test_rows);
    results_number(results, "seconds", NULL, found->seconds);
    results_text(results, "command", "same model", "%s", command);
    if (report) {
        results_text(results, "report", "report", "%s", arguments->report);
        identify_report_json(report, results);
    }
    return results_print(results);
}

/* Returns the command that fits a candidate to this file; the caller frees it. NULL: out of memory. */
static char *candidate_command(const identify_arguments *arguments, const volt_identify_candidate *one,
                               const volt_identification *found, const identify_sources *sources,
                               const identify_data *data, const char *output)
{
    char range[QUANTITY_LENGTH];
    training_arguments training = {.x = sources->x,
                                   .y = sources->y,
                                   .series = sources->series,
                                   .missing = arguments->missing,
                                   .washout = found->washout};
    volt_fit_options options = volt_fit_options_default();
    options.alpha = one->alpha;
    options.feedback_weight = one->feedback_weight;
    options.target = VOLT_TARGET_LEVEL;
    options.input = VOLT_INPUT_LEVEL;
    options.scale_each = found->scale_each;
    training.initial = found->initial == VOLT_INITIAL_FIRST ? "first" : NULL;
    file_rows(data, found->fit_begin, found->fit_rows, range);
    training.rows = (row_range){.given = true, .text = range};
    return training_fit_command(&training, &options, one->kernel, output);
}

/* Joins two commands; frees both. NULL: one is NULL, or out of memory. */
static char *join_commands(char *first, char *second)
{
    size_t size = first && second ? strlen(first) + strlen(second) + sizeof " && " : 0;
    char *both = size > 0 ? malloc(size) : NULL;
    if (both)
        snprintf(both, size, "%s && %s", first, second);
    free(first);
    free(second);
    return both;
}

/* Returns the command that fits the same model, or its parts FILE.1, FILE.2, ... and their average; the caller
 * frees it. NULL: out of memory. */
static char *fit_command(const identify_arguments *arguments, const volt_identification *found,
                         const identify_sources *sources, const identify_data *data)
{
    enum { NUMBER = 8 };
    size_t size = strlen(arguments->output) + NUMBER;
    char *part = malloc(size), *whole = NULL;
    if (found->n_averaged == 1 || !part) {
        free(part);
        return candidate_command(arguments, chosen_of(found), found, sources, data, arguments->output);
    }
    shell_words combine = {0};
    shell_words_add(&combine, NULL, "volterra");
    shell_words_add(&combine, NULL, "combine");
    for (int64_t i = 0; i < found->n_averaged; i++) {
        snprintf(part, size, "%s.%d", arguments->output, (int)i + 1);
        shell_words_add(&combine, NULL, part);
        char *fit =
            candidate_command(arguments, &found->candidates[found->averaged[i]], found, sources, data, part);
        whole = i > 0 ? join_commands(whole, fit) : fit;
    }
    shell_words_add(&combine, "-o", arguments->output);
    free(part);
    return join_commands(whole, shell_words_take(&combine));
}

/* The command as typed; the caller frees it. NULL: out of memory. */
static char *typed_command(int argc, char *const *argv)
{
    shell_words words = {0};
    shell_words_add(&words, "volterra", "identify");
    for (int i = 0; i < argc; i++)
        shell_words_add(&words, argv[i], NULL);
    return shell_words_take(&words);
}

/* Everything that is written at the end. */
typedef struct identify_results {
    const volt_model *model;
    const volt_identification *found;
    const volt_diagnosis *diagnosis; /* NULL: no report */
    char *command, *fit;             /* as typed, and that of the model */
} identify_results;

/* Writes the page and prints the results. */
static int write_report(const identify_arguments *arguments, const identify_results *all,
                        const identify_data *data)
{
    char seed[32];
    explained shown = {
        .series = all->diagnosis->explanation, .info.struct_size = sizeof shown.info, .about = "mean"};
    volt_model_get_info(all->model, &shown.info);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)arguments->common.seed.value);
    identify_report report = {.has_clock = data->clock.values != NULL,
                              .found = all->found,
                              .diagnosis = all->diagnosis,
                              .shown = &shown,
                              .title = arguments->file ? arguments->file : arguments->x,
                              .command = all->command,
                              .fit = all->fit,
                              .seed = seed};
    int failed = explained_name(&shown);
    if (!failed)
        failed = identify_write_page(&report, arguments->report);
    if (!failed && !is_standard_output(arguments->output) && !is_standard_output(arguments->report))
        failed = print_report(arguments, all->found, data, all->fit, &report);
    explained_release(&shown);
    return failed;
}

static int write_results(const identify_arguments *arguments, const identify_results *all,
                         const identify_data *data)
{
    int failed = model_write(all->model, arguments->output);
    if (failed)
        return failed;
    if (!all->fit || !all->command)
        return complain(EXIT_FAILED, "not enough memory for the report");
    if (all->diagnosis)
        return write_report(arguments, all, data);
    return is_standard_output(arguments->output) ? 0
                                                 : print_report(arguments, all->found, data, all->fit, NULL);
}

/* ---- command ---------------------------------------------------------------------------------- */

/* Log callback: a budget that is too short is reported before the searches. */
static void announce_warning(volt_log_level level, const char *message, void *context)
{
    (void)context;
    if (level == VOLT_LOG_WARNING)
        progress_announce("warning: %s", message);
}

static int run_identify(int argc, char *const *argv)
{
    identify_arguments arguments = {0};
    identify_data data = {0};
    volt_identification found = {.struct_size = sizeof found};
    volt_identify_options options = volt_identify_options_default();
    volt_model *model = NULL;
    volt_diagnosis *diagnosis = NULL;
    int failed = options_parse(&command_identify.options, argc, argv, &arguments);
    if (failed)
        return failed;
    if (arguments.draws > 0 && arguments.budget > 0)
        return complain(EXIT_USAGE, "--draws and --budget cannot be given together");
    if (arguments.common.json && is_standard_output(arguments.output))
        return complain(EXIT_USAGE, "--json and -o - cannot both be written to standard output");
    if (arguments.report && is_standard_output(arguments.report) &&
        (arguments.common.json || is_standard_output(arguments.output)))
        return complain(EXIT_USAGE, "--report - and %s cannot both be written to standard output",
                        arguments.common.json ? "--json" : "-o -");
    identify_sources sources = {0};
    failed = make_sources(&arguments, &sources);
    if (!failed)
        failed = read_data(&arguments, &sources, &data);
    if (!failed) {
        if (arguments.budget > 0)
            options.seconds = arguments.budget;
        options.draws = arguments.draws;
        options.scale_each = !arguments.no_scale_each;
        options.seed = arguments.common.seed.value;
        options.test_inputs = data.test_x.view;
        options.test_outputs = data.test_y.view;
        options.records = data.records.lengths;
        options.n_records = data.records.n;
        options.test_records = data.test_records.lengths;
        options.n_test_records = data.test_records.n;
        options.input_names = (const char *const *)data.x.names;
        options.output_names = (const char *const *)data.y.names;
        options.times = data.x.table->times;
        options.clock = data.clock.values;
        options.progress = progress_begin(arguments.common.quiet);
        volt_set_log(announce_warning, NULL);
        volt_status status = volt_identify(data.x.view, data.y.view, &options, &model, &found);
        volt_set_log(hold_library_warning, NULL);
        if (!status && arguments.report)
            status = volt_identify_diagnose(data.x.view, data.y.view, &options, model, &found, &diagnosis);
        progress_end();
        failed =
            status ? complain_status_hint(status, " (--x %.120s --y %.120s)", arguments.x, arguments.y) : 0;
    }
    if (!failed) {
        warn_of(&found, &data);
        identify_results all = {model, &found, diagnosis, typed_command(argc, argv),
                                fit_command(&arguments, &found, &sources, &data)};
        failed = write_results(&arguments, &all, &data);
        free(all.command);
        free(all.fit);
    }
    volt_diagnosis_free(diagnosis);
    volt_model_free(model);
    release_data(&data);
    release_sources(&sources);
    return failed;
}

const cli_command command_identify = {
    .name = "identify",
    .summary = "find a simulation model of a system from its inputs and outputs",
    .description =
        "Searches linear and nonlinear models that compute the outputs of a system from its inputs, chooses\n"
        "one by free runs on validation blocks, and tests it on rows that take no part in any choice: the\n"
        "last fifth, or another experiment with --test. Rows are in time order, at least 60.\n"
        "\n"
        "With --series the rows are several records, each with its own initial state. The test is then whole\n"
        "last records if these have 15 to 25 % of the rows, otherwise the last fifth of all rows. The first\n"
        "rows of every record (washout: a twentieth of the mean length, at most 100) set the state and are\n"
        "neither fitted nor scored. A test file needs the same column of records, or is one record without\n"
        "--series.\n"
        "\n"
        "With two or more inputs, each is divided by its standard deviation (fit --scale-each), so that units\n"
        "do not matter. --no-scale-each uses one scale for all inputs.\n"
        "\n"
        "The line of each family has its NMSE (mean squared error relative to the variance of the outputs) on\n"
        "three validation blocks, and growth, the error in the last third of a block over that in the first.\n"
        "A nonlinear model is chosen only if its error is lower than that of the better linear one on every\n"
        "block and in one run over all blocks (long run, relative to the linear model), and if it does not\n"
        "depart from it for inputs 1.3 times as large (excess). The test error is in the unit of the outputs.\n"
        "\n"
        "The data check computes the dead time (the first lag with a significant response) and the shares of\n"
        "the output variance due to a linear model, noise and nonlinearity. It warns about uneven time steps,\n"
        "inputs that hardly change or have few frequencies, no response, outputs that are often at an end of\n"
        "their range, integrate the inputs or drift, and columns that may be swapped. After the test, a\n"
        "warning reports a linear model with less than 0.8 of the squared error.\n"
        "\n"
        "--report writes a page with measured and simulated test rows, residuals, frequency responses, "
        "Volterra\n"
        "kernels and the errors of all families. With --json, the object diagnosis has the same numbers.\n"
        "\n"
        "With --draws the result depends only on the data, the number and --seed. With --budget it also\n"
        "depends on the speed of the machine. A warning before the search reports a budget that is too short\n"
        "for a nonlinear model. The page docs/tasks/identify.md describes the stages.\n",
    .examples =
        "  volterra identify data.csv --x u --y y -o model.safetensors\n"
        "  volterra identify data.csv --x u --y y -o model.safetensors --report page.html\n"
        "  volterra identify data.csv --x u --y y --test other.csv --budget 10min -o model.safetensors\n"
        "  volterra identify runs.csv --x u --y y --series run --missing interpolate -o model.safetensors\n"
        "  volterra identify --x u.csv --y y.csv:level --draws 200 --seed 1 -o model.safetensors --json\n",
    .options = OPTION_TABLE(rows),
    .run = run_identify,
};
