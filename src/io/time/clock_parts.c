/* src/io/time/clock_parts.c: seconds since 1970 taken apart into a day and what the clock shows on it. */
#include "io/time/clock_parts.h"

#include <math.h>

enum { DAY = 86400 };

int volt_clock_take_apart(double clock, int digits, volt_clock_parts *parts)
{
    double days = floor(clock / DAY);
    if (!(fabs(days) < 4e6)) /* some 11000 years: what follows stays within an integer */
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
