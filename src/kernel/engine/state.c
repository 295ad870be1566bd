/* src/kernel/engine/state.c: a past of whichever engine the kernel runs on. */
#include "kernel/engine/state.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/engine/engine.h"

#include <assert.h>
#include <inttypes.h>

static volt_status allocate(const volt_resolved *resolved, const volt_columns *columns, int64_t most_rows,
                            volt_state **past)
{
    const volt_state_ops *ops = columns->engine->past;
    volt_state *fresh = NULL;
    volt_status status = ops->allocate(resolved, columns, most_rows, &fresh);
    if (status != VOLT_OK)
        return status;
    fresh->ops = ops;
    fresh->resolved = resolved;
    fresh->columns = columns;
    fresh->most_rows = most_rows;
    *past = fresh;
    return VOLT_OK;
}

volt_status volt_state_create(const volt_resolved *resolved, const volt_columns *columns, int64_t most_rows,
                              volt_state **past)
{
    volt_status status = allocate(resolved, columns, most_rows, past);
    if (status == VOLT_OK)
        volt_state_zero(*past);
    return status;
}

void volt_state_zero(volt_state *past)
{
    past->ops->zero(past);
}

volt_status volt_state_copy(const volt_state *source, int64_t most_rows, volt_state **past)
{
    double *state = volt_alloc_doubles(volt_state_length(source), 1);
    volt_status status = state ? allocate(source->resolved, source->columns, most_rows, past) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        volt_state_get(source, state);
        volt_state_set(*past, state);
    }
    volt_free(state);
    return status;
}

void volt_state_free(volt_state *past)
{
    if (past)
        past->ops->release(past);
}

void volt_state_advance(volt_state *past, volt_view Z, bool same, volt_matrix K, volt_stage *stage)
{
    assert(Z.rows >= 1 && Z.rows <= past->most_rows);
    past->ops->advance(past, Z, same ? 0 : VOLT_OTHER_ROWS, K, stage);
}

void volt_state_advance_lower(volt_state *past, volt_view Z, int64_t first, volt_matrix K, volt_stage *stage)
{
    assert(Z.rows >= 1 && Z.rows <= past->most_rows && first >= 0 && first + Z.rows <= past->columns->m);
    past->ops->advance(past, Z, first, K, stage);
}

volt_status volt_state_seek(volt_state *past, volt_view Z)
{
    VOLT_REQUIRE(past->ops->seek, VOLT_ERR_ARGUMENT,
                 "the past of a scan is known only after all of its rows: %" PRId64 " rows cannot be skipped",
                 Z.rows);
    past->ops->seek(past, Z);
    return VOLT_OK;
}

int64_t volt_state_length_for(const volt_resolved *resolved, int64_t m)
{
    return volt_engine_of(resolved, m)->past->length(resolved, m);
}

int64_t volt_state_length(const volt_state *past)
{
    return past->ops->length(past->resolved, past->columns->m);
}

void volt_state_get(const volt_state *past, double *state)
{
    past->ops->get(past, state);
}

void volt_state_set(volt_state *past, const double *state)
{
    past->ops->set(past, state);
}
