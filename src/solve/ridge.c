/* src/solve/ridge.c: ridge regression with an exact unpenalised intercept.
 *
 *     L L' = K + alpha I,  W = L^{-1} Y,  u = L^{-1} 1
 *     c = (u' W) / (u' u),  A = L^{-T} (W - u c)
 *
 * minimises |K A + 1 c - Y|^2 + alpha tr(A' K A); 1' A = 0 follows. Without intercept c = 0. */
#include "solve/ridge.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "solve/cholesky.h"

#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

volt_ridge_options volt_ridge_options_default(void)
{
    volt_ridge_options options = {.alpha = 1e-6, .intercept = 1};
    return options;
}

static volt_status check(volt_matrix K, volt_matrix Y, const volt_ridge_options *options, const double *c)
{
    VOLT_REQUIRE(K.data && K.rows > 0 && K.rows == K.cols && K.ld >= K.cols && K.ld <= INT_MAX, VOLT_ERR_SHAPE,
                 "the Gram matrix is %" PRId64 " x %" PRId64 " with leading dimension %" PRId64
                 ", and must be square with one of at most %d",
                 K.rows, K.cols, K.ld, INT_MAX);
    VOLT_REQUIRE(Y.data && Y.cols > 0 && Y.rows == K.rows && Y.ld >= Y.cols && Y.ld <= INT_MAX, VOLT_ERR_SHAPE,
                 "the targets are %" PRId64 " x %" PRId64 ", and must have %" PRId64
                 " rows like the Gram matrix, and a column",
                 Y.rows, Y.cols, K.rows);
    VOLT_REQUIRE(c, VOLT_ERR_ARGUMENT, "there is no place for the intercepts");
    VOLT_REQUIRE(options->alpha > 0 && isfinite(options->alpha), VOLT_ERR_ARGUMENT,
                 "alpha is %g, and must be positive and finite", options->alpha);
    for (int64_t i = 0; i < Y.rows; i++)
        for (int64_t k = 0; k < Y.cols; k++)
            VOLT_REQUIRE(isfinite(Y.data[i * Y.ld + k]), VOLT_ERR_NOT_FINITE,
                         "the targets hold %g in row %" PRId64 ", column %" PRId64 " (counted from 1)",
                         Y.data[i * Y.ld + k], i + 1, k + 1);
    return VOLT_OK;
}

static double largest_diagonal(volt_matrix K)
{
    double largest = 0;
    for (int64_t i = 0; i < K.rows; i++)
        largest = fmax(largest, K.data[i * K.ld + i]);
    return largest;
}

/* c <- (u' W) / (u' u), W <- W - u c. */
static void take_intercept(const double *u, volt_matrix W, double *c)
{
    double uu = 0;
    for (int64_t k = 0; k < W.cols; k++)
        c[k] = 0;
    for (int64_t i = 0; i < W.rows; i++) {
        uu += u[i] * u[i];
        for (int64_t k = 0; k < W.cols; k++)
            c[k] += u[i] * W.data[i * W.ld + k];
    }
    for (int64_t k = 0; k < W.cols; k++)
        c[k] /= uu;
    for (int64_t i = 0; i < W.rows; i++)
        for (int64_t k = 0; k < W.cols; k++)
            W.data[i * W.ld + k] -= u[i] * c[k];
}

/* Below the rounding level alpha is to blame; above it the matrix itself, which no kernel that is positive
 * semidefinite would give. */
volt_status volt_ridge_singular(int64_t pivot, int64_t n, double alpha, double level)
{
    if (alpha >= level)
        return volt_fail(
            VOLT_ERR_SINGULAR,
            "Cholesky failed at pivot %" PRId64 " of %" PRId64
            ": alpha = %g is above the rounding level n eps max K_ii = %.3g, so the Gram matrix is not "
            "positive semidefinite; take a larger alpha or another kernel",
            pivot, n, alpha, level);
    return volt_fail(VOLT_ERR_SINGULAR,
                     "Cholesky failed at pivot %" PRId64 " of %" PRId64
                     ": alpha = %g, and the rounding level n eps max K_ii is %.3g; alpha = %.2g would do",
                     pivot, n, alpha, level, 10 * level);
}

/* Factor and solve; `scratch` has n numbers. */
static volt_status solve(volt_matrix K, volt_matrix Y, const volt_ridge_options *options, volt_stage *stage,
                         double *scratch, double *c, volt_ridge_report *report)
{
    int64_t n = K.rows;
    for (int64_t i = 0; i < n; i++)
        K.data[i * K.ld + i] += options->alpha;
    double norm = volt_symmetric_norm(volt_as_view(K), scratch);
    VOLT_REQUIRE(isfinite(norm), VOLT_ERR_NOT_FINITE, "the Gram matrix holds a value that is not finite");

    int64_t pivot = 0;
    volt_cholesky_factor(K, stage, &pivot);
    VOLT_TRY(volt_stage_end(stage));
    if (pivot)
        return volt_ridge_singular(pivot, n, options->alpha, report->rounding_level);
    VOLT_TRY(volt_cholesky_rcond(K, norm, &report->rcond));
    VOLT_TRY(volt_stage_end(stage)); /* the estimate reads the factor some ten times */

    volt_cholesky_forward(K, Y);
    if (options->intercept) {
        for (int64_t i = 0; i < n; i++)
            scratch[i] = 1;
        volt_cholesky_forward(K, volt_matrix_of(scratch, n, 1));
        take_intercept(scratch, Y, c);
    } else {
        memset(c, 0, (size_t)Y.cols * sizeof *c);
    }
    volt_cholesky_backward(K, Y);
    return VOLT_OK;
}

volt_status volt_ridge_solve_stage(volt_matrix K, volt_matrix Y, const volt_ridge_options *options,
                                   volt_ridge_stage where, double *c, volt_ridge_report *report)
{
    volt_ridge_options standard = volt_ridge_options_default();
    if (!options)
        options = &standard;
    VOLT_TRY(check(K, Y, options, c));

    double size = fmax(largest_diagonal(K), where.size);
    volt_ridge_report made = {.rounding_level = (double)K.rows * DBL_EPSILON * size};
    if (options->alpha < made.rounding_level)
        volt_log(VOLT_LOG_WARNING,
                 "alpha = %g is below the rounding level n eps max K_ii = %.3g; %.2g would be safe",
                 options->alpha, made.rounding_level, 10 * made.rounding_level);

    double *scratch = volt_alloc_doubles(K.rows, 1);
    if (!scratch)
        return VOLT_ERR_MEMORY;
    volt_stage stage;
    volt_stage_begin(&stage, options->progress, "factor", where.from, where.share, volt_cholesky_units(K.rows));
    volt_blas_use use;
    volt_status status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        status = solve(K, Y, options, &stage, scratch, c, &made);
        volt_blas_release(&use);
    }
    volt_free(scratch);
    if (status == VOLT_OK && report)
        *report = made;
    return status;
}

volt_status volt_ridge_solve(volt_matrix K, volt_matrix Y, const volt_ridge_options *options, double *c,
                             volt_ridge_report *report)
{
    volt_ridge_stage whole = {.from = 0, .share = 1};
    return volt_ridge_solve_stage(K, Y, options, whole, c, report);
}
