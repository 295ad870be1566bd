/* cli/commands/cmd_identify.c: volterra identify, finds a simulation model of a system. */
#include "args/command.h"
#include "args/shell_words.h"
#include "commands/identify_table.h"
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
    volt_identify_options options;
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
    DESCRIBED(identify_arguments, options, "volt_identify_options"),
    HEADING("output"),
    ROW("output", "MODEL", output, "model file (safetensors)", .letter = 'o', .required = true),
    ROW("report", "FILE", report, "HTML page with plots, residuals and tables", .python = ""),
};

/* ---- data ------------------------------------------------------------------------------------- */

typedef struct identify_data {
    dataset x, y, test_x, test_y;
    record_list records, test_records;
    row_clock clock;
    volt_output_test *output_tests; /* one for each column of y */
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
    volt_missing wanted = (volt_missing)arguments->missing;
    bool drops = wanted == VOLT_MISSING_DROP; /* a row without an input or an output */
    volt_missing each = drops ? VOLT_MISSING_KEEP : record_list_policy(sources->test_series, wanted);
    int failed = dataset_read_like(&data->test_x, arguments->test, each, &all, "--test", &data->x);
    if (!failed)
        failed = dataset_read_like(&data->test_y, arguments->test, each, &all, "--test", &data->y);
    if (!failed && drops)
        failed = dataset_clean_pair(&data->test_x, &data->test_y, wanted);
    if (!failed)
        failed = record_list_read(&data->test_records, sources->test_series, &data->test_x, &data->test_y);
    if (!failed)
        failed = record_list_fill(&data->test_records, &data->test_x, &data->test_y, wanted);
    return failed;
}

static int read_data(const identify_arguments *arguments, const identify_sources *sources, identify_data *data)
{
    volt_missing wanted = (volt_missing)arguments->missing;
    int failed = check_output(arguments, sources);
    if (!failed)
        failed = dataset_read_pair(&data->x, sources->x, &data->y, sources->y,
                                   record_list_policy(sources->series, wanted), false, &arguments->rows);
    if (!failed)
        failed = record_list_read(&data->records, sources->series, &data->x, &data->y);
    if (!failed)
        failed = record_list_fill(&data->records, &data->x, &data->y, wanted);
    if (!failed)
        failed = clock_read(&data->clock, &data->x, arguments->file, data->records.lengths, data->records.n);
    if (!failed && arguments->test)
        failed = read_test(arguments, sources, data);
    if (!failed && !(data->output_tests = calloc((size_t)data->y.view.cols, sizeof *data->output_tests)))
        failed = complain(EXIT_FAILED, "not enough memory");
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
    free(data->output_tests);
}

/* ---- report ----------------------------------------------------------------------------------- */

static void warn_of(const volt_identification *found, const identify_data *data)
{
    char text[IDENTIFY_WARNING_LENGTH];
    for (int64_t i = 0; i < found->n_warnings; i++)
        warn("%s", identify_warning_text(found, i, (const char *const *)data->x.names,
                                         (const char *const *)data->y.names, text));
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
                                   .missing = (volt_missing)arguments->missing};
    volt_fit_options options = volt_fit_options_default();
    options.alpha = one->alpha;
    options.washout = found->washout;
    options.feedback_weight = one->feedback_weight;
    options.target = VOLT_TARGET_LEVEL;
    options.input = VOLT_INPUT_LEVEL;
    options.scale_each = found->scale_each;
    training.initial = found->initial == VOLT_INITIAL_FIRST ? "first" : NULL;
    identify_file_rows(&data->x, found->fit_begin, found->fit_rows, range);
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
        return candidate_command(arguments, &found->candidates[found->chosen], found, sources, data,
                                 arguments->output);
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

/* Writes the page. With --report /dev/null the diagnosis is only in --json. */
static int write_page(const identify_report *report, explained *shown, const char *path)
{
    int failed = explained_name(shown);
    return failed || strcmp(path, "/dev/null") == 0 ? failed : identify_write_page(report, path);
}

static int write_results(const identify_arguments *arguments, const identify_results *all,
                         const identify_data *data)
{
    char seed[32];
    explained shown = {.info.struct_size = sizeof shown.info, .about = "mean"};
    identify_report report = {.has_clock = data->clock.values != NULL,
                              .found = all->found,
                              .output_tests = data->output_tests,
                              .diagnosis = all->diagnosis,
                              .shown = &shown,
                              .title = arguments->file ? arguments->file : arguments->x,
                              .command = all->command,
                              .fit = all->fit,
                              .seed = seed};
    identify_table table = {.found = all->found,
                            .x = &data->x,
                            .y = &data->y,
                            .output_tests = data->output_tests,
                            .model = arguments->output,
                            .page = arguments->report,
                            .command = all->fit,
                            .report = all->diagnosis ? &report : NULL};
    bool is_taken = is_standard_output(arguments->output);
    int failed = model_write(all->model, arguments->output);
    if (failed)
        return failed;
    if (!all->fit || !all->command)
        return complain(EXIT_FAILED, "not enough memory for the report");
    if (all->diagnosis) {
        shown.series = all->diagnosis->explanation;
        volt_model_get_info(all->model, &shown.info);
        snprintf(seed, sizeof seed, "%llu", (unsigned long long)arguments->common.seed.value);
        is_taken = is_taken || is_standard_output(arguments->report);
        failed = write_page(&report, &shown, arguments->report);
    }
    if (!failed && !is_taken)
        failed = identify_table_print(&table, arguments->common.json);
    explained_release(&shown);
    return failed;
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
    identify_arguments arguments = {.options = volt_identify_options_default()};
    identify_data data = {0};
    volt_identification found = {.struct_size = sizeof found};
    volt_model *model = NULL;
    volt_diagnosis *diagnosis = NULL;
    int failed = options_parse(&command_identify.options, argc, argv, &arguments);
    if (failed)
        return failed;
    volt_identify_options options = arguments.options;
    if (options.draws > 0 && arguments.budget > 0)
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
        options.output_tests = data.output_tests;
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
    .group = "Forecast and identify",
    .summary = "find a simulation model of a system from its inputs and outputs",
    .description =
        "Searches linear and nonlinear models that compute the outputs of a system from its inputs, and\n"
        "chooses one by free runs on validation blocks. The model is tested on rows that take no part in\n"
        "any choice: the last fifth, or another experiment with --test.\n"
        "\n"
        "Rows are in time order, at least 60. With --series the rows are several records, each with its own\n"
        "initial state. The test is then whole last records if these have 15 to 25 % of the rows, otherwise\n"
        "the last fifth of all rows. The first rows of every record (washout: a twentieth of the mean\n"
        "length, at most 100) set the state and are neither fitted nor scored. A test file needs the same\n"
        "column of records, or is one record without --series.\n"
        "\n"
        "With two or more inputs, each is divided by its standard deviation (fit --scale-each), so that\n"
        "units do not matter. --no-scale-each uses one scale for all inputs.\n"
        "\n"
        "The table of the families has the NMSE (mean squared error relative to the variance of the outputs)\n"
        "on all validation rows and on each of three blocks. A nonlinear model is chosen only if its error is\n"
        "lower than that of the better linear model on every block and in one simulation of all blocks. For\n"
        "inputs 1.3 times as large, it must not depart from the linear model. The test error is in the unit\n"
        "of the outputs.\n"
        "\n"
        "The data check computes the dead time (the first lag with a significant response) and the shares\n"
        "of the output variance due to a linear model, noise and nonlinearity. It warns about uneven time\n"
        "steps, inputs that hardly change or have few frequencies, and outputs without a response. It also\n"
        "warns about outputs that are often at an end of their range, integrate the inputs or drift, and\n"
        "about inputs that depend on earlier outputs (swapped columns, or a closed loop). After the test, a\n"
        "warning reports a linear model with less than 0.8 of the squared error.\n"
        "\n"
        "--report writes a page with measured and simulated test rows, residuals, frequency responses,\n"
        "Volterra kernels and the errors of all families. With --json, the object diagnosis has the same\n"
        "numbers; --report /dev/null prints it without a page.\n"
        "\n"
        "With --draws the result depends only on the data, the number and --seed. With --budget it also\n"
        "depends on the speed of the machine. A warning before the search reports a budget that is too\n"
        "short for a nonlinear model. The page docs/tasks/identify.md describes the stages.\n",
    .examples =
        "  volterra identify data.csv --x u --y y -o model.safetensors\n"
        "  volterra identify data.csv --x u --y y -o model.safetensors --report page.html\n"
        "  volterra identify data.csv --x u --y y --test other.csv --budget 10min -o model.safetensors\n"
        "  volterra identify runs.csv --x u --y y --series run --missing interpolate -o model.safetensors\n"
        "  volterra identify --x u.csv --y y.csv:level --draws 200 --seed 1 -o model.safetensors --json\n",
    .options = OPTION_TABLE(rows),
    .run = run_identify,
};
