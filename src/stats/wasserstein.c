/* src/stats/wasserstein.c: the Wasserstein-1 distance of two empirical distributions on the line.
 *
 * It is the area between the two distribution functions,
 *
 *     W1 = integral |F(x) - G(x)| dx,     F(x) = (number of first values <= x) / n_first,
 *
 * a sum over the gaps between neighbouring values of both samples, which may have different lengths. The cost
 * is O(n log n) for sorting and O(n) for the sum. For equal lengths it is the mean of |x_(i) - y_(i)| over the
 * order statistics. */
#include "stats/stats_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "volterra/stats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

double volt_wasserstein_sorted(const double *first, int64_t n_first, const double *second, int64_t n_second)
{
    int64_t i = 0, j = 0; /* values passed so far */
    double at = fmin(first[0], second[0]);
    double area = 0;
    while (i < n_first || j < n_second) {
        int take_first = j == n_second || (i < n_first && first[i] <= second[j]);
        double next = take_first ? first[i] : second[j];
        area += (next - at) * fabs((double)i / (double)n_first - (double)j / (double)n_second);
        at = next;
        if (take_first)
            i++;
        else
            j++;
    }
    return area;
}

static volt_status check_sample(const char *name, const double *values, int64_t count)
{
    VOLT_REQUIRE(values && count >= 1, VOLT_ERR_ARGUMENT,
                 "the %s sample must have at least 1 value (got %" PRId64 ")", name, values ? count : 0);
    for (int64_t i = 0; i < count; i++)
        VOLT_REQUIRE(isfinite(values[i]), VOLT_ERR_NOT_FINITE, "value %" PRId64 " of the %s sample is %g", i,
                     name, values[i]);
    return VOLT_OK;
}

volt_status volt_wasserstein(const double *first, int64_t n_first, const double *second, int64_t n_second,
                             double *distance)
{
    VOLT_TRY(check_sample("first", first, n_first));
    VOLT_TRY(check_sample("second", second, n_second));
    VOLT_REQUIRE(distance, VOLT_ERR_ARGUMENT, "the distance is NULL");

    volt_status status = VOLT_ERR_MEMORY;
    double *x = volt_alloc(n_first, sizeof *x);
    double *y = x ? volt_alloc(n_second, sizeof *y) : NULL;
    if (x && y) {
        memcpy(x, first, (size_t)n_first * sizeof *x);
        memcpy(y, second, (size_t)n_second * sizeof *y);
        volt_sort(x, n_first);
        volt_sort(y, n_second);
        double area = volt_wasserstein_sorted(x, n_first, y, n_second);
        status = VOLT_OK;
        if (isfinite(area))
            *distance = area;
        else
            status = volt_fail(VOLT_ERR_NOT_FINITE, "the distance between the two samples overflows");
    }
    volt_free(y);
    volt_free(x);
    return status;
}
