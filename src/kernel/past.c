/* src/kernel/past.c: the state of a sequence against the columns, advanced in place.
 *
 * The states lie in a buffer, ordered by diagonal. A row further, every diagonal has moved one column to
 * the right, which in the buffer is one place to the left: nothing is copied, until the buffer's start is
 * reached and the states go back to its end. */
#include "kernel/past.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

struct volt_past {
    const volt_scan *scan;
    const volt_columns *columns;
    double *buffer;   /* state_size x capacity */
    int64_t capacity;
    int64_t at;       /* the state against column j is buffer[at + j] */
    int64_t most_rows;
    double border[VOLT_MOST_STATE];
    double *centred;  /* most_rows x d and most_rows: a block of rows, for distances */
    double *norms;
};

/* Rows that fit before the states are moved back: enough to make the move negligible. */
enum { SLACK = 4096 };

static volt_status allocate(const volt_scan *scan, const volt_columns *columns, int64_t most_rows,
                            volt_past **past)
{
    volt_past *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->scan = scan;
    fresh->columns = columns;
    fresh->most_rows = most_rows;
    int64_t slack = most_rows > SLACK ? most_rows : SLACK;
    fresh->capacity = columns->m + slack;
    fresh->at = slack;
    fresh->buffer = volt_alloc_doubles(scan->state_size, fresh->capacity);
    fresh->centred = volt_alloc_doubles(scan->distance ? most_rows : 0, columns->d);
    fresh->norms = volt_alloc_doubles(scan->distance ? most_rows : 0, 1);
    if (!fresh->buffer || !fresh->centred || !fresh->norms) {
        volt_past_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    *past = fresh;
    return VOLT_OK;
}

/* A zero past against column j is the border state of the columns' own sequence after its row j. */
static void set_zero(volt_past *past, double *row)
{
    const volt_scan *scan = past->scan;
    const volt_columns *columns = past->columns;
    memcpy(past->border, scan->start, sizeof past->border);
    double border[VOLT_MOST_STATE], entering[VOLT_MOST_STATE];
    memcpy(border, scan->start, sizeof border);
    for (int64_t j = 0; j < columns->m; j++) {
        volt_columns_row(columns, j, row);
        volt_scan_border(scan, volt_view_of(row, 1, columns->d), border, entering, 1, false);
        for (int s = 0; s < scan->state_size; s++)
            past->buffer[s * past->capacity + past->at + j] = border[s];
    }
}

volt_status volt_past_create(const volt_scan *scan, const volt_columns *columns, int64_t most_rows,
                             volt_past **past)
{
    double *row = volt_alloc_doubles(1, columns->d);
    volt_status status = row ? allocate(scan, columns, most_rows, past) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        set_zero(*past, row);
    volt_free(row);
    return status;
}

volt_status volt_past_copy(const volt_past *source, int64_t most_rows, volt_past **past)
{
    volt_status status = allocate(source->scan, source->columns, most_rows, past);
    if (status != VOLT_OK)
        return status;
    volt_past *copy = *past;
    for (int s = 0; s < source->scan->state_size; s++)
        memcpy(copy->buffer + s * copy->capacity + copy->at, source->buffer + s * source->capacity + source->at,
               (size_t)source->columns->m * sizeof(double));
    memcpy(copy->border, source->border, sizeof copy->border);
    return VOLT_OK;
}

void volt_past_free(volt_past *past)
{
    if (past) {
        volt_free(past->buffer);
        volt_free(past->centred);
        volt_free(past->norms);
    }
    volt_free(past);
}

static void make_room(volt_past *past, int64_t rows)
{
    if (past->at >= rows)
        return;
    int64_t end = past->capacity - past->columns->m;
    for (int s = 0; s < past->scan->state_size; s++) {
        double *states = past->buffer + s * past->capacity;
        memmove(states + end, states + past->at, (size_t)past->columns->m * sizeof(double));
    }
    past->at = end;
}

void volt_past_advance(volt_past *past, volt_view Z, bool same, volt_matrix K, volt_stage *stage)
{
    assert(Z.rows >= 1 && Z.rows <= past->most_rows);
    make_room(past, Z.rows);

    /* The diagonals of an h x m grid begin h places to the left. Those that enter at the left border take
     * the border's states; the last of the old states leaves the grid at the right. */
    past->at -= Z.rows;
    double *diagonals = past->buffer + past->at;
    volt_scan_border(past->scan, Z, past->border, diagonals + Z.rows - 1, past->capacity, true);

    volt_scan_grid grid = {
        .scan = past->scan,
        .columns = past->columns,
        .rows = Z,
        .same = same,
        .state = diagonals,
        .stride = past->capacity,
    };
    if (past->scan->distance) {
        volt_columns_centre(past->columns, Z, past->centred, past->norms);
        grid.rows = volt_view_of(past->centred, Z.rows, Z.cols);
        grid.row_norms = past->norms;
    }
    volt_scan_run(&grid, K, stage);
}

/* Number s against every column, for each s, then the border. */
int64_t volt_past_length(const volt_past *past)
{
    return past->scan->state_size * (past->columns->m + 1);
}

void volt_past_get(const volt_past *past, double *state)
{
    int64_t m = past->columns->m, size = past->scan->state_size;
    for (int64_t s = 0; s < size; s++)
        memcpy(state + s * m, past->buffer + s * past->capacity + past->at, (size_t)m * sizeof(double));
    memcpy(state + size * m, past->border, (size_t)size * sizeof(double));
}

void volt_past_set(volt_past *past, const double *state)
{
    int64_t m = past->columns->m, size = past->scan->state_size;
    for (int64_t s = 0; s < size; s++)
        memcpy(past->buffer + s * past->capacity + past->at, state + s * m, (size_t)m * sizeof(double));
    memcpy(past->border, state + size * m, (size_t)size * sizeof(double));
}
