/* src/io/time/civil_date.h: days counted from 1970-01-01, and their dates in the Gregorian calendar. */
#ifndef IO_CIVIL_DATE_H
#define IO_CIVIL_DATE_H

#include <stdint.h>

/* Months count from 1, days of a month from 1, days of the week from 0 (Monday), days of the year from 0. */
typedef struct volt_civil_date {
    int64_t year, month, day;
} volt_civil_date;

int64_t volt_days_in_month(int64_t year, int64_t month);
int64_t volt_days_in_year(int64_t year);
int64_t volt_days_of_date(int64_t year, int64_t month, int64_t day);
volt_civil_date volt_date_of_days(int64_t days);
int64_t volt_weekday_of_days(int64_t days);

#endif
