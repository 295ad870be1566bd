/* cli/terminal/quantities.c: bytes and seconds as people write them. */
#include "terminal/quantities.h"

#include <stdio.h>

char *format_bytes(double bytes, char text[QUANTITY_LENGTH])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = 0;
    while (bytes >= 1024 && unit < 6) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, QUANTITY_LENGTH, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
    return text;
}

char *format_seconds(double seconds, char text[QUANTITY_LENGTH])
{
    if (seconds < 999.5e-6) /* what %.3g rounds up to 1000 has the next unit */
        snprintf(text, QUANTITY_LENGTH, "%.3g us", 1e6 * seconds);
    else if (seconds < 999.5e-3)
        snprintf(text, QUANTITY_LENGTH, "%.3g ms", 1e3 * seconds);
    else if (seconds < 120)
        snprintf(text, QUANTITY_LENGTH, "%.3g s", seconds);
    else if (seconds < 7200)
        snprintf(text, QUANTITY_LENGTH, "%.0f min", seconds / 60);
    else if (seconds < 2 * 86400)
        snprintf(text, QUANTITY_LENGTH, "%.1f hours", seconds / 3600);
    else
        snprintf(text, QUANTITY_LENGTH, "%.1f days", seconds / 86400);
    return text;
}
