/* src/base/numbers.c: sorting. */
#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>

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

void volt_squares_add(volt_squares *squares, double value)
{
    double size = fabs(value);
    if (size > too_large)
        squares->large += (size * down) * (size * down);
    else if (size < too_small)
        squares->small += (size * up) * (size * up);
    else
        squares->middle += value * value; /* NaN too */
}

double volt_squares_root_mean(const volt_squares *squares, int64_t count)
{
    double share = (double)count;
    if (squares->large != 0) /* next to it what is small does not count */
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
