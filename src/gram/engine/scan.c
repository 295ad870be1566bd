/* src/gram/engine/scan.c: bands of diagonals, tiles of four rows, one step function per kernel. */
#include "gram/engine/scan.h"

#include "base/numbers.h"
#include "base/openmp.h"
#include "base/threads.h"
#include "gram/engine/engine.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    BAND = 256, /* maximum number of diagonals in a band: its columns of a tile stay in the first-level cache */
    MIN_BAND =
        120,    /* narrower bands write rows of K in short pieces: 0.65 of the speed at 88 diagonals, AVX-512 */
    BANDS = 25, /* of a triangle, for many threads: the longest band has 2 / BANDS of the entries */
    MIN_SIZE = 2048, /* fewer diagonals have bands of BAND */
    ROWS = VOLT_SCAN_ROWS,
    CHUNK = VOLT_COLUMNS_CHUNK,
    /* Columns before the first one, for alignment, and a chunk that exceeds the last. */
    TILE_LD = BAND + 2 * CHUNK + (VOLT_PRODUCT_ALIGN > 1 ? VOLT_PRODUCT_ALIGN : 0)
};

/* Numbers of ROWS rows from `row` on, from column `first` on. */
typedef struct tile {
    _Alignas(8 * VOLT_PRODUCT_ALIGN) double at[ROWS * TILE_LD];
} tile;

/* Destination of entries: entry (i, j) is data[(i - row) ld + j - first]. */
typedef struct entries {
    double *data;
    int64_t ld, row, first;
} entries;

/* The part of the grid that a band of diagonals low .. high - 1 has in rows row .. row + rows - 1. */
typedef struct piece {
    int64_t row, rows, low, high;
    int64_t first, end; /* its columns, starting at a cache line */
} piece;

/* Step down rows row .. row + rows - 1 of the diagonals j - i = from .. to - 1. */
static void step_diagonals(const volt_scan_grid *grid, const piece *p, tile *local, const entries *out,
                           int64_t row, int64_t rows, int64_t from, int64_t to)
{
    if (to <= from)
        return;
    double *values = local->at + (row - p->row) * TILE_LD + (row + from - p->first);
    double *state = grid->state + (from + grid->rows.rows - 1);
    double *entry = out->data + (row - out->row) * out->ld + (row + from - out->first);
    const volt_scan *scan = grid->scan;
    volt_scan with_own;
    if (scan->own) {
        with_own = *scan;
        with_own.own_rows = grid->own + row;
        with_own.own_columns = volt_columns_own(grid->columns) + row + from;
        scan = &with_own;
    }
    /* One row down the same diagonal is one column to the right: hence the + 1. */
    scan->step(scan, rows, values, TILE_LD + 1, state, grid->stride, entry, out->ld + 1, to - from);
}

static void run_piece(const volt_scan_grid *grid, const piece *p, const entries *out)
{
    int64_t m = grid->columns->m, row = p->row, rows = p->rows, last = row + rows - 1;
    tile local;
    volt_columns_local(grid->columns, grid->rows.data + row * grid->rows.ld, grid->rows.ld,
                       grid->row_norms ? grid->row_norms + row : NULL, rows, p->first, p->end - p->first,
                       local.at, TILE_LD);
    if (grid->diagonal >= 0 && grid->scan->distance && p->high > grid->diagonal)
        for (int64_t i = row; i <= last; i++) /* a row is at distance 0 from itself, regardless of rounding */
            local.at[(i - row) * TILE_LD + (i + grid->diagonal - p->first)] = 0;

    /* Diagonals shared by all rows are processed together; the ends, where a diagonal enters the grid at the
     * left or leaves it at the right, row by row. */
    int64_t shared_low = volt_max(p->low, -row), shared_high = volt_min(p->high, m - last);
    if (shared_low >= shared_high || rows == 1) {
        for (int64_t i = row; i <= last; i++)
            step_diagonals(grid, p, &local, out, i, 1, volt_max(p->low, -i), volt_min(p->high, m - i));
        return;
    }
    for (int64_t i = row; i <= last; i++)
        step_diagonals(grid, p, &local, out, i, 1, shared_high, volt_min(p->high, m - i));
    step_diagonals(grid, p, &local, out, row, rows, shared_low, shared_high);
    for (int64_t i = row; i <= last; i++)
        step_diagonals(grid, p, &local, out, i, 1, volt_max(p->low, -i), shared_low);
}

/* ---- sums of products: all factors, a piece at a time ------------------------------------------ */

/* P <- P Q on the columns first .. end - 1 of row i. */
static void multiply_row(const piece *p, int64_t i, int64_t first, int64_t end, tile *P, const tile *Q)
{
    int64_t at = (i - p->row) * TILE_LD - p->first;
    for (int64_t j = at + first; j < at + end; j++)
        P->at[j] *= Q->at[j];
}

/* K <- w P there, or K + w P. */
static void add_row(const piece *p, int64_t i, int64_t first, int64_t end, double weight, const tile *P,
                    bool begins, volt_matrix K)
{
    const double *product = P->at + (i - p->row) * TILE_LD - p->first;
    double *row = K.data + i * K.ld;
    if (begins)
        for (int64_t j = first; j < end; j++)
            row[j] = weight * product[j];
    else
        for (int64_t j = first; j < end; j++)
            row[j] += weight * product[j];
}

static void run_factors(const volt_scan_grid *grids, const volt_sum *sum, const piece *p, volt_matrix K)
{
    int64_t m = grids->columns->m;
    /* A first term of one factor needs no separate tile. */
    bool straight = volt_sum_ends_term(sum, 0) && sum->weight[0] == 1;
    tile product, factor;
    if (straight)
        run_piece(grids, p, &(entries){.data = K.data, .ld = K.ld});
    for (int64_t f = straight; f < sum->n_factors; f++) {
        bool begins = volt_sum_begins_term(sum, f);
        tile *values = begins ? &product : &factor;
        run_piece(&grids[f], p, &(entries){values->at, TILE_LD, p->row, p->first});
        for (int64_t i = p->row; i < p->row + p->rows; i++) {
            int64_t first = volt_max(0, i + p->low), end = volt_min(m, i + p->high);
            if (!begins)
                multiply_row(p, i, first, end, &product, &factor);
            if (volt_sum_ends_term(sum, f))
                add_row(p, i, first, end, sum->weight[sum->term[f]], &product, sum->term[f] == 0, K);
        }
    }
}

/* ---- the grid ---------------------------------------------------------------------------------- */

/* Diagonals low .. high - 1, in bands of `band` from `high` down. */
typedef struct band_group {
    int64_t low, high, band;
} band_group;

/* The tile of diagonals low .. high - 1 that begins in rows from .. from + ROWS - 1, if any. */
static bool run_tile(const volt_scan_grid *grids, const volt_sum *sum, volt_matrix K, int64_t low, int64_t high,
                     int64_t from, volt_stage *stage)
{
    int64_t n = grids->rows.rows, m = grids->columns->m;
    int64_t first_row = volt_max(0, -(high - 1)), end_row = volt_min(n, m - low);
    int64_t row = from <= first_row ? first_row : first_row + (from - first_row + ROWS - 1) / ROWS * ROWS;
    if (row >= from + ROWS || row >= end_row)
        return true;
    piece p = {.row = row, .rows = volt_min(ROWS, end_row - row), .low = low, .high = high};
    p.first = volt_max(row + low, 0);
    p.first -= p.first % VOLT_PRODUCT_ALIGN;
    p.end = volt_min(row + p.rows - 1 + high, m);
    if (sum)
        run_factors(grids, sum, &p, K);
    else
        run_piece(grids, &p, &(entries){.data = K.data, .ld = K.ld});
    return !stage || volt_stage_advance(stage, p.rows * (high - low));
}

/* Tile by tile, all bands side by side: rows of K are then written in longer pieces. */
static void run_group(const volt_scan_grid *grids, const volt_sum *sum, volt_matrix K, band_group group,
                      volt_stage *stage)
{
    int64_t first_row = volt_max(0, -(group.high - 1)),
            end_row = volt_min(grids->rows.rows, grids->columns->m - group.low);
    for (int64_t row = first_row; row < end_row; row += ROWS)
        for (int64_t high = group.high; high > group.low; high -= group.band)
            if (!run_tile(grids, sum, K, volt_max(group.low, high - group.band), high, row, stage))
                return;
}

void volt_scan_run(const volt_scan_grid *grids, const volt_sum *sum, volt_matrix K, volt_stage *stage)
{
    int64_t n = grids->rows.rows, m = grids->columns->m;
    int64_t lowest = -(n - 1),
            highest = volt_diagonal_end(grids->diagonal, 0, m); /* diagonals lowest .. highest - 1 */
    double work = (double)n * (double)m * (double)(grids->columns->d + 8) * (double)(sum ? sum->n_factors : 1);
    /* The size depends only on the grid, because rounding depends on the ends of a band. */
    int64_t size = highest - lowest;
    int64_t band = size < MIN_SIZE ? BAND : volt_max(MIN_BAND, volt_min(BAND, size / BANDS / CHUNK * CHUNK));
    int64_t bands = (highest - lowest + band - 1) / band;
    /* One thread takes neighbouring bands together as long as every thread has two groups. */
    int64_t threads = volt_threads_for(work),
            together = volt_max(1, volt_min(BAND / band, bands / (2 * threads)));
    int64_t groups = (bands + together - 1) / together;

    /* From the long diagonals to the short ones, for load balance. */
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
    for (int64_t g = 0; g < groups; g++) {
        int64_t high = highest - g * together * band;
        run_group(grids, sum, K, (band_group){volt_max(lowest, high - together * band), high, band}, stage);
    }
}

/* ---- constant rows ----------------------------------------------------------------------------- */

enum { MAX_STEPS = 1000000 }; /* of an iteration to a fixed point */

/* The local value of z and `origin`. */
static double local_value(const volt_scan *scan, const double *z, const double *origin, int64_t d)
{
    double local = 0;
    for (int64_t k = 0; scan->distance && k < d; k++) {
        double gap = origin ? z[k] - origin[k] : z[k];
        local += gap * gap;
    }
    for (int64_t k = 0; !scan->distance && origin && k < d; k++)
        local += z[k] * origin[k];
    return local;
}

/* One step of one diagonal, for rows with these numbers of their own. */
static void step_one(const volt_scan *scan, double own_row, double own_column, double local, double *state)
{
    volt_scan with_own = *scan;
    double value;
    with_own.own_rows = &own_row;
    with_own.own_columns = &own_column;
    scan->step(&with_own, 1, &local, 1, state, 1, &value, 1, 1);
}

static double square_of(const double *z, int64_t d)
{
    double square = 0;
    for (int64_t k = 0; z && k < d; k++)
        square += z[k] * z[k];
    return square;
}

double volt_scan_own_rest(const volt_scan *scan, const double *x, int64_t d, double *kept)
{
    double unused = scan->own_start, *at = kept ? kept : &unused, before = NAN, own = 0;
    *at = scan->own_start;
    if (!scan->own)
        return 0;
    for (int64_t i = 0; i < MAX_STEPS && *at != before; i++) {
        before = *at;
        own = scan->own(scan, square_of(x, d), at);
    }
    return own;
}

void volt_scan_own_rows(const volt_scan *scan, volt_view Z, double *kept, double *own)
{
    for (int64_t i = 0; scan->own && i < Z.rows; i++)
        own[i] = scan->own(scan, square_of(Z.data + i * Z.ld, Z.cols), kept);
}

void volt_scan_rest(const volt_scan *scan, const double *x, const double *y, int64_t d, double *state)
{
    memcpy(state, scan->start, sizeof scan->start);
    if (!x)
        return;
    double constant = local_value(scan, x, y, d);
    if (scan->rest) {
        scan->rest(scan, constant, state);
        return;
    }
    double own_x = volt_scan_own_rest(scan, x, d, NULL), own_y = volt_scan_own_rest(scan, y, d, NULL);
    bool moves = scan->state_size > 0;
    for (int64_t i = 0; i < MAX_STEPS && moves; i++) {
        double before[VOLT_MAX_STATE];
        memcpy(before, state, sizeof before);
        step_one(scan, own_x, own_y, constant, state);
        moves = false;
        for (int s = 0; s < scan->state_size; s++)
            moves |= fabs(state[s] - before[s]) > DBL_EPSILON / 2 * fabs(state[s]);
    }
}

void volt_scan_border_step(volt_scan_border *b, const double *z, double own, int64_t d, double *border)
{
    const volt_scan *scan = b->scan;
    double local = local_value(scan, z, b->origin, d), before[VOLT_MAX_STATE];
    if (b->settled && local == b->local)
        return;
    memcpy(before, border, sizeof before);
    step_one(scan, own, b->origin_own, local, border);
    b->local = local;
    b->settled = !scan->own && memcmp(before, border, (size_t)scan->state_size * sizeof *border) == 0;
}
