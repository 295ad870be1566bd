/* src/model/fit/fit_task.h: the options of a fit with nothing left to be decided but what held-out rows decide. */
#ifndef MODEL_FIT_TASK_H
#define MODEL_FIT_TASK_H

#include "base/backend.h"
#include "kernel/records.h"
#include "model/fit/holes.h"
#include "model/recipe.h"
#include "model/scaling.h"
#include "solve/solver_table.h"

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

#endif
