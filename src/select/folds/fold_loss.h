/* src/select/folds/fold_loss.h: candidates that are fitted with a loss, or with weights.
 *
 * One factor does not serve all training parts then: each is minimised over by itself (solve/loss/loss_solve.h), on a copy of
 * its part of the one Gram matrix, and its forecasts are scored in the units of the targets. */
#ifndef SELECT_FOLD_LOSS_H
#define SELECT_FOLD_LOSS_H

#include "base/progress.h"
#include "model/fit/fit_task.h"
#include "volterra/select.h"

struct volt_problem;
struct volt_workspace;

typedef struct volt_fold_loss {
    volt_loss_fit fit;     /* the loss, and the targets as columns: one for each level or class */
    const double *weights; /* n, the caller's; NULL: 1 each */
} volt_fold_loss;

/* What the options ask for: NULL stays in *loss where it is squares, every row alike and no score of a loss. Y: the targets.
 * VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE, VOLT_ERR_DATA, VOLT_ERR_MEMORY. */
volt_status volt_fold_loss_create(volt_view Y, const volt_search_options *options, volt_fold_loss **loss);
void volt_fold_loss_free(volt_fold_loss *loss);

/* Is what every fold trains on enough: a weight above 0 there and in its block, and every class? VOLT_ERR_DATA. */
volt_status volt_fold_loss_check(const struct volt_problem *problem);

/* The options with the score that they come to: with another loss than squares that is the loss's own. */
volt_search_options volt_fold_loss_options(const volt_search_options *options);

/* A training part, and how the rows of its block see it. */
typedef struct volt_loss_part {
    const volt_split *split;
    volt_view K;     /* m x m, its lower triangle: kernel of the rows that are fitted, less `common` */
    int64_t first;   /* row of the problem that its first one is */
    volt_view cross; /* rows of the block x m: their kernel ... */
    double common;   /* ... and what is to be subtracted from each entry of it */
    double alpha;
    bool intercept;
    bool centred; /* without an intercept */
    volt_stage *stage;
} volt_loss_part;

/* Fit and forecast: the score of the block. *flops receives what the factor took. VOLT_ERR_SINGULAR, VOLT_ERR_NOT_FINITE,
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
volt_status volt_fold_loss_score(const struct volt_problem *problem, const struct volt_workspace *space,
                                 const volt_loss_part *part, double *score, double *flops);

#endif
