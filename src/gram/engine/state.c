/* src/gram/engine/state.c: states, dispatched to the engine of the kernel. */
#include "gram/engine/state.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "gram/engine/engine.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------- */

/* Allocates the state described by `shape`, which has no memory. */
static volt_status allocate(volt_state shape, volt_state **state)
{
    volt_state *fresh = volt_alloc_zero(1, shape.ops->size);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    *fresh = shape;
    volt_status status = shape.ops->allocate(fresh);
    if (status == VOLT_OK)
        *state = fresh;
    else
        volt_state_free(fresh);
    return status;
}

static volt_status allocate_fixed(const volt_resolved *resolved, const volt_columns *columns, int64_t max_rows,
                                  volt_state **state)
{
    volt_state shape = {.ops = columns->engine->state,
                        .resolved = resolved,
                        .columns = columns,
                        .max_rows = max_rows,
                        .count = columns->m};
    return allocate(shape, state);
}

volt_status volt_state_create(const volt_resolved *resolved, const volt_columns *columns, int64_t max_rows,
                              volt_state **state)
{
    VOLT_TRY(allocate_fixed(resolved, columns, max_rows, state));
    volt_state_zero(*state);
    return VOLT_OK;
}

static const volt_state_ops *moving_ops(const volt_resolved *resolved)
{
    return volt_engine_of(resolved, 1)->state;
}

volt_status volt_state_create_moving(const volt_resolved *resolved, volt_state **state)
{
    volt_state shape = {.ops = moving_ops(resolved), .resolved = resolved, .max_rows = 1, .moves = true};
    VOLT_TRY(allocate(shape, state));
    volt_state_zero(*state);
    return VOLT_OK;
}

volt_status volt_state_copy(const volt_state *source, int64_t max_rows, volt_state **state)
{
    double *numbers = volt_alloc_doubles(volt_state_length(source), 1);
    volt_status status =
        numbers ? allocate_fixed(source->resolved, source->columns, max_rows, state) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        volt_state_get(source, numbers);
        volt_state_set(*state, numbers);
    }
    volt_free(numbers);
    return status;
}

void volt_state_free(volt_state *state)
{
    if (state)
        state->ops->release(state);
    volt_free(state);
}

void volt_state_zero(volt_state *state)
{
    state->ops->zero(state);
}

/* ---- rows ------------------------------------------------------------------------------------- */

void volt_state_advance(volt_state *state, volt_view Z, bool same, volt_matrix K, volt_stage *stage)
{
    assert(Z.rows >= 1 && Z.rows <= state->max_rows);
    state->ops->advance(state, Z, same ? 0 : VOLT_OTHER_ROWS, K, stage);
}

void volt_state_advance_lower(volt_state *state, volt_view Z, int64_t first, volt_matrix K, volt_stage *stage)
{
    assert(Z.rows >= 1 && Z.rows <= state->max_rows && first >= 0 && first + Z.rows <= state->count);
    state->ops->advance(state, Z, first, K, stage);
}

volt_status volt_state_seek(volt_state *state, volt_view Z)
{
    VOLT_REQUIRE(state->ops->seek, VOLT_ERR_ARGUMENT,
                 "the state of a scan depends on all of its rows: %" PRId64 " rows cannot be skipped", Z.rows);
    state->ops->seek(state, Z);
    return VOLT_OK;
}

volt_status volt_state_prepare(volt_state *state, const double *z, bool joins, bool wanted)
{
    return state->ops->prepare(state, z, joins, wanted);
}

/* Pushes the row z, prepared with the same arguments: k (NULL: not wanted) receives the kernel of the sequence
 * against every column and, where z joins, against itself. */
static void state_push(volt_state *state, const double *z, bool joins, double *k)
{
    state->ops->advance(state, volt_view_of(z, 1, state->resolved->d), joins ? state->count : VOLT_OTHER_ROWS,
                        volt_matrix_of(k, 1, state->count + joins), NULL);
}

void volt_state_drop(volt_state *state, int64_t count)
{
    state->ops->drop(state, count);
}

int64_t volt_state_settling(const volt_resolved *resolved)
{
    const volt_state_ops *ops = moving_ops(resolved);
    return ops->settling ? ops->settling(resolved) : 0;
}

/* ---- as numbers ------------------------------------------------------------------------------- */

int64_t volt_state_length_for(const volt_resolved *resolved, int64_t m)
{
    return volt_engine_of(resolved, m)->state->length(resolved, m);
}

int64_t volt_state_length(const volt_state *state)
{
    return state->moves ? state->ops->moving_length(state) : state->ops->length(state->resolved, state->count);
}

void volt_state_get(const volt_state *state, double *numbers)
{
    state->ops->get(state, numbers);
}

void volt_state_set(volt_state *state, const double *numbers)
{
    (void)state->ops->set(state, numbers, volt_state_length(state)); /* fails only for moving columns */
}

double *volt_state_put(const volt_state *state, double *numbers)
{
    int64_t length = volt_state_length(state);
    *numbers = (double)length;
    volt_state_get(state, numbers + 1);
    return numbers + 1 + length;
}

volt_status volt_state_count(double number, int64_t most, int64_t *count)
{
    VOLT_REQUIRE(number >= 0 && number <= (double)most && number == floor(number), VOLT_ERR_FORMAT,
                 "a count in the state must be a whole number from 0 to %.6g (got %.6g)", (double)most, number);
    *count = (int64_t)number;
    return VOLT_OK;
}

volt_status volt_state_take(volt_state *state, const double **numbers, int64_t *length)
{
    int64_t count = 0;
    VOLT_REQUIRE(*length >= 1, VOLT_ERR_FORMAT, "the state is truncated");
    VOLT_TRY(volt_state_count(**numbers, *length - 1, &count));
    VOLT_TRY(state->ops->set(state, *numbers + 1, count));
    *numbers += 1 + count;
    *length -= 1 + count;
    return VOLT_OK;
}

/* ---- parts ------------------------------------------------------------------------------------ */

volt_status volt_state_parts_allocate(int64_t n, volt_state_parts *parts)
{
    parts->each = volt_alloc_zero(n, sizeof(volt_state *));
    parts->n = parts->each ? n : 0;
    return parts->each ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_state_parts_release(volt_state_parts *parts)
{
    for (int64_t p = 0; p < parts->n; p++)
        volt_state_free(parts->each[p]);
    volt_free(parts->each);
}

void volt_state_parts_zero(const volt_state_parts *parts)
{
    for (int64_t p = 0; p < parts->n; p++)
        volt_state_zero(parts->each[p]);
}

void volt_state_parts_get(const volt_state_parts *parts, double *numbers)
{
    for (int64_t p = 0; p < parts->n; p++) {
        volt_state_get(parts->each[p], numbers);
        numbers += volt_state_length(parts->each[p]);
    }
}

void volt_state_parts_set(const volt_state_parts *parts, const double *numbers)
{
    for (int64_t p = 0; p < parts->n; p++) {
        volt_state_set(parts->each[p], numbers);
        numbers += volt_state_length(parts->each[p]);
    }
}

/* ---- row lists --------------------------------------------------------------------------------- */

enum { MIN_ROWS = 64 };

/* Moves the rows to the start of a list of `capacity`. */
static volt_status move_rows(volt_row_list *list, int64_t capacity)
{
    double *data = capacity == list->capacity ? list->data : volt_alloc_doubles(capacity, list->cols);
    if (!data)
        return VOLT_ERR_MEMORY;
    if (list->count > 0)
        memmove(data, volt_row_list_at(list, 0), (size_t)(list->count * list->cols) * sizeof(double));
    if (data != list->data)
        volt_free(list->data);
    list->data = data;
    list->capacity = capacity;
    list->start = 0;
    return VOLT_OK;
}

volt_status volt_row_list_reserve(volt_row_list *list)
{
    if (list->start + list->count < list->capacity)
        return VOLT_OK;
    /* Moved back only if that frees enough space: the cost of a move is spread over many rows. */
    bool moves_back = list->start > list->capacity / 4;
    return move_rows(list, moves_back ? list->capacity : volt_max(2 * list->capacity, MIN_ROWS));
}

volt_status volt_row_list_resize(volt_row_list *list, int64_t count)
{
    list->count = 0;
    VOLT_TRY(move_rows(list, volt_max(2 * count, MIN_ROWS)));
    list->count = count;
    return VOLT_OK;
}

/* ---- a list of states, one for each record that still has columns ------------------------------------ */

struct volt_moving {
    const volt_resolved *resolved; /* of one record */
    int64_t settling;
    int64_t begin, next;
    volt_state **states; /* n states of consecutive records; the last one belongs to the current record */
    int64_t n, capacity;
};

/* Larger row numbers are not exact as doubles, in which they are saved. */
static const int64_t max_rows = INT64_C(1) << 53;

static volt_status add_state(volt_moving *moving)
{
    VOLT_TRY(volt_grow((void **)&moving->states, &moving->capacity, moving->n + 1, sizeof(volt_state *)));
    VOLT_TRY(volt_state_create_moving(moving->resolved, &moving->states[moving->n]));
    moving->n++;
    return VOLT_OK;
}

/* ---- life ------------------------------------------------------------------------------------- */

void volt_moving_free(volt_moving *moving)
{
    if (!moving)
        return;
    for (int64_t r = 0; r < moving->n; r++)
        volt_state_free(moving->states[r]);
    volt_free(moving->states);
    volt_free(moving);
}

volt_status volt_moving_create(const volt_resolved *resolved, volt_moving **moving)
{
    volt_moving *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->resolved = resolved->records ? &resolved->records->each : resolved;
    volt_status status = add_state(fresh);
    if (status != VOLT_OK) {
        volt_moving_free(fresh);
        return status;
    }
    fresh->settling = volt_state_settling(fresh->resolved);
    *moving = fresh;
    return VOLT_OK;
}

volt_status volt_moving_copy(const volt_moving *source, volt_moving **moving)
{
    int64_t length = volt_moving_length(source);
    double *numbers = volt_alloc_doubles(length, 1);
    volt_moving *fresh = NULL;
    volt_status status = numbers ? volt_moving_create(source->resolved, &fresh) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        volt_moving_get(source, numbers);
        status = volt_moving_set(fresh, numbers, length);
    }
    volt_free(numbers);
    if (status == VOLT_OK)
        *moving = fresh;
    else
        volt_moving_free(fresh);
    return status;
}

int64_t volt_moving_begin(const volt_moving *moving)
{
    return moving->begin;
}

int64_t volt_moving_next(const volt_moving *moving)
{
    return moving->next;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static bool is_last(const volt_moving *moving, int64_t r)
{
    return r == moving->n - 1;
}

volt_status volt_moving_prepare(volt_moving *moving, const double *z, bool joins, bool wanted)
{
    for (int64_t r = 0; r < moving->n; r++)
        VOLT_TRY(volt_state_prepare(moving->states[r], z, joins && is_last(moving, r), wanted));
    return VOLT_OK;
}

void volt_moving_push(volt_moving *moving, const double *z, bool joins, double *k)
{
    for (int64_t r = 0; r < moving->n; r++) {
        state_push(moving->states[r], z, joins && is_last(moving, r), k);
        k = k ? k + moving->states[r]->count : NULL;
    }
    moving->next += joins;
}

/* Frees the first `empty` states, which have no columns left. */
static void free_empty(volt_moving *moving, int64_t empty)
{
    for (int64_t r = 0; r < empty; r++)
        volt_state_free(moving->states[r]);
    moving->n -= empty;
    memmove(moving->states, moving->states + empty, (size_t)moving->n * sizeof(volt_state *));
}

void volt_moving_release(volt_moving *moving, int64_t row)
{
    int64_t empty = 0;
    while (!is_last(moving, empty) && moving->begin + moving->states[empty]->count <= row)
        moving->begin += moving->states[empty++]->count;
    free_empty(moving, empty);
    int64_t gone = volt_min(row, moving->next) - moving->settling - moving->begin;
    if (gone > 0) {
        volt_state_drop(moving->states[0], gone);
        moving->begin += gone;
    }
}

volt_status volt_moving_restart(volt_moving *moving)
{
    VOLT_TRY(add_state(moving)); /* the only step that can fail */
    for (int64_t r = 0; !is_last(moving, r); r++)
        volt_state_zero(moving->states[r]);
    int64_t before = moving->n - 2; /* a record without columns needs no state */
    if (moving->states[before]->count == 0) {
        volt_state_free(moving->states[before]);
        moving->states[before] = moving->states[moving->n - 1];
        moving->n--;
    }
    return VOLT_OK;
}

/* ---- as numbers: begin, records, then the numbers of each, preceded by their count --------------- */

enum { BEGIN, RECORDS, NUMBERS };

int64_t volt_moving_length(const volt_moving *moving)
{
    int64_t total = NUMBERS;
    for (int64_t r = 0; r < moving->n; r++)
        total += 1 + volt_state_length(moving->states[r]);
    return total;
}

void volt_moving_get(const volt_moving *moving, double *numbers)
{
    numbers[BEGIN] = (double)moving->begin;
    numbers[RECORDS] = (double)moving->n;
    numbers += NUMBERS;
    for (int64_t r = 0; r < moving->n; r++)
        numbers = volt_state_put(moving->states[r], numbers);
}

volt_status volt_moving_set(volt_moving *moving, const double *numbers, int64_t length)
{
    int64_t n = 0;
    VOLT_REQUIRE(length >= NUMBERS, VOLT_ERR_FORMAT, "the state is truncated");
    VOLT_TRY(volt_state_count(numbers[BEGIN], max_rows, &moving->begin));
    VOLT_TRY(volt_state_count(numbers[RECORDS], length, &n));
    VOLT_REQUIRE(n >= 1, VOLT_ERR_FORMAT, "the state has no record");
    moving->next = moving->begin;
    numbers += NUMBERS;
    length -= NUMBERS;
    for (int64_t r = 0; r < n; r++) {
        if (r == moving->n)
            VOLT_TRY(add_state(moving));
        VOLT_TRY(volt_state_take(moving->states[r], &numbers, &length));
        moving->next += moving->states[r]->count;
    }
    VOLT_REQUIRE(length == 0, VOLT_ERR_FORMAT, "the state has extra numbers at its end");
    return VOLT_OK;
}
