/* src/base/numbers.c: sorting, scaled sums of squares, sliding quantiles and random numbers. */
#include "base/numbers.h"

#include "volterra/base.h"

#include <Random123/philox.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_values(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void volt_sort(double *values, int64_t count)
{
    qsort(values, (size_t)count, sizeof *values, compare_values);
}

/* ---- sums of squares in three parts ------------------------------------------------------------ */

static const double too_small = 0x1p-500, too_large = 0x1p500, up = 0x1p600, down = 0x1p-600;

static inline void add_square(volt_squares *squares, double value)
{
    double size = fabs(value);
    if (size > too_large)
        squares->large += (size * down) * (size * down);
    else if (size < too_small)
        squares->small += (size * up) * (size * up);
    else
        squares->middle += value * value; /* NaN too */
}

void volt_squares_add(volt_squares *squares, double value)
{
    add_square(squares, value);
}

void volt_squares_add_all(volt_squares *squares, const double *values, int64_t count)
{
    volt_squares sums = *squares;
    for (int64_t i = 0; i < count; i++)
        add_square(&sums, values[i]);
    *squares = sums;
}

double volt_squares_root_mean(const volt_squares *squares, int64_t count)
{
    double share = (double)count;
    if (squares->large != 0) /* small values are negligible then */
        return sqrt((squares->large + squares->middle * down * down) / share) * up;
    if (squares->middle != 0)
        return sqrt((squares->middle + squares->small * down * down) / share);
    return sqrt(squares->small / share) * down;
}

double volt_squares_mean(const volt_squares *squares, int64_t count)
{
    double share = (double)count;
    if (squares->large != 0)
        return (squares->large + squares->middle * down * down) / share * up * up;
    if (squares->middle != 0)
        return (squares->middle + squares->small * down * down) / share;
    return squares->small / share * down * down;
}

double volt_squares_root(const volt_squares *squares)
{
    return volt_squares_root_mean(squares, 1);
}

/* ---- a sliding window of numbers, in time order and sorted ------------------------------------- */

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

/* ---- Philox 4x64-10 from Random123, uniforms and normals --------------------------------------- */

static const double two_pi = 6.283185307179586;

void volt_rng_init(volt_rng *rng, uint64_t seed, uint64_t stream)
{
    volt_rng fresh = {.seed = seed, .stream = stream, .block = 1, .used = 4};
    *rng = fresh; /* block 1 first: NumPy steps its counter before it draws */
}

uint64_t volt_rng_word(volt_rng *rng)
{
    if (rng->used == 4) {
        philox4x64_ctr_t counter = {{rng->block++, 0, 0, 0}};
        philox4x64_key_t key = {{rng->seed, rng->stream}};
        philox4x64_ctr_t block = philox4x64(counter, key);
        for (int i = 0; i < 4; i++)
            rng->words[i] = block.v[i];
        rng->used = 0;
    }
    return rng->words[rng->used++];
}

double volt_rng_uniform(volt_rng *rng)
{
    return (double)(volt_rng_word(rng) >> 11) * 0x1p-53;
}

double volt_rng_normal(volt_rng *rng)
{
    if (rng->has_spare) {
        rng->has_spare = 0;
        return rng->spare;
    }
    double radius = sqrt(-2 * log(1 - volt_rng_uniform(rng))); /* 1 - u is never 0 */
    double angle = two_pi * volt_rng_uniform(rng);
    rng->spare = radius * sin(angle);
    rng->has_spare = 1;
    return radius * cos(angle);
}
