/* src/gram/engine/engine.h: the interface of engines, which lay out columns and run rows against them.
 *
 * An engine is one file with one volt_engine, volt_engine_NAME, and one line of VOLT_ENGINE_LIST below. */
#ifndef KERNEL_ENGINE_H
#define KERNEL_ENGINE_H

#include "base/progress.h"
#include "gram/engine/columns.h"
#include "gram/engine/state.h"

/* Rows of a sequence, preceded by the rows that their first windows cover, for the engines on windows: h +
 * window - 1 rows (one fewer as increments), centred for distances. `window` is the window of the columns. A
 * longer window only covers more zeros of the columns, whose contribution is the same for every column. */
typedef struct volt_window_rows {
    volt_view rows;
    const double *norms;  /* squared norms, if the columns use distances */
    const double *beyond; /* h: contribution of each row's window beyond the columns; NULL: none */
    int64_t h;            /* rows of K */
    int64_t threads;      /* maximum number of threads, and number of scratch buffers */
    /* the column of the first row: only entries up to the diagonal are computed; or VOLT_OTHER_ROWS */
    int64_t diagonal;
} volt_window_rows;

struct volt_engine {
    const char *name;
    bool is_expensive; /* entries are expensive: matrices are computed only as far as needed */
    bool multiplies;   /* it calls BLAS, which the caller claims (base/blas.h) */

    /* Returns whether it supports this kernel on m columns. The first engine of the table that does is used; the last
     * one has no `takes` and runs all others. */
    bool (*takes)(const volt_resolved *resolved, int64_t m);
    /* Maximum memory in numbers: m columns, without the rows as given, and a state for `rows` rows at a
     * time. */
    double (*numbers)(const volt_resolved *resolved, int64_t m, int64_t rows);
    /* Lay out columns->given from row `first` on; earlier rows are laid out already. The stage (may be NULL)
     * is polled: VOLT_ERR_CANCELLED. */
    volt_status (*pack)(const volt_resolved *resolved, int64_t first, volt_stage *stage, volt_columns *columns);
    const volt_state_ops *state;

    /* Engines on windows share one state (window_state.c), which provides the rows. `resolved` has the
     * window of the rows. `self` holds each row's path against itself, if the programme needs it. `scratch`
     * has that many numbers per thread. */
    int64_t (*scratch)(const volt_resolved *resolved, const volt_columns *columns);
    void (*run)(const volt_resolved *resolved, const volt_columns *columns, const volt_window_rows *x,
                const volt_self *self, double *scratch, volt_matrix K, volt_stage *stage);
};

/* The engines, in the order in which they are queried. */
#define VOLT_ENGINE_LIST(X) \
    X(records)              \
    X(sum)                  \
    X(reservoir)            \
    X(scan)                 \
    X(window_sum)           \
    X(features)             \
    X(paths)                \
    X(window_block)

#define VOLT_DECLARE_ENGINE(name) extern const volt_engine volt_engine_##name;
VOLT_ENGINE_LIST(VOLT_DECLARE_ENGINE)
#undef VOLT_DECLARE_ENGINE

/* The same list, terminated by NULL (engine.c); and the engine for the kernel on m columns. */
extern const volt_engine *const volt_engine_table[];
const volt_engine *volt_engine_of(const volt_resolved *resolved, int64_t m);

/* Returns whether entries are expensive, for any records. */
bool volt_engine_is_expensive(const volt_resolved *resolved, int64_t m);

/* Maximum memory in bytes of m columns and of a state for `rows` rows at a time. */
double volt_engine_bytes(const volt_resolved *resolved, int64_t m, int64_t rows);

/* The kernel of a sequence with itself, K(t, t), at the rows of Z (n x d, scaled and filtered, one sequence
 * from the zero state) from `first` on, into `out` (n - first numbers). O(d) per row for scans; kernels on
 * windows compute further entries. VOLT_ERR_MEMORY. */
volt_status volt_diagonal(const volt_resolved *resolved, volt_view Z, int64_t first, double *out);

/* ---- sums of products: the slice of a factor, and its position in its term ----------------------- */

static inline volt_view volt_sum_slice(const volt_sum *sum, int64_t factor, volt_view rows)
{
    volt_view slice = {rows.data + sum->slice[factor] * sum->d, rows.rows, sum->d, rows.ld};
    return slice;
}

static inline bool volt_sum_begins_term(const volt_sum *sum, int64_t f)
{
    return f == 0 || sum->term[f - 1] != sum->term[f];
}

static inline bool volt_sum_ends_term(const volt_sum *sum, int64_t f)
{
    return f + 1 == sum->n_factors || sum->term[f + 1] != sum->term[f];
}

/* The diagonal scan, the engine of kernels whose entry (i, j) follows from a small
 * state at (i-1, j-1) and the local value at (i, j).
 *
 * The n x m grid has n + m - 1 diagonals. Their states are in one array, ordered by j - i, from the lower
 * left corner (index 0) to the upper right one: entry (i, j) belongs to index j - i + n - 1. Before the scan
 * the array holds the states that enter each diagonal at the border of the grid. Afterwards its first m
 * elements hold the states of the last row, where the next rows of the same sequence use them. Diagonals are
 * independent, so bands of them are distributed over threads. */

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

/* ---- paths that are built one by one ----------------------------------------------------------------- */

/* Windows without augmentation share one matrix of local values (window_block.c). All other paths, rows read
 * as paths or augmented windows, are built explicitly, and local values are computed for each pair. */

/* Returns whether the kernel builds its paths explicitly. */
bool volt_path_is_explicit(const volt_resolved *resolved);

/* Steps and channels of a path, and its size: the product of both. */
int64_t volt_explicit_length(const volt_resolved *resolved);
int64_t volt_explicit_channels(const volt_resolved *resolved);
int64_t volt_explicit_numbers(const volt_resolved *resolved);

/* Build the path of `rows` (window x d, contiguous): number k is written to path[k * step]. */
void volt_explicit_build(const volt_resolved *resolved, const double *rows, double *path, int64_t step);

/* The rows of the window that ends in row j of the columns, with the past before the first; `buffer` has space
 * for them. */
const double *volt_explicit_window(const volt_resolved *resolved, const volt_columns *columns, int64_t j,
                                   double *buffer);

/* The kernel with the effective window, without irrelevant zeros. */
volt_resolved volt_with_window(const volt_resolved *kernel, int64_t window);

/* ---- a path against itself -------------------------------------------------------------------- */

/* Fill columns->self from row `first` on. */
volt_status volt_self_fill(const volt_resolved *resolved, int64_t first, volt_stage *stage,
                           volt_columns *columns);

/* For the path of `rows`. scratch has volt_self_scratch() numbers. */
int64_t volt_self_scratch(const volt_resolved *resolved);
volt_self volt_self_compute(const volt_resolved *resolved, const double *rows, volt_stage *stage,
                            double *scratch);

/* ---- explicit features: K = offset + F_x F_y', or a Gaussian of the distance of features ---------- */

/* K = offset + F_x F_y' from the features of rows and columns: all entries (own = VOLT_OTHER_ROWS) or, if
 * the first row is column `diagonal`, those up to the diagonal. */
void volt_features_multiply(volt_view rows, volt_view columns, double offset, int64_t diagonal, volt_matrix K);

#endif
