/* src/select/search/search_internal.h: a search and its trials. */
#ifndef SELECT_SEARCH_INTERNAL_H
#define SELECT_SEARCH_INTERNAL_H

#include "select/folds/cross_validation.h"
#include "volterra/select.h"

#include <stdbool.h>

/* The score of a search, and its name. */
enum { VOLT_LOSS_LENGTH = 2048 }; /* length of a loss with the maximum number of levels */

typedef struct volt_measure {
    volt_score score;
    const char *name;            /* static: r2, nmse, ..., or the name of the score of the loss */
    char loss[VOLT_LOSS_LENGTH]; /* text of the loss if the score is VOLT_SCORE_LOSS, else "" */
} volt_measure;

struct volt_search {
    volt_search_info info;
    volt_trial **trials; /* in order of completion; by index when the search is over */
    int64_t capacity;
    const volt_trial *best;
    int64_t *stopped; /* folds + 1 */
    volt_measure measure;
};

/* Creates a trial with copies of the text and the scores; NULL when out of memory. failure may be NULL. */
volt_trial *volt_trial_new(int64_t index, const char *kernel, double alpha, const double *folds,
                           int64_t n_folds, const char *failure);
void volt_trial_free(volt_trial *trial);
/* Truncates a trial stopped after `done` folds: later scores and failures are discarded. */
void volt_trial_stop(volt_trial *trial, int64_t done);

static inline bool volt_trial_complete(const volt_trial *trial)
{
    return !trial->failure && !trial->stopped;
}

/* ---- early stopping of candidates -------------------------------------------------------------------- */

/* Reference trial of a candidate: the best of the complete trials before it. */
typedef struct volt_reference {
    const volt_trial *best; /* NULL: none yet */
    double spread;          /* of paired differences between folds; NaN: unknown */
} volt_reference;

typedef struct volt_race_rule {
    volt_race race;
    volt_score score;
    int64_t folds;
} volt_race_rule;

/* Whether a candidate with these scores on its first `done` folds is stopped. */
bool volt_reference_beats(const volt_race_rule *rule, const volt_reference *reference, const double *folds,
                          int64_t done);

/* Trials in order, and the reference given by the first k of them, for every k. */
typedef struct volt_standings {
    volt_race_rule rule;
    volt_reference *references; /* count + 1: references[k] of the first k trials */
    int64_t count, reference_capacity;
    const volt_trial **complete;
    int64_t n_complete, complete_capacity;
    double *spreads; /* sorted: of the complete trials other than the best */
    int64_t n_spreads, spread_capacity;
} volt_standings;

volt_status volt_standings_begin(volt_standings *standings, volt_race_rule rule);
/* Adds the next trial, complete or not. It must outlive the standings. */
volt_status volt_standings_add(volt_standings *standings, const volt_trial *trial);
void volt_standings_end(volt_standings *standings);

/* ---- the order of the candidates and the results of the race ----------------------------------------- */

/* Candidates are started in order of position. The result of the race must not depend on the number of
 * threads or their speed. The candidate at position p is therefore compared only with those up to p -
 * VOLT_LAG (in CMA-ES, with one of the previous generation). With more candidates at a time, some are
 * evaluated before their reference is known, on more folds than it allows. Such a trial waits until the
 * reference is known and is then truncated. A search thus gives the same result on any number of threads, and
 * when it is resumed from its log. */

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
