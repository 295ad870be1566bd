/* cli/series/series_data.c: reads the series of a file and the times of their rows. */
#include "series/series_inputs.h"

#include "files/clock.h"
#include "search/training.h"
#include "terminal/messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- columns ---------------------------------------------------------------------------------- */

/* Warns about a series whose column is named as a time, unless the source selects columns. */
static void warn_time_name(const series_data *data, int64_t j)
{
    static const char *const times[] = {"date",    "datetime", "ds",        "month", "period",
                                        "quarter", "time",     "timestamp", "year"};
    const char *name = data->file.table->names[j];
    for (size_t i = 0; data->file.names && !strchr(data->file.source, ':') && i < sizeof times / sizeof *times;
         i++)
        if (strcasecmp(name, times[i]) == 0)
            warn("%s: column '%s' is forecast as a series, because its numbers are neither dates nor "
                 "increasing; "
                 "FILE:COLUMNS selects the series",
                 data->file.source, name);
}

/* Selects the columns that are series: *count of them, into `kept`. */
static int choose_columns(series_data *data, int64_t *kept, int64_t *count)
{
    volt_view view = data->file.view;
    volt_time_columns *found = &data->times;
    int *is_time = calloc((size_t)view.cols + 1, sizeof *is_time);
    *found = (volt_time_columns){.struct_size = sizeof *found};
    volt_status status =
        is_time ? volt_time_columns_find(view, data->file.names, NULL, 0, is_time, found) : VOLT_ERR_MEMORY;
    *count = 0;
    for (int64_t j = 0; j < view.cols && !status; j++)
        if (!is_time[j] && !series_is_input(data, data->file.table->names[j])) {
            warn_time_name(data, j);
            kept[(*count)++] = j;
        }
    free(is_time);
    if (status)
        return complain_status(status);
    int64_t column = found->clock >= 0 ? found->clock : found->counter;
    data->missing = data->missing ? data->missing : found->missing;
    if (column >= 0)
        clock_warn_gap(&data->file, found, data->file.table->names[column], view.data + column, view.ld);
    return 0;
}

/* Generates names for the series of a file without a header. */
static int make_names(series_data *data, const int64_t *kept, int64_t count)
{
    enum { ROOM = 24 };
    data->names = malloc((size_t)count * (sizeof *data->names + ROOM));
    if (!data->names)
        return complain(EXIT_FAILED, "not enough memory for the column names of %s", data->file.source);
    char *room = (char *)(data->names + count);
    for (int64_t k = 0; k < count; k++, room += ROOM) {
        snprintf(room, ROOM, "y%lld", (long long)k + 1);
        data->names[k] = data->file.names ? data->file.names[kept[k]] : room;
    }
    return 0;
}

/* ---- times ------------------------------------------------------------------------------------ */

/* Returns the number of leading rows whose times can be parsed together. */
static int64_t count_parsed(const char *const *texts, int64_t n, volt_time *times)
{
    int64_t parsed = 0, failed = n;
    while (failed - parsed > 1) {
        int64_t middle = parsed + (failed - parsed) / 2;
        *(volt_times_parse(texts, middle, times) ? &failed : &parsed) = middle;
    }
    return parsed;
}

/* Whether a text is a date, possibly of an open order of day and month. */
static bool is_date(const char *text)
{
    volt_time times[2];
    return volt_times_parse((const char *const[]){text, "31/12/2000"}, 2, times) == VOLT_OK ||
           volt_times_parse((const char *const[]){text, "12/31/2000"}, 2, times) == VOLT_OK;
}

/* Rejects a text among dates. */
static int check_texts(const series_data *data)
{
    const volt_table *table = data->file.table;
    const char *const *texts = (const char *const *)table->time_texts;
    if (!texts || table->times || table->rows == 0)
        return 0;
    volt_time *times = malloc((size_t)table->rows * sizeof *times);
    if (!times)
        return complain(EXIT_FAILED, "not enough memory for the times of %s", data->file.source);
    int64_t parsed = count_parsed(texts, table->rows, times);
    bool is_wrong = parsed > 0 && !is_date(texts[parsed]);
    volt_status status = volt_times_parse(texts, parsed + 1, times);
    free(times);
    if (status && is_wrong)
        return complain(EXIT_FAILED, "%s: line %lld, column '%s': %s", data->file.source,
                        (long long)table->lines[parsed], table->time_name, volt_error_detail());
    return 0;
}

/* Rejects rows that are out of order, or two rows of one time. Warns about missing rows. */
static int check_times(series_data *data)
{
    const volt_table *table = data->file.table;
    int failed = check_texts(data);
    if (failed || !table->times)
        return failed;
    volt_times_report report = {.struct_size = sizeof report};
    volt_status status = volt_times_check(table->times, table->rows, NULL, (volt_time){NAN, NAN}, &report);
    if (status)
        return complain_status(status);
    int64_t i = report.disorder;
    data->step = report.step;
    data->missing = report.missing;
    if (i < table->rows)
        return complain(EXIT_FAILED,
                        "%s: line %lld (%s) is not later than the row before it (%s): sort the rows by column "
                        "'%s', one row for each time (several series: --id COLUMN)",
                        data->file.source, (long long)table->lines[i], table->time_texts[i],
                        table->time_texts[i - 1], table->time_name);
    return row_times_check_training(&data->file, NULL, 0);
}

/* Returns the column that numbers the rows and is no input; -1: none. */
static int64_t counter_of(const series_data *data)
{
    int64_t j = data->times.counter;
    return j >= 0 && !series_is_input(data, data->file.table->names[j]) ? j : -1;
}

int series_find_times(series_data *data, int64_t steps)
{
    const volt_table *table = data->file.table;
    int64_t rows = data->levels.rows;
    const volt_time *given = steps <= data->future.rows ? data->future_times : NULL;
    int failed = row_labels_after(&data->dates, &data->file, steps, given);
    volt_view view = data->file.view;
    int64_t counter = counter_of(data);
    data->time_name = table->time_texts ? data->dates.name : counter >= 0 ? table->names[counter] : NULL;
    if (failed || !data->time_name)
        return failed;
    data->time_texts = malloc((size_t)(rows + steps) * sizeof *data->time_texts);
    data->counts = malloc((size_t)(rows + steps) * VOLT_TIME_LENGTH);
    if (!data->time_texts || !data->counts)
        return complain(EXIT_FAILED, "not enough memory for the times of %s", data->file.source);
    for (int64_t i = 0; i < rows + steps; i++) {
        char *count = data->counts + i * VOLT_TIME_LENGTH;
        int64_t row = i < rows ? i : rows - 1; /* with a time */
        double at =
            counter >= 0 ? view.data[row * view.ld + counter] + (double)(i - row) * data->times.step : 0;
        bool is_whole = at == rint(at) && fabs(at) < 1e15; /* milliseconds since 1970 have 13 digits */
        snprintf(count, VOLT_TIME_LENGTH, is_whole ? "%.0f" : "%.12g", at);
        if (!data->dates.name || !table->time_texts)
            data->time_texts[i] = count;
        else
            data->time_texts[i] = i < rows ? table->time_texts[i] : data->dates.texts[i - rows];
    }
    return 0;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static int take_columns(series_data *data)
{
    volt_view view = data->file.view;
    int64_t *kept = malloc(((size_t)view.cols + 1) * sizeof *kept), count = 0;
    if (!kept)
        return complain(EXIT_FAILED, "not enough memory for the columns of %s", data->file.source);
    int failed = choose_columns(data, kept, &count);
    if (failed) {
        free(kept);
        return failed;
    }
    if (count == 0) {
        free(kept);
        if (data->inputs.table)
            return complain(EXIT_FAILED, "--x takes every column of %s: there is nothing to forecast",
                            data->file.source);
        return complain(EXIT_FAILED,
                        "every column of %s only counts the rows: there is nothing to forecast (FILE:COLUMN "
                        "takes one all the same)",
                        data->file.source);
    }
    failed = make_names(data, kept, count);
    if (!failed)
        failed = allocate_matrix(view.rows, count, "the series", &data->levels);
    for (int64_t i = 0; !failed && i < view.rows; i++)
        for (int64_t k = 0; k < count; k++)
            data->levels.data[i * data->levels.ld + k] = view.data[i * view.ld + kept[k]];
    free(kept);
    return failed;
}

int series_read(const series_arguments *arguments, series_data *data)
{
    int failed = series_read_rows(arguments, data);
    if (!failed)
        failed = check_times(data);
    if (!failed)
        failed = take_columns(data);
    if (!failed)
        failed = training_season(arguments->season, &data->season);
    return failed ? failed : series_find_inputs(arguments, data);
}

void series_release(series_data *data)
{
    row_labels_release(&data->dates);
    free(data->time_texts);
    free(data->counts);
    free(data->known.data);
    free(data->future.data);
    free(data->future_times);
    free(data->levels.data);
    free(data->names);
    dataset_release(&data->inputs);
    dataset_release(&data->file);
}
