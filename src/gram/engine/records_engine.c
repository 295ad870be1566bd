/* src/gram/engine/records_engine.c: several records, each with separate columns and state.
 *
 *     K[i][j] = kernel of the sequence up to row i inside its record and up to row j inside its record
 *
 * The columns of a record and the rows of another are two sequences from the zero state: no diagonal and no
 * window crosses the start of a record. The matrix consists of blocks, one for each pair of records,
 * computed by the kernel's engine. The caller resets the state where a record of rows begins
 * (volt_state_zero); for the rows of the columns it is done here. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "gram/engine/engine.h"

/* Below this number of multiplications one thread is faster than a team. */
static const double serial_work = 4e5;

typedef struct records_state {
    volt_state base;
    volt_state_parts parts; /* of each record of the columns */
} records_state;

static const volt_records *records_of(const volt_resolved *resolved)
{
    return &resolved->records->rows;
}

/* Number of records that m columns cover. */
static int64_t count_records(const volt_resolved *resolved, int64_t m)
{
    return volt_records_at(records_of(resolved), m - 1) + 1;
}

/* First row and end of record r of m columns. */
static int64_t begin_of(const volt_resolved *resolved, int64_t r)
{
    return r > 0 ? records_of(resolved)->ends[r - 1] : 0;
}

static int64_t end_of(const volt_resolved *resolved, int64_t r, int64_t m)
{
    return volt_min(records_of(resolved)->ends[r], m);
}

/* ---- life ------------------------------------------------------------------------------------- */

static void release(volt_state *base)
{
    volt_state_parts_release(&((records_state *)base)->parts);
}

/* Number of rows that a part of m columns processes at a time: all of its rows, and a block of others. There
 * may be many parts. */
static int64_t part_rows(int64_t m, int64_t max_rows)
{
    enum { BLOCK = 256 };
    return volt_min(volt_max(m, BLOCK), max_rows);
}

static volt_status allocate(volt_state *base)
{
    const volt_columns *columns = base->columns;
    volt_state_parts *parts = &((records_state *)base)->parts;
    VOLT_TRY(volt_state_parts_allocate(count_records(base->resolved, columns->m), parts));
    for (int64_t r = 0; r < parts->n; r++)
        VOLT_TRY(volt_state_create(&base->resolved->records->each, columns->parts[r],
                                   part_rows(columns->parts[r]->m, base->max_rows), &parts->each[r]));
    return VOLT_OK;
}

static void zero(volt_state *base)
{
    volt_state_parts_zero(&((records_state *)base)->parts);
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Runs rows Z against the columns of record r, in blocks; `diagonal`: the position of the first row among
 * these. K has the columns of all records. */
static bool advance_part(const records_state *state, int64_t r, volt_view Z, int64_t diagonal, volt_matrix K,
                         volt_stage *stage)
{
    volt_state *part = state->parts.each[r];
    double *corner = K.data + begin_of(state->base.resolved, r);
    for (int64_t first = 0; first < Z.rows && volt_stage_poll(stage); first += part->max_rows) {
        int64_t count = volt_min(part->max_rows, Z.rows - first);
        volt_matrix block = {corner + first * K.ld, count, part->columns->m, K.ld};
        part->ops->advance(part, volt_view_rows(Z, first, count), diagonal >= 0 ? diagonal + first : diagonal,
                           block, stage);
    }
    return volt_stage_poll(stage);
}

/* The rows of the columns from row `diagonal` on: of record a only columns up to its end are computed. */
static void advance_diagonal(records_state *state, volt_view Z, int64_t diagonal, volt_matrix K,
                             volt_stage *stage)
{
    const volt_resolved *resolved = state->base.resolved;
    for (int64_t at = diagonal, to = 0, end = diagonal + Z.rows; at < end; at = to) {
        int64_t a = volt_records_at(records_of(resolved), at), begin = begin_of(resolved, a);
        to = end_of(resolved, a, end);
        volt_view rows = volt_view_rows(Z, at - diagonal, to - at);
        for (int64_t b = 0; b <= a; b++) {
            if (at == begin)
                volt_state_zero(state->parts.each[b]);
            if (!advance_part(state, b, rows, a == b ? at - begin : VOLT_OTHER_ROWS,
                              volt_matrix_rows(K, at - diagonal, to - at), stage))
                return;
        }
    }
}

/* Other rows. Many records share the threads; few records are computed one after the other by all threads. Each record is
 * computed in the same way in both cases. */
static void advance_others(const records_state *state, volt_view Z, volt_matrix K, volt_stage *stage)
{
    int64_t n = state->parts.n, threads = volt_threads();
    double work = (double)Z.rows * (double)state->base.columns->m * (double)(Z.cols + 8);
#pragma omp parallel for schedule(dynamic) num_threads((int)threads) if (n >= 2 * threads && work > serial_work)
    for (int64_t r = 0; r < n; r++)
        if (volt_stage_should_continue(stage))
            advance_part(state, r, Z, VOLT_OTHER_ROWS, K, stage);
}

static void advance(volt_state *base, volt_view Z, int64_t diagonal, volt_matrix K, volt_stage *stage)
{
    records_state *state = (records_state *)base;
    if (diagonal >= 0)
        advance_diagonal(state, Z, diagonal, K, stage);
    else
        advance_others(state, Z, K, stage);
}

/* ---- as numbers: those against each record, one after the other -------------------------------- */

static int64_t length(const volt_resolved *resolved, int64_t m)
{
    int64_t total = 0;
    for (int64_t r = 0; r < count_records(resolved, m); r++)
        total +=
            volt_state_length_for(&resolved->records->each, end_of(resolved, r, m) - begin_of(resolved, r));
    return total;
}

static void get(const volt_state *base, double *numbers)
{
    volt_state_parts_get(&((const records_state *)base)->parts, numbers);
}

static volt_status set(volt_state *base, const double *numbers, int64_t length)
{
    (void)length;
    volt_state_parts_set(&((records_state *)base)->parts, numbers);
    return VOLT_OK;
}

static const volt_state_ops state_ops = {
    .size = sizeof(records_state),
    .allocate = allocate,
    .release = release,
    .zero = zero,
    .advance = advance,
    .length = length,
    .get = get,
    .set = set,
};

/* ---- columns ---------------------------------------------------------------------------------- */

static bool takes(const volt_resolved *resolved, int64_t m)
{
    (void)m;
    return resolved->records != NULL;
}

static double numbers(const volt_resolved *resolved, int64_t m, int64_t rows)
{
    enum { BESIDE = 128 }; /* overhead of a record in bytes: there may be many short ones */
    double total = BESIDE * (double)count_records(resolved, m);
    for (int64_t r = 0; r < count_records(resolved, m); r++) {
        int64_t length = end_of(resolved, r, m) - begin_of(resolved, r);
        total += volt_engine_bytes(&resolved->records->each, length, part_rows(length, rows)) / 8;
    }
    return total;
}

static volt_status pack(const volt_resolved *resolved, int64_t first, volt_stage *stage, volt_columns *columns)
{
    VOLT_TRY(volt_columns_need_parts(columns, records_of(resolved)->n));
    while (first < columns->m) {
        int64_t r = volt_records_at(records_of(resolved), first), end = end_of(resolved, r, columns->m);
        volt_view rows = volt_view_of(columns->given + first * columns->d, end - first, columns->d);
        VOLT_TRY(volt_columns_add(&resolved->records->each, rows, stage, &columns->parts[r]));
        first = end;
    }
    return VOLT_OK;
}

const volt_engine volt_engine_records = {
    .name = "records",
    .multiplies = true,
    .takes = takes,
    .numbers = numbers,
    .pack = pack,
    .state = &state_ops,
};
