/* src/kernel/engine/window_past.h: the engines that run on windows of the sequences.
 *
 * They see h new rows with the rows that the first windows still reach, `rows`: h + window - 1 rows (one fewer
 * as increments), centred when distances are wanted. `window` is the columns': a longer one meets nothing but zeros
 * beyond, and what it adds there is the same for every column. */
#ifndef KERNEL_WINDOW_PAST_H
#define KERNEL_WINDOW_PAST_H

#include "base/progress.h"
#include "kernel/engine/columns.h"

typedef struct volt_window_rows {
    volt_view rows;
    const double *norms;  /* squared norms, when the columns want distances */
    const double *beyond; /* h: what each row's window adds to its sums beyond the columns; NULL: nothing */
    int64_t h;            /* rows of K */
    int64_t threads;      /* at most, and that many scratch spaces */
    bool same;            /* the rows are the columns' own: only the lower triangle is wanted */
} volt_window_rows;

/* Sums of the last `window` local values down each diagonal, through the scan's formula (window_sum.c).
 * `scratch` has volt_window_sum_scratch() numbers for each thread. */
int64_t volt_window_sum_scratch(int64_t window);
void volt_window_sum_run(const volt_resolved *resolved, const volt_columns *columns, const volt_window_rows *x,
                         double *scratch, volt_matrix K, volt_stage *stage);

/* The programme on every pair of windows, from one shared matrix of cells (window_block.c). `self` holds each
 * row's window against itself where the programme needs it. The windows of the rows are those of `resolved`. */
int64_t volt_window_block_scratch(const volt_resolved *resolved, const volt_columns *columns);
void volt_window_block_run(const volt_resolved *resolved, const volt_columns *columns,
                           const volt_window_rows *x, const volt_self *self, double *scratch, volt_matrix K,
                           volt_stage *stage);

#endif
