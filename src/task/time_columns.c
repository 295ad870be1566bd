/* src/task/time_columns.c: columns of numbers that are times of the rows: row numbers, clocks, dates as numbers. */
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "base/memory.h"
#include "io/time/time_text.h"
#include "kernel/records.h"
#include "text/text.h"
#include "volterra/task.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { MIN_ROWS = 3, MIN_COLUMNS = 2 };

/* ---- names ------------------------------------------------------------------------------------ */

static const char *const time_names[] = {"t", "time", "timestamp", "date", "datetime", "ds", NULL};
static const char *const counter_names[] = {"index", "row",   "step", "id",  "n",    "no",
                                            "year",  "month", "week", "day", "hour", NULL};

/* Whether a name without its unit, such as Time of "Time (s)", is in a list. t1 and t_oil are not t. */
static bool is_among(const char *name, const char *const *list)
{
    size_t length = strcspn(name, " ([");
    const char *unit = name + length + strspn(name + length, " ");
    if (*unit && *unit != '(' && *unit != '[')
        return false;
    for (; *list; list++)
        if (strlen(*list) == length && strncasecmp(name, *list, length) == 0)
            return true;
    return false;
}

/* ---- values ----------------------------------------------------------------------------------- */

/* A column of a table. */
typedef struct time_column {
    const double *first;
    int64_t rows, ld;
} time_column;

static double at(time_column column, int64_t i)
{
    return column.first[i * column.ld];
}

/* Whether a column increases by a number of steps in every row; *gaps: rows with more than one. */
static bool follows(time_column column, double step, int64_t *gaps)
{
    double first = at(column, 0), last = at(column, column.rows - 1), before = 0;
    double rounding = 1e-6 * step + 1e-12 * fmax(fabs(first), fabs(last));
    *gaps = 0;
    if (!(step > 0) || !isfinite(step))
        return false;
    for (int64_t i = 1; i < column.rows; i++) {
        double steps = rint((at(column, i) - first) / step);
        if (!(fabs(at(column, i) - first - steps * step) <= rounding) || !(steps > before))
            return false;
        *gaps += steps > before + 1;
        before = steps;
    }
    return true;
}

/* Whether a column increases by the same step in every row, or in nine of ten, such as a row number after rows were dropped. */
static bool counts_rows(time_column column, double *step, bool *has_gaps)
{
    double span = at(column, column.rows - 1) - at(column, 0), least = INFINITY;
    int64_t gaps = 0;
    *step = span / (double)(column.rows - 1);
    bool counts = follows(column, *step, &gaps) && gaps == 0;
    *has_gaps = !counts;
    if (counts)
        return true;
    for (int64_t i = 1; i < column.rows; i++)
        least = fmin(least, at(column, i) - at(column, i - 1));
    *step = span / rint(span / least);
    return follows(column, *step, &gaps) && 10 * gaps < column.rows;
}

static bool increases(time_column column, const volt_records *records)
{
    for (int64_t i = 0; i < column.rows; i++)
        if (!isfinite(at(column, i)) ||
            (i > 0 && !volt_records_begins(records, i) && !(at(column, i) > at(column, i - 1))))
            return false;
    return true;
}

/* ---- dates as numbers ------------------------------------------------------------------------- */

/* Numbers in units of `seconds`, of which `origin` is 1970. */
typedef struct serial_form {
    const char *name;
    double seconds, origin;
} serial_form;

static const serial_form forms[] = {
    {"serial dates of Excel", 86400, 25569},
    {"serial dates of MATLAB (datenum)", 86400, 719529},
    {"Unix times in seconds", 1, 0},
    {"Unix times in milliseconds", 1e-3, 0},
};

static double seconds_of(const serial_form *form, double number)
{
    return (number - form->origin) * form->seconds;
}

/* Whether a number is a date from 1950 to 2099. Small numbers count seconds or rows: Unix times begin in 1973. */
static bool is_date(const serial_form *form, double number)
{
    static const double from = -7305 * 86400.0, to = 47482 * 86400.0;
    double seconds = seconds_of(form, number);
    return seconds >= from && seconds < to && (form->origin > 0 || seconds >= 1e8);
}

/* Returns the form of the first and the last number of a column; NULL: other numbers. */
static const serial_form *find_form(time_column column)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (is_date(&forms[i], at(column, 0)) && is_date(&forms[i], at(column, column.rows - 1)))
            return &forms[i];
    return NULL;
}

/* The first date of a column of months or quarters as numbers, such as 2020.01 or 2020.1; NaN: other numbers. */
static double first_month(time_column column, const char *name)
{
    volt_digit_dates dates = {0};
    volt_date_order order;
    char text[VOLT_NUMBER_LENGTH];
    volt_time first;
    for (int64_t i = 0; i < column.rows; i++)
        volt_digit_dates_learn(&dates, volt_format_number(at(column, i), text));
    if (!volt_digit_dates_find(&dates, name, &order) || order < VOLT_ORDER_YEAR_MONTH)
        return NAN;
    volt_format_number(at(column, 0), text);
    return volt_time_read_as(text, order, NULL, &first) ? first.seconds : NAN;
}

/* ---- report ----------------------------------------------------------------------------------- */

static void add_warning(volt_time_columns *found, volt_warning warning)
{
    found->warnings[found->n_warnings++] = warning;
}

/* Adds the first gap of the records, as volt_times_check finds it, and counts the rows missing in all of them. */
static volt_status find_gap(time_column column, const serial_form *form, const volt_records *records, int64_t j,
                            volt_time_columns *found)
{
    volt_time *times = volt_alloc(column.rows, sizeof *times);
    volt_status status = times ? VOLT_OK : VOLT_ERR_MEMORY;
    bool is_found = false;
    for (int64_t i = 0; times && i < column.rows; i++) {
        double seconds = form ? seconds_of(form, at(column, i)) : at(column, i);
        times[i] = (volt_time){seconds, seconds};
    }
    for (int64_t begin = 0, end; begin < column.rows && !status; begin = end) {
        volt_times_report report = {.struct_size = sizeof report};
        end = volt_records_segment_end(records, begin, column.rows);
        status = volt_times_check(times + begin, end - begin, NULL, (volt_time){NAN, NAN}, &report);
        found->missing += status ? 0 : report.missing;
        for (int64_t i = 0; i < report.n_warnings && !status && !is_found; i++)
            if (report.warnings[i].code == VOLT_WARNING_ROWS_MISSING) {
                volt_warning gap = report.warnings[i];
                gap.series = j;
                gap.row += begin;
                add_warning(found, gap);
                is_found = true;
            }
    }
    volt_free(times);
    return status;
}

typedef struct column_role {
    bool is_counter, has_gaps, is_clock;
    double step;      /* of a counter */
    double month;     /* the first month or quarter of a clock of such numbers; otherwise NaN */
    int significance; /* of its name: 2: a time, 1: a counter, 0: another first column */
} column_role;

/* Takes column j as the clock. */
static volt_status take_clock(time_column column, column_role role, const volt_records *records, int64_t j,
                              volt_time_columns *found)
{
    const serial_form *form = find_form(column);
    found->clock = j;
    if (isfinite(role.month)) {
        found->serial = "months or quarters as numbers";
        add_warning(found, (volt_warning){.code = VOLT_WARNING_SERIAL_DATES, .series = j, .value = role.month});
        return VOLT_OK;
    }
    if (!role.is_counter)
        add_warning(found, (volt_warning){.code = VOLT_WARNING_UNEVEN_CLOCK, .series = j});
    if (form) {
        found->serial = form->name;
        add_warning(found, (volt_warning){.code = VOLT_WARNING_SERIAL_DATES,
                                          .series = j,
                                          .value = seconds_of(form, at(column, 0))});
    }
    return role.is_counter && !role.has_gaps ? VOLT_OK : find_gap(column, form, records, j, found);
}

static column_role role_of(time_column column, const char *name, const volt_records *records, int64_t j)
{
    column_role role = {0};
    bool is_named = name && is_among(name, time_names);
    role.significance = is_named ? 2 : name && is_among(name, counter_names);
    role.is_counter =
        records->n == 0 && (j == 0 || role.significance > 0) && counts_rows(column, &role.step, &role.has_gaps);
    role.is_clock = is_named && (role.is_counter || increases(column, records));
    role.month = records->n == 0 ? first_month(column, name) : NAN;
    if (isfinite(role.month)) {
        role.is_counter = false;
        role.is_clock = true;
    }
    return role;
}

static volt_status find(volt_view values, const char *const *names, const volt_records *records, int *is_time,
                        volt_time_columns *found)
{
    volt_status status = VOLT_OK;
    column_role counter = {.significance = -1};
    for (int64_t j = 0; j < values.cols && !status; j++) {
        time_column column = {values.data + j, values.rows, values.ld};
        column_role role = role_of(column, names ? names[j] : NULL, records, j);
        is_time[j] = role.is_counter || role.is_clock;
        if (role.is_counter && role.significance > counter.significance) {
            counter = role;
            found->counter = j;
        }
        if (role.is_clock && found->clock < 0)
            status = take_clock(column, role, records, j, found);
    }
    if (status || found->counter < 0)
        return status;
    found->step = counter.step;
    add_warning(found, (volt_warning){
                           .code = VOLT_WARNING_ROW_COUNTER, .series = found->counter, .value = counter.step});
    time_column column = {values.data + found->counter, values.rows, values.ld};
    return counter.has_gaps && found->clock < 0 ? find_gap(column, NULL, records, found->counter, found)
                                                : VOLT_OK;
}

volt_status volt_time_columns_find(volt_view values, const char *const *names, const int64_t *records,
                                   int64_t n_records, int *is_time, volt_time_columns *found)
{
    volt_time_columns full = {.struct_size = sizeof full, .counter = -1, .clock = -1};
    volt_records made = {0};
    VOLT_REQUIRE(found && values.rows >= 0 && values.cols >= 0 && values.ld >= values.cols &&
                     (values.data || values.rows == 0 || values.cols == 0),
                 VOLT_ERR_ARGUMENT, "the values or the output for the time columns are NULL or have no shape");
    VOLT_TRY(volt_records_make(records, n_records, values.rows, &made));
    int *marks = volt_alloc_zero(values.cols + 1, sizeof *marks);
    volt_status status = marks ? VOLT_OK : VOLT_ERR_MEMORY;
    /* A single column is the data, and two rows have a step always. */
    if (!status && values.cols >= MIN_COLUMNS && values.rows >= MIN_ROWS)
        status = find(values, names, &made, marks, &full);
    if (!status)
        status = volt_result_copy(found, &full, sizeof full, "volt_time_columns");
    for (int64_t j = 0; is_time && !status && j < values.cols; j++)
        is_time[j] = marks[j];
    volt_free(marks);
    volt_records_release(&made);
    return status;
}
