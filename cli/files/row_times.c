/* cli/files/row_times.c: timestamps of rows, and their extrapolation to forecasts. */
#include "files/row_times.h"

#include "terminal/messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- order and gaps --------------------------------------------------------------------------- */

const volt_warning *row_times_warning(const volt_times_report *report, volt_warning_code code)
{
    for (int64_t i = 0; i < report->n_warnings; i++)
        if (report->warnings[i].code == code)
            return &report->warnings[i];
    return NULL;
}

int row_times_check(const dataset *data, const volt_time_step *step, volt_time last, volt_times_report *report)
{
    const volt_table *table = data->table;
    volt_time_grid grid = {.step = step ? *step : (volt_time_step){0}};
    *report = (volt_times_report){.struct_size = sizeof *report};
    volt_status status =
        table->times ? volt_times_check(table->times, table->rows, step ? &grid : NULL, last, report) : VOLT_OK;
    if (status)
        return complain_status(status);
    const volt_warning *found = row_times_warning(report, VOLT_WARNING_ROWS_UNORDERED);
    if (found && (int64_t)found->value == table->rows - 1)
        warn("%s: the rows are in reverse order (first: %s): sort the file by column '%s'", data->source,
             table->time_texts[0], table->time_name);
    else if (found)
        warn("%s: the rows are not in time order: row %lld (%s) follows %s%s", data->source,
             (long long)table->row_numbers[found->row], table->time_texts[found->row],
             table->time_texts[found->row - 1], found->value > 1 ? ", and others" : "");
    return 0;
}

const char *row_times_count(const volt_warning *gap, int64_t missing, char text[GAP_LENGTH])
{
    bool is_one = gap->value == (double)missing;
    if (missing > 0)
        snprintf(text, GAP_LENGTH, "%lld row%s missing%s between", (long long)missing, missing == 1 ? "" : "s",
                 is_one ? "" : ", the first");
    else
        snprintf(text, GAP_LENGTH, "rows missing between");
    return text;
}

/* Warns that rows are missing before a row, and how many there are in all. */
static void warn_of_gap(const dataset *data, const volt_warning *gap, int64_t missing, int64_t row)
{
    char count[GAP_LENGTH];
    warn("%s: %s %s and %s; the row after a gap is used as the next step", data->source,
         row_times_count(gap, missing, count), data->table->time_texts[row - 1], data->table->time_texts[row]);
}

int row_times_check_training(const dataset *data, const int64_t *records, int64_t n_records)
{
    const volt_table *table = data->table;
    const volt_time unknown = {NAN, NAN};
    volt_times_report report = {.struct_size = sizeof report};
    int failed = n_records == 0 ? row_times_check(data, NULL, unknown, &report) : 0;
    const volt_warning *gap = row_times_warning(&report, VOLT_WARNING_ROWS_MISSING);
    volt_warning first = gap ? *gap : (volt_warning){0};
    int64_t begin = 0, missing = report.missing;
    for (int64_t r = 0; table->times && !failed && r < n_records; begin += records[r++]) {
        volt_status status = volt_times_check(table->times + begin, records[r], NULL, unknown, &report);
        failed = status ? complain_status(status) : 0;
        gap = failed ? NULL : row_times_warning(&report, VOLT_WARNING_ROWS_MISSING);
        missing += report.missing;
        if (gap && first.row == 0) {
            first = *gap;
            first.row += begin;
        }
    }
    if (!failed && first.row > 0)
        warn_of_gap(data, &first, missing, first.row);
    return failed;
}

int row_times_require(const dataset *data, const char *need)
{
    const volt_table *table = data->table;
    if (table->times)
        return 0;
    if (!table->time_texts)
        return complain(EXIT_FAILED, "%s has no column of dates (required by %s)", data->source, need);
    volt_time *times = malloc((size_t)table->rows * sizeof *times + 1);
    volt_status status =
        times ? volt_times_parse((const char *const *)table->time_texts, table->rows, times) : VOLT_ERR_MEMORY;
    free(times);
    return complain(EXIT_FAILED, "%s, column '%s': %s requires dates, but %s", data->source, table->time_name,
                    need, status == VOLT_ERR_FORMAT ? volt_error_detail() : "memory is not sufficient");
}

/* ---- steps ------------------------------------------------------------------------------------ */

int row_times_step(const dataset *data, volt_time_step *step)
{
    const volt_table *table = data->table;
    volt_times_report report = {.struct_size = sizeof report};
    volt_status status = VOLT_OK;
    if (table->times)
        status = volt_times_check(table->times, table->rows, NULL, (volt_time){NAN, NAN}, &report);
    *step = report.step;
    return status ? complain_status(status) : 0;
}

/* ---- extrapolation ---------------------------------------------------------------------------- */

static void leave_out(const dataset *data, const char *why)
{
    warn("the predictions have no times: %s, column '%s': %s", data->source, data->table->time_name, why);
}

/* Warns about texts that are not times. */
static int leave_out_texts(const dataset *data)
{
    const volt_table *table = data->table;
    volt_time *times = malloc((size_t)table->rows * sizeof *times + 1);
    if (!times)
        return complain(EXIT_FAILED, "not enough memory for the times of %s", data->source);
    if (volt_times_parse((const char *const *)table->time_texts, table->rows, times))
        leave_out(data, volt_error_detail());
    free(times);
    return 0;
}

/* Sets *step for the extrapolation, if it is unknown. If no step is available, *known is false after a warning. */
static int find_step(const dataset *data, volt_time_step *step, bool *known)
{
    const volt_table *table = data->table;
    *known = false;
    if (!table->times) {
        return leave_out_texts(data);
    }
    int failed = volt_time_step_is_known(*step) ? 0 : row_times_step(data, step);
    *known = !failed && volt_time_step_is_known(*step);
    if (!failed && !*known)
        leave_out(data, "the rows have no regular step, or some times of day have no rows");
    return failed;
}

/* Writes the times of targets after the last row, for the rows from `first`, in pieces of VOLT_TIME_LENGTH
 * bytes. */
static bool write_later(const volt_table *table, int64_t first, int64_t ahead, volt_time_step step,
                        char *pieces)
{
    int64_t last = table->rows - 1,
            form = volt_times_form_row((const char *const *)table->time_texts, table->rows);
    for (int64_t i = first; i <= last; i++, pieces += VOLT_TIME_LENGTH) {
        volt_time later = volt_time_advance(table->times[last], step, i + ahead - last);
        if (volt_time_write_like(table->time_texts[form], table->times[form], later, pieces))
            return false;
    }
    return true;
}

int row_labels_of_targets(row_labels *labels, const dataset *data, int64_t ahead, volt_time_step step)
{
    const volt_table *table = data->table;
    if (!table->time_texts)
        return 0;
    bool known = true;
    int failed = ahead > 0 ? find_step(data, &step, &known) : 0;
    if (failed || !known)
        return failed;
    int64_t rows = table->rows, first = ahead < rows ? rows - ahead : 0;
    labels->texts = malloc((size_t)rows * sizeof *labels->texts + 1);
    labels->made = malloc((size_t)(rows - first) * VOLT_TIME_LENGTH + 1);
    if (!labels->texts || !labels->made)
        return complain(EXIT_FAILED, "not enough memory for the times of %s", data->source);
    if (!write_later(table, first, ahead, step, labels->made)) {
        leave_out(data, "the times are out of range");
        return 0;
    }
    for (int64_t i = 0; i < rows; i++)
        labels->texts[i] =
            i < first ? table->time_texts[i + ahead] : labels->made + (i - first) * VOLT_TIME_LENGTH;
    labels->name = table->time_name;
    return 0;
}

int row_labels_after(row_labels *labels, const dataset *data, int64_t count, const volt_time *given)
{
    const volt_table *table = data->table;
    int64_t last = table->rows - 1;
    volt_time_step step = {0};
    bool known = table->time_texts && table->times && given;
    int failed = table->time_texts && !known ? find_step(data, &step, &known) : 0;
    if (failed || !known)
        return failed;
    int64_t form = volt_times_form_row((const char *const *)table->time_texts, table->rows);
    labels->texts = malloc((size_t)count * sizeof *labels->texts + 1);
    labels->made = malloc((size_t)count * VOLT_TIME_LENGTH + 1);
    if (!labels->texts || !labels->made)
        return complain(EXIT_FAILED, "not enough memory for the times after %s", data->source);
    for (int64_t i = 0; i < count; i++) {
        char *text = labels->made + i * VOLT_TIME_LENGTH;
        volt_time later = given ? given[i] : volt_time_advance(table->times[last], step, i + 1);
        if (volt_time_write_like(table->time_texts[form], table->times[form], later, text)) {
            leave_out(data, "the times are out of range");
            return 0;
        }
        labels->texts[i] = text;
    }
    labels->name = table->time_name;
    return 0;
}

void row_labels_release(row_labels *labels)
{
    free((void *)labels->texts);
    free(labels->made);
    memset(labels, 0, sizeof *labels);
}
