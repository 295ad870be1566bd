/* src/kernel/extent.h: norms and largest values of inputs, which a kernel is resolved on. */
#ifndef KERNEL_EXTENT_H
#define KERNEL_EXTENT_H

#include "volterra/base.h"

#include <stdbool.h>

typedef struct volt_extent {
    double radius;  /* M, the largest Euclidean norm of a row */
    double largest; /* the largest value, not the largest modulus: path=rows divides by it */
} volt_extent;

/* Of the rows of X, which must not be empty. VOLT_ERR_NOT_FINITE reports the first entry that is not finite;
 * `name` is used in the message. */
volt_status volt_extent_of(volt_view X, const char *name, volt_extent *extent);

/* The norm of a row of d numbers; not finite if one of them is not, or on overflow. */
double volt_row_norm(const double *row, int64_t d);

/* Relative rounding tolerance of norms of d numbers, and so of the radius. Inner products have twice that. */
double volt_norm_tolerance(int64_t d);

/* VOLT_ERR_NOT_FINITE if products of inputs of this norm would overflow or lose digits to underflow; such
 * inputs must be scaled. Inputs that are all 0 are accepted. */
volt_status volt_check_products(double radius);

/* Returns whether a norm of d numbers is at most `radius`, up to rounding. All checks use this function. */
bool volt_is_within(double norm, double radius, int64_t d);

#endif
