/* src/solve/loss/loss_solve.h: from a Gram matrix and targets to the readout that minimises a loss. */
#ifndef SOLVE_LOSS_LOSS_SOLVE_H
#define SOLVE_LOSS_LOSS_SOLVE_H

#include "solve/loss/loss.h"

typedef struct volt_loss_task {
    const volt_loss *loss;
    /* n x columns: of levels a column each, of two classes one of +-1, of more one of 0 and 1 each */
    volt_view Y;
    const double *units;   /* (optional) columns: one unit of Y is so many of the loss's parameter */
    const double *weights; /* (optional) n, at least 0; 0: the row is not fitted */
    double alpha, tolerance;
    double common; /* what was taken from every entry of K, which has the roundings of the sum */
    bool intercept;
    /* one of many that only one will be chosen of: fewer steps, and a gap that stays open is no warning */
    bool tried;
    int64_t most_tried; /* rows that screen alphas where alpha is chosen (loss_choice.h); 0: 1200 */
    volt_progress progress;
    double from, share; /* of the progress */
} volt_loss_task;

/* What came of it; A and U (n x columns, may not be NULL) and c (columns) are the caller's. */
typedef struct volt_loss_result {
    volt_matrix A, U; /* coefficients; U = K A + 1 c */
    double *c;
    double objective, gap; /* the objective lies no more than gap above the minimum */
    double rcond;          /* roughly, of what was factored */
    int64_t steps, newton_steps;
} volt_loss_result;

/* K (n x n) is given in its lower triangle; all of it is overwritten. A gap above tolerance |objective| at the end is a warning.
 * VOLT_ERR_SINGULAR where K is not positive semidefinite, or the gap is above 1e-3 |objective| (and the tolerance);
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
volt_status volt_loss_minimise(volt_matrix K, const volt_loss_task *task, volt_loss_result *result);

/* Numbers that it takes beside K. */
double volt_loss_numbers(double n, double columns);

#endif
