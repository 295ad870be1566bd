/* src/kernel/engine/scan.c: bands of diagonals, tiles of four rows, one step function per kernel. */
#include "kernel/engine/scan.h"

#include "base/numbers.h"

#include <omp.h>

enum {
    BAND = 256, /* diagonals in a band: its columns of a tile stay in the first-level cache */
    ROWS = VOLT_SCAN_ROWS,
    CHUNK = VOLT_COLUMNS_CHUNK,
    /* Columns begun before the first one, and a chunk that runs over the last. */
    TILE_LD = BAND + 2 * CHUNK + (VOLT_PRODUCT_ALIGN > 1 ? VOLT_PRODUCT_ALIGN : 0)
};

/* Below this many multiplications a team of threads costs more than it saves. */
static const double serial_work = 4e5;

/* The local values of ROWS rows from `row` on, from column `first` on. */
typedef struct tile {
    _Alignas(8 * VOLT_PRODUCT_ALIGN) double local[ROWS * TILE_LD];
    int64_t row, first;
} tile;

/* Step down rows row .. row + rows - 1 of the diagonals j - i = from .. to - 1. */
static void step_diagonals(const volt_scan_grid *grid, volt_matrix K, tile *t, int64_t row, int64_t rows,
                           int64_t from, int64_t to)
{
    if (to <= from)
        return;
    double *local = t->local + (row - t->row) * TILE_LD + (row + from - t->first);
    double *state = grid->state + (from + grid->rows.rows - 1);
    double *out = K.data + row * K.ld + (row + from);
    /* One row down the same diagonal is one column to the right: hence the + 1. */
    grid->scan->step(grid->scan, rows, local, TILE_LD + 1, state, grid->stride, out, K.ld + 1, to - from);
}

/* Rows row .. row + rows - 1 of the band of diagonals low .. high - 1. */
static void run_tile(const volt_scan_grid *grid, volt_matrix K, int64_t row, int64_t rows, int64_t low,
                     int64_t high)
{
    int64_t m = grid->columns->m;
    int64_t last = row + rows - 1;
    int64_t first_column = volt_max(row + low, 0), end_column = volt_min(last + high, m);
    if (end_column <= first_column)
        return;

    tile t;
    t.row = row;
    t.first = first_column - first_column % VOLT_PRODUCT_ALIGN; /* where a line of the cache begins */
    volt_columns_local(grid->columns, grid->rows.data + row * grid->rows.ld, grid->rows.ld,
                       grid->row_norms ? grid->row_norms + row : NULL, rows, t.first, end_column - t.first,
                       t.local, TILE_LD);
    if (grid->same && grid->scan->distance && low <= 0 && high > 0)
        for (int64_t i = row; i <= last; i++) /* a row is at distance 0 from itself, whatever the rounding */
            t.local[(i - row) * TILE_LD + (i - t.first)] = 0;

    /* Diagonals that all the rows share go together; the ragged ends, where a diagonal enters the grid at
     * the left or leaves it at the right, row by row. */
    int64_t shared_low = volt_max(low, -row), shared_high = volt_min(high, m - last);
    if (shared_low >= shared_high || rows == 1) {
        for (int64_t i = row; i <= last; i++)
            step_diagonals(grid, K, &t, i, 1, volt_max(low, -i), volt_min(high, m - i));
        return;
    }
    for (int64_t i = row; i <= last; i++)
        step_diagonals(grid, K, &t, i, 1, shared_high, volt_min(high, m - i));
    step_diagonals(grid, K, &t, row, rows, shared_low, shared_high);
    for (int64_t i = row; i <= last; i++)
        step_diagonals(grid, K, &t, i, 1, volt_max(low, -i), shared_low);
}

static void run_band(const volt_scan_grid *grid, volt_matrix K, int64_t low, int64_t high, volt_stage *stage)
{
    int64_t n = grid->rows.rows, m = grid->columns->m;
    int64_t first_row = volt_max(0, -(high - 1)), end_row = volt_min(n, m - low);
    for (int64_t row = first_row; row < end_row; row += ROWS) {
        int64_t rows = volt_min(ROWS, end_row - row);
        run_tile(grid, K, row, rows, low, high);
        if (stage && !volt_stage_advance(stage, rows * (high - low)))
            return;
    }
}

void volt_scan_run(const volt_scan_grid *grid, volt_matrix K, volt_stage *stage)
{
    int64_t n = grid->rows.rows, m = grid->columns->m;
    int64_t lowest = -(n - 1), highest = grid->same ? 1 : m; /* diagonals lowest .. highest - 1 */
    int64_t bands = (highest - lowest + BAND - 1) / BAND;
    double work = (double)n * (double)m * (double)(grid->columns->d + 8);

    /* From the long diagonals to the short ones: the last bands to be handed out are the least work. */
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads()) if (work > serial_work)
    for (int64_t b = 0; b < bands; b++) {
        int64_t high = highest - b * BAND, low = volt_max(lowest, high - BAND);
        run_band(grid, K, low, high, stage);
    }
}

void volt_scan_border(const volt_scan *scan, volt_view Z, double *border, double *entering, int64_t stride,
                      bool backwards)
{
    for (int64_t i = 0; i < Z.rows; i++) {
        double local = 0, value;
        if (scan->distance)
            for (int64_t k = 0; k < Z.cols; k++)
                local += Z.data[i * Z.ld + k] * Z.data[i * Z.ld + k];
        for (int s = 0; s < scan->state_size; s++)
            entering[s * stride + (backwards ? -i : i)] = border[s];
        scan->step(scan, 1, &local, 1, border, 1, &value, 1, 1);
    }
}
