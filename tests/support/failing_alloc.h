/* tests/support/failing_alloc.h: an allocator whose k-th allocation fails, and that counts live blocks.
 *
 *     for (int64_t k = 0; failing_alloc_next(&k);) {
 *         volt_thing *thing = NULL;
 *         volt_status status = volt_something(..., &thing);
 *         volt_thing_free(thing);
 *         failing_alloc_check(status);
 *     }
 *
 * The call fails with VOLT_ERR_MEMORY and a message while k is at most the number of its allocations, and frees what it
 * made; then it succeeds, and the loop ends. Set-up within the loop lies between failing_alloc_start(0)
 * and failing_alloc_start(k).
 *
 * Blocks that were made before the start may be freed after it, and the other way round: the memory is
 * the library's default kind in both. Safe to use from several threads. */
#ifndef SUPPORT_FAILING_ALLOC_H
#define SUPPORT_FAILING_ALLOC_H

#include "volterra/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Start with the next k, from 1 on; false after the first call without a failure. */
bool failing_alloc_next(int64_t *k);

/* Stop, and end the test unless no block is left and the status is that of the failure. A lenient check also accepts a
 * call that succeeds without an allocation, as of the sync of a folder. */
#define failing_alloc_check(status) failing_alloc_check_at((status), false, __FILE__, __LINE__)
#define failing_alloc_check_lenient(status) failing_alloc_check_at((status), true, __FILE__, __LINE__)
void failing_alloc_check_at(volt_status status, bool lenient, const char *file, int line);

/* Start counting allocations from 1 and fail the k-th (once); k = 0: only count. */
void failing_alloc_start(int64_t k);

/* Returns whether the k-th allocation was requested and failed. */
int failing_alloc_hit(void);

/* Blocks allocated since the start and not freed yet. */
int64_t failing_alloc_live(void);

/* Allocations requested since the start. */
int64_t failing_alloc_count(void);

/* Call `note` with the number of every allocation until the allocator is restored. */
void failing_alloc_watch(void (*note)(int64_t number));

/* Restore the allocator of the library. */
void failing_alloc_stop(void);

#endif
