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

/* Reports `units` more; returns false when the work should stop. Callable from any thread. stage may be NULL. */
bool volt_stage_advance(volt_stage *stage, int64_t units);

/* Allows a callback inside one unit of work; false when the work should stop. stage may be NULL. */
bool volt_stage_poll(volt_stage *stage);

/* The progress of work within one unit, which only polls the stage (NULL: nothing). */
volt_progress volt_stage_polled(volt_stage *stage);

/* False once the user has cancelled. */
bool volt_stage_should_continue(const volt_stage *stage);

/* Reports the stage as complete: VOLT_OK, or VOLT_ERR_CANCELLED with its message. */
volt_status volt_stage_end(volt_stage *stage);

/* Raises the count of a stage to `units`, for work that did not advance it. stage may be NULL. */
bool volt_stage_reach(volt_stage *stage, double units);

/* A stage inside another one: its `total` units are the next `units` of `outer` (may be NULL). The end advances the outer
 * stage by the units that the inner one has reported, and cancels it if the inner one was cancelled. */
void volt_stage_begin_inner(volt_stage *outer, double units, double total, volt_stage *inner);
bool volt_stage_end_inner(volt_stage *outer, double units, volt_stage *inner);

/* ---- calls inside a call ------------------------------------------------------------------------
 * Fractions 0 to 1 of an inner call are [from, from + share] of the whole one, under the name `stage` (NULL: that of the
 * inner stage). */
typedef struct volt_progress_part {
    volt_progress whole;
    const char *stage;
    double from, share;
} volt_progress_part;

/* Returns the progress for the inner call; none if the whole call has none. The part must outlive it. */
volt_progress volt_progress_of_part(volt_progress_part *part);

/* ---- one call ---------------------------------------------------------------------------------
 * The stages of a call report through a meter. The user then receives fractions that never decrease, stay below 1 until
 * the call ends, and end once with 1. */
typedef struct volt_meter {
    volt_progress user;
    double begin, length; /* the part of the call that is under way ... */
    double from, share;   /* ... and the range of it that the current stages cover */
    double reached;       /* the largest fraction reported */
} volt_meter;

/* Returns the progress for the stages of a call, which cover all of it. The meter must outlive them. */
volt_progress volt_meter_begin(volt_meter *meter, volt_progress user);
/* Maps fractions 0 to 1 of the following stages to [from, from + share] of the part of the call that is under way: all of
 * it, or a share of what is left since the last call of volt_meter_part. meter may be NULL. */
void volt_meter_cover(volt_meter *meter, double from, double share);
void volt_meter_part(volt_meter *meter, double share_of_rest);
/* Returns `status`; after success reports 1, at which the user may still cancel (VOLT_ERR_CANCELLED). */
volt_status volt_meter_end(volt_meter *meter, volt_status status);

/* Sets the minimum time between two callbacks, 0.05 s by default; 0 makes every poll a callback, so that a
 * test can cancel at each of them. Do not change it while a stage runs. */
void volt_stage_set_interval(double seconds);

/* Seconds from a monotonic clock. */
double volt_seconds(void);
/* Sleep, less than a second. */
void volt_sleep(int64_t microseconds);

#endif
