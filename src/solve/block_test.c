/* src/solve/block_test.c: a one-sided t test on block means. */
#include "solve/block_test.h"

#include <math.h>

enum { LEAST_BLOCKS = 4, MOST_BLOCKS = 20 };

/* Quantiles of Student's t with B - 1 degrees of freedom, B = 4 .. 20. */
static const double quantile_99[] = {4.541, 3.747, 3.365, 3.143, 2.998, 2.896, 2.821, 2.764, 2.718,
                                     2.681, 2.650, 2.624, 2.602, 2.583, 2.567, 2.552, 2.539};
static const double quantile_95[] = {2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796,
                                     1.782, 1.771, 1.761, 1.753, 1.746, 1.740, 1.734, 1.729};

double volt_block_test(const double *errors, const double *rivals, int64_t ld, int64_t n, int64_t least)
{
    int64_t blocks = n / least < MOST_BLOCKS ? n / least : MOST_BLOCKS;
    if (blocks < LEAST_BLOCKS)
        return 0;
    double means[MOST_BLOCKS], mean = 0, squares = 0;
    int64_t row = 0;
    for (int64_t b = 0; b < blocks; b++) {
        int64_t length = n / blocks + (b < n % blocks);
        means[b] = 0;
        for (int64_t end = row + length; row < end; row++)
            means[b] +=
                (rivals[row * ld] * rivals[row * ld] - errors[row * ld] * errors[row * ld]) / (double)length;
        mean += means[b] / (double)blocks;
    }
    for (int64_t b = 0; b < blocks; b++)
        squares += (means[b] - mean) * (means[b] - mean);
    double error = sqrt(squares / (double)(blocks - 1) / (double)blocks);
    if (mean > quantile_99[blocks - LEAST_BLOCKS] * error)
        return 0.99;
    return mean > quantile_95[blocks - LEAST_BLOCKS] * error ? 0.95 : 0;
}
