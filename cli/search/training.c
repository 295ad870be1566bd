/* cli/search/training.c: reads the training sequence of fit and tune, and fits it. */
#include "search/training.h"

#include "args/shell_words.h"
#include "files/outputs.h"
#include "files/row_times.h"
#include "search/training_solver.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---------------------------------------------------------------------------------- */

#define ROW(...) OPTION(training_arguments, __VA_ARGS__)
static const option pairing_rows[] = {
    ROW("y", "Y", y, "targets; rows of the same date if X and Y have dates, otherwise row by row",
        .unset = "X"),
    ROW("ahead", "H|A..B", ahead, "forecast horizon in rows; several horizons are separate outputs",
        .unset = "0 with --y, 1 without"),
    ROW("calendar", "PARTS", calendar, CALENDAR_MEANING),
    ROW("series", "FILE:COLUMN", series, SERIES_MEANING),
    ROWS_OPTION(training_arguments, rows, "X and Y"),
    MISSING_OPTION(training_arguments, missing),
    SWITCH(training_arguments, "allow-target-in-inputs", pairing.allow_target_in_inputs, 1,
           "allow a target that is also an input of the same row, with --ahead 0", .is_rare = true),
};
const option_table training_pairing_options = OPTION_TABLE(pairing_rows);

static const option data_rows[] = {
    ROW("x", "X", x, INPUTS_MEANING, .required = true),
    {.kind = OPTION_GROUP, .table = &training_pairing_options},
};
const option_table training_data_options = OPTION_TABLE(data_rows);

static const option input_rows[] = {
    ROW("target", NULL, fit.target,
        "quantity learned: the level of the target, or its change from the current row; auto: the change if "
        "alpha is not given and every target is an input, otherwise the level",
        .choices = target_choices, .fallback = "auto", .hint = "--y FILE:COLUMNS selects the targets"),
    ROW("input", NULL, fit.input,
        "inputs of the kernel: levels, changes from the previous row, or both with the values one season ago; "
        "auto: both if alpha is not given and every target is an input, otherwise levels",
        .choices = input_choices, .fallback = "auto", .hint = "--x FILE:COLUMNS selects the inputs"),
    ROW("season", "S", season, SEASON_MEANING, .fallback = "auto"),
    SWITCH(training_arguments, "scale-each", fit.scale_each, 1,
           "every input divided by its standard deviation, for different units; constant inputs are ignored"),
};
const option_table training_input_options = OPTION_TABLE(input_rows);

static const option readout_rows[] = {
    ROW("washout", "W", fit.washout,
        "leading rows of every record excluded from the fit; they initialise the state", .fallback = "0"),
    ROW("initial", "zero|first|mean|VALUES", initial,
        "constant input before the first row of every record: zero after scaling, the first row of the record, "
        "the mean of the inputs, or values in their units, one per input",
        .fallback = "zero", .is_rare = true),
    SWITCH(training_arguments, "no-intercept", fit.intercept, 0, "no constant term", .is_rare = true),
    SWITCH(training_arguments, "no-scale", fit.scale, 0, "no scaling of inputs and targets", .is_rare = true),
};
const option_table training_readout_options = OPTION_TABLE(readout_rows);

static const option model_rows[] = {
    {.kind = OPTION_GROUP, .table = &training_input_options},
    SWITCH(training_arguments, "feedback", pairing.fed_outputs, 1,
           "outputs of the previous row as additional inputs (NARX model); measured outputs in training"),
    {.kind = OPTION_GROUP, .table = &training_readout_options},
};
const option_table training_model_options = OPTION_TABLE(model_rows);

training_arguments training_defaults(void)
{
    return (training_arguments){.pairing = volt_pairing_options_default(), .fit = volt_fit_options_default()};
}

/* ---- data ------------------------------------------------------------------------------------- */

static int read_files(const training_arguments *arguments, training_data *data)
{
    volt_missing wanted = arguments->missing;
    volt_missing missing = record_list_policy(arguments->series, wanted);
    int failed;
    if (loss_has_classes(&data->loss)) {
        if (!arguments->y)
            return complain(EXIT_USAGE, "--loss %s requires --y, the column of classes", data->loss.info.text);
        failed = dataset_read_rows(&data->x, arguments->x, missing, &arguments->rows, "--rows");
        if (!failed)
            failed = loss_read_labels(&data->loss, arguments->y, &data->x);
        data->label_name[0] = data->loss.name;
    } else if (arguments->y) {
        failed = dataset_read_pair(&data->x, arguments->x, &data->y, arguments->y, missing,
                                   arguments->keeps_rows_without_target, &arguments->rows);
    } else {
        failed = dataset_read_rows(&data->x, arguments->x, missing, &arguments->rows, "--rows");
    }
    if (!failed)
        failed = record_list_open(&data->records, arguments->series, &data->x);
    if (!failed)
        failed = loss_read_weights(&data->loss, arguments->weights, &data->x);
    if (!failed)
        failed = dataset_align((dataset *const[]){&data->x, &data->y, &data->records.file,
                                                  &data->loss.label_file, &data->loss.weight_file},
                               5);
    if (!failed)
        failed = loss_set_labels(&data->loss);
    if (!failed)
        failed = record_list_find(&data->records, &data->x);
    if (!failed)
        failed = record_list_fill(&data->records, &data->x, &data->y, wanted);
    return failed;
}

/* ---- horizon ---------------------------------------------------------------------------------- */

/* Parses "H" or "A..B". */
static int read_ahead(const training_arguments *arguments, training_data *data)
{
    const char *text = arguments->ahead;
    int64_t least = arguments->y ? 0 : 1;
    data->first_ahead = data->ahead = least;
    if (!text)
        return 0;
    long long first = 0, last = 0;
    int used = 0;
    if (sscanf(text, "%12lld..%12lld%n", &first, &last, &used) != 2 || text[used]) {
        used = 0;
        if (sscanf(text, "%12lld%n", &first, &used) != 1 || text[used] || first < 0)
            return complain(EXIT_USAGE,
                            "--ahead must be an integer of at least 0, or a range such as 1..24 (got '%s')",
                            text);
        last = first;
    }
    if (first < 0 || first > last || (first < last && first < 1))
        return complain(EXIT_USAGE, "--ahead must be a range A..B with 1 <= A <= B (got %s)", text);
    if (!arguments->y && first == 0)
        return complain(EXIT_USAGE, "--ahead must be at least 1 without --y (got 0)");
    data->first_ahead = first;
    data->ahead = last;
    return 0;
}

int training_season(const char *text, int64_t *season)
{
    long long given = 0;
    int used = 0;
    *season = VOLT_SEASON_AUTO;
    if (!text || strcmp(text, "auto") == 0)
        return 0;
    *season = 0;
    if (strcmp(text, "none") == 0)
        return 0;
    if (sscanf(text, "%12lld%n", &given, &used) != 1 || text[used] || given < 2)
        return complain(EXIT_USAGE, "--season must be an integer of at least 2, none or auto (got '%s')", text);
    *season = given;
    return 0;
}

int training_initial(const char *text, training_data *data)
{
    static const char *const words[] = {"zero", "first", "mean"};
    for (int i = 0; i < 3; i++)
        if (!text || strcmp(text, words[i]) == 0) {
            data->initial = text ? (volt_initial)i : VOLT_INITIAL_ZERO;
            return 0;
        }
    long long count = 0, wanted = data->inputs.cols;
    data->initial = VOLT_INITIAL_VALUES;
    data->initial_values = calloc((size_t)wanted, sizeof(double));
    if (!data->initial_values)
        return complain(EXIT_FAILURE, "out of memory");
    for (const char *at = text; at; count++) {
        char number[VOLT_NUMBER_LENGTH];
        const char *end = strchr(at, ',');
        size_t length = end ? (size_t)(end - at) : strlen(at);
        double value = 0;
        snprintf(number, sizeof number, "%.*s", (int)(length < sizeof number ? length : sizeof number - 1), at);
        if (length >= sizeof number || !volt_parse_number(number, &value) || !isfinite(value))
            return complain(EXIT_USAGE, "--initial must be zero, first, mean or finite numbers (got '%s')",
                            text);
        if (count < wanted)
            data->initial_values[count] = value;
        at = end ? end + 1 : NULL;
    }
    if (count != wanted)
        return complain(EXIT_USAGE, "--initial must have %lld value%s, one per input (got %lld in '%s')",
                        wanted, wanted == 1 ? "" : "s", count, text);
    return 0;
}

/* Pairs inputs and targets, and reports errors and warnings of the library. */
static int pair_rows(const training_arguments *arguments, training_data *data)
{
    char hint[HINT_LENGTH];
    const dataset *target = arguments->y ? &data->y : &data->x;
    volt_pairing_options options = arguments->pairing;
    data->input_names = (const char *const *)data->x.names;
    options.ahead = data->ahead;
    options.first_ahead = data->first_ahead;
    options.records = data->records.lengths;
    options.n_records = data->records.n;
    options.record_names = data->records.names;
    options.input_names = data->input_names;
    options.target_names = (const char *const *)(data->loss.name ? data->label_name : target->names);
    options.known_inputs = data->calendar.cols;
    options.loss = data->loss.info.text;
    options.labels = data->loss.labels;
    volt_status status = volt_pairing_create(data->x.view, data->y.view, &options, &data->pairing);
    if (status == VOLT_ERR_ARGUMENT && options.fed_outputs && (!arguments->y || data->ahead > 0))
        return complain_status_hint(status, " (--feedback, --y, --ahead)");
    if (status == VOLT_ERR_ARGUMENT && data->ahead == 0) /* the only other argument that can be invalid here */
        return complain_status_hint(status, " (--x, --ahead, --allow-target-in-inputs)");
    if (status)
        return complain_status_hint(status, " (--x %.120s)%s", arguments->x, dataset_hint(&data->x, hint));
    const volt_pairing *pairing = data->pairing;
    data->inputs = pairing->inputs;
    data->targets = pairing->targets;
    if (pairing->missing_targets > 0)
        warn("%s: %lld of %lld rows without a target are not fitted", arguments->y,
             (long long)pairing->missing_targets, (long long)data->y.view.rows);
    return 0;
}

int training_read(const training_arguments *arguments, training_data *data)
{
    if (arguments->fit.scale_each && !arguments->fit.scale)
        return complain(EXIT_USAGE, "--scale-each and --no-scale cannot be given together");
    int failed = read_ahead(arguments, data);
    if (!failed)
        failed = loss_read(arguments->fit.loss, &data->loss);
    if (!failed)
        failed = calendar_check(arguments->calendar, arguments->fit.scale ? 0 : 1, &data->calendar);
    if (!failed)
        failed = training_season(arguments->season, &data->season);
    if (!failed)
        failed = read_files(arguments, data);
    if (!failed)
        failed = calendar_add(&data->calendar, &data->x, "--calendar");
    if (!failed)
        failed = row_times_check_training(&data->x, data->records.lengths, data->records.n);
    if (failed)
        return failed;
    failed = pair_rows(arguments, data);
    if (!failed)
        failed = loss_set_weights(&data->loss, data->inputs.rows, data->pairing->rows);
    if (!failed)
        failed = training_initial(arguments->initial, data);
    model_times_note(&data->calendar, &data->noted);
    if (data->ahead > data->first_ahead)
        model_times_note_horizons(data->first_ahead, data->ahead, &data->noted);
    return failed;
}

void training_release(training_data *data)
{
    record_list_release(&data->records);
    loss_release(&data->loss);
    free(data->initial_values);
    volt_pairing_free(data->pairing);
    dataset_release(&data->x);
    dataset_release(&data->y);
}

/* ---- fit -------------------------------------------------------------------------------------- */

volt_fit_options training_options(const training_arguments *arguments, const training_data *data)
{
    const volt_pairing *pairing = data->pairing;
    volt_fit_options options = arguments->fit;
    options.initial = data->initial;
    options.initial_values = data->initial_values;
    options.ahead = data->ahead;
    options.feedback = pairing->feedback;
    options.season = data->season;
    options.missing_targets = pairing->missing_targets > 0;
    options.anchors = pairing->anchors;
    options.input_names = data->input_names;
    options.output_names = pairing->output_names;
    options.passthrough_columns = data->calendar.cols;
    options.notes = data->noted.notes;
    options.times = data->x.table->times;
    options.n_times = data->x.table->rows;
    options.pending = pairing->pending;
    options.records = pairing->records;
    options.n_records = pairing->n_records;
    options.loss = data->loss.info.text;
    options.weights = data->loss.weights;
    options.classes = pairing->classes;
    options.n_classes = pairing->n_classes;
    return options;
}

volt_assess_options training_assess_options(const training_data *data)
{
    volt_assess_options options = volt_assess_options_default();
    options.season = data->season;
    options.weights = data->loss.weights;
    options.by_loss = loss_is_other(&data->loss) || data->loss.weights;
    return options;
}

int search_data_prepare(const training_arguments *arguments, const training_data *data, bool alpha_is_given,
                        int64_t learn_rows, search_data *made)
{
    volt_fit_options *fit = &made->fit;
    *fit = training_options(arguments, data);
    fit->alpha = alpha_is_given; /* the value is ignored */
    fit->solver = NULL;          /* of the best model only */
    if (!loss_is_other(&data->loss))
        fit->loss = NULL;
    volt_status status = volt_prepare(data->inputs, data->targets, fit, learn_rows, &made->prepared);
    if (status)
        return complain_status(status);
    fit->loss = data->loss.info.text;
    fit->solver = arguments->fit.solver;
    fit->target = made->prepared->target;
    fit->input = made->prepared->input;
    fit->season = made->prepared->season;
    fit->guarded = made->prepared->guarded;
    return 0;
}

void search_data_release(search_data *made)
{
    volt_prepared_free(made->prepared);
    memset(made, 0, sizeof *made);
}

bool search_data_is_plain(const search_data *seen)
{
    return seen->fit.target == VOLT_TARGET_LEVEL && seen->fit.input == VOLT_INPUT_LEVEL;
}

int training_fit(const training_data *data, const volt_kernel *kernel, volt_fit_options options, bool quiet,
                 volt_matrix fitted, volt_model **model)
{
    options.progress = progress_begin(quiet);
    volt_status status = volt_model_fit(kernel, data->inputs, data->targets, &options, fitted, model);
    progress_end();
    if (status == VOLT_ERR_MEMORY)
        return complain_status_hint(status, " (run: volterra plan --n %lld --d %lld --q %lld)",
                                    (long long)data->inputs.rows, (long long)data->inputs.cols,
                                    (long long)data->pairing->outputs);
    if (!status && interrupt_seen())
        status = VOLT_ERR_CANCELLED;
    if (status == VOLT_ERR_SINGULAR && held_warning())
        return complain_status_hint(status, " (%s)", held_warning());
    char hint[HINT_LENGTH];
    return status ? complain_status_hint(status, "%s", dataset_hint(&data->x, hint)) : 0;
}

int training_check_output(const training_arguments *arguments, const char *path)
{
    int failed = output_check(path);
    if (!failed)
        failed = output_check_against(path, arguments->x);
    if (!failed)
        failed = output_check_against(path, arguments->y);
    if (!failed)
        failed = output_check_against(path, arguments->series);
    if (!failed)
        failed = output_check_against(path, arguments->weights);
    return failed;
}

/* ---- command line ----------------------------------------------------------------------------- */

/* Adds the target, input and season options. Levels are the default when alpha is given. */
static void add_series(shell_words *words, const training_arguments *arguments, const volt_fit_options *options)
{
    if (options->target != VOLT_TARGET_LEVEL)
        shell_words_add(words, "--target", choice_word(target_choices, (int)options->target));
    if (options->input != VOLT_INPUT_LEVEL)
        shell_words_add(words, "--input", choice_word(input_choices, (int)options->input));
    if (options->input != VOLT_INPUT_LEVEL && options->season > 0)
        shell_words_add_count(words, "--season", options->season);
    else if (options->input != VOLT_INPUT_LEVEL)
        shell_words_add(words, "--season", "none");
    if (options->guarded)
        shell_words_add(words, "--guard", NULL);
    if (arguments->pairing.allow_target_in_inputs)
        shell_words_add(words, "--allow-target-in-inputs", NULL);
}

char *training_fit_command(const training_arguments *arguments, const volt_fit_options *options,
                           const char *kernel, const char *model)
{
    char number[VOLT_NUMBER_LENGTH];
    shell_words words = {0};
    shell_words_add(&words, NULL, "volterra");
    shell_words_add(&words, NULL, "fit");
    shell_words_add(&words, "--x", arguments->x);
    if (arguments->y)
        shell_words_add(&words, "--y", arguments->y);
    if (arguments->ahead)
        shell_words_add(&words, "--ahead", arguments->ahead);
    if (arguments->calendar)
        shell_words_add(&words, "--calendar", arguments->calendar);
    if (arguments->series)
        shell_words_add(&words, "--series", arguments->series);
    shell_words_add(&words, "--kernel", kernel);
    shell_words_add(&words, "--alpha", volt_format_number(options->alpha, number));
    add_series(&words, arguments, options);
    if (options->feedback_weight > 0) {
        shell_words_add(&words, "--feedback", NULL);
        shell_words_add(&words, "--feedback-weight", volt_format_number(options->feedback_weight, number));
    }
    if (arguments->fit.loss)
        shell_words_add(&words, "--loss", arguments->fit.loss);
    if (arguments->weights)
        shell_words_add(&words, "--weights", arguments->weights);
    if (options->tolerance > 0)
        shell_words_add(&words, "--tolerance", volt_format_number(options->tolerance, number));
    solver_words(options, &words);
    if (options->washout > 0)
        shell_words_add_count(&words, "--washout", options->washout);
    if (arguments->initial && strcmp(arguments->initial, "zero") != 0)
        shell_words_add(&words, "--initial", arguments->initial);
    if (arguments->rows.given)
        shell_words_add(&words, "--rows", arguments->rows.text);
    if (!options->intercept)
        shell_words_add(&words, "--no-intercept", NULL);
    if (!options->scale)
        shell_words_add(&words, "--no-scale", NULL);
    if (options->scale_each)
        shell_words_add(&words, "--scale-each", NULL);
    if (arguments->missing != VOLT_MISSING_ERROR)
        shell_words_add(&words, "--missing", choice_word(missing_choices, (int)arguments->missing));
    shell_words_add(&words, "-o", model);
    return shell_words_take(&words);
}
