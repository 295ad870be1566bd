/* src/series/classify/series_ridge.c: regression on whole series.
 *
 *     (K / s + alpha I) A + 1 c' = Y,  1' A = 0,        s the mean of the diagonal of K
 *
 * with leave-one-out errors from the same inverse (series/classify/series_model.h). */
#include "base/alpha_grid.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/threads.h"
#include "base/views.h"
#include "kernel/kernel_entry.h"
#include "series/classify/series_model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A fit in progress. */
typedef struct numbers_fit {
    volt_series_model *model;
    volt_loo_readout readout; /* of the chosen alpha, for K / divisor */
    volt_matrix K;
    double *Y;            /* n x q: targets minus their means, to keep digits of large ones */
    double *mean, *scale; /* q each: errors are measured relative to the standard deviations */
} numbers_fit;

static volt_status check(int64_t count, volt_view Y, const volt_series_options *options)
{
    volt_extent extent;
    VOLT_REQUIRE(options->kernel, VOLT_ERR_ARGUMENT, "the kernel is NULL");
    VOLT_REQUIRE(options->alpha >= 0 && isfinite(options->alpha), VOLT_ERR_ARGUMENT,
                 "alpha must be finite and at least 0 (got %g)", options->alpha);
    VOLT_REQUIRE(count >= 2, VOLT_ERR_SHAPE, "at least 2 training series are required (got %" PRId64 ")",
                 count);
    VOLT_TRY(volt_check_shape(Y, "Y"));
    VOLT_REQUIRE(Y.rows == count, VOLT_ERR_SHAPE, "Y has %" PRId64 " rows, but there are %" PRId64 " series",
                 Y.rows, count);
    return volt_extent_of(Y, "Y", &extent);
}

/* The preparation; an option to be chosen has its first value. */
static volt_objects_options preparation_of(const volt_series_options *options)
{
    return (volt_objects_options){(volt_object_scale)volt_max(options->scale, 0),
                                  (volt_object_input)volt_max(options->input, 0), options->normalise,
                                  (volt_object_compare)volt_max(options->compare, 0)};
}

/* Subtracts the means from the targets, and computes the standard deviations: 1 for a constant. */
static volt_status take_targets(volt_view Y, numbers_fit *fit)
{
    int64_t n = Y.rows, q = Y.cols;
    for (int64_t k = 0; k < q; k++) {
        double mean = 0, deviation = 0;
        for (int64_t i = 0; i < n; i++)
            mean += Y.data[i * Y.ld + k] / (double)n;
        for (int64_t i = 0; i < n; i++) {
            fit->Y[i * q + k] = Y.data[i * Y.ld + k] - mean;
            deviation = hypot(deviation, fit->Y[i * q + k] / sqrt((double)n)); /* squares may overflow */
        }
        VOLT_REQUIRE(isfinite(deviation), VOLT_ERR_NOT_FINITE, "column %" PRId64 " of Y is too large", k + 1);
        fit->mean[k] = mean;
        fit->scale[k] = deviation > 0 ? deviation : 1;
    }
    return VOLT_OK;
}

/* Solves for one alpha. The leave-one-out errors are in loo_outputs of the model. */
static volt_status try_alpha(numbers_fit *fit, double alpha, double *error)
{
    int64_t n = fit->K.rows, q = fit->readout.q;
    double *errors = fit->model->loo_outputs;
    VOLT_TRY(volt_loo_solve(&fit->readout, volt_as_view(fit->K), alpha, volt_view_of(fit->Y, n, q)));
    volt_loo_each(&fit->readout, volt_matrix_of(errors, n, q));
    *error = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            *error += pow(errors[i * q + k] / fit->scale[k], 2) / (double)(n * q);
    VOLT_REQUIRE(isfinite(*error), VOLT_ERR_SINGULAR, "alpha = %g is too small for the rounding of the matrix",
                 alpha);
    return VOLT_OK;
}

static volt_status evaluate(void *context, volt_alpha_choice *choice)
{
    double error;
    VOLT_TRY(try_alpha(context, choice->alpha, &error));
    volt_alpha_offer(choice, 0, error, 0);
    return VOLT_OK;
}

/* Solves for the best alpha, or the one given. */
static volt_status choose_alpha(numbers_fit *fit, double alpha)
{
    volt_alpha_best best = {.alpha = alpha};
    if (alpha == 0)
        VOLT_TRY(volt_alpha_choose_one(VOLT_ALPHA_SERIES, 0, evaluate, fit, &best));
    fit->model->info.alpha = best.alpha;
    return try_alpha(fit, best.alpha, &fit->model->info.left_out_error);
}

static volt_status divide_by_unit(numbers_fit *fit)
{
    volt_matrix K = fit->K;
    double sum = 0;
    for (int64_t i = 0; i < K.rows; i++)
        sum += K.data[i * K.ld + i] / (double)K.rows;
    VOLT_REQUIRE(sum > 0 && isfinite(sum), VOLT_ERR_DATA,
                 "the mean of K(x, x) over the training series must be above 0 (got %g)", sum);
    fit->model->divisor = sum;
    for (int64_t i = 0; i < K.rows * K.cols; i++)
        K.data[i] /= sum;
    return VOLT_OK;
}

/* The readout, with the means of the targets in its intercepts and in the leave-one-out outputs. */
static void take_readout(const numbers_fit *fit, int64_t n, int64_t q)
{
    volt_series_model *model = fit->model;
    memcpy(model->A, fit->readout.A, (size_t)(n * q) * sizeof(double));
    for (int64_t k = 0; k < q; k++) {
        model->c[k] = fit->mean[k] + fit->readout.c[k];
        for (int64_t i = k; i < n * q; i += q)
            model->loo_outputs[i] = fit->mean[k] + fit->Y[i] - model->loo_outputs[i];
    }
}

static volt_status fit_in(const volt_view *series, volt_view Y, const volt_series_options *options,
                          numbers_fit *fit)
{
    int64_t n = Y.rows, q = Y.cols;
    volt_series_model *model = fit->model;
    volt_series_part *part = &model->parts[0];
    volt_objects_options preparation = preparation_of(options);
    VOLT_TRY(volt_kernel_parse(options->kernel, &part->kernel));
    VOLT_TRY(volt_objects_create(series, n, &preparation, &model->objects[0]));
    part->objects = model->objects[0];
    VOLT_TRY(volt_series_model_allocate(model, n, n, q));
    VOLT_TRY(volt_loo_create(n, q, &fit->readout));
    fit->K = volt_matrix_of(volt_alloc_doubles(n, n), n, n);
    fit->Y = volt_alloc_doubles(n, q);
    fit->mean = volt_alloc_doubles(q, 1);
    fit->scale = volt_alloc_doubles(q, 1);
    if (!fit->K.data || !fit->Y || !fit->mean || !fit->scale)
        return VOLT_ERR_MEMORY;
    VOLT_TRY(take_targets(Y, fit));
    VOLT_TRY(volt_objects_gram(part->objects, part->kernel, &options->progress, fit->K));
    VOLT_TRY(divide_by_unit(fit));
    VOLT_TRY(choose_alpha(fit, options->alpha));
    take_readout(fit, n, q);
    return VOLT_OK;
}

volt_status volt_series_fit_numbers(const volt_view *series, int64_t count, volt_view Y,
                                    const volt_series_options *given, volt_series_model **model)
{
    volt_series_options options = volt_series_options_default();
    volt_blas_use use;
    double begun = volt_seconds();
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the output for the model is NULL");
    VOLT_TRY(volt_options_take(&options, sizeof options, given, "volt_series_options"));
    VOLT_TRY(check(count, Y, &options));
    VOLT_TRY(volt_memory_require(16.0 * (double)count * (double)count,
                                 "the Gram matrix of the training series and its inverse"));
    VOLT_TRY(volt_start_threads());
    VOLT_TRY(volt_blas_claim(&use));
    numbers_fit fit = {.model = volt_alloc_zero(1, sizeof *fit.model)};
    volt_status status = fit.model ? fit_in(series, Y, &options, &fit) : VOLT_ERR_MEMORY;
    volt_blas_release(&use);
    volt_loo_release(&fit.readout);
    volt_free(fit.K.data);
    volt_free(fit.Y);
    volt_free(fit.mean);
    volt_free(fit.scale);
    if (status != VOLT_OK) {
        volt_series_model_free(fit.model);
        return status;
    }
    volt_series_info *info = &fit.model->info;
    fit.model->n_parts = 1;
    volt_series_model_describe(fit.model);
    info->series = count;
    info->outputs = Y.cols;
    info->left_out = info->nested = info->split_mean = info->split_deviation = NAN;
    info->temperature = info->log_loss = NAN;
    info->seconds = volt_seconds() - begun;
    *model = fit.model;
    return VOLT_OK;
}
