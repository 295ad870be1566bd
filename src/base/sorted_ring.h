/* src/base/sorted_ring.h: the last so many numbers of a row of them, in the order of time and by size. */
#ifndef BASE_SORTED_RING_H
#define BASE_SORTED_RING_H

#include <stdint.h>

/* `value` comes into ring and sorted (`capacity` numbers each, of which *n are there), and where they are full the oldest
 * goes. *next is where the next one goes in the ring. No NaN. */
void volt_sorted_ring_add(double *ring, double *sorted, int64_t capacity, int64_t *n, int64_t *next,
                          double value);

#endif
