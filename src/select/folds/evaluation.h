/* src/select/folds/evaluation.h: evaluation of one candidate on the folds.
 *
 * Folds whose training parts start at the same row form a group. Begin the group, then score its folds in
 * time order. */
#ifndef SELECT_EVALUATION_H
#define SELECT_EVALUATION_H

#include "kernel/kernel_entry.h"
#include "select/folds/cross_validation.h"
#include "select/folds/state_folds.h"

typedef struct volt_evaluation {
    const volt_problem *problem;
    volt_workspace *space;
    volt_factor *factor; /* of the current group: training parts that start at row `base` */
    int64_t base;        /* rows of the factor count from base + washout */
    volt_columns *columns;
    /* replaces factor and columns if the candidate is evaluated in its states */
    volt_state_folds *states;
    volt_kernel *kernel;
    volt_resolved resolved;
    const volt_scaled_inputs *inputs;
    int64_t width;                    /* number of input columns */
    volt_feedback_inputs fed_outputs; /* inputs with fed-back outputs; else empty */
    volt_sliced_rows sliced; /* the inputs as passed to the kernel, from a zero initial state before row
                              * `sliced_from` */
    int64_t sliced_from;     /* start of the group, if there are filters */
    double alpha;
    bool intercept; /* requested, or implied by a centred Gram matrix */
    volt_stage *stage;
} volt_evaluation;

/* Filters the rows from `first` on, from a zero initial state. */
volt_status volt_evaluation_slice(volt_evaluation *e, int64_t first);

/* Begins the group of training parts from row `base` on, of which `rows` rows are required. */
volt_status volt_evaluation_begin(volt_evaluation *e, int64_t base, int64_t rows);
void volt_evaluation_discard_columns(volt_evaluation *e);

/* Computes rows of K up to at least `rows`, washout included. */
volt_status volt_evaluation_fill(volt_evaluation *e, int64_t rows);

/* The score of a validation block with e->alpha, or of all rows, which are one group. */
volt_status volt_evaluation_score(volt_evaluation *e, const volt_split *split, double *score);
volt_status volt_evaluation_score_all(volt_evaluation *e, double *score);

/* The first in two steps, in states: adds the training rows to the sums and sets *F to the states of the
 * block (none for a free run), then scores any alpha. */
volt_status volt_evaluation_prepare_states(volt_evaluation *e, const volt_split *split, volt_view *F);
volt_status volt_evaluation_score_states(volt_evaluation *e, const volt_split *split, double alpha, volt_view F,
                                         double *score);

/* In states: a score of all rows with each of `count` alphas (state_loo.c). If *count is 0, the alphas
 * are set to the grid. */
volt_status volt_evaluation_score_loo(volt_evaluation *e, double *alphas, int64_t *count, volt_status *status,
                                      double *scores);

#endif
