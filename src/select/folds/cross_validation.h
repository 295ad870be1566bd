/* src/select/folds/cross_validation.h: scores of one candidate on all validation blocks. */
#ifndef SELECT_CROSS_VALIDATION_H
#define SELECT_CROSS_VALIDATION_H

#include "base/progress.h"
#include "gram/engine/columns.h"
#include "select/folds/problem.h"
#include "solve/exact/factor.h"

/* ---- reusable workspace of one evaluation -------------------------------------------------------- */

typedef struct volt_workspace {
    volt_factor *factor; /* with landmarks: one row, unused */
    double *W;           /* max_rows x (q + 1): the last column is u */
    double *D;           /* max_rows x q: readout or coefficients */
    double *forecast;    /* block x q */
    double *diagonal;    /* max_rows: diagonal of the matrix, restored between alphas */
    double *precisions;  /* max_rows: for leave-one-out */
    double *profile;     /* VOLT_MAX_ALPHAS x folds: scores */
    /* with a loss: the largest training part squared, and q more, overwritten by a fit; else NULL */
    double *part;
    double *cross;  /* block x max_rows on the back end of the factor, for a start by reset; else NULL */
    int64_t device; /* of the back end, where it was created: evaluations bind it (volt_workspace_bind) */
} volt_workspace;

volt_status volt_workspace_create(const volt_problem *problem, volt_workspace **workspace);
void volt_workspace_free(volt_workspace *workspace);
/* Binds the calling thread to the device of the workspace; returns the device to bind afterwards. */
int64_t volt_workspace_bind(const volt_workspace *workspace);
/* Bytes in the memory of this process, and on a device. */
double volt_workspace_bytes(const volt_problem *problem);
double volt_workspace_device_bytes(const volt_problem *problem);

/* Called after every block with the scores so far. Returns false to stop. */
typedef bool (*volt_continue_fn)(const double *folds, int64_t n_done, void *context);

/* Scores a candidate with feedback weight `feedback` (0: none) into folds (problem->folds numbers); *n_done
 * of them if `should_continue` stopped it. *alpha 0 is profiled: it is replaced by the alpha of the grid in
 * solve/choice/choice.h with the best mean score, the largest of equals. `should_continue` is not called then,
 * and an alpha that fails is skipped unless all fail. The stage is shared by all concurrent evaluations.
 * VOLT_ERR_CANCELLED when it is cancelled; VOLT_ERR_SINGULAR, VOLT_ERR_NOT_FINITE, VOLT_ERR_ARGUMENT and
 * VOLT_ERR_KERNEL are failures of the candidate. */
volt_status volt_evaluate(const volt_problem *problem, volt_workspace *workspace, const char *kernel,
                          double *alpha, double feedback, volt_continue_fn should_continue, void *context,
                          volt_stage *stage, double *folds, int64_t *n_done, volt_cost *cost);

/* ---- scores of a validation block ------------------------------------------------------------------ */

/* R2, NMSE, MSE or the prequential R2, as the problem specifies, of predictions (block x q, scaled) for the
 * block of the split. With a base, errors of targets and levels are equal, and
 * variances are of the levels. VOLT_ERR_NOT_FINITE on overflow. */
volt_status volt_block_score(const volt_problem *problem, const volt_split *split, volt_view forecast,
                             double *score);

/* The mean over outputs of gcv[k] (scaled) over the variance of the targets, or of the levels with a base.
 * VOLT_ERR_NOT_FINITE. */
volt_status volt_gcv_score(const volt_problem *problem, const double *gcv, double *score);

/* Whether the score uses all rows together, without validation blocks. */
bool volt_score_is_of_all_rows(volt_score score);

/* The name in logs and messages: r2, nmse, mse, prequential, log, loo, gcv, loss. */
const char *volt_score_name(volt_score score);

/* +1 if higher scores are better, -1 otherwise. */
double volt_score_sign(volt_score score);

/* ---- solver of the candidates: exact, or landmarks ------------------------------------------------ */

/* ---- candidates with feedback (model/recipe.h): inputs, and free runs on a validation block ------- */

/* Scaled inputs followed by the measured outputs of the previous row. */
typedef struct volt_feedback_inputs {
    const volt_problem *problem;
    const volt_scaled_inputs *inputs_only; /* inputs without outputs */
    double omega;                          /* feedback weight; 0: none, and the struct is empty */
    double shrink;                         /* scale to largest norm 1: row t is shrink (own_t, omega Y_{t-1}) */
    volt_scaled_inputs all;                /* n x (d + q) */
} volt_feedback_inputs;

/* VOLT_ERR_MEMORY. Always release it. */
volt_status volt_feedback_inputs_create(const volt_problem *problem, const volt_scaled_inputs *inputs_only,
                                        double omega, volt_feedback_inputs *inputs);
void volt_feedback_inputs_release(volt_feedback_inputs *inputs);

/* Sets the fed-back outputs of `row`, which starts a sequence, to those before it (volt_fit_options.initial), or
 * restores them. No effect without
 * feedback. */
void volt_feedback_inputs_slice(volt_feedback_inputs *inputs, int64_t row);
void volt_feedback_inputs_join(volt_feedback_inputs *inputs, int64_t row);

/* A block after its training part is factored. */
typedef struct volt_fold_run {
    const volt_problem *problem;
    const volt_split *split;
    const volt_kernel *kernel;
    const volt_resolved *resolved;
    volt_columns *columns;      /* the training rows, washout included, or coordinates of states */
    const double *coefficients; /* their coefficients (columns->m x q) */
    const double *intercepts;   /* q */
    const volt_feedback_inputs *fed_outputs;
    volt_view kernel_state; /* the rows before the block since the last reset, as passed to the kernel */
    volt_view scaled;       /* the same before filtering */
    volt_stage *stage;
} volt_fold_run;

/* The free run into `out` (rows of the block x q, scaled as problem->Y). VOLT_ERR_NOT_FINITE when it leaves
 * 10 times the range of the training targets; VOLT_ERR_MEMORY. */
volt_status volt_fold_simulate(const volt_fold_run *run, volt_matrix out);

#endif
