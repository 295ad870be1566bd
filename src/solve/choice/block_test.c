/* src/solve/choice/block_test.c: one-sided t tests on block means, of differences and of ratios. */
#include "solve/choice/block_test.h"

#include <math.h>

enum { LEAST_BLOCKS = 4, MOST_BLOCKS = 20 };

/* In the test of ratios a block whose errors are below this share of the rivals' mean says little ... */
static const double QUIET = 0.01;
/* ... and the errors must be this share of the rivals' or less, as a geometric mean. */
static const double CLEAR = 0.8;

/* Quantiles of Student's t with B - 1 degrees of freedom, at B = 4 .. 20; fewer blocks are not asked. */
static const double quantile_99[MOST_BLOCKS + 1] = {0,     0,     0,     0,     4.541, 3.747, 3.365,
                                                    3.143, 2.998, 2.896, 2.821, 2.764, 2.718, 2.681,
                                                    2.650, 2.624, 2.602, 2.583, 2.567, 2.552, 2.539};
static const double quantile_95[MOST_BLOCKS + 1] = {0,     0,     0,     0,     2.353, 2.132, 2.015,
                                                    1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782,
                                                    1.771, 1.761, 1.753, 1.746, 1.740, 1.734, 1.729};

/* How sure one can be that independent numbers have a mean above 0. */
static double above_zero(const double *values, int64_t count)
{
    double mean = 0, squares = 0;
    for (int64_t b = 0; b < count; b++)
        mean += values[b] / (double)count;
    for (int64_t b = 0; b < count; b++)
        squares += (values[b] - mean) * (values[b] - mean);
    double error = sqrt(squares / (double)(count - 1) / (double)count);
    if (mean > quantile_99[count] * error)
        return 0.99;
    return mean > quantile_95[count] * error ? 0.95 : 0;
}

double volt_block_test(const double *errors, const double *rivals, int64_t ld, int64_t n, int64_t least)
{
    int64_t blocks = n / least < MOST_BLOCKS ? n / least : MOST_BLOCKS, row = 0;
    if (blocks < LEAST_BLOCKS)
        return 0;
    double own[MOST_BLOCKS] = {0}, other[MOST_BLOCKS] = {0}, gains[MOST_BLOCKS];
    double gain = 0, total = 0, logarithm = 0;
    for (int64_t b = 0; b < blocks; b++) {
        int64_t length = n / blocks + (b < n % blocks);
        for (int64_t end = row + length; row < end; row++) {
            own[b] += errors[row * ld] * errors[row * ld] / (double)length;
            other[b] += rivals[row * ld] * rivals[row * ld] / (double)length;
        }
        gains[b] = other[b] - own[b];
        gain += gains[b] / (double)blocks;
        total += other[b] / (double)blocks;
    }
    double sure = above_zero(gains, blocks);
    if (!(gain > 0))
        return sure;
    /* Where one block has most of the error, its own gain is most of the spread, and the t test sees nothing. */
    double quiet = QUIET * total;
    for (int64_t b = 0; b < blocks; b++) {
        gains[b] = log((other[b] + quiet) / (own[b] + quiet));
        logarithm += gains[b] / (double)blocks;
    }
    return logarithm >= -log(CLEAR) ? fmax(sure, above_zero(gains, blocks)) : sure;
}
