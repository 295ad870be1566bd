/* cli/search/training.c: read the sequence that fit and tune learn from, and fit it. */
#include "search/training.h"

#include "args/shell_words.h"
#include "files/outputs.h"
#include "files/row_times.h"
#include "search/training_solver.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the sequence ----------------------------------------------------------------------------- */

static bool same_names(const char **first, const char **second, int64_t count)
{
    if (!first || !second)
        return false;
    for (int64_t j = 0; j < count; j++)
        if (strcmp(first[j], second[j]) != 0)
            return false;
    return true;
}

/* Is every target the next input? Counts the pairs that it found. */
static bool targets_are_next_inputs(volt_view inputs, volt_view targets, int64_t *pairs)
{
    if (!inputs.data || !targets.data)
        return false;
    for (int64_t i = 0; i + 1 < inputs.rows; i++, ++*pairs)
        for (int64_t j = 0; j < inputs.cols; j++)
            if (targets.data[i * targets.ld + j] != inputs.data[(i + 1) * inputs.ld + j])
                return false;
    return true;
}

/* Of every record. */
static bool numbers_feed_back(const training_data *data)
{
    int64_t pairs = 0, n = data->lengths ? data->records.n : 1;
    for (int64_t r = 0, first = 0; r < n; r++) {
        int64_t count = data->lengths ? data->lengths[r] : data->inputs.rows;
        if (!targets_are_next_inputs(volt_view_rows(data->inputs, first, count),
                                     volt_view_rows(data->targets, first, count), &pairs))
            return false;
        first += count;
    }
    return pairs > 0;
}

/* The outputs are the inputs one step later: by their names, or because the numbers say so. */
static bool can_feed_back(const training_data *data)
{
    if (data->inputs.cols != data->targets.cols)
        return false;
    if (data->ahead == 1 && same_names(data->input_names, data->output_names, data->inputs.cols))
        return true;
    return numbers_feed_back(data);
}

/* Rows in which a value is missing. */
static int64_t count_holes(volt_view y)
{
    int64_t count = 0;
    for (int64_t i = 0; i < y.rows; i++) {
        bool hole = false;
        for (int64_t k = 0; k < y.cols; k++)
            hole |= isnan(y.data[i * y.ld + k]) != 0;
        count += hole;
    }
    return count;
}

static int read_files(const training_arguments *arguments, training_data *data)
{
    volt_missing missing = missing_policy(arguments->missing);
    int failed;
    if (loss_has_classes(&data->loss)) {
        if (!arguments->y)
            return complain(EXIT_USAGE, "--loss %s needs --y, the column of classes",
                            volt_loss_text(data->loss.loss));
        failed = dataset_read_rows(&data->x, arguments->x, missing, &arguments->rows, "--rows");
        if (!failed)
            failed = loss_read_labels(&data->loss, arguments->y, &data->x);
        data->label_name[0] = data->loss.name;
    } else if (arguments->y) {
        failed = dataset_read_pair(&data->x, arguments->x, &data->y, arguments->y, missing,
                                   arguments->keeps_rows_without_target, &arguments->rows);
        data->has_holes = !failed && count_holes(data->y.view) > 0;
        if (data->has_holes)
            warn("%s: a target is missing in %lld of %lld rows, which feed the past and are not fitted",
                 arguments->y, (long long)count_holes(data->y.view), (long long)data->y.view.rows);
    } else {
        failed = dataset_read_rows(&data->x, arguments->x, missing, &arguments->rows, "--rows");
    }
    return failed;
}

/* ---- how far ahead ---------------------------------------------------------------------------- */

/* "H" or "A..B". */
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
                            "--ahead must be a whole number of at least 0, or a range such as 1..24, not '%s'",
                            text);
        last = first;
    }
    if (first < 0 || first > last || (first < last && first < 1))
        return complain(EXIT_USAGE, "--ahead %s: a range A..B must have 1 <= A <= B", text);
    if (!arguments->y && first == 0)
        return complain(EXIT_USAGE, "--ahead 0 without --y would learn the inputs from themselves; "
                                    "give --ahead 1 or more, or --y");
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
        return complain(EXIT_USAGE, "--season must be a number of rows of at least 2, none or auto, not '%s'",
                        text);
    *season = given;
    return 0;
}

/* ---- records ---------------------------------------------------------------------------------- */

/* Row of x that row i of the inputs is: a record has `ahead` rows fewer there. */
static int64_t row_of(const void *of, int64_t i)
{
    const training_data *data = of;
    int64_t r = 0, end = data->lengths ? data->lengths[0] : INT64_MAX;
    while (i >= end)
        end += data->lengths[++r];
    return i + r * data->ahead;
}

/* The rows of every record from `later` on, as many as are fitted, one record after the other. */
static int join_records(const training_data *data, volt_view rows, int64_t later, int64_t count,
                        volt_matrix *joined, volt_view *view)
{
    int failed = allocate_matrix(count, rows.cols, "the rows of the records", joined);
    for (int64_t r = 0, to = 0, from = 0; !failed && r < data->records.n; from += data->records.lengths[r++])
        for (int64_t i = 0; i < data->lengths[r]; i++, to++)
            memcpy(joined->data + to * joined->ld, rows.data + (from + later + i) * rows.ld,
                   (size_t)rows.cols * sizeof(double));
    *view = volt_as_view(*joined);
    return failed;
}

/* Inputs and targets of all records. */
static int take_records(const training_arguments *arguments, training_data *data)
{
    const record_list *records = &data->records;
    int failed = record_list_require(records, arguments->series, data->ahead);
    if (failed)
        return failed;
    data->lengths = malloc((size_t)records->n * sizeof *data->lengths);
    if (!data->lengths)
        return complain(EXIT_FAILED, "not enough memory for the records of %s", arguments->series);
    for (int64_t r = 0; r < records->n; r++)
        data->lengths[r] = records->lengths[r] - data->ahead;
    int64_t count = data->x.view.rows - records->n * data->ahead;
    failed = join_records(data, data->x.view, 0, count, &data->joined[0], &data->inputs);
    return failed ? failed
                  : join_records(data, data->series, data->ahead, count, &data->joined[1], &data->targets);
}

/* Every column of the series at every horizon, side by side. */
static int spread_horizons(training_data *data, const char **names)
{
    int64_t count = data->ahead - data->first_ahead + 1, rows = data->inputs.rows, cols = data->series.cols;
    enum { NUMBER_ROOM = 24 };
    size_t longest = 16;
    for (int64_t k = 0; names && k < cols; k++)
        longest = strlen(names[k]) > longest ? strlen(names[k]) : longest;
    int failed = allocate_matrix(rows, cols * count, "the targets of all horizons", &data->horizons);
    if (failed)
        return failed;
    size_t each = longest + NUMBER_ROOM, outputs = (size_t)(cols * count);
    data->horizon_names = calloc(outputs, sizeof *data->horizon_names + each);
    if (!data->horizon_names)
        return complain(EXIT_FAILED, "not enough memory for the names of the outputs");
    char *room = (char *)(data->horizon_names + outputs);
    for (int64_t k = 0; k < cols; k++)
        for (int64_t h = 0; h < count; h++) {
            int64_t output = k * count + h, ahead = data->first_ahead + h;
            for (int64_t i = 0; i < rows; i++)
                data->horizons.data[i * data->horizons.ld + output] =
                    data->series.data[(row_of(data, i) + ahead) * data->series.ld + k];
            data->horizon_names[output] = room + (size_t)output * each;
            if (names)
                snprintf(data->horizon_names[output], each, "%s+%lld", names[k], (long long)ahead);
            else
                snprintf(data->horizon_names[output], each, "y%lld+%lld", (long long)k + 1, (long long)ahead);
        }
    data->targets = volt_as_view(data->horizons);
    data->output_names = (const char **)data->horizon_names;
    return 0;
}

/* ---- which input a target is ------------------------------------------------------------------ */

static bool is_same_column(volt_view x, int64_t j, volt_view y, int64_t k)
{
    for (int64_t i = 0; i < x.rows; i++)
        if (x.data[i * x.ld + j] != y.data[i * y.ld + k])
            return false;
    return true;
}

/* The input that column k of the series is, row by row; -1: none. */
static int64_t find_anchor(const training_data *data, int64_t k)
{
    for (int64_t j = 0; j < data->x.view.cols; j++)
        if (is_same_column(data->x.view, j, data->series, k))
            return j;
    return -1;
}

static int refuse_target(const training_arguments *arguments, const training_data *data, int64_t input)
{
    char name[64];
    if (data->x.names)
        snprintf(name, sizeof name, "%.60s", data->x.names[input]);
    else
        snprintf(name, sizeof name, "column %lld", (long long)input + 1);
    return complain(EXIT_USAGE,
                    "%s is a target and also an input of the same row, so the model would read the answer off "
                    "%s: give --ahead 1 or more, leave it out of --x, or say --allow-target-in-inputs",
                    name, arguments->x);
}

static int find_anchors(const training_arguments *arguments, training_data *data)
{
    int64_t count = data->ahead - data->first_ahead + 1;
    data->anchors = calloc((size_t)data->targets.cols, sizeof *data->anchors);
    if (!data->anchors)
        return complain(EXIT_FAILED, "not enough memory for the columns of the targets");
    bool all = true;
    for (int64_t k = 0; k < data->series.cols; k++) {
        int64_t anchor = arguments->y ? find_anchor(data, k) : k;
        if (anchor >= 0 && data->ahead == 0 && data->series.rows > 1 && !arguments->allow_target_in_inputs)
            return refuse_target(arguments, data, anchor);
        for (int64_t h = 0; h < count; h++)
            data->anchors[k * count + h] = anchor;
        all = all && anchor >= 0;
    }
    if (!all || data->ahead == 0) {
        free(data->anchors);
        data->anchors = NULL;
    }
    return 0;
}

/* Columns of the calendar behind the inputs. What is forecast is none of them: the series is what was read. */
static int add_calendar(const training_arguments *arguments, training_data *data)
{
    data->series = data->loss.labels.data ? volt_as_view(data->loss.labels)
                   : arguments->y         ? data->y.view
                                          : data->x.view;
    if (data->calendar.parts && !arguments->no_scale)
        data->calendar.scale = calendar_scale(data->x.view);
    return calendar_add(&data->calendar, &data->x, "--calendar");
}

/* What the model will know of the times of its rows. */
static int note_times(training_data *data)
{
    int failed = model_times_note(&data->x, data->x.view.rows - data->ahead, &data->calendar, &data->noted);
    if (!failed && data->ahead > data->first_ahead)
        model_times_note_horizons(data->first_ahead, data->ahead, &data->noted);
    return failed;
}

/* What comes back must be a target of its own, and known by then. */
static int check_feedback(const training_arguments *arguments, const training_data *data)
{
    if (arguments->feedback && !arguments->y)
        return complain(EXIT_USAGE,
                        "--feedback needs targets beside the inputs: give --y (a series alone feeds back by "
                        "itself, see volterra continue)");
    if (arguments->feedback && data->ahead > 0)
        return complain(EXIT_USAGE,
                        "--feedback brings the target of the row before, which must be known by then: it does "
                        "not go with --ahead %s",
                        arguments->ahead);
    return 0;
}

int training_read(const training_arguments *arguments, training_data *data)
{
    int failed = read_ahead(arguments, data);
    if (!failed)
        failed = check_feedback(arguments, data);
    if (!failed)
        failed = loss_read(&arguments->loss, &data->loss);
    if (!failed)
        failed = calendar_check(arguments->calendar, &data->calendar);
    if (!failed)
        failed = training_season(arguments->season, &data->season);
    if (!failed)
        failed = read_files(arguments, data);
    if (!failed)
        failed = add_calendar(arguments, data);
    if (!failed)
        failed = record_list_read(&data->records, arguments->series, &data->x);
    if (failed)
        return failed;
    if (data->records.n == 0)
        row_times_warn_order(&data->x);

    const dataset *target = arguments->y ? &data->y : &data->x;
    int64_t n = data->x.view.rows;
    char hint[HINT_LENGTH];
    if (n == 1 && data->ahead > 0)
        return complain(EXIT_FAILED, "%s has only one row; a target %lld ahead needs at least %lld%s",
                        arguments->x, (long long)data->ahead, (long long)data->ahead + 1,
                        dataset_hint(&data->x, hint));
    if (data->ahead >= n)
        return complain(EXIT_USAGE, "--ahead %lld must be less than the %lld rows of %s%s",
                        (long long)data->ahead, (long long)n, arguments->x, dataset_hint(&data->x, hint));
    data->inputs = volt_view_rows(data->x.view, 0, n - data->ahead);
    data->targets = volt_view_rows(data->series, data->ahead, n - data->ahead);
    if (data->records.n > 0)
        failed = take_records(arguments, data);
    if (failed)
        return failed;
    data->input_names = data->x.names;
    data->output_names = data->loss.name ? data->label_name : target->names;
    failed = loss_read_weights(&data->loss, &arguments->loss, &data->x, data->inputs.rows, row_of, data);
    if (failed)
        return failed;
    bool several = data->ahead > data->first_ahead;
    data->feeds = arguments->feedback;
    data->feedback = !several && can_feed_back(data);
    if (several)
        failed = spread_horizons(data, target->names);
    if (!failed)
        failed = find_anchors(arguments, data);
    return failed ? failed : note_times(data);
}

void training_release(training_data *data)
{
    record_list_release(&data->records);
    loss_release(&data->loss);
    free(data->lengths);
    free(data->joined[0].data);
    free(data->joined[1].data);
    free(data->anchors);
    free(data->horizons.data);
    free(data->horizon_names);
    dataset_release(&data->x);
    dataset_release(&data->y);
}

/* ---- the fit ---------------------------------------------------------------------------------- */

volt_fit_options training_options(const training_arguments *arguments, const training_data *data)
{
    volt_fit_options options = volt_fit_options_default();
    options.washout = arguments->washout;
    options.intercept = !arguments->no_intercept;
    options.scale = !arguments->no_scale;
    options.ahead = data->ahead;
    options.feedback = data->feedback && !arguments->feedback &&
                       loss_outputs(&data->loss, data->targets.cols) == data->targets.cols;
    options.feedback_weight = arguments->feedback ? arguments->feedback_weight : 0;
    options.target = (volt_target)arguments->target;
    options.input = (volt_input)arguments->input;
    options.season = data->season;
    options.missing_targets = data->has_holes;
    options.anchors = data->anchors;
    options.input_names = (const char *const *)data->input_names;
    options.output_names = (const char *const *)data->output_names;
    options.as_they_are = data->calendar.cols;
    options.notes = data->noted.notes;
    options.records = data->lengths;
    options.n_records = data->lengths ? data->records.n : 0;
    options.loss = data->loss.loss ? volt_loss_text(data->loss.loss) : NULL;
    options.weights = data->loss.weights;
    options.classes = (const char *const *)data->loss.classes;
    options.n_classes = data->loss.n_classes;
    if (arguments->loss.tolerance > 0)
        options.tolerance = arguments->loss.tolerance;
    return options;
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
                                    (long long)loss_outputs(&data->loss, data->targets.cols));
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
        failed = output_check_against(path, arguments->loss.weights);
    return failed;
}

/* ---- the same again --------------------------------------------------------------------------- */

/* Levels from levels are what alpha alone stands for. */
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
    if (arguments->allow_target_in_inputs)
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
    if (arguments->loss.text)
        shell_words_add(&words, "--loss", arguments->loss.text);
    if (arguments->loss.weights)
        shell_words_add(&words, "--weights", arguments->loss.weights);
    if (arguments->loss.tolerance > 0)
        shell_words_add(&words, "--tolerance", volt_format_number(arguments->loss.tolerance, number));
    solver_words(options, &words);
    if (arguments->washout > 0)
        shell_words_add_count(&words, "--washout", arguments->washout);
    if (arguments->rows.given)
        shell_words_add(&words, "--rows", arguments->rows.text);
    if (arguments->no_intercept)
        shell_words_add(&words, "--no-intercept", NULL);
    if (arguments->no_scale)
        shell_words_add(&words, "--no-scale", NULL);
    if (arguments->missing != VOLT_MISSING_ERROR)
        shell_words_add(&words, "--missing", choice_word(missing_choices, arguments->missing));
    shell_words_add(&words, "-o", model);
    return shell_words_take(&words);
}
