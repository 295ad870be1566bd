/* src/io/time/calendar_columns.c: the phase of a time in the hour, day, week and year, as points on a circle.
 *
 * A phase s in [0, 1) gives the two columns sin(2 pi s) and cos(2 pi s), so the last hour of a day is as near
 * to the first as any other two consecutive hours. */
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "io/time/time_text.h"
#include "volterra/io.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double share_of_hour(const volt_clock_parts *now)
{
    return (double)(now->minute * 60 + now->second) / 3600;
}

static double share_of_day(const volt_clock_parts *now)
{
    return (double)(now->hour * 3600 + now->minute * 60 + now->second) / 86400;
}

static double share_of_week(const volt_clock_parts *now)
{
    return (double)volt_weekday_of_days(now->days) / 7;
}

static double share_of_months(const volt_clock_parts *now)
{
    return (double)(now->date.month - 1) / 12;
}

static double share_of_year(const volt_clock_parts *now)
{
    int64_t day = now->days - volt_days_of_date(now->date.year, 1, 1);
    return (double)day / (double)volt_days_in_year(now->date.year);
}

typedef struct calendar_part {
    const char *name;
    double (*share)(const volt_clock_parts *now);
} calendar_part;

static const calendar_part all_parts[] = {
    {"minute", share_of_hour},  {"hour", share_of_day},     {"weekday", share_of_week},
    {"month", share_of_months}, {"yearday", share_of_year},
};
enum { PARTS = sizeof all_parts / sizeof *all_parts };

/* ---- lists of parts --------------------------------------------------------------------------- */

typedef struct part_list {
    const calendar_part *parts[PARTS];
    int count;
} part_list;

static volt_status add_part(part_list *list, const char *name, size_t length)
{
    const calendar_part *part = NULL;
    for (int i = 0; i < PARTS && !part; i++)
        if (strlen(all_parts[i].name) == length && strncmp(all_parts[i].name, name, length) == 0)
            part = &all_parts[i];
    VOLT_REQUIRE(part, VOLT_ERR_ARGUMENT,
                 "'%.*s' is not a part of the calendar; available: minute, hour, weekday, month and yearday",
                 (int)(length < 40 ? length : 40), name);
    for (int i = 0; i < list->count; i++)
        VOLT_REQUIRE(list->parts[i] != part, VOLT_ERR_ARGUMENT,
                     "'%s' is repeated in the list of calendar parts", part->name);
    list->parts[list->count++] = part;
    return VOLT_OK;
}

static volt_status read_list(const char *text, part_list *list)
{
    *list = (part_list){.count = 0};
    VOLT_REQUIRE(text, VOLT_ERR_ARGUMENT, "the list of calendar parts is NULL");
    for (;;) {
        size_t length = strcspn(text, ",");
        VOLT_TRY(add_part(list, text, length));
        if (!text[length])
            return VOLT_OK;
        text += length + 1;
    }
}

_Static_assert((int)VOLT_CALENDAR_COLUMNS == 2 * (int)PARTS, "two columns for each part");

/* The amplitude that gives a sine the standard deviation of the columns of X; 1 for constant columns. */
static double scale_of(volt_view X)
{
    double sum = 0; /* sum of the column variances, computed in two passes */
    for (int64_t j = 0; X.data && j < X.cols; j++) {
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < X.rows; i++)
            mean += (X.data[i * X.ld + j] - mean) / (double)(i + 1);
        for (int64_t i = 0; i < X.rows; i++) {
            double gap = X.data[i * X.ld + j] - mean;
            variance += gap * gap / (double)X.rows;
        }
        sum += variance;
    }
    double scale = sqrt(2 * sum / (double)X.cols); /* a sine has variance 1/2 */
    return scale > 0 && isfinite(scale) ? scale : 1;
}

volt_status volt_calendar_columns(volt_calendar *calendar, const volt_time *times, volt_matrix out)
{
    static const double turn = 6.283185307179586;
    part_list list;
    VOLT_REQUIRE(calendar, VOLT_ERR_ARGUMENT, "volt_calendar_columns: the calendar is NULL");
    volt_calendar made = *calendar;
    VOLT_TRY(read_list(made.parts, &list));
    made.cols = 2 * list.count;
    for (int k = 0; k < 2 * list.count; k++)
        snprintf(made.names[k], VOLT_CALENDAR_NAME_LENGTH, "%s.%s", list.parts[k / 2]->name,
                 k % 2 ? "cos" : "sin");
    made.scale = made.scale == 0 ? scale_of(made.inputs) : made.scale;
    VOLT_REQUIRE((times && out.data) || out.rows == 0, VOLT_ERR_ARGUMENT,
                 "volt_calendar_columns requires times and an output for their columns");
    VOLT_REQUIRE((out.cols == made.cols && out.ld >= out.cols) || !out.data, VOLT_ERR_SHAPE,
                 "the calendar %.80s has %d columns, not %" PRId64, made.parts, 2 * list.count, out.cols);
    for (int64_t i = 0; i < out.rows; i++) {
        volt_clock_parts now;
        VOLT_REQUIRE(volt_clock_split(times[i].clock, 0, &now), VOLT_ERR_ARGUMENT,
                     "time %" PRId64 " (%g seconds after 1970) is outside the four-digit years", i + 1,
                     times[i].clock);
        for (int k = 0; k < list.count; k++) {
            double angle = turn * list.parts[k]->share(&now);
            out.data[i * out.ld + 2 * k] = made.scale * sin(angle);
            out.data[i * out.ld + 2 * k + 1] = made.scale * cos(angle);
        }
    }
    *calendar = made;
    return VOLT_OK;
}
