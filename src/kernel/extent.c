/* src/kernel/extent.c: norms of rows, the largest value, and membership in a ball. */
#include "kernel/extent.h"

#include "base/error.h"
#include "base/numbers.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

double volt_row_norm(const double *row, int64_t d)
{
    volt_squares squares = {0};
    volt_squares_add_all(&squares, row, d);
    return volt_squares_root(&squares);
}

volt_status volt_extent_of(volt_view X, const char *name, volt_extent *extent)
{
    volt_extent found = {.radius = 0, .largest = X.data[0]};
    double plain = 0; /* largest sum of squares of rows without very small and very large values */
    for (int64_t i = 0; i < X.rows; i++) {
        const double *row = X.data + i * X.ld;
        for (int64_t k = 0; k < X.cols; k++) {
            VOLT_REQUIRE(isfinite(row[k]), VOLT_ERR_NOT_FINITE,
                         "row %" PRId64 ", column %" PRId64 " of %s (counted from 1) is %g", i + 1, k + 1, name,
                         row[k]);
            found.largest = row[k] > found.largest ? row[k] : found.largest;
        }
        volt_squares squares = {0};
        volt_squares_add_all(&squares, row, X.cols);
        if (squares.small == 0 && squares.large == 0)
            plain = squares.middle > plain ? squares.middle : plain;
        else
            found.radius = fmax(found.radius, volt_squares_root(&squares));
    }
    found.radius = fmax(found.radius, sqrt(plain));
    VOLT_REQUIRE(isfinite(found.radius), VOLT_ERR_NOT_FINITE, "the norms of %s are too large for a double",
                 name);
    *extent = found;
    return VOLT_OK;
}

volt_status volt_check_products(double radius)
{
    static const double least = 0x1p-500, most = 0x1p500;
    VOLT_REQUIRE(radius == 0 || (radius >= least && radius <= most), VOLT_ERR_NOT_FINITE,
                 "the largest norm of unscaled inputs must be %.3g to %.3g (got %g)", least, most, radius);
    return VOLT_OK;
}

/* With u = eps / 2, a sum of d squares has a relative error of at most d u, and its root d u / 2 + u. Two
 * roots are compared, and rows on the sphere were rounded a few times before. */
double volt_norm_tolerance(int64_t d)
{
    return (double)(d + 8) * (DBL_EPSILON / 2);
}

bool volt_is_within(double norm, double radius, int64_t d)
{
    return norm <= radius * (1 + volt_norm_tolerance(d));
}
