/* src/io/time/time_step.c: times a number of steps later, steps between two times, and steps as text. Closed weekdays do not
 * count. */
#include "base/error.h"
#include "base/numbers.h"
#include "io/time/time_grid.h"
#include "io/time/time_text.h"
#include "text/text.h"
#include "volterra/io.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WEEK = 7, ALL_WEEKDAYS = 127, DAY = 86400 };

/* ---- open days -------------------------------------------------------------------------------- */

static int is_closed(int closed, int64_t days)
{
    return (unsigned)closed >> volt_weekday_of_days(days) & 1;
}

/* Whether some but not all weekdays are closed. */
static int has_closed_weekdays(volt_time_step step)
{
    return (step.months > 0 || step.seconds <= DAY) && step.closed_weekdays > 0 &&
           step.closed_weekdays < ALL_WEEKDAYS;
}

static int64_t day_of(double clock)
{
    return (int64_t)floor(clock / DAY);
}

int64_t volt_open_days(int closed, int64_t first, int64_t last)
{
    int64_t open = 0, days = last - first + 1, weeks = volt_max(days, 0) / WEEK;
    for (int k = 0; k < WEEK; k++)
        open += weeks * !is_closed(closed, k);
    for (int64_t d = first + weeks * WEEK; d <= last; d++)
        open += !is_closed(closed, d);
    return open;
}

/* The open day `count` open days after an open day, or after the last open day before a closed one. */
static int64_t later_open_day(int closed, int64_t days, int64_t count)
{
    int64_t open = volt_open_days(closed, 0, WEEK - 1);
    while (is_closed(closed, days))
        days--;
    int64_t weeks = count / open - (count % open < 0), rest = count - weeks * open;
    for (days += WEEK * weeks; rest > 0; rest -= !is_closed(closed, days))
        days++;
    return days;
}

/* ---- steps ------------------------------------------------------------------------------------ */

static int64_t month_of(double clock)
{
    volt_civil_date date = volt_date_of_days((int64_t)floor(clock / DAY));
    return 12 * date.year + date.month;
}

double volt_time_steps_between(volt_time_step step, double before, double after)
{
    if (step.months > 0)
        return (double)(month_of(after) - month_of(before)) / (double)step.months;
    if (!has_closed_weekdays(step))
        return (after - before) / step.seconds;
    int64_t days = volt_open_days(step.closed_weekdays, day_of(before) + 1, day_of(after));
    double second_before = before - DAY * floor(before / DAY), second_after = after - DAY * floor(after / DAY);
    return ((double)days * DAY + second_after - second_before) / step.seconds;
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
    int is_open_day = has_closed_weekdays(step);
    int64_t day = step.is_month_end || (!is_open_day && now.date.day > length) ? length : now.date.day;
    int64_t days = volt_days_of_date(year, of_year, is_open_day && !step.is_month_end ? 1 : day);
    while (is_open_day && is_closed(step.closed_weekdays, days))
        days += step.is_month_end ? -1 : 1;
    return 86400.0 * (double)(days - now.days);
}

/* Seconds from a time to `count` steps later, without closed weekdays. */
static double seconds_of_open_days(double clock, volt_time_step step, int64_t count)
{
    const double rounding = 1e-6;
    double far = step.seconds * (double)count;
    if (count == 0 || !(fabs(clock) / DAY + fabs(far) / DAY < 1e9))
        return far;
    int64_t first = day_of(clock);
    double second = clock - DAY * (double)first;
    if (step.seconds < DAY && is_closed(step.closed_weekdays, first))
        second = DAY - step.seconds; /* the last row of the open day before */
    double days = floor((second + far + rounding) / DAY);
    double day = (double)later_open_day(step.closed_weekdays, first, (int64_t)days);
    return DAY * day + (second + far - days * DAY) - clock;
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

/* Appends " except Sat Sun". */
static void add_closed(int closed, char *text, size_t size)
{
    size_t length = strlen(text);
    length += (size_t)snprintf(text + length, size - length, " except");
    for (int k = 0; k < WEEK; k++)
        if ((unsigned)closed >> k & 1 && length < size)
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
    char number[VOLT_NUMBER_LENGTH];
    if (step.months > 0)
        snprintf(text, VOLT_TIME_LENGTH, "%" PRId64 " month%s%s", step.months, step.months > 1 ? "s" : "",
                 step.is_month_end ? " to the last day" : "");
    else
        snprintf(text, VOLT_TIME_LENGTH, "%s s", volt_format_number(step.seconds, number));
    if (has_closed_weekdays(step))
        add_closed(step.closed_weekdays, text, VOLT_TIME_LENGTH);
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
        read.seconds = value;
    else if (value >= 1 && value < TOO_MANY_MONTHS && value == floor(value) &&
             strncmp(text + length, " month", 6) == 0)
        read = (volt_time_step){.months = (int64_t)value, .is_month_end = strstr(text, " last ") != NULL};
    read.closed_weekdays = parse_closed(text);
    VOLT_REQUIRE(volt_time_step_is_known(read) && strcmp(volt_time_step_format(read, again), text) == 0,
                 VOLT_ERR_FORMAT, "'%.40s' is not a time step, such as 3600 s or 1 month", text);
    *step = read;
    return VOLT_OK;
}
