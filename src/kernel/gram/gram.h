/* src/kernel/gram/gram.h: checks that every entry into the library makes on its data. */
#ifndef KERNEL_GRAM_H
#define KERNEL_GRAM_H

#include "volterra/base.h"
#include "volterra/kernel.h"

#include <stdbool.h>

/* VOLT_ERR_SHAPE unless the view has data, rows, columns and ld >= cols; `name` is for the sentence. */
volt_status volt_check_shape(volt_view X, const char *name);

/* VOLT_ERR_NOT_FINITE when the lower triangle (or all) of K holds a value that is not: the kernel overflowed. */
volt_status volt_check_finite(volt_matrix K, bool lower);

/* Copy the lower triangle to the upper one. */
void volt_mirror(volt_matrix K);

/* The largest norm of all inputs becomes the radius that the caller asks for. VOLT_ERR_ARGUMENT when that is
 * too small for them; 0 asks for none. */
volt_status volt_take_radius(double asked, int64_t d, double *radius);

/* Does the kernel, or a factor of it, hold on a ball alone, or is it another kernel on another ball? `radius` is that of the
 * inputs at hand. VOLT_ERR_MEMORY. */
volt_status volt_kernel_find_ball(const volt_kernel *kernel, int64_t d, double radius, bool *has);

/* The radius that was asked for as far as it concerns a slice of the rows: 0, none, where the slice is filtered, so that it
 * may reach further than the inputs, and what sees it takes any input. VOLT_ERR_MEMORY. */
volt_status volt_asked_radius(const volt_kernel *kernel, int64_t slice, int64_t d, double asked,
                              double *radius);

/* The radius of a matrix whose rows and columns have norms up to `rows` and `columns`: the one asked for, checked, or
 * else the larger. Columns are what was trained on, by a matrix of their own, whose radius was `columns` unless it was
 * given one: where the kernel depends on it, rows beyond it are worth a warning in the log. */
volt_status volt_join_radii(const volt_kernel *kernel, double asked, int64_t d, double rows, double columns,
                            double *radius);

/* The unit of distance for searches: the median distance between rows of X (a sample of them) times
 * sqrt(window). Ranges in this unit keep windowed Gram matrices from being numerically diagonal.
 * VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_DATA when the rows are all alike. */
volt_status volt_kernel_distance_unit(volt_view X, int64_t window, double *unit);

/* ---- what follows the filling of a matrix: centring, normalising, mirroring -------------------- */

/* Fill K as it is, not centred; with `own` it is the matrix of the columns (m x m), of which the lower triangle is enough,
 * and which progress covers as [from, from + share] of the call. */
typedef volt_status (*volt_gram_fill)(const void *context, bool own, double from, double share, volt_matrix K);

/* The kernel of every row of the matrix with itself, or with `columns` of every column, as the kernel gives it (not
 * centred). Progress covers [from, from + share] of the call. */
typedef volt_status (*volt_gram_self)(const void *context, bool columns, double from, double share,
                                      double *values);

/* How to make one matrix. */
typedef struct volt_gram_steps {
    const void *context;
    volt_gram_fill fill;
    volt_gram_self self; /* asked only where rows and columns differ: otherwise it is the diagonal */
    double self_work[2]; /* work of `self` for rows and for columns; that of filling K is 1 */
    bool same, centred, normalise, mirror;
} volt_gram_steps;

/* VOLT_ERR_DATA where the kernel of a row with itself is not above 0, which normalising divides by. */
volt_status volt_gram_run(const volt_gram_steps *steps, volt_matrix K);

/* ---- collections ------------------------------------------------------------------------------- */

/* volt_gram_collection for a kernel of several factors, or of one on filtered series, once the arguments are checked. */
volt_status volt_gram_expression(const volt_kernel *kernel, const volt_view *X, int64_t n_x, const volt_view *Y,
                                 int64_t n_y, const volt_gram_options *options, volt_matrix K);

#endif
