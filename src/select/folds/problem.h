/* src/select/folds/problem.h: data shared by all candidates of a search: scaled inputs and targets, splits,
 * and the score. */
#ifndef SELECT_PROBLEM_H
#define SELECT_PROBLEM_H

#include "backend/backend.h"
#include "kernel/kernel_entry.h"
#include "kernel/records.h"
#include "select/folds/fold_loss.h"
#include "volterra/select.h"

#include <stdbool.h>

/* Inputs scaled for one kind of kernel. */
typedef struct volt_scaled_inputs {
    double *Z;      /* n x d */
    volt_past past; /* the inputs before a sequence, scaled in the same way */
    volt_extent extent;
} volt_scaled_inputs;

typedef struct volt_problem {
    int64_t n, d, q;                       /* q: columns of Y, one per level or class of a loss */
    volt_initial initial;                  /* inputs before the first row */
    volt_scaled_inputs shifted, unshifted; /* unshifted: for kernels that depend on the origin */
    double *Y;                             /* n x q, scaled */
    double *levels;                        /* n x q: Y plus its base, in the same units; NULL: Y holds levels */
    double *target_mean, *target_scale;    /* q */
    volt_split *splits;
    int64_t folds; /* scores per candidate: the splits, or 1 for a score of all rows */
    int64_t n_splits;
    int64_t max_rows; /* of the largest Gram matrix */
    int64_t gap;      /* rows between training and validation */
    volt_start start;
    int64_t
        washout; /* leading rows of a training part; 0 with several records, whose washout is in `without` */
    int64_t record_washout; /* leading rows of every record; 0: one sequence, or no washout */
    bool *without;          /* n: rows of the washouts of records, neither fitted nor scored; NULL: none */
    double *fitted_Y;       /* n x q: Y, 0 in these rows; NULL: Y */
    bool intercept, scaled;
    volt_score score;
    volt_records records;        /* of the rows */
    bool simulates;              /* candidates with feedback run free on the blocks */
    const volt_backend *backend; /* where Gram matrices are factored; the default is the current back end */
    volt_fold_loss *loss;        /* NULL: squares, equal weights */
    const struct volt_solver *solver; /* of the candidates (problem.c) */
    int64_t landmarks;                /* number of landmarks; 0: not required */
    volt_landmarks landmark_choice;   /* selection of landmarks */
    bool prefers_states;              /* explicit states take precedence over landmarks */
} volt_problem;

/* Checks data and options, and scales. VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE,
 * VOLT_ERR_DATA. */
volt_status volt_problem_create(volt_view X, volt_view Y, const volt_search_options *options,
                                volt_problem **problem);
/* The same without rows, for a plan: sets splits and solver without scaling. *why as in
 * volt_problem_settle_solver. */
volt_status volt_problem_outline(int64_t n, int64_t d, int64_t q, const volt_search_options *options,
                                 volt_problem **problem, const char **why);
void volt_problem_free(volt_problem *problem);

/* Targets of the fits from row `first` on, and (may be NULL) the mask of rows that are not fitted. */
static inline volt_view volt_problem_targets(const volt_problem *problem, int64_t first, int64_t rows)
{
    const double *Y = problem->fitted_Y ? problem->fitted_Y : problem->Y;
    return volt_view_of(Y + first * problem->q, rows, problem->q);
}
static inline const bool *volt_problem_without(const volt_problem *problem, int64_t first)
{
    return problem->without ? problem->without + first : NULL;
}

/* Rows of the longest validation block. */
int64_t volt_longest_block(const volt_problem *problem);

/* Number of explicit features in which a resolved candidate is evaluated (state_folds.h): the landmarks, or
 * its states if they are far fewer than the rows and the score uses blocks. 0: evaluated in its rows. */
struct volt_resolved;
int64_t volt_candidate_states(const volt_problem *problem, const struct volt_resolved *resolved);
/* The solver that evaluates a candidate. */
const struct volt_solver *volt_candidate_solver(const volt_problem *problem,
                                                const struct volt_resolved *resolved);

/* Upper bound on the bytes of the engine of a kernel, with or without feedback, in addition to the
 * workspace; 0 for an invalid kernel, whose evaluation reports the error. VOLT_ERR_MEMORY. */
volt_status volt_candidate_bytes(const volt_problem *problem, const char *kernel, bool feeds, double *bytes);

volt_split_options volt_split_options_default(void);
/* Makes the options->folds splits of n rows. VOLT_ERR_ARGUMENT when there are too few rows. options may be
 * NULL. */
volt_status volt_splits(int64_t n, const volt_split_options *options, volt_split *splits);

#endif
