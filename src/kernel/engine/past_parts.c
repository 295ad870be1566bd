/* src/kernel/engine/past_parts.c: a past that is made of pasts. */
#include "kernel/engine/past_parts.h"

#include "base/memory.h"

volt_status volt_past_parts_allocate(int64_t n, volt_past_parts *parts)
{
    parts->each = volt_alloc_zero(n, sizeof(volt_past *));
    parts->n = parts->each ? n : 0;
    return parts->each ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_past_parts_release(volt_past_parts *parts)
{
    for (int64_t p = 0; p < parts->n; p++)
        volt_past_free(parts->each[p]);
    volt_free(parts->each);
}

void volt_past_parts_zero(const volt_past_parts *parts)
{
    for (int64_t p = 0; p < parts->n; p++)
        volt_past_zero(parts->each[p]);
}

void volt_past_parts_get(const volt_past_parts *parts, double *state)
{
    for (int64_t p = 0; p < parts->n; p++) {
        volt_past_get(parts->each[p], state);
        state += volt_past_length(parts->each[p]);
    }
}

void volt_past_parts_set(const volt_past_parts *parts, const double *state)
{
    for (int64_t p = 0; p < parts->n; p++) {
        volt_past_set(parts->each[p], state);
        state += volt_past_length(parts->each[p]);
    }
}
