/* src/model/fit.c: from a sequence of inputs and targets to a model.
 *
 * Scales and kernel are made here, the readout by a solver of the table (solve/solver_table.h). Fitted values need no
 * further kernel: K A + 1 c = Y - alpha A on the fitted rows, and K A of the rows of the washout comes with the
 * readout.
 *
 * A kernel with a centred Gram matrix, H K H, and no intercept forecasts like the plain kernel with an
 * intercept, less the mean of the targets it was fitted to: it is solved as that (factor.h). */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/name_lists.h"
#include "kernel/gram/gram.h"
#include "model/model_internal.h"
#include "solve/solver_table.h"

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

static volt_status check_memory(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q)
{
    volt_plan plan;
    char what[96];
    VOLT_TRY(volt_plan_kernel(kernel, n, d, q, 0, &plan));
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

/* The scaled training inputs as the kernel wants them. */
static volt_status pack_columns(volt_model *model, volt_view Z, volt_progress progress)
{
    volt_stage stage; /* the beginning of the Gram matrix, to whose share the solver adds */
    volt_stage_begin(&stage, progress, "gram", 0, 0, 1);
    VOLT_TRY(volt_columns_create(&model->resolved, Z, &stage, &model->columns));
    return volt_stage_goes_on(&stage) ? VOLT_OK : volt_stage_end(&stage);
}

/* Coefficients, intercepts, and the state of the past after the last row. `washed` (washout x q), where it is wanted,
 * receives what the kernel says on the rows of the washout. */
static volt_status solve_readout(volt_model *model, volt_view Z, volt_view Y, const volt_solver *solver,
                                 volt_progress progress, double *unlearned, volt_matrix washed)
{
    int64_t w = model->washout, q = model->q, kept = model->n - w;
    volt_matrix A = volt_matrix_of(model->coefficients + w * q, kept, q);
    memset(model->coefficients, 0, (size_t)(w * q) * sizeof(double));
    for (int64_t i = 0; i < kept; i++)
        for (int64_t k = 0; k < q; k++)
            A.data[i * q + k] = (Y.data[(w + i) * Y.ld + k] - model->target_mean[k]) / model->target_scale[k];

    bool intercept = model->intercept || model->resolved.centred;
    volt_solver_task task = {.washout = w,
                             .alpha = model->alpha,
                             .intercept = intercept,
                             .common = intercept ? model->resolved.common : 0,
                             .centred = model->resolved.centred && !model->intercept,
                             .progress = progress};
    volt_readout readout = {.A = A, .intercepts = model->intercepts, .unlearned = unlearned, .washed = washed};
    VOLT_TRY(volt_kernel_operator(&model->resolved, model->columns, Z, false, &task.kernel));
    volt_status status = solver->solve(&task, &readout);
    if (status == VOLT_OK)
        status = volt_kernel_operator_end(task.kernel, &model->end);
    volt_operator_free(task.kernel);
    model->rcond = readout.rcond;
    return status;
}

/* See the head of this file; the rows of the washout hold what the kernel says there. */
static volt_status finish_fitted(const volt_model *model, volt_view Y, const double *unlearned,
                                 volt_matrix fitted)
{
    int64_t w = model->washout, q = model->q;
    for (int64_t i = 0; i < w; i++)
        VOLT_TRY(volt_model_finish_output(model, i, fitted.data + i * fitted.ld));
    for (int64_t k = 0; k < q; k++) {
        double scale = model->target_scale[k], shift = scale * unlearned[k];
        for (int64_t i = w; i < model->n; i++)
            fitted.data[i * fitted.ld + k] =
                Y.data[i * Y.ld + k] - shift - model->alpha * scale * model->coefficients[i * q + k];
    }
    return VOLT_OK;
}

static volt_status fit(const volt_kernel *kernel, volt_view X, volt_view Y, const volt_fit_options *options,
                       volt_matrix fitted, volt_model **model)
{
    VOLT_TRY(check_memory(kernel, X.rows, X.cols, Y.cols));
    int64_t n = X.rows;
    const volt_solver *solver = volt_solver_choose(n, Y.cols, (double)volt_memory_available());
    volt_model *fresh = NULL;
    volt_matrix Z = volt_matrix_of(volt_alloc_doubles(n, X.cols), n, X.cols);
    double *unlearned = volt_alloc_doubles(Y.cols, 1);
    volt_status status = Z.data && unlearned ? volt_model_allocate(n, X.cols, Y.cols, &fresh) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = prepare(kernel, X, Y, options, Z, fresh);
    if (status == VOLT_OK)
        status = pack_columns(fresh, volt_as_view(Z), options->progress);
    if (status == VOLT_OK)
        status = solve_readout(fresh, volt_as_view(Z), Y, solver, options->progress, unlearned,
                               volt_matrix_rows(fitted, 0, options->washout));
    if (status == VOLT_OK && fitted.data)
        status = finish_fitted(fresh, Y, unlearned, fitted);

    volt_free(unlearned);
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
