/* cli/files/calendar.c: calendar columns, appended to the inputs of a file or a line. */
#include "files/calendar.h"

#include "files/row_times.h"
#include "terminal/messages.h"
#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int calendar_check(const char *parts, double scale, volt_calendar *wanted)
{
    *wanted = (volt_calendar){.parts = parts, .scale = 1};
    volt_status status = parts ? volt_calendar_columns(wanted, NULL, volt_matrix_of(NULL, 0, 0)) : VOLT_OK;
    wanted->scale = scale;
    return status ? complain(EXIT_USAGE, "--calendar: %s", volt_error_detail()) : 0;
}

/* ---- files ------------------------------------------------------------------------------------ */

/* Returns the names of the data followed by those of the calendar, in one block. */
static const char **all_names(const volt_calendar *wanted, const dataset *data)
{
    size_t own = (size_t)data->view.cols, more = (size_t)wanted->cols;
    const char **names = malloc((own + more + 1) * sizeof *names + sizeof wanted->names);
    if (!names)
        return NULL;
    memcpy(names, data->names, own * sizeof *names);
    char(*made)[VOLT_CALENDAR_NAME_LENGTH] = (void *)(names + own + more + 1);
    memcpy(made, wanted->names, sizeof wanted->names);
    for (size_t k = 0; k < more; k++)
        names[own + k] = made[k];
    names[own + more] = NULL;
    return names;
}

int calendar_add(volt_calendar *wanted, dataset *data, const char *need)
{
    if (!wanted->parts)
        return 0;
    volt_matrix wide = {0};
    volt_view own = data->view;
    int failed = row_times_require(data, need);
    if (!failed)
        failed = allocate_matrix(own.rows, own.cols + wanted->cols, "the inputs with the calendar", &wide);
    if (failed)
        return failed;
    for (int64_t i = 0; i < own.rows; i++)
        memcpy(wide.data + i * wide.ld, own.data + i * own.ld, (size_t)own.cols * sizeof *wide.data);
    volt_matrix columns = {wide.data + own.cols, own.rows, wanted->cols, wide.ld};
    wanted->inputs = own;
    volt_status status = volt_calendar_columns(wanted, data->table->times, columns);
    wanted->inputs = (volt_view){0};
    const char **names = data->names && !status ? all_names(wanted, data) : NULL;
    if (status || (data->names && !names)) {
        free(wide.data);
        return status ? complain_status(status)
                      : complain(EXIT_FAILED, "not enough memory for the column names of %s", data->source);
    }
    free(data->names);
    free(data->widened);
    data->names = names;
    data->widened = wide.data;
    data->view = volt_as_view(wide);
    return 0;
}

/* ---- lines ------------------------------------------------------------------------------------ */

/* Returns the first cell that is a date, or -1 with the reason in *problem. */
static int64_t find_date(char *const *cells, int64_t count, volt_time *time, const char **problem)
{
    *problem = "no date";
    for (int64_t j = 0; j < count; j++) {
        double number;
        const char *cell = cells[j];
        if (volt_parse_number(cell, &number))
            continue;
        if (volt_times_parse(&cell, 1, time) == VOLT_OK)
            return j;
        *problem = volt_error_detail();
    }
    return -1;
}

/* Adds the time of day if another cell contains one. */
static void add_time_of_day(char *const *cells, int64_t count, int64_t date, volt_time *time)
{
    char text[2 * VOLT_TIME_LENGTH];
    const char *both = text;
    for (int64_t j = 0; j < count; j++) {
        volt_time parsed;
        int length = snprintf(text, sizeof text, "%s %s", cells[date], cells[j]);
        if (j == date || length >= (int)sizeof text || volt_times_parse(&both, 1, &parsed) != VOLT_OK)
            continue;
        *time = parsed;
        return;
    }
}

bool calendar_of_line(const volt_calendar *wanted, const char *line, double *row, const char **problem)
{
    char **cells = NULL;
    int64_t count = 0;
    volt_time time = {0};
    *problem = volt_error_detail();
    if (volt_csv_split_line(line, NULL, &cells, &count))
        return false;
    int64_t date = find_date(cells, count, &time, problem);
    if (date >= 0)
        add_time_of_day(cells, count, date, &time);
    volt_free(cells);
    if (date < 0)
        return false;
    *problem = volt_error_detail();
    volt_calendar columns = *wanted;
    return volt_calendar_columns(&columns, &time, volt_matrix_of(row, 1, wanted->cols)) == VOLT_OK;
}
