/* src/gram/engine/window_state.c: the state of a kernel on windows: the rows that later windows cover.
 *
 * An entry needs only the rows of two windows, so for moving columns their rows are stored. Columns
 * (columns.h) that are laid out cannot lose their first ones, and gain a row only by a new layout. There are
 * two lots of columns: an old one with nearly all rows and a young one with the last few, which is laid out
 * again for every row. When the young lot has MAX_YOUNG columns, all columns become the old lot. The cost
 * of laying out a path is thus shared by that many rows. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "gram/engine/engine.h"

#include <string.h>

enum { MAX_YOUNG = 32 };

/* Columns and the buffers to run rows against them. For moving columns, the lot has rows begin .. end - 1 of
 * the list, laid out from row `from` on, which includes the rows that their windows cover. */
typedef struct column_lot {
    volt_columns *columns; /* NULL: no rows */
    double *work;          /* the rows of the state, centred with norms, or as increments */
    /* for windows longer than those of the columns: squared norms, their sums, and the contribution to each
     * row */
    double *squares;
    volt_self *self; /* max_rows: each new window against itself, if the programme needs it */
    double *scratch; /* of the engine, for every thread; before that, for a path against itself */
    int64_t threads; /* number of threads with scratch space */
    int64_t from, begin, end;
    double *k; /* against all of its columns */
} column_lot;

typedef struct window_state {
    volt_state base;
    double *rows;   /* (window - 1 + max_rows) x d: the last window - 1 rows, then the new ones */
    bool unbegun;   /* the past is the first row, which is not known yet */
    column_lot lot; /* all columns; if they move the old ones, followed by the young ones */

    /* Moving columns: rows `first` .. of the list. */
    volt_row_list list;
    int64_t first;
    column_lot young, next_old, next_young;
    bool ready, renews_old, renews_young; /* lots are laid out; `prepare` has created new ones */
} window_state;

static int64_t reach_of(const window_state *state)
{
    return state->base.resolved->window - 1;
}

/* ---- lots ------------------------------------------------------------------------------------- */

/* Number of rows by which the windows of a sum of squared distances exceed those of the columns. Beyond, the
 * columns are zero: an inner product gets no contribution, and |x - 0|^2 depends only on the row. */
static int64_t sums_beyond(const volt_resolved *resolved, const volt_columns *columns)
{
    bool sums = resolved->scan.step && columns->distance;
    return sums ? resolved->window - columns->window : 0;
}

static void lot_release(column_lot *lot, bool owned)
{
    if (owned)
        volt_columns_free(lot->columns);
    volt_free(lot->work);
    volt_free(lot->squares);
    volt_free(lot->self);
    volt_free(lot->scratch);
    volt_free(lot->k);
    *lot = (column_lot){.from = lot->from, .begin = lot->begin, .end = lot->end};
}

/* Allocates the buffers to run max_rows rows against the columns of the lot. */
static volt_status lot_allocate(const volt_resolved *resolved, int64_t max_rows, column_lot *lot)
{
    const volt_columns *columns = lot->columns;
    int64_t rows = resolved->window - 1 + max_rows, longer = sums_beyond(resolved, columns);
    lot->threads = volt_threads();
    lot->work = volt_alloc_doubles(rows, columns->d + 1);
    lot->squares = volt_alloc_doubles(longer > 0 ? 2 * (longer + max_rows) : 0, 1);
    lot->self = volt_alloc(columns->self ? max_rows : 0, sizeof *lot->self);
    lot->scratch = volt_alloc_doubles(1, volt_max(lot->threads * columns->engine->scratch(resolved, columns),
                                                  columns->self ? volt_self_scratch(resolved) : 0));
    return lot->work && lot->squares && lot->self && lot->scratch ? VOLT_OK : VOLT_ERR_MEMORY;
}

/* Lays out rows begin .. end - 1 of the list, with the rows that their windows cover. */
static volt_status lot_make(const window_state *state, int64_t begin, int64_t end, column_lot *made)
{
    const volt_resolved *resolved = state->base.resolved;
    *made = (column_lot){.from = volt_max(begin - reach_of(state), 0), .begin = begin, .end = end};
    if (begin == end)
        return VOLT_OK;
    volt_view rows = volt_view_of(volt_row_list_at(&state->list, made->from), end - made->from, resolved->d);
    made->k = volt_alloc_doubles(rows.rows, 1);
    volt_status status = made->k ? volt_columns_create(resolved, rows, NULL, &made->columns) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = lot_allocate(resolved, 1, made);
    if (status != VOLT_OK)
        lot_release(made, true);
    return status;
}

/* Returns sums of the first `longer` squared norms in the window of each of h new rows. As in window_sum.c
 * nothing is subtracted: a sum is a suffix of one chunk of `longer` rows plus a prefix of the next. */
static const double *add_up_beyond(const window_state *state, const column_lot *lot, int64_t h, int64_t longer)
{
    int64_t d = lot->columns->d;
    double *squares = lot->squares, *suffix = squares + longer + h, *sums = suffix + longer;
    double running = 0;
    for (int64_t t = 0; t < longer + h - 1; t++) {
        squares[t] = 0;
        for (int64_t k = 0; k < d; k++)
            squares[t] += state->rows[t * d + k] * state->rows[t * d + k];
    }
    for (int64_t i = 0; i < h; i++) {
        int64_t position = i % longer;
        running = position == 0 ? 0 : running + squares[i + longer - 1];
        for (int64_t t = longer - 1; position == 0 && t >= 0; t--)
            suffix[t] = squares[i + t] + (t < longer - 1 ? suffix[t + 1] : 0);
        sums[i] = suffix[position] + running;
    }
    return sums;
}

/* Effective rows of the windows of h new rows: the same number as for the columns. If those are cut short
 * and second differences are taken: one zero and all rows from the first nonzero row on. */
static int64_t window_of_rows(const window_state *state, const volt_columns *columns, int64_t h,
                              int64_t diagonal)
{
    int64_t w = state->base.resolved->window, numbers = (w - 1) * columns->d, zeros = 0;
    if (columns->window == w || diagonal >= 0 || state->base.resolved->scan.step)
        return columns->window;
    while (zeros < numbers && state->rows[zeros] == 0)
        zeros++;
    return volt_min(w, w - zeros / columns->d + h);
}

/* The rows as the engine expects them, in windows of `window`. */
static volt_window_rows arrange_rows(const window_state *state, const column_lot *lot, int64_t window,
                                     int64_t h, int64_t diagonal)
{
    const volt_columns *columns = lot->columns;
    int64_t d = columns->d, total = window - 1 + h, longer = sums_beyond(state->base.resolved, columns);
    const double *rows = state->rows + (state->base.resolved->window - window) * d;
    /* The number of threads may have increased since the scratch space was allocated. */
    volt_window_rows x = {.rows = volt_view_of(rows, total, d),
                          .h = h,
                          .threads = volt_min(volt_threads(), lot->threads),
                          .diagonal = diagonal};
    if (longer > 0)
        x.beyond = add_up_beyond(state, lot, h, longer);
    if (columns->distance) {
        double *norms = lot->work + total * d;
        volt_columns_centre(columns, x.rows, lot->work, norms);
        x.rows.data = lot->work;
        x.norms = norms;
    } else if (columns->increments) {
        for (int64_t k = 0; k < (total - 1) * d; k++)
            lot->work[k] = rows[k + d] - rows[k];
        x.rows = volt_view_of(lot->work, total - 1, d);
    }
    return x;
}

/* Runs the last h rows of the state against the columns of a lot. */
static void lot_run(const window_state *state, const column_lot *lot, int64_t h, int64_t diagonal,
                    volt_matrix K, volt_stage *stage)
{
    const volt_columns *columns = lot->columns;
    volt_resolved seen = *state->base.resolved;
    seen.window = window_of_rows(state, columns, h, diagonal);
    const double *rows = state->rows + (state->base.resolved->window - seen.window) * columns->d;
    const volt_self *self = NULL;
    if (columns->self) {
        self = diagonal >= 0 ? columns->self + diagonal : lot->self;
        for (int64_t i = 0; diagonal < 0 && i < h; i++)
            lot->self[i] = volt_self_compute(&seen, rows + i * columns->d, stage, lot->scratch);
        if (stage && !volt_stage_should_continue(stage))
            return;
    }
    volt_window_rows x = arrange_rows(state, lot, seen.window, h, diagonal);
    columns->engine->run(&seen, columns, &x, self, lot->scratch, K, stage);
}

/* ---- life ------------------------------------------------------------------------------------- */

static void release(volt_state *base)
{
    window_state *state = (window_state *)base;
    lot_release(&state->lot, base->moves);
    lot_release(&state->young, true);
    lot_release(&state->next_old, true);
    lot_release(&state->next_young, true);
    volt_free(state->list.data);
    volt_free(state->rows);
}

static volt_status allocate(volt_state *base)
{
    window_state *state = (window_state *)base;
    int64_t d = base->resolved->d;
    state->rows = volt_alloc_doubles(base->resolved->window - 1 + base->max_rows, d);
    if (!state->rows)
        return VOLT_ERR_MEMORY;
    state->list.cols = d;
    if (base->moves)
        return volt_row_list_reserve(&state->list);
    state->lot.columns = (volt_columns *)base->columns;
    return lot_allocate(base->resolved, base->max_rows, &state->lot);
}

static int64_t length(const volt_resolved *resolved, int64_t m)
{
    (void)m;
    return (resolved->window - 1) * resolved->d;
}

static size_t bytes_kept(const volt_state *base)
{
    return (size_t)length(base->resolved, 0) * sizeof(double);
}

/* Fills the rows before the first one with the past. */
static void begin(window_state *state, const double *first)
{
    const volt_resolved *resolved = state->base.resolved;
    const double *past = volt_past_input(&resolved->past, first);
    for (int64_t i = 0; i < reach_of(state); i++)
        for (int64_t k = 0; k < resolved->d; k++)
            state->rows[i * resolved->d + k] = past ? past[k] : 0;
    state->unbegun = false;
}

static void zero(volt_state *base)
{
    window_state *state = (window_state *)base;
    begin(state, NULL);
    state->unbegun = base->resolved->past.kind == VOLT_PAST_FIRST && reach_of(state) > 0;
    if (state->unbegun)
        state->rows[0] = VOLT_UNBEGUN;
}

/* The last window - 1 rows, preceded by the past if there are fewer. */
static void seek(volt_state *base, volt_view Z)
{
    window_state *state = (window_state *)base;
    int64_t d = base->resolved->d, kept = reach_of(state);
    zero(base);
    if (state->unbegun && Z.rows > 0)
        begin(state, Z.data);
    for (int64_t i = kept > Z.rows ? kept - Z.rows : 0; i < kept; i++)
        memcpy(state->rows + i * d, Z.data + (Z.rows - kept + i) * Z.ld, (size_t)d * sizeof(double));
}

/* ---- moving columns ---------------------------------------------------------------------------- */

static volt_status prepare(volt_state *base, const double *z, bool joins, bool wanted)
{
    window_state *state = (window_state *)base;
    int64_t end = state->list.count;
    lot_release(&state->next_old, true);
    lot_release(&state->next_young, true);
    state->renews_old = state->renews_young = false;
    if (joins) {
        VOLT_TRY(volt_row_list_reserve(&state->list));
        memcpy(volt_row_list_at(&state->list, end), z, (size_t)state->list.cols * sizeof *z);
    }
    if (!wanted)
        return VOLT_OK;
    int64_t middle = state->lot.end;
    if (!state->ready || state->young.end - state->young.begin >= MAX_YOUNG) {
        middle = end;
        state->renews_old = true;
        VOLT_TRY(lot_make(state, state->first, middle, &state->next_old));
    }
    state->renews_young = joins || state->renews_old;
    return state->renews_young ? lot_make(state, middle, end + joins, &state->next_young) : VOLT_OK;
}

static void replace(column_lot *lot, column_lot *next)
{
    lot_release(lot, true);
    *lot = *next;
    *next = (column_lot){0};
}

/* Runs the remaining columns of the lot. Returns the position of the next lot's values. */
static double *run_kept(const window_state *state, const column_lot *lot, double *k)
{
    int64_t begin = volt_max(lot->begin, state->first);
    if (!lot->columns || begin >= lot->end)
        return k;
    lot_run(state, lot, 1, VOLT_OTHER_ROWS, volt_matrix_of(lot->k, 1, lot->columns->m), NULL);
    memcpy(k, lot->k + (begin - lot->from), (size_t)(lot->end - begin) * sizeof *k);
    return k + (lot->end - begin);
}

/* Drops rows that neither a lot nor the window of a column covers. */
static void forget_rows(window_state *state)
{
    int64_t gone = volt_max(state->first - reach_of(state), 0);
    if (state->ready)
        gone = volt_min(gone, volt_min(state->lot.from, state->young.from));
    state->list.start += gone;
    state->list.count -= gone;
    state->first -= gone;
    column_lot *lots[] = {&state->lot, &state->young};
    for (int i = 0; i < 2; i++) {
        lots[i]->from -= gone;
        lots[i]->begin -= gone;
        lots[i]->end -= gone;
    }
}

static void advance_moving(window_state *state, bool joins, double *k)
{
    if (state->renews_old)
        replace(&state->lot, &state->next_old);
    if (state->renews_young)
        replace(&state->young, &state->next_young);
    state->ready = k != NULL;
    if (k)
        run_kept(state, &state->young, run_kept(state, &state->lot, k));
    state->list.count += joins;
    state->base.count += joins;
    forget_rows(state);
}

static void drop(volt_state *base, int64_t count)
{
    window_state *state = (window_state *)base;
    state->first += count;
    base->count -= count;
    forget_rows(state);
}

/* ---- rows ------------------------------------------------------------------------------------- */

static void advance(volt_state *base, volt_view Z, int64_t diagonal, volt_matrix K, volt_stage *stage)
{
    window_state *state = (window_state *)base;
    int64_t d = base->resolved->d, kept = reach_of(state);
    if (state->unbegun)
        begin(state, Z.data);
    for (int64_t i = 0; i < Z.rows; i++)
        memcpy(state->rows + (kept + i) * d, Z.data + i * Z.ld, (size_t)d * sizeof(double));
    if (base->moves)
        advance_moving(state, diagonal >= 0, K.data);
    else
        lot_run(state, &state->lot, Z.rows, diagonal, K, stage);
    memmove(state->rows, state->rows + Z.rows * d, bytes_kept(base));
}

/* ---- serialisation: for moving columns, these and their rows precede the stored rows ------------ */

/* The layout of the lots is part of the state, so that restored states give the same bits. */
enum { FIRST, END, READY, OLD_BEGIN, OLD_END, NUMBERS };

static int64_t moving_length(const volt_state *base)
{
    const window_state *state = (const window_state *)base;
    return NUMBERS + (state->list.count + reach_of(state)) * state->list.cols;
}

static void get(const volt_state *base, double *numbers)
{
    const window_state *state = (const window_state *)base;
    if (base->moves) {
        int64_t count = state->list.count * state->list.cols;
        numbers[FIRST] = (double)state->first;
        numbers[END] = (double)state->list.count;
        numbers[READY] = state->ready;
        numbers[OLD_BEGIN] = state->ready ? (double)state->lot.begin : 0;
        numbers[OLD_END] = state->ready ? (double)state->lot.end : 0;
        memcpy(numbers + NUMBERS, volt_row_list_at(&state->list, 0), (size_t)count * sizeof *numbers);
        numbers += NUMBERS + count;
    }
    memcpy(numbers, state->rows, bytes_kept(base));
}

static volt_status set_columns(window_state *state, const double *numbers, int64_t length)
{
    int64_t first = 0, end = 0, ready = 0, old_begin = 0, old_end = 0, d = state->list.cols;
    VOLT_REQUIRE(length >= NUMBERS, VOLT_ERR_FORMAT, "the state is truncated");
    VOLT_TRY(volt_state_count(numbers[END], length, &end));
    VOLT_TRY(volt_state_count(numbers[FIRST], end, &first));
    VOLT_TRY(volt_state_count(numbers[READY], 1, &ready));
    VOLT_TRY(volt_state_count(numbers[OLD_END], end, &old_end));
    VOLT_TRY(volt_state_count(numbers[OLD_BEGIN], old_end, &old_begin));
    VOLT_REQUIRE(NUMBERS + (end + reach_of(state)) * d == length, VOLT_ERR_FORMAT,
                 "the size of the state does not match its columns");
    VOLT_TRY(volt_row_list_resize(&state->list, end));
    memcpy(state->list.data, numbers + NUMBERS, (size_t)(end * d) * sizeof *numbers);
    state->first = first;
    state->base.count = end - first;
    state->ready = ready;
    if (!ready)
        return VOLT_OK;
    VOLT_TRY(lot_make(state, old_begin, old_end, &state->lot));
    return lot_make(state, old_end, end, &state->young);
}

static volt_status set(volt_state *base, const double *numbers, int64_t length)
{
    window_state *state = (window_state *)base;
    if (base->moves) {
        VOLT_TRY(set_columns(state, numbers, length));
        numbers += NUMBERS + state->list.count * state->list.cols;
    }
    memcpy(state->rows, numbers, bytes_kept(base));
    state->unbegun =
        base->resolved->past.kind == VOLT_PAST_FIRST && reach_of(state) > 0 && state->rows[0] == VOLT_UNBEGUN;
    return VOLT_OK;
}

double volt_window_state_numbers(const volt_resolved *resolved, int64_t rows)
{
    double seen = (double)(resolved->window - 1) + (double)rows;
    return seen * (2 * (double)resolved->d + 3) + 4 * (double)rows;
}

const volt_state_ops volt_window_state_ops = {
    .size = sizeof(window_state),
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
