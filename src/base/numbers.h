/* src/base/numbers.h: small things about numbers that several folders need. */
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

/* Sort finite values upwards, in place. */
void volt_sort(double *values, int64_t count);

/* The next 64 random bits. */
uint64_t volt_rng_word(volt_rng *rng);

/* ---- sums of squares that neither overflow nor vanish, whatever the unit of the values ---------
 *     volt_squares squares = {0};
 *     for (...)
 *         volt_squares_add(&squares, x[k]);
 *     double norm = volt_squares_root(&squares);
 *
 * Values whose squares a double does not bear are multiplied by a power of two first, those that are too large
 * and those that are too small each in a sum of their own (Blue, ACM Transactions on Mathematical Software 4,
 * 1978). All others are squared as they are: between 2^-500 and 2^500 nothing is different from the plain sum. */

typedef struct volt_squares {
    double small, middle, large; /* small: of values times 2^600; large: of values times 2^-600 */
} volt_squares;

/* A value that is not finite makes the root not finite. */
void volt_squares_add(volt_squares *squares, double value);

/* The square root of the sum, or of the sum over `count`; infinite when that is too large for a double. */
double volt_squares_root(const volt_squares *squares);
double volt_squares_root_mean(const volt_squares *squares, int64_t count);
/* The sum over `count` itself: infinite, or 0, where it is too large or too small for a double. */
double volt_squares_mean(const volt_squares *squares, int64_t count);

/* ---- FNV-1a, 64 bits, byte by byte: the same on every machine ---------------------------------- */

static const uint64_t volt_digest_start = UINT64_C(0xcbf29ce484222325);

static inline uint64_t volt_digest_byte(uint64_t digest, unsigned char byte)
{
    return (digest ^ byte) * UINT64_C(0x100000001b3);
}

/* ---- the last so many numbers of a row of them, in the order of time and by size --------------- */

/* `value` comes into ring and sorted (`capacity` numbers each, of which *n are there), and where they are full the oldest
 * goes. *next is where the next one goes in the ring. No NaN. */
void volt_sorted_ring_add(double *ring, double *sorted, int64_t capacity, int64_t *n, int64_t *next,
                          double value);

#endif
