/* src/io/time/time_step.c: times a number of steps later, steps between two times, and steps as text.
 *
 * Closed weekdays, the time between the last row of a session and the first of the next, and a break within it do not count.
 * A day begins at `opens` and has the length of the session without its break plus one step, or begins at midnight and has
 * 24 hours. */
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

/* ---- days with rows, and the part of them that has rows ---------------------------------------- */

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

/* Seconds from the first row of a session to a time of day, which may be on the next day. */
static double after_opening(volt_time_step step, double time_of_day)
{
    return time_of_day - step.opens + (time_of_day < step.opens ? DAY : 0);
}

/* Seconds of a session without rows. */
static double break_seconds(volt_time_step step)
{
    return step.pause == step.resumes
               ? 0
               : after_opening(step, step.resumes) - after_opening(step, step.pause) - step.seconds;
}

int volt_time_step_has_session(volt_time_step step)
{
    double first = fmin(fmin(step.opens, step.closes), fmin(step.pause, step.resumes)),
           last = fmax(fmax(step.opens, step.closes), fmax(step.pause, step.resumes));
    return step.months == 0 && step.seconds < DAY && first >= 0 && last < DAY && step.opens != step.closes &&
           after_opening(step, step.closes) + step.seconds <= DAY &&
           (step.pause == step.resumes ||
            (break_seconds(step) > 0 && after_opening(step, step.resumes) <= after_opening(step, step.closes)));
}

double volt_time_step_day(volt_time_step step)
{
    return volt_time_step_has_session(step)
               ? after_opening(step, step.closes) - break_seconds(step) + step.seconds
               : DAY;
}

int64_t volt_time_step_day_of(volt_time_step step, double clock)
{
    return (int64_t)floor((clock - (volt_time_step_has_session(step) ? step.opens : 0)) / DAY);
}

/* The first moment of a day. */
static double begin_of_day(volt_time_step step, double days)
{
    return DAY * days + (volt_time_step_has_session(step) ? step.opens : 0);
}

/* Seconds since the begin of the day, within the session and without its break. */
static double seconds_of_day(volt_time_step step, double clock)
{
    double second = clock - begin_of_day(step, (double)volt_time_step_day_of(step, clock));
    if (!volt_time_step_has_session(step))
        return second;
    if (step.pause != step.resumes)
        second = second < after_opening(step, step.resumes) ? fmin(second, after_opening(step, step.pause))
                                                            : second - break_seconds(step);
    return fmin(second, volt_time_step_day(step) - step.seconds);
}

/* The inverse: the moment of a day with so many seconds before it. */
static double moment_of_day(volt_time_step step, double days, double second)
{
    int is_after_break = step.pause != step.resumes && volt_time_step_has_session(step) &&
                         second > after_opening(step, step.pause) + step.seconds / 2;
    return begin_of_day(step, days) + second + (is_after_break ? break_seconds(step) : 0);
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
    if (!volt_time_step_has_session(step) && !has_closed_weekdays(step))
        return (after - before) / step.seconds;
    int closed = has_closed_weekdays(step) ? step.closed_weekdays : 0;
    int64_t days =
        volt_open_days(closed, volt_time_step_day_of(step, before) + 1, volt_time_step_day_of(step, after));
    double rest = seconds_of_day(step, after) - seconds_of_day(step, before);
    return ((double)days * volt_time_step_day(step) + rest) / step.seconds;
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

/* Seconds from a time to `count` steps later, without closed weekdays and the closed hours of sessions. */
static double seconds_of_open_days(double clock, volt_time_step step, int64_t count)
{
    const double rounding = 1e-6;
    int closed = has_closed_weekdays(step) ? step.closed_weekdays : 0;
    double far = step.seconds * (double)count, length = volt_time_step_day(step);
    if (count == 0 || !(fabs(clock) / DAY + fabs(far) / length < 1e9))
        return far;
    int64_t first = volt_time_step_day_of(step, clock);
    double second = seconds_of_day(step, clock);
    if (step.seconds < DAY && is_closed(closed, first))
        second = length - step.seconds; /* the last row of the open day before */
    double days = floor((second + far + rounding) / length);
    double day = (double)later_open_day(closed, first, (int64_t)days);
    return moment_of_day(step, day, second + far - days * length) - clock;
}

volt_time volt_time_advance(volt_time time, volt_time_step step, int64_t count)
{
    double gone = step.months > 0 ? seconds_of_months(time.clock, step, count)
                  : has_closed_weekdays(step) || volt_time_step_has_session(step)
                      ? seconds_of_open_days(time.clock, step, count)
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

/* Appends ", 09:30:00 to 16:00:00". */
static void add_hours(double from, double to, char *text, size_t size)
{
    size_t length = strlen(text);
    unsigned a = (unsigned)from, b = (unsigned)to;
    snprintf(text + length, size - length, ", %02u:%02u:%02u to %02u:%02u:%02u", a / 3600, a / 60 % 60, a % 60,
             b / 3600, b / 60 % 60, b % 60);
}

/* Reads ", 09:30:00 to 16:00:00" and returns the text after it, or NULL. */
static const char *read_hours(const char *text, double *from, double *to)
{
    int t[6], length = 0;
    if (!text ||
        sscanf(text, ", %2d:%2d:%2d to %2d:%2d:%2d%n", t, t + 1, t + 2, t + 3, t + 4, t + 5, &length) != 6)
        return NULL;
    *from = t[0] * 3600 + t[1] * 60 + t[2];
    *to = t[3] * 3600 + t[4] * 60 + t[5];
    return text + length;
}

/* Appends the hours of a session, before and after its break. */
static void add_session(volt_time_step step, char *text, size_t size)
{
    int has_break = step.pause != step.resumes;
    add_hours(step.opens, has_break ? step.pause : step.closes, text, size);
    if (has_break)
        add_hours(step.resumes, step.closes, text, size);
}

static void parse_session(const char *text, volt_time_step *step)
{
    double first, last;
    const char *rest = read_hours(strchr(text, ','), &step->opens, &step->closes);
    if (!read_hours(rest, &first, &last))
        return;
    step->pause = step->closes;
    step->resumes = first;
    step->closes = last;
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
    if (volt_time_step_has_session(step))
        add_session(step, text, VOLT_TIME_LENGTH);
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
    parse_session(text, &read);
    VOLT_REQUIRE(volt_time_step_is_known(read) && strcmp(volt_time_step_format(read, again), text) == 0,
                 VOLT_ERR_FORMAT, "'%.40s' is not a time step, such as 3600 s or 1 month", text);
    *step = read;
    return VOLT_OK;
}
