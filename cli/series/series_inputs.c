/* cli/series/series_inputs.c: further inputs of a forecast: columns of the file, their future values, the calendar. */
#include "series/series_inputs.h"

#include "files/calendar.h"
#include "files/outputs.h"
#include "terminal/messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns of the file ---------------------------------------------------------------------- */

/* Returns PATH:COLUMNS in `text`, with the path of the source. */
static int select_columns(const char *source, const char *columns, char text[SOURCE_LENGTH])
{
    char path[SOURCE_LENGTH];
    if (!source_path(source, path, sizeof path))
        snprintf(path, sizeof path, "%.*s", (int)sizeof path - 1, source);
    int length = snprintf(text, SOURCE_LENGTH, "%s:%s", path, columns);
    return length < SOURCE_LENGTH ? 0 : complain(EXIT_USAGE, "--x and the file name are too long");
}

bool series_is_input(const series_data *data, const char *name)
{
    const volt_table *table = data->inputs.table;
    for (int64_t j = 0; table && j < table->cols; j++)
        if (strcmp(table->names[j], name) == 0)
            return true;
    return false;
}

/* Number of rows before the last ones in each of which a column other than an input is missing. */
static int64_t rows_before_missing(const series_data *data)
{
    const volt_table *table = data->file.table;
    for (int64_t i = table->rows; i > 0; i--) {
        bool is_missing = false;
        for (int64_t j = 0; j < table->cols && !is_missing; j++)
            is_missing =
                isnan(table->values[(i - 1) * table->cols + j]) && !series_is_input(data, table->names[j]);
        if (!is_missing)
            return i;
    }
    return 0;
}

/* Columns of the file in its last rows. */
typedef struct last_rows {
    int64_t count; /* rows in which every series is missing */
    int64_t known; /* a series with a value in the row before them, in which another is missing; -1: none */
    int64_t time;  /* column of numbers that is the time of the rows; -1: none */
    volt_time_step step; /* its step; 0: unknown */
} last_rows;

/* Finds the last rows without a target. In the rows before them, some series have values: a missing one is then a missing
 * value, as without --x. */
static int find_last_rows(const series_data *data, last_rows *last)
{
    const volt_table *table = data->file.table;
    volt_time_columns found = {.struct_size = sizeof found};
    volt_view early = volt_view_rows(data->file.view, 0, rows_before_missing(data));
    int *skipped = calloc((size_t)table->cols + 1, sizeof *skipped);
    volt_status status =
        skipped ? volt_time_columns_find(early, data->file.names, NULL, 0, skipped, &found) : VOLT_ERR_MEMORY;
    int64_t series = 0, missing = 0;
    for (int64_t j = 0; j < table->cols && !status; j++) {
        skipped[j] = skipped[j] || series_is_input(data, table->names[j]);
        series += !skipped[j];
    }
    *last = (last_rows){.known = -1, .time = found.counter >= 0 ? found.counter : found.clock};
    if (!status && found.counter >= 0)
        last->step.seconds = found.step;
    for (int64_t i = table->rows - 1; i > 0 && series > 0 && !status; i--) {
        missing = 0;
        for (int64_t j = 0; j < table->cols; j++)
            missing += !skipped[j] && isnan(table->values[i * table->cols + j]);
        if (missing < series)
            break;
        last->count++;
    }
    for (int64_t j = 0; missing > 0 && missing < series && last->known < 0; j++)
        if (!skipped[j] && !isnan(table->values[(table->rows - 1 - last->count) * table->cols + j]))
            last->known = j;
    free(skipped);
    return status ? complain_status(status) : 0;
}

/* ---- future values ---------------------------------------------------------------------------- */

/* Times of rows as numbers; first NULL: their dates. */
typedef struct number_column {
    const double *first;
    int64_t ld;
} number_column;

static volt_time time_at(const volt_table *table, number_column numbers, int64_t i)
{
    if (!numbers.first)
        return table->times[i];
    double number = numbers.first[i * numbers.ld];
    return (volt_time){number, number};
}

static const char *time_text(const volt_table *table, number_column numbers, int64_t i,
                             char text[VOLT_TIME_LENGTH])
{
    if (!numbers.first)
        return table->time_texts[i];
    snprintf(text, VOLT_TIME_LENGTH, "%.12g", numbers.first[i * numbers.ld]);
    return text;
}

/* Rejects future rows whose times do not follow those of the file (volt_times_check): rows from `first` of `source`. `past` and
 * `numbers` are the times of both as numbers, with this step; NULL: dates. */
static int check_times(const series_data *data, const dataset *source, int64_t first, number_column past,
                       number_column numbers, volt_time_step step)
{
    const volt_table *file = data->file.table, *future = source->table;
    int64_t last = data->levels_rows - 1, n = future->rows - first;
    volt_time_grid grid = {.step = step};
    volt_times_report report = {.struct_size = sizeof report};
    volt_time start = time_at(file, past, last), *times = malloc((size_t)n * sizeof *times + 1);
    if (!times)
        return complain(EXIT_FAILED, "not enough memory for the times of %s", source->source);
    for (int64_t i = 0; i < n; i++)
        times[i] = time_at(future, numbers, first + i);
    volt_status status = volt_times_check(times, n, &grid, start, &report);
    free(times);
    if (status || report.misplaced == n)
        return status ? complain_status(status) : 0;
    char text[VOLT_TIME_LENGTH], end[VOLT_TIME_LENGTH], each[VOLT_TIME_LENGTH] = "", wanted[VOLT_TIME_LENGTH];
    int64_t i = first + report.misplaced;
    const char *end_text = time_text(file, past, last, end), *now_text = time_text(future, numbers, i, text);
    if (!volt_time_step_is_known(step) || step.closed_weekdays) /* the caller knows the holidays */
        return complain(
            EXIT_FAILED, "%s: row %lld (%s) does not come after the row before it, or %s, the last row of %s",
            source->source, (long long)future->row_numbers[i], now_text, end_text, data->file.source);
    volt_time due = volt_time_advance(start, step, report.misplaced + 1);
    if (past.first) {
        snprintf(each, sizeof each, " in steps of %.12g", step.seconds);
        snprintf(wanted, sizeof wanted, "%.12g", due.seconds);
    } else if (volt_time_write_like(file->time_texts[last], start, due, wanted)) {
        snprintf(wanted, sizeof wanted, "the next time");
    }
    return complain(EXIT_FAILED,
                    "%s: the time of row %lld must be %s (got %s): future rows follow %s, the last row of %s%s",
                    source->source, (long long)future->row_numbers[i], wanted, now_text, end_text,
                    data->file.source, each);
}

/* Rejects future rows that do not follow those of the file, by their dates or by the column of numbers that is the time of the
 * file. A column of --future is found by its name. */
static int check_following(const series_data *data, const dataset *source, int64_t first, const last_rows *end)
{
    const volt_table *file = data->file.table, *future = source->table;
    volt_times_report report = {.struct_size = sizeof report};
    const number_column dates = {NULL, 0};
    if (file->times && future->times) {
        volt_status status =
            volt_times_check(file->times, data->levels_rows, NULL, (volt_time){NAN, NAN}, &report);
        return status ? complain_status(status) : check_times(data, source, first, dates, dates, report.step);
    }
    if (file->times || end->time < 0 || series_is_input(data, file->names[end->time]))
        return 0;
    number_column past = {file->values + end->time, file->cols};
    if (source == &data->inputs)
        return check_times(data, source, first, past, past, end->step);
    volt_table *table = NULL;
    volt_read_options options = reading_options();
    options.missing = VOLT_MISSING_KEEP;
    char text[SOURCE_LENGTH];
    int failed = select_columns(source->source, file->names[end->time], text);
    if (failed || volt_table_read(text, &options, &table)) /* no such column */
        return failed;
    if (table->cols == 1 && table->rows == future->rows)
        failed = check_times(data, source, first, past, (number_column){table->values, 1}, end->step);
    volt_table_free(table);
    return failed;
}

/* Copies the rows from `first` of `source` as the future values. */
static int take_future(series_data *data, const dataset *source, int64_t first, const last_rows *end)
{
    volt_view view = source->view;
    const volt_table *table = source->table;
    int64_t rows = view.rows - first;
    int failed = check_following(data, source, first, end);
    if (!failed)
        failed = allocate_matrix(rows, view.cols, "the future inputs", &data->future);
    if (failed)
        return failed;
    for (int64_t i = 0; i < rows * view.cols; i++) {
        int64_t row = first + i / view.cols, j = i % view.cols;
        data->future.data[i] = view.data[row * view.ld + j];
        if (!isfinite(data->future.data[i]))
            return complain(
                EXIT_FAILED,
                "%s: row %lld, column '%s': the value is missing; every row to forecast must have its inputs",
                source->source, (long long)table->row_numbers[row], table->names[j]);
    }
    if (!table->times)
        return 0;
    data->future_times = malloc((size_t)rows * sizeof *data->future_times);
    if (!data->future_times)
        return complain(EXIT_FAILED, "not enough memory for the times of %s", source->source);
    memcpy(data->future_times, table->times + first, (size_t)rows * sizeof *data->future_times);
    return 0;
}

/* Reads the columns of the inputs from --future. */
static int read_future(const series_arguments *arguments, series_data *data, const last_rows *end)
{
    char source[SOURCE_LENGTH], path[SOURCE_LENGTH];
    const volt_table *inputs = data->inputs.table;
    dataset read = {0};
    bool selects = source_path(arguments->future, path, sizeof path) && strcmp(path, arguments->future) != 0;
    int failed = selects ? 0 : select_columns(arguments->future, arguments->x, source);
    if (!failed)
        failed = dataset_read(&read, selects ? arguments->future : source, VOLT_MISSING_KEEP);
    if (!failed && read.view.cols != inputs->cols)
        failed = complain(EXIT_FAILED, "--future must have the %lld column%s of --x (got %lld in %s)",
                          (long long)inputs->cols, inputs->cols == 1 ? "" : "s", (long long)read.view.cols,
                          arguments->future);
    for (int64_t j = 0; !failed && read.names && data->inputs.names && j < inputs->cols; j++)
        if (strcmp(read.names[j], inputs->names[j]) != 0)
            failed = complain(EXIT_FAILED, "--future %s has column '%s' in place of '%s'", arguments->future,
                              read.names[j], inputs->names[j]);
    if (!failed)
        failed = take_future(data, &read, 0, end);
    dataset_release(&read);
    return failed;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static int check_arguments(const series_arguments *arguments)
{
    if (arguments->future && !arguments->x)
        return complain(EXIT_USAGE, "--future requires --x, the columns that it continues");
    if (arguments->x && strcmp(arguments->file, "-") == 0)
        return complain(EXIT_USAGE, "--x requires a file, not standard input");
    return 0;
}

/* Inserts the rows that are missing between the times of the file, or between the numbers of its counter. */
static int fill_rows(series_data *data)
{
    volt_table *table = data->file.table;
    volt_time_columns found = {.struct_size = sizeof found};
    volt_view view = {table->values, table->rows, table->cols, table->cols};
    volt_time *times = NULL;
    volt_status status = VOLT_OK;
    if (!table->times)
        status = volt_time_columns_find(view, data->file.names, NULL, 0, NULL, &found);
    if (!status && found.missing > 0 && found.counter >= 0) {
        times = malloc((size_t)table->rows * sizeof *times);
        status = times ? VOLT_OK : VOLT_ERR_MEMORY;
        for (int64_t i = 0; !status && i < table->rows; i++) {
            double step = (view.data[i * view.ld + found.counter] - view.data[found.counter]) / found.step;
            times[i] = (volt_time){rint(step), rint(step)};
        }
    }
    if (!status)
        status = volt_tables_fill(table, data->inputs.table, times);
    free(times);
    data->file.view = volt_table_view(table);
    if (data->inputs.table)
        data->inputs.view = volt_table_view(data->inputs.table);
    return status ? complain_status_hint(status, " (%.120s)", data->file.source) : 0;
}

/* Rows of the file without a target are future values of the inputs. The others are cleaned together. */
static int split_rows(const series_arguments *arguments, volt_missing missing, series_data *data)
{
    last_rows end;
    int failed = find_last_rows(data, &end);
    if (failed)
        return failed;
    int64_t more = end.count, known = end.known;
    const volt_table *table = data->file.table;
    data->levels_rows = table->rows - more;
    int64_t last = data->levels_rows > 0 ? table->row_numbers[data->levels_rows - 1] : 0;
    if (known >= 0 && missing == VOLT_MISSING_ERROR)
        return complain(
            EXIT_FAILED,
            "%s: column '%s' has a value in row %lld, in which another series is missing: --x %s,%s takes it "
            "as an input (or --missing drop, --missing interpolate)",
            arguments->file, table->names[known], (long long)last, arguments->x, table->names[known]);
    if (more > 0 && arguments->future)
        return complain(
            EXIT_USAGE,
            "--future %s: the last %lld row%s of %s already have inputs without a target; give one of them",
            arguments->future, (long long)more, more == 1 ? "" : "s", arguments->file);
    if (more > 0)
        failed = take_future(data, &data->inputs, data->levels_rows, &end);
    else if (arguments->future)
        failed = read_future(arguments, data, &end);
    data->file.table->rows = data->inputs.table->rows = data->levels_rows;
    if (!failed && missing == VOLT_MISSING_INTERPOLATE)
        failed = fill_rows(data);
    if (!failed)
        failed = dataset_clean_pair(&data->file, &data->inputs, missing);
    if (!failed && missing == VOLT_MISSING_INTERPOLATE)
        dataset_mention_repairs(&data->inputs);
    if (!failed && data->future.rows > 0 && table->row_numbers[table->rows - 1] != last)
        return complain(EXIT_FAILED,
                        "%s: --missing drop removes row %lld, the last one before the rows to forecast; "
                        "--missing interpolate keeps it",
                        arguments->file, (long long)last);
    return failed;
}

int series_read_rows(const series_arguments *arguments, series_data *data)
{
    volt_missing missing = (volt_missing)arguments->missing;
    int failed = check_arguments(arguments);
    if (!failed && !arguments->x && missing != VOLT_MISSING_INTERPOLATE)
        return dataset_read_rows(&data->file, arguments->file, missing, &arguments->rows, "--rows");
    if (!failed && !arguments->x) {
        failed = dataset_read_rows(&data->file, arguments->file, VOLT_MISSING_KEEP, &arguments->rows, "--rows");
        if (!failed)
            failed = fill_rows(data);
        if (!failed)
            failed = dataset_clean_pair(&data->file, NULL, missing);
        return failed;
    }
    if (failed)
        return failed;
    failed = select_columns(arguments->file, arguments->x, data->input_source);
    if (!failed)
        failed =
            dataset_read_rows(&data->inputs, data->input_source, VOLT_MISSING_KEEP, &arguments->rows, "--rows");
    if (!failed)
        failed = dataset_read_rows(&data->file, arguments->file, VOLT_MISSING_KEEP, &arguments->rows, "--rows");
    return failed ? failed : split_rows(arguments, missing, data);
}

/* ---- the known inputs ------------------------------------------------------------------------- */

int series_find_inputs(const series_arguments *arguments, series_data *data)
{
    volt_calendar wanted;
    volt_view inputs = data->inputs.view, later = volt_as_view(data->future);
    int64_t rows = data->levels.rows;
    int failed = calendar_check(arguments->calendar, 1, &wanted);
    data->steps = arguments->steps;
    if (!failed && wanted.parts)
        failed = row_times_require(&data->file, "--calendar");
    if (failed || inputs.cols == 0)
        return failed;
    if (later.rows > 0 && data->steps == 0)
        data->steps = later.rows;
    if (later.rows > 0 && later.rows < data->steps)
        return complain(EXIT_FAILED,
                        "--steps must be at most %lld, the number of rows with future inputs (got %lld)",
                        (long long)later.rows, (long long)data->steps);
    failed = allocate_matrix(rows + later.rows, inputs.cols, "the inputs", &data->known);
    for (int64_t i = 0; !failed && i < rows + later.rows; i++)
        memcpy(data->known.data + i * data->known.ld,
               i < rows ? inputs.data + i * inputs.ld : later.data + (i - rows) * later.ld,
               (size_t)inputs.cols * sizeof(double));
    return failed;
}
