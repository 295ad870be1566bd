/* src/kernel/engine/scan_track.c: columns that come and go under a diagonal scan.
 *
 * The states against the columns lie in a buffer, as in scan_engine.c: a row further, every diagonal has moved one column
 * to the right, which in the buffer is one place to the left. A column that leaves moves the others one place to the
 * right, and in lockstep nothing is ever copied. */
#include "base/clones.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/engine/scan.h"
#include "kernel/engine/track.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Columns that are kept for a kernel that hardly forgets; room for columns at first. */
enum { MOST_GHOSTS = 16384, LEAST_ROOM = 64 };

typedef struct scan_track {
    volt_track base;
    int64_t d, size;     /* numbers in a row, and in the state of a diagonal */
    int64_t capacity;    /* columns that there is room for, less those before `start` */
    int64_t start;       /* column j is packed[k * capacity + start + j] */
    double *packed;      /* d x capacity */
    double *borders;     /* size x capacity: of the columns' own sequence against zeros, after each column */
    double *states;      /* size x 2 capacity: state s against column j is states[s * 2 capacity + at + j] */
    int64_t at;          /* at least 1 after prepare */
    double *local, *out; /* capacity: local values, values that nobody wants */
    bool cut;            /* columns have left: before the first there is the edge, else zeros */
    double edge[VOLT_MOST_STATE], edge_border[VOLT_MOST_STATE]; /* of the column that left last */
    double border[VOLT_MOST_STATE];                             /* of the rows against zeros */
} scan_track;

/* ---- life ------------------------------------------------------------------------------------- */

static void release(volt_track *base)
{
    scan_track *track = (scan_track *)base;
    volt_free(track->packed);
    volt_free(track->borders);
    volt_free(track->states);
    volt_free(track->local);
    volt_free(track->out);
    volt_free(track);
}

/* Move `rows` lists of the columns into larger ones, from column `from` to column `to` of each. */
static void move_lists(const double *old, int64_t old_ld, int64_t from, double *fresh, int64_t ld, int64_t to,
                       int64_t rows, int64_t count)
{
    for (int64_t r = 0; r < rows && count > 0; r++)
        memcpy(fresh + r * ld + to, old + r * old_ld + from, (size_t)count * sizeof(double));
}

/* Room for `capacity` columns; on failure nothing changes. */
static volt_status enlarge(scan_track *track, int64_t capacity)
{
    int64_t count = track->base.count, at = 2 * capacity - count - 1;
    double *packed = volt_alloc_doubles(track->d, capacity);
    double *borders = volt_alloc_doubles(track->size, capacity);
    double *states = volt_alloc_doubles(track->size, 2 * capacity);
    double *local = volt_alloc_doubles(capacity, 1), *out = volt_alloc_doubles(capacity, 1);
    if (!packed || !borders || !states || !local || !out) {
        volt_free(packed);
        volt_free(borders);
        volt_free(states);
        volt_free(local);
        volt_free(out);
        return VOLT_ERR_MEMORY;
    }
    move_lists(track->packed, track->capacity, track->start, packed, capacity, 0, track->d, count);
    move_lists(track->borders, track->capacity, track->start, borders, capacity, 0, track->size, count);
    move_lists(track->states, 2 * track->capacity, track->at, states, 2 * capacity, at, track->size, count);
    volt_free(track->packed);
    volt_free(track->borders);
    volt_free(track->states);
    volt_free(track->local);
    volt_free(track->out);
    track->packed = packed;
    track->borders = borders;
    track->states = states;
    track->local = local;
    track->out = out;
    track->capacity = capacity;
    track->start = 0;
    track->at = at;
    return VOLT_OK;
}

static volt_status create(const volt_resolved *resolved, volt_track **base)
{
    scan_track *track = volt_alloc_zero(1, sizeof *track);
    if (!track)
        return VOLT_ERR_MEMORY;
    track->base.resolved = resolved;
    track->d = resolved->d;
    track->size = resolved->scan.state_size;
    memcpy(track->border, resolved->scan.start, sizeof track->border);
    volt_status status = enlarge(track, LEAST_ROOM);
    if (status != VOLT_OK) {
        release(&track->base);
        return status;
    }
    *base = &track->base;
    return VOLT_OK;
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* The columns back to the beginning of their lists. */
static void move_columns_back(scan_track *track)
{
    size_t bytes = (size_t)track->base.count * sizeof(double);
    for (int64_t k = 0; k < track->d; k++)
        memmove(track->packed + k * track->capacity, track->packed + k * track->capacity + track->start, bytes);
    for (int64_t s = 0; s < track->size; s++)
        memmove(track->borders + s * track->capacity, track->borders + s * track->capacity + track->start,
                bytes);
    track->start = 0;
}

static void move_states_back(scan_track *track)
{
    int64_t ld = 2 * track->capacity, to = ld - track->base.count - 1;
    for (int64_t s = 0; s < track->size; s++)
        memmove(track->states + s * ld + to, track->states + s * ld + track->at,
                (size_t)track->base.count * sizeof(double));
    track->at = to;
}

static volt_status prepare(volt_track *base, const double *z, bool joins, bool wanted)
{
    (void)z;
    (void)joins;
    (void)wanted;
    scan_track *track = (scan_track *)base;
    /* Moved back only where that leaves much room: the work of a move is shared by many rows. */
    if (track->start + base->count + 1 > track->capacity && track->start > track->capacity / 4)
        move_columns_back(track);
    if (track->start + base->count + 1 > track->capacity)
        VOLT_TRY(enlarge(track, 2 * track->capacity));
    if (track->at < 1)
        move_states_back(track);
    return VOLT_OK;
}

/* <z, y_j>, or |z - y_j|^2 from the differences: with one row there is nothing to gain from norms, and nothing cancels. */
VOLT_CLONES
static void local_values(const double *restrict z, int64_t d, const double *restrict packed, int64_t ld,
                         bool distance, int64_t count, double *restrict local)
{
    memset(local, 0, (size_t)count * sizeof(double));
    for (int64_t k = 0; k < d; k++) {
        const double *restrict y = packed + k * ld;
        if (distance)
            for (int64_t j = 0; j < count; j++)
                local[j] += (z[k] - y[j]) * (z[k] - y[j]);
        else
            for (int64_t j = 0; j < count; j++)
                local[j] += z[k] * y[j];
    }
}

static void push(volt_track *base, const double *z, bool joins, double *k)
{
    scan_track *track = (scan_track *)base;
    const volt_scan *scan = &base->resolved->scan;
    int64_t d = track->d, ld = track->capacity, end = track->start + base->count;
    double entering[VOLT_MOST_STATE];
    if (joins) {
        for (int64_t i = 0; i < d; i++)
            track->packed[i * ld + end] = z[i];
        base->count++;
    }
    track->at--;
    for (int64_t s = 0; s < track->size; s++)
        track->states[s * 2 * ld + track->at] = track->cut ? track->edge[s] : track->border[s];
    volt_scan_border(scan, volt_view_of(z, 1, d), track->border, entering, 1, false);
    for (int64_t s = 0; joins && s < track->size; s++)
        track->borders[s * ld + end] = track->border[s];
    if (base->count == 0)
        return;
    local_values(z, d, track->packed + track->start, ld, scan->distance, base->count, track->local);
    scan->step(scan, 1, track->local, 1, track->states + track->at, 2 * ld, k ? k : track->out, 1, base->count);
}

static void drop(volt_track *base, int64_t count)
{
    scan_track *track = (scan_track *)base;
    for (int64_t s = 0; s < track->size; s++) {
        track->edge[s] = track->states[s * 2 * track->capacity + track->at + count - 1];
        track->edge_border[s] = track->borders[s * track->capacity + track->start + count - 1];
    }
    track->cut = true;
    track->start += count;
    track->at += count;
    base->count -= count;
}

/* Zeros against column j: what the columns' own sequence had against zeros after its row j. */
static void restart(volt_track *base)
{
    scan_track *track = (scan_track *)base;
    move_lists(track->borders, track->capacity, track->start, track->states, 2 * track->capacity, track->at,
               track->size, base->count);
    memcpy(track->edge, track->edge_border, sizeof track->edge);
    memcpy(track->border, base->resolved->scan.start, sizeof track->border);
}

/* What a wrong edge leaves behind is below rounding after so many columns: none where a step keeps nothing. */
static int64_t ghosts(const volt_resolved *resolved)
{
    double kept = resolved->scan.state_size > 0 ? resolved->facts.contraction : 0;
    return (int64_t)fmin(ceil(log(DBL_EPSILON) / fmin(log(kept), -DBL_MIN)), MOST_GHOSTS);
}

/* ---- as numbers: count, cut, then lists of the columns, then what is beside them --------------- */

static int64_t length_of(const scan_track *track, int64_t count)
{
    return 2 + count * (track->d + 2 * track->size) + 3 * track->size;
}

static int64_t length(const volt_track *base)
{
    return length_of((const scan_track *)base, base->count);
}

/* To or from `state`, whichever way the lists go. */
static void exchange(scan_track *track, double *state, bool out)
{
    struct {
        double *list;
        int64_t rows, ld, count;
    } parts[] = {
        {track->packed + track->start, track->d, track->capacity, track->base.count},
        {track->states + track->at, track->size, 2 * track->capacity, track->base.count},
        {track->borders + track->start, track->size, track->capacity, track->base.count},
        {track->edge, 1, 0, track->size},
        {track->edge_border, 1, 0, track->size},
        {track->border, 1, 0, track->size},
    };
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (int64_t r = 0; r < parts[p].rows; r++, state += parts[p].count) {
            double *list = parts[p].list + r * parts[p].ld;
            memcpy(out ? state : list, out ? list : state, (size_t)parts[p].count * sizeof(double));
        }
}

static void get(const volt_track *base, double *state)
{
    state[0] = (double)base->count;
    state[1] = ((const scan_track *)base)->cut;
    exchange((scan_track *)base, state + 2, true);
}

static volt_status set(volt_track *base, const double *state, int64_t length)
{
    scan_track *track = (scan_track *)base;
    int64_t count = 0, cut = 0;
    VOLT_REQUIRE(length >= 2, VOLT_ERR_FORMAT, "the state of the past ends too early");
    VOLT_TRY(volt_track_count(state[0], length, &count));
    VOLT_TRY(volt_track_count(state[1], 1, &cut));
    VOLT_REQUIRE(length_of(track, count) == length, VOLT_ERR_FORMAT,
                 "the state of the past does not have the numbers of its columns");
    if (count + 1 > track->capacity)
        VOLT_TRY(enlarge(track, 2 * (count + 1)));
    base->count = count;
    track->cut = cut;
    track->at = 2 * track->capacity - count - 1;
    exchange(track, (double *)state + 2, false);
    return VOLT_OK;
}

const volt_track_ops volt_scan_track_ops = {
    .create = create,
    .release = release,
    .prepare = prepare,
    .push = push,
    .drop = drop,
    .restart = restart,
    .ghosts = ghosts,
    .length = length,
    .get = get,
    .set = set,
};
