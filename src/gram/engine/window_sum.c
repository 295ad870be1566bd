/* src/gram/engine/window_sum.c: static kernels on windows of w rows, at a cost per entry that does not
 * depend on w.
 *
 * The inner product of two windows is the sum of the last w values of S along a diagonal (their squared
 * distance is a sum of w squared distances). Values that leave the window are not subtracted, because one
 * large value would spoil the rest of its diagonal. Instead the rows are divided into chunks of w:
 *
 *     window sum at position p of a chunk = sum over positions 0 .. p of this chunk
 *                                         + sum over positions p + 1 .. w - 1 of the previous chunk
 *
 * The first is a running sum; the second is a suffix sum of the previous chunk. */
#include "base/clones.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/threads.h"
#include "gram/engine/engine.h"

#include <string.h>

enum {
    BAND = 128, /* diagonals at a time */
    ROWS = VOLT_SCAN_ROWS,
    TILE_LD = BAND + 2 * VOLT_COLUMNS_CHUNK
};

/* Per thread: the local values of this chunk, suffix sums of the previous one, and the running sum. */
static int64_t scratch_of(int64_t window)
{
    return (2 * window + 1) * BAND;
}

typedef struct band {
    const volt_resolved *resolved;
    const volt_columns *columns;
    const volt_window_rows *x;
    volt_matrix K;
    int64_t low, high; /* diagonals j - i = low .. high - 1, of the grid with leading zeros */
    double *chunk, *suffix, *running;
} band;

/* Converts chunk (w x BAND) to its suffix sums. */
VOLT_CLONES
static void sum_suffixes(double *restrict chunk, int64_t window)
{
    for (int64_t p = window - 2; p >= 0; p--)
        for (int64_t k = 0; k < BAND; k++)
            chunk[p * BAND + k] += chunk[(p + 1) * BAND + k];
}

/* One row: local values into the chunk, and the sums of the windows that end here into `local`. */
VOLT_CLONES
static void sum_windows(double *restrict local, double *restrict chunk, double *restrict running,
                        const double *restrict suffix, int64_t count, bool first, bool last)
{
    for (int64_t k = 0; k < count; k++) {
        double sum = first ? local[k] : running[k] + local[k];
        chunk[k] = local[k];
        running[k] = sum;
        local[k] = last ? sum : sum + suffix[k];
    }
}

VOLT_CLONES
static void add_to_all(double *restrict values, int64_t count, double more)
{
    for (int64_t k = 0; k < count; k++)
        values[k] += more;
}

static void run_row(band *b, int64_t row, double *local, int64_t first_column)
{
    int64_t w = b->columns->window, length = b->columns->length, position = row % w;
    int64_t from = volt_max(b->low, -row), to = volt_min(b->high, length - row);
    if (position == 0) {
        double *old = b->suffix;
        b->suffix = b->chunk;
        b->chunk = old;
        sum_suffixes(b->suffix, w);
    }
    if (to <= from)
        return;
    int64_t k = from - b->low;
    double *values = local + (row + from - first_column);
    /* The suffix of the previous chunk starts one position later; the last position has none. */
    const double *suffix = b->suffix + volt_min(position + 1, w - 1) * BAND + k;
    sum_windows(values, b->chunk + position * BAND + k, b->running + k, suffix, to - from, position == 0,
                position == w - 1);

    int64_t i = row - (w - 1),
            j = volt_max(row + from - (w - 1), 0); /* the entry of K for the window that ends here */
    int64_t skipped = j - (row + from - (w - 1)), count = to - from - skipped;
    if (i < 0 || count <= 0)
        return;
    if (b->x->beyond)
        add_to_all(values + skipped, count, b->x->beyond[i]);
    b->resolved->scan.step(&b->resolved->scan, 1, values + skipped, TILE_LD, NULL, 0,
                           b->K.data + i * b->K.ld + j, b->K.ld, count);
}

static void run_band(band *b, volt_stage *stage)
{
    volt_view rows = b->x->rows;
    int64_t length = b->columns->length;
    int64_t first_row = volt_max(0, -(b->high - 1)), end_row = volt_min(rows.rows, length - b->low);
    double local[ROWS * TILE_LD];
    for (int64_t row = first_row; row < end_row; row += ROWS) {
        int64_t count = volt_min(ROWS, end_row - row), last = row + count - 1;
        int64_t first_column = volt_max(row + b->low, 0), end_column = volt_min(last + b->high, length);
        volt_columns_local(b->columns, rows.data + row * rows.ld, rows.ld,
                           b->x->norms ? b->x->norms + row : NULL, count, first_column,
                           end_column - first_column, local, TILE_LD);
        int64_t diagonal = b->x->diagonal;
        if (diagonal >= 0 && b->columns->distance && b->high > diagonal)
            for (int64_t i = row; i <= last; i++) /* a row is at distance 0 from itself */
                local[(i - row) * TILE_LD + (i + diagonal - first_column)] = 0;
        for (int64_t i = row; i <= last; i++)
            run_row(b, i, local + (i - row) * TILE_LD, first_column);
        if (stage && !volt_stage_advance(stage, count * (b->high - b->low)))
            return;
    }
}

static void run(const volt_resolved *resolved, const volt_columns *columns, const volt_window_rows *x,
                const volt_self *self, double *workspace, volt_matrix K, volt_stage *stage)
{
    (void)self; /* static kernels are not normalised */
    int64_t w = columns->window, lowest = -(x->rows.rows - 1),
            highest = volt_diagonal_end(x->diagonal, 0, columns->length);
    int64_t bands = (highest - lowest + BAND - 1) / BAND;
#pragma omp parallel for schedule(dynamic) num_threads((int)x->threads)
    for (int64_t index = 0; index < bands; index++) {
        int64_t high = highest - index * BAND;
        double *thread_workspace = workspace + omp_get_thread_num() * scratch_of(w);
        memset(thread_workspace, 0, (size_t)scratch_of(w) * sizeof(double));
        band b = {resolved,
                  columns,
                  x,
                  K,
                  volt_max(lowest, high - BAND),
                  high,
                  thread_workspace,
                  thread_workspace + w * BAND,
                  thread_workspace + 2 * w * BAND};
        run_band(&b, stage);
    }
}

/* ---- the engine ------------------------------------------------------------------------------- */

static bool takes(const volt_resolved *resolved, int64_t m)
{
    (void)m;
    return resolved->scan.step != NULL; /* the engine for one row precedes it in the table */
}

static int64_t scratch(const volt_resolved *resolved, const volt_columns *columns)
{
    (void)resolved;
    return scratch_of(columns->window);
}

static double numbers(const volt_resolved *resolved, int64_t m, int64_t rows)
{
    return volt_columns_numbers(resolved, m) + volt_window_state_numbers(resolved, rows) +
           (double)volt_threads() * (double)scratch_of(volt_min(resolved->window, m));
}

const volt_engine volt_engine_window_sum = {
    .name = "window sum",
    .takes = takes,
    .numbers = numbers,
    .pack = volt_columns_pack,
    .state = &volt_window_state_ops,
    .scratch = scratch,
    .run = run,
};
