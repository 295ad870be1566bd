/* src/kernel/engine/scan_engine.c: the past of a diagonal scan, advanced in place.
 *
 * The states of the last row against every column lie in a buffer, ordered by diagonal. A row further, every
 * diagonal has moved one column to the right, which in the buffer is one place to the left: nothing is
 * copied, until the buffer's start is reached and the states go back to its end. */
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/scan.h"

#include <string.h>

typedef struct scan_past {
    volt_state base;
    double *buffer; /* state_size x capacity */
    int64_t capacity;
    int64_t at;                     /* the state against column j is buffer[at + j] */
    double border[VOLT_MOST_STATE]; /* against the zero sequence */
    double *row;                    /* d */
    double *centred;                /* most_rows x d and most_rows: a block of rows, for distances */
    double *norms;
} scan_past;

/* Rows that fit before the states are moved back: enough to make the move negligible, which is one of m numbers. */
enum { LEAST_SLACK = 64, MOST_SLACK = 4096 };

static int64_t slack_of(int64_t m, int64_t most_rows)
{
    return volt_max(most_rows, volt_min(volt_max(m, LEAST_SLACK), MOST_SLACK));
}

static void release(volt_state *base)
{
    scan_past *past = (scan_past *)base;
    volt_free(past->buffer);
    volt_free(past->row);
    volt_free(past->centred);
    volt_free(past->norms);
    volt_free(past);
}

static volt_status allocate(const volt_resolved *resolved, const volt_columns *columns, int64_t most_rows,
                            volt_state **base)
{
    scan_past *past = volt_alloc_zero(1, sizeof *past);
    if (!past)
        return VOLT_ERR_MEMORY;
    const volt_scan *scan = &resolved->scan;
    int64_t slack = slack_of(columns->m, most_rows);
    past->capacity = columns->m + slack;
    past->at = slack;
    past->buffer = volt_alloc_doubles(scan->state_size, past->capacity);
    past->row = volt_alloc_doubles(1, columns->d);
    past->centred = volt_alloc_doubles(scan->distance ? most_rows : 0, columns->d);
    past->norms = volt_alloc_doubles(scan->distance ? most_rows : 0, 1);
    if (!past->buffer || !past->row || !past->centred || !past->norms) {
        release(&past->base);
        return VOLT_ERR_MEMORY;
    }
    *base = &past->base;
    return VOLT_OK;
}

/* A zero past against column j is the border state of the columns' own sequence after its row j. */
static void zero(volt_state *base)
{
    scan_past *past = (scan_past *)base;
    const volt_scan *scan = &base->resolved->scan;
    const volt_columns *columns = base->columns;
    memcpy(past->border, scan->start, sizeof past->border);
    double border[VOLT_MOST_STATE], entering[VOLT_MOST_STATE];
    memcpy(border, scan->start, sizeof border);
    for (int64_t j = 0; j < columns->m; j++) {
        volt_columns_row(columns, j, past->row);
        volt_scan_border(scan, volt_view_of(past->row, 1, columns->d), border, entering, 1, false);
        for (int s = 0; s < scan->state_size; s++)
            past->buffer[s * past->capacity + past->at + j] = border[s];
    }
}

static void make_room(scan_past *past, int64_t rows)
{
    if (past->at >= rows)
        return;
    int64_t m = past->base.columns->m, end = past->capacity - m;
    for (int s = 0; s < past->base.resolved->scan.state_size; s++) {
        double *states = past->buffer + s * past->capacity;
        memmove(states + end, states + past->at, (size_t)m * sizeof(double));
    }
    past->at = end;
}

volt_scan_grid volt_scan_state_grid(volt_state *base, volt_view Z, int64_t own)
{
    scan_past *past = (scan_past *)base;
    const volt_scan *scan = &base->resolved->scan;
    make_room(past, Z.rows);

    /* The diagonals of an h x m grid begin h places to the left. Those that enter at the left border take
     * the border's states; the last of the old states leaves the grid at the right. */
    past->at -= Z.rows;
    double *diagonals = past->buffer + past->at;
    if (scan->state_size > 0)
        volt_scan_border(scan, Z, past->border, diagonals + Z.rows - 1, past->capacity, true);

    volt_scan_grid grid = {
        .scan = scan,
        .columns = base->columns,
        .rows = Z,
        .own = own,
        .state = diagonals,
        .stride = past->capacity,
    };
    if (scan->distance) {
        volt_columns_centre(base->columns, Z, past->centred, past->norms);
        grid.rows = volt_view_of(past->centred, Z.rows, Z.cols);
        grid.row_norms = past->norms;
    }
    return grid;
}

static void advance(volt_state *base, volt_view Z, int64_t own, volt_matrix K, volt_stage *stage)
{
    volt_scan_grid grid = volt_scan_state_grid(base, Z, own);
    volt_scan_run(&grid, NULL, K, stage);
}

static void get(const volt_state *base, double *state)
{
    const scan_past *past = (const scan_past *)base;
    int64_t m = base->columns->m, size = base->resolved->scan.state_size;
    for (int64_t s = 0; s < size; s++)
        memcpy(state + s * m, past->buffer + s * past->capacity + past->at, (size_t)m * sizeof(double));
    memcpy(state + size * m, past->border, (size_t)size * sizeof(double));
}

static void set(volt_state *base, const double *state)
{
    scan_past *past = (scan_past *)base;
    int64_t m = base->columns->m, size = base->resolved->scan.state_size;
    for (int64_t s = 0; s < size; s++)
        memcpy(past->buffer + s * past->capacity + past->at, state + s * m, (size_t)m * sizeof(double));
    memcpy(past->border, state + size * m, (size_t)size * sizeof(double));
}

static int64_t length(const volt_resolved *resolved, int64_t m)
{
    return resolved->scan.state_size * (m + 1);
}

static const volt_state_ops past_ops = {
    .allocate = allocate,
    .zero = zero,
    .release = release,
    .advance = advance,
    .length = length,
    .get = get,
    .set = set,
};

static bool takes(const volt_resolved *resolved, int64_t m)
{
    (void)m;
    return resolved->scan.step && resolved->window == 1;
}

static double numbers(const volt_resolved *resolved, int64_t m, int64_t rows)
{
    double slack = (double)slack_of(m, rows);
    return volt_columns_numbers(resolved, m) + resolved->scan.state_size * ((double)m + slack) +
           (resolved->scan.distance ? (double)rows * ((double)resolved->d + 1) : 0) + (double)resolved->d;
}

static volt_status pack(const volt_resolved *resolved, int64_t first, volt_stage *stage, volt_columns *columns)
{
    (void)first; /* cheap: all of them again */
    (void)stage;
    return volt_columns_pack(resolved, columns);
}

const volt_engine volt_engine_scan = {
    .name = "scan",
    .takes = takes,
    .numbers = numbers,
    .pack = pack,
    .past = &past_ops,
    .track = &volt_scan_track_ops,
};
