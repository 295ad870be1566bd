/* src/io/time/time_step.c: the time step between the rows of a column of times. */
#include "base/error.h"
#include "base/memory.h"
#include "io/time/time_grid.h"
#include "io/time/time_text.h"
#include "text/text.h"
#include "volterra/io.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WEEK = 7, ALL_WEEKDAYS = 127, DAY = 86400 };

/* 19 of 20 steps must be equal: this allows a few missing rows and clock changes, but not a five-day week. */
static int are_enough(int64_t alike, int64_t n)
{
    return 20 * alike >= 19 * n;
}

/* Steps in fractional seconds differ by the rounding of times with 10 digits. */
static int are_alike(double a, double b)
{
    return fabs(a - b) <= 2e-6;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Months between rows, on the same day of each (or on the last day of each) at the same time of day. */
static int find_months(const volt_time *times, int64_t n, double *steps, volt_time_step *step)
{
    volt_clock_parts first, now;
    if (!volt_clock_split(times[0].clock, 6, &first))
        return 0;
    double time_of_day = times[0].clock - 86400.0 * (double)first.days;
    int64_t before = 0;
    int is_same_day = 1, is_last_day = 1;
    for (int64_t i = 0; i < n; i++) {
        if (!volt_clock_split(times[i].clock, 6, &now) ||
            !are_alike(times[i].clock - 86400.0 * (double)now.days, time_of_day))
            return 0;
        is_same_day &= now.date.day == first.date.day;
        is_last_day &= now.date.day == volt_days_in_month(now.date.year, now.date.month);
        int64_t month = 12 * now.date.year + now.date.month;
        if (i > 0)
            steps[i - 1] = (double)(month - before);
        before = month;
    }
    if (!is_same_day && !is_last_day)
        return 0;
    qsort(steps, (size_t)n - 1, sizeof *steps, ascending);
    double middle = steps[(n - 1) / 2];
    int64_t alike = 0;
    for (int64_t i = 0; i + 1 < n; i++)
        alike += steps[i] == middle;
    if (middle < 1 || !are_enough(alike, n - 1))
        return 0;
    *step = (volt_time_step){.months = (int64_t)middle, .is_month_end = is_last_day};
    return 1;
}

static int find_seconds(const volt_time *times, int64_t n, double *steps, volt_time_step *step)
{
    for (int64_t i = 0; i + 1 < n; i++)
        steps[i] = times[i + 1].seconds - times[i].seconds;
    qsort(steps, (size_t)n - 1, sizeof *steps, ascending);
    double middle = steps[(n - 1) / 2];
    int64_t alike = 0;
    for (int64_t i = 0; i + 1 < n; i++)
        alike += are_alike(steps[i], middle);
    if (!(middle > 0) || !are_enough(alike, n - 1))
        return 0;
    *step = (volt_time_step){.seconds = middle};
    return 1;
}

/* One day with closed weekdays, such as trading days. Four of five rows must follow the row before on the next open day:
 * the others follow holidays. */
static volt_status find_open_days(const volt_time *times, int64_t n, volt_time_step *step)
{
    volt_time_grid grid;
    int64_t next = 0;
    for (int64_t i = 1; i < n; i++)
        if (!(times[i].clock > times[i - 1].clock))
            return VOLT_OK;
    VOLT_TRY(volt_time_grid_find(times, n, &grid));
    if (grid.step.seconds != DAY || !grid.step.closed_weekdays)
        return VOLT_OK;
    for (int64_t i = 1; i < n; i++)
        next += are_alike(volt_time_advance(times[i - 1], grid.step, 1).clock, times[i].clock);
    if (5 * next >= 4 * (n - 1))
        *step = grid.step;
    return VOLT_OK;
}

volt_status volt_time_step_find(const volt_time *times, int64_t n, volt_time_step *step)
{
    VOLT_REQUIRE(times && step && n >= 0, VOLT_ERR_ARGUMENT,
                 "volt_time_step_find requires times and an output for the step");
    *step = (volt_time_step){0};
    if (n < 2)
        return VOLT_OK;
    double *steps = volt_alloc_doubles(n - 1, 1);
    if (!steps)
        return VOLT_ERR_MEMORY;
    int found = find_months(times, n, steps, step) || find_seconds(times, n, steps, step);
    volt_free(steps);
    return found ? VOLT_OK : find_open_days(times, n, step);
}

/* Seconds from a time to `count` steps of months later. */
static double seconds_of_months(double clock, volt_time_step step, int64_t count)
{
    volt_clock_parts now;
    double far = (double)step.months * (double)count;
    if (fabs(far) > 2e5 || !volt_clock_split(clock, 0, &now))
        return copysign(1e15, far); /* outside every calendar, but within the integers */
    int64_t month = 12 * now.date.year + now.date.month - 1 + step.months * count;
    if (month < 0)
        return -1e15;
    int64_t year = month / 12, of_year = month % 12 + 1, length = volt_days_in_month(year, of_year);
    int64_t day = step.is_month_end || now.date.day > length ? length : now.date.day;
    return 86400.0 * (double)(volt_days_of_date(year, of_year, day) - now.days);
}

static int is_closed(int closed, int64_t days)
{
    return (unsigned)closed >> volt_weekday_of_days(days) & 1;
}

/* The open day `count` open days after an open day, or after the last open day before a closed one. */
static int64_t later_open_day(int closed, int64_t days, int64_t count)
{
    int64_t open = 0;
    for (int k = 0; k < WEEK; k++)
        open += !is_closed(closed, k);
    while (is_closed(closed, days))
        days--;
    int64_t weeks = count / open - (count % open < 0), rest = count - weeks * open;
    for (days += WEEK * weeks; rest > 0; rest -= !is_closed(closed, days))
        days++;
    return days;
}

/* Seconds from a time to `count` steps later, without closed weekdays. */
static double seconds_of_open_days(double clock, volt_time_step step, int64_t count)
{
    double far = step.seconds * (double)count, first = floor(clock / DAY);
    double days = floor((clock - first * DAY + far) / DAY);
    if (days == 0 || !(fabs(first) + fabs(days) < 1e9))
        return far;
    int64_t day = later_open_day(step.closed_weekdays, (int64_t)first, (int64_t)days);
    return far + DAY * ((double)day - first - days);
}

/* Whether some but not all weekdays are closed. */
static int has_closed_weekdays(volt_time_step step)
{
    return step.seconds <= DAY && step.closed_weekdays > 0 && step.closed_weekdays < ALL_WEEKDAYS;
}

volt_time volt_time_advance(volt_time time, volt_time_step step, int64_t count)
{
    double gone = step.months > 0             ? seconds_of_months(time.clock, step, count)
                  : has_closed_weekdays(step) ? seconds_of_open_days(time.clock, step, count)
                                              : step.seconds * (double)count;
    return (volt_time){.seconds = time.seconds + gone, .clock = time.clock + gone};
}

/* ---- as text ---------------------------------------------------------------------------------- */

/* Years have four digits, so no two times are this far apart. */
enum { TOO_MANY_MONTHS = 12 * 10000 };
static const double too_many_seconds = 366 * 86400.0 * 10000;

static const char *const weekday_names[WEEK] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

/* " except Sat Sun" */
static void format_closed(int closed, char *text, size_t size)
{
    size_t length = (size_t)snprintf(text, size, "%s", closed ? " except" : "");
    for (int k = 0; k < WEEK; k++)
        if ((unsigned)closed >> k & 1)
            length += (size_t)snprintf(text + length, size - length, " %s", weekday_names[k]);
}

static int parse_closed(const char *text)
{
    int closed = 0;
    for (int k = 0; k < WEEK; k++)
        closed |= (strstr(text, weekday_names[k]) != NULL) << k;
    return closed;
}

const char *volt_time_step_format(volt_time_step step, char text[VOLT_TIME_LENGTH])
{
    char number[VOLT_NUMBER_LENGTH], closed[VOLT_TIME_LENGTH / 2];
    format_closed(has_closed_weekdays(step) ? step.closed_weekdays : 0, closed, sizeof closed);
    if (step.months > 0)
        snprintf(text, VOLT_TIME_LENGTH, "%" PRId64 " month%s%s", step.months, step.months > 1 ? "s" : "",
                 step.is_month_end ? " to the last day" : "");
    else
        snprintf(text, VOLT_TIME_LENGTH, "%s s%s", volt_format_number(step.seconds, number), closed);
    return text;
}

volt_status volt_time_step_parse(const char *text, volt_time_step *step)
{
    VOLT_REQUIRE(text && step, VOLT_ERR_ARGUMENT,
                 "volt_time_step_parse requires a text and an output for the step");
    char number[VOLT_NUMBER_LENGTH], again[VOLT_TIME_LENGTH];
    size_t length = strcspn(text, " ");
    double value = 0;
    if (length < sizeof number) {
        memcpy(number, text, length);
        number[length] = '\0';
        if (!volt_parse_number(number, &value))
            value = 0;
    }
    volt_time_step read = {0};
    if (value > 0 && value < too_many_seconds && strncmp(text + length, " s", 2) == 0)
        read = (volt_time_step){.seconds = value, .closed_weekdays = parse_closed(text)};
    else if (value >= 1 && value < TOO_MANY_MONTHS && value == floor(value) &&
             strncmp(text + length, " month", 6) == 0)
        read = (volt_time_step){.months = (int64_t)value, .is_month_end = strstr(text, " last ") != NULL};
    VOLT_REQUIRE(volt_time_step_is_known(read) && strcmp(volt_time_step_format(read, again), text) == 0,
                 VOLT_ERR_FORMAT, "'%.40s' is not a time step, such as 3600 s or 1 month", text);
    *step = read;
    return VOLT_OK;
}
