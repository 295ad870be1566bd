/* src/select/folds/cross_validation.h: the scores of one candidate on all validation blocks. */
#ifndef SELECT_CROSS_VALIDATION_H
#define SELECT_CROSS_VALIDATION_H

#include "base/progress.h"
#include "kernel/engine/columns.h"
#include "select/folds/problem.h"
#include "solve/exact/factor.h"

/* ---- the memory that one evaluation at a time needs, used again by the next -------------------- */

typedef struct volt_workspace {
    volt_factor *factor; /* of one row, which is never filled, where candidates are fitted on landmarks */
    double *W;           /* most_rows x (q + 1): the last column is u */
    double *D;           /* most_rows x q: readout or coefficients */
    double *forecast;    /* block x q */
    double *diagonal;    /* most_rows: of the matrix that a profile returns to */
    double *precisions;  /* most_rows: of rows left out one by one */
    double *profile;     /* VOLT_MOST_ALPHAS x folds: scores */
    /* with a loss: the largest training part squared, and q more: what a fit overwrites; else NULL */
    double *part;
    double *cross; /* block x most_rows at the factor's back end, for a start by reset; else NULL */
} volt_workspace;

volt_status volt_workspace_create(const volt_problem *problem, volt_workspace **workspace);
void volt_workspace_free(volt_workspace *workspace);
/* Bytes in the memory of this process, and at a back end elsewhere. */
double volt_workspace_bytes(const volt_problem *problem);
double volt_workspace_bytes_there(const volt_problem *problem);

/* Asked after every block with the scores so far: go on? */
typedef bool (*volt_goes_on_fn)(const double *folds, int64_t n_done, void *context);

/* Scores of a candidate, whose outputs come back with the weight `feedback` (0: they do not), into folds (problem->folds of them), *n_done of them when `goes_on` ended it. *alpha 0 is
 * profiled: replaced by the one of solve/choice/choice.h's grid with the best mean score, of equals the largest; `goes_on` is
 * not asked then, and an alpha that fails is left out unless all do. The
 * stage is shared by all evaluations that run at the same time. VOLT_ERR_CANCELLED when it is cancelled;
 * VOLT_ERR_SINGULAR, VOLT_ERR_NOT_FINITE, VOLT_ERR_ARGUMENT and VOLT_ERR_KERNEL belong to the candidate. */
volt_status volt_evaluate(const volt_problem *problem, volt_workspace *workspace, const char *kernel,
                          double *alpha, double feedback, volt_goes_on_fn goes_on, void *context,
                          volt_stage *stage, double *folds, int64_t *n_done, volt_cost *cost);

/* ---- what the forecasts of one validation block are worth -------------------------------------- */

/* R2, NMSE, MSE or the prequential R2, as the problem says, of forecasts (block x q, scaled) for the split's block.
 * Where the targets have a base, errors are those of the targets, which are those of the levels too, and variances
 * those of the levels. VOLT_ERR_NOT_FINITE when they are too large. */
volt_status volt_block_score(const volt_problem *problem, const volt_split *split, volt_view forecast,
                             double *score);

/* The mean over outputs of gcv[k] (scaled) over the variance of the targets, or of the levels where they have a base.
 * VOLT_ERR_NOT_FINITE. */
volt_status volt_gcv_score(const volt_problem *problem, const double *gcv, double *score);

/* Is the score one of all rows together, with no blocks of validation? */
bool volt_score_is_of_all_rows(volt_score score);

/* The name in logs and sentences: r2, nmse, mse, prequential, log, loo, gcv, loss. */
const char *volt_score_name(volt_score score);

/* +1 where a high score is a good one, -1 otherwise. */
double volt_score_sign(volt_score score);

/* ---- how the candidates of a search are fitted: exactly, or on landmarks ----------------------- */

/* Settle problem->landmarks and what belongs to it, of a problem whose splits are made: by the options, or where they leave it
 * open by what fits and pays: *why is NULL, or says why that is landmarks. VOLT_ERR_ARGUMENT where the options do not go together. */
volt_status volt_problem_settle_solver(const volt_search_options *options, volt_problem *problem,
                                       const char **why);

/* ---- candidates whose outputs come back (model/feedback.h): their inputs, and free runs on a ----
 * validation block. */

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
