/* cuda/run_grid.h: the block of a free run (run_rows.h), laid out from a form and a task.
 *
 * Plain C without CUDA. */
#ifndef CUDA_RUN_GRID_H
#define CUDA_RUN_GRID_H

#include "form_grid.h"
#include "run_rows.h"

/* Offsets of the parts of a block. */
typedef struct volt_run_layout {
    int64_t back, back_end; /* results: numbers back .. back_end - 1 */
    int64_t lists;          /* offsets of volt_run_list; the grid precedes them */
    int64_t total;
} volt_run_layout;

volt_run_layout volt_run_layout_of(const volt_run_form *form, volt_view Y, const volt_run_task *task,
                                   int64_t rows);

/* Lay out the grid in `block`, which has layout.total numbers. */
void volt_run_grid_make(const volt_run_form *form, volt_view Y, volt_view coefficients,
                        const volt_run_task *task, int64_t rows, double *block, volt_run_grid *grid);

/* Relocate the grid after its block was copied from `from` to `to`. */
void volt_run_grid_move(volt_run_grid *grid, const double *from, double *to);

/* Copy the results from the block on the host: outputs, state and filters of the task, and the result. */
void volt_run_grid_take(const volt_run_grid *grid, const volt_run_task *task, volt_matrix out,
                        volt_run_result *result);

#endif
