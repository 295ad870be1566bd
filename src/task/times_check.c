/* src/task/times_check.c: order of rows by their times, missing rows and their insertion, and training rows of the model. */
#include "base/error.h"
#include "base/memory.h"
#include "io/time/time_grid.h"
#include "io/time/time_text.h"
#include "volterra/task.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static void add_warning(volt_times_report *report, volt_warning_code code, int64_t row, double value)
{
    report->warnings[report->n_warnings++] = (volt_warning){.code = code, .row = row, .value = value};
}

static bool find_unordered(const volt_time *times, int64_t n, volt_times_report *report)
{
    int64_t back = 0, first = 0;
    for (int64_t i = 1; i < n; i++)
        if (!(times[i].seconds >= times[i - 1].seconds) &&
            !volt_time_is_put_back(report->step, times[i - 1], times[i]) && back++ == 0)
            first = i;
    if (back > 0)
        add_warning(report, VOLT_WARNING_ROWS_UNORDERED, first, (double)back);
    return back > 0;
}

/* Whether two times are equal to a millisecond, or to a quarter of a shorter step. */
static bool are_same(const volt_time_grid *grid, volt_time a, volt_time b)
{
    double least = grid->step.seconds > 0 ? fmin(1e-3, grid->step.seconds / 4) : 1e-3;
    return fabs(a.seconds - b.seconds) < least;
}

/* Compares the rows with `last`, the row that they follow. */
static void compare_with_last(const volt_time *times, int64_t n, volt_time last, volt_times_report *report)
{
    const volt_time_grid *grid = &report->grid;
    int64_t known = 0;
    for (int64_t i = 0; i < n; i++)
        known += times[i].seconds <= last.seconds;
    if (known > 0)
        add_warning(report, VOLT_WARNING_TRAINING_ROWS, 0, (double)known);
    while (report->before < n && times[report->before].seconds < last.seconds &&
           !are_same(grid, times[report->before], last))
        report->before++;
    if (report->before < n)
        report->start =
            are_same(grid, times[report->before], last) ? VOLT_START_AT_TARGET : VOLT_START_AFTER_TARGET;
}

/* Counts the rows missing before row `row` and later ones, and adds a warning about the first gap; `before` is the row before
 * it. */
static void find_gaps(const volt_time *times, int64_t n, volt_time before, int64_t row,
                      volt_times_report *report)
{
    bool is_known = !report->grid.closes_nightly, is_first = true;
    for (; row < n; before = times[row++]) {
        int64_t missing = volt_time_grid_missing(&report->grid, before, times[row]);
        if (missing == 0)
            continue;
        if (is_first)
            add_warning(report, VOLT_WARNING_ROWS_MISSING, row, is_known ? (double)missing : 0);
        is_first = false;
        report->missing += is_known ? missing : 0;
    }
}

/* The first row that does not follow `last` and the rows before it: its step is unknown or fixed. */
static int64_t find_misplaced(const volt_time *times, int64_t n, volt_time_step step, volt_time last)
{
    bool is_fixed = volt_time_step_is_known(step) && !step.closed_weekdays; /* holidays are unknown */
    volt_time before = last;
    for (int64_t i = 0; i < n; i++) {
        volt_time due = volt_time_advance(last, step, i + 1);
        double rounding = fmax(1e-3, 1e-12 * fabs(due.seconds));
        if (step.seconds > 0)
            rounding = fmin(rounding, 1e-6 * step.seconds + 1e-12 * fabs(due.seconds));
        bool is_due =
            fabs(times[i].seconds - due.seconds) <= rounding || fabs(times[i].clock - due.clock) <= rounding;
        if (isnan(times[i].seconds))
            continue;
        if (is_fixed ? !is_due : !(times[i].seconds > before.seconds))
            return i;
        before = times[i];
    }
    return n;
}

volt_status volt_times_check(const volt_time *times, int64_t n, const volt_time_grid *grid, volt_time last,
                             volt_times_report *report)
{
    volt_times_report full = {.struct_size = sizeof full, .start = VOLT_START_CONTINUE};
    VOLT_REQUIRE(times && report && n >= 0, VOLT_ERR_ARGUMENT,
                 "the times or the output for the report is NULL");
    VOLT_TRY(volt_time_step_find(times, n, &full.step));
    full.disorder = volt_times_disorder(times, n, full.step);
    full.misplaced = grid && isfinite(last.seconds) ? find_misplaced(times, n, grid->step, last) : n;
    if (!find_unordered(times, n, &full)) {
        if (grid)
            full.grid = *grid;
        else
            VOLT_TRY(volt_time_grid_find(times, n, &full.grid));
        if (!grid && volt_time_step_is_known(full.grid.step) && volt_time_step_is_known(full.step))
            full.grid.step = full.step;
        if (isfinite(last.seconds))
            compare_with_last(times, n, last, &full);
        bool follows = full.start == VOLT_START_AFTER_TARGET;
        if (full.before < n)
            find_gaps(times, n, follows ? last : times[full.before], full.before + !follows, &full);
    }
    return volt_result_copy(report, &full, sizeof full, "volt_times_report");
}

/* ---- rows missing in a regular grid ------------------------------------------------------------ */

/* Moves the rows of a table to their places, and gives the rows between them missing values, and the next times of `step`.
 * Rows before row i: gaps[i] of them are inserted, `count` in all. */
static volt_status insert_rows(volt_table *table, const int64_t *gaps, int64_t count, volt_time_step step)
{
    int64_t rows = table->rows + count, cols = table->cols, at = 0;
    size_t length = 0;
    for (int64_t i = 0; table->time_texts && i < table->rows; i++)
        length += strlen(table->time_texts[i]) + 1;
    double *values = volt_alloc_doubles(rows, cols);
    int64_t *numbers = volt_alloc(rows, sizeof *numbers),
            *lines = table->lines ? volt_alloc(rows, sizeof *lines) : NULL;
    volt_time *times = table->times ? volt_alloc(rows, sizeof *times) : NULL;
    char **texts = NULL;
    if (table->time_texts)
        texts =
            volt_alloc((int64_t)(length + (size_t)rows * sizeof *texts + (size_t)count * VOLT_TIME_LENGTH), 1);
    if (!values || !numbers || (table->lines && !lines) || (table->times && !times) ||
        (table->time_texts && !texts)) {
        volt_free(values);
        volt_free(numbers);
        volt_free(lines);
        volt_free(times);
        volt_free(texts);
        return VOLT_ERR_MEMORY;
    }
    char *text = (char *)(texts + (texts ? rows : 0));
    int64_t form =
        times && texts ? volt_times_form_row((const char *const *)table->time_texts, table->rows) : 0;
    for (int64_t i = 0; i < table->rows; i++) {
        for (int64_t k = i > 0 ? gaps[i] : 0; k >= 0; k--, at++) {
            int64_t from = k > 0 ? i - 1 : i; /* the row itself is the last */
            for (int64_t j = 0; j < cols; j++)
                values[at * cols + j] = k > 0 ? NAN : table->values[i * cols + j];
            numbers[at] = table->row_numbers[from];
            if (lines)
                lines[at] = table->lines[from];
            if (times)
                times[at] =
                    k > 0 ? volt_time_advance(table->times[i - 1], step, gaps[i] + 1 - k) : table->times[i];
            if (!texts)
                continue;
            texts[at] = text;
            if (k == 0)
                strcpy(text, table->time_texts[i]);
            else if (!times ||
                     volt_time_write_like(table->time_texts[form], table->times[form], times[at], text))
                *text = '\0';
            text += strlen(text) + 1;
        }
    }
    volt_free(table->values);
    volt_free(table->row_numbers);
    volt_free(table->lines);
    volt_free(table->times);
    volt_free(table->time_texts);
    table->values = values;
    table->row_numbers = numbers;
    table->lines = lines;
    table->times = times;
    table->time_texts = texts;
    table->rows = rows;
    table->inserted += count;
    return VOLT_OK;
}

/* Counts the rows missing before each row, in gaps that are a number of steps. */
static int64_t count_gaps(const volt_time *times, int64_t n, const volt_time_grid *grid, int64_t *gaps)
{
    int64_t count = 0;
    for (int64_t i = 1; i < n; i++) {
        int64_t missing = volt_time_grid_missing(grid, times[i - 1], times[i]);
        volt_time due = volt_time_advance(times[i - 1], grid->step, missing + 1);
        double rounding = fmin(1e-3, grid->step.seconds > 0 ? grid->step.seconds / 4 : 1e-3);
        bool is_due =
            fabs(due.seconds - times[i].seconds) < rounding || fabs(due.clock - times[i].clock) < rounding;
        gaps[i] = is_due ? missing : 0;
        count = gaps[i] < INT64_MAX / 2 - count ? count + gaps[i] : INT64_MAX / 2;
    }
    return count;
}

volt_status volt_tables_fill(volt_table *first, volt_table *second, const volt_time *times)
{
    VOLT_REQUIRE(first && !first->faults && !(second && second->faults), VOLT_ERR_ARGUMENT,
                 "volt_tables_fill: the first table must not be NULL, and no table may have faults");
    VOLT_REQUIRE(!second || first->rows == second->rows, VOLT_ERR_SHAPE,
                 "the first table has %" PRId64 " rows and the second %" PRId64, first->rows,
                 second ? second->rows : 0);
    int64_t n = first->rows, count = 0;
    volt_times_report report = {.struct_size = sizeof report};
    times = times ? times : first->times;
    if (!times || n < 3)
        return VOLT_OK;
    VOLT_TRY(volt_times_check(times, n, NULL, (volt_time){NAN, NAN}, &report));
    if (!volt_time_step_is_known(report.grid.step))
        return VOLT_OK;
    int64_t *gaps = volt_alloc_zero(n, sizeof *gaps);
    volt_status status = gaps ? VOLT_OK : VOLT_ERR_MEMORY;
    if (!status)
        count = count_gaps(times, n, &report.grid, gaps);
    if (count > n)
        status = volt_fail(VOLT_ERR_DATA,
                           "more rows are missing between the times than the %" PRId64
                           " that are present: they cannot be filled in",
                           n);
    if (!status && count > 0)
        status = insert_rows(first, gaps, count, report.grid.step);
    if (!status && count > 0 && second)
        status = insert_rows(second, gaps, count, report.grid.step);
    volt_free(gaps);
    return status;
}
