/* src/solve/exact/ridge.c: ridge regression with an exact unpenalised intercept.
 *
 *     L L' = K + alpha I,  W = L^{-1} Y,  u = L^{-1} 1
 *     c = (u' W) / (u' u),  A = L^{-T} (W - u c)
 *
 * minimises |K A + 1 c - Y|^2 + alpha tr(A' K A); 1' A = 0 follows. Without intercept c = 0. factor.h
 * implements the formulas; this file implements the sequence of a solve, its checks, report and messages. */
#include "solve/exact/ridge.h"

#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"

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
                 "the Gram matrix must be square, with a leading dimension of at most %d (got %" PRId64
                 " x %" PRId64 ", leading dimension %" PRId64 ")",
                 INT_MAX, K.rows, K.cols, K.ld);
    VOLT_REQUIRE(Y.data && Y.cols > 0 && Y.rows == K.rows && Y.ld >= Y.cols && Y.ld <= INT_MAX, VOLT_ERR_SHAPE,
                 "the targets must have %" PRId64
                 " rows, as the Gram matrix, and at least one column (got %" PRId64 " x %" PRId64 ")",
                 K.rows, Y.rows, Y.cols);
    VOLT_REQUIRE(c, VOLT_ERR_ARGUMENT, "the intercepts are NULL");
    VOLT_REQUIRE(options->alpha > 0 && isfinite(options->alpha), VOLT_ERR_ARGUMENT,
                 "alpha must be positive and finite (got %g)", options->alpha);
    for (int64_t i = 0; i < Y.rows; i++)
        for (int64_t k = 0; k < Y.cols; k++)
            VOLT_REQUIRE(isfinite(Y.data[i * Y.ld + k]), VOLT_ERR_NOT_FINITE,
                         "the targets contain %g in row %" PRId64 ", column %" PRId64 " (counted from 1)",
                         Y.data[i * Y.ld + k], i + 1, k + 1);
    return VOLT_OK;
}

/* Below the rounding level alpha is too small. Above it the matrix is at fault: it is not positive
 * semidefinite. */
volt_status volt_ridge_singular(int64_t pivot, int64_t n, double alpha, double level)
{
    if (alpha >= level)
        return volt_fail(
            VOLT_ERR_SINGULAR,
            "Cholesky failed at pivot %" PRId64 " of %" PRId64
            ": alpha = %g is above the rounding level n eps max K_ii = %.3g, so the Gram matrix is not "
            "positive semidefinite; use a larger alpha or another kernel",
            pivot, n, alpha, level);
    return volt_fail(
        VOLT_ERR_SINGULAR,
        "Cholesky failed at pivot %" PRId64 " of %" PRId64
        ": alpha = %g is too small for the rounding level n eps max K_ii = %.3g; alpha = %.2g would suffice",
        pivot, n, alpha, level, 10 * level);
}

/* Errors of the held-out rows, while the forward solves are available. */
static volt_status hold_out(volt_factor *f)
{
    volt_held_out *held = f->task.held_out;
    volt_matrix e = volt_matrix_of(volt_alloc_doubles(held->rows, f->q), held->rows, f->q);
    if (!e.data)
        return VOLT_ERR_MEMORY;
    volt_status status =
        volt_factor_held_out(f, held->ahead, held->begin, f->task.u != NULL, volt_held_out_block(held), e);
    for (int64_t k = 0; status == VOLT_OK && k < f->q; k++) {
        held->mse[k] = 0;
        for (int64_t i = 0; i < held->rows; i++)
            held->mse[k] += e.data[i * e.ld + k] * e.data[i * e.ld + k] / (double)held->counted;
    }
    volt_free(e.data);
    return status;
}

/* Errors of the rows; every output uses its own column. */
static volt_status take_errors(volt_factor *f)
{
    int64_t *column = volt_alloc(f->q, sizeof *column);
    if (!column)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < f->q; k++)
        column[k] = k;
    volt_status status = VOLT_OK;
    for (int i = 0; i < VOLT_ROW_ERRORS && status == VOLT_OK; i++)
        status = volt_factor_row_errors(f, f->task.u != NULL, column, &f->task.errors[i]);
    volt_free(column);
    return status;
}

static volt_status solve(volt_factor *f, volt_stage *stage, volt_ridge_report *report)
{
    double norm = 0;
    VOLT_TRY(volt_factor_norm(f, &norm));
    VOLT_TRY(volt_factor_grow(f, f->L.rows));
    VOLT_TRY(volt_stage_end(stage));
    VOLT_TRY(volt_factor_rcond(f, norm, &report->rcond));
    VOLT_TRY(volt_stage_end(stage)); /* the estimate reads the factor about ten times */
    volt_factor_intercepts(f);
    if (f->task.held_out && f->task.held_out->rows > 0)
        VOLT_TRY(hold_out(f));
    if (f->task.errors)
        VOLT_TRY(take_errors(f));
    if (f->task.log_likelihood &&
        volt_factor_log_score(f, f->task.target_scale, f->task.log_likelihood) != VOLT_OK)
        *f->task.log_likelihood = NAN; /* an exactly fitted target is not a failure of the fit */
    volt_factor_coefficients(f, f->task.W);
    return VOLT_OK;
}

volt_status volt_ridge_run(volt_factor *f, volt_progress progress, double from, double share,
                           volt_ridge_report *report)
{
    int64_t n = f->L.rows;
    volt_ridge_report made = {.rounding_level = volt_factor_rounding_level(f, n)};
    if (f->task.alpha < made.rounding_level)
        volt_log(VOLT_LOG_WARNING,
                 "alpha = %g is below the rounding level n eps max K_ii = %.3g; use at least %.2g",
                 f->task.alpha, made.rounding_level, 10 * made.rounding_level);
    volt_stage stage;
    volt_stage_begin(&stage, progress, "factor", from, share, volt_cholesky_units(n));
    f->task.stage = &stage;
    volt_status status = solve(f, &stage, &made);
    f->task.stage = NULL;
    if (status == VOLT_OK)
        *report = made;
    return status;
}

/* Uses the memory of K and Y; u has n numbers. */
static volt_status solve_in_place(volt_matrix K, volt_matrix Y, const volt_ridge_options *options, double *u,
                                  double *c, volt_ridge_report *report)
{
    volt_factor *factor = NULL;
    volt_factor_task task = {.rows = K.rows,
                             .ld = K.ld,
                             .alpha = options->alpha,
                             .Y = volt_as_view(Y),
                             .W = Y,
                             .u = options->intercept ? u : NULL,
                             .ld_u = 1};
    VOLT_TRY(volt_factor_create(&volt_cpu_backend, K.data, K.rows, Y.cols, &factor));
    volt_factor_begin(factor, &task);
    volt_factor_take_rows(factor, K.rows);
    volt_status status = volt_ridge_run(factor, options->progress, 0, 1, report);
    if (status == VOLT_OK)
        memcpy(c, factor->c, (size_t)Y.cols * sizeof *c);
    volt_factor_free(factor);
    return status;
}

volt_status volt_ridge_solve(volt_matrix K, volt_matrix Y, const volt_ridge_options *options, double *c,
                             volt_ridge_report *report)
{
    volt_ridge_options standard = volt_ridge_options_default();
    if (!options)
        options = &standard;
    VOLT_TRY(check(K, Y, options, c));

    volt_ridge_report made;
    volt_blas_use use;
    double *u = volt_alloc_doubles(K.rows, 1);
    volt_status status = u ? volt_blas_claim(&use) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        status = solve_in_place(K, Y, options, u, c, &made);
        volt_blas_release(&use);
    }
    volt_free(u);
    if (status == VOLT_OK && report)
        *report = made;
    return status;
}
