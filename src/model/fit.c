/* src/model/fit.c: from a sequence of inputs and targets to a model.
 *
 * The Gram matrix K of the scaled inputs is filled in its lower triangle, the block K[w:, w:] that remains
 * after a washout of w rows is factored in place, and the coefficients follow (solve/ridge.c). Fitted values
 * need no further kernel: K A + 1 c = Y - alpha A on the fitted rows, and for rows of the washout the block
 * K[w:, :w], which the factorisation does not touch, is still there.
 *
 * A kernel with a centred Gram matrix, H K H, and no intercept forecasts like the plain kernel with an
 * intercept, less the mean of the targets it was fitted to: K stays as it is, and the intercept carries it. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/gram/gram.h"
#include "model/model_internal.h"
#include "solve/ridge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

volt_fit_options volt_fit_options_default(void)
{
    volt_fit_options options = {.alpha = 1e-6, .intercept = 1, .scale = 1};
    return options;
}

static volt_status check(const volt_kernel *kernel, volt_view X, volt_view Y, const volt_fit_options *options,
                         volt_matrix fitted, volt_model **model)
{
    VOLT_REQUIRE(kernel && model, VOLT_ERR_ARGUMENT, "the kernel or the place for the model is NULL");
    VOLT_TRY(volt_check_pairs(X, Y));
    VOLT_REQUIRE(options->alpha > 0 && isfinite(options->alpha), VOLT_ERR_ARGUMENT,
                 "alpha is %g, and must be positive and finite", options->alpha);
    VOLT_REQUIRE(options->washout >= 0 && options->washout < X.rows, VOLT_ERR_ARGUMENT,
                 "the washout is %" PRId64 ", and must lie from 0 to %" PRId64 ", one less than the rows",
                 options->washout, X.rows - 1);
    VOLT_REQUIRE(options->ahead >= 0, VOLT_ERR_ARGUMENT, "ahead is %" PRId64 ", and must be at least 0",
                 options->ahead);
    VOLT_REQUIRE(!options->feedback || X.cols == Y.cols, VOLT_ERR_ARGUMENT,
                 "feedback needs as many outputs as inputs, and there are %" PRId64 " and %" PRId64, Y.cols,
                 X.cols);
    VOLT_REQUIRE(!fitted.data || (fitted.rows == Y.rows && fitted.cols == Y.cols && fitted.ld >= fitted.cols),
                 VOLT_ERR_SHAPE,
                 "the fitted values are %" PRId64 " x %" PRId64 ", and must be %" PRId64 " x %" PRId64,
                 fitted.rows, fitted.cols, Y.rows, Y.cols);
    return VOLT_OK;
}

static volt_status check_memory(int64_t n, int64_t d, int64_t q)
{
    volt_plan plan;
    char what[96];
    VOLT_TRY(volt_plan_fit(n, d, q, 0, &plan));
    snprintf(what, sizeof what, "a fit on %" PRId64 " rows", n);
    volt_status status = volt_memory_require(plan.fit_bytes, what);
    if (status == VOLT_OK)
        return status;
    char first[256];
    snprintf(first, sizeof first, "%s", volt_error_detail());
    return volt_fail(status, "%s; up to %" PRId64 " rows would fit", first, plan.n_that_fits);
}

/* Scales and kernel: all that precedes the Gram matrix. `Z` (n x d) receives the scaled inputs. */
static volt_status prepare(const volt_kernel *kernel, volt_view X, volt_view Y, const volt_fit_options *options,
                           volt_matrix Z, volt_model *model)
{
    model->washout = options->washout;
    model->ahead = options->ahead;
    model->intercept = options->intercept != 0;
    model->scaled = options->scale != 0;
    model->feedback = options->feedback != 0;
    model->alpha = options->alpha;
    memcpy(model->last_target, Y.data + (Y.rows - 1) * Y.ld, (size_t)Y.cols * sizeof(double));
    VOLT_TRY(volt_names_copy(options->input_names, model->d, &model->input_names));
    VOLT_TRY(volt_names_copy(options->output_names, model->q, &model->output_names));
    VOLT_TRY(volt_kernel_parse(volt_kernel_text(kernel), &model->kernel));

    VOLT_TRY(volt_input_scale_learn(X, !volt_kernel_keeps_origin(kernel), !model->scaled, &model->input));
    volt_target_scale_learn(Y, !model->scaled, model->target_mean, model->target_scale);
    for (int64_t i = 0; i < X.rows; i++)
        volt_input_scale_row(&model->input, model->d, X.data + i * X.ld, Z.data + i * Z.ld);

    volt_extent extent;
    VOLT_TRY(volt_extent_of(volt_as_view(Z), "the inputs", &extent));
    VOLT_TRY(volt_kernel_resolve(model->kernel, extent, model->d, &model->resolved));
    volt_kernel_warn(model->kernel);
    return VOLT_OK;
}

/* The columns, the lower triangle of K, and the model's state after the last row. */
static volt_status fill_gram(volt_model *model, volt_view Z, volt_progress progress, double share,
                             volt_matrix K)
{
    volt_past *past = NULL;
    volt_stage stage;
    volt_stage_begin(&stage, progress, "gram", 0, share, (double)Z.rows * (double)Z.rows / 2);
    VOLT_TRY(volt_columns_create(&model->resolved, Z, &stage, &model->columns));
    VOLT_TRY(volt_past_create(&model->resolved, model->columns, Z.rows, &past));
    volt_past_advance(past, Z, true, K, &stage);
    volt_status status = volt_stage_end(&stage);
    if (status == VOLT_OK)
        status = volt_past_copy(past, 1, &model->end);
    volt_past_free(past);
    return status;
}

static void subtract_from_lower(volt_matrix K, double common)
{
#pragma omp parallel for schedule(dynamic, 64) num_threads((int)volt_threads())
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j <= i; j++)
            K.data[i * K.ld + j] -= common;
}

/* What a centred kernel without an intercept does not learn: the mean of target k, scaled, over the fitted rows. */
static double unlearned_mean(const volt_model *model, volt_view Y, int64_t k)
{
    if (!model->resolved.centred || model->intercept)
        return 0;
    double sum = 0;
    for (int64_t i = model->washout; i < model->n; i++)
        sum += (Y.data[i * Y.ld + k] - model->target_mean[k]) / model->target_scale[k];
    return sum / (double)(model->n - model->washout);
}

/* The readout. With an intercept, K and K - common 11' give the same forecasts (1' A = 0), and the second is
 * far better conditioned near the bound of lambda; what 1' A is not quite 0 by goes into the intercept. */
static volt_status solve_readout(volt_model *model, volt_view Y, const volt_fit_options *options, double from,
                                 volt_matrix K)
{
    int64_t w = model->washout, q = model->q, kept = model->n - w;
    volt_matrix block = {K.data + w * K.ld + w, kept, kept, K.ld};
    volt_matrix A = volt_matrix_of(model->coefficients + w * q, kept, q);
    memset(model->coefficients, 0, (size_t)(w * q) * sizeof(double));
    for (int64_t i = 0; i < kept; i++)
        for (int64_t k = 0; k < q; k++)
            A.data[i * q + k] = (Y.data[(w + i) * Y.ld + k] - model->target_mean[k]) / model->target_scale[k];

    /* What is left of K after the subtraction still carries the rounding of K. */
    bool intercept = model->intercept || model->resolved.centred;
    double common = intercept ? model->resolved.common : 0, size = 0;
    for (int64_t i = 0; i < kept; i++)
        size = fmax(size, block.data[i * block.ld + i]);
    if (common != 0)
        subtract_from_lower(block, common);

    volt_ridge_options ridge = {.alpha = options->alpha, .intercept = intercept, .progress = options->progress};
    volt_ridge_report report;
    volt_ridge_stage stage = {.from = from, .share = 1 - from, .size = size};
    VOLT_TRY(volt_ridge_solve_stage(block, A, &ridge, stage, model->intercepts, &report));
    model->rcond = report.rcond;

    for (int64_t k = 0; k < q; k++) {
        double sum = 0;
        for (int64_t i = 0; i < kept; i++)
            sum += A.data[i * q + k];
        model->intercepts[k] -= common * sum + unlearned_mean(model, Y, k);
    }
    return VOLT_OK;
}

/* See the head of this file. */
static volt_status fill_fitted(const volt_model *model, volt_view Y, volt_matrix K, volt_matrix fitted)
{
    int64_t w = model->washout, q = model->q;
    if (w > 0) {
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (volt_blas_int)w, (volt_blas_int)q,
                    (volt_blas_int)(model->n - w), 1, K.data + w * K.ld, (volt_blas_int)K.ld,
                    model->coefficients + w * q, (volt_blas_int)q, 0, fitted.data, (volt_blas_int)fitted.ld);
        for (int64_t i = 0; i < w; i++)
            VOLT_TRY(volt_model_finish_output(model, i, fitted.data + i * fitted.ld));
    }
    for (int64_t k = 0; k < q; k++) {
        double scale = model->target_scale[k], shift = scale * unlearned_mean(model, Y, k);
        for (int64_t i = w; i < model->n; i++)
            fitted.data[i * fitted.ld + k] =
                Y.data[i * Y.ld + k] - shift - model->alpha * scale * model->coefficients[i * q + k];
    }
    return VOLT_OK;
}

/* The share of the whole that the Gram matrix takes, from the operations of each part. */
static double gram_share(int64_t n, int64_t d)
{
    double gram = (double)n * (double)n / 2 * (2 * (double)d + 24);
    double factor = (double)n * (double)n * (double)n / 3;
    return gram / (gram + factor);
}

static volt_status fit(const volt_kernel *kernel, volt_view X, volt_view Y, const volt_fit_options *options,
                       volt_matrix fitted, volt_model **model)
{
    VOLT_TRY(check_memory(X.rows, X.cols, Y.cols));
    int64_t n = X.rows;
    double share = gram_share(n, X.cols);
    volt_model *fresh = NULL;
    volt_matrix Z = volt_matrix_of(volt_alloc_doubles(n, X.cols), n, X.cols);
    volt_matrix K = volt_matrix_of(volt_alloc_doubles(n, n), n, n);
    volt_status status = Z.data && K.data ? volt_model_allocate(n, X.cols, Y.cols, &fresh) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = prepare(kernel, X, Y, options, Z, fresh);
    if (status == VOLT_OK)
        status = fill_gram(fresh, volt_as_view(Z), options->progress, share, K);
    if (status == VOLT_OK)
        status = solve_readout(fresh, Y, options, share, K);
    if (status == VOLT_OK && fitted.data)
        status = fill_fitted(fresh, Y, K, fitted);

    volt_free(K.data);
    volt_free(Z.data);
    if (status == VOLT_OK)
        *model = fresh;
    else
        volt_model_free(fresh);
    return status;
}

volt_status volt_model_fit(const volt_kernel *kernel, volt_view X, volt_view Y, const volt_fit_options *options,
                           volt_matrix fitted, volt_model **model)
{
    volt_fit_options standard = volt_fit_options_default();
    if (!options)
        options = &standard;
    volt_blas_use use;
    VOLT_TRY(check(kernel, X, Y, options, fitted, model));
    VOLT_TRY(volt_blas_claim(&use));
    volt_status status = fit(kernel, X, Y, options, fitted, model);
    volt_blas_release(&use);
    return status;
}
