/* src/io/time/clock_parts.h: seconds since 1970 taken apart into a day and what the clock shows on it. */
#ifndef IO_CLOCK_PARTS_H
#define IO_CLOCK_PARTS_H

#include "io/time/civil_date.h"

typedef struct volt_clock_parts {
    int64_t days; /* since 1970-01-01 */
    volt_civil_date date;
    int64_t hour, minute, second;
    int64_t fraction; /* of the second, in units of 10^-digits */
} volt_clock_parts;

/* Rounded to `digits` (at most 12) digits behind the second. 0, and nothing set, unless the year has four digits. */
int volt_clock_take_apart(double clock, int digits, volt_clock_parts *parts);

#endif
