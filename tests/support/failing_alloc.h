/* tests/support/failing_alloc.h: an allocator whose k-th allocation fails, and that counts live blocks.
 *
 *     for (int64_t k = 1;; k++) {
 *         failing_alloc_start(k);
 *         volt_status status = volt_something(..., &thing);
 *         int hit = failing_alloc_hit();
 *         if (!hit)
 *             volt_thing_free(thing);
 *         assert_int_equal(failing_alloc_live(), 0);
 *         failing_alloc_stop();
 *         assert_int_equal(status, hit ? VOLT_ERR_MEMORY : VOLT_OK);
 *         if (!hit)
 *             break;                           (k passed the last allocation: all were tried)
 *     }
 *
 * Blocks that were made before the start may be freed after it, and the other way round: the memory is
 * the library's default kind in both. Safe to use from several threads. */
#ifndef SUPPORT_FAILING_ALLOC_H
#define SUPPORT_FAILING_ALLOC_H

#include <stdint.h>

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
