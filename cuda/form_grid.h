/* cuda/form_grid.h: the grid of a form (scan_form.h), laid out from rows, columns and the state of a past.
 *
 * Plain C without CUDA: all of it lies in one block of numbers, which a back end copies to where it computes. */
#ifndef CUDA_FORM_GRID_H
#define CUDA_FORM_GRID_H

#include <stdbool.h>

#include "scan_form.h"
#include "volterra/base.h"

/* Numbers of the block for rows Z against the columns Y (no data: Z itself, after a zero past). */
int64_t volt_form_grid_numbers(const volt_kernel_form *form, volt_view Z, volt_view Y);

/* Lay out the grid in `block`. `state` (not read where Y has no data) is that of the past before the first row, as
 * volt_state_get gives it. */
void volt_form_grid_make(const volt_kernel_form *form, volt_view Z, volt_view Y, const double *state,
                         double *block, volt_form_grid *grid);

/* The same grid where its block was copied from `from` to `to`. */
void volt_form_grid_move(volt_form_grid *grid, const double *from, double *to);

/* After the walk, `end` (here, grid->states x m) being what it left in grid->end: the state of the past after the last
 * row, as volt_state_get gives it. `grid` is the one that was made here, and its block is still there. */
void volt_form_grid_state(const volt_form_grid *grid, const double *end, double *state);

#endif
