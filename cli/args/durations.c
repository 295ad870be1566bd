/* cli/args/durations.c: read times as people write them. */
#include "args/durations.h"

#include "volterra.h"

#include <math.h>
#include <string.h>

static const struct {
    char letter;
    double seconds;
} units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
enum { N_UNITS = (int)(sizeof units / sizeof units[0]) };

/* The number at the start of `text`, digits with at most one point; returns its length, 0: there is none. */
static size_t read_plain_number(const char *text, double *value)
{
    char digits[32];
    size_t length = strspn(text, "0123456789.");
    if (length == 0 || length >= sizeof digits)
        return 0;
    memcpy(digits, text, length);
    digits[length] = '\0';
    return volt_parse_number(digits, value) && isfinite(*value) ? length : 0;
}

bool parse_duration(const char *text, double *seconds)
{
    double total = 0;
    int next = 0; /* units before this one have had their turn */
    const char *from = text;
    while (*from) {
        double value = 0;
        size_t length = read_plain_number(from, &value);
        if (length == 0)
            return false;
        if (!from[length]) { /* without a unit: only when it stands alone */
            if (from != text)
                return false;
            total = value;
            break;
        }
        int unit = next;
        while (unit < N_UNITS && units[unit].letter != from[length])
            unit++;
        if (unit == N_UNITS)
            return false;
        total += value * units[unit].seconds;
        next = unit + 1;
        from += length + 1;
    }
    if (!(total > 0))
        return false;
    *seconds = total;
    return true;
}
