/* src/select/folds/problem.h: what all candidates of a search share: scaled data, splits, and how they are scored. */
#ifndef SELECT_PROBLEM_H
#define SELECT_PROBLEM_H

#include "base/backend.h"
#include "kernel/extent.h"
#include "kernel/records.h"
#include "select/folds/fold_loss.h"
#include "volterra/select.h"

#include <stdbool.h>

/* Inputs as one kind of kernel wants them. */
typedef struct volt_scaled_inputs {
    double *Z; /* n x d */
    volt_extent extent;
} volt_scaled_inputs;

typedef struct volt_problem {
    int64_t n, d, q; /* q: columns of Y, of which levels and classes of a loss have one each */
    volt_scaled_inputs shifted, unshifted; /* unshifted: for kernels that rely on where zero is */
    double *Y;                             /* n x q, scaled */
    double *levels;                        /* n x q: Y with its base, in the same units; NULL: Y holds levels */
    double *target_mean, *target_scale;    /* q */
    volt_split *splits;
    int64_t folds; /* scores that a candidate has: the splits, or 1 for a score over all rows */
    int64_t n_splits;
    int64_t most_rows; /* of the Gram matrix of any fold */
    int64_t gap;       /* rows between training and validation */
    volt_start start;
    int64_t washout;
    bool intercept, scaled;
    volt_score score;
    volt_records records;        /* of the rows */
    bool simulates;              /* candidates whose outputs come back run free on the blocks */
    const volt_backend *backend; /* where Gram matrices are factored: the current one, unless the search says */
    volt_fold_loss *loss;        /* NULL: squares, every row alike */
    const struct volt_solver *solver; /* of the candidates (search_solver.h) */
    int64_t landmarks;                /* 0: it needs none; else they are fitted on so many, ... */
    volt_landmarks landmark_choice;   /* ... these ... */
    bool prefers_states;              /* ... but in explicit states where volt_candidate_on_landmarks says so */
} volt_problem;

/* Check data and options, and scale. VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_DATA. */
volt_status volt_problem_create(volt_view X, volt_view Y, const volt_search_options *options,
                                volt_problem **problem);
/* The same without rows, for a plan: splits and solver are settled, nothing is scaled. *why as in search_solver.h. */
volt_status volt_problem_outline(int64_t n, int64_t d, int64_t q, const volt_search_options *options,
                                 volt_problem **problem, const char **why);
void volt_problem_free(volt_problem *problem);

/* Rows of the longest block of validation. */
int64_t volt_longest_block(const volt_problem *problem);

/* Numbers in the explicit features that a candidate, resolved, is evaluated in (state_folds.h): as many as there are
 * landmarks, or its states where it has some, they are far fewer than the rows, and the score is one of blocks. 0: it is
 * evaluated in its rows. */
struct volt_resolved;
int64_t volt_candidate_states(const volt_problem *problem, const struct volt_resolved *resolved);
/* Are those landmarks? Where the options left it open, states that serve are preferred: they are exact. */
bool volt_candidate_on_landmarks(const volt_problem *problem, const struct volt_resolved *resolved);

/* Bytes that the engine of a kernel, with outputs that come back or without, takes beside the workspace, at most; 0 for a text that is no kernel on these
 * inputs, whose evaluation says why. VOLT_ERR_MEMORY. */
volt_status volt_candidate_bytes(const volt_problem *problem, const char *kernel, bool feeds, double *bytes);

volt_split_options volt_split_options_default(void);
/* Makes the options->folds splits of n rows. VOLT_ERR_ARGUMENT when the rows are too few. options may be NULL. */
volt_status volt_splits(int64_t n, const volt_split_options *options, volt_split *splits);

#endif
