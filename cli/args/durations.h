/* cli/args/durations.h: times as people write them, "90s", "30m", "1h30m". */
#ifndef CLI_DURATIONS_H
#define CLI_DURATIONS_H

#include <stdbool.h>

/* Whole or decimal numbers with d, h, m or s behind them, larger units first, each once; a number alone is
 * seconds. False, and *seconds as it was, for anything else and for a time that is not above 0. */
bool parse_duration(const char *text, double *seconds);

#endif
