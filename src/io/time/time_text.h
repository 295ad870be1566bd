/* src/io/time/time_text.h: parses dates and times of day. */
#ifndef IO_TIME_TEXT_H
#define IO_TIME_TEXT_H

#include "volterra/io.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers of a text, in the order of comparison. */
enum { TIME_YEAR, TIME_MONTH, TIME_DAY, TIME_HOUR, TIME_MINUTE, TIME_SECOND, TIME_FRACTION, TIME_FIELDS };

/* A number within a text: `length` digits from `at` on, or the letters of a month; length 0: absent. */
typedef struct volt_time_field {
    size_t at, length;
} volt_time_field;

typedef struct volt_time_text {
    volt_time_field fields[TIME_FIELDS];
    int is_either;   /* 4/9/2019: the order of day and month is ambiguous; TIME_DAY is the first number */
    int is_quarter;  /* 2019Q2: TIME_MONTH is the quarter */
    int is_week;     /* 2019-W15: TIME_MONTH is the week of ISO 8601 */
    int is_named;    /* 9 Apr 2019: TIME_MONTH is the name of the month */
    int lost_zeros;  /* zeros missing at the end: 4.197 */
    size_t half_day; /* position of AM or PM; 0: none */
    int is_afternoon;
    double offset; /* of its time zone, in seconds */
} volt_time_text;

/* Whether the text has the form 2019-04-09, 2019/4/9, 2019-04, 2019/04, 2019M04, 2019Q2, Q2 2019, 2019-W15, 09.04.2019,
 * 4/9/2019, 9/4/19, 9 Apr 2019, April 9, 2019, Apr 2019 or Apr-19 (years from 1969 to 2068), with or without a time of day (12:30, 12:30:05, 12:30:05.25, optionally followed by AM, PM, Z, UTC, +01:00 or
 * +0100), or is a time of day. Only the form is checked: 2019-99-99 passes, although it is not a valid date. */
int volt_time_text_read(const char *text, volt_time_text *parts);

/* The same for a text known to be a time: 1871 is then a year, 187104, 041871 and 04.1871 are months, and 18710409 and
 * 09041871 are days. In the forms that end with the year, it is from 1800 to 2199. */
int volt_time_text_read_known(const char *text, volt_time_text *parts);

/* How the ambiguous texts of a column are read: the order of day and month, or the form of numbers with a point. */
typedef enum volt_date_order {
    VOLT_ORDER_OPEN,
    VOLT_ORDER_DAY_FIRST,
    VOLT_ORDER_MONTH_FIRST,
    VOLT_ORDER_YEAR_MONTH,  /* 1871.04; 1871.1, which has lost a zero, is October */
    VOLT_ORDER_YEAR_NUMBER, /* 1871.4, 1871.10; 1871.1 is January, or October after a later month of the year */
    VOLT_ORDER_YEAR_QUARTER, /* 1871.4 */
    VOLT_ORDER_MONTH_YEAR,   /* 4.1871; 4.197 has lost a zero */
    VOLT_ORDER_MONTH_SHORT,  /* 04.71; 4.7 has lost a zero */
    VOLT_ORDERS
} volt_date_order;
/* The order of day and month in one text: a number above 12 is a day. */
volt_date_order volt_time_text_order(const char *text, const volt_time_text *parts);

/* Reads a text known to be a time in a form of numbers with a point, or in any other form as volt_time_text_read_known. */
int volt_time_text_read_as(const char *text, volt_date_order order, volt_time_text *parts);
/* The time of such a text; `before` (may be NULL) is the time of the row before it. 0: it is invalid. */
int volt_time_read_as(const char *text, volt_date_order order, const volt_time *before, volt_time *time);

/* Whether 2019.1 in the first row, read as the time `first`, is October, because the second row is November. */
int volt_time_is_october(volt_time first, volt_time second);

/* ---- columns of numbers that may be dates ------------------------------------------------------ */

/* The numbers of a column in one reading. */
typedef struct volt_digit_reading {
    int64_t count; /* leading numbers that are increasing dates */
    double last;   /* the last of these, in seconds since 1970 */
    double step;   /* days or months since the one before it, if equal in all rows; otherwise NaN */
    int changes_year;
} volt_digit_reading;

typedef struct volt_digit_dates {
    int64_t n;                                /* texts so far */
    volt_digit_reading readings[VOLT_ORDERS]; /* from VOLT_ORDER_DAY_FIRST on */
    size_t length;                            /* of the first number */
    size_t decimals;                          /* largest number of decimals */
    int has_zero;                             /* a number begins with 0 */
    int has_year_last;                        /* 041871 or 09041871 */
    int has_one;                              /* a number ends with .1 */
} volt_digit_dates;

/* Adds the next text of a column. */
void volt_digit_dates_learn(volt_digit_dates *dates, const char *text);

/* Determines whether all texts of a column are numbers that are increasing dates, and how they are read. `name` (may be NULL) is that of the column: month, date, ... . Without such a name, only texts
 * that other numbers do not have are dates: 20190409, 04.2019, or consecutive months or quarters of several years. */
int volt_digit_dates_find(const volt_digit_dates *dates, const char *name, volt_date_order *order);

/* volt_times_parse, with an order that other rows of the file may have determined. */
volt_status volt_times_parse_as(const char *const *texts, int64_t n, volt_date_order order, volt_time *times);

/* Formats a time: 2019-04-09, 2019-04-09 12:30, with seconds and offset if needed. Parses to the same time
 * within 1e-6 s. Returns `text`. */
const char *volt_time_format(volt_time time, char text[VOLT_TIME_LENGTH]);

/* Whether two times are the same to 1e-6 s, in UTC or on the local clock; two unknown times are. */
bool volt_time_is_same(volt_time a, volt_time b);

/* Finds the step that nine of ten rows follow, or four of five with closed weekdays; all zero: none, or some times of day have no
 * rows. VOLT_ERR_MEMORY. */
volt_status volt_time_step_find(const volt_time *times, int64_t n, volt_time_step *step);

/* Format and parse a step: "3600 s", "300 s except Sat Sun", "1 month", "3 months to the last day", "1 month to the last day
 * except Sat Sun". VOLT_ERR_FORMAT. */
const char *volt_time_step_format(volt_time_step step, char text[VOLT_TIME_LENGTH]);
volt_status volt_time_step_parse(const char *text, volt_time_step *step);

/* Whether the name of a column is month, date, time, ... : its numbers may be dates. */
int volt_time_name_is_known(const char *name);

/* The number of characters of a field, with lost zeros. */
size_t volt_time_field_width(const volt_time_text *parts, int field);
/* The number in a field of digits; 0 when absent. */
int64_t volt_time_text_number(const char *text, volt_time_field field);

enum { VOLT_MONTH_LENGTH = 10 };
/* The English name of a month (1 to 12), in as many letters and in the case of the name `like` (`length` letters). */
void volt_month_name_like(int64_t month, const char *like, size_t length, char name[VOLT_MONTH_LENGTH]);

/* The time given by the text; 0 when it is invalid: no date, or a day or hour out of range. is_month_first
 * decides ambiguous texts. */
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
/* The week of ISO 8601, from 1, and its year; and the Monday of a week, or INT64_MIN for a week that the year does not have. */
int64_t volt_week_of_days(int64_t days, int64_t *year);
int64_t volt_days_of_week(int64_t year, int64_t week);

/* ---- seconds since 1970, split into a day and a time of day ------------------------------------ */

typedef struct volt_clock_parts {
    int64_t days; /* since 1970-01-01 */
    volt_civil_date date;
    int64_t hour, minute, second;
    int64_t fraction; /* of the second, in units of 10^-digits */
} volt_clock_parts;

/* Rounded to `digits` (at most 12) decimals of the second. Returns 0, and sets nothing, unless the year has
 * four digits. */
int volt_clock_split(double clock, int digits, volt_clock_parts *parts);

#endif
