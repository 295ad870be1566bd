/* src/kernel/engine/state_parts.c: a past that is made of pasts. */
#include "kernel/engine/state_parts.h"

#include "base/memory.h"

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

void volt_state_parts_get(const volt_state_parts *parts, double *state)
{
    for (int64_t p = 0; p < parts->n; p++) {
        volt_state_get(parts->each[p], state);
        state += volt_state_length(parts->each[p]);
    }
}

void volt_state_parts_set(const volt_state_parts *parts, const double *state)
{
    for (int64_t p = 0; p < parts->n; p++) {
        volt_state_set(parts->each[p], state);
        state += volt_state_length(parts->each[p]);
    }
}
