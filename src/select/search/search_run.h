/* src/select/search/search_run.h: a search while it runs: what its loop (search_loop.c), its rows (search.c) and its climbs
 * (search_climbs.c) share. */
#ifndef SELECT_SEARCH_RUN_H
#define SELECT_SEARCH_RUN_H

#include "select/candidates/candidates.h"
#include "select/evidence/evidence.h"
#include "select/folds/cross_validation.h"
#include "select/search/race.h"
#include "select/search/schedule.h"
#include "select/search/search_internal.h"
#include "select/search/trial_log.h"

#include <omp.h>
#include <stdatomic.h>

typedef struct volt_run {
    const volt_candidates *candidates;
    const volt_search_options *options;
    int64_t folds;         /* scores of a candidate */
    volt_problem *problem; /* NULL: the evaluators have their own */
    volt_search *search;
    volt_trial_log log;
    bool logs;
    char fingerprint[VOLT_FINGERPRINT_LENGTH]; /* with a log or a crew */
    int64_t length;                            /* positions in this shard, -1: no end */
    int64_t climbs;                            /* evaluations of climbs that may come after them */
    double begun;
    _Atomic bool has_score;       /* a candidate has been evaluated */
    volt_stage stage;             /* shared by all evaluations, for progress and for stopping */
    const struct volt_crew *crew; /* NULL: this process alone */
    int64_t hands;                /* candidates that the others take at a time */

    omp_lock_t lock; /* of everything below */
    volt_schedule schedule;
    volt_parents parents; /* of the generation that begins after so many positions: */
    int64_t known;
    double room;     /* bytes for what the engines of candidates take beside their workspaces ... */
    double reserved; /* ... and what is reserved of it */
    int64_t active;  /* being evaluated, ... */
    int64_t away;    /* ... so many of them by other processes (crew.h) */
    int64_t *returned, n_returned; /* positions that were handed to one which left */
    int64_t reported;              /* trials that the caller has been told about */
    bool cancelled, out_of_time;
    volt_status status; /* of the first failure that ends the run, and its sentence: */
    char sentence[512];
} volt_run;

/* Who evaluates a candidate: this process in a workspace (search.c), another one (crew.h), or a task that has scores of its
 * own (src/series). */
typedef struct volt_evaluator {
    volt_status (*evaluate)(struct volt_evaluator *evaluator, int64_t position, const char *kernel,
                            volt_setting *setting, double *folds, int64_t *done, volt_cost *cost);
    /* (optional) When the candidate is given up, by volt_seconds(), unless no other has a score; 0: never. *expected: the
     * seconds that it takes, where they are known. One that is late returns VOLT_ERR_CANCELLED. */
    double (*limit)(const struct volt_evaluator *evaluator, int64_t position, double *expected);
    /* (optional) Is the failure the candidate's own? NULL: volt_run_is_candidates_own. */
    bool (*is_own)(const struct volt_evaluator *evaluator, volt_status status);
    volt_run *run; /* set by the search */
    double until;  /* of the candidate that is evaluated; 0: no limit */
    bool is_away;  /* another process, for which a thread of its own waits that calls no user */
    bool has_left; /* the candidate was not evaluated, and no other one will be */
} volt_evaluator;

/* A search with evaluators of the task, one a thread, without a log: of the options score, progress and on_trial count, and all
 * candidates are evaluated. A candidate given up for lack of time is a trial that stopped before its first block. *search and
 * the status are those of volt_search_run. */
volt_status volt_search_with(const volt_candidates *candidates, const volt_search_options *options,
                             int64_t folds, volt_evaluator *const *evaluators, int64_t count,
                             volt_search **search);

/* Polls the user; false: the candidate of the evaluator is given up, or the search ends. */
bool volt_run_goes_on(const volt_evaluator *evaluator);

/* ---- the loop (search_loop.c) ----------------------------------------------------------------- */

/* The search and the schedule of a run whose first fields are set. Release the run in every case. */
volt_status volt_run_begin(volt_run *run, volt_measure measure);
/* The draws: by `parallel` evaluators here, with room for all scores of each in `folds`, and by the crew. */
volt_status volt_run_draw(volt_run *run, volt_evaluator *const *evaluators, double *folds, int64_t parallel);
/* The last report, after the draws and what follows them. */
void volt_run_end_draws(volt_run *run);
/* The status of the whole run. */
volt_status volt_run_conclude(volt_run *run);
/* Hand the search over where it is of use, and release the rest. */
void volt_run_release_all(volt_run *run, volt_status status, volt_search **search);

/* The index of the candidate at a position of this shard. */
int64_t volt_run_index(const volt_run *run, int64_t position);
/* Look for the parents of the candidate at the position, in whose generation nothing has begun yet. */
void volt_run_know_parents(volt_run *run, int64_t position);
/* The candidate at a position whose parents are known. No other thread looks for the next ones before it has ended. */
volt_status volt_run_candidate(const volt_run *run, int64_t position, char kernel[VOLT_KERNEL_LENGTH],
                               volt_setting *setting);

/* Evaluate a candidate here, as soon as there is room for its engine. */
volt_status volt_run_evaluate(volt_run *run, volt_workspace *workspace, const char *kernel,
                              volt_setting *setting, volt_goes_on_fn goes_on, void *context, volt_stage *stage,
                              double *folds, int64_t *done, volt_cost *cost);

/* Log a trial that has ended and hand it to the search, which takes it over also on failure; context: the run, whose lock is
 * held. */
volt_status volt_run_keep(volt_trial *trial, void *context);

/* A failure that is not a candidate's own ends the run, the first one with its sentence; the lock is held. */
void volt_run_end(volt_run *run, volt_status status);
bool volt_run_is_candidates_own(volt_status status);

/* Room for what the engine of a candidate takes beside its workspace: waits until there is some. */
volt_status volt_run_reserve(volt_run *run, double bytes);
void volt_run_release(volt_run *run, double bytes);

/* The caller's thread stays to listen until the others are done. */
void volt_run_listen(volt_run *run);

/* ---- climbs (search_climbs.c) ----------------------------------------------------------------- */

/* May a search with these options climb? VOLT_ERR_ARGUMENT. */
volt_status volt_run_check_climb(const volt_candidates *candidates, const volt_search_options *options);
/* How many of the evaluations are draws (run->length), and how many may be those of climbs. */
void volt_run_plan_climb(volt_run *run);
/* Climb from the best draws, `parallel` at a time, each in a workspace of its own. */
void volt_run_climb(volt_run *run, volt_workspace **spaces, int64_t parallel);

/* ---- from one candidate uphill in its evidence, by gradient ------------------------------------ */

/* Told of every evaluation: the kernel's text, alpha, and the evidence, or the status of a failure whose sentence stands. Not
 * VOLT_OK: the climb ends with that. */
typedef volt_status (*volt_climb_fn)(const char *kernel, double alpha, double evidence, volt_status status,
                                     void *context);

/* From `start` uphill in the coordinates of the candidates, by the limited-memory BFGS of NLopt (Nocedal 1980, Liu and
 * Nocedal 1989), until a step gains less than a thousandth or `most` evaluations are made. `space` is that of one evaluation.
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED, or what `on_step` says. */
volt_status volt_climb(const volt_candidates *candidates, const volt_trial *start, const volt_problem *problem,
                       volt_workspace *space, int64_t most, volt_stage *stage, volt_climb_fn on_step,
                       void *context);

/* ---- the generations of an adaptive search, and what a candidate may know of others ------------
 * The first VOLT_FIRST_DRAWS positions of a search (of a shard: its own) are draws. After them positions come in
 * generations of VOLT_GENERATION, and a candidate is drawn with the trials of all earlier generations before it: they
 * alone, the seed and its index decide what it is. So it is the same on any number of threads and after a resumption. */

enum { VOLT_GENERATION = 16, VOLT_FIRST_DRAWS = 64 };

/* How many of the first positions the candidate at `position` hangs on. */
static inline int64_t volt_generation_begin(int64_t position)
{
    return position < VOLT_FIRST_DRAWS ? 0 : position / VOLT_GENERATION * VOLT_GENERATION;
}

/* The best of the first `count` trials, by position, all of which are in the standings. A complete trial has its score. One
 * that was given up has that of the best complete one plus its mean difference from it on the blocks that it has, but
 * never more than the best. Failures have no place, nor has a candidate that stands there already. */
void volt_parents_choose(const volt_standings *standings, volt_trial *const *trials, int64_t count,
                         volt_parents *parents);

/* ---- where the candidates of a search are evaluated, and how many at a time -------------------- */

/* Choose the back end of the problem, for so many candidates (-1: no end). */
void volt_flight_choose(volt_problem *problem, int64_t candidates);
/* The same; VOLT_ERR_MEMORY when not even one workspace has room there. */
volt_status volt_flight_place(volt_problem *problem, int64_t candidates);

/* How many at a time. Here: one a thread, where a factorisation is too small to be divided well and half of the memory
 * holds their workspaces. On a device: as many as keep it busy and as its memory holds, each with a thread here that waits
 * for it most of the time. */
int64_t volt_flight_size(const volt_problem *problem, int64_t candidates);

#endif
