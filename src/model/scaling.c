/* src/model/scaling.c: scales of inputs and targets, learned from the training rows. */
#include "model/scaling.h"

#include "base/error.h"
#include "base/numbers.h"
#include "base/views.h"
#include "kernel/kernel_entry.h"

#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Requires finite values and finite sums over all rows, as scales are learned from those. */
static volt_status check_values(volt_view X, const char *name)
{
    volt_extent extent;
    VOLT_TRY(volt_extent_of(X, name, &extent));
    double most = DBL_MAX / 4 / (double)X.rows;
    VOLT_REQUIRE(extent.radius <= most, VOLT_ERR_NOT_FINITE,
                 "the norms of %s reach %g, and for %" PRId64 " rows they may reach %g", name, extent.radius,
                 X.rows, most);
    return VOLT_OK;
}

volt_status volt_check_pairs(volt_view X, volt_view Y)
{
    return volt_check_pairs_present(X, Y, Y);
}

volt_status volt_check_pairs_present(volt_view X, volt_view Y, volt_view present)
{
    VOLT_TRY(volt_check_shape(X, "the inputs"));
    VOLT_TRY(volt_check_shape(Y, "the targets"));
    VOLT_REQUIRE(X.rows == Y.rows, VOLT_ERR_SHAPE,
                 "there are %" PRId64 " rows of inputs and %" PRId64 " of targets", X.rows, Y.rows);
    VOLT_REQUIRE(X.rows < INT_MAX && Y.cols < INT_MAX, VOLT_ERR_SHAPE,
                 "%" PRId64 " rows and %" PRId64 " targets are more than BLAS can index", X.rows, Y.cols);
    VOLT_TRY(check_values(X, "the inputs"));
    return check_values(present, "the targets");
}

/* Row i of a view. */
static const double *row_of_view(void *context, int64_t i)
{
    const volt_view *X = context;
    return X->data + i * X->ld;
}

static volt_row_source source_of(volt_view *X)
{
    return (volt_row_source){.rows = X->rows, .cols = X->cols, .row = row_of_view, .context = X};
}

/* In two passes: the second corrects the rounding of the first. */
static void column_means(const volt_row_source *X, double *mean)
{
    enum { COLUMNS = 64 }; /* per pass */
    double n = (double)X->rows;
    memset(mean, 0, (size_t)X->cols * sizeof *mean);
    for (int64_t first = 0; first < X->cols; first += COLUMNS) {
        int64_t end = volt_min(first + COLUMNS, X->cols);
        double rest[COLUMNS] = {0};
        for (int64_t i = 0; i < X->rows; i++) {
            const double *x = X->row(X->context, i);
            for (int64_t k = first; k < end; k++)
                mean[k] += x[k] / n;
        }
        for (int64_t i = 0; i < X->rows; i++) {
            const double *x = X->row(X->context, i);
            for (int64_t k = first; k < end; k++)
                rest[k - first] += x[k] - mean[k];
        }
        for (int64_t k = first; k < end; k++)
            mean[k] += rest[k - first] / n;
    }
}

/* A constant minus its mean leaves only rounding, not spread. */
static bool is_rounding(double spread, double size)
{
    return !(spread > 0 && spread / size > 1e-14);
}

volt_status volt_input_scale_learn(volt_view X, bool centre, bool identity, volt_input_scale *scale)
{
    volt_row_source source = source_of(&X);
    return volt_input_scale_learn_rows(&source, centre, identity, scale);
}

volt_status volt_input_scale_learn_rows(const volt_row_source *X, bool centre, bool identity,
                                        volt_input_scale *scale)
{
    bool shifted = centre && !identity;
    if (shifted)
        column_means(X, scale->shift);
    else
        memset(scale->shift, 0, (size_t)X->cols * sizeof *scale->shift);

    double norm = 0, size = 0;
    for (int64_t i = 0; i < X->rows; i++) {
        const double *x = X->row(X->context, i);
        volt_squares squares = {0};
        for (int64_t k = 0; k < X->cols; k++) {
            volt_squares_add(&squares, x[k] - scale->shift[k]);
            size = fmax(size, fabs(x[k]));
        }
        norm = fmax(norm, volt_squares_root(&squares));
    }
    bool empty = is_rounding(norm, size);
    VOLT_REQUIRE(!empty || X->rows > 1, VOLT_ERR_DATA,
                 shifted ? "the inputs have only one row: there is nothing to learn from"
                         : "the only row of the inputs is zero: there is nothing to learn from");
    VOLT_REQUIRE(!empty, VOLT_ERR_DATA,
                 shifted ? "the inputs are constant over all %" PRId64 " rows: there is nothing to learn from"
                         : "the inputs are zero in all %" PRId64 " rows: there is nothing to learn from",
                 X->rows);
    scale->scale = identity ? 1 : 1 / norm;
    VOLT_REQUIRE(isfinite(scale->scale), VOLT_ERR_NOT_FINITE,
                 "the inputs are within %g of %s: the range is too small to be scaled to 1", norm,
                 shifted ? "their mean" : "0");
    return VOLT_OK;
}

void volt_input_scale_row(const volt_input_scale *scale, int64_t d, const double *x, double *z)
{
    for (int64_t k = 0; k < d; k++)
        z[k] = (x[k] - scale->shift[k]) * scale->scale;
}

void volt_target_scale_learn(volt_view Y, bool identity, double *mean, double *deviation)
{
    if (identity) {
        for (int64_t k = 0; k < Y.cols; k++) {
            mean[k] = 0;
            deviation[k] = 1;
        }
        return;
    }
    volt_row_source source = source_of(&Y);
    column_means(&source, mean);
    for (int64_t k = 0; k < Y.cols; k++) {
        volt_squares squares = {0};
        double size = 0;
        for (int64_t i = 0; i < Y.rows; i++) {
            volt_squares_add(&squares, Y.data[i * Y.ld + k] - mean[k]);
            size = fmax(size, fabs(Y.data[i * Y.ld + k]));
        }
        double spread = volt_squares_root_mean(&squares, Y.rows);
        deviation[k] = is_rounding(spread, size) ? 1 : spread; /* a constant target is not scaled */
    }
}

void volt_target_scale_powers(volt_view Y, double *scale)
{
    enum { SAFE = 400, MOST = 1000 }; /* powers of two; 2^1024 is not a finite number */
    for (int64_t k = 0; k < Y.cols; k++) {
        double largest = 0;
        int exponent;
        for (int64_t i = 0; i < Y.rows; i++)
            largest = fmax(largest, fabs(Y.data[i * Y.ld + k]));
        frexp(largest, &exponent);
        scale[k] = largest == 0 || abs(exponent) <= SAFE
                       ? 1
                       : ldexp(1, (int)volt_min(volt_max(exponent, -MOST), MOST));
    }
}
