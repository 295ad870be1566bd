/* src/kernel/extent.h: how far inputs reach, which is what a kernel is resolved on. */
#ifndef KERNEL_EXTENT_H
#define KERNEL_EXTENT_H

#include "volterra/base.h"

#include <stdbool.h>

typedef struct volt_extent {
    double radius;  /* M, the largest Euclidean norm of a row */
    double largest; /* the largest value, not the largest modulus: path=rows divides by it */
} volt_extent;

/* Of the rows of X, which has some. VOLT_ERR_NOT_FINITE names the first entry that is not finite; `name` is for
 * the sentence. */
volt_status volt_extent_of(volt_view X, const char *name, volt_extent *extent);

/* The norm of a row of d numbers; not finite when one of them is not, or when it is too large for a double. */
double volt_row_norm(const double *row, int64_t d);

/* The share by which norms of d numbers, and so the radius, may be rounded. An inner product has room for twice
 * that. */
double volt_norm_room(int64_t d);

/* VOLT_ERR_NOT_FINITE when products of inputs of this norm, which no kernel goes without, would leave the range of a
 * double or lose digits there: inputs are then to be scaled first. Inputs that are all 0 stay what they are. */
volt_status volt_check_products(double radius);

/* Is a norm of d numbers at most `radius`, but for rounding? The one place that says what that means. */
bool volt_is_within(double norm, double radius, int64_t d);

#endif
