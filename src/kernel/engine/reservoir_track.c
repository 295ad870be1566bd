/* src/kernel/engine/reservoir_track.c: columns that come and go under a reservoir: their states are all that is kept. */
#include "base/clones.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/engine/track.h"

#include <string.h>

enum { LEAST_ROOM = 64 };

typedef struct reservoir_track {
    volt_track base;
    int64_t size;            /* numbers in a state */
    double *states;          /* capacity x size: of column j in row start + j */
    int64_t capacity, start; /* columns that there is room for; the first of them that is there */
    double *state;           /* of the rows, and what the reservoir wants behind it */
    double *room;
} reservoir_track;

static void release(volt_track *base)
{
    reservoir_track *track = (reservoir_track *)base;
    volt_free(track->states);
    volt_free(track->state);
    volt_free(track->room);
    volt_free(track);
}

static void restart(volt_track *base)
{
    reservoir_track *track = (reservoir_track *)base;
    memcpy(track->state, base->resolved->reservoir->start, (size_t)track->size * sizeof(double));
}

static volt_status create(const volt_resolved *resolved, volt_track **base)
{
    const volt_reservoir *reservoir = resolved->reservoir;
    reservoir_track *track = volt_alloc_zero(1, sizeof *track);
    if (!track)
        return VOLT_ERR_MEMORY;
    track->base.resolved = resolved;
    track->size = reservoir->size;
    track->capacity = LEAST_ROOM;
    track->states = volt_alloc_doubles(track->capacity, track->size);
    track->state = volt_alloc_zero(reservoir->ld, sizeof(double));
    track->room = volt_alloc_doubles(volt_reservoir_room(reservoir), 1);
    if (!track->states || !track->state || !track->room) {
        release(&track->base);
        return VOLT_ERR_MEMORY;
    }
    restart(&track->base);
    *base = &track->base;
    return VOLT_OK;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static volt_status make_room(reservoir_track *track, int64_t capacity)
{
    const double *there = track->states + track->start * track->size;
    size_t bytes = (size_t)(track->base.count * track->size) * sizeof(double);
    if (capacity == track->capacity) {
        memmove(track->states, there, bytes);
    } else {
        double *states = volt_alloc_doubles(capacity, track->size);
        if (!states)
            return VOLT_ERR_MEMORY;
        memcpy(states, there, bytes);
        volt_free(track->states);
        track->states = states;
        track->capacity = capacity;
    }
    track->start = 0;
    return VOLT_OK;
}

static volt_status prepare(volt_track *base, const double *z, bool joins, bool wanted)
{
    (void)z;
    (void)joins;
    (void)wanted;
    reservoir_track *track = (reservoir_track *)base;
    if (track->start + base->count < track->capacity)
        return VOLT_OK;
    return make_room(track, track->start > track->capacity / 4 ? track->capacity : 2 * track->capacity);
}

/* Products of a state with `count` others. */
VOLT_CLONES
static void multiply(const double *restrict state, const double *restrict states, int64_t size, int64_t count,
                     double *restrict out)
{
    enum { LANES = 8 };
    for (int64_t j = 0; j < count; j++) {
        const double *restrict other = states + j * size;
        double lane[LANES] = {0}, sum = 0;
        int64_t i = 0;
        for (; i + LANES <= size; i += LANES)
            for (int l = 0; l < LANES; l++)
                lane[l] += state[i + l] * other[i + l];
        for (; i < size; i++)
            sum += state[i] * other[i];
        for (int l = 0; l < LANES; l++)
            sum += lane[l];
        out[j] = sum;
    }
}

static void push(volt_track *base, const double *z, bool joins, double *k)
{
    reservoir_track *track = (reservoir_track *)base;
    const volt_reservoir *reservoir = base->resolved->reservoir;
    volt_reservoir_run(reservoir, volt_view_of(z, 1, reservoir->d), track->state, track->room,
                       (volt_matrix){0});
    if (joins)
        memcpy(track->states + (track->start + base->count++) * track->size, track->state,
               (size_t)track->size * sizeof(double));
    if (!k)
        return;
    multiply(track->state, track->states + track->start * track->size, track->size, base->count, k);
    for (int64_t j = 0; j < base->count; j++) {
        double product = k[j] + reservoir->coef0;
        k[j] = product;
        for (int64_t p = 1; p < reservoir->degree; p++)
            k[j] *= product;
    }
}

static void drop(volt_track *base, int64_t count)
{
    ((reservoir_track *)base)->start += count;
    base->count -= count;
}

static int64_t ghosts(const volt_resolved *resolved)
{
    (void)resolved;
    return 0;
}

/* ---- as numbers: the state of the rows, then those of the columns ------------------------------ */

static int64_t length(const volt_track *base)
{
    return (1 + base->count) * ((const reservoir_track *)base)->size;
}

static void get(const volt_track *base, double *state)
{
    const reservoir_track *track = (const reservoir_track *)base;
    memcpy(state, track->state, (size_t)track->size * sizeof *state);
    memcpy(state + track->size, track->states + track->start * track->size,
           (size_t)(base->count * track->size) * sizeof *state);
}

static volt_status set(volt_track *base, const double *state, int64_t length)
{
    reservoir_track *track = (reservoir_track *)base;
    VOLT_REQUIRE(length > 0 && length % track->size == 0, VOLT_ERR_FORMAT,
                 "the state of the past does not have the numbers of whole states");
    int64_t count = length / track->size - 1;
    VOLT_TRY(make_room(track, volt_max(2 * count, LEAST_ROOM)));
    memcpy(track->state, state, (size_t)track->size * sizeof *state);
    memcpy(track->states, state + track->size, (size_t)(count * track->size) * sizeof *state);
    base->count = count;
    return VOLT_OK;
}

const volt_track_ops volt_reservoir_track_ops = {
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
