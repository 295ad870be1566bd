/* src/task/times_check.c: order of rows by their times, missing rows, and training rows of the model. */
#include "base/error.h"
#include "base/memory.h"
#include "io/time/time_grid.h"
#include "io/time/time_text.h"
#include "volterra/task.h"

#include <math.h>
#include <stdbool.h>

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

volt_status volt_times_check(const volt_time *times, int64_t n, const volt_time_grid *grid, volt_time last,
                             volt_times_report *report)
{
    volt_times_report full = {.struct_size = sizeof full, .start = VOLT_START_CONTINUE};
    VOLT_REQUIRE(times && report && n >= 0, VOLT_ERR_ARGUMENT,
                 "the times or the output for the report is NULL");
    VOLT_TRY(volt_time_step_find(times, n, &full.step));
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
