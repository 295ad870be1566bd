/* src/io/time/time_text.c: parses dates and times of day. */
#define _POSIX_C_SOURCE 200809L
#include "io/time/time_text.h"

#include <ctype.h>
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

/* 04.2019, from 1800 to 2199: other years are rather decimals of a number. */
static const char *month_point_year(const form_reader *reader, const char *text)
{
    const char *month = digits(text, 2, 2), *begin = one_of(month, "."), *year = digits(begin, 4, 4);
    if (!year || strncmp(begin, "1800", 4) < 0 || strncmp(begin, "2199", 4) > 0)
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

int volt_time_text_read_known(const char *text, volt_time_text *parts)
{
    if (volt_time_text_read(text, parts))
        return 1;
    memset(parts, 0, sizeof *parts);
    form_reader reader = {text, parts};
    const char *begin = skip_blanks(text), *end = month_point_year(&reader, begin);
    if (!end)
        end = only_digits(&reader, begin);
    return end && !*skip_blanks(end);
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
    int64_t year = number[TIME_YEAR], month = number[TIME_MONTH], day = number[TIME_DAY];
    if (parts->fields[TIME_YEAR].length == 2)
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
