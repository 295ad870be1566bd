/* src/gram/distance_unit.c: the median distance of rows, as a unit for the search of kernel widths. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/views.h"
#include "gram/gram.h"
#include "kernel/kernel_entry.h"
#include "volterra/kernel.h"

#include <math.h>

enum { SAMPLES = 256 }; /* rows, evenly spaced: about 32,000 distances */

/* Copies `rows` rows of X, times 2^-exponent, which prevents overflow and underflow of squares without
 * rounding. */
static void take_sample(volt_view X, int64_t rows, int exponent, double *sample)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < X.cols; k++)
            sample[i * X.cols + k] = ldexp(X.data[i * X.rows / rows * X.ld + k], -exponent);
}

/* Squared distances between the rows of the sample; repeated rows are ignored. */
static int64_t square_distances(const double *sample, int64_t rows, int64_t d, double *squares)
{
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < i; j++) {
            const double *x = sample + i * d, *y = sample + j * d;
            double sum = 0;
            for (int64_t k = 0; k < d; k++)
                sum += (x[k] - y[k]) * (x[k] - y[k]);
            if (sum > 0)
                squares[count++] = sum;
        }
    return count;
}

volt_status volt_kernel_distance_unit(volt_view X, int64_t window, double *unit)
{
    volt_extent extent;
    VOLT_TRY(volt_check_shape(X, "X"));
    VOLT_TRY(volt_extent_of(X, "X", &extent));
    VOLT_REQUIRE(window >= 1, VOLT_ERR_ARGUMENT, "the window must be at least 1");

    int exponent = 0;
    frexp(extent.radius, &exponent);
    int64_t rows = volt_min(X.rows, SAMPLES), count = 0;
    double *sample = volt_alloc_doubles(rows, X.cols);
    double *squares = volt_alloc_doubles(SAMPLES, SAMPLES / 2);
    volt_status status = sample && squares ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        take_sample(X, rows, exponent, sample);
        count = square_distances(sample, rows, X.cols, squares);
        volt_sort(squares, count);
        if (count > 0)
            *unit = ldexp(sqrt(squares[count / 2] * (double)window), exponent);
        else
            status = volt_fail(VOLT_ERR_DATA, "all rows are equal: the unit of distance would be 0");
    }
    volt_free(squares);
    volt_free(sample);
    return status;
}
