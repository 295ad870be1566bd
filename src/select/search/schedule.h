/* src/select/search/schedule.h: which candidate is begun next, and what its folds come to.
 *
 * Candidates are begun in order of their position. Which of them the race gives up must not depend on how many
 * threads there are, nor on which one was fast: the candidate at position p is measured against those up to
 * p - VOLT_LAG alone. With more candidates at a time than that, some are evaluated before their rival is known,
 * and further than it would have let them: such a trial waits until the rival is known, and is then cut to what
 * the rule says. So a search comes to the same end on any number of threads, and so does one that is taken up
 * again from its log. */
#ifndef SELECT_SCHEDULE_H
#define SELECT_SCHEDULE_H

#include "select/search/race.h"

enum { VOLT_LAG = 8 };

typedef struct volt_schedule {
    volt_standings standings;
    int64_t most_ahead;   /* positions that may be begun beyond the first one that is not settled */
    volt_trial **settled; /* by position; NULL: not yet. They belong to the search */
    volt_trial **waiting; /* by position: evaluated, its rival not known. They belong to the schedule */
    int64_t settled_capacity, waiting_capacity, positions;
    bool adaptive; /* candidates hang on the generations before theirs (generations.h) */
    int64_t next;  /* position to be begun */
} volt_schedule;

/* Keeps a trial whose fate is settled: takes it over, also on failure. */
typedef volt_status (*volt_keep_trial)(volt_trial *trial, void *context);

volt_status volt_schedule_begin(volt_schedule *schedule, volt_race_rule rule);
void volt_schedule_end(volt_schedule *schedule);

/* Is there a trial at the position already? */
bool volt_schedule_has(const volt_schedule *schedule, int64_t position);
/* The trial of an earlier run. */
volt_status volt_schedule_resume(volt_schedule *schedule, int64_t position, volt_trial *trial);

/* The position to be begun next, not yet taken. */
int64_t volt_schedule_next(volt_schedule *schedule);
/* May it be begun now, or is it too far ahead, or not known yet what it is? */
bool volt_schedule_may_begin(const volt_schedule *schedule);
/* Take it. */
volt_status volt_schedule_take(volt_schedule *schedule);

/* What the candidate at the position is measured against; NULL: not known yet. */
const volt_rival *volt_schedule_rival(const volt_schedule *schedule, int64_t position);

/* The candidate has been evaluated: its trial, which is taken over, and those that waited for it are settled
 * as far as their rivals are known, and kept. */
volt_status volt_schedule_finish(volt_schedule *schedule, int64_t position, volt_trial *trial,
                                 volt_keep_trial keep, void *context);

#endif
