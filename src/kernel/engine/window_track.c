/* src/kernel/engine/window_track.c: columns that come and go under a kernel on windows.
 *
 * An entry needs the rows of two windows and nothing else, so the rows are what is kept. Columns (columns.h) that are laid
 * out cannot lose their first ones, and gain a row only by being laid out anew: there are two lots of them, an old one
 * with nearly all rows and a young one with the last few, which is laid out again for every row. Once the young lot has
 * MOST_YOUNG columns all of them become the old one: what a path costs to lay out is shared by as many rows. Rows are
 * numbered from the first that is kept; before its own columns a lot has the rows that their windows reach. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/track.h"

#include <string.h>

enum { MOST_YOUNG = 32, LEAST_ROOM = 64 };

/* Columns for rows begin .. end - 1, laid out from row `from` on. */
typedef struct column_lot {
    int64_t from, begin, end;
    volt_columns *columns; /* NULL: no rows */
    volt_state *past;
    double *k; /* against all of its columns */
} column_lot;

typedef struct window_track {
    volt_track base;
    int64_t d, reach;        /* rows before its last one that a window has */
    double *rows;            /* capacity x d; row i is rows[(start + i) * d] */
    int64_t capacity, start; /* rows that there is room for; the first that is kept */
    int64_t first, end;      /* columns are rows first .. end - 1 */
    double *tail;            /* reach x d: the last rows that were pushed, after zeros */
    column_lot old, young;   /* young.begin == old.end; laid out from these rows where `ready` */
    column_lot next_old, next_young;
    bool ready, renews_old, renews_young; /* what prepare has made */
} window_track;

/* ---- lots ------------------------------------------------------------------------------------- */

static void lot_release(column_lot *lot)
{
    volt_state_free(lot->past);
    volt_columns_free(lot->columns);
    volt_free(lot->k);
    lot->past = NULL;
    lot->columns = NULL;
    lot->k = NULL;
}

static volt_status lot_make(const window_track *track, int64_t begin, int64_t end, column_lot *made)
{
    const volt_resolved *resolved = track->base.resolved;
    *made = (column_lot){.from = volt_max(begin - track->reach, 0), .begin = begin, .end = end};
    if (begin == end)
        return VOLT_OK;
    volt_view rows =
        volt_view_of(track->rows + (track->start + made->from) * track->d, end - made->from, track->d);
    made->k = volt_alloc_doubles(rows.rows, 1);
    volt_status status = made->k ? volt_columns_create(resolved, rows, NULL, &made->columns) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = volt_state_create(resolved, made->columns, 1, &made->past);
    if (status != VOLT_OK)
        lot_release(made);
    return status;
}

/* The kernel of the tail and z against the columns of the lot that are still there. Returns where those of the next lot go.
 * Pasts of windows can always be sought. */
static double *lot_run(const window_track *track, column_lot *lot, const double *z, double *k)
{
    int64_t begin = volt_max(lot->begin, track->first);
    if (!lot->columns || begin >= lot->end)
        return k;
    (void)volt_state_seek(lot->past, volt_view_of(track->tail, track->reach, track->d));
    volt_state_advance(lot->past, volt_view_of(z, 1, track->d), false,
                       volt_matrix_of(lot->k, 1, lot->columns->m), NULL);
    memcpy(k, lot->k + (begin - lot->from), (size_t)(lot->end - begin) * sizeof *k);
    return k + (lot->end - begin);
}

/* ---- life ------------------------------------------------------------------------------------- */

static void release(volt_track *base)
{
    window_track *track = (window_track *)base;
    lot_release(&track->old);
    lot_release(&track->young);
    lot_release(&track->next_old);
    lot_release(&track->next_young);
    volt_free(track->rows);
    volt_free(track->tail);
    volt_free(track);
}

static volt_status create(const volt_resolved *resolved, volt_track **base)
{
    window_track *track = volt_alloc_zero(1, sizeof *track);
    if (!track)
        return VOLT_ERR_MEMORY;
    track->base.resolved = resolved;
    track->d = resolved->d;
    track->reach = resolved->window - 1;
    track->capacity = LEAST_ROOM;
    track->rows = volt_alloc_doubles(track->capacity, track->d);
    track->tail = volt_alloc_zero(track->reach * track->d, sizeof(double));
    if (!track->rows || !track->tail) {
        release(&track->base);
        return VOLT_ERR_MEMORY;
    }
    *base = &track->base;
    return VOLT_OK;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static volt_status make_room(window_track *track)
{
    if (track->start + track->end < track->capacity)
        return VOLT_OK;
    int64_t capacity = track->start > track->capacity / 4 ? track->capacity : 2 * track->capacity;
    size_t bytes = (size_t)(track->end * track->d) * sizeof(double);
    if (capacity == track->capacity) {
        memmove(track->rows, track->rows + track->start * track->d, bytes);
    } else {
        double *rows = volt_alloc_doubles(capacity, track->d);
        if (!rows)
            return VOLT_ERR_MEMORY;
        memcpy(rows, track->rows + track->start * track->d, bytes);
        volt_free(track->rows);
        track->rows = rows;
        track->capacity = capacity;
    }
    track->start = 0;
    return VOLT_OK;
}

static volt_status prepare(volt_track *base, const double *z, bool joins, bool wanted)
{
    window_track *track = (window_track *)base;
    lot_release(&track->next_old);
    lot_release(&track->next_young);
    track->renews_old = track->renews_young = false;
    if (joins) {
        VOLT_TRY(make_room(track));
        memcpy(track->rows + (track->start + track->end) * track->d, z, (size_t)track->d * sizeof *z);
    }
    if (!wanted)
        return VOLT_OK;
    int64_t middle = track->old.end;
    if (!track->ready || track->young.end - track->young.begin >= MOST_YOUNG) {
        middle = track->end;
        track->renews_old = true;
        VOLT_TRY(lot_make(track, track->first, middle, &track->next_old));
    }
    track->renews_young = joins || track->renews_old;
    return track->renews_young ? lot_make(track, middle, track->end + joins, &track->next_young) : VOLT_OK;
}

static void take(column_lot *lot, column_lot *next)
{
    lot_release(lot);
    *lot = *next;
    *next = (column_lot){0};
}

/* Rows that neither a lot nor the window of a column reaches are given up. */
static void forget_rows(window_track *track)
{
    int64_t gone = volt_max(track->first - track->reach, 0);
    if (track->ready)
        gone = volt_min(gone, volt_min(track->old.from, track->young.from));
    track->start += gone;
    track->first -= gone;
    track->end -= gone;
    column_lot *lots[] = {&track->old, &track->young};
    for (int i = 0; i < 2; i++) {
        lots[i]->from -= gone;
        lots[i]->begin -= gone;
        lots[i]->end -= gone;
    }
}

static void push(volt_track *base, const double *z, bool joins, double *k)
{
    window_track *track = (window_track *)base;
    int64_t d = track->d;
    if (track->renews_old)
        take(&track->old, &track->next_old);
    if (track->renews_young)
        take(&track->young, &track->next_young);
    track->ready = k != NULL;
    if (k)
        lot_run(track, &track->young, z, lot_run(track, &track->old, z, k));
    if (track->reach > 0) {
        memmove(track->tail, track->tail + d, (size_t)((track->reach - 1) * d) * sizeof(double));
        memcpy(track->tail + (track->reach - 1) * d, z, (size_t)d * sizeof(double));
    }
    track->end += joins;
    base->count = track->end - track->first;
    forget_rows(track);
}

static void drop(volt_track *base, int64_t count)
{
    window_track *track = (window_track *)base;
    track->first += count;
    base->count -= count;
    forget_rows(track);
}

static void restart(volt_track *base)
{
    window_track *track = (window_track *)base;
    memset(track->tail, 0, (size_t)(track->reach * track->d) * sizeof(double));
}

static int64_t ghosts(const volt_resolved *resolved)
{
    (void)resolved;
    return 0;
}

/* ---- as numbers ------------------------------------------------------------------------------- */

/* Where the lots lie is part of the state: they are laid out again in the same way, for the same bits. */
enum { FIRST, END, READY, OLD_BEGIN, OLD_END, NUMBERS };

static int64_t length(const volt_track *base)
{
    const window_track *track = (const window_track *)base;
    return NUMBERS + (track->end + track->reach) * track->d;
}

static void get(const volt_track *base, double *state)
{
    const window_track *track = (const window_track *)base;
    state[FIRST] = (double)track->first;
    state[END] = (double)track->end;
    state[READY] = track->ready;
    state[OLD_BEGIN] = track->ready ? (double)track->old.begin : 0;
    state[OLD_END] = track->ready ? (double)track->old.end : 0;
    memcpy(state + NUMBERS, track->rows + track->start * track->d,
           (size_t)(track->end * track->d) * sizeof *state);
    memcpy(state + NUMBERS + track->end * track->d, track->tail,
           (size_t)(track->reach * track->d) * sizeof *state);
}

static volt_status set(volt_track *base, const double *state, int64_t length)
{
    window_track *track = (window_track *)base;
    int64_t first = 0, end = 0, ready = 0, old_begin = 0, old_end = 0, d = track->d;
    VOLT_REQUIRE(length >= NUMBERS, VOLT_ERR_FORMAT, "the state of the past ends too early");
    VOLT_TRY(volt_track_count(state[END], length, &end));
    VOLT_TRY(volt_track_count(state[FIRST], end, &first));
    VOLT_TRY(volt_track_count(state[READY], 1, &ready));
    VOLT_TRY(volt_track_count(state[OLD_END], end, &old_end));
    VOLT_TRY(volt_track_count(state[OLD_BEGIN], old_end, &old_begin));
    VOLT_REQUIRE(NUMBERS + (end + track->reach) * d == length, VOLT_ERR_FORMAT,
                 "the state of the past does not have the numbers of its columns");
    int64_t capacity = volt_max(LEAST_ROOM, 2 * end);
    double *rows = volt_alloc_doubles(capacity, d);
    if (!rows)
        return VOLT_ERR_MEMORY;
    memcpy(rows, state + NUMBERS, (size_t)(end * d) * sizeof *state);
    memcpy(track->tail, state + NUMBERS + end * d, (size_t)(track->reach * d) * sizeof *state);
    volt_free(track->rows);
    track->rows = rows;
    track->capacity = capacity;
    track->start = 0;
    track->first = first;
    track->end = end;
    base->count = end - first;
    track->ready = ready;
    if (!ready)
        return VOLT_OK;
    VOLT_TRY(lot_make(track, old_begin, old_end, &track->old));
    return lot_make(track, old_end, end, &track->young);
}

const volt_track_ops volt_window_track_ops = {
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
