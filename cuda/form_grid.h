/* cuda/form_grid.h: the grid of a kernel form (scan_form.h), laid out from rows, columns and an initial
 * state.
 *
 * Plain C without CUDA. The grid is one block of numbers, which a back end copies to its device. */
#ifndef CUDA_FORM_GRID_H
#define CUDA_FORM_GRID_H

#include <stdbool.h>

#include "scan_form.h"
#include "volterra/base.h"

/* Size of the block, in numbers, for rows Z against the columns Y (no data: Z itself with a zero initial
 * state). */
int64_t volt_form_grid_numbers(const volt_kernel_form *form, volt_view Z, volt_view Y);

/* Lay out the grid in `block`. `state` is the state before the first row in the format of volt_state_get. It
 * is not read if Y has no data. */
void volt_form_grid_make(const volt_kernel_form *form, volt_view Z, volt_view Y, const double *state,
                         double *block, volt_form_grid *grid);

/* The grid of rows first .. first + count - 1 of a sequence with itself, up to the diagonal. `carried` (states
 * x m of the whole grid) holds the states after row first - 1, `end` receives those after the last row; they
 * must differ. */
volt_form_grid volt_form_grid_rows(const volt_form_grid *grid, int64_t first, int64_t count,
                                   const double *carried, double *end);

/* Relocate the grid after its block was copied from `from` to `to`. */
void volt_form_grid_move(volt_form_grid *grid, const double *from, double *to);

/* Compute the state after the last row, in the format of volt_state_get. `end` (host memory, grid->states x
 * m) is a copy of grid->end after the scan. `grid` is the grid made on the host; its block must still exist. */
void volt_form_grid_state(const volt_form_grid *grid, const double *end, double *state);

#endif
