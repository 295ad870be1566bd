/* src/solve/loss/loss_solve.h: the readout that minimises a loss, from a Gram matrix and targets. */
#ifndef SOLVE_LOSS_SOLVE_H
#define SOLVE_LOSS_SOLVE_H

#include "solve/loss/loss.h"

typedef struct volt_loss_task {
    const volt_loss *loss;
    /* n x columns: one column per level; one column of +-1 for two classes; one column of 0 and 1 per class
     * for more */
    volt_view Y;
    const double *units;   /* (optional) columns: units of Y, in the units of the loss's parameter */
    const double *weights; /* (optional) n, at least 0; 0: the row is not fitted */
    double alpha, tolerance;
    double common; /* subtracted from every entry of K, K has the rounding error of the sum */
    bool intercept;
    /* a trial fit: fewer steps, and no warning if the gap stays open */
    bool tried;
    int64_t max_tried; /* number of screening rows if alpha is chosen (loss_choice.h); 0: 1200 */
    volt_progress progress;
    double from, share; /* of the progress */
} volt_loss_task;

/* The result; A and U (n x columns, may not be NULL) and c (columns) are the caller's. */
typedef struct volt_loss_result {
    volt_matrix A, U; /* coefficients; U = K A + 1 c */
    double *c;
    double objective, gap; /* the objective is at most gap above the minimum */
    double rcond;          /* approximate, of the factored matrix */
    double alpha;          /* of volt_loss_minimise_outputs: given or chosen */
    int64_t steps, newton_steps;
} volt_loss_result;

/* K (n x n) is given in its lower triangle and overwritten. A final gap above tolerance |objective| logs a
 * warning. VOLT_ERR_SINGULAR if K is not positive semidefinite, or if the gap is above 1e-3 |objective| (and
 * the tolerance); VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
volt_status volt_loss_minimise(volt_matrix K, const volt_loss_task *task, volt_loss_result *result);

/* The readout of all outputs of a model: as above, with Y, A, U and c of all outputs. Outputs before
 * volt_loss_first_column are 0. c is corrected for `common`, which K lacks. */
volt_status volt_loss_minimise_outputs(volt_matrix K, const volt_loss_task *task, volt_loss_result *result);

/* Numbers allocated in addition to K. */
double volt_loss_numbers(double n, double columns);

/* ---- alpha (loss_choice.c) --------------------------------------------------------------------- */

/* Above task->max_tried rows K (n x n, lower triangle) is overwritten and restored on success. The alpha of
 * the task is ignored. *alpha receives a positive value. VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED; VOLT_ERR_DATA
 * for fewer rows than VOLT_MIN_CHOSEN, because none can be held out. */
volt_status volt_loss_choose(volt_matrix K, const volt_loss_task *task, double *alpha);
enum { VOLT_MIN_CHOSEN = 12 };

/* The unit of alpha: the mean of the diagonal, or 1 if that is not positive. */
double volt_loss_unit(volt_view K);

/* Numbers allocated in addition to K. */
double volt_loss_choice_numbers(double n, double columns);

/* The weighted mean loss of u (in the units of the task's Y) over the rows from `first` on; levels are
 * sorted. NaN: none of them has a weight. */
double volt_loss_mean(const volt_loss_task *task, volt_view U, int64_t first);

#endif
