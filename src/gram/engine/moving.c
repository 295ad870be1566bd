/* src/gram/engine/moving.c: a list of states, one for each record that still has columns. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "gram/engine/state.h"

#include <string.h>

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
        volt_state_push(moving->states[r], z, joins && is_last(moving, r), k);
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
