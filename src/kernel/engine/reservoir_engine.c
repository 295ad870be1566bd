/* src/kernel/engine/reservoir_engine.c: kernels of reservoirs: states are run, and multiplied.
 *
 *     K = (X Y' + coef0)^degree,        X, Y: states of rows and columns
 *
 * A past is one state. The states of the columns are run when the first past against them is made: columns that nobody asks
 * for a kernel, such as those of a model whose readout is of states (states.h), never have them. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/path_features.h"
#include "kernel/engine/states.h"

#include <pthread.h>
#include <string.h>

enum {
    STATE_ROWS = 64, /* rows of K that are multiplied out at a time ... */
    OWN_ROWS = 256   /* ... and where the rows are the columns' own, whose states are there */
};

typedef struct reservoir_past {
    volt_state base;
    volt_state_walk walk;
    double *block; /* rows x size */
} reservoir_past;

static bool takes(const volt_resolved *resolved, int64_t m)
{
    (void)m;
    return resolved->reservoir != NULL;
}

static int64_t block_rows(int64_t most_rows)
{
    return volt_min(most_rows, STATE_ROWS);
}

static double numbers(const volt_resolved *resolved, int64_t m, int64_t rows)
{
    const volt_reservoir *reservoir = resolved->reservoir;
    return (double)(m + block_rows(rows) + 2) * (double)reservoir->ld +
           2 * (double)volt_reservoir_room(reservoir);
}

/* ---- columns ---------------------------------------------------------------------------------- */

/* The states of rows first .. m - 1, on from the one before them. */
static volt_status run_columns(const volt_resolved *resolved, int64_t first, volt_stage *stage,
                               volt_columns *columns)
{
    const volt_reservoir *reservoir = resolved->reservoir;
    int64_t n = reservoir->size, m = columns->m;
    volt_state_walk walk = {0};
    volt_status status = volt_state_walk_make(resolved, &walk);
    if (status == VOLT_OK)
        status = volt_columns_extend((void **)&columns->features, first * n, m * n, sizeof(double));
    if (status != VOLT_OK) {
        volt_state_walk_release(&walk);
        return status;
    }
    columns->n_features = n;
    volt_state_walk_set(resolved, &walk, first > 0 ? columns->features + (first - 1) * n : reservoir->start);
    for (int64_t i = first; i < m && volt_stage_poll(stage); i += STATE_ROWS) {
        int64_t count = volt_min(STATE_ROWS, m - i);
        volt_state_walk_run(resolved, &walk, volt_view_of(columns->given + i * columns->d, count, columns->d),
                            volt_matrix_of(columns->features + i * n, count, n));
    }
    volt_state_walk_release(&walk);
    return volt_columns_cancelled(stage);
}

/* States that are there go on; otherwise none are run yet. */
static volt_status pack(const volt_resolved *resolved, int64_t first, volt_stage *stage, volt_columns *columns)
{
    return columns->features ? run_columns(resolved, first, stage, columns) : VOLT_OK;
}

/* Columns are shared by threads: the first that needs the states runs them. */
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

/* ---- a past ----------------------------------------------------------------------------------- */

static void release(volt_state *base)
{
    reservoir_past *past = (reservoir_past *)base;
    volt_state_walk_release(&past->walk);
    volt_free(past->block);
    volt_free(past);
}

static volt_status allocate(const volt_resolved *resolved, const volt_columns *columns, int64_t most_rows,
                            volt_state **base)
{
    VOLT_TRY(need_states(resolved, columns));
    reservoir_past *past = volt_alloc_zero(1, sizeof *past);
    if (!past)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_state_walk_make(resolved, &past->walk);
    past->block = volt_alloc_doubles(block_rows(most_rows), resolved->reservoir->size);
    if (!past->block)
        status = VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        *base = &past->base;
    else
        release(&past->base);
    return status;
}

static int64_t length(const volt_resolved *resolved, int64_t m)
{
    (void)m;
    return resolved->reservoir->size;
}

static void set(volt_state *base, const double *state)
{
    volt_state_walk_set(base->resolved, &((reservoir_past *)base)->walk, state);
}

static void get(const volt_state *base, double *state)
{
    volt_state_walk_get(base->resolved, &((const reservoir_past *)base)->walk, state);
}

static void zero(volt_state *base)
{
    volt_state_walk_zero(base->resolved, &((reservoir_past *)base)->walk);
}

static void seek(volt_state *base, volt_view Z)
{
    volt_state_walk_run(base->resolved, &((reservoir_past *)base)->walk, Z, (volt_matrix){0});
}

/* K from products, coef0 included, to their power; `own` as an engine has it. */
static void raise(const volt_reservoir *reservoir, int64_t own, volt_matrix K)
{
    for (int64_t i = 0; i < K.rows && reservoir->degree > 1; i++) {
        double *restrict row = K.data + i * K.ld;
        int64_t end = volt_own_end(own, i, K.cols);
        for (int64_t j = 0; j < end; j++) {
            double base = row[j], power = base;
            for (int64_t p = 1; p < reservoir->degree; p++)
                power *= base;
            row[j] = power;
        }
    }
}

static void advance(volt_state *base, volt_view Z, int64_t own, volt_matrix K, volt_stage *stage)
{
    reservoir_past *past = (reservoir_past *)base;
    const volt_reservoir *reservoir = base->resolved->reservoir;
    int64_t n = reservoir->size, most = own >= 0 ? OWN_ROWS : block_rows(base->most_rows);
    volt_view all = volt_view_of(base->columns->features, base->columns->m, n);
    for (int64_t first = 0; first < Z.rows; first += most) {
        int64_t count = volt_min(most, Z.rows - first);
        int64_t at = own >= 0 ? own + first : VOLT_OTHER_ROWS;
        volt_matrix rows = volt_matrix_rows(K, first, count);
        volt_view block = at >= 0 ? volt_view_rows(all, at, count) : volt_view_of(past->block, count, n);
        if (at >= 0)
            set(base, block.data + (count - 1) * n);
        else
            volt_state_walk_run(base->resolved, &past->walk, volt_view_rows(Z, first, count),
                                volt_matrix_of(past->block, count, n));
        volt_features_multiply(block, all, reservoir->coef0, at, rows);
        raise(reservoir, at, rows);
        if (stage && !volt_stage_advance(stage, count * volt_own_end(at, count - 1, K.cols)))
            return;
    }
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

const volt_engine volt_engine_reservoir = {
    .name = "reservoir",
    .multiplies = true,
    .takes = takes,
    .numbers = numbers,
    .pack = pack,
    .past = &past_ops,
    .track = &volt_reservoir_track_ops,
};
