/* src/base/numbers.h: small things about numbers that several folders need. */
#ifndef BASE_NUMBERS_H
#define BASE_NUMBERS_H

#include "volterra/base.h"

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

#endif
