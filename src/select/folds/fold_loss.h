/* src/select/folds/fold_loss.h: candidates fitted with a loss, or with weights.
 *
 * One factor cannot serve all training parts. Each part is fitted separately (solve/loss/loss_solve.h), on a
 * copy of its part of the shared Gram matrix, and its predictions are scored in target units. */
#ifndef SELECT_FOLD_LOSS_H
#define SELECT_FOLD_LOSS_H

#include "base/progress.h"
#include "fit/fit_task.h"
#include "volterra/select.h"

struct volt_problem;
struct volt_workspace;

typedef struct volt_fold_loss {
    volt_loss_fit fit;     /* the loss, and the targets as columns, one per level or class */
    const double *weights; /* n, the caller's; NULL: 1 each */
} volt_fold_loss;

/* Reads the options. *loss stays NULL for squares with equal weights and no loss score. Y: the targets.
 * VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE, VOLT_ERR_DATA, VOLT_ERR_MEMORY. */
volt_status volt_fold_loss_create(volt_view Y, const volt_search_options *options, volt_fold_loss **loss);
void volt_fold_loss_free(volt_fold_loss *loss);

/* Checks that every fold has a positive weight in its training part and its block, and every class.
 * VOLT_ERR_DATA. */
volt_status volt_fold_loss_check(const struct volt_problem *problem);

/* The options with the effective score: for a loss other than squares, the score of that loss. */
volt_search_options volt_fold_loss_options(const volt_search_options *options);

/* A training part, and the kernel of its block. */
typedef struct volt_loss_part {
    const volt_split *split;
    volt_view K;     /* m x m, lower triangle: kernel of the fitted rows, less `common` */
    int64_t first;   /* its first row in the problem */
    volt_view cross; /* rows of the block x m: their kernel */
    double common;   /* to be subtracted from each entry of `cross` */
    double alpha;
    bool intercept;
    bool centred; /* without an intercept */
    volt_stage *stage;
} volt_loss_part;

/* Fits, predicts and scores the block. *flops receives the cost of the factor. VOLT_ERR_SINGULAR,
 * VOLT_ERR_NOT_FINITE, VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
volt_status volt_fold_loss_score(const struct volt_problem *problem, const struct volt_workspace *space,
                                 const volt_loss_part *part, double *score, double *flops);

#endif
