/* tests/support/thread_bands.h: the processes of a job that shares its rows (base/row_bands.h), as threads
 * of this one. */
#ifndef SUPPORT_THREAD_BANDS_H
#define SUPPORT_THREAD_BANDS_H

#include <stdint.h>

enum { THREAD_BANDS = 4 }; /* at most */

/* Run `function` in `parts` threads, part p with tasks[p]; each computes with one thread. One job at a time.
 * A single part runs in the calling thread. */
void thread_bands_run(int64_t parts, void (*function)(void *task), void *const tasks[THREAD_BANDS]);

/* The part of the caller. */
int64_t thread_bands_part(void);

#endif
