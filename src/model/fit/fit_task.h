/* src/model/fit/fit_task.h: the options of a fit with nothing left to be decided but what held-out rows decide. */
#ifndef MODEL_FIT_TASK_H
#define MODEL_FIT_TASK_H

#include "base/backend.h"
#include "kernel/records.h"
#include "model/model_internal.h"
#include "model/recipe.h"
#include "model/scaling.h"
#include "solve/loss/loss_solve.h"
#include "solve/solver_table.h"
#include "volterra/base.h"

#include <stdbool.h>

/* ---- rows without a target to fit: it is missing, or the weight of the row is 0. Their inputs are part of the past 
 * of later rows. */

typedef struct volt_holes {
    bool *without;     /* per row: it is not fitted; NULL: every row is */
    volt_view present; /* the rows to fit, one after the other */
    double *copy;      /* of them, where some are left out */
} volt_holes;

/* Leaves out rows of weight 0 (weights: n, optional), and with `missing` those with a NaN in Y. VOLT_ERR_DATA when no row from
 * `first` on is left. Release it in every case. */
volt_status volt_holes_find(volt_view Y, const double *weights, bool missing, int64_t first, volt_holes *holes);
void volt_holes_release(volt_holes *holes);

/* ---- which solver a fit takes, and whether there is memory for it ------------------------------ */

enum {
    VOLT_LEAST_LARGE = 8192, /* rows: below, an exact fit without memory is refused */
    VOLT_MOST_EXACT = 65536  /* rows: above, a factorisation here takes hours */
};

typedef struct volt_solver_choice {
    const volt_solver *solver; /* NULL: the one that takes the kernel's states, or its rows */
    int64_t landmarks;         /* that the readout is of; 0: of all rows ... */
    int64_t beside;            /* ... and landmarks that only help the solver find it */
} volt_solver_choice;

typedef struct fit_task {
    volt_view X, Y;
    const volt_fit_options *options;
    bool change, level; /* what targets may be learned as; both: held-out rows decide */
    bool chooses;       /* held-out rows also decide on alpha, or on whether to forecast at all */
    volt_input input;
    int64_t season;
    const volt_holes *holes;     /* rows whose targets are missing */
    const volt_records *records; /* that the rows are */
    const double *weights;       /* n, of a fit with a loss (fit_loss.h); NULL: 1 each */
    const volt_backend *backend; /* where the Gram matrix is factored */
    volt_solver_setting solver;  /* of the options */
} fit_task;

static inline bool fit_task_has_target(const fit_task *task, int64_t i)
{
    return !(task->holes->without && task->holes->without[i]);
}

/* Reads the solver of the options into the task, and checks its options against each other and the data. VOLT_ERR_ARGUMENT. */
volt_status volt_fit_solver_check(const volt_kernel *kernel, bool loss, fit_task *task);

/* The solver of a fit on so many columns, by the options, or where they leave it open by what fits and pays.
 * VOLT_ERR_MEMORY, with the figures, where there is not enough for it. */
volt_status volt_fit_solver_choose(const volt_kernel *kernel, const fit_task *task, int64_t columns, bool loss,
                                   volt_solver_choice *choice);

/* NULL, or why an exact fit of n rows, which takes so many bytes, is too much here: without a solver in the options, and from
 * VOLT_LEAST_LARGE rows on, landmarks are used instead. */
const char *volt_exact_is_too_much(int64_t n, double q, double bytes, const volt_plan *plan);

/* Check the options against the data, and resolve what is `auto`; a season is looked for in the first learn_rows rows.
 * `records` are those of the options, and must outlive the task. */
volt_status fit_task_resolve(volt_view X, volt_view Y, const volt_fit_options *options,
                             const volt_records *records, int64_t learn_rows, fit_task *task);

/* The columns that the kernel sees, learned from the first learn_rows rows. Release it in every case. */
volt_status fit_task_recipe(const fit_task *task, int64_t learn_rows, volt_recipe *recipe);

/* Is the present value of every target among the inputs, and the target later than that? */
bool fit_task_can_change(const volt_fit_options *options, int64_t q);

/* Targets of the rows kept, in their units: levels less their mean, or changes; 0 where one is missing. */
struct volt_model;
void fit_task_scale_targets(const fit_task *task, const struct volt_model *model, bool change, volt_matrix T);
/* Output k is learned as a change, which has no mean of its own. */
void fit_task_take_change(const fit_task *task, int64_t k, struct volt_model *model);

/* ---- the training rows as the kernel sees them: the columns of the recipe, scaled and filtered ----
 * They are a matrix, or, for a solver that walks over them in blocks, made from the inputs whenever they are asked for:
 * then a fit keeps no copy of its inputs. A row follows from the inputs up to it, so that asking in order is cheapest; what
 * comes before the record that a row belongs to does not matter. */

typedef struct volt_fit_rows {
    const fit_task *task;
    volt_model *model;  /* whose recipe and scales they follow */
    volt_view Z;        /* n x d; without data: rows are made */
    volt_recent recent; /* where they are made: what row `next` looks back to */
    int64_t next;
    double *room; /* one row */
} volt_fit_rows;

/* Learn the scales of the inputs, from all rows, and what the row after the last looks back to: both are put into the model,
 * which has its recipe and the scales of its targets. `d` is the width of a row as the kernel sees it; not `stored`: rows
 * are made, which those cannot be that targets come back in. The model and the task must outlive them; release them at any
 * stage. */
volt_status volt_fit_rows_begin(const fit_task *task, volt_model *model, int64_t d, bool stored,
                                volt_fit_rows *rows);
void volt_fit_rows_release(volt_fit_rows *rows);

/* Rows first .. first + Z.rows - 1 into Z. */
void volt_fit_rows_get(volt_fit_rows *rows, int64_t first, volt_matrix Z);

/* The extent of each of the `slices` that a row consists of, and what there is to say about the kernel on these rows: as
 * volt_extents_of, volt_kernel_warn. */
volt_status volt_fit_rows_extents(volt_fit_rows *rows, int64_t slices, volt_extent *extents);
volt_status volt_fit_rows_warn(volt_fit_rows *rows);

/* ---- the report of a fit (volt_fit_report), from what the solver found out --------------------- */

/* Makes the arrays of the report those of the model's report_numbers. */
void volt_fit_report_numbers(volt_model *model);

/* Of the rows held out: `choice` where one was made, else `held`. */
void volt_fit_make_report(const fit_task *task, const volt_choice *choice, const volt_held_out *held,
                          volt_model *model);

/* Which solver, and how its steps went. */
void volt_fit_report_solver(const volt_solver *solver, const volt_solver_choice *choice,
                            const volt_iteration *iteration, volt_model *model);

/* Of the rows left out one by one, which become those of the report, in the units of the targets. */
void volt_fit_report_left_out(const volt_left_out *left_out, volt_model *model);

/* ---- a fit with another loss than squares, or with weights -------------------------------------
 * The outputs of such a model are not its targets: of levels there is one output each, of classes one each. The targets become
 * as many columns first (volt_loss_fit_begin), and everything else sees those. */

typedef struct volt_loss_fit {
    volt_loss *loss;          /* NULL: squares, and every row counts alike */
    volt_fit_options options; /* those given, with anchors and names of outputs in place of those of targets */
    volt_view Y;              /* n x outputs */
    volt_view
        truth; /* n x targets: those given, of classes their numbers from 0; NaN: missing, or of weight 0 */
    double *targets,
        *labels; /* behind Y, truth, options.anchors and options.output_names; NULL: the caller's */
    int64_t *anchors;
    char **names;
    char **classes; /* n_classes texts; NULL: the targets are numbers */
    int64_t n_classes;
} volt_loss_fit;

/* Check loss, weights and classes of the options, and make the columns. Release it in every case. */
volt_status volt_loss_fit_begin(volt_view Y, const volt_fit_options *options, volt_loss_fit *fit);
void volt_loss_fit_release(volt_loss_fit *fit);

/* Removes the anchors from the options where the loss does not learn changes (classes, counts).
 * VOLT_ERR_ARGUMENT when changes are asked for. */
volt_status volt_loss_fit_anchors(volt_fit_options *options);

/* The weights of the rows (n), 0 where a target is missing, to be released with volt_free; NULL stays where all are 1. Of those
 * after the washout one must be positive, and so must be one of each class. */
volt_status volt_loss_fit_weights(const volt_loss_fit *fit, const volt_holes *holes, double **weights);

/* Has one of the rows begin .. end - 1 with a weight above 0 (n; NULL: all) class k? */
bool volt_loss_fit_has_class(const volt_loss_fit *fit, const double *weights, int64_t begin, int64_t end,
                             int64_t k);

/* Readout, objective and report of the model, and the fitted values where they are wanted (n x q). The model takes loss and classes
 * over from the fit. */
volt_status volt_loss_fit_solve(const fit_task *task, volt_loss_fit *fit, const volt_solver *solver,
                                volt_view Z, volt_matrix fitted, volt_model *model);

#endif
