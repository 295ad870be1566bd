/* cli/series/series_data.c: read the series that are to be continued, and what time it is in their rows. */
#include "series/series_data.h"

#include "files/calendar.h"
#include "search/training.h"
#include "terminal/messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without a season so many steps, and never more than MOST_STEPS unless they are asked for. */
enum { FEW_STEPS = 12, MOST_STEPS = 60 };

/* A fit for every step, n^3 each: more rows than this allows are left to --rows. About half a minute on two cores. */
static const double most_work = 1.5e11;

int64_t series_rows_for(int64_t steps)
{
    /* Held-out rows begin behind 2 steps + 2 of the n - steps pairs (volt_fit_report), and a few are needed. */
    return 3 * steps + 10;
}

/* ---- columns ---------------------------------------------------------------------------------- */

static bool is_name_of_clock(const char *name)
{
    static const char *const names[] = {"time",  "date", "year", "month", "week", "day", "hour", "t",
                                        "index", "row",  "step", "id",    "n",    "no",  NULL};
    for (int i = 0; names[i]; i++) {
        const char *a = name, *b = names[i];
        while (*a && (*a == *b || *a == *b - 'a' + 'A'))
            a++, b++;
        if (!*a && !*b)
            return true;
    }
    return false;
}

/* Does the column do nothing but count: the same step up in every row? */
static bool counts_rows(volt_view values, int64_t j, double *step)
{
    if (values.rows < 3)
        return false;
    double first = values.data[j], last = values.data[(values.rows - 1) * values.ld + j];
    *step = (last - first) / (double)(values.rows - 1);
    double rounding = 1e-6 * fabs(*step) + 1e-12 * fmax(fabs(first), fabs(last));
    if (!(*step > 0))
        return false;
    for (int64_t i = 1; i < values.rows; i++)
        if (fabs(values.data[i * values.ld + j] - first - (double)i * *step) > rounding)
            return false;
    return true;
}

/* Which columns are series: *count of them, into `kept`. */
static void choose_columns(series_data *data, int64_t *kept, int64_t *count)
{
    volt_view view = data->file.view;
    *count = 0;
    for (int64_t j = 0; j < view.cols; j++) {
        double step = 0;
        bool may_be = view.cols > 1 && (j == 0 || (data->file.names && is_name_of_clock(data->file.names[j])));
        if (!may_be || !counts_rows(view, j, &step)) {
            kept[(*count)++] = j;
        } else if (!data->clock) {
            data->clock = data->file.names ? data->file.names[j] : "1";
            data->clock_last = view.data[(view.rows - 1) * view.ld + j];
            data->clock_step = step;
        }
    }
}

/* Names of their own for the series of a file without a header. */
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

static int check_columns(const series_data *data)
{
    volt_view levels = volt_as_view(data->levels);
    for (int64_t k = 0; k < levels.cols; k++) {
        int64_t i = 1;
        while (i < levels.rows && levels.data[i * levels.ld + k] == levels.data[k])
            i++;
        if (i == levels.rows)
            return complain(EXIT_FAILED,
                            "column '%s' of %s is %.6g in every row: there is nothing to forecast%s",
                            data->names[k], data->file.source, levels.data[k],
                            levels.cols > 1 ? " (choose others with FILE:COLUMNS)" : "");
    }
    return 0;
}

/* ---- seasons and steps ------------------------------------------------------------------------ */

static int find_seasons(const series_arguments *arguments, series_data *data)
{
    int64_t given;
    int failed = training_season(arguments->season, &given);
    if (failed)
        return failed;
    data->season_given = given != VOLT_SEASON_AUTO;
    if (given > data->file.view.rows / 2)
        return complain(EXIT_USAGE, "--season %lld: the %lld rows of %s do not hold two of them",
                        (long long)given, (long long)data->file.view.rows, data->file.source);
    data->seasons = calloc((size_t)data->levels.cols, sizeof *data->seasons);
    if (!data->seasons)
        return complain(EXIT_FAILED, "not enough memory for the seasons of %s", data->file.source);
    for (int64_t k = 0; k < data->levels.cols; k++) {
        data->seasons[k] = given;
        if (data->season_given)
            continue;
        volt_status status =
            volt_season_find(data->levels.data + k, data->levels.rows, data->levels.ld, &data->seasons[k]);
        if (status)
            return complain_status(status);
    }
    return 0;
}

static int check_rows(const series_data *data)
{
    char hint[HINT_LENGTH];
    int64_t rows = data->file.view.rows;
    if (rows >= series_rows_for(1))
        return 0;
    return complain(EXIT_FAILED, "%s has %lld row%s: a forecast with a measured error needs at least %lld%s",
                    data->file.source, (long long)rows, rows == 1 ? "" : "s", (long long)series_rows_for(1),
                    dataset_hint(&data->file, hint));
}

static int choose_steps(const series_arguments *arguments, series_data *data)
{
    char hint[HINT_LENGTH];
    int64_t rows = data->levels.rows,
            most = (rows - series_rows_for(0)) / (series_rows_for(1) - series_rows_for(0));
    if (arguments->steps > most)
        return complain(EXIT_USAGE,
                        "--steps %lld needs at least %lld rows to measure its errors on; the %lld rows of %s "
                        "are enough for --steps %lld%s",
                        (long long)arguments->steps, (long long)series_rows_for(arguments->steps),
                        (long long)rows, data->file.source, (long long)most, dataset_hint(&data->file, hint));
    data->steps = arguments->steps;
    for (int64_t k = 0; k < data->levels.cols && data->steps == 0; k++)
        data->steps = data->seasons[k] < MOST_STEPS ? data->seasons[k] : MOST_STEPS;
    if (data->steps == 0)
        data->steps = FEW_STEPS;
    if (data->steps > most)
        data->steps = most;
    return 0;
}

/* The latest rows, as many as the work allows. */
static void leave_out_early(const series_arguments *arguments, series_data *data)
{
    int64_t most = (int64_t)cbrt(most_work / (double)data->steps);
    if (most < series_rows_for(data->steps))
        most = series_rows_for(data->steps);
    if (arguments->rows.given || data->levels.rows <= most)
        return;
    data->left_out = data->levels.rows - most;
    memmove(data->levels.data, data->levels.data + data->left_out * data->levels.ld,
            (size_t)(most * data->levels.ld) * sizeof *data->levels.data);
    data->levels.rows = most;
}

/* ---- times ------------------------------------------------------------------------------------ */

/* Rows that do not follow each other are no series; rows that lack are said. */
static int check_times(const series_data *data)
{
    const volt_table *table = data->file.table;
    volt_time_step step;
    int failed = row_times_step(&data->file, &step);
    int64_t gaps = 0, first_gap = 0;
    for (int64_t i = 1; table->times && !failed && i < table->rows; i++) {
        double now = table->times[i].seconds, before = table->times[i - 1].seconds;
        if (now <= before)
            return complain(EXIT_FAILED,
                            "%s: row %lld (%s) does not come after the row before it (%s): sort the rows by "
                            "column '%s', one row for each time",
                            data->file.source, (long long)table->row_numbers[i], table->time_texts[i],
                            table->time_texts[i - 1], table->time_name);
        if (volt_time_step_is_known(step) &&
            now > before + 1.5 * (volt_time_advance(table->times[i - 1], step, 1).seconds - before) &&
            gaps++ == 0)
            first_gap = i;
    }
    if (gaps > 0)
        warn("%s: rows are missing at %lld place%s, the first before %s; the series is taken as if they were "
             "never there",
             data->file.source, (long long)gaps, gaps == 1 ? "" : "s", table->time_texts[first_gap]);
    return failed;
}

static int find_times(series_data *data)
{
    const volt_table *table = data->file.table;
    int64_t rows = data->levels.rows, steps = data->steps;
    int failed = row_labels_of_targets(&data->dates, &data->file, steps, (volt_time_step){0});
    data->time_name = table->time_texts ? data->dates.name : data->clock;
    if (failed || !data->time_name)
        return failed;
    data->time_texts = malloc((size_t)(rows + steps) * sizeof *data->time_texts);
    data->counts = malloc((size_t)(rows + steps) * VOLT_TIME_LENGTH);
    if (!data->time_texts || !data->counts)
        return complain(EXIT_FAILED, "not enough memory for the times of %s", data->file.source);
    for (int64_t i = 0; i < rows + steps; i++) {
        char *count = data->counts + i * VOLT_TIME_LENGTH;
        snprintf(count, VOLT_TIME_LENGTH, "%.12g",
                 data->clock_last + (double)(i - rows + 1) * data->clock_step);
        if (!data->dates.name || !table->time_texts)
            data->time_texts[i] = count;
        else
            data->time_texts[i] = i < rows ? table->time_texts[data->left_out + i]
                                           : data->dates.texts[table->rows - steps + i - rows];
    }
    return 0;
}

static int add_calendar(const series_arguments *arguments, series_data *data)
{
    calendar wanted;
    int failed = calendar_check(arguments->calendar, &wanted);
    if (failed || !wanted.parts)
        return failed;
    failed = row_times_require(&data->file, "--calendar");
    if (!failed)
        failed = allocate_matrix(data->levels.rows, wanted.cols, "the calendar", &data->calendar);
    if (failed)
        return failed;
    volt_status status =
        volt_calendar_columns(data->file.table->times + data->left_out, wanted.parts, 1, data->calendar);
    return status ? complain_status(status) : 0;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static int take_columns(series_data *data)
{
    volt_view view = data->file.view;
    int64_t *kept = malloc(((size_t)view.cols + 1) * sizeof *kept), count = 0;
    if (!kept)
        return complain(EXIT_FAILED, "not enough memory for the columns of %s", data->file.source);
    choose_columns(data, kept, &count);
    if (count == 0) {
        free(kept);
        return complain(EXIT_FAILED,
                        "every column of %s only counts the rows: there is nothing to forecast (FILE:COLUMN "
                        "takes one all the same)",
                        data->file.source);
    }
    int failed = make_names(data, kept, count);
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
    int failed = dataset_read_rows(&data->file, arguments->file, missing_policy(arguments->missing),
                                   &arguments->rows, "--rows");
    if (!failed)
        failed = check_rows(data);
    if (!failed)
        failed = check_times(data);
    if (!failed)
        failed = take_columns(data);
    if (!failed)
        failed = check_columns(data);
    if (!failed)
        failed = find_seasons(arguments, data);
    if (!failed)
        failed = choose_steps(arguments, data);
    if (failed)
        return failed;
    leave_out_early(arguments, data);
    failed = check_columns(data);
    if (!failed)
        failed = find_times(data);
    return failed ? failed : add_calendar(arguments, data);
}

void series_release(series_data *data)
{
    row_labels_release(&data->dates);
    free(data->time_texts);
    free(data->counts);
    free(data->calendar.data);
    free(data->seasons);
    free(data->levels.data);
    free(data->names);
    dataset_release(&data->file);
}
