/* src/kernel/distance_unit.c: how far apart rows are, as a unit for the search of kernel widths. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/gram.h"
#include "volterra/kernel.h"

#include <math.h>

enum { SAMPLES = 256 }; /* rows, evenly spaced: some 32,000 distances */

volt_status volt_kernel_distance_unit(volt_view X, int64_t window, double *unit)
{
    double norm;
    VOLT_TRY(volt_check_shape(X, "X"));
    VOLT_TRY(volt_largest_norm(X, "X", &norm));
    VOLT_REQUIRE(window >= 1, VOLT_ERR_ARGUMENT, "the window must be at least 1");

    int64_t rows = X.rows < SAMPLES ? X.rows : SAMPLES, count = 0;
    double *squares = volt_alloc_doubles(SAMPLES, SAMPLES / 2);
    if (!squares)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < i; j++) {
            const double *x = X.data + i * X.rows / rows * X.ld, *y = X.data + j * X.rows / rows * X.ld;
            double sum = 0;
            for (int64_t k = 0; k < X.cols; k++)
                sum += (x[k] - y[k]) * (x[k] - y[k]);
            if (sum > 0) /* rows that repeat say nothing about scale */
                squares[count++] = sum;
        }
    if (count > 0) {
        volt_sort(squares, count);
        *unit = sqrt(squares[count / 2] * (double)window);
    }
    volt_free(squares);
    VOLT_REQUIRE(count > 0, VOLT_ERR_DATA, "the rows are all alike: there is no distance to take as a unit");
    return VOLT_OK;
}
