/* src/io/time/time_text.c: parses dates and times of day. */
#define _POSIX_C_SOURCE 200809L
#include "io/time/time_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- the form --------------------------------------------------------------------------------- */

/* Each step below takes its start position, NULL after a failed step, and returns the position after it,
 * NULL when the text does not match. */

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

static const char *digits(const char *text, int least, int most)
{
    int count = 0;
    while (text && count < most && isdigit((unsigned char)text[count]))
        count++;
    return text && count >= least ? text + count : NULL;
}

static const char *one_of(const char *text, const char *characters)
{
    return text && *text && strchr(characters, *text) ? text + 1 : NULL;
}

/* The text, whose fields are given by position, and the fields found. */
typedef struct form_reader {
    const char *text;
    volt_time_text *parts;
} form_reader;

static void found(const form_reader *reader, int field, const char *at, const char *end)
{
    reader->parts->fields[field] = (volt_time_field){(size_t)(at - reader->text), (size_t)(end - at)};
}

/* The offset of +01:00, +0100 or +01. */
static const char *zone_offset(const form_reader *reader, const char *zone)
{
    const char *hours = digits(one_of(zone, "+-"), 2, 2);
    if (!hours)
        return NULL;
    const char *minutes = digits(*hours == ':' ? hours + 1 : hours, 2, 2);
    int h = (zone[1] - '0') * 10 + (zone[2] - '0'), m = 0;
    if (minutes)
        m = (minutes[-2] - '0') * 10 + (minutes[-1] - '0');
    reader->parts->offset = (*zone == '-' ? -60.0 : 60.0) * (60 * h + m);
    return minutes ? minutes : hours;
}

/* The optional suffix after a time of day; returns `at` without one. */
static const char *zone_or_half_day(const form_reader *reader, const char *at)
{
    static const char *const words[] = {"am", "pm", "z", "utc", "gmt"};
    const char *zone = skip_blanks(at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncasecmp(zone, words[i], strlen(words[i])) == 0) {
            if (i < 2) {
                reader->parts->half_day = (size_t)(zone - reader->text);
                reader->parts->is_afternoon = i == 1;
            }
            return zone + strlen(words[i]);
        }
    const char *end = zone_offset(reader, zone);
    return end ? end : at;
}

static const char *time_of_day(const form_reader *reader, const char *text)
{
    const char *hour = digits(text, 1, 2);
    const char *minute = digits(one_of(hour, ":"), 2, 2);
    if (!minute)
        return NULL;
    found(reader, TIME_HOUR, text, hour);
    found(reader, TIME_MINUTE, hour + 1, minute);
    const char *second = digits(one_of(minute, ":"), 2, 2);
    if (!second)
        return zone_or_half_day(reader, minute);
    found(reader, TIME_SECOND, minute + 1, second);
    const char *fraction = digits(one_of(second, ".,"), 1, 12);
    if (!fraction)
        return zone_or_half_day(reader, second);
    found(reader, TIME_FRACTION, second + 1, fraction);
    return zone_or_half_day(reader, fraction);
}

/* ---- dates ------------------------------------------------------------------------------------ */

static const char *optional(const char *text, const char *characters)
{
    const char *after = one_of(text, characters);
    return after ? after : text;
}

/* 2019Q2, 2019-Q2, 2019M04, 2019-W15 */
static const char *year_and_part(const form_reader *reader, const char *text)
{
    const char *year = digits(text, 4, 4);
    if (!year)
        return NULL;
    const char *mark = optional(year, "- "), *part = one_of(mark, "QqMmWw");
    const char *end = part && strchr("Qq", *mark) ? digits(part, 1, 1) : digits(part, 1, 2);
    if (!end)
        return NULL;
    found(reader, TIME_YEAR, text, year);
    found(reader, TIME_MONTH, part, end);
    reader->parts->is_quarter = *mark == 'Q' || *mark == 'q';
    reader->parts->is_week = *mark == 'W' || *mark == 'w';
    return end;
}

/* Q2 2019, Q2-2019, Q2/2019 */
static const char *quarter_first(const form_reader *reader, const char *text)
{
    const char *begin = one_of(text, "Qq"), *quarter = digits(begin, 1, 1);
    const char *year = quarter ? optional(quarter, " -/") : NULL, *end = digits(year, 4, 4);
    if (!end)
        return NULL;
    found(reader, TIME_YEAR, year, end);
    found(reader, TIME_MONTH, begin, quarter);
    reader->parts->is_quarter = 1;
    return end;
}

static const char *year_first(const form_reader *reader, const char *text)
{
    const char *year = digits(text, 4, 4);
    const char *month = digits(one_of(year, "-/."), 1, 2);
    if (!month)
        return NULL;
    const char *day = *month == *year ? digits(month + 1, 1, 2) : NULL;
    if (!day && (*year == '.' || month - year != 3)) /* 2019.04 is a number */
        return NULL;
    found(reader, TIME_YEAR, text, year);
    found(reader, TIME_MONTH, year + 1, month);
    if (day)
        found(reader, TIME_DAY, month + 1, day);
    return day ? day : month;
}

static const char *year_last(const form_reader *reader, const char *text)
{
    const char *first = digits(text, 1, 2);
    const char *second = digits(one_of(first, "-/."), 1, 2);
    const char *begin = second && *second == *first ? second + 1 : NULL, *year = digits(begin, 4, 4);
    if (begin && !year && *first != '-') /* 19-04-09 may begin with the year */
        year = digits(begin, 2, 2);
    if (!year || isdigit((unsigned char)*year))
        return NULL;
    found(reader, TIME_DAY, text, first);
    found(reader, TIME_MONTH, first + 1, second);
    found(reader, TIME_YEAR, begin, year);
    reader->parts->is_either = *first != '.';
    return year;
}

/* 04/2019, 4-2019; 04.2019 may be a number */
static const char *month_and_year(const form_reader *reader, const char *text)
{
    const char *month = digits(text, 1, 2), *begin = one_of(month, "-/"), *year = digits(begin, 4, 4);
    if (!year)
        return NULL;
    found(reader, TIME_MONTH, text, month);
    found(reader, TIME_YEAR, begin, year);
    return year;
}

static const char *const month_names[] = {"January",   "February", "March",    "April",
                                          "May",       "June",     "July",     "August",
                                          "September", "October",  "November", "December"};
enum { MONTHS = 12, SHORT_NAME = 3 };

static int64_t month_of_name(const char *name, size_t length)
{
    for (int i = 0; i < MONTHS; i++)
        if ((length == SHORT_NAME || length == strlen(month_names[i])) &&
            strncasecmp(name, month_names[i], length) == 0)
            return i + 1;
    return 0;
}

static const char *month_name(const form_reader *reader, const char *text)
{
    size_t length = 0;
    while (text && isalpha((unsigned char)text[length]))
        length++;
    if (!text || !month_of_name(text, length))
        return NULL;
    found(reader, TIME_MONTH, text, text + length);
    reader->parts->is_named = 1;
    return text + length;
}

/* The year after a month: four digits, or two after a hyphen. */
static const char *year_after_name(const form_reader *reader, const char *text)
{
    const char *begin = optional(text, " -/"), *end = digits(begin, 4, 4);
    if (!end && *text == '-')
        end = digits(begin, 2, 2);
    if (end)
        found(reader, TIME_YEAR, begin, end);
    return end;
}

/* 9 Apr 2019, 09-Apr-19, 09Apr2019 */
static const char *day_and_name(const form_reader *reader, const char *text)
{
    const char *day = digits(text, 1, 2);
    const char *month = day ? month_name(reader, optional(day, " -/")) : NULL;
    if (month)
        found(reader, TIME_DAY, text, day);
    return month ? year_after_name(reader, month) : NULL;
}

/* Apr 2019, Apr-19, April 9, 2019 */
static const char *name_first(const form_reader *reader, const char *text)
{
    const char *month = month_name(reader, text);
    const char *begin = one_of(month, " "), *day = digits(begin, 1, 2);
    const char *blank = day ? one_of(optional(day, ","), " ") : NULL, *year = digits(blank, 4, 4);
    if (!year)
        return month ? year_after_name(reader, month) : NULL;
    found(reader, TIME_DAY, begin, day);
    found(reader, TIME_YEAR, blank, year);
    return year;
}

/* 2019-Apr, 2019-Apr-09 */
static const char *year_and_name(const form_reader *reader, const char *text)
{
    const char *year = digits(text, 4, 4);
    const char *month = month_name(reader, one_of(year, "- "));
    if (!month)
        return NULL;
    found(reader, TIME_YEAR, text, year);
    const char *day = *month == *year ? digits(month + 1, 1, 2) : NULL;
    if (day)
        found(reader, TIME_DAY, month + 1, day);
    return day ? day : month;
}

int volt_time_text_read(const char *text, volt_time_text *parts)
{
    static const char *(*const forms[])(const form_reader *reader, const char *text) = {
        year_first,    year_last,    month_and_year, year_and_part,
        quarter_first, day_and_name, name_first,     year_and_name,
    };
    form_reader reader = {text, parts};
    const char *begin = skip_blanks(text), *end = NULL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !end; i++) {
        memset(parts, 0, sizeof *parts);
        end = forms[i](&reader, begin);
    }
    if (!end) {
        memset(parts, 0, sizeof *parts);
        end = time_of_day(&reader, begin);
    } else if (!parts->is_quarter && !parts->is_week) {
        const char *clock = time_of_day(&reader, *end == 'T' || *end == 't' ? end + 1 : skip_blanks(end));
        end = clock ? clock : end;
    }
    return end && !*skip_blanks(end);
}

/* A year from 1800 to 2199 begins at `text`: numbers with other years are rather no dates. */
static int has_usual_year(const char *text)
{
    return text && strncmp(text, "1800", 4) >= 0 && strncmp(text, "2200", 4) < 0;
}

/* 04.2019 */
static const char *month_point_year(const form_reader *reader, const char *text)
{
    const char *month = digits(text, 2, 2), *begin = one_of(month, "."), *year = digits(begin, 4, 4);
    if (!year || !has_usual_year(begin))
        return NULL;
    found(reader, TIME_MONTH, text, month);
    found(reader, TIME_YEAR, begin, year);
    return year;
}

/* 1871, 187104, 18710409 */
static const char *only_digits(const form_reader *reader, const char *text)
{
    const char *year = digits(text, 4, 4), *month = digits(year, 2, 2), *day = digits(month, 2, 2);
    if (year)
        found(reader, TIME_YEAR, text, year);
    if (month)
        found(reader, TIME_MONTH, year, month);
    if (day)
        found(reader, TIME_DAY, month, day);
    return day ? day : month ? month : year;
}

/* 041871, 09041871, 9041871. Such numbers are no dates that begin with the year, because 18 to 21 is not a month. */
static const char *digits_year_last(const form_reader *reader, const char *text)
{
    size_t length = strspn(text, "0123456789");
    const char *year = text + length - 4, *month = year - 2;
    if (length < 6 || length > 8 || !has_usual_year(year) || (length == 6 && strncmp(month, "12", 2) > 0))
        return NULL;
    found(reader, TIME_YEAR, year, year + 4);
    found(reader, TIME_MONTH, month, year);
    if (month > text)
        found(reader, TIME_DAY, text, month);
    reader->parts->is_either = month > text;
    return year + 4;
}

int volt_time_text_read_known(const char *text, volt_time_text *parts)
{
    if (volt_time_text_read(text, parts))
        return 1;
    memset(parts, 0, sizeof *parts);
    form_reader reader = {text, parts};
    const char *begin = skip_blanks(text), *end = month_point_year(&reader, begin);
    if (!end)
        end = digits_year_last(&reader, begin);
    if (!end)
        end = only_digits(&reader, begin);
    return end && !*skip_blanks(end);
}

/* 2019.04, 2019.4 */
static const char *year_point_number(const form_reader *reader, const char *text, volt_date_order order)
{
    const char *year = digits(text, 4, 4), *begin = one_of(year, ".");
    const char *end = digits(begin, 1, order == VOLT_ORDER_YEAR_QUARTER ? 1 : 2);
    if (!end || !has_usual_year(text) || (order == VOLT_ORDER_YEAR_NUMBER && *begin == '0') ||
        (order == VOLT_ORDER_YEAR_MONTH && end - begin == 1 && *begin != '1'))
        return NULL;
    found(reader, TIME_YEAR, text, year);
    found(reader, TIME_MONTH, begin, end);
    reader->parts->is_quarter = order == VOLT_ORDER_YEAR_QUARTER;
    reader->parts->lost_zeros = order == VOLT_ORDER_YEAR_MONTH && end - begin == 1;
    return end;
}

/* 4.2019, 4.202; 04.19, 4.2 */
static const char *number_point_year(const form_reader *reader, const char *text, volt_date_order order)
{
    int full = order == VOLT_ORDER_MONTH_SHORT ? 2 : 4;
    const char *month = digits(text, 1, 2), *begin = one_of(month, "."), *end = digits(begin, 1, full);
    int lost = end ? full - (int)(end - begin) : 0;
    char year[] = "0000";
    if (!end || (lost > 0 && end[-1] == '0'))
        return NULL;
    memcpy(year, begin, (size_t)(end - begin));
    if (full == 4 && !has_usual_year(year))
        return NULL;
    found(reader, TIME_MONTH, text, month);
    found(reader, TIME_YEAR, begin, end);
    reader->parts->lost_zeros = lost;
    return end;
}

int volt_time_text_read_as(const char *text, volt_date_order order, volt_time_text *parts)
{
    form_reader reader = {text, parts};
    const char *begin = skip_blanks(text);
    if (order < VOLT_ORDER_YEAR_MONTH)
        return volt_time_text_read_known(text, parts);
    memset(parts, 0, sizeof *parts);
    const char *end = order >= VOLT_ORDER_MONTH_YEAR ? number_point_year(&reader, begin, order)
                                                     : year_point_number(&reader, begin, order);
    return end && !*skip_blanks(end);
}

int volt_time_read_as(const char *text, volt_date_order order, const volt_time *before, volt_time *time)
{
    volt_time_text parts;
    int is_month_first = order == VOLT_ORDER_MONTH_FIRST;
    int is_read =
        volt_time_text_read_as(text, order, &parts) && volt_time_of_text(text, &parts, is_month_first, time);
    if (order != VOLT_ORDER_YEAR_NUMBER || !is_read || !before || time->clock > before->clock)
        return is_read;
    /* 2019.1 after 2019.9 */
    return volt_time_text_read_as(text, VOLT_ORDER_YEAR_MONTH, &parts) &&
           volt_time_of_text(text, &parts, 0, time);
}

void volt_month_name_like(int64_t month, const char *like, size_t length, char name[VOLT_MONTH_LENGTH])
{
    int is_upper = 1, is_lower = islower((unsigned char)*like) != 0;
    for (size_t i = 0; i < length; i++)
        is_upper &= isupper((unsigned char)like[i]) != 0;
    snprintf(name, VOLT_MONTH_LENGTH, "%.*s", length == SHORT_NAME ? SHORT_NAME : VOLT_MONTH_LENGTH,
             month_names[month - 1]);
    for (char *c = name; *c; c++)
        *c = (char)(is_upper ? toupper((unsigned char)*c) : is_lower ? tolower((unsigned char)*c) : *c);
}

/* ---- conversion to a time --------------------------------------------------------------------- */

int64_t volt_time_text_number(const char *text, volt_time_field field)
{
    int64_t number = 0;
    for (size_t i = 0; i < field.length; i++)
        number = 10 * number + (text[field.at + i] - '0');
    return number;
}

size_t volt_time_field_width(const volt_time_text *parts, int field)
{
    volt_time_field year = parts->fields[TIME_YEAR], month = parts->fields[TIME_MONTH];
    int is_last = field == (year.at > month.at ? TIME_YEAR : TIME_MONTH);
    return parts->fields[field].length + (is_last ? (size_t)parts->lost_zeros : 0);
}

volt_date_order volt_time_text_order(const char *text, const volt_time_text *parts)
{
    if (parts->is_either && volt_time_text_number(text, parts->fields[TIME_DAY]) > 12)
        return VOLT_ORDER_DAY_FIRST;
    if (parts->is_either && volt_time_text_number(text, parts->fields[TIME_MONTH]) > 12)
        return VOLT_ORDER_MONTH_FIRST;
    return VOLT_ORDER_OPEN;
}

/* The fraction of a second, e.g. .25. */
static double fraction_of(const char *text, volt_time_field field)
{
    double unit = 1;
    for (size_t i = 0; i < field.length; i++)
        unit *= 10;
    return (double)volt_time_text_number(text, field) / unit;
}

/* The hour of the day, 24 at its end; -1 when invalid. */
static int64_t hour_of(const char *text, const volt_time_text *parts)
{
    int64_t hour = volt_time_text_number(text, parts->fields[TIME_HOUR]);
    if (!parts->half_day)
        return hour;
    if (hour < 1 || hour > 12)
        return -1;
    return hour % 12 + (parts->is_afternoon ? 12 : 0);
}

/* Two digits are a year from 1969 to 2068, as in POSIX. */
enum { FIRST_OF_1900 = 69 };

int volt_time_of_text(const char *text, const volt_time_text *parts, int is_month_first, volt_time *time)
{
    int64_t number[TIME_FIELDS];
    volt_time_field name = parts->fields[TIME_MONTH];
    for (int i = 0; i < TIME_FIELDS; i++)
        if (i != TIME_MONTH || !parts->is_named)
            number[i] = volt_time_text_number(text, parts->fields[i]);
    if (parts->is_named)
        number[TIME_MONTH] = month_of_name(text + name.at, name.length);
    if (parts->fields[TIME_YEAR].length == 0)
        return 0;
    int ends_with_year = parts->fields[TIME_YEAR].at > name.at;
    for (int i = 0; i < parts->lost_zeros; i++)
        number[ends_with_year ? TIME_YEAR : TIME_MONTH] *= 10;
    int64_t year = number[TIME_YEAR], month = number[TIME_MONTH], day = number[TIME_DAY];
    if (volt_time_field_width(parts, TIME_YEAR) == 2)
        year += year < FIRST_OF_1900 ? 2000 : 1900;
    if (parts->is_week) {
        int64_t monday = volt_days_of_week(year, month);
        *time = (volt_time){.seconds = 86400.0 * (double)monday, .clock = 86400.0 * (double)monday};
        return monday != INT64_MIN;
    }
    if (parts->is_either && is_month_first) {
        month = number[TIME_DAY];
        day = number[TIME_MONTH];
    }
    if (parts->fields[TIME_DAY].length == 0)
        day = 1;
    if (parts->fields[TIME_MONTH].length == 0)
        month = 1;
    if (parts->is_quarter)
        month = month >= 1 ? 3 * month - 2 : 0;
    int64_t hour = hour_of(text, parts), minute = number[TIME_MINUTE], second = number[TIME_SECOND];
    if (month < 1 || month > 12 || day < 1 || day > volt_days_in_month(year, month))
        return 0;
    /* 24:00 is the end of a day, and a leap second the 61st of its minute. */
    if (hour < 0 || minute > 59 || second > 60 || hour * 3600 + minute * 60 + second > 86400)
        return 0;
    double clock = 86400.0 * (double)volt_days_of_date(year, month, day) +
                   (double)(hour * 3600 + minute * 60 + second) +
                   fraction_of(text, parts->fields[TIME_FRACTION]);
    *time = (volt_time){.seconds = clock - parts->offset, .clock = clock};
    return 1;
}

/* ---- columns of numbers that may be dates ------------------------------------------------------ */

enum { MIN_ROWS = 3, MIN_OTHER_ROWS = 4 };

int volt_time_is_october(volt_time first, volt_time second)
{
    volt_civil_date a = volt_date_of_days((int64_t)floor(first.clock / 86400)),
                    b = volt_date_of_days((int64_t)floor(second.clock / 86400));
    return a.year == b.year && a.month == 1 && b.month == 11;
}

/* Whether `text` is a number of the form of a date; *time is then its time. */
static int read_digits(const volt_digit_dates *dates, const char *text, volt_date_order order,
                       const volt_time *before, volt_time *time)
{
    size_t length = strlen(text), whole = strspn(text, "0123456789");
    if (order >= VOLT_ORDER_YEAR_MONTH)
        return whole < length && volt_time_read_as(text, order, before, time);
    volt_time_text parts;
    if (!volt_time_text_read_known(text, &parts) || parts.fields[TIME_YEAR].length != 4 ||
        (whole < length && (whole != 2 || length != 7)))
        return 0;
    int begins_with_year = parts.fields[TIME_YEAR].at == 0;
    if (begins_with_year &&
        (*text == '0' || (length > 4 && *text > '2') || (dates->n > 0 && length != dates->length)))
        return 0;
    return volt_time_of_text(text, &parts, order == VOLT_ORDER_MONTH_FIRST, time);
}

/* Adds a number to a reading in which all before it are dates. */
static void learn_reading(const volt_digit_dates *dates, const char *text, volt_date_order order,
                          volt_digit_reading *reading)
{
    volt_time last = {reading->last, reading->last}, time;
    int is_first = reading->count == 0;
    if (!read_digits(dates, text, order, is_first ? NULL : &last, &time) ||
        (!is_first && time.clock <= last.clock))
        return;
    int has_days = order < VOLT_ORDER_YEAR_MONTH && strlen(text) > 7 - (dates->has_year_last > 0);
    volt_civil_date from = volt_date_of_days((int64_t)floor(last.clock / 86400)),
                    to = volt_date_of_days((int64_t)floor(time.clock / 86400));
    double step = has_days ? (time.clock - last.clock) / 86400
                           : (double)(12 * (to.year - from.year) + to.month - from.month);
    if (order == VOLT_ORDER_YEAR_NUMBER && reading->count == 1 && volt_time_is_october(last, time))
        step = 1;
    if (reading->count == 1)
        reading->step = step;
    else if (!is_first && reading->step != step)
        reading->step = NAN;
    reading->changes_year |= !is_first && to.year != from.year;
    reading->last = time.clock;
    reading->count++;
}

void volt_digit_dates_learn(volt_digit_dates *dates, const char *text)
{
    size_t length = strlen(text), whole = strspn(text, "0123456789");
    size_t end = whole + (text[whole] == '.' ? 1 + strspn(text + whole + 1, "0123456789") : 0);
    volt_digit_reading *readings = dates->readings;
    volt_time_text parts;
    int is_alive = 0;
    for (int order = VOLT_ORDER_DAY_FIRST; order < VOLT_ORDERS; order++)
        is_alive |= readings[order].count == dates->n;
    if (!is_alive || end < length || whole < 1 || whole > 8 || length > 8) {
        dates->n++;
        return;
    }
    size_t decimals = whole < length ? length - whole - 1 : 0;
    if (whole == length && volt_time_text_read_known(text, &parts) && parts.fields[TIME_YEAR].at > 0)
        dates->has_year_last = 1;
    for (int order = VOLT_ORDER_DAY_FIRST; order < VOLT_ORDERS; order++)
        if (readings[order].count == dates->n)
            learn_reading(dates, text, (volt_date_order)order, &readings[order]);
    dates->length = dates->n == 0 ? length : dates->length;
    dates->decimals = decimals > dates->decimals ? decimals : dates->decimals;
    dates->has_zero |= *text == '0';
    dates->has_one |= decimals == 1 && text[length - 1] == '1';
    dates->n++;
}

static int is_among(const char *name, const char *const *list)
{
    for (; name && *list; list++)
        if (strcasecmp(name, *list) == 0)
            return 1;
    return 0;
}

int volt_time_name_is_known(const char *name)
{
    static const char *const names[] = {"year",     "month",     "quarter", "period", "date",
                                        "datetime", "timestamp", "time",    "ds",     NULL};
    return is_among(name, names);
}

/* The reading of numbers with a point. */
static int find_point(const volt_digit_dates *dates, const char *name, volt_date_order *order)
{
    static const char *const calendar[] = {"month", "period", "date", "datetime", "ds", NULL};
    const volt_digit_reading *r = dates->readings;
    int is_date[VOLT_ORDERS] = {0}, is_regular[VOLT_ORDERS] = {0};
    for (int k = VOLT_ORDER_YEAR_MONTH; k < VOLT_ORDERS; k++) {
        is_date[k] = r[k].count == dates->n && dates->n > 1;
        is_regular[k] = is_date[k] && r[k].step == (k == VOLT_ORDER_YEAR_QUARTER ? 3 : 1);
    }
    /* The same dates, unless a number ends with .1. */
    if (is_date[VOLT_ORDER_YEAR_MONTH] && (!dates->has_one || is_regular[VOLT_ORDER_YEAR_MONTH]))
        is_date[VOLT_ORDER_YEAR_NUMBER] = 0;
    else if (is_date[VOLT_ORDER_YEAR_NUMBER])
        is_date[VOLT_ORDER_YEAR_MONTH] = 0;
    is_date[VOLT_ORDER_MONTH_YEAR] &= dates->decimals > 2;
    is_date[VOLT_ORDER_MONTH_SHORT] &= dates->decimals == 2;

    int is_calendar = is_among(name, calendar), is_month = is_calendar && strcasecmp(name, "month") == 0;
    int is_quarter = name && strcasecmp(name, "quarter") == 0;
    for (int k = VOLT_ORDER_YEAR_MONTH; k < VOLT_ORDERS; k++)
        if (is_date[k] && is_regular[k] && r[k].changes_year && dates->n >= MIN_OTHER_ROWS) {
            *order = (volt_date_order)k;
            return 1;
        }
    int is_open[VOLT_ORDERS] = {
        [VOLT_ORDER_YEAR_MONTH] = is_calendar || (dates->n >= MIN_ROWS && is_regular[VOLT_ORDER_YEAR_MONTH]),
        [VOLT_ORDER_YEAR_NUMBER] = is_month || (is_calendar && !is_date[VOLT_ORDER_YEAR_QUARTER]),
        [VOLT_ORDER_YEAR_QUARTER] = is_quarter,
        [VOLT_ORDER_MONTH_YEAR] = is_calendar || is_regular[VOLT_ORDER_MONTH_YEAR],
        [VOLT_ORDER_MONTH_SHORT] = is_calendar && dates->has_zero,
    };
    for (int k = VOLT_ORDER_YEAR_MONTH; k < VOLT_ORDERS && volt_time_name_is_known(name); k++)
        if (is_date[k] && is_open[k]) {
            *order = (volt_date_order)k;
            return 1;
        }
    return 0;
}

int volt_digit_dates_find(const volt_digit_dates *dates, const char *name, volt_date_order *order)
{
    const volt_digit_reading *day = &dates->readings[VOLT_ORDER_DAY_FIRST],
                             *month = &dates->readings[VOLT_ORDER_MONTH_FIRST];
    int is_day = day->count == dates->n, is_month = month->count == dates->n;
    *order = VOLT_ORDER_OPEN;
    if (dates->n == 0)
        return 0;
    if (!is_day && !is_month)
        return find_point(dates, name, order);
    if (is_day != is_month)
        *order = is_day ? VOLT_ORDER_DAY_FIRST : VOLT_ORDER_MONTH_FIRST;
    int is_clear = dates->length > 6 && dates->decimals == 0;
    if (dates->has_year_last && !is_clear) /* 102019 is rather another number */
        return dates->n >= MIN_ROWS && (dates->has_zero || (volt_time_name_is_known(name) && day->step == 1));
    return (dates->n >= MIN_ROWS && (is_clear || dates->has_zero)) || volt_time_name_is_known(name);
}
