/* cli/args/durations.h: times as people write them, "90s", "3min", "1h30m", "2 hours". */
#ifndef CLI_DURATIONS_H
#define CLI_DURATIONS_H

#include <stdbool.h>

/* Whole or decimal numbers with a unit behind them (d, h, m or s; min, hours and so on), larger units first, each
 * once, blanks between them or not; a number alone is seconds. False, and *seconds as it was, for anything else and for a time that is not above 0. */
bool parse_duration(const char *text, double *seconds);

#endif
