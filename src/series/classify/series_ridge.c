/* src/series/classify/series_ridge.c: numbers of whole series.
 *
 *     (K / s + alpha I) A + 1 c' = Y,  1' A = 0,        s the mean of the diagonal of K
 *
 * with the errors of every series left out from the same inverse (series/classify/left_out.h). */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "kernel/extent.h"
#include "kernel/gram/gram.h"
#include "series/classify/left_out.h"
#include "series/gram/objects_internal.h"
#include "solve/choice/alpha_grid.h"
#include "volterra/series.h"

#include <inttypes.h>
#include <math.h>

struct volt_series_ridge {
    volt_objects *objects;
    volt_kernel *kernel;
    volt_left_out_readout fit; /* of the alpha that was taken, for K / unit */
    double unit;               /* mean of K(x, x) */
    double *Y;                 /* n x q: targets less their means, so that large ones cost no digits */
    double *mean, *variance;   /* q each: variances are what errors are measured by */
    double *left_out;          /* n x q: leave-one-out errors; outputs once the fit has ended */
    volt_series_ridge_info info;
};

volt_series_ridge_options volt_series_ridge_options_default(void)
{
    volt_series_ridge_options options = {.objects = volt_objects_options_default()};
    return options;
}

/* ---- fit -------------------------------------------------------------------------------------- */

static volt_status check(const char *kernel, int64_t count, volt_view Y,
                         const volt_series_ridge_options *options)
{
    volt_extent extent;
    VOLT_REQUIRE(kernel, VOLT_ERR_ARGUMENT, "the kernel is NULL");
    VOLT_REQUIRE(options->alpha >= 0 && isfinite(options->alpha), VOLT_ERR_ARGUMENT,
                 "alpha is %g, and must be finite and at least 0", options->alpha);
    VOLT_REQUIRE(count >= 2, VOLT_ERR_SHAPE, "there are %" PRId64 " training series, and at least 2 are needed",
                 count);
    VOLT_TRY(volt_check_shape(Y, "Y"));
    VOLT_REQUIRE(Y.rows == count, VOLT_ERR_SHAPE, "Y has %" PRId64 " rows, and there are %" PRId64 " series",
                 Y.rows, count);
    return volt_extent_of(Y, "Y", &extent);
}

/* Targets less their means, and mean squares of what is left: 1 for a constant. */
static void take_targets(volt_view Y, volt_series_ridge *ridge)
{
    int64_t n = Y.rows, q = Y.cols;
    for (int64_t k = 0; k < q; k++) {
        double mean = 0, sum = 0;
        for (int64_t i = 0; i < n; i++)
            mean += Y.data[i * Y.ld + k] / (double)n;
        for (int64_t i = 0; i < n; i++) {
            ridge->Y[i * q + k] = Y.data[i * Y.ld + k] - mean;
            sum += ridge->Y[i * q + k] * ridge->Y[i * q + k] / (double)n;
        }
        ridge->mean[k] = mean;
        ridge->variance[k] = sum > 0 && isfinite(sum) ? sum : 1;
    }
}

/* Solve for one alpha. */
static volt_status try_alpha(volt_series_ridge *ridge, volt_view K, double alpha, double *error)
{
    int64_t n = K.rows, q = ridge->fit.q;
    VOLT_TRY(volt_left_out_solve(&ridge->fit, K, alpha, volt_view_of(ridge->Y, n, q)));
    volt_left_out_each(&ridge->fit, volt_matrix_of(ridge->left_out, n, q));
    *error = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            *error += pow(ridge->left_out[i * q + k], 2) / ridge->variance[k] / (double)(n * q);
    VOLT_REQUIRE(isfinite(*error), VOLT_ERR_SINGULAR, "alpha = %g is too small for the rounding of the matrix",
                 alpha);
    return VOLT_OK;
}

/* A fit whose alpha is being chosen. */
typedef struct open_fit {
    volt_series_ridge *ridge;
    volt_view K;
} open_fit;

static volt_status evaluate(void *context, volt_alpha_choice *choice)
{
    const open_fit *fit = context;
    double error;
    VOLT_TRY(try_alpha(fit->ridge, fit->K, choice->alpha, &error));
    volt_alpha_offer(choice, 0, error, 0);
    return VOLT_OK;
}

/* Solves for the best alpha, or the one given. */
static volt_status choose_alpha(volt_series_ridge *ridge, volt_view K, double alpha)
{
    open_fit fit = {ridge, K};
    volt_alpha_best best = {.alpha = alpha};
    if (alpha == 0)
        VOLT_TRY(volt_alpha_choose_one(VOLT_ALPHA_SERIES, 0, evaluate, &fit, &best));
    ridge->info.alpha = best.alpha;
    return try_alpha(ridge, K, best.alpha, &ridge->info.left_out_error);
}

static volt_status divide_by_unit(volt_series_ridge *ridge, volt_matrix K)
{
    double sum = 0;
    for (int64_t i = 0; i < K.rows; i++)
        sum += K.data[i * K.ld + i] / (double)K.rows;
    VOLT_REQUIRE(sum > 0 && isfinite(sum), VOLT_ERR_DATA,
                 "the training series have %g with themselves in the mean, and it must be above 0", sum);
    ridge->unit = sum;
    for (int64_t i = 0; i < K.rows * K.cols; i++)
        K.data[i] /= sum;
    return VOLT_OK;
}

static volt_status allocate(volt_series_ridge *ridge, volt_view Y)
{
    int64_t n = Y.rows, q = Y.cols;
    ridge->Y = volt_alloc_doubles(n, q);
    ridge->left_out = volt_alloc_doubles(n, q);
    ridge->mean = volt_alloc_doubles(q, 1);
    ridge->variance = volt_alloc_doubles(q, 1);
    if (!ridge->Y || !ridge->left_out || !ridge->mean || !ridge->variance)
        return VOLT_ERR_MEMORY;
    take_targets(Y, ridge);
    return volt_left_out_create(n, q, &ridge->fit);
}

static volt_status fit(const char *kernel, const volt_view *series, volt_view Y,
                       const volt_series_ridge_options *options, volt_series_ridge *ridge)
{
    int64_t n = Y.rows;
    VOLT_TRY(volt_kernel_parse(kernel, &ridge->kernel));
    VOLT_TRY(volt_objects_create(series, n, &options->objects, &ridge->objects));
    VOLT_TRY(allocate(ridge, Y));
    volt_matrix K = volt_matrix_of(volt_alloc_doubles(n, n), n, n);
    volt_status status = K.data ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = volt_objects_gram(ridge->objects, ridge->kernel, &options->progress, K);
    if (status == VOLT_OK)
        status = divide_by_unit(ridge, K);
    if (status == VOLT_OK)
        status = choose_alpha(ridge, volt_as_view(K), options->alpha);
    volt_free(K.data);
    return status;
}

volt_status volt_series_ridge_fit(const char *kernel, const volt_view *series, int64_t count, volt_view Y,
                                  const volt_series_ridge_options *options, volt_series_ridge **ridge)
{
    volt_series_ridge_options standard = volt_series_ridge_options_default();
    volt_blas_use use;
    if (!options)
        options = &standard;
    VOLT_REQUIRE(ridge, VOLT_ERR_ARGUMENT, "the place for the ridge regression is NULL");
    VOLT_TRY(check(kernel, count, Y, options));
    VOLT_TRY(volt_memory_require(16.0 * (double)count * (double)count,
                                 "the Gram matrix of the training series and its inverse"));
    VOLT_TRY(volt_start_threads());
    VOLT_TRY(volt_blas_claim(&use));
    volt_series_ridge *fresh = volt_alloc_zero(1, sizeof *fresh);
    volt_status status = fresh ? fit(kernel, series, Y, options, fresh) : VOLT_ERR_MEMORY;
    volt_blas_release(&use);
    if (status != VOLT_OK) {
        volt_series_ridge_free(fresh);
        return status;
    }
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < Y.cols; k++) {
            int64_t at = i * Y.cols + k;
            fresh->left_out[at] = fresh->mean[k] + fresh->Y[at] - fresh->left_out[at];
        }
    fresh->info.left_out_outputs = fresh->left_out;
    fresh->info.series = count;
    fresh->info.channels = fresh->objects->channels;
    fresh->info.outputs = Y.cols;
    fresh->info.kernel = volt_kernel_text(fresh->kernel);
    *ridge = fresh;
    return VOLT_OK;
}

void volt_series_ridge_free(volt_series_ridge *ridge)
{
    if (!ridge)
        return;
    volt_objects_free(ridge->objects);
    volt_kernel_free(ridge->kernel);
    volt_left_out_release(&ridge->fit);
    volt_free(ridge->Y);
    volt_free(ridge->left_out);
    volt_free(ridge->mean);
    volt_free(ridge->variance);
    volt_free(ridge);
}

void volt_series_ridge_get_info(const volt_series_ridge *ridge, volt_series_ridge_info *info)
{
    *info = ridge->info;
}

/* ---- outputs ---------------------------------------------------------------------------------- */

static volt_status check_outputs(const volt_series_ridge *ridge, int64_t count, volt_matrix outputs)
{
    VOLT_REQUIRE(ridge, VOLT_ERR_ARGUMENT, "the ridge regression is NULL");
    int64_t q = ridge->info.outputs;
    VOLT_REQUIRE(outputs.data && outputs.rows == count && outputs.cols == q && outputs.ld >= q, VOLT_ERR_SHAPE,
                 "the outputs are %" PRId64 " x %" PRId64 ", and must be %" PRId64 " x %" PRId64, outputs.rows,
                 outputs.cols, count, q);
    return VOLT_OK;
}

volt_status volt_series_ridge_predict(const volt_series_ridge *ridge, const volt_view *series, int64_t count,
                                      const volt_progress *progress, volt_matrix outputs)
{
    VOLT_REQUIRE(series && count > 0, VOLT_ERR_SHAPE, "the collection is empty");
    VOLT_TRY(check_outputs(ridge, count, outputs));
    int64_t n = ridge->info.series, q = ridge->info.outputs;
    VOLT_TRY(volt_memory_require(8.0 * (double)count * (double)n, "the matrix of new against training series"));
    volt_matrix C = volt_matrix_of(volt_alloc_doubles(count, n), count, n);
    if (!C.data)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_objects_cross(ridge->objects, ridge->kernel, series, count, progress, C, NULL);
    for (int64_t i = 0; i < count && status == VOLT_OK; i++) {
        double *u = outputs.data + i * outputs.ld;
        for (int64_t k = 0; k < q; k++)
            u[k] = ridge->mean[k] + ridge->fit.c[k];
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < q; k++)
                u[k] += C.data[i * n + j] / ridge->unit * ridge->fit.A[j * q + k];
    }
    volt_free(C.data);
    return status;
}
