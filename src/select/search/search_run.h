/* src/select/search/search_run.h: a running search: data shared by its loop (search.c), the search on
 * rows (search.c). */
#ifndef SELECT_SEARCH_RUN_H
#define SELECT_SEARCH_RUN_H

#include "base/openmp.h"
#include "select/candidates/candidates.h"
#include "select/folds/cross_validation.h"
#include "select/search/search_internal.h"
#include "select/search/trial_log.h"

#include <stdatomic.h>

enum { VOLT_RECENT = 32 }; /* trials whose rate predicts the number of trials in a time budget */

/* The current run of CMA-ES (evolution.c). */
typedef struct volt_evolution {
    struct volt_cma *cma; /* NULL: the generation consists of draws */
    volt_point start;     /* of the run */
    int64_t runs;         /* runs begun */
} volt_evolution;

typedef struct volt_run {
    const volt_candidates *candidates;
    const volt_search_options *options;
    int64_t folds;         /* scores per candidate */
    volt_problem *problem; /* NULL: the evaluators have their own */
    volt_search *search;
    volt_trial_log log;
    bool logs;
    char fingerprint[VOLT_FINGERPRINT_LENGTH]; /* with a log or a pool */
    int64_t length;                            /* number of candidates, -1: unlimited */
    double begun;
    _Atomic bool has_score;              /* a candidate has been evaluated */
    volt_stage stage;                    /* shared by all evaluations, for progress and cancellation */
    const struct volt_worker_pool *pool; /* NULL: only this process */
    int64_t n_channels;                  /* candidates that other processes take at a time */

    omp_lock_t lock; /* of everything below */
    volt_schedule schedule;
    volt_parents parents; /* of the generation that starts after `known` positions */
    int64_t known;
    volt_evolution evolution;      /* the generation of CMA-ES */
    double room;                   /* bytes for engines of candidates, in addition to workspaces */
    double reserved;               /* reserved bytes */
    int64_t active;                /* candidates being evaluated */
    int64_t away;                  /* of these, by other processes (worker_pool.h) */
    int64_t *returned, n_returned; /* positions returned by processes that left */
    int64_t reported;              /* trials reported to the caller */
    double ended
        [VOLT_RECENT]; /* times at which the last trials were kept: trial i of the search at i % VOLT_RECENT */
    bool cancelled, out_of_time;
    volt_status status; /* of the first failure that ends the run, and its message: */
    char sentence[512];
} volt_run;

/* Evaluates a candidate: this process in a workspace (search.c), another process (worker_pool.h), or a task
 * with its own scores (src/series). */
typedef struct volt_evaluator {
    volt_status (*evaluate)(struct volt_evaluator *evaluator, int64_t position, const char *kernel,
                            volt_setting *setting, double *folds, int64_t *done, volt_cost *cost);
    /* (optional) Time, by volt_seconds(), at which the candidate is stopped if another has a score; 0:
     * never. *expected: the expected seconds, if known. A late candidate returns VOLT_ERR_CANCELLED. */
    double (*limit)(const struct volt_evaluator *evaluator, int64_t position, double *expected);
    /* (optional) Whether the failure is specific to the candidate. NULL: volt_run_is_candidates_own. */
    bool (*is_own)(const struct volt_evaluator *evaluator, volt_status status);
    volt_run *run; /* set by the search */
    double until;  /* time limit of the current candidate; 0: none */
    bool is_away;  /* another process; a separate thread waits for it and calls no user function */
    bool has_left; /* the candidate was not evaluated, and no other will be */
} volt_evaluator;

/* A search with evaluators of the task, one per thread, without a log. Of the options only score, progress
 * and on_trial are used, and all candidates are evaluated. A candidate stopped for lack of time is a trial
 * stopped before its first block. *search and the status as in volt_search_run. */
volt_status volt_search_with(const volt_candidates *candidates, const volt_search_options *options,
                             int64_t folds, volt_evaluator *const *evaluators, int64_t count,
                             volt_search **search);

/* Polls the user. False: the candidate of the evaluator is stopped, or the search ends. As the progress of its work. */
bool volt_run_goes_on(const volt_evaluator *evaluator);
volt_progress volt_run_progress(volt_evaluator *evaluator);

/* ---- the loop (search.c) ----------------------------------------------------------------- */

/* Creates the search and the schedule of a run whose first fields are set. Always release the run. */
volt_status volt_run_begin(volt_run *run, volt_measure measure);

/* Evaluates a candidate here, as soon as there is memory for its engine. */
volt_status volt_run_evaluate(volt_run *run, volt_workspace *workspace, const char *kernel,
                              volt_setting *setting, volt_continue_fn goes_on, void *context, volt_stage *stage,
                              double *folds, int64_t *done, volt_cost *cost);

/* Whether a failure is specific to the candidate. */
bool volt_run_is_candidates_own(volt_status status);

/* ---- generations of an adaptive search ----------------------------------------------------------------
 * The first VOLT_FIRST_DRAWS positions of a search are draws. Later positions form generations of
 * VOLT_GENERATION. A candidate depends only on the trials of earlier generations, the seed and its index. It
 * is therefore the same on any number of threads and after a resumption. */

enum { VOLT_GENERATION = 16, VOLT_FIRST_DRAWS = 64 };

/* Number of first positions on which the candidate at `position` depends. */
static inline int64_t volt_generation_begin(int64_t position)
{
    return position < VOLT_FIRST_DRAWS ? 0 : position / VOLT_GENERATION * VOLT_GENERATION;
}

/* The best of the first `count` trials, by position, all in the standings. A complete trial has its score. A
 * stopped trial has the score of the best complete one plus its mean difference from it on its blocks, but
 * never more than the best. Failures and duplicate candidates are excluded. */
void volt_parents_choose(const volt_standings *standings, volt_trial *const *trials, int64_t count,
                         volt_parents *parents);

/* A trial as a parent, given the best complete one of the same standings and the sign of the score: higher is
 * better, NaN: excluded. */
double volt_trial_worth(const volt_trial *trial, const volt_trial *best, double sign);

/* ---- CMA-ES (evolution.c) ----------------------------------------------------------------------------- */

/* Sets the position at which the search changes to CMA-ES, if it does. */
void volt_evolution_plan(volt_run *run);
/* Makes the generation that contains the position the current one, as far as earlier trials are settled. */
volt_status volt_evolution_reach(volt_run *run, int64_t position);
/* The candidate at a position of the current generation. */
volt_status volt_evolution_candidate(const volt_run *run, int64_t position, char kernel[VOLT_KERNEL_LENGTH],
                                     volt_setting *setting);
void volt_evolution_end(volt_evolution *evolution);

#endif
