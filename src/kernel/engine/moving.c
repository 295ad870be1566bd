/* src/kernel/engine/moving.c: a list of tracks, one for each record that still has columns. */
#include "kernel/engine/moving.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <string.h>

struct volt_moving {
    const volt_resolved *resolved; /* of one record */
    int64_t ghosts;
    int64_t begin, next;
    volt_track **tracks; /* n of them, of neighbouring rows; the last is that of the present record */
    int64_t n, capacity;
};

/* Rows beyond this are not exact as doubles, in which they are saved. */
static const int64_t most_rows = INT64_C(1) << 53;

static volt_status add_track(volt_moving *moving)
{
    volt_track *track = NULL;
    VOLT_TRY(volt_grow((void **)&moving->tracks, &moving->capacity, moving->n + 1, sizeof(volt_track *)));
    VOLT_TRY(volt_track_create(moving->resolved, &track));
    moving->tracks[moving->n++] = track;
    return VOLT_OK;
}

/* ---- life ------------------------------------------------------------------------------------- */

void volt_moving_free(volt_moving *moving)
{
    if (!moving)
        return;
    for (int64_t r = 0; r < moving->n; r++)
        volt_track_free(moving->tracks[r]);
    volt_free(moving->tracks);
    volt_free(moving);
}

volt_status volt_moving_create(const volt_resolved *resolved, volt_moving **moving)
{
    volt_moving *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->resolved = resolved->records ? &resolved->records->each : resolved;
    volt_status status = add_track(fresh);
    if (status != VOLT_OK) {
        volt_moving_free(fresh);
        return status;
    }
    fresh->ghosts = volt_track_ghosts(fresh->resolved);
    *moving = fresh;
    return VOLT_OK;
}

volt_status volt_moving_copy(const volt_moving *source, volt_moving **moving)
{
    int64_t length = volt_moving_length(source);
    double *state = volt_alloc_doubles(length, 1);
    volt_moving *fresh = NULL;
    volt_status status = state ? volt_moving_create(source->resolved, &fresh) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        volt_moving_get(source, state);
        status = volt_moving_set(fresh, state, length);
    }
    volt_free(state);
    if (status == VOLT_OK)
        *moving = fresh;
    else
        volt_moving_free(fresh);
    return status;
}

int64_t volt_moving_begin(const volt_moving *moving)
{
    return moving->begin;
}

int64_t volt_moving_next(const volt_moving *moving)
{
    return moving->next;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static bool is_last(const volt_moving *moving, int64_t r)
{
    return r == moving->n - 1;
}

volt_status volt_moving_prepare(volt_moving *moving, const double *z, bool joins, bool wanted)
{
    for (int64_t r = 0; r < moving->n; r++) {
        volt_track *track = moving->tracks[r];
        VOLT_TRY(track->ops->prepare(track, z, joins && is_last(moving, r), wanted));
    }
    return VOLT_OK;
}

void volt_moving_push(volt_moving *moving, const double *z, bool joins, double *k)
{
    for (int64_t r = 0; r < moving->n; r++) {
        volt_track *track = moving->tracks[r];
        track->ops->push(track, z, joins && is_last(moving, r), k);
        k = k ? k + track->count : NULL;
    }
    moving->next += joins;
}

/* Tracks whose rows all left, but the last, are of no more use. */
static void free_empty(volt_moving *moving, int64_t empty)
{
    for (int64_t r = 0; r < empty; r++)
        volt_track_free(moving->tracks[r]);
    moving->n -= empty;
    memmove(moving->tracks, moving->tracks + empty, (size_t)moving->n * sizeof(volt_track *));
}

void volt_moving_release(volt_moving *moving, int64_t row)
{
    int64_t empty = 0;
    while (!is_last(moving, empty) && moving->begin + moving->tracks[empty]->count <= row)
        moving->begin += moving->tracks[empty++]->count;
    free_empty(moving, empty);
    volt_track *first = moving->tracks[0];
    int64_t gone = volt_min(row, moving->next) - moving->ghosts - moving->begin;
    if (gone > 0) {
        first->ops->drop(first, gone);
        moving->begin += gone;
    }
}

volt_status volt_moving_restart(volt_moving *moving)
{
    VOLT_TRY(add_track(moving)); /* all that can fail */
    for (int64_t r = 0; !is_last(moving, r); r++)
        moving->tracks[r]->ops->restart(moving->tracks[r]);
    int64_t before = moving->n - 2; /* a record without columns leaves no track */
    if (moving->tracks[before]->count == 0) {
        volt_track_free(moving->tracks[before]);
        moving->tracks[before] = moving->tracks[moving->n - 1];
        moving->n--;
    }
    return VOLT_OK;
}

/* ---- as numbers: begin, tracks, then of each how many, and they --------------------------------- */

enum { BEGIN, TRACKS, NUMBERS };

int64_t volt_moving_length(const volt_moving *moving)
{
    int64_t total = NUMBERS;
    for (int64_t r = 0; r < moving->n; r++)
        total += 1 + moving->tracks[r]->ops->length(moving->tracks[r]);
    return total;
}

void volt_moving_get(const volt_moving *moving, double *state)
{
    state[BEGIN] = (double)moving->begin;
    state[TRACKS] = (double)moving->n;
    state += NUMBERS;
    for (int64_t r = 0; r < moving->n; r++) {
        int64_t numbers = moving->tracks[r]->ops->length(moving->tracks[r]);
        *state++ = (double)numbers;
        moving->tracks[r]->ops->get(moving->tracks[r], state);
        state += numbers;
    }
}

volt_status volt_moving_set(volt_moving *moving, const double *state, int64_t length)
{
    int64_t n = 0;
    VOLT_REQUIRE(length >= NUMBERS, VOLT_ERR_FORMAT, "the state of the past ends too early");
    VOLT_TRY(volt_track_count(state[BEGIN], most_rows, &moving->begin));
    VOLT_TRY(volt_track_count(state[TRACKS], length, &n));
    VOLT_REQUIRE(n >= 1, VOLT_ERR_FORMAT, "the state of the past has no record");
    moving->next = moving->begin;
    state += NUMBERS;
    length -= NUMBERS;
    for (int64_t r = 0; r < n; r++) {
        int64_t numbers = 0;
        VOLT_REQUIRE(length >= 1, VOLT_ERR_FORMAT, "the state of the past ends too early");
        VOLT_TRY(volt_track_count(state[0], length - 1, &numbers));
        if (r == moving->n)
            VOLT_TRY(add_track(moving));
        volt_track *track = moving->tracks[r];
        VOLT_TRY(track->ops->set(track, state + 1, numbers));
        moving->next += track->count;
        state += 1 + numbers;
        length -= 1 + numbers;
    }
    VOLT_REQUIRE(length == 0, VOLT_ERR_FORMAT, "the state of the past has numbers behind its end");
    return VOLT_OK;
}
