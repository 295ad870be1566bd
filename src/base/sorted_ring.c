/* src/base/sorted_ring.c: the last so many numbers of a row of them, in the order of time and by size. */
#include "base/sorted_ring.h"

#include <string.h>

/* How many of the n sorted numbers are below `value`. */
static int64_t count_below(const double *sorted, int64_t n, double value)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void volt_sorted_ring_add(double *ring, double *sorted, int64_t capacity, int64_t *n, int64_t *next,
                          double value)
{
    if (*n == capacity) {
        int64_t at = count_below(sorted, *n, ring[*next]);
        --*n;
        memmove(sorted + at, sorted + at + 1, (size_t)(*n - at) * sizeof *sorted);
    }
    int64_t at = count_below(sorted, *n, value);
    memmove(sorted + at + 1, sorted + at, (size_t)(*n - at) * sizeof *sorted);
    sorted[at] = value;
    ring[*next] = value;
    ++*n;
    *next = (*next + 1) % capacity;
}
