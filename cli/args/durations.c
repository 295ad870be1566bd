/* cli/args/durations.c: read times as people write them. */
#include "args/durations.h"

#include "text/text.h"
#include "volterra.h"

#include <math.h>
#include <string.h>

/* Larger units first; the names of each, the longest last. */
static const struct {
    const char *names[6];
    double seconds;
} units[] = {{{"d", "day", "days"}, 86400},
             {{"h", "hr", "hrs", "hour", "hours"}, 3600},
             {{"m", "min", "mins", "minute", "minutes"}, 60},
             {{"s", "sec", "secs", "second", "seconds"}, 1}};
enum { N_UNITS = (int)(sizeof units / sizeof units[0]) };

/* The unit, from number `first` on, that the letters at the start of `text` name; N_UNITS: none. */
static int find_unit(const char *text, size_t length, int first)
{
    for (int unit = first; unit < N_UNITS; unit++)
        for (const char *const *name = units[unit].names; *name; name++)
            if (strlen(*name) == length && strncmp(text, *name, length) == 0)
                return unit;
    return N_UNITS;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " ");
}

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
    bool is_first = true;
    for (const char *from = skip_blanks(text); *from; is_first = false) {
        double value = 0;
        size_t length = read_plain_number(from, &value);
        if (length == 0)
            return false;
        from = skip_blanks(from + length);
        if (!*from && is_first) { /* without a unit: only as the whole text */
            total = value;
            break;
        }
        length = strspn(from, "abcdefghijklmnopqrstuvwxyz");
        int unit = find_unit(from, length, next);
        if (unit == N_UNITS)
            return false;
        total += value * units[unit].seconds;
        next = unit + 1;
        from = skip_blanks(from + length);
    }
    if (!(total > 0) || !isfinite(total))
        return false;
    *seconds = total;
    return true;
}
