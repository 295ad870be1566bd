/* src/select/search/schedule.h: the order of the candidates and the results of the race.
 *
 * Candidates are started in order of position. The result of the race must not depend on the number of
 * threads or their speed. The candidate at position p is therefore compared only with those up to p -
 * VOLT_LAG (in CMA-ES, with one of the previous generation). With more candidates at a time, some are
 * evaluated before their reference is known, on more folds than it allows. Such a trial waits until the
 * reference is known and is then truncated. A search thus gives the same result on any number of threads, and
 * when it is resumed from its log. */
#ifndef SELECT_SCHEDULE_H
#define SELECT_SCHEDULE_H

#include "select/search/race.h"

enum { VOLT_LAG = 8 };

typedef struct volt_schedule {
    volt_standings standings;
    int64_t max_ahead;    /* maximum number of positions started after the first unsettled one */
    volt_trial **final;   /* by position; NULL: not yet. Owned by the search */
    volt_trial **waiting; /* by position: evaluated, reference unknown. Owned by the schedule */
    int64_t final_capacity, waiting_capacity, positions;
    bool adaptive; /* candidates depend on earlier generations (evolution.c) */
    /* From the position evolves_at on (INT64_MAX: never), generations are those of CMA-ES (evolution.c). The
     * current one has the positions from generation_begin to generation_end - 1 and one reference. */
    int64_t evolves_at, generation_begin, generation_end;
    volt_reference generation_reference;
    int64_t next; /* next position */
} volt_schedule;

/* Keeps a settled trial; takes ownership, also on failure. */
typedef volt_status (*volt_keep_trial)(volt_trial *trial, void *context);

volt_status volt_schedule_begin(volt_schedule *schedule, volt_race_rule rule);
void volt_schedule_end(volt_schedule *schedule);

/* Whether the position has a trial. */
bool volt_schedule_has(const volt_schedule *schedule, int64_t position);
/* Adds the trial of an earlier run. */
volt_status volt_schedule_resume(volt_schedule *schedule, int64_t position, volt_trial *trial);

/* The next position, not yet taken. */
int64_t volt_schedule_next(volt_schedule *schedule);
/* The number of first positions on which the candidate at the position depends. In CMA-ES, positions after the
 * current generation depend on all of it, and possibly on more. */
int64_t volt_schedule_needs(const volt_schedule *schedule, int64_t position);
/* Whether it may be started now: not too far ahead, and its candidate is known. */
bool volt_schedule_may_begin(const volt_schedule *schedule);
/* Takes it. */
volt_status volt_schedule_take(volt_schedule *schedule);

/* The reference of the candidate at the position; NULL: unknown. */
const volt_reference *volt_schedule_reference(const volt_schedule *schedule, int64_t position);

/* Adds the trial of an evaluated candidate and takes ownership. Settles and keeps it and the trials that
 * waited for it, if their references are known. */
volt_status volt_schedule_finish(volt_schedule *schedule, int64_t position, volt_trial *trial,
                                 volt_keep_trial keep, void *context);

#endif
