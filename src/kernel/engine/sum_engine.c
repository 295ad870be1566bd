/* src/kernel/engine/sum_engine.c: a sum of products of factors, each on the engine of its own.
 *
 * K = sum_t w_t prod_f K_f. A factor has columns and a past of its own, of the slice of the rows that it sees. Where all
 * factors are scans they are run side by side, and meet tile by tile (scan.h). Else their matrices are made one after the
 * other and joined: factors write into a block beside K, as large as K itself where the engine wants all rows at once
 * (the lower triangle of a sequence with itself), else as large as the rows pushed. */
#include "kernel/engine/sum_engine.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/engine/scan.h"
#include "kernel/engine/state_parts.h"

typedef struct sum_past {
    volt_state base;
    volt_state_parts parts; /* of each factor */
    bool scans;             /* all of them; else there are ... */
    double *product;        /* ... most_rows x m: a term that has begun ... */
    double *factor;         /* ... and its next factor */
} sum_past;

static const volt_sum *sum_of(const volt_state *base)
{
    return base->resolved->sum;
}

/* Matrices beside K that m columns need. */
static int64_t count_blocks(const volt_sum *sum, int64_t m)
{
    bool scans = true;
    for (int64_t f = 0; f < sum->n_factors; f++)
        scans = scans && volt_engine_of(&sum->factor[f], m) == &volt_engine_scan;
    return scans ? 0 : sum->n_factors > sum->n_terms ? 2 : 1;
}

/* ---- life ------------------------------------------------------------------------------------- */

static void release(volt_state *base)
{
    sum_past *past = (sum_past *)base;
    volt_state_parts_release(&past->parts);
    volt_free(past->product);
    volt_free(past->factor);
    volt_free(past);
}

static volt_status allocate(const volt_resolved *resolved, const volt_columns *columns, int64_t most_rows,
                            volt_state **base)
{
    const volt_sum *sum = resolved->sum;
    sum_past *past = volt_alloc_zero(1, sizeof *past);
    if (!past)
        return VOLT_ERR_MEMORY;
    int64_t blocks = count_blocks(sum, columns->m);
    past->scans = blocks == 0;
    past->product = volt_alloc_doubles(blocks > 0 ? most_rows : 0, columns->m);
    past->factor = volt_alloc_doubles(blocks > 1 ? most_rows : 0, columns->m);
    volt_status status = past->product && past->factor ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = volt_state_parts_allocate(sum->n_factors, &past->parts);
    for (int64_t f = 0; status == VOLT_OK && f < sum->n_factors; f++)
        status = volt_state_create(&sum->factor[f], columns->parts[f], most_rows, &past->parts.each[f]);
    if (status != VOLT_OK) {
        release(&past->base);
        return status;
    }
    *base = &past->base;
    return VOLT_OK;
}

static void zero(volt_state *base)
{
    volt_state_parts_zero(&((sum_past *)base)->parts);
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* P <- P Q, or K <- K + w P; of own rows up to the diagonal. */
static void multiply(volt_matrix P, const double *Q, int64_t own)
{
#pragma omp parallel for schedule(static) num_threads((int)volt_threads()) if (P.rows * P.cols > 100000)
    for (int64_t i = 0; i < P.rows; i++)
        for (int64_t j = 0; j < volt_own_end(own, i, P.cols); j++)
            P.data[i * P.ld + j] *= Q[i * P.cols + j];
}

static void add(volt_matrix K, double weight, const double *P, bool first, int64_t own)
{
#pragma omp parallel for schedule(static) num_threads((int)volt_threads()) if (K.rows * K.cols > 100000)
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < volt_own_end(own, i, K.cols); j++)
            K.data[i * K.ld + j] = (first ? 0 : K.data[i * K.ld + j]) + weight * P[i * K.cols + j];
}

/* The stage counts the entries of the first factor. The others only ask whether to go on. */
static int ask(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    return !volt_stage_poll(context);
}

static void advance_by_blocks(sum_past *past, volt_view Z, int64_t own, volt_matrix K, volt_stage *stage)
{
    const volt_sum *sum = sum_of(&past->base);
    volt_matrix product = volt_matrix_of(past->product, Z.rows, K.cols);
    for (int64_t f = 0; f < sum->n_factors; f++) {
        bool begins = volt_sum_begins_term(sum, f);
        volt_matrix out = volt_matrix_of(begins ? past->product : past->factor, Z.rows, K.cols);
        volt_stage asking;
        volt_stage_begin(&asking, (volt_progress){f > 0 && stage ? ask : NULL, stage}, "kernel matrix", 0, 1,
                         1);
        volt_state *part = past->parts.each[f];
        part->ops->advance(part, volt_sum_slice(sum, f, Z), own, out, f == 0 ? stage : &asking);
        if (!volt_stage_poll(stage))
            return;
        if (!begins)
            multiply(product, past->factor, own);
        if (volt_sum_ends_term(sum, f))
            add(K, sum->weight[sum->term[f]], past->product, sum->term[f] == 0, own);
    }
}

static void advance(volt_state *base, volt_view Z, int64_t own, volt_matrix K, volt_stage *stage)
{
    sum_past *past = (sum_past *)base;
    const volt_sum *sum = sum_of(base);
    if (!past->scans) {
        advance_by_blocks(past, Z, own, K, stage);
        return;
    }
    volt_scan_grid grids[VOLT_MOST_FACTORS];
    for (int64_t f = 0; f < sum->n_factors; f++)
        grids[f] = volt_scan_state_grid(past->parts.each[f], volt_sum_slice(sum, f, Z), own);
    volt_scan_run(grids, sum, K, stage);
}

/* ---- state: those of the factors, one after the other ----------------------------------------- */

static int64_t length(const volt_resolved *resolved, int64_t m)
{
    const volt_sum *sum = resolved->sum;
    int64_t total = 0;
    for (int64_t f = 0; f < sum->n_factors; f++)
        total += volt_state_length_for(&sum->factor[f], m);
    return total;
}

static void get(const volt_state *base, double *state)
{
    volt_state_parts_get(&((const sum_past *)base)->parts, state);
}

static void set(volt_state *base, const double *state)
{
    volt_state_parts_set(&((sum_past *)base)->parts, state);
}

static const volt_state_ops past_ops = {
    .allocate = allocate,
    .zero = zero,
    .release = release,
    .advance = advance,
    .length = length,
    .get = get,
    .set = set,
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
    if (!columns->parts) {
        columns->parts = volt_alloc_zero(sum->n_factors, sizeof(volt_columns *));
        columns->n_parts = columns->parts ? sum->n_factors : 0;
        first = 0;
    }
    if (!columns->parts)
        return VOLT_ERR_MEMORY;
    volt_view rows = volt_view_of(columns->given + first * columns->d, columns->m - first, columns->d);
    for (int64_t f = 0; f < sum->n_factors; f++) {
        volt_view slice = volt_sum_slice(sum, f, rows);
        VOLT_TRY(columns->parts[f] ? volt_columns_append(&sum->factor[f], slice, stage, columns->parts[f])
                                   : volt_columns_create(&sum->factor[f], slice, stage, &columns->parts[f]));
    }
    return VOLT_OK;
}

const volt_engine volt_engine_sum = {
    .name = "sum",
    .multiplies = true,
    .takes = takes,
    .numbers = numbers,
    .pack = pack,
    .past = &past_ops,
    .track = &volt_sum_track_ops,
};
