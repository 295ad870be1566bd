/* src/series/classify/series_model.c: the readout on series: info and predictions. */
#include "series/classify/series_model.h"

#include "base/alpha_grid.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/threads.h"
#include "base/views.h"
#include "kernel/kernel_entry.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

volt_series_options volt_series_options_default(void)
{
    return (volt_series_options){.struct_size = sizeof(volt_series_options),
                                 .scale = VOLT_SERIES_CHOOSE,
                                 .input = VOLT_SERIES_CHOOSE,
                                 .compare = VOLT_SERIES_CHOOSE,
                                 .normalise = 1,
                                 .draws = VOLT_SERIES_CHOOSE,
                                 .budget = VOLT_SERIES_CHOOSE,
                                 .screen = VOLT_SERIES_CHOOSE,
                                 .landmarks = VOLT_SERIES_CHOOSE,
                                 .folds = 5,
                                 .blend = 3,
                                 .splits = 20,
                                 .held_out = 0.3};
}

volt_status volt_series_model_allocate(volt_series_model *model, int64_t n, int64_t columns, int64_t outputs)
{
    model->columns = columns;
    model->A = volt_alloc_doubles(columns, outputs);
    model->c = volt_alloc_doubles(outputs, 1);
    model->loo_outputs = volt_alloc_doubles(n, outputs);
    return model->A && model->c && model->loo_outputs ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_series_model_free(volt_series_model *model)
{
    if (!model)
        return;
    for (int64_t p = 0; p < VOLT_MAX_BLEND; p++)
        volt_kernel_free(model->parts[p].kernel);
    for (int64_t p = 0; p < VOLT_MAX_PREPARATIONS; p++)
        volt_objects_free(model->objects[p]);
    volt_loss_free(model->loss);
    volt_free(model->A);
    volt_free(model->c);
    volt_free(model->loo_outputs);
    volt_free(model->warnings);
    volt_free(model);
}

void volt_series_model_describe(volt_series_model *model)
{
    volt_series_info *info = &model->info;
    for (int64_t p = 0; p < model->n_parts; p++) {
        volt_objects_options way = model->parts[p].objects->options;
        model->kernels[p] =
            (volt_series_kernel){volt_kernel_text(model->parts[p].kernel), way.scale, way.input, way.compare};
    }
    volt_series_kernel first = model->kernels[0];
    info->channels = model->parts[0].objects->channels;
    info->parts = model->n_parts;
    info->kernels = model->kernels;
    info->kernel = first.kernel;
    info->loss = model->loss ? model->loss->text : "squares";
    info->scale = first.scale;
    info->input = first.input;
    info->compare = first.compare;
    info->left_out_outputs = model->loo_outputs;
    info->warnings = model->warnings;
}

volt_status volt_series_model_get_info(const volt_series_model *model, volt_series_info *info)
{
    VOLT_REQUIRE(model && info, VOLT_ERR_ARGUMENT, "the model or the output for its info is NULL");
    return volt_result_copy(info, &model->info, sizeof model->info, "volt_series_info");
}

/* ---- predict ---------------------------------------------------------------------------------- */

static volt_status check_place(volt_matrix place, int64_t rows, int64_t cols, const char *name)
{
    return place.data ? volt_check_output(place, rows, cols, name) : VOLT_OK;
}

static void read_out(const volt_series_model *model, const double *K, double *u)
{
    int64_t q = model->info.outputs;
    for (int64_t k = 0; k < q; k++)
        u[k] = model->c[k];
    for (int64_t j = 0; j < model->columns; j++)
        for (int64_t k = 0; k < q; k++)
            u[k] += K[j] * model->A[j * q + k];
    if (model->loss)
        volt_loss_link(model->loss, q, u);
}

/* Adds the parts into C; K is one of them. */
static volt_status add_part(const volt_series_model *model, int64_t p, const volt_view *series,
                            const volt_progress *progress, volt_matrix K, volt_matrix C)
{
    const volt_series_part *part = &model->parts[p];
    VOLT_TRY(volt_objects_cross(part->objects, part->kernel, series, K.rows, progress, K, NULL));
    for (int64_t i = 0; i < K.rows * K.cols; i++)
        C.data[i] += K.data[i] / model->divisor;
    return VOLT_OK;
}

static void give(const volt_series_model *model, int64_t i, double *u, volt_matrix outputs,
                 volt_matrix probabilities, int64_t *classes)
{
    int64_t q = model->info.outputs;
    if (outputs.data)
        memcpy(outputs.data + i * outputs.ld, u, (size_t)q * sizeof *u);
    if (classes)
        classes[i] = volt_class_of_largest(u, q);
    if (!probabilities.data)
        return;
    if (!model->loss)
        volt_class_softmax(u, q, model->info.temperature);
    memcpy(probabilities.data + i * probabilities.ld, u, (size_t)q * sizeof *u);
}

volt_status volt_series_model_predict(const volt_series_model *model, const volt_view *series, int64_t count,
                                      volt_progress progress, volt_matrix outputs, volt_matrix probabilities,
                                      int64_t *classes)
{
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the model is NULL");
    int64_t n = model->columns, q = model->info.outputs;
    VOLT_REQUIRE(series && count > 0, VOLT_ERR_SHAPE, "the collection is empty");
    VOLT_REQUIRE(model->info.classes > 0 || (!probabilities.data && !classes), VOLT_ERR_ARGUMENT,
                 "the model predicts numbers, which have no classes and no probabilities");
    VOLT_REQUIRE(outputs.data || probabilities.data || classes, VOLT_ERR_ARGUMENT,
                 "outputs, probabilities and classes are all NULL");
    VOLT_TRY(check_place(outputs, count, q, "the outputs"));
    VOLT_TRY(check_place(probabilities, count, q, "the probabilities"));
    VOLT_TRY(
        volt_memory_require(16.0 * (double)count * (double)n, "the matrices of new against training series"));
    volt_matrix C = volt_matrix_of(volt_alloc_zero(count * n, sizeof(double)), count, n);
    volt_matrix K = volt_matrix_of(volt_alloc_doubles(count, n), count, n);
    double *u = volt_alloc_doubles(q, 1);
    volt_status status = C.data && K.data && u ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t p = 0; p < model->n_parts && status == VOLT_OK; p++)
        status = add_part(model, p, series, &progress, K, C);
    for (int64_t i = 0; i < count && status == VOLT_OK; i++) {
        read_out(model, C.data + i * n, u);
        give(model, i, u, outputs, probabilities, classes);
    }
    volt_free(C.data);
    volt_free(K.data);
    volt_free(u);
    return status;
}

/* ---- regression on whole series ---------------------------------------------------------------------- */

/* (K / s + alpha I) A + 1 c' = Y,  1' A = 0,        s the mean of the diagonal of K
 *
 * with leave-one-out errors from the same inverse (series/classify/series_model.h). */

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

volt_status volt_series_ridge_fit(const volt_view *series, int64_t count, volt_view Y,
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
