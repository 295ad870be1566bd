/* src/base/numbers.c: sorting. */
#include "base/numbers.h"

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
