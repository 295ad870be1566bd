/* src/io/time/time_text.h: a date or time of day as people write it: what stands where in the text. */
#ifndef IO_TIME_TEXT_H
#define IO_TIME_TEXT_H

#include "volterra/io.h"

#include <stddef.h>
#include <stdint.h>

/* The numbers of a text, in the order in which they are compared. */
enum { TIME_YEAR, TIME_MONTH, TIME_DAY, TIME_HOUR, TIME_MINUTE, TIME_SECOND, TIME_FRACTION, TIME_FIELDS };

/* A number within a text: `length` digits from `at` on; length 0: it is not there. */
typedef struct volt_time_field {
    size_t at, length;
} volt_time_field;

typedef struct volt_time_text {
    volt_time_field fields[TIME_FIELDS];
    int is_either; /* 4/9/2019: which of its first two numbers is the month, the text alone may not say; TIME_DAY
                      * is the first of them */
    int is_quarter;  /* 2019Q2: TIME_MONTH is the quarter */
    size_t half_day; /* where AM or PM stands; 0: nowhere */
    int is_afternoon;
    double offset; /* of its zone, in seconds */
} volt_time_text;

/* Is this 2019-04-09, 2019/4/9, 2019-04, 2019Q2, 09.04.2019 or 4/9/2019, alone or with a time of day behind it (12:30, 12:30:05,
 * 12:30:05.25, then perhaps AM, PM, Z, UTC, +01:00 or +0100), or a time of day alone? Its form counts: 2019-99-99 is one
 * too, and no time can be made of it. */
int volt_time_text_read(const char *text, volt_time_text *parts);

/* The same of a text that is known to be a time: four digits alone, 1871, are then a year. */
int volt_time_text_read_known(const char *text, volt_time_text *parts);

/* What a text of two readings says about the order of its kind: a number above 12 is a day. */
typedef enum volt_date_order { VOLT_ORDER_OPEN, VOLT_ORDER_DAY_FIRST, VOLT_ORDER_MONTH_FIRST } volt_date_order;
volt_date_order volt_time_text_order(const char *text, const volt_time_text *parts);

/* volt_times_parse, where other rows of the file may have settled the order already. */
volt_status volt_times_parse_as(const char *const *texts, int64_t n, volt_date_order order, volt_time *times);

/* The number in a field; 0 where it is not there. */
int64_t volt_time_text_number(const char *text, volt_time_field field);

/* The moment that the text names; 0 when there is none: no date, no such day or hour. is_month_first settles texts that
 * may be read in two ways. */
int volt_time_of_text(const char *text, const volt_time_text *parts, int is_month_first, volt_time *time);

/* ---- days counted from 1970-01-01, and their dates in the Gregorian calendar ------------------- */

/* Months count from 1, days of a month from 1, days of the week from 0 (Monday), days of the year from 0. */
typedef struct volt_civil_date {
    int64_t year, month, day;
} volt_civil_date;

int64_t volt_days_in_month(int64_t year, int64_t month);
int64_t volt_days_in_year(int64_t year);
int64_t volt_days_of_date(int64_t year, int64_t month, int64_t day);
volt_civil_date volt_date_of_days(int64_t days);
int64_t volt_weekday_of_days(int64_t days);

/* ---- seconds since 1970 taken apart into a day and what the clock shows on it ------------------ */

typedef struct volt_clock_parts {
    int64_t days; /* since 1970-01-01 */
    volt_civil_date date;
    int64_t hour, minute, second;
    int64_t fraction; /* of the second, in units of 10^-digits */
} volt_clock_parts;

/* Rounded to `digits` (at most 12) digits behind the second. 0, and nothing set, unless the year has four digits. */
int volt_clock_take_apart(double clock, int digits, volt_clock_parts *parts);

#endif
