/* src/kernel/engine/state_parts.h: a past that is made of pasts: of the factors of a sum, of the records of the columns.
 *
 * Its state is theirs, one after the other. */
#ifndef KERNEL_PAST_PARTS_H
#define KERNEL_PAST_PARTS_H

#include "kernel/engine/state.h"

typedef struct volt_state_parts {
    volt_state **each;
    int64_t n;
} volt_state_parts;

/* Places for n pasts, none of which is there yet. VOLT_ERR_MEMORY. */
volt_status volt_state_parts_allocate(int64_t n, volt_state_parts *parts);
void volt_state_parts_release(volt_state_parts *parts);

void volt_state_parts_zero(const volt_state_parts *parts);
void volt_state_parts_get(const volt_state_parts *parts, double *state);
void volt_state_parts_set(const volt_state_parts *parts, const double *state);

#endif
