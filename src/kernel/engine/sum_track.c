/* src/kernel/engine/sum_track.c: columns that come and go under a sum of products of factors: a track of each factor. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/engine/sum_engine.h"
#include "kernel/engine/track.h"

#include <string.h>

typedef struct sum_track {
    volt_track base;
    volt_track **parts; /* of each factor */
    double *product;    /* capacity: a term that has begun ... */
    double *factor;     /* ... and its next factor */
    int64_t capacity;
} sum_track;

static const volt_sum *sum_of(const sum_track *track)
{
    return track->base.resolved->sum;
}

static const double *slice_of(const volt_sum *sum, int64_t f, const double *z)
{
    return volt_sum_slice(sum, f, volt_view_of(z, 1, sum->n_slices * sum->d)).data;
}

static void release(volt_track *base)
{
    sum_track *track = (sum_track *)base;
    for (int64_t f = 0; track->parts && f < sum_of(track)->n_factors; f++)
        volt_track_free(track->parts[f]);
    volt_free(track->parts);
    volt_free(track->product);
    volt_free(track->factor);
    volt_free(track);
}

static volt_status create(const volt_resolved *resolved, volt_track **base)
{
    const volt_sum *sum = resolved->sum;
    sum_track *track = volt_alloc_zero(1, sizeof *track);
    if (!track)
        return VOLT_ERR_MEMORY;
    track->base.resolved = resolved;
    track->parts = volt_alloc_zero(sum->n_factors, sizeof(volt_track *));
    volt_status status = track->parts ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t f = 0; status == VOLT_OK && f < sum->n_factors; f++)
        status = volt_track_create(&sum->factor[f], &track->parts[f]);
    if (status != VOLT_OK) {
        release(&track->base);
        return status;
    }
    *base = &track->base;
    return VOLT_OK;
}

static volt_status make_room(sum_track *track, int64_t needed)
{
    if (needed <= track->capacity)
        return VOLT_OK;
    int64_t capacity = volt_max(2 * track->capacity, needed);
    double *product = volt_alloc_doubles(capacity, 1), *factor = volt_alloc_doubles(capacity, 1);
    if (!product || !factor) {
        volt_free(product);
        volt_free(factor);
        return VOLT_ERR_MEMORY;
    }
    volt_free(track->product);
    volt_free(track->factor);
    track->product = product;
    track->factor = factor;
    track->capacity = capacity;
    return VOLT_OK;
}

static volt_status prepare(volt_track *base, const double *z, bool joins, bool wanted)
{
    sum_track *track = (sum_track *)base;
    const volt_sum *sum = sum_of(track);
    VOLT_TRY(make_room(track, base->count + 1));
    for (int64_t f = 0; f < sum->n_factors; f++)
        VOLT_TRY(track->parts[f]->ops->prepare(track->parts[f], slice_of(sum, f, z), joins, wanted));
    return VOLT_OK;
}

static void push(volt_track *base, const double *z, bool joins, double *k)
{
    sum_track *track = (sum_track *)base;
    const volt_sum *sum = sum_of(track);
    base->count += joins;
    if (k)
        memset(k, 0, (size_t)base->count * sizeof *k);
    for (int64_t f = 0; f < sum->n_factors; f++) {
        int64_t term = sum->term[f];
        bool begins = f == 0 || sum->term[f - 1] != term;
        bool ends = f + 1 == sum->n_factors || sum->term[f + 1] != term;
        double *out = begins ? track->product : track->factor;
        track->parts[f]->ops->push(track->parts[f], slice_of(sum, f, z), joins, k ? out : NULL);
        for (int64_t j = 0; k && !begins && j < base->count; j++)
            track->product[j] *= track->factor[j];
        for (int64_t j = 0; k && ends && j < base->count; j++)
            k[j] += sum->weight[term] * track->product[j];
    }
}

static void drop(volt_track *base, int64_t count)
{
    sum_track *track = (sum_track *)base;
    for (int64_t f = 0; f < sum_of(track)->n_factors; f++)
        track->parts[f]->ops->drop(track->parts[f], count);
    base->count -= count;
}

static void restart(volt_track *base)
{
    sum_track *track = (sum_track *)base;
    for (int64_t f = 0; f < sum_of(track)->n_factors; f++)
        track->parts[f]->ops->restart(track->parts[f]);
}

static int64_t ghosts(const volt_resolved *resolved)
{
    int64_t most = 0;
    for (int64_t f = 0; f < resolved->sum->n_factors; f++)
        most = volt_max(most, volt_track_ghosts(&resolved->sum->factor[f]));
    return most;
}

/* ---- as numbers: of each factor, how many, and they -------------------------------------------- */

static int64_t length(const volt_track *base)
{
    const sum_track *track = (const sum_track *)base;
    int64_t total = 0;
    for (int64_t f = 0; f < sum_of(track)->n_factors; f++)
        total += 1 + track->parts[f]->ops->length(track->parts[f]);
    return total;
}

static void get(const volt_track *base, double *state)
{
    const sum_track *track = (const sum_track *)base;
    for (int64_t f = 0; f < sum_of(track)->n_factors; f++) {
        int64_t numbers = track->parts[f]->ops->length(track->parts[f]);
        *state++ = (double)numbers;
        track->parts[f]->ops->get(track->parts[f], state);
        state += numbers;
    }
}

static volt_status set(volt_track *base, const double *state, int64_t length)
{
    sum_track *track = (sum_track *)base;
    for (int64_t f = 0; f < sum_of(track)->n_factors; f++) {
        int64_t numbers = 0;
        volt_track *part = track->parts[f];
        VOLT_REQUIRE(length >= 1, VOLT_ERR_FORMAT, "the state of the past ends too early");
        VOLT_TRY(volt_track_count(state[0], length - 1, &numbers));
        VOLT_TRY(part->ops->set(part, state + 1, numbers));
        VOLT_REQUIRE(part->count == track->parts[0]->count, VOLT_ERR_FORMAT,
                     "the factors of the kernel do not have the same columns in the state of the past");
        state += 1 + numbers;
        length -= 1 + numbers;
    }
    VOLT_REQUIRE(length == 0, VOLT_ERR_FORMAT, "the state of the past has numbers behind its end");
    base->count = track->parts[0]->count;
    return make_room(track, base->count);
}

const volt_track_ops volt_sum_track_ops = {
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
