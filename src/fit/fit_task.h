/* src/fit/fit_task.h: the parts of a fit that the choice of landmarks, searches, learning curves and tests share. */
#ifndef FIT_FIT_TASK_H
#define FIT_FIT_TASK_H

#include "backend/backend.h"
#include "kernel/records.h"
#include "model/model_internal.h"
#include "model/recipe.h"
#include "solve/loss/loss_solve.h"
#include "solve/solver_table.h"
#include "volterra/base.h"

#include <stdbool.h>

/* ---- rows without a target: the target is missing, or the weight is 0. Their inputs still affect the state
 * of later rows. */

typedef struct volt_missing_targets {
    bool *without;     /* per row: not fitted; NULL: all rows are fitted */
    volt_view present; /* targets that are not missing, contiguous: scales are learned from them */
    double *copy;      /* memory of `present` when rows are excluded */
} volt_missing_targets;

/* Excludes rows of weight 0 (weights: n, optional) and, with `missing`, rows with a NaN in Y. Returns
 * VOLT_ERR_DATA when no row from `first` on is left. Always release it. */
volt_status volt_missing_targets_find(volt_view Y, const double *weights, bool missing, int64_t first,
                                      volt_missing_targets *missing_targets);
/* Excludes also the first `washout` rows of every record. VOLT_ERR_ARGUMENT when no row is left. */
volt_status volt_missing_targets_add_washout(const volt_records *records, int64_t rows, int64_t washout,
                                             volt_missing_targets *missing_targets);
void volt_missing_targets_release(volt_missing_targets *missing_targets);

/* ---- choice of the solver, and its memory --------------------------------------------------------- */

enum {
    VOLT_MIN_LARGE = 8192, /* rows: smaller exact fits without memory are rejected */
    VOLT_MAX_EXACT = 65536 /* rows: larger factorisations on the CPU take hours */
};

typedef struct volt_solver_choice {
    const volt_solver *solver;        /* NULL: chosen by the states or rows of the kernel */
    int64_t landmarks;                /* landmarks of the readout; 0: all rows */
    int64_t preconditioner_landmarks; /* landmarks of the preconditioner */
} volt_solver_choice;

typedef struct fit_task {
    volt_view X, Y;
    const volt_fit_options *options;
    bool change, level; /* kinds of target allowed; both: chosen on held-out rows */
    bool chooses;       /* held-out rows also choose alpha, or reject the readout */
    volt_input input;
    int64_t season;
    const volt_missing_targets *missing_targets; /* rows without a target */
    const volt_records *records;                 /* records of the rows */
    const double *weights;                       /* n, of a fit with a loss (fit_loss.h); NULL: 1 each */
    const volt_backend *backend;                 /* where the Gram matrix is factored */
    const volt_solver *solver;                   /* from the options; NULL: automatic */
    volt_meter *meter;                           /* (optional) of options->progress */
    volt_landmark_levels *levels; /* (optional) computed instead of the readout, if the model has landmarks */
} fit_task;

static inline bool fit_task_has_target(const fit_task *task, int64_t i)
{
    return !(task->missing_targets->without && task->missing_targets->without[i]);
}

/* Reads the solver of the options into the task and checks its options. VOLT_ERR_ARGUMENT. */
volt_status volt_fit_solver_check(const volt_kernel *kernel, bool loss, fit_task *task);

/* Chooses the solver for `columns` columns: the one in the options, otherwise by memory and time. Returns
 * VOLT_ERR_MEMORY, with the sizes, when memory is insufficient. */
volt_status volt_fit_solver_choose(const volt_kernel *kernel, const fit_task *task, int64_t columns, bool loss,
                                   volt_solver_choice *choice);

/* Returns the reason why an exact fit of n rows, which takes `bytes`, is too large, or NULL. Then fits of at
 * least VOLT_MIN_LARGE rows use landmarks, unless the options name a solver. */
const char *volt_exact_is_too_much(int64_t n, double q, double bytes, const volt_plan *plan);

/* Checks the options against the data and resolves `auto`. A season is detected in the first learn_rows
 * rows. `records` are the records of the options and must outlive the task. */
volt_status volt_fit_task_resolve(volt_view X, volt_view Y, const volt_fit_options *options,
                                  const volt_records *records, int64_t learn_rows, fit_task *task);

/* Learns the recipe of the kernel columns from the first learn_rows rows. Always release it. */
volt_status volt_fit_task_recipe(const fit_task *task, int64_t learn_rows, volt_recipe *recipe);

/* Whether the present value of every target is an input, and the target is in the future. */
bool volt_fit_task_can_change(const volt_fit_options *options, int64_t q);
/* Blocks of held-out rows (factor.h). Predictions of a model without the targets among its inputs continue
 * from inputs only, and so do those of its held-out rows. 0 if the past of a target is an input. */
int64_t volt_fit_task_blocks(const volt_fit_options *options, int64_t q);

/* Scaled targets of the kept rows: levels less their mean, or changes; 0 where missing. */
struct volt_model;
void volt_fit_task_scale_targets(const fit_task *task, const struct volt_model *model, bool change,
                                 volt_matrix T);
/* Marks output k as a change, without a mean. */
void volt_fit_task_take_change(const fit_task *task, int64_t k, struct volt_model *model);

/* ---- training rows as passed to the kernel: columns of the recipe, scaled and filtered ----
 * They are stored as a matrix, or computed from the inputs on demand for a solver that reads them in blocks.
 * Then a fit keeps no copy of its inputs. Each row depends on the inputs up to it within its record, so
 * reading in order is cheapest. */

typedef struct volt_fit_rows {
    const fit_task *task;
    volt_model *model;  /* its recipe and scales apply */
    volt_view Z;        /* n x d; without data: computed on demand */
    volt_recent recent; /* recent rows before row `next`, when computed on demand */
    int64_t next;
    double *workspace; /* one row */
} volt_fit_rows;

/* Learns the scales of the inputs from all rows and the state after the last row. Stores both in the model,
 * which must have its recipe and target scales. `d` is the width of a row as passed to the kernel. Without
 * `stored`, rows are computed on demand, which feedback does not support. The model and the task must
 * outlive the rows. Release at any stage. */
volt_status volt_fit_rows_begin(const fit_task *task, volt_model *model, int64_t d, bool stored,
                                volt_fit_rows *rows);
void volt_fit_rows_release(volt_fit_rows *rows);

/* Copies rows first .. first + Z.rows - 1 to Z. */
void volt_fit_rows_get(volt_fit_rows *rows, int64_t first, volt_matrix Z);

/* Extents of each of the `slices` of a row, and the warnings of the kernel on these rows: as
 * volt_extents_of, volt_kernel_warn. */
volt_status volt_fit_rows_extents(volt_fit_rows *rows, int64_t slices, volt_extent *extents);

/* ---- the report of a fit (volt_fit_report) --------------------------------------------------------- */

/* Points the arrays of the report to the report_numbers of the model. */
void volt_fit_report_numbers(volt_model *model);

/* ---- a fit with a loss other than squares, or with weights -------------------------------------
 * The outputs of such a model are not its targets: there is one output per level or per class.
 * volt_loss_fit_begin expands the targets to that number of columns, and the rest of the fit uses those. */

typedef struct volt_loss_fit {
    volt_loss *loss;          /* NULL: squares, equal weights */
    volt_fit_options options; /* as given, with anchors and names of the outputs */
    volt_view Y;              /* n x outputs */
    volt_view truth;          /* n x targets: as given, or class numbers from 0; NaN: missing, or weight 0 */
    double *targets,
        *labels; /* memory of Y, truth, options.anchors and options.output_names; NULL: the caller's */
    int64_t *anchors;
    char **names;
    char **classes; /* n_classes texts; NULL: the targets are numbers */
    int64_t n_classes;
} volt_loss_fit;

/* Checks loss, weights and classes of the options, and expands the targets. Always release it. */
volt_status volt_loss_fit_begin(volt_view Y, const volt_fit_options *options, volt_loss_fit *fit);
void volt_loss_fit_release(volt_loss_fit *fit);

/* Weights of the rows (n), 0 for missing targets; release with volt_free. NULL when all are 1. After the
 * washout, at least one weight must be positive, and at least one in each class. */
volt_status volt_loss_fit_weights(const volt_loss_fit *fit, const volt_missing_targets *missing_targets,
                                  double **weights);

/* Whether one of the rows begin .. end - 1 with a positive weight (n; NULL: all) has class k. */
bool volt_loss_fit_has_class(const volt_loss_fit *fit, const double *weights, int64_t begin, int64_t end,
                             int64_t k);

/* Computes readout, objective and report of the model, and the fitted values (n x q, optional). The model
 * takes ownership of loss and classes. */
volt_status volt_loss_fit_solve(const fit_task *task, volt_loss_fit *fit, const volt_solver *solver,
                                volt_view Z, volt_matrix fitted, volt_model *model);

/* ---- the number of landmarks, chosen by what it buys (VOLT_LANDMARKS_AUTO) ---------------------- */

/*
 * A trial is one pass over the rows with M landmarks in nested order, from which the errors of M, M/2, M/4, ... landmarks
 * follow (solve/landmark/solver_nystrom.c). M doubles while that reduces the held-out error by 1 % or more, and the fit uses
 * the least number whose error is within 1 % of the last. For an iterative solver the number has the fewest estimated
 * operations, of the preconditioner and of the iterations. The fit is the same as with this number given. */

/* Properties of the fit that determine the cost of landmarks. */
typedef struct volt_landmark_costs {
    bool iterates;    /* landmarks are a preconditioner */
    double n, d, q;   /* rows, their length, outputs */
    double tolerance; /* of the iteration */
} volt_landmark_costs;

/* Index of the level to use; *grows: twice as many landmarks as in the last level should be tried first. -1: the errors are
 * unknown. */
int64_t volt_landmark_level_choose(const volt_landmark_levels *levels, const volt_landmark_costs *costs,
                                   bool *grows);

#endif
