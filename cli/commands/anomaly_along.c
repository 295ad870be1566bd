/* cli/commands/anomaly_along.c: detects anomalous rows of one series. */
#include "commands/anomaly_forms.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct watched_series {
    dataset x, labels;
    volt_row_anomaly_options options;
    int64_t train_rows, first; /* number of training rows; first row with a score */
    volt_matrix table;         /* rows x (score, threshold, alarm); set from the first scored row on */
    int64_t *channels;         /* channel with the largest error, per row */
    int64_t alarms;
    volt_ranking areas;
    bool has_areas;
    double seconds;
} watched_series;

enum { SCORE, THRESHOLD, ALARM, COLUMNS };

static void release(watched_series *series)
{
    dataset_release(&series->x);
    dataset_release(&series->labels);
    free(series->table.data);
    free(series->channels);
}

/* ---- read ------------------------------------------------------------------------------------- */

static int read_series(const anomaly_arguments *arguments, watched_series *series)
{
    int failed = dataset_read_rows(&series->x, arguments->x, (volt_missing)arguments->missing, &arguments->rows,
                                   "--rows");
    if (!failed && arguments->labels) {
        failed = dataset_read_rows(&series->labels, arguments->labels, VOLT_MISSING_ERROR, &arguments->rows,
                                   "--rows");
        if (!failed && series->labels.view.cols != 1)
            failed = complain(EXIT_USAGE, "--labels must be one column, FILE:COLUMN (got %lld columns)",
                              (long long)series->labels.view.cols);
        if (!failed)
            failed = dataset_align((dataset *const[]){&series->x, &series->labels}, 2);
    }
    if (failed)
        return failed;
    if (series->x.view.rows <= arguments->train_rows)
        return complain(EXIT_FAILED, "%s has %lld rows and --train-rows is %lld: no rows left to score",
                        arguments->x, (long long)series->x.view.rows, (long long)arguments->train_rows);
    return 0;
}

/* ---- fit and score ---------------------------------------------------------------------------- */

static int fit(const anomaly_arguments *arguments, watched_series *series, volt_model **model)
{
    volt_row_anomaly_options *options = &series->options;
    *options = volt_row_anomaly_options_default();
    options->kernel = arguments->kernel;
    options->train_rows = arguments->train_rows;
    options->window = arguments->window;
    if (arguments->rate > 0)
        options->rate = arguments->rate;
    options->progress = progress_begin(arguments->common.quiet);
    volt_status status = volt_row_anomaly_fit(series->x.view, options, model);
    progress_end();
    if (status == VOLT_ERR_KERNEL)
        return complain_status_hint(status, " (see volterra help kernels)");
    if (status)
        return complain_status_hint(status, " (--x %.120s)", arguments->x);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(*model, &info);
    series->train_rows = info.n + 1;
    return 0;
}

/* Scores the rows after the training rows. */
static int score(const anomaly_arguments *arguments, const volt_model *model, watched_series *series)
{
    int64_t rows = series->x.view.rows, first = series->train_rows;
    int failed = allocate_matrix(rows, COLUMNS, "the scores", &series->table);
    series->channels = malloc((size_t)rows * sizeof *series->channels);
    if (!failed && !series->channels)
        failed = complain(EXIT_FAILED, "not enough memory for the scores");
    if (failed)
        return failed;
    series->options.progress = progress_begin(arguments->common.quiet);
    volt_status status =
        volt_row_anomaly_score(model, volt_view_rows(series->x.view, first, rows - first), &series->options,
                               volt_matrix_rows(series->table, first, rows - first), series->channels + first);
    series->seconds = progress_end();
    if (status)
        return complain_status(status);
    while (first < rows && isnan(series->table.data[first * COLUMNS + SCORE]))
        first++;
    series->first = first;
    for (int64_t t = first; t < rows; t++)
        series->alarms += series->table.data[t * COLUMNS + ALARM] > 0;
    return 0;
}

/* ---- ranking ---------------------------------------------------------------------------------- */

static int rank(watched_series *series)
{
    int64_t first = series->first, count = series->x.view.rows - first, marked = 0;
    double *scores = malloc((size_t)(count > 0 ? count : 1) * sizeof *scores);
    int *marks = malloc((size_t)(count > 0 ? count : 1) * sizeof *marks), failed = 0;
    for (int64_t i = 0; scores && marks && i < count; i++) {
        scores[i] = series->table.data[(first + i) * COLUMNS + SCORE];
        marked += marks[i] = series->labels.view.data[(first + i) * series->labels.view.ld] != 0;
    }
    if (!scores || !marks) {
        failed = complain(EXIT_FAILED, "not enough memory for the labels");
    } else if (marked > 0 && marked < count) {
        series->areas.struct_size = sizeof series->areas;
        volt_status status = volt_ranking_compute(scores, marks, count, &series->areas);
        series->has_areas = status == VOLT_OK;
        failed = status ? complain_status(status) : 0;
    } else {
        warn("ROC and PR AUC require normal and anomalous rows (of %lld scored rows, %lld are labelled as "
             "anomalies)",
             (long long)count, (long long)marked);
    }
    free(scores);
    free(marks);
    return failed;
}

/* ---- report ----------------------------------------------------------------------------------- */

/* Return the row number in the file, and its time or NULL. */
static int64_t row_number(const watched_series *series, int64_t t)
{
    return series->x.table->row_numbers ? series->x.table->row_numbers[t] : t;
}

static const char *row_time(const watched_series *series, int64_t t)
{
    return series->x.table->time_texts ? series->x.table->time_texts[t] : NULL;
}

static void report_alarms(result_list *results, const watched_series *series)
{
    enum { FEW = 5 };
    int64_t shown = 0;
    const char **names = series->x.names;
    for (int64_t t = series->first; t < series->x.view.rows; t++) {
        const double *row = series->table.data + t * COLUMNS;
        if (!(row[ALARM] > 0))
            continue;
        const char *time = row_time(series, t);
        char channel[64];
        if (names)
            snprintf(channel, sizeof channel, "%s", names[series->channels[t]]);
        else
            snprintf(channel, sizeof channel, "column %lld", (long long)series->channels[t] + 1);
        result_list *alarm = results_new(true);
        results_count(alarm, "row", NULL, row_number(series, t));
        if (time)
            results_text(alarm, "time", NULL, "%s", time);
        results_number(alarm, "score", NULL, row[SCORE]);
        results_text(alarm, "channel", NULL, "%s", channel);
        results_append(results, "alarms", alarm);
        results_details(results, shown++ >= FEW);
        results_text(results, NULL, "alarm", "row %lld%s%s, %s: score %s", (long long)row_number(series, t),
                     time ? ", " : "", time ? time : "", channel, fixed_digits(row[SCORE], 2).text);
        results_details(results, false);
    }
    if (shown == 0)
        results_texts(results, "alarms", NULL, 0);
    if (shown > FEW && !is_verbose())
        results_text(results, NULL, "", "and %lld more (--verbose, -o FILE)", (long long)(shown - FEW));
}

static int report_series(const anomaly_arguments *arguments, const watched_series *series)
{
    char time[QUANTITY_LENGTH];
    int64_t rows = series->x.view.rows, watched = rows - series->first;
    result_list *results = results_new(arguments->common.json);
    double *scores = malloc((size_t)(watched > 0 ? watched : 1) * sizeof *scores);
    if (!scores)
        note_lack_of_memory();
    for (int64_t i = 0; scores && i < watched; i++)
        scores[i] = series->table.data[(series->first + i) * COLUMNS + SCORE];
    results_text(results, "kernel", "kernel", "%s", arguments->kernel);
    results_count(results, "train_rows", "training rows", series->train_rows);
    results_count(results, "watched_rows", "scored rows", watched);
    results_count(results, "first_row", NULL, watched > 0 ? row_number(series, series->first) : 0);
    results_number(results, "rate", "false-alarm rate", series->options.rate);
    results_text(results, NULL, "alarms", "%lld", (long long)series->alarms);
    report_alarms(results, series);
    if (scores)
        results_numbers(results, "scores", scores, watched);
    if (series->has_areas) {
        results_number(results, "roc_auc", "ROC AUC", series->areas.roc_auc);
        results_number(results, "pr_auc", "PR AUC", series->areas.pr_auc);
    }
    if (arguments->output)
        results_text(results, "output", "written", "%s", arguments->output);
    results_number(results, "seconds", NULL, series->seconds);
    results_text(results, NULL, "time", "%s", format_seconds(series->seconds, time));
    free(scores);
    return results_print(results);
}

/* Writes the rows that have a score. Unknown thresholds are empty cells. */
static int write_rows(const anomaly_arguments *arguments, const watched_series *series)
{
    static const char *const names[] = {"row", "score", "threshold", "alarm"};
    int64_t count = series->x.view.rows - series->first;
    volt_matrix table = {0};
    row_labels times = {0};
    if (series->x.table->time_texts) {
        times.name = series->x.table->time_name;
        times.texts = (const char **)series->x.table->time_texts + series->first;
    }
    int failed = allocate_matrix(count, 4, "the scores", &table);
    for (int64_t i = 0; !failed && i < count; i++) {
        const double *row = series->table.data + (series->first + i) * COLUMNS;
        table.data[4 * i] = (double)row_number(series, series->first + i);
        table.data[4 * i + 1] = row[SCORE];
        table.data[4 * i + 2] = isfinite(row[THRESHOLD]) ? row[THRESHOLD] : NAN;
        table.data[4 * i + 3] = row[ALARM];
    }
    if (!failed)
        failed = output_labelled(arguments->output, volt_as_view(table), names, &times);
    free(table.data);
    return failed;
}

/* ---- command ---------------------------------------------------------------------------------- */

static int check_output(const anomaly_arguments *arguments)
{
    if (!arguments->output)
        return 0;
    if (is_standard_output(arguments->output))
        return complain(EXIT_USAGE, "-o must be a file: standard output is used for the results");
    int failed = output_check(arguments->output);
    if (!failed)
        failed = output_check_against(arguments->output, arguments->x);
    return failed ? failed : output_check_against(arguments->output, arguments->labels);
}

int anomaly_along_series(const anomaly_arguments *arguments)
{
    watched_series series = {0};
    volt_model *model = NULL;
    int failed = check_output(arguments);
    if (!failed)
        failed = read_series(arguments, &series);
    if (!failed)
        failed = fit(arguments, &series, &model);
    if (!failed)
        failed = score(arguments, model, &series);
    if (!failed && arguments->labels)
        failed = rank(&series);
    if (!failed && arguments->output)
        failed = write_rows(arguments, &series);
    if (!failed)
        failed = report_series(arguments, &series);
    volt_model_free(model);
    release(&series);
    return failed;
}
