/* src/base/numbers.h: numeric helpers shared by several folders. */
#ifndef BASE_NUMBERS_H
#define BASE_NUMBERS_H

#include "volterra/base.h"

#include <stdint.h>

static inline int64_t volt_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t volt_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Sorts finite values in ascending order, in place. */
void volt_sort(double *values, int64_t count);

/* The next 64 random bits. */
uint64_t volt_rng_word(volt_rng *rng);

/* ---- sums of squares without overflow or underflow, at any scale ---------------------------------
 *     volt_squares squares = {0};
 *     for (...)
 *         volt_squares_add(&squares, x[k]);
 *     double norm = volt_squares_root(&squares);
 *
 * Values whose squares would overflow or underflow are first multiplied by a power of two and accumulated in
 * separate sums (Blue, ACM Transactions on Mathematical Software 4, 1978). Values between 2^-500 and 2^500 are
 * squared directly, so their sum equals the plain sum. */

typedef struct volt_squares {
    double small, middle, large; /* small: of values times 2^600; large: of values times 2^-600 */
} volt_squares;

/* A non-finite value makes the root non-finite. */
void volt_squares_add(volt_squares *squares, double value);
/* The same for `count` values in order. */
void volt_squares_add_all(volt_squares *squares, const double *values, int64_t count);

/* The square root of the sum, or of the sum divided by `count`; infinite on overflow. */
double volt_squares_root(const volt_squares *squares);
double volt_squares_root_mean(const volt_squares *squares, int64_t count);
/* The sum divided by `count`: infinite on overflow, 0 on underflow. */
double volt_squares_mean(const volt_squares *squares, int64_t count);

/* ---- FNV-1a, 64 bits, byte by byte: the same on every machine ---------------------------------- */

static const uint64_t volt_digest_start = UINT64_C(0xcbf29ce484222325);

static inline uint64_t volt_digest_byte(uint64_t digest, unsigned char byte)
{
    return (digest ^ byte) * UINT64_C(0x100000001b3);
}

/* ---- a sliding window of numbers, in time order and sorted ------------------------------------- */

/* Adds `value` to ring and sorted (`capacity` numbers each, *n in use). When they are full, the oldest is
 * dropped. *next is the next position in the ring. No NaN. */
void volt_sorted_ring_add(double *ring, double *sorted, int64_t capacity, int64_t *n, int64_t *next,
                          double value);

#endif
