/* src/base/progress.h: progress and cancellation inside the library.
 *
 * One call of the library is a row of stages, each with its share of the work. A volt_stage is one of
 * them. Parallel code calls volt_stage_advance from any thread; only the thread that made the stage
 * calls the user, and not more than about 20 times a second. */
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
    double last;      /* when the user was called last, in seconds */
    int owner, level; /* OpenMP thread that may call the user, and its nesting level */
} volt_stage;

/* Begin a stage of `total` units (at least 1). */
void volt_stage_begin(volt_stage *stage, volt_progress progress, const char *name, double from, double share,
                      double total);

/* Report `units` more; returns false when the work should stop. From any thread. */
bool volt_stage_advance(volt_stage *stage, int64_t units);

/* Let the user be called from inside one unit of work: false when the work should stop. stage may be NULL. */
bool volt_stage_poll(volt_stage *stage);

/* False once the user has cancelled. */
bool volt_stage_goes_on(const volt_stage *stage);

/* Report the stage as complete: VOLT_OK, or VOLT_ERR_CANCELLED with its sentence. */
volt_status volt_stage_end(volt_stage *stage);

/* How long the user is left alone between two calls, 0.05 s; 0 makes every poll a call, so that a test can cancel at
 * each of them. Not to be changed while a stage runs. */
void volt_stage_set_interval(double seconds);

/* Seconds from a steady clock. */
double volt_seconds(void);
/* Sleep, less than a second. */
void volt_rest(int64_t microseconds);

#endif
