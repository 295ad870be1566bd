/* cli/terminal/progress_bar.h: how far the work is, on standard error.
 *
 * On a terminal a bar with the share done and the time left, redrawn in place; otherwise a plain line now
 * and then, and only for work of more than a few seconds; nothing when quiet. The callback also passes
 * Ctrl-C on to the library. */
#ifndef CLI_PROGRESS_BAR_H
#define CLI_PROGRESS_BAR_H

#include "volterra.h"
#include "volterra/base.h"

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

/* ---- Ctrl-C and its like end the program without leaving anything half done --------------------
 * While nothing is at stake (reading inputs, printing) a signal ends the program at once. Between
 * interrupt_defer(true) and interrupt_defer(false) it only sets a mark: the progress callback cancels the
 * library's work and the writing of files. A mark that nobody has looked at still ends the program with its status. */

/* Take over SIGINT, SIGTERM, SIGHUP; let a closed pipe end the program quietly, and a file size limit
 * come back as a write error. */
void interrupt_install(void);

void interrupt_defer(bool on);
bool interrupt_seen(void);

/* Progress that cancels when a signal comes from now on. After an earlier one, what is done by then is written to its
 * end: a further signal kills. */
volt_progress interrupt_watch(void);

/* 128 + the signal: 130 for Ctrl-C. */
int interrupt_exit_status(void);

#endif
