/* cli/terminal/digits.c: numbers of reports as text. */
#include "terminal/digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DECIMALS = 9 };
static const double widest = 1e7; /* longer numbers have an exponent */

number_text digits(double value)
{
    number_text number;
    snprintf(number.text, sizeof number.text, "%.4g", value);
    double rounded = strtod(number.text, NULL);
    for (int places = 5; fabs(rounded) == 1 && fabs(value) < 1 && places <= 9; places++) { /* R2 0.99999 */
        snprintf(number.text, sizeof number.text, "%.*g", places, value);
        rounded = strtod(number.text, NULL);
    }
    if (fabs(rounded) >= 1e4 && fabs(rounded) < widest)
        snprintf(number.text, sizeof number.text, "%.0f", rounded);
    return number;
}

number_text parameter_digits(double value)
{
    number_text number;
    snprintf(number.text, sizeof number.text, "%.6g", value);
    return number;
}

number_text fixed_digits(double value, int decimals)
{
    number_text number;
    if (fabs(value) < widest || (decimals == 0 && fabs(value) < 1e15))
        snprintf(number.text, sizeof number.text, "%.*f", decimals, value);
    else
        snprintf(number.text, sizeof number.text, "%.3g", value);
    if (number.text[0] == '-' && number.text[1 + strspn(number.text + 1, "0.")] == '\0') /* "-0.00" */
        memmove(number.text, number.text + 1, strlen(number.text));
    return number;
}

/* Decimals that give a number this many digits. */
static int decimals_of(double value, int count)
{
    int decimals = count - 1 - (int)floor(log10(value));
    return decimals < 0 ? 0 : decimals > MAX_DECIMALS ? MAX_DECIMALS : decimals;
}

int column_decimals(double lowest)
{
    return lowest > 0 && isfinite(lowest) ? decimals_of(lowest, lowest < 1 ? 3 : 4) : 3;
}

int error_decimals(double lowest_error, double largest)
{
    int few = column_decimals(fabs(largest));
    if (!(lowest_error > 0 && isfinite(lowest_error)))
        return few;
    int decimals = decimals_of(lowest_error, 2);
    return decimals < few + 2 ? decimals : few + 2;
}

estimate_text error_digits(double value, double error)
{
    estimate_text estimate;
    int decimals = error_decimals(error, value);
    snprintf(estimate.text, sizeof estimate.text, "%s +- %s", fixed_digits(value, decimals).text,
             fixed_digits(error, decimals).text);
    return estimate;
}
