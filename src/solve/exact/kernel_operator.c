/* src/solve/exact/kernel_operator.c: the operator of a kernel on one sequence.
 *
 * A state moves along the sequence and computes the rows. It is positioned after the row requested last. An
 * earlier row restarts it; rows in between are skipped if the engine supports it, else computed. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/row_bands.h"
#include "gram/gram.h"
#include "kernel/kernel_entry.h"
#include "solve/exact/operator.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>

/* ---- rows to the back end --------------------------------------------------------------------- */

/* Returns true if no bound excludes overflow of K. */
static bool may_overflow(const volt_resolved *resolved)
{
    return !isfinite(resolved->facts.largest);
}

static volt_status check_rows(bool checks, const volt_state *state, volt_matrix K, bool lower)
{
    return checks && may_overflow(state->resolved) ? volt_check_finite(K, lower) : VOLT_OK;
}

/* The kernel as a kernel form, if the back end supports it. Rows that are checked are computed on the host. */
static bool form_for(const volt_backend *backend, bool has_entry, const volt_resolved *resolved, bool checks,
                     volt_kernel_form *form)
{
    static atomic_bool warned;
    if (!has_entry || (checks && may_overflow(resolved)))
        return false;
    bool known = volt_form_of(resolved, form);
    if (!known && !atomic_exchange(&warned, true))
        volt_log(VOLT_LOG_INFO,
                 "the kernel matrices are computed on the CPU: %s has no kernels between paths and no "
                 "reservoirs",
                 backend->name);
    return known;
}

/* Computes rows at the back end from the given state and updates the state; *done as below. */
static volt_status advance_on_device(const volt_backend *backend, volt_state *state, volt_view Z, bool checks,
                                     volt_matrix K, volt_stage *stage, bool *done)
{
    volt_kernel_form form;
    *done = false;
    if (!form_for(backend, backend->cross != NULL, state->resolved, checks, &form))
        return VOLT_OK;
    double *numbers = volt_alloc_doubles(volt_state_length(state), 1);
    if (!numbers)
        return VOLT_ERR_MEMORY;
    volt_state_get(state, numbers);
    const volt_columns *columns = state->columns;
    *done = backend->cross(&form, volt_view_of(columns->given, columns->m, columns->d), Z, numbers, K, stage);
    if (*done)
        volt_state_set(state, numbers);
    volt_free(numbers);
    return VOLT_OK;
}

volt_status volt_state_advance_at(const volt_backend *backend, volt_state *state, volt_view Z, bool same,
                                  bool checks, volt_matrix K, volt_stage *stage)
{
    bool done = false;
    volt_matrix mapped = volt_backend_map(backend, K);
    if (mapped.data) {
        volt_state_advance(state, Z, same, mapped, stage);
        return volt_stage_should_continue(stage) ? check_rows(checks, state, mapped, same) : VOLT_OK;
    }
    VOLT_TRY(advance_on_device(backend, state, Z, checks, K, stage, &done));
    if (done)
        return VOLT_OK;
    int64_t most = volt_block_rows(Z.rows, K.cols);
    double *block = volt_alloc_doubles(most, K.cols);
    volt_status status = block ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t first = 0; status == VOLT_OK && first < Z.rows; first += most) {
        int64_t count = volt_min(most, Z.rows - first);
        volt_matrix rows = volt_matrix_of(block, count, K.cols);
        volt_state_advance(state, volt_view_rows(Z, first, count), false, rows, stage);
        if (!volt_stage_should_continue(stage))
            break;
        status = check_rows(checks, state, rows, false);
        backend->put(volt_as_view(rows), volt_matrix_rows(K, first, count));
    }
    volt_free(block);
    return status;
}

/* ---- operator --------------------------------------------------------------------------------- */

int64_t volt_operator_memory(const volt_resolved *resolved)
{
    const volt_resolved *r = resolved->records ? &resolved->records->each : resolved;
    int64_t most = 0;
    if (r->sum) {
        for (int64_t f = 0; f < r->sum->n_factors; f++) {
            int64_t own = volt_operator_memory(&r->sum->factor[f]);
            most = own < 0 || most < 0 ? -1 : volt_max(most, own);
        }
        return most;
    }
    if (!r->reservoir && (!r->scan.step || r->scan.state_size == 0))
        return r->window;
    double kept = r->facts.contraction;
    return kept > 0 && kept < 1 ? (int64_t)fmin(ceil(log(DBL_EPSILON) / log(kept)), 1e15) + r->window : -1;
}

typedef struct kernel_operator {
    volt_operator op;
    const volt_resolved *resolved;
    const volt_columns *columns;
    volt_view Z;
    bool checks;
    volt_state *state; /* or NULL */
    int64_t max_rows;  /* rows per call of the state ... */
    int64_t position;  /* ... and rows it has seen, ... */
    bool lower;   /* ... only up to the diagonal: it is then limited to such calls until it has seen all rows */
    double *kept; /* its state before row ... */
    int64_t kept_at;    /* ... kept_at, or NULL */
    double *before;     /* states of a back end before row ... */
    int64_t before_row; /* ... before_row, or NULL (volt_product_task) */

    const volt_columns *states; /* or NULL ... */
    volt_state *walk;           /* ... and the state against them, which has seen ... */
    int64_t walked;             /* ... this many rows */
} kernel_operator;

static const volt_records *records_of(const kernel_operator *k)
{
    return k->resolved->records ? &k->resolved->records->rows : NULL;
}

/* Start a state at the record that begins at row `position`, for `rows` rows at a time. */
static volt_status start(kernel_operator *k, int64_t position, int64_t rows)
{
    volt_state_free(k->state);
    k->state = NULL;
    k->position = position;
    k->max_rows = rows;
    return volt_state_create(k->resolved, k->columns, rows, &k->state);
}

/* Move the state to row `first`, ready for `rows` rows at a time, up to the diagonal (`lower`) or complete. */
static volt_status go_to(kernel_operator *k, int64_t first, int64_t rows, bool lower, volt_stage *stage)
{
    int64_t n = k->op.n, begin = volt_records_begin(records_of(k), volt_min(first, n - 1));
    bool knows_less = k->lower && !lower && k->position < n;
    if (!k->state || k->max_rows < rows) {
        VOLT_TRY(start(k, begin, rows));
    } else if (k->position > first || k->position <= begin || knows_less) { /* another record */
        volt_state_zero(k->state);
        k->position = begin;
    }
    if (k->position < n)
        k->lower = lower;
    if (k->position == first)
        return VOLT_OK;
    if (k->position == begin &&
        volt_state_seek(k->state, volt_view_rows(k->Z, begin, first - begin)) == VOLT_OK) {
        k->position = first;
        return VOLT_OK;
    }
    int64_t most = volt_min(volt_block_rows(first, k->op.n), k->max_rows);
    double *unused = volt_alloc_doubles(most, k->op.n);
    if (!unused)
        return VOLT_ERR_MEMORY;
    while (k->position < first) {
        int64_t count = volt_min(most, first - k->position);
        volt_view rows_between = volt_view_rows(k->Z, k->position, count);
        volt_matrix out = volt_matrix_of(unused, count, k->op.n);
        if (lower)
            volt_state_advance_lower(k->state, rows_between, k->position, out, stage);
        else
            volt_state_advance(k->state, rows_between, false, out, stage);
        k->position += count;
    }
    volt_free(unused);
    return VOLT_OK;
}

/* After the last row: keep the state and release its space for further rows. */
static volt_status shrink(kernel_operator *k)
{
    volt_state *large = k->state;
    volt_status status = volt_state_copy(large, 1, &k->state);
    if (status != VOLT_OK)
        return status;
    k->max_rows = 1;
    volt_state_free(large);
    return VOLT_OK;
}

/* After all rows were computed by a back end: take its final state. */
static volt_status take_end(kernel_operator *k, const double *end)
{
    VOLT_TRY(start(k, 0, 1));
    volt_state_set(k->state, end);
    k->position = k->op.n;
    return VOLT_OK;
}

/* All rows at once, computed by the back end into K. *done is false if it does not support the kernel. */
static volt_status all_on_device(kernel_operator *k, const volt_backend *backend, volt_matrix K,
                                 volt_stage *stage, bool *done)
{
    volt_kernel_form form;
    *done = false;
    if (!form_for(backend, backend->gram != NULL, k->resolved, k->checks, &form))
        return VOLT_OK;
    double *end = volt_alloc_doubles(volt_state_length_for(k->resolved, k->columns->m), 1);
    volt_status status = end ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        *done = backend->gram(&form, k->Z, K, end, stage);
    if (status == VOLT_OK && *done && volt_stage_should_continue(stage))
        status = take_end(k, end);
    volt_free(end);
    return status;
}

/* Fills the states before a row with those of two zero sequences, for a scan that starts there. */
static void start_states(const volt_kernel_form *form, int64_t n, double *states)
{
    for (int64_t f = 0; f < form->n_factors; f++)
        for (int32_t i = 0; i < form->factor[f].state_size; i++, states += n)
            for (int64_t j = 0; j < n; j++)
                states[j] = form->factor[f].start[i];
}

/* Stores the states of the back end before row `first`. The first call computes them, in a scan of the earlier rows
 * that matter. */
static volt_status find_before(kernel_operator *k, const volt_backend *backend, const volt_kernel_form *form,
                               int64_t first, volt_stage *stage, bool *done)
{
    *done = true;
    if (first == 0 || (k->before && k->before_row == first))
        return VOLT_OK;
    volt_free(k->before);
    k->before = volt_alloc_doubles(volt_max(volt_form_states(form), 1), k->op.n);
    k->before_row = first;
    if (!k->before)
        return VOLT_ERR_MEMORY;
    int64_t memory = volt_operator_memory(k->resolved), begin = memory < 0 ? 0 : volt_max(first - memory, 0);
    volt_product_task task = {
        .Z = k->Z, .first = begin, .count = first - begin, .before = k->before, .after = k->before};
    start_states(form, k->op.n, k->before);
    *done = backend->product(form, &task, stage);
    volt_status status = *done ? volt_backend_state(backend) : VOLT_OK;
    if (status != VOLT_OK || !*done || !volt_stage_should_continue(stage)) {
        volt_free(k->before);
        k->before = NULL;
    }
    return status;
}

static volt_status kernel_product(volt_operator *op, const volt_backend *backend, int64_t first, int64_t end,
                                  volt_view V, volt_matrix C, volt_stage *stage, bool *done)
{
    kernel_operator *k = (kernel_operator *)op;
    volt_kernel_form form;
    *done = false;
    if (!form_for(backend, true, k->resolved, k->checks, &form))
        return VOLT_OK;
    VOLT_TRY(find_before(k, backend, &form, first, stage, done));
    if (!*done || !volt_stage_should_continue(stage))
        return VOLT_OK;
    double *state = volt_alloc_doubles(volt_state_length_for(k->resolved, k->columns->m), 1);
    if (!state)
        return VOLT_ERR_MEMORY;
    volt_product_task task = {
        .Z = k->Z, .first = first, .count = end - first, .V = V, .C = C, .before = k->before, .end = state};
    *done = backend->product(&form, &task, stage);
    volt_status status = *done ? volt_backend_state(backend) : VOLT_OK;
    if (status == VOLT_OK && *done && end == op->n && volt_stage_should_continue(stage))
        status = take_end(k, state);
    volt_free(state);
    return status;
}

static volt_status kernel_rows(volt_operator *op, int64_t first, const volt_backend *backend, volt_matrix K,
                               volt_stage *stage)
{
    kernel_operator *k = (kernel_operator *)op;
    bool all = first == 0 && K.rows == op->n, done = false;
    if (all)
        VOLT_TRY(all_on_device(k, backend, K, stage, &done));
    if (done)
        return VOLT_OK;
    /* The engine handles the records of its own rows; for other rows a state ends with its record. */
    bool at_once = all && volt_backend_map(backend, K).data;
    for (int64_t at = first, end = first + K.rows, to = 0; at < end; at = to) {
        to = at_once ? end : volt_records_segment_end(records_of(k), at, end);
        VOLT_TRY(go_to(k, at, K.rows, false, stage));
        k->position = to;
        VOLT_TRY(volt_state_advance_at(backend, k->state, volt_view_rows(k->Z, at, to - at), at_once, k->checks,
                                       volt_matrix_rows(K, at - first, to - at), stage));
        if (!volt_stage_should_continue(stage))
            break;
    }
    bool whole = k->position == op->n && volt_stage_should_continue(stage);
    return whole ? shrink(k) : VOLT_OK;
}

/* Move to the stored state before op->mark. The first call computes and stores it. */
static volt_status go_to_mark(kernel_operator *k, int64_t rows, volt_stage *stage)
{
    int64_t mark = k->op.mark;
    if (k->kept && k->kept_at == mark) {
        if (!k->state || k->max_rows < rows)
            VOLT_TRY(start(k, mark, rows));
        volt_state_set(k->state, k->kept);
        k->position = mark;
        k->lower = true;
        return VOLT_OK;
    }
    VOLT_TRY(go_to(k, mark, rows, true, stage));
    if (!volt_stage_should_continue(stage)) /* the state is invalid then */
        return VOLT_OK;
    volt_free(k->kept);
    k->kept = volt_alloc_doubles(volt_state_length(k->state), 1);
    k->kept_at = mark;
    if (!k->kept)
        return VOLT_ERR_MEMORY;
    volt_state_get(k->state, k->kept);
    return VOLT_OK;
}

static volt_status kernel_lower(volt_operator *op, int64_t first, volt_matrix K, volt_stage *stage)
{
    kernel_operator *k = (kernel_operator *)op;
    if (first > 0 && first == op->mark)
        VOLT_TRY(go_to_mark(k, K.rows, stage));
    for (int64_t at = first, end = first + K.rows, to = 0; at < end; at = to) {
        to = volt_records_segment_end(records_of(k), at, end);
        VOLT_TRY(go_to(k, at, K.rows, true, stage));
        k->position = to;
        volt_state_advance_lower(k->state, volt_view_rows(k->Z, at, to - at), at,
                                 volt_matrix_rows(K, at - first, to - at), stage);
        if (!volt_stage_should_continue(stage))
            break;
    }
    return VOLT_OK;
}

/* ---- states ----------------------------------------------------------------------------------- */

/* Process rows from k->walked on, record by record. */
static void walk_on(kernel_operator *k, volt_matrix F, volt_stage *stage)
{
    for (int64_t end = k->walked + F.rows, at = k->walked, to = 0; at < end; at = to) {
        to = volt_records_segment_end(records_of(k), at, end);
        if (volt_records_begins(records_of(k), at))
            volt_state_zero(k->walk);
        volt_state_advance(k->walk, volt_view_rows(k->Z, at, to - at), false,
                           volt_matrix_rows(F, at - k->walked, to - at), stage);
        if (!volt_stage_should_continue(stage))
            return;
    }
    k->walked += F.rows;
}

static volt_status kernel_states(volt_operator *op, int64_t first, volt_matrix F, volt_stage *stage)
{
    kernel_operator *k = (kernel_operator *)op;
    if (!k->walk)
        VOLT_TRY(volt_state_create(k->resolved, k->states, op->n, &k->walk));
    int64_t begin = volt_records_begin(records_of(k), volt_min(first, op->n - 1));
    if (k->walked > first || k->walked <= begin) {
        volt_state_zero(k->walk);
        k->walked = begin;
    }
    if (k->walked < first) {
        VOLT_TRY(volt_state_seek(k->walk, volt_view_rows(k->Z, k->walked, first - k->walked)));
        k->walked = first;
    }
    walk_on(k, F, stage);
    return VOLT_OK;
}

void volt_kernel_operator_use_states(volt_operator *op, const volt_columns *states)
{
    kernel_operator *k = (kernel_operator *)op;
    k->states = states;
    op->n_states = states->m;
    op->states = kernel_states;
}

static void kernel_release(volt_operator *op)
{
    kernel_operator *k = (kernel_operator *)op;
    volt_state_free(k->state);
    volt_state_free(k->walk);
    volt_free(k->kept);
    volt_free(k->before);
    volt_free(k);
}

volt_status volt_kernel_operator(const volt_resolved *resolved, const volt_columns *columns, volt_view Z,
                                 bool checks, volt_operator **op)
{
    kernel_operator *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    *fresh = (kernel_operator){
        .op = {.n = Z.rows,
               .entry_cost = 2 * (double)Z.cols + 24,
               .rows = kernel_rows,
               .lower = kernel_lower,
               .product = kernel_product,
               .release = kernel_release},
        .resolved = resolved,
        .columns = columns,
        .Z = Z,
        .checks = checks,
    };
    *op = &fresh->op;
    return VOLT_OK;
}

/* Only one process has computed the last band; it sends the final state to all. */
static volt_status share_end(kernel_operator *k)
{
    const volt_bands *bands = volt_bands_current();
    int64_t n = k->op.n, length = volt_state_length_for(k->resolved, k->columns->m);
    double *numbers = volt_alloc_zero(length, sizeof *numbers);
    if (!numbers)
        return VOLT_ERR_MEMORY;
    if (k->state && k->position == n)
        volt_state_get(k->state, numbers);
    bands->sum(numbers, length);
    volt_status status = start(k, n, 1);
    if (status == VOLT_OK)
        volt_state_set(k->state, numbers);
    volt_free(numbers);
    return status;
}

volt_status volt_kernel_operator_end(volt_operator *op, volt_state **state)
{
    kernel_operator *k = (kernel_operator *)op;
    if (k->states) {
        VOLT_TRY(kernel_states(op, op->n, (volt_matrix){0}, NULL));
        *state = k->walk;
        k->walk = NULL;
        return VOLT_OK;
    }
    if (op->is_banded)
        VOLT_TRY(share_end(k));
    VOLT_TRY(go_to(k, op->n, 1, false, NULL));
    if (k->max_rows > 1)
        VOLT_TRY(shrink(k));
    *state = k->state;
    k->state = NULL;
    return VOLT_OK;
}
