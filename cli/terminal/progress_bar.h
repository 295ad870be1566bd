/* cli/terminal/progress_bar.h: how far the work is, on standard error.
 *
 * On a terminal a bar with the share done and the time left, redrawn in place; otherwise a plain line now
 * and then, and only for work of more than a few seconds; nothing when quiet. The callback also passes
 * Ctrl-C on to the library. */
#ifndef CLI_PROGRESS_BAR_H
#define CLI_PROGRESS_BAR_H

#include "volterra.h"

#include <stdbool.h>

/* Progress for one call of the library. From here on signals are deferred (interrupt.h). */
volt_progress progress_begin(bool quiet);

/* From now on say `text` (one line, which is copied) after the share done, in place of the stage. */
void progress_describe(const char *text);

/* A line of its own at once, "volterra COMMAND: ...", unless quiet. */
void progress_announce(const char *format, ...) VOLT_PRINTF(1, 2);

/* The call is over: wipe the bar, and signals act at once again. Returns the seconds it took. */
double progress_end(void);

/* Wipe the bar, if one stands on the screen. */
void progress_clear(void);

#endif
