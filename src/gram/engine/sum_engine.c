/* src/gram/engine/sum_engine.c: a sum of products of factors, each with its engine.
 *
 * K = sum_t w_t prod_f K_f. A factor has separate columns and a separate state, for its slice of the rows.
 * If all factors are scans they are run together and combined tile by tile (engine.h). Otherwise their
 * matrices are computed one after the other in an additional block. The block is as large as K if the engine
 * needs all rows at once (the lower triangle of a sequence with itself), else as large as the rows pushed. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "gram/engine/engine.h"

typedef struct sum_state {
    volt_state base;
    volt_state_parts parts; /* of each factor */
    int64_t blocks;         /* in addition to K; 0: all factors are scans of fixed columns */
    int64_t capacity;       /* columns of the blocks */
    double *product;        /* max_rows x capacity: a term that has begun ... */
    double *factor;         /* ... and its next factor */
} sum_state;

/* Number of additional matrices for m columns; 0 columns: moving columns, one row at a time. */
static int64_t count_blocks(const volt_sum *sum, int64_t m)
{
    bool scans = m > 0;
    for (int64_t f = 0; f < sum->n_factors && scans; f++)
        scans = volt_engine_of(&sum->factor[f], m) == &volt_engine_scan;
    return scans ? 0 : sum->n_factors > sum->n_terms ? 2 : 1;
}

/* ---- life ------------------------------------------------------------------------------------- */

static void release(volt_state *base)
{
    sum_state *state = (sum_state *)base;
    volt_state_parts_release(&state->parts);
    volt_free(state->product);
    volt_free(state->factor);
}

/* Makes the blocks large enough for this many columns; on failure nothing changes. */
static volt_status reserve(sum_state *state, int64_t columns)
{
    if (columns <= state->capacity)
        return VOLT_OK;
    int64_t capacity = volt_max(2 * state->capacity, columns), rows = state->base.max_rows;
    double *product = volt_alloc_doubles(state->blocks > 0 ? rows : 0, capacity);
    double *factor = volt_alloc_doubles(state->blocks > 1 ? rows : 0, capacity);
    if (!product || !factor) {
        volt_free(product);
        volt_free(factor);
        return VOLT_ERR_MEMORY;
    }
    volt_free(state->product);
    volt_free(state->factor);
    state->product = product;
    state->factor = factor;
    state->capacity = capacity;
    return VOLT_OK;
}

static volt_status allocate(volt_state *base)
{
    sum_state *state = (sum_state *)base;
    const volt_sum *sum = base->resolved->sum;
    state->blocks = count_blocks(sum, base->count);
    VOLT_TRY(reserve(state, base->count));
    VOLT_TRY(volt_state_parts_allocate(sum->n_factors, &state->parts));
    for (int64_t f = 0; f < sum->n_factors; f++) {
        volt_state **part = &state->parts.each[f];
        VOLT_TRY(base->moves
                     ? volt_state_create_moving(&sum->factor[f], part)
                     : volt_state_create(&sum->factor[f], base->columns->parts[f], base->max_rows, part));
    }
    return VOLT_OK;
}

static void zero(volt_state *base)
{
    volt_state_parts_zero(&((sum_state *)base)->parts);
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* P <- P Q, or K <- K + w P; for rows of the columns, up to the diagonal. */
static void multiply(volt_matrix P, const double *Q, int64_t diagonal)
{
#pragma omp parallel for schedule(static) num_threads((int)volt_threads()) if (P.rows * P.cols > 100000)
    for (int64_t i = 0; i < P.rows; i++)
        for (int64_t j = 0; j < volt_diagonal_end(diagonal, i, P.cols); j++)
            P.data[i * P.ld + j] *= Q[i * P.cols + j];
}

static void add(volt_matrix K, double weight, const double *P, bool first, int64_t diagonal)
{
#pragma omp parallel for schedule(static) num_threads((int)volt_threads()) if (K.rows * K.cols > 100000)
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < volt_diagonal_end(diagonal, i, K.cols); j++)
            K.data[i * K.ld + j] = (first ? 0 : K.data[i * K.ld + j]) + weight * P[i * K.cols + j];
}

static void advance_by_blocks(sum_state *state, volt_view Z, int64_t diagonal, volt_matrix K, volt_stage *stage)
{
    const volt_sum *sum = state->base.resolved->sum;
    volt_matrix product = volt_matrix_of(state->product, Z.rows, K.cols);
    for (int64_t f = 0; f < sum->n_factors; f++) {
        bool begins = volt_sum_begins_term(sum, f);
        double *out = begins ? state->product : state->factor;
        volt_stage asking; /* the stage counts the entries of the first factor; the others only poll it */
        volt_stage_begin(&asking, volt_stage_polled(f > 0 ? stage : NULL), "kernel matrix", 0, 1, 1);
        volt_state *part = state->parts.each[f];
        part->ops->advance(part, volt_sum_slice(sum, f, Z), diagonal,
                           volt_matrix_of(K.data ? out : NULL, Z.rows, K.cols), f == 0 ? stage : &asking);
        if (!volt_stage_poll(stage))
            return;
        if (K.data && !begins)
            multiply(product, state->factor, diagonal);
        if (K.data && volt_sum_ends_term(sum, f))
            add(K, sum->weight[sum->term[f]], state->product, sum->term[f] == 0, diagonal);
    }
}

static void advance_scans(const sum_state *state, volt_view Z, int64_t diagonal, volt_matrix K,
                          volt_stage *stage)
{
    const volt_sum *sum = state->base.resolved->sum;
    volt_scan_grid grids[VOLT_MAX_FACTORS];
    for (int64_t f = 0; f < sum->n_factors; f++)
        grids[f] = volt_scan_state_grid(state->parts.each[f], volt_sum_slice(sum, f, Z), diagonal);
    volt_scan_run(grids, sum, K, stage);
}

static void advance(volt_state *base, volt_view Z, int64_t diagonal, volt_matrix K, volt_stage *stage)
{
    sum_state *state = (sum_state *)base;
    if (state->blocks == 0)
        advance_scans(state, Z, diagonal, K, stage);
    else
        advance_by_blocks(state, Z, diagonal, K, stage);
    base->count = state->parts.each[0]->count;
}

/* ---- moving columns ---------------------------------------------------------------------------- */

static volt_status prepare(volt_state *base, const double *z, bool joins, bool wanted)
{
    sum_state *state = (sum_state *)base;
    const volt_sum *sum = base->resolved->sum;
    VOLT_TRY(reserve(state, base->count + 1));
    for (int64_t f = 0; f < sum->n_factors; f++)
        VOLT_TRY(volt_state_prepare(state->parts.each[f], z + sum->slice[f] * sum->d, joins, wanted));
    return VOLT_OK;
}

static void drop(volt_state *base, int64_t count)
{
    const volt_state_parts *parts = &((sum_state *)base)->parts;
    for (int64_t f = 0; f < parts->n; f++)
        volt_state_drop(parts->each[f], count);
    base->count -= count;
}

static int64_t settling(const volt_resolved *resolved)
{
    int64_t most = 0;
    for (int64_t f = 0; f < resolved->sum->n_factors; f++)
        most = volt_max(most, volt_state_settling(&resolved->sum->factor[f]));
    return most;
}

/* ---- serialisation: the numbers of the factors, concatenated ----------------------------------- */

static int64_t length(const volt_resolved *resolved, int64_t m)
{
    const volt_sum *sum = resolved->sum;
    int64_t total = 0;
    for (int64_t f = 0; f < sum->n_factors; f++)
        total += volt_state_length_for(&sum->factor[f], m);
    return total;
}

static int64_t moving_length(const volt_state *base)
{
    const volt_state_parts *parts = &((const sum_state *)base)->parts;
    int64_t total = 0;
    for (int64_t f = 0; f < parts->n; f++)
        total += 1 + volt_state_length(parts->each[f]);
    return total;
}

static void get(const volt_state *base, double *numbers)
{
    const volt_state_parts *parts = &((const sum_state *)base)->parts;
    if (!base->moves)
        volt_state_parts_get(parts, numbers);
    for (int64_t f = 0; base->moves && f < parts->n; f++)
        numbers = volt_state_put(parts->each[f], numbers);
}

static volt_status set(volt_state *base, const double *numbers, int64_t length)
{
    sum_state *state = (sum_state *)base;
    volt_state **part = state->parts.each;
    if (!base->moves) {
        volt_state_parts_set(&state->parts, numbers);
        return VOLT_OK;
    }
    for (int64_t f = 0; f < state->parts.n; f++) {
        VOLT_TRY(volt_state_take(part[f], &numbers, &length));
        VOLT_REQUIRE(part[f]->count == part[0]->count, VOLT_ERR_FORMAT,
                     "the factors of the kernel do not have the same columns in the state");
    }
    VOLT_REQUIRE(length == 0, VOLT_ERR_FORMAT, "the state has extra numbers at its end");
    base->count = part[0]->count;
    return reserve(state, base->count);
}

static const volt_state_ops state_ops = {
    .size = sizeof(sum_state),
    .allocate = allocate,
    .release = release,
    .zero = zero,
    .advance = advance,
    .length = length,
    .moving_length = moving_length,
    .get = get,
    .set = set,
    .prepare = prepare,
    .drop = drop,
    .settling = settling,
};

/* ---- columns ---------------------------------------------------------------------------------- */

static bool takes(const volt_resolved *resolved, int64_t m)
{
    (void)m;
    return resolved->sum != NULL;
}

static double numbers(const volt_resolved *resolved, int64_t m, int64_t rows)
{
    const volt_sum *sum = resolved->sum;
    double total = (double)count_blocks(sum, m) * (double)rows * (double)m;
    for (int64_t f = 0; f < sum->n_factors; f++)
        total += volt_engine_bytes(&sum->factor[f], m, rows) / 8;
    return total;
}

static volt_status pack(const volt_resolved *resolved, int64_t first, volt_stage *stage, volt_columns *columns)
{
    const volt_sum *sum = resolved->sum;
    first = columns->parts ? first : 0;
    VOLT_TRY(volt_columns_need_parts(columns, sum->n_factors));
    volt_view rows = volt_view_of(columns->given + first * columns->d, columns->m - first, columns->d);
    for (int64_t f = 0; f < sum->n_factors; f++)
        VOLT_TRY(volt_columns_add(&sum->factor[f], volt_sum_slice(sum, f, rows), stage, &columns->parts[f]));
    return VOLT_OK;
}

const volt_engine volt_engine_sum = {
    .name = "sum",
    .multiplies = true,
    .takes = takes,
    .numbers = numbers,
    .pack = pack,
    .state = &state_ops,
};
