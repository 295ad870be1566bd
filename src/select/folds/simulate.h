/* src/select/folds/simulate.h: candidates whose outputs come back (model/feedback.h): their inputs, and free runs on a
 * validation block. */
#ifndef SELECT_SIMULATE_H
#define SELECT_SIMULATE_H

#include "base/progress.h"
#include "kernel/engine/columns.h"
#include "select/folds/problem.h"

/* Scaled inputs with the outputs of the row before, measured, behind them. */
typedef struct volt_fed_inputs {
    const volt_problem *problem;
    const volt_scaled_inputs *own; /* without */
    double omega;                  /* weight of what comes back; 0: nothing does, and there is nothing here */
    double shrink;                 /* what makes the largest norm 1: row t is shrink (own_t, omega Y_{t-1}) */
    volt_scaled_inputs all;        /* n x (d + q) */
} volt_fed_inputs;

/* VOLT_ERR_MEMORY. Release it in every case. */
volt_status volt_fed_inputs_make(const volt_problem *problem, const volt_scaled_inputs *own, double omega,
                                 volt_fed_inputs *inputs);
void volt_fed_inputs_release(volt_fed_inputs *inputs);

/* Nothing comes back before `row`, where another sequence begins; or the row before it does, where there is one. Without
 * feedback nothing happens. */
void volt_fed_inputs_cut(volt_fed_inputs *inputs, int64_t row);
void volt_fed_inputs_join(volt_fed_inputs *inputs, int64_t row);

/* A block after its training part is factored. */
typedef struct volt_fold_run {
    const volt_problem *problem;
    const volt_split *split;
    const volt_kernel *kernel;
    const volt_resolved *resolved;
    volt_columns *columns;      /* the training rows, those of the washout too, or coordinates of states ... */
    const double *coefficients; /* ... and what a row against them is multiplied by (columns->m x q) ... */
    const double *intercepts;   /* ... with this added (q) */
    const volt_fed_inputs *fed;
    volt_view past;   /* the rows before the block since the last zero past, as the kernel sees them ... */
    volt_view scaled; /* ... and before they are filtered */
    volt_stage *stage;
} volt_fold_run;

/* The free run into `out` (rows of the block x q, scaled as problem->Y). VOLT_ERR_NOT_FINITE when it leaves 10 times the
 * range of the training targets; VOLT_ERR_MEMORY. */
volt_status volt_fold_simulate(const volt_fold_run *run, volt_matrix out);

#endif
