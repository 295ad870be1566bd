/* cli/terminal/progress_bar.h: progress display on standard error.
 *
 * On a terminal, a bar with the fraction done and the time left, redrawn in place. Otherwise an occasional
 * line, only for work that takes more than a few seconds. No output when quiet. The callback also forwards
 * Ctrl-C to the library. */
#ifndef CLI_PROGRESS_BAR_H
#define CLI_PROGRESS_BAR_H

#include "volterra.h"
#include "volterra/base.h"

#include <stdbool.h>

/* Returns a progress callback for one call of the library and defers signals until progress_end. */
volt_progress progress_begin(bool quiet);

/* Displays `text` (one line, copied) after the fraction done, in place of the stage. */
void progress_describe(const char *text);

/* Prints a separate line immediately, "volterra COMMAND: ...", unless quiet. */
void progress_announce(const char *format, ...) VOLT_PRINTF(1, 2);

/* Erases the bar and ends the deferral of signals. Returns the elapsed seconds. */
double progress_end(void);

/* Erases the bar if it is on the screen. */
void progress_clear(void);

/* ---- interrupts -------------------------------------------------------------------------------
 * By default a signal ends the program immediately (while reading inputs or printing). Between
 * interrupt_defer(true) and interrupt_defer(false) it only sets a flag: the progress callback then cancels
 * the library's work and the writing of files. A flag that was never checked still ends the program with its
 * status. */

/* Handles SIGINT, SIGTERM and SIGHUP. A closed pipe ends the program silently. Exceeding the file size limit
 * is a write error. */
void interrupt_install(void);

void interrupt_defer(bool on);
bool interrupt_seen(void);

/* Returns progress that cancels on signals received from now on. After an earlier signal, completed results
 * are still written; a further signal kills the process. */
volt_progress interrupt_watch(void);

/* Returns 128 + the signal number: 130 for Ctrl-C. */
int interrupt_exit_status(void);

/* Seconds from a monotonic clock. */
double seconds_now(void);

#endif
