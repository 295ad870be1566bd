/* src/select/folds/evaluation.h: one candidate on its way through the folds.
 *
 * Folds whose training parts begin at the same row are a group: begin it, then score its folds in order of time. */
#ifndef SELECT_EVALUATION_H
#define SELECT_EVALUATION_H

#include "kernel/kernel_entry.h"
#include "select/folds/cross_validation.h"
#include "select/folds/state_folds.h"

/* One candidate. */
typedef struct volt_evaluation {
    const volt_problem *problem;
    volt_workspace *space;
    volt_factor *factor; /* of the group of folds at hand: training parts that begin at row ... */
    int64_t base;        /* ... this one; rows of the factor count from base + washout */
    volt_columns *columns;
    /* in place of factor and columns, where the candidate is evaluated in its states */
    volt_state_folds *states;
    volt_kernel *kernel;
    volt_resolved resolved;
    const volt_scaled_inputs *inputs;
    int64_t width;           /* columns of them */
    volt_fed_inputs fed;     /* they are these where outputs come back; else there are none */
    volt_sliced_rows sliced; /* the inputs as the kernel sees them, after a zero past before row ... */
    int64_t sliced_from;     /* ... this one: where the group begins, if there are filters */
    double alpha;
    bool intercept; /* the readout has one: asked for, or because the Gram matrix is centred */
    volt_stage *stage;
} volt_evaluation;

/* Filter the rows from `first` on, after a zero past. */
volt_status volt_evaluation_slice(volt_evaluation *e, int64_t first);

/* Begin the group of training parts from row `base` on, of which `rows` rows are needed. */
volt_status volt_evaluation_begin(volt_evaluation *e, int64_t base, int64_t rows);
void volt_evaluation_forget_columns(volt_evaluation *e);

/* Rows of K up to `rows` at least, washout included. */
volt_status volt_evaluation_fill(volt_evaluation *e, int64_t rows);

/* The score of a validation block with e->alpha, and one over all rows, which are one group. */
volt_status volt_evaluation_score(volt_evaluation *e, const volt_split *split, double *score);
volt_status volt_evaluation_score_all(volt_evaluation *e, double *score);

/* The first in two steps, in states: training rows join the sums, and *F becomes the states of the block, which a free run has
 * none of; then any alpha. */
volt_status volt_evaluation_prepare_states(volt_evaluation *e, const volt_split *split, volt_view *F);
volt_status volt_evaluation_score_states(volt_evaluation *e, const volt_split *split, double alpha, volt_view F,
                                         double *score);

/* In states, a score of all rows with each of `count` alphas (state_left_out.h); the first time, where *count is 0, the
 * alphas are those of the grid. */
volt_status volt_evaluation_score_left_out(volt_evaluation *e, double *alphas, int64_t *count,
                                           volt_status *status, double *scores);

#endif
