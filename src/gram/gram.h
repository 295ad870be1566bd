/* src/gram/gram.h: Gram matrices. */
#ifndef KERNEL_GRAM_H
#define KERNEL_GRAM_H

#include "volterra/base.h"
#include "volterra/kernel.h"

#include <stdbool.h>

/* VOLT_ERR_NOT_FINITE if the lower triangle (or all) of K contains a value that is not finite: the kernel
 * overflowed. */
volt_status volt_check_finite(volt_matrix K, bool lower);

/* Copy the lower triangle to the upper one. */
void volt_mirror(volt_matrix K);

/* Computes the explicit states of the rows of X, F with K = F F', of a kernel that has some (engine/state.h).
 * Otherwise F->data stays NULL. Radius and progress of the options are used. Free F->data with volt_free. */
volt_status volt_gram_states(const volt_kernel *kernel, volt_view X, const volt_gram_options *options,
                             volt_matrix *F);

/* Returns whether the kernel, or a factor of it, is only defined on a ball or depends on the ball. `radius` is the
 * radius of the inputs. VOLT_ERR_MEMORY. */
volt_status volt_kernel_find_ball(const volt_kernel *kernel, int64_t d, double radius, bool *has);

/* The requested radius for a slice of the rows. 0, no request, for a filtered slice, which may exceed the
 * inputs, if its factors accept any input. VOLT_ERR_MEMORY. */
volt_status volt_requested_radius(const volt_kernel *kernel, int64_t slice, int64_t d, double requested,
                                  double *radius);

/* The radius of a matrix whose rows and columns have norms up to `rows` and `columns`: the requested one,
 * checked, or the larger of both. Columns are training data with a separate matrix of radius `columns`,
 * unless requested. If the kernel depends on the radius, rows beyond it log a warning. */
volt_status volt_join_radii(const volt_kernel *kernel, double requested, int64_t d, double rows, double columns,
                            double *radius);

/* ---- centring, normalising, distances and mirroring of a filled matrix ------------------------- */

/* Fills K without centring. With `own` it is the matrix of the columns (m x m), of which the lower triangle
 * is sufficient. Progress covers [from, from + share] of the call. */
typedef volt_status (*volt_gram_fill)(const void *context, bool own, double from, double share, volt_matrix K);

/* The kernel of every row of the matrix with itself, or with `columns` of every column, without centring.
 * Progress covers [from, from + share] of the call. */
typedef volt_status (*volt_gram_self)(const void *context, bool columns, double from, double share,
                                      double *values);

/* Instructions for one matrix. */
typedef struct volt_gram_steps {
    const void *context;
    volt_gram_fill fill;
    volt_gram_self self; /* called only if rows and columns differ: otherwise the diagonal is used */
    double self_work[2]; /* work of `self` for rows and for columns, relative to filling K */
    bool same, centred, normalise, distance, mirror;
} volt_gram_steps;

/* sqrt(k(x, x) + k(y, y) - 2 k(x, y)) from these three values. A square below 16 eps times the sum of the first
 * two is a rounding error and becomes 0. */
double volt_gram_distance(double row, double column, double value);

/* VOLT_ERR_DATA if normalisation divides by a kernel of a row with itself that is not above 0. */
volt_status volt_gram_run(const volt_gram_steps *steps, volt_matrix K);

#endif
