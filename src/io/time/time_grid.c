/* src/io/time/time_grid.c: regular times of rows, and rows missing from them. */
#include "io/time/time_grid.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "io/time/time_text.h"

#include <math.h>

static const double day = 86400, min_month = 27 * 86400.0;
static const double late = 1.5; /* largest distance of consecutive rows, in steps */
static const double rare = 0.1; /* relative to an even distribution: a rarer weekday is closed */
static const double max_seconds = 4e6 * 86400.0; /* about 11000 years: days fit an integer */
enum { HOLIDAY = 2 /* working days */, WEEKEND = 5, WEEK = 7, MIN_ROWS = 3 };

/* Local time for days and months, UTC for other steps, which clock changes must not affect. */
static double moment(const volt_time_grid *grid, volt_time time)
{
    return grid->step.months > 0 || grid->step.seconds >= day ? time.clock : time.seconds;
}

static int64_t day_of(double seconds)
{
    return (int64_t)floor(seconds / day);
}

static int64_t month_of(double seconds)
{
    volt_civil_date date = volt_date_of_days(day_of(seconds));
    return 12 * date.year + date.month;
}

/* Number of days from `first` to `last`, both included, that are open. */
static int64_t open_days(int closed, int64_t first, int64_t last)
{
    int64_t open = 0, days = last - first + 1, weeks = volt_max(days, 0) / WEEK;
    for (int k = 0; k < WEEK; k++)
        open += weeks * !((unsigned)closed >> k & 1);
    for (int64_t d = first + weeks * WEEK; d <= last; d++)
        open += !((unsigned)closed >> volt_weekday_of_days(d) & 1);
    return open;
}

/* Number of steps between two rows: 1 if none is missing. */
static double steps_between(const volt_time_grid *grid, double before, double after)
{
    if (grid->step.months > 0)
        return (double)(month_of(after) - month_of(before)) / (double)grid->step.months;
    double apart = after - before;
    if (grid->step.closed_weekdays) {
        int64_t from = day_of(before), to = day_of(after);
        apart -= (double)(to - from - open_days(grid->step.closed_weekdays, from + 1, to)) * day;
    }
    return apart / grid->step.seconds;
}

int64_t volt_time_grid_missing(const volt_time_grid *grid, volt_time before, volt_time after)
{
    double a = moment(grid, before), b = moment(grid, after);
    if (!volt_time_step_is_known(grid->step) || !(fmax(fabs(a), fabs(b)) < max_seconds))
        return 0;
    double apart = steps_between(grid, a, b);
    if (grid->closes_nightly) {
        int64_t nights = open_days(grid->step.closed_weekdays, day_of(a), day_of(b) - 1);
        if (nights > 0 && nights <= (grid->step.closed_weekdays ? 1 + HOLIDAY : 1))
            return 0;
    }
    int64_t missing = apart > late ? (int64_t)rint(apart) - 1 : 0;
    return grid->step.closed_weekdays && grid->step.seconds == day && missing <= HOLIDAY ? 0 : missing;
}

/* ---- find ------------------------------------------------------------------------------------- */

static double median(double *values, int64_t n)
{
    volt_sort(values, n);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* Weekdays without rows. A weekday that the dates do not cover counts as open, except a weekend after daily rows. */
static int find_closed(const double *t, int64_t n, double step)
{
    int64_t counts[WEEK] = {0}, first = day_of(t[0]), last = day_of(t[n - 1]);
    int closed = 0;
    for (int64_t i = 0; i < n; i++)
        counts[volt_weekday_of_days(day_of(t[i]))]++;
    for (int k = 0; k < WEEK; k++) {
        int64_t passed = open_days(~(1 << k), first, last);
        int is_covered = k < WEEKEND ? passed >= 2 : passed > 0 || step >= day;
        closed |= (is_covered && (double)counts[k] <= rare * (double)n / WEEK) << k;
    }
    return closed;
}

/* Nights are closed if there are several rows a day and most nights have none. */
static int find_nights(const volt_time_grid *grid, const double *t, int64_t n)
{
    int64_t nights = 0, empty = 0;
    for (int64_t i = 1; i < n; i++) {
        int is_new_day = day_of(t[i]) > day_of(t[i - 1]);
        nights += is_new_day;
        empty += is_new_day && steps_between(grid, t[i - 1], t[i]) > late;
    }
    return grid->step.seconds < day && nights > 1 && 2 * empty > nights;
}

static void find_months(const double *t, int64_t n, double *work, volt_time_grid *grid)
{
    int64_t alike = 0;
    for (int64_t i = 1; i < n; i++)
        work[i - 1] = (double)(month_of(t[i]) - month_of(t[i - 1]));
    int64_t usual = (int64_t)median(work, n - 1);
    for (int64_t i = 0; i + 1 < n; i++)
        alike += work[i] == (double)usual;
    grid->step = (volt_time_step){.months = usual > 0 && 2 * alike > n - 1 ? usual : 0};
}

/* t and work: n numbers. */
static void find(const volt_time *times, int64_t n, double *t, double *work, volt_time_grid *grid)
{
    int64_t alike = 0;
    for (int pass = 0; pass < 2; pass++) { /* the second for days, whose clocks may have been changed */
        for (int64_t i = 0; i < n; i++)
            t[i] = pass ? times[i].clock : times[i].seconds;
        for (int64_t i = 1; i < n; i++)
            work[i - 1] = t[i] - t[i - 1];
        grid->step.seconds = median(work, n - 1);
        if (!(grid->step.seconds >= 23 * day / 24))
            break;
    }
    if (!(grid->step.seconds > 0)) {
        grid->step.seconds = 0;
        return;
    }
    for (int64_t i = 0; i < n; i++)
        t[i] = moment(grid, times[i]);
    for (int64_t i = 1; i < n; i++)
        alike += t[i] - t[i - 1] == grid->step.seconds;
    if (grid->step.seconds >= min_month && (double)alike < 0.9 * (double)(n - 1)) {
        find_months(t, n, work, grid);
        return;
    }
    if (grid->step.seconds <= day)
        grid->step.closed_weekdays = find_closed(t, n, grid->step.seconds);
    alike = 0;
    for (int64_t i = 1; i < n; i++)
        alike += fabs(steps_between(grid, t[i - 1], t[i]) - 1) < late - 1;
    if (2 * alike <= n - 1) /* rows at irregular times have no step */
        *grid = (volt_time_grid){0};
    else
        grid->closes_nightly = find_nights(grid, t, n);
}

volt_status volt_time_grid_find(const volt_time *times, int64_t n, volt_time_grid *grid)
{
    *grid = (volt_time_grid){0};
    if (n < MIN_ROWS || !(fmax(fabs(times[0].clock), fabs(times[n - 1].clock)) < max_seconds))
        return VOLT_OK;
    double *t = volt_alloc_doubles(2, n);
    if (!t)
        return VOLT_ERR_MEMORY;
    find(times, n, t, t + n, grid);
    volt_free(t);
    return VOLT_OK;
}
