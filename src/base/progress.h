/* src/base/progress.h: progress and cancellation inside the library.
 *
 * One call of the library is a sequence of stages (volt_stage), each with its share of the work. Parallel code
 * calls volt_stage_advance from any thread. Only the thread that created the stage calls the user's callback,
 * at most about 20 times a second. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include "volterra/base.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct volt_stage {
    volt_progress progress;
    const char *name;
    double from, share;   /* this stage covers [from, from + share] of the call */
    double total;         /* units of work in this stage */
    _Atomic int64_t done; /* units done, by all threads */
    _Atomic bool cancelled;
    double last;      /* time of the last callback, in seconds */
    int owner, level; /* OpenMP thread that may call the callback, and its nesting level */
} volt_stage;

/* Begins a stage of `total` units (at least 1). */
void volt_stage_begin(volt_stage *stage, volt_progress progress, const char *name, double from, double share,
                      double total);

/* Reports `units` more; returns false when the work should stop. Callable from any thread. */
bool volt_stage_advance(volt_stage *stage, int64_t units);

/* Allows a callback inside one unit of work; false when the work should stop. stage may be NULL. */
bool volt_stage_poll(volt_stage *stage);

/* False once the user has cancelled. */
bool volt_stage_should_continue(const volt_stage *stage);

/* Reports the stage as complete: VOLT_OK, or VOLT_ERR_CANCELLED with its message. */
volt_status volt_stage_end(volt_stage *stage);

/* Sets the minimum time between two callbacks, 0.05 s by default; 0 makes every poll a callback, so that a
 * test can cancel at each of them. Do not change it while a stage runs. */
void volt_stage_set_interval(double seconds);

/* Seconds from a monotonic clock. */
double volt_seconds(void);
/* Sleep, less than a second. */
void volt_sleep(int64_t microseconds);

#endif
