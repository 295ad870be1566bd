/* src/select/cross_validation.h: the scores of one candidate on all validation blocks.
 *
 * The problem is what all candidates share; a workspace is what one evaluation at a time needs. */
#ifndef SELECT_CROSS_VALIDATION_H
#define SELECT_CROSS_VALIDATION_H

#include "base/progress.h"
#include "kernel/extent.h"
#include "volterra/select.h"

/* Inputs as one kind of kernel wants them. */
typedef struct volt_scaled_inputs {
    double *Z; /* n x d */
    volt_extent extent;
} volt_scaled_inputs;

typedef struct volt_problem {
    int64_t n, d, q;
    volt_scaled_inputs shifted, unshifted; /* unshifted: for kernels that rely on where zero is */
    double *Y;                             /* n x q, scaled */
    double *target_scale;                  /* q */
    volt_split *splits;
    int64_t folds; /* scores that a candidate has: the splits, or 1 for a score over all rows */
    int64_t n_splits;
    int64_t most_rows; /* of the Gram matrix of any fold */
    volt_start start;
    int64_t washout;
    bool intercept;
    volt_score score;
} volt_problem;

/* Check data and options, and scale. VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_DATA. */
volt_status volt_problem_create(volt_view X, volt_view Y, const volt_search_options *options,
                                volt_problem **problem);
void volt_problem_free(volt_problem *problem);

typedef struct volt_workspace volt_workspace;
volt_status volt_workspace_create(const volt_problem *problem, volt_workspace **workspace);
void volt_workspace_free(volt_workspace *workspace);
double volt_workspace_bytes(const volt_problem *problem);

/* Bytes that the engine of a kernel takes beside the workspace, at most; 0 for a text that is no kernel on these
 * inputs, whose evaluation says why. VOLT_ERR_MEMORY. */
volt_status volt_candidate_bytes(const volt_problem *problem, const char *kernel, double *bytes);

/* What an evaluation cost. */
typedef struct volt_cost {
    double flops;
    double blas_seconds; /* of the calling thread, or of a team times its threads */
} volt_cost;

/* Asked after every block with the scores so far: go on? */
typedef bool (*volt_goes_on_fn)(const double *folds, int64_t n_done, void *context);

/* Scores of a candidate into folds (problem->folds of them), *n_done of them when `goes_on` ended it. The
 * stage is shared by all evaluations that run at the same time. VOLT_ERR_CANCELLED when it is cancelled;
 * VOLT_ERR_SINGULAR, VOLT_ERR_NOT_FINITE, VOLT_ERR_ARGUMENT and VOLT_ERR_KERNEL belong to the candidate. */
volt_status volt_evaluate(const volt_problem *problem, volt_workspace *workspace, const char *kernel,
                          double alpha, volt_goes_on_fn goes_on, void *context, volt_stage *stage,
                          double *folds, int64_t *n_done, volt_cost *cost);

#endif
