/* cli/series/serial_dates.c: dates that programs write as numbers, such as days since 1900 (Excel). */
#include "series/series_report.h"

#include <math.h>
#include <stdio.h>

/* Numbers from 1950 to 2099, in units of `seconds`, of which `origin` is 1970. */
typedef struct serial_form {
    const char *name;
    double seconds, origin;
} serial_form;

static const serial_form forms[] = {
    {"serial dates of Excel", 86400, 25569},
    {"serial dates of MATLAB (datenum)", 86400, 719529},
    {"Unix times in seconds", 1, 0},
    {"Unix times in milliseconds", 1e-3, 0},
};

/* Seconds since 1970; NaN if a number is not a date of this form. */
static double seconds_of(const serial_form *form, double number)
{
    static const double from = -7305 * 86400.0, to = 47482 * 86400.0; /* 1950 and 2100 */
    double seconds = (number - form->origin) * form->seconds;
    /* small numbers count seconds or rows: Unix times begin in 1973 */
    return seconds >= from && seconds < to && (form->origin > 0 || seconds >= 1e8) ? seconds : NAN;
}

const char *serial_dates_hint(double first, double last, char text[SERIAL_HINT_LENGTH])
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        double seconds = seconds_of(&forms[i], first);
        char date[VOLT_TIME_LENGTH];
        volt_time time = {seconds, seconds}, form = {0, 0};
        if (isnan(seconds) || isnan(seconds_of(&forms[i], last)) ||
            volt_time_write_like("1970-01-01", form, time, date))
            continue;
        snprintf(text, SERIAL_HINT_LENGTH, "%s? %.0f is %s: write dates as text to use them", forms[i].name,
                 floor(first), date);
        return text;
    }
    return NULL;
}
