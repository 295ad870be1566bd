/* cli/terminal/interrupt.h: Ctrl-C and its like end the program without leaving anything half done.
 *
 * While nothing is at stake (reading inputs, printing) a signal ends the program at once. Between
 * interrupt_defer(true) and interrupt_defer(false) it only sets a mark: the progress callback cancels the
 * library's work and the writing of files. A mark that nobody has looked at still ends the program with its status. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include "volterra/base.h"

#include <stdbool.h>

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
