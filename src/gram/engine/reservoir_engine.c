/* src/gram/engine/reservoir_engine.c: kernels of reservoirs: products of states.
 *
 *     K = (X Y' + coef0)^degree,        X, Y: states of rows and columns
 *
 * The state of a sequence is the state of its reservoir. The states of the columns are computed when the
 * first state against them is created. Columns that are never used in a kernel, as in models with a readout
 * of states, do not have them. Columns may also be the coordinates of states instead of rows
 * (volt_states_columns). */
#include "base/clones.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "gram/engine/engine.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum {
    STATE_ROWS = 64, /* rows of K multiplied at a time ... */
    OWN_ROWS = 256   /* ... and if the rows are the columns, whose states are stored */
};

/* ---- the reservoirs of a kernel: all terms of a sum, or one ------------------------------------- */

typedef struct reservoir_part {
    const volt_reservoir *reservoir;
    int64_t slice; /* offset of its inputs in a row */
    double root;   /* square root of its weight */
} reservoir_part;

static int64_t count_parts(const volt_resolved *resolved)
{
    return resolved->sum ? resolved->sum->n_factors : 1;
}

static reservoir_part part_of(const volt_resolved *resolved, int64_t f)
{
    const volt_sum *sum = resolved->sum;
    if (!sum)
        return (reservoir_part){resolved->reservoir, 0, 1};
    return (reservoir_part){sum->factor[f].reservoir, sum->slice[f] * sum->d, sqrt(sum->weight[sum->term[f]])};
}

static const volt_past *past_of(const volt_resolved *resolved)
{
    return resolved->sum ? &resolved->sum->factor[0].past : &resolved->past;
}

int64_t volt_states_count(const volt_resolved *resolved)
{
    bool linear = !resolved->sum || resolved->sum->n_factors == resolved->sum->n_terms;
    for (int64_t f = 0; f < count_parts(resolved) && linear; f++) {
        const volt_reservoir *reservoir = part_of(resolved, f).reservoir;
        linear = reservoir && reservoir->degree == 1 && reservoir->coef0 == 0;
    }
    return linear ? volt_states_length(resolved) : 0;
}

int64_t volt_states_length(const volt_resolved *resolved)
{
    int64_t total = 0;
    for (int64_t f = 0; f < count_parts(resolved); f++)
        total += part_of(resolved, f).reservoir->size;
    return total;
}

/* Reservoirs with their current states. */
typedef struct walk {
    double *states; /* concatenated: volt_states_length() numbers */
    double *workspace;
} walk;

static volt_status walk_make(const volt_resolved *resolved, walk *made)
{
    int64_t workspace = 0;
    for (int64_t f = 0; f < count_parts(resolved); f++)
        workspace = volt_max(workspace, volt_reservoir_workspace_size(part_of(resolved, f).reservoir));
    made->states = volt_alloc_doubles(volt_states_length(resolved), 1);
    made->workspace = volt_alloc_doubles(workspace, 1);
    return made->states && made->workspace ? VOLT_OK : VOLT_ERR_MEMORY;
}

static void walk_release(walk *made)
{
    volt_free(made->states);
    volt_free(made->workspace);
}

static void walk_set(const volt_resolved *resolved, walk *made, const double *states)
{
    memcpy(made->states, states, (size_t)volt_states_length(resolved) * sizeof *states);
}

/* The state before a sequence; where its past is its first row, that is unknown. */
static void walk_begin(const volt_resolved *resolved, walk *made)
{
    double *at = made->states;
    for (int64_t f = 0; f < count_parts(resolved); f++) {
        const volt_reservoir *reservoir = part_of(resolved, f).reservoir;
        memcpy(at, reservoir->start, (size_t)reservoir->size * sizeof *at);
        at += reservoir->size;
    }
    if (past_of(resolved)->kind == VOLT_PAST_FIRST)
        made->states[0] = VOLT_UNBEGUN;
}

/* The states after constant inputs that are the first row. */
static void walk_settle(const volt_resolved *resolved, walk *made, const double *first)
{
    double *at = made->states;
    made->states[0] = part_of(resolved, 0).reservoir->start[0];
    for (int64_t f = 0; f < count_parts(resolved); f++) {
        reservoir_part part = part_of(resolved, f);
        (void)volt_reservoir_settle(part.reservoir, first + part.slice, at, made->workspace);
        at += part.reservoir->size;
    }
}

/* Run the rows of Z. F (Z.rows x all states) receives the states, each term scaled by the root of its
 * weight; F without data is not written. */
static void walk_run(const volt_resolved *resolved, walk *made, volt_view Z, volt_matrix F)
{
    int64_t at = 0;
    if (past_of(resolved)->kind == VOLT_PAST_FIRST && made->states[0] == VOLT_UNBEGUN && Z.rows > 0)
        walk_settle(resolved, made, Z.data);
    for (int64_t f = 0; f < count_parts(resolved); f++) {
        reservoir_part part = part_of(resolved, f);
        int64_t size = part.reservoir->size;
        volt_view slice = {Z.data + part.slice, Z.rows, part.reservoir->d, Z.ld};
        volt_matrix states = {F.data ? F.data + at : NULL, F.rows, size, F.ld};
        volt_reservoir_run(part.reservoir, slice, made->states + at, made->workspace, states);
        for (int64_t i = 0; i < states.rows && states.data && part.root != 1; i++)
            for (int64_t k = 0; k < size; k++)
                states.data[i * states.ld + k] *= part.root;
        at += size;
    }
}

/* ---- columns ---------------------------------------------------------------------------------- */

/* The states of rows first .. m - 1, continued from the one before. */
static volt_status run_columns(const volt_resolved *resolved, int64_t first, volt_stage *stage,
                               volt_columns *columns)
{
    int64_t n = resolved->reservoir->size, m = columns->m;
    walk made = {0};
    volt_status status = walk_make(resolved, &made);
    if (status == VOLT_OK)
        status = volt_columns_extend((void **)&columns->features, first * n, m * n, sizeof(double));
    if (status != VOLT_OK) {
        walk_release(&made);
        return status;
    }
    columns->n_features = n;
    if (first > 0)
        walk_set(resolved, &made, columns->features + (first - 1) * n);
    else
        walk_begin(resolved, &made);
    for (int64_t i = first; i < m && volt_stage_poll(stage); i += STATE_ROWS) {
        int64_t count = volt_min(STATE_ROWS, m - i);
        walk_run(resolved, &made, volt_view_of(columns->given + i * columns->d, count, columns->d),
                 volt_matrix_of(columns->features + i * n, count, n));
    }
    walk_release(&made);
    return volt_columns_cancelled(stage);
}

/* Existing states are continued; otherwise none are computed yet. */
static volt_status pack(const volt_resolved *resolved, int64_t first, volt_stage *stage, volt_columns *columns)
{
    return columns->features ? run_columns(resolved, first, stage, columns) : VOLT_OK;
}

/* Columns are shared by threads: the first thread that needs the states computes them. */
static volt_status need_states(const volt_resolved *resolved, const volt_columns *columns)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    volt_status status = VOLT_OK;
    pthread_mutex_lock(&lock);
    if (!columns->features)
        status = run_columns(resolved, 0, NULL, (volt_columns *)columns);
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- state ------------------------------------------------------------------------------------ */

typedef struct reservoir_state {
    volt_state base;
    walk walk;
    double *block;      /* rows x size: states of rows */
    volt_row_list list; /* moving columns: their states */
} reservoir_state;

static void release(volt_state *base)
{
    reservoir_state *state = (reservoir_state *)base;
    walk_release(&state->walk);
    volt_free(state->block);
    volt_free(state->list.data);
}

static int64_t block_rows(int64_t max_rows)
{
    return volt_min(max_rows, STATE_ROWS);
}

static volt_status allocate_walk(volt_state *base)
{
    return walk_make(base->resolved, &((reservoir_state *)base)->walk);
}

static volt_status allocate(volt_state *base)
{
    reservoir_state *state = (reservoir_state *)base;
    int64_t size = base->resolved->reservoir->size;
    state->list.cols = size;
    VOLT_TRY(base->moves ? volt_row_list_reserve(&state->list) : need_states(base->resolved, base->columns));
    VOLT_TRY(allocate_walk(base));
    state->block = volt_alloc_doubles(block_rows(base->max_rows), size);
    return state->block ? VOLT_OK : VOLT_ERR_MEMORY;
}

static void zero(volt_state *base)
{
    walk_begin(base->resolved, &((reservoir_state *)base)->walk);
}

static void run(volt_state *base, volt_view Z, volt_matrix F)
{
    walk_run(base->resolved, &((reservoir_state *)base)->walk, Z, F);
}

static void seek(volt_state *base, volt_view Z)
{
    run(base, Z, (volt_matrix){0});
}

/* Raises products, including coef0, to the power; `diagonal` as in engines. */
static void raise(const volt_reservoir *reservoir, int64_t diagonal, volt_matrix K)
{
    for (int64_t i = 0; i < K.rows && reservoir->degree > 1; i++) {
        double *restrict row = K.data + i * K.ld;
        int64_t end = volt_diagonal_end(diagonal, i, K.cols);
        for (int64_t j = 0; j < end; j++) {
            double base = row[j], power = base;
            for (int64_t p = 1; p < reservoir->degree; p++)
                power *= base;
            row[j] = power;
        }
    }
}

/* Products of a state with `count` others, plus an offset. */
VOLT_CLONES
static void multiply(const double *restrict state, const double *restrict states, int64_t size, int64_t count,
                     double offset, double *restrict out)
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
        out[j] = sum + offset;
    }
}

static void advance_moving(reservoir_state *state, volt_view Z, bool joins, volt_matrix K)
{
    const volt_reservoir *reservoir = state->base.resolved->reservoir;
    volt_row_list *list = &state->list;
    seek(&state->base, Z);
    if (joins) {
        memcpy(volt_row_list_at(list, list->count++), state->walk.states, (size_t)list->cols * sizeof(double));
        state->base.count++;
    }
    if (!K.data)
        return;
    multiply(state->walk.states, volt_row_list_at(list, 0), list->cols, list->count, reservoir->coef0, K.data);
    raise(reservoir, VOLT_OTHER_ROWS, K);
}

static void advance(volt_state *base, volt_view Z, int64_t diagonal, volt_matrix K, volt_stage *stage)
{
    reservoir_state *state = (reservoir_state *)base;
    const volt_reservoir *reservoir = base->resolved->reservoir;
    if (base->moves) {
        advance_moving(state, Z, diagonal >= 0, K);
        return;
    }
    int64_t n = reservoir->size, most = diagonal >= 0 ? OWN_ROWS : block_rows(base->max_rows);
    volt_view all = volt_view_of(base->columns->features, base->columns->m, n);
    for (int64_t first = 0; first < Z.rows; first += most) {
        int64_t count = volt_min(most, Z.rows - first);
        int64_t at = diagonal >= 0 ? diagonal + first : VOLT_OTHER_ROWS;
        volt_matrix rows = volt_matrix_rows(K, first, count);
        volt_view block = at >= 0 ? volt_view_rows(all, at, count) : volt_view_of(state->block, count, n);
        if (at >= 0)
            walk_set(base->resolved, &state->walk, block.data + (count - 1) * n);
        else
            run(base, volt_view_rows(Z, first, count), volt_matrix_of(state->block, count, n));
        volt_features_multiply(block, all, reservoir->coef0, at, rows);
        raise(reservoir, at, rows);
        if (stage && !volt_stage_advance(stage, count * volt_diagonal_end(at, count - 1, K.cols)))
            return;
    }
}

static volt_status prepare(volt_state *base, const double *z, bool joins, bool wanted)
{
    (void)z;
    (void)joins;
    (void)wanted;
    return volt_row_list_reserve(&((reservoir_state *)base)->list);
}

static void drop(volt_state *base, int64_t count)
{
    volt_row_list *list = &((reservoir_state *)base)->list;
    list->start += count;
    list->count -= count;
    base->count -= count;
}

/* ---- as numbers: the state of the rows, then those of moving columns ---------------------------- */

static int64_t length(const volt_resolved *resolved, int64_t m)
{
    (void)m;
    return volt_states_length(resolved);
}

static int64_t moving_length(const volt_state *base)
{
    return (1 + base->count) * ((const reservoir_state *)base)->list.cols;
}

static void get(const volt_state *base, double *numbers)
{
    const reservoir_state *state = (const reservoir_state *)base;
    int64_t size = volt_states_length(base->resolved);
    memcpy(numbers, state->walk.states, (size_t)size * sizeof *numbers);
    if (base->moves && base->count > 0)
        memcpy(numbers + size, volt_row_list_at(&state->list, 0),
               (size_t)(base->count * size) * sizeof *numbers);
}

static volt_status set(volt_state *base, const double *numbers, int64_t length)
{
    reservoir_state *state = (reservoir_state *)base;
    int64_t size = volt_states_length(base->resolved);
    if (base->moves) {
        VOLT_REQUIRE(length > 0 && length % size == 0, VOLT_ERR_FORMAT,
                     "the size of the state is not a multiple of the reservoir size");
        VOLT_TRY(volt_row_list_resize(&state->list, length / size - 1));
        base->count = state->list.count;
        memcpy(state->list.data, numbers + size, (size_t)(base->count * size) * sizeof *numbers);
    }
    walk_set(base->resolved, &state->walk, numbers);
    return VOLT_OK;
}

static const volt_state_ops state_ops = {
    .size = sizeof(reservoir_state),
    .allocate = allocate,
    .release = release,
    .zero = zero,
    .advance = advance,
    .seek = seek,
    .length = length,
    .moving_length = moving_length,
    .get = get,
    .set = set,
    .prepare = prepare,
    .drop = drop,
};

/* ---- the engine ------------------------------------------------------------------------------- */

static bool takes(const volt_resolved *resolved, int64_t m)
{
    (void)m;
    return resolved->reservoir != NULL;
}

static double numbers(const volt_resolved *resolved, int64_t m, int64_t rows)
{
    const volt_reservoir *reservoir = resolved->reservoir;
    return (double)(m + block_rows(rows) + 2) * (double)reservoir->ld +
           2 * (double)volt_reservoir_workspace_size(reservoir);
}

const volt_engine volt_engine_reservoir = {
    .name = "reservoir",
    .multiplies = true,
    .takes = takes,
    .numbers = numbers,
    .pack = pack,
    .state = &state_ops,
};

/* ---- columns that are the coordinates of states ------------------------------------------------- */

static void advance_states(volt_state *base, volt_view Z, int64_t diagonal, volt_matrix K, volt_stage *stage)
{
    enum { ROWS = 256 };
    (void)diagonal; /* the columns are not rows */
    for (int64_t first = 0; first < Z.rows; first += ROWS) {
        int64_t count = volt_min(ROWS, Z.rows - first);
        run(base, volt_view_rows(Z, first, count), volt_matrix_rows(K, first, count));
        if (stage && !volt_stage_advance(stage, count * K.cols))
            return;
    }
}

static const volt_state_ops states_ops = {
    .size = sizeof(reservoir_state),
    .allocate = allocate_walk,
    .release = release,
    .zero = zero,
    .advance = advance_states,
    .seek = seek,
    .length = length,
    .get = get,
    .set = set,
};

/* No kernel selects it, so it is in no table; it only has a state. */
static const volt_engine states_engine = {
    .name = "states",
    .state = &states_ops,
};

volt_status volt_states_columns(const volt_resolved *resolved, volt_columns **columns)
{
    volt_columns *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->engine = &states_engine;
    fresh->m = volt_states_length(resolved);
    fresh->d = resolved->d;
    fresh->window = 1;
    *columns = fresh;
    return VOLT_OK;
}
