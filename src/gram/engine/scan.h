/* src/gram/engine/scan.h: the diagonal scan, the engine of kernels whose entry (i, j) follows from a small
 * state at (i-1, j-1) and the local value at (i, j).
 *
 * The n x m grid has n + m - 1 diagonals. Their states are in one array, ordered by j - i, from the lower
 * left corner (index 0) to the upper right one: entry (i, j) belongs to index j - i + n - 1. Before the scan
 * the array holds the states that enter each diagonal at the border of the grid. Afterwards its first m
 * elements hold the states of the last row, where the next rows of the same sequence use them. Diagonals are
 * independent, so bands of them are distributed over threads. */
#ifndef KERNEL_SCAN_H
#define KERNEL_SCAN_H

#include "base/progress.h"
#include "gram/engine/columns.h"
#include "gram/engine/state.h"

typedef struct volt_scan_grid {
    const volt_scan *scan;
    const volt_columns *columns;
    volt_view rows;          /* n x d; centred when scan->distance */
    const double *row_norms; /* n, when scan->distance */
    /* the column of the first row: only entries up to the diagonal are computed; or VOLT_OTHER_ROWS */
    int64_t diagonal;
    const double *own; /* n: the numbers of the rows, when scan->own */
    double *state;     /* number s of diagonal k is state[s * stride + k] */
    int64_t stride;
} volt_scan_grid;

/* Run the scan and write K (n x m; for rows of the columns, up to the diagonal). With `sum`, there is one
 * grid for each of its factors, all with the same n, m and `diagonal`, and K is their sum of products, combined
 * tile by tile without a matrix per factor. The stage (may be NULL) counts entries of K. A cancelled stage
 * leaves K and the states unfinished. */
void volt_scan_run(const volt_scan_grid *grids, const volt_sum *sum, volt_matrix K, volt_stage *stage);

/* The number of scan->own of rows that are all x (d numbers; NULL: zero); *kept receives the stationary value. */
double volt_scan_own_rest(const volt_scan *scan, const double *x, int64_t d, double *kept);
/* Those of the rows of Z, after *kept, which is advanced. */
void volt_scan_own_rows(const volt_scan *scan, volt_view Z, double *kept, double *own);

/* The state of two sequences of constant rows x and y (d numbers each; both NULL: zero). */
void volt_scan_rest(const volt_scan *scan, const double *x, const double *y, int64_t d, double *state);

/* The grid of the rows Z against the columns of a state of this engine. Running the grid advances the state. */
volt_scan_grid volt_scan_state_grid(volt_state *state, volt_view Z, int64_t diagonal);

#endif
