/* src/solve/loss/loss_solve.h: from a Gram matrix and targets to the readout that minimises a loss. */
#ifndef SOLVE_LOSS_LOSS_SOLVE_H
#define SOLVE_LOSS_LOSS_SOLVE_H

#include "solve/loss/loss.h"

typedef struct volt_loss_task {
    const volt_loss *loss;
    /* n x columns: of levels a column each, of two classes one of +-1, of more one of 0 and 1 each */
    volt_view Y;
    const double *units;   /* (optional) columns: units of Y, in those of the loss's parameter */
    const double *weights; /* (optional) n, at least 0; 0: the row is not fitted */
    double alpha, tolerance;
    double common; /* subtracted from every entry of K, which has the rounding of the sum */
    bool intercept;
    /* one of many that only one will be chosen of: fewer steps, and a gap that stays open is no warning */
    bool tried;
    int64_t most_tried; /* rows that screen alphas where alpha is chosen (loss_choice.h); 0: 1200 */
    volt_progress progress;
    double from, share; /* of the progress */
} volt_loss_task;

/* The result; A and U (n x columns, may not be NULL) and c (columns) are the caller's. */
typedef struct volt_loss_result {
    volt_matrix A, U; /* coefficients; U = K A + 1 c */
    double *c;
    double objective, gap; /* the objective lies no more than gap above the minimum */
    double rcond;          /* roughly, of what was factored */
    double alpha;          /* of volt_loss_minimise_outputs: as given, or chosen */
    int64_t steps, newton_steps;
} volt_loss_result;

/* K (n x n) is given in its lower triangle; all of it is overwritten. A gap above tolerance |objective| at the end is a warning.
 * VOLT_ERR_SINGULAR where K is not positive semidefinite, or the gap is above 1e-3 |objective| (and the tolerance);
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
volt_status volt_loss_minimise(volt_matrix K, const volt_loss_task *task, volt_loss_result *result);

/* The readout of all outputs of a model: as above, with Y, A, U and c of all outputs, of which those before
 * volt_loss_first_column become 0, and `common` taken from c, since K lacks it. */
volt_status volt_loss_minimise_outputs(volt_matrix K, const volt_loss_task *task, volt_loss_result *result);

/* Numbers that it allocates in addition to K. */
double volt_loss_numbers(double n, double columns);

/* ---- alpha (loss_choice.c) --------------------------------------------------------------------- */

/* Above task->most_tried rows K (n x n, its lower triangle) is overwritten on the way and restored on success. The task's alpha is
 * not used. *alpha receives one that is positive.
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED; VOLT_ERR_DATA for fewer rows than VOLT_LEAST_CHOSEN, since none can be held out. */
volt_status volt_loss_choose(volt_matrix K, const volt_loss_task *task, double *alpha);
enum { VOLT_LEAST_CHOSEN = 12 };

/* The unit of alpha: the mean of the diagonal, 1 where that is not positive. */
double volt_loss_unit(volt_view K);

/* Numbers that it allocates in addition to K. */
double volt_loss_choice_numbers(double n, double columns);

/* The mean loss of u (in the units of the task's Y) over the rows from `first` on, by their weights; levels are taken in order.
 * NaN: none of them has a weight. */
double volt_loss_mean(const volt_loss_task *task, volt_view U, int64_t first);

#endif
