/* src/kernel/engine/state_engine.c: pasts that give the states of reservoirs instead of a kernel. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/states.h"

#include <math.h>
#include <string.h>

/* One reservoir of the kernel. */
typedef struct state_part {
    const volt_reservoir *reservoir;
    int64_t slice; /* where its inputs begin in a row */
    double root;   /* of its weight */
} state_part;

typedef struct state_past {
    volt_state base;
    volt_state_walk walk;
} state_past;

static int64_t count_parts(const volt_resolved *resolved)
{
    return resolved->sum ? resolved->sum->n_factors : 1;
}

static state_part part_of(const volt_resolved *resolved, int64_t f)
{
    const volt_sum *sum = resolved->sum;
    if (!sum)
        return (state_part){resolved->reservoir, 0, 1};
    return (state_part){sum->factor[f].reservoir, sum->slice[f] * sum->d, sqrt(sum->weight[sum->term[f]])};
}

static bool is_linear(const volt_reservoir *reservoir)
{
    return reservoir && reservoir->degree == 1 && reservoir->coef0 == 0;
}

int64_t volt_states_count(const volt_resolved *resolved)
{
    bool linear = !resolved->sum || resolved->sum->n_factors == resolved->sum->n_terms;
    for (int64_t f = 0; f < count_parts(resolved) && linear; f++)
        linear = is_linear(part_of(resolved, f).reservoir);
    return linear ? volt_states_length(resolved) : 0;
}

int64_t volt_states_length(const volt_resolved *resolved)
{
    int64_t total = 0;
    for (int64_t f = 0; f < count_parts(resolved); f++)
        total += part_of(resolved, f).reservoir->size;
    return total;
}

/* ---- walk ------------------------------------------------------------------------------------- */

volt_status volt_state_walk_make(const volt_resolved *resolved, volt_state_walk *walk)
{
    int64_t room = 0;
    for (int64_t f = 0; f < count_parts(resolved); f++)
        room = volt_max(room, volt_reservoir_room(part_of(resolved, f).reservoir));
    walk->states = volt_alloc_doubles(volt_states_length(resolved), 1);
    walk->room = volt_alloc_doubles(room, 1);
    return walk->states && walk->room ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_state_walk_release(volt_state_walk *walk)
{
    volt_free(walk->states);
    volt_free(walk->room);
    *walk = (volt_state_walk){0};
}

void volt_state_walk_zero(const volt_resolved *resolved, volt_state_walk *walk)
{
    double *at = walk->states;
    for (int64_t f = 0; f < count_parts(resolved); f++) {
        const volt_reservoir *reservoir = part_of(resolved, f).reservoir;
        memcpy(at, reservoir->start, (size_t)reservoir->size * sizeof *at);
        at += reservoir->size;
    }
}

void volt_state_walk_run(const volt_resolved *resolved, volt_state_walk *walk, volt_view Z, volt_matrix F)
{
    int64_t at = 0;
    for (int64_t f = 0; f < count_parts(resolved); f++) {
        state_part part = part_of(resolved, f);
        int64_t size = part.reservoir->size;
        volt_view slice = {Z.data + part.slice, Z.rows, part.reservoir->d, Z.ld};
        volt_matrix states = {F.data ? F.data + at : NULL, F.rows, size, F.ld};
        volt_reservoir_run(part.reservoir, slice, walk->states + at, walk->room, states);
        for (int64_t i = 0; i < states.rows && states.data && part.root != 1; i++)
            for (int64_t k = 0; k < size; k++)
                states.data[i * states.ld + k] *= part.root;
        at += size;
    }
}

void volt_state_walk_get(const volt_resolved *resolved, const volt_state_walk *walk, double *state)
{
    memcpy(state, walk->states, (size_t)volt_states_length(resolved) * sizeof *state);
}

void volt_state_walk_set(const volt_resolved *resolved, volt_state_walk *walk, const double *state)
{
    memcpy(walk->states, state, (size_t)volt_states_length(resolved) * sizeof *state);
}

/* ---- past ------------------------------------------------------------------------------------- */

static void release(volt_state *base)
{
    volt_state_walk_release(&((state_past *)base)->walk);
    volt_free(base);
}

static volt_status allocate(const volt_resolved *resolved, const volt_columns *columns, int64_t most_rows,
                            volt_state **base)
{
    (void)columns;
    (void)most_rows;
    state_past *past = volt_alloc_zero(1, sizeof *past);
    if (!past)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_state_walk_make(resolved, &past->walk);
    if (status == VOLT_OK)
        *base = &past->base;
    else
        release(&past->base);
    return status;
}

static void zero(volt_state *base)
{
    volt_state_walk_zero(base->resolved, &((state_past *)base)->walk);
}

static void run(volt_state *base, volt_view Z, volt_matrix F)
{
    volt_state_walk_run(base->resolved, &((state_past *)base)->walk, Z, F);
}

static void seek(volt_state *base, volt_view Z)
{
    run(base, Z, (volt_matrix){0});
}

static void advance(volt_state *base, volt_view Z, int64_t own, volt_matrix K, volt_stage *stage)
{
    enum { ROWS = 256 };
    (void)own; /* the columns are no rows */
    for (int64_t first = 0; first < Z.rows; first += ROWS) {
        int64_t count = volt_min(ROWS, Z.rows - first);
        run(base, volt_view_rows(Z, first, count), volt_matrix_rows(K, first, count));
        if (stage && !volt_stage_advance(stage, count * K.cols))
            return;
    }
}

static int64_t length(const volt_resolved *resolved, int64_t m)
{
    (void)m;
    return volt_states_length(resolved);
}

static void get(const volt_state *base, double *state)
{
    volt_state_walk_get(base->resolved, &((const state_past *)base)->walk, state);
}

static void set(volt_state *base, const double *state)
{
    volt_state_walk_set(base->resolved, &((state_past *)base)->walk, state);
}

static const volt_state_ops past_ops = {
    .allocate = allocate,
    .zero = zero,
    .release = release,
    .advance = advance,
    .seek = seek,
    .length = length,
    .get = get,
    .set = set,
};

/* ---- columns ---------------------------------------------------------------------------------- */

/* No kernel asks for it, so that it is in no table: a past is all that it has. */
static const volt_engine engine = {
    .name = "states",
    .past = &past_ops,
};

volt_status volt_states_columns(const volt_resolved *resolved, volt_columns **columns)
{
    volt_columns *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->engine = &engine;
    fresh->m = volt_states_length(resolved);
    fresh->d = resolved->d;
    fresh->window = 1;
    *columns = fresh;
    return VOLT_OK;
}
