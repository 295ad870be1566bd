/* src/model/fit/fit_rows.h: the training rows as the kernel sees them: the columns of the recipe, scaled and filtered.
 *
 * They are a matrix, or, for a solver that walks over them in blocks, made from the inputs whenever they are asked for:
 * then a fit keeps no copy of its inputs. A row follows from the inputs up to it, so that asking in order is cheapest; what
 * comes before the record that a row belongs to does not matter. */
#ifndef MODEL_FIT_ROWS_H
#define MODEL_FIT_ROWS_H

#include "model/fit/fit_task.h"
#include "model/model_internal.h"

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

#endif
