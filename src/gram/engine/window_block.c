/* src/gram/engine/window_block.c: a programme on every pair of windows, from one shared matrix of cells.
 *
 * The cells of the pair of windows that end in (i, j) are a block of the matrix of cells of the two
 * sequences, so inner products and exponentials are computed once per (i, j), not once per pair. A thread
 * processes a band of columns and moves down the rows with the few rows of cells that the next windows need.
 * Windows that end in adjacent columns are adjacent in memory: they are the lanes of the programme. */
#include "base/clones.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/threads.h"
#include "gram/engine/engine.h"

#include <math.h>
#include <string.h>

enum {
    BAND = 64, /* windows of the columns at a time */
    ROWS = 32, /* windows of the rows at a time */
    LANES = VOLT_LANES,
    TILE_ROWS = VOLT_SCAN_ROWS
};

/* Sizes that follow from the kernel. */
typedef struct sizes {
    int64_t cells; /* of a window of the columns */
    int64_t down;  /* of a window of the rows */
    int64_t width; /* of a row of the buffers: the cells or points of a band, with padding */
    bool differences;
} sizes;

static sizes sizes_of(const volt_resolved *resolved, int64_t window)
{
    const volt_programme *programme = &resolved->programme;
    sizes s = {.cells = volt_programme_cells(programme, window),
               .down = volt_programme_cells(programme, resolved->window),
               .differences = programme->differences && programme->lift};
    s.width = (BAND + s.cells + 1 + 2 * VOLT_COLUMNS_CHUNK) / VOLT_COLUMNS_CHUNK * VOLT_COLUMNS_CHUNK;
    return s;
}

static int64_t scratch_of(const volt_resolved *resolved, int64_t window)
{
    sizes s = sizes_of(resolved, window);
    return (2 * (ROWS + s.down) + TILE_ROWS + 1) * s.width +
           resolved->programme.scratch_length(&resolved->programme, s.cells);
}

typedef struct band {
    const volt_resolved *resolved;
    const volt_columns *columns;
    const volt_window_rows *x;
    sizes size;
    int64_t first;     /* first window of the columns, which is the first cell column */
    int64_t points;    /* columns of local values available from there on, at most width */
    double *cells;     /* (ROWS + down) x width */
    double *second;    /* the same: the second numbers of the cells, where the programme has them */
    double *local;     /* TILE_ROWS x width */
    double *last;      /* the previous lifted row, for differences */
    double *scratch;   /* the programme's scratch space */
    int64_t point_row; /* next row of local values */
} band;

VOLT_CLONES
static void difference_row(const double *restrict last, const double *restrict row, int64_t count,
                           double *restrict out)
{
    for (int64_t k = 0; k < count; k++)
        out[k] = (row[k + 1] - last[k + 1]) - (row[k] - last[k]);
}

/* Lifted local values of the next point row into `out`. Rows beyond the end (of the last windows) are never
 * requested. */
static void next_points(band *b, double *out)
{
    const volt_window_rows *x = b->x;
    int64_t row = b->point_row++;
    volt_columns_local(b->columns, x->rows.data + row * x->rows.ld, x->rows.ld,
                       x->norms ? x->norms + row : NULL, 1, b->first, b->points, out, b->size.width);
    int64_t itself = x->diagonal + row - b->first;
    if (x->diagonal >= 0 && b->columns->distance && itself < b->points)
        out[itself] = 0; /* a row is at distance 0 from itself */
    if (b->resolved->programme.lift)
        b->resolved->programme.lift(&b->resolved->programme, out, b->points);
}

/* The next row of cells into row `row` of the buffer. */
static void next_cells(band *b, int64_t row)
{
    const volt_programme *programme = &b->resolved->programme;
    double *cells = b->cells + row * b->size.width;
    if (b->size.differences) {
        next_points(b, b->local);
        difference_row(b->last, b->local, b->points - 1, cells);
        memcpy(b->last, b->local, (size_t)b->points * sizeof(double));
    } else {
        next_points(b, cells);
    }
    if (programme->prepare)
        programme->prepare(programme, cells, b->second + row * b->size.width, b->points);
}

/* K of windows i and j for a normalised programme, if its plain value has underflowed. `cells` are their
 * cells; a row of zeros among them makes K zero. */
static double value_by_logs(const band *b, int64_t i, int64_t j, const double *cells, volt_self self_x,
                            volt_stage *stage)
{
    for (int64_t a = 0; a < b->size.down; a++) {
        bool all_zero = true;
        for (int64_t k = 0; k < b->size.cells && all_zero; k++)
            all_zero = cells[a * b->size.width + k] == 0;
        if (all_zero)
            return 0;
    }
    const volt_programme *programme = &b->resolved->programme;
    double least = volt_pair_least(self_x, b->columns->self[j]);
    const volt_view rows = b->x->rows;
    int64_t w = b->resolved->window;
    double value = programme->log_value(programme, rows.data + i * rows.ld, w, b->columns->packed + j, w, 1,
                                        b->columns->ld, b->columns->d, least, stage, b->scratch);
    return volt_pair_from_log(value, least);
}

/* Row i of K for windows first .. first + count - 1 of the columns; its cells begin in row `row` of the
 * buffer. */
static void run_row(const band *b, int64_t i, int64_t count, int64_t row, const volt_self *self, volt_matrix K,
                    volt_stage *stage)
{
    const double *cells = b->cells + row * b->size.width, *second = b->second + row * b->size.width;
    const volt_programme *programme = &b->resolved->programme;
    int64_t lengths[LANES], itself = b->x->diagonal >= 0 ? b->x->diagonal + i : VOLT_OTHER_ROWS;
    for (int l = 0; l < LANES; l++)
        lengths[l] = b->size.cells;
    int64_t between = volt_rows_between_polls(b->size.cells);
    for (int64_t group = 0; group < count; group += LANES) {
        double out[LANES];
        programme->start(programme, b->size.cells, b->scratch);
        for (int64_t a = 0; a < b->size.down && ((a + 1) % between != 0 || volt_stage_poll(stage)); a++)
            programme->row(programme, b->size.cells, cells + a * b->size.width + group,
                           second + a * b->size.width + group, 1, b->scratch);
        programme->finish(programme, lengths, b->scratch, out);
        for (int64_t l = 0; l < LANES && group + l < count; l++) {
            int64_t j = b->first + group + l;
            double value = out[l];
            if (self && !volt_pair_finish(programme, itself == j, self[i], b->columns->self[j], &value))
                value = value_by_logs(b, i, j, cells + group + l, self[i], stage);
            K.data[i * K.ld + j] = value;
        }
    }
}

static void run_band(band *b, const volt_self *self, volt_matrix K, volt_stage *stage)
{
    int64_t h = b->x->h, m = b->columns->m, kept = b->size.down > 0 ? b->size.down - 1 : 0;
    int64_t diagonal = b->x->diagonal, end_column = b->first + BAND < m ? b->first + BAND : m;
    int64_t start = diagonal >= 0 && diagonal < b->first ? b->first - diagonal
                                                         : 0; /* the first row that the band contains */
    if (start >= h)
        return;
    b->point_row = start;
    if (b->size.differences)
        next_points(b, b->last);
    for (int64_t a = 0; a < kept; a++)
        next_cells(b, a);

    for (int64_t block = start; block < h; block += ROWS) {
        int64_t rows = h - block < ROWS ? h - block : ROWS;
        for (int64_t r = 0; r < rows; r++) {
            if (b->size.down > 0)
                next_cells(b, kept + r);
            int64_t i = block + r, end = volt_diagonal_end(diagonal, i, end_column);
            run_row(b, i, end - b->first, r, self, K, stage);
            if (stage && !volt_stage_advance(stage, end - b->first))
                return;
        }
        size_t bytes = (size_t)(kept * b->size.width) * sizeof(double);
        memmove(b->cells, b->cells + rows * b->size.width, bytes);
        memmove(b->second, b->second + rows * b->size.width, bytes);
    }
}

static void run(const volt_resolved *resolved, const volt_columns *columns, const volt_window_rows *x,
                const volt_self *self, double *workspace, volt_matrix K, volt_stage *stage)
{
    sizes size = sizes_of(resolved, columns->window);
    int64_t per_thread = scratch_of(resolved, columns->window), bands = (columns->m + BAND - 1) / BAND;
    int64_t seen = BAND - 1 + size.cells + (size.differences ? 1 : 0);
#pragma omp parallel for schedule(dynamic) num_threads((int)x->threads)
    for (int64_t index = 0; index < bands; index++) {
        double *thread_workspace = workspace + omp_get_thread_num() * per_thread;
        memset(thread_workspace, 0, (size_t)per_thread * sizeof(double));
        int64_t first = index * BAND, left = columns->length - first;
        band b = {.resolved = resolved,
                  .columns = columns,
                  .x = x,
                  .size = size,
                  .first = first,
                  .points = left < seen ? left : seen,
                  .cells = thread_workspace,
                  .second = thread_workspace + (ROWS + size.down) * size.width,
                  .local = thread_workspace + 2 * (ROWS + size.down) * size.width};
        b.last = b.local + TILE_ROWS * size.width;
        b.scratch = b.last + size.width;
        run_band(&b, self, K, stage);
    }
}

/* ---- the engine ------------------------------------------------------------------------------- */

static int64_t scratch(const volt_resolved *resolved, const volt_columns *columns)
{
    return scratch_of(resolved, columns->window);
}

static double numbers(const volt_resolved *resolved, int64_t m, int64_t rows)
{
    const volt_resolved windowed = volt_with_window(resolved, volt_columns_window(resolved, m));
    double self = (double)(volt_self_scratch(&windowed) + windowed.window * windowed.d);
    int64_t state_scratch =
        volt_max(volt_threads() * scratch_of(resolved, windowed.window), volt_self_scratch(resolved));
    return volt_columns_numbers(resolved, m) + volt_window_state_numbers(resolved, rows) + 3 * (double)m +
           (double)state_scratch + (double)volt_threads() * self;
}

static volt_status pack(const volt_resolved *resolved, int64_t first, volt_stage *stage, volt_columns *columns)
{
    VOLT_TRY(volt_columns_pack(resolved, first, stage, columns));
    return volt_programme_needs_self(&resolved->programme) ? volt_self_fill(resolved, first, stage, columns)
                                                           : VOLT_OK;
}

const volt_engine volt_engine_window_block = {
    .name = "window block",
    .is_expensive = true,
    .numbers = numbers,
    .pack = pack,
    .state = &volt_window_state_ops,
    .scratch = scratch,
    .run = run,
};
