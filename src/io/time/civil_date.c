/* src/io/time/civil_date.c: days counted from 1970-01-01, and their dates in the Gregorian calendar.
 *
 * The calendar has a period of 400 years with 146097 days. Within such an era, years are counted from March,
 * so that the leap day is the last of a year, and the months from March on have 31, 30, 31, 30, 31 days,
 * twice: month p = 0, 1, ... begins at day (153 p + 2) / 5. */
#include "io/time/time_text.h"

#include <math.h>

enum { ERA_YEARS = 400, ERA_DAYS = 146097, DAYS_TO_1970 = 719468 /* from 0000-03-01 */ };

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int is_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int64_t volt_days_in_month(int64_t year, int64_t month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

int64_t volt_days_in_year(int64_t year)
{
    return 365 + is_leap(year);
}

int64_t volt_days_of_date(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = floor_divide(year, ERA_YEARS), of_era = year - era * ERA_YEARS;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year - DAYS_TO_1970;
}

volt_civil_date volt_date_of_days(int64_t days)
{
    days += DAYS_TO_1970;
    int64_t era = floor_divide(days, ERA_DAYS), of_era = days - era * ERA_DAYS;
    /* Without the leap days: every 4, not every 100, but every 400 years. */
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t from_march = (5 * of_year + 2) / 153;
    int64_t month = from_march < 10 ? from_march + 3 : from_march - 9;
    return (volt_civil_date){
        .year = era * ERA_YEARS + year + (month <= 2),
        .month = month,
        .day = of_year - (153 * from_march + 2) / 5 + 1,
    };
}

int64_t volt_weekday_of_days(int64_t days)
{
    int64_t since_monday = days + 3; /* 1970-01-01 was a Thursday */
    return since_monday - 7 * floor_divide(since_monday, 7);
}

/* The year of a week is that of its Thursday. */
int64_t volt_week_of_days(int64_t days, int64_t *year)
{
    int64_t thursday = days - volt_weekday_of_days(days) + 3;
    *year = volt_date_of_days(thursday).year;
    return (thursday - volt_days_of_date(*year, 1, 1)) / 7 + 1;
}

int64_t volt_days_of_week(int64_t year, int64_t week)
{
    int64_t fourth = volt_days_of_date(year, 1, 4), same;
    int64_t monday = fourth - volt_weekday_of_days(fourth) + 7 * (week - 1);
    return week >= 1 && volt_week_of_days(monday, &same) == week && same == year ? monday : INT64_MIN;
}

/* ---- seconds since 1970, split into a day and a time of day ------------------------------------ */

enum { DAY = 86400 };

int volt_clock_split(double clock, int digits, volt_clock_parts *parts)
{
    double days = floor(clock / DAY);
    if (!(fabs(days) < 4e6)) /* about 11000 years: the following fits an integer */
        return 0;
    int64_t unit = 1;
    for (int i = 0; i < digits; i++)
        unit *= 10;
    int64_t whole_days = (int64_t)days;
    int64_t rest = llround((clock - days * DAY) * (double)unit);
    if (rest >= DAY * unit) { /* rounded up to midnight */
        whole_days++;
        rest -= DAY * unit;
    }
    volt_civil_date date = volt_date_of_days(whole_days);
    if (date.year < 0 || date.year > 9999)
        return 0;
    int64_t second = rest / unit;
    *parts = (volt_clock_parts){
        .days = whole_days,
        .date = date,
        .hour = second / 3600,
        .minute = second / 60 % 60,
        .second = second % 60,
        .fraction = rest % unit,
    };
    return 1;
}
