/* src/gram/gram_expression.c: collections with an expression, factor by factor.
 *
 * A factor uses every series filtered, from a zero initial state; the matrices of the factors are multiplied
 * and added. */

#include "base/error.h"
#include "base/memory.h"
#include "gram/gram.h"
#include "kernel/kernel_entry.h"

#include <inttypes.h>

typedef struct expression_job {
    const volt_kernel *kernel;
    const volt_view *X, *Y; /* Y is X if both are the same */
    int64_t n_x, n_y;
    bool same;
    double radius;
    volt_progress progress;
} expression_job;

/* ---- filtered series -------------------------------------------------------------------------- */

typedef struct filtered_series {
    volt_view *series;
    double *numbers;
} filtered_series;

static void release_series(filtered_series *filtered)
{
    volt_free(filtered->series);
    volt_free(filtered->numbers);
}

static volt_status filter_series(const volt_filter *filter, const volt_view *X, int64_t count,
                                 filtered_series *filtered)
{
    int64_t total = 0;
    for (int64_t i = 0; i < count; i++)
        total += X[i].rows * X[i].cols;
    *filtered = (filtered_series){volt_alloc(count, sizeof(volt_view)), volt_alloc_doubles(total, 1)};
    if (!filtered->series || !filtered->numbers)
        return VOLT_ERR_MEMORY;
    double *at = filtered->numbers;
    for (int64_t i = 0; i < count; i++) {
        VOLT_TRY(volt_filter_rows(filter, 1, NULL, X[i], at));
        filtered->series[i] = volt_view_of(at, X[i].rows, X[i].cols);
        at += X[i].rows * X[i].cols;
    }
    return VOLT_OK;
}

/* ---- factors ---------------------------------------------------------------------------------- */

static volt_status fill_factor(const expression_job *job, int64_t f, volt_matrix out)
{
    const volt_kernel *factor = job->kernel->factors[f];
    double radius = 0;
    VOLT_TRY(volt_requested_radius(job->kernel, job->kernel->slice[f], job->X[0].cols, job->radius, &radius));
    volt_gram_options options = {
        .struct_size = sizeof(volt_gram_options), .mirror = 1, .radius = radius, .progress = job->progress};
    filtered_series x = {0}, y = {0};
    volt_status status = filter_series(&factor->filter, job->X, job->n_x, &x);
    if (status == VOLT_OK && !job->same)
        status = filter_series(&factor->filter, job->Y, job->n_y, &y);
    if (status == VOLT_OK)
        status = volt_gram_collection(factor, x.series, job->n_x, y.series, job->n_y, &options, out);
    if ((status == VOLT_ERR_KERNEL || status == VOLT_ERR_ARGUMENT) && job->kernel->n_factors > 1)
        status = volt_fail_prefix(status, "factor %" PRId64, f + 1);
    release_series(&x);
    release_series(&y);
    return status;
}

static void multiply(volt_matrix product, volt_view factor)
{
    for (int64_t i = 0; i < product.rows; i++)
        for (int64_t j = 0; j < product.cols; j++)
            product.data[i * product.ld + j] *= factor.data[i * factor.ld + j];
}

static void add(volt_matrix K, double weight, volt_view product)
{
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < K.cols; j++)
            K.data[i * K.ld + j] += weight * product.data[i * product.ld + j];
}

static volt_status fill_terms(const expression_job *job, volt_matrix product, volt_matrix factor, volt_matrix K)
{
    const volt_kernel *kernel = job->kernel;
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < K.cols; j++)
            K.data[i * K.ld + j] = 0;
    for (int64_t f = 0; f < kernel->n_factors; f++) {
        bool begins = f == 0 || kernel->term[f - 1] != kernel->term[f];
        bool ends = f + 1 == kernel->n_factors || kernel->term[f + 1] != kernel->term[f];
        VOLT_TRY(fill_factor(job, f, begins ? product : factor));
        if (!begins)
            multiply(product, volt_as_view(factor));
        if (ends)
            add(K, kernel->weight[kernel->term[f]], volt_as_view(product));
    }
    return VOLT_OK;
}

static volt_status fill(const void *context, bool of_columns, double from, double share, volt_matrix K)
{
    (void)from;
    (void)share;
    expression_job job = *(const expression_job *)context;
    if (of_columns) {
        job.X = job.Y;
        job.n_x = job.n_y;
        job.same = true;
    }
    volt_matrix product = volt_matrix_of(volt_alloc_doubles(K.rows, K.cols), K.rows, K.cols);
    volt_matrix factor = volt_matrix_of(volt_alloc_doubles(K.rows, K.cols), K.rows, K.cols);
    volt_status status = product.data && factor.data ? fill_terms(&job, product, factor, K) : VOLT_ERR_MEMORY;
    volt_free(product.data);
    volt_free(factor.data);
    return status;
}

static volt_status self_values(const void *context, bool of_columns, double from, double share, double *values)
{
    const expression_job *job = context;
    int64_t count = of_columns ? job->n_y : job->n_x;
    for (int64_t i = 0; i < count; i++) {
        expression_job alone = *job;
        alone.X = alone.Y = (of_columns ? job->Y : job->X) + i;
        alone.n_x = alone.n_y = 1;
        VOLT_TRY(fill(&alone, true, from, share, volt_matrix_of(&values[i], 1, 1)));
    }
    return VOLT_OK;
}

volt_status volt_gram_expression(const volt_kernel *kernel, const volt_view *X, int64_t n_x, const volt_view *Y,
                                 int64_t n_y, const volt_gram_options *options, volt_matrix K)
{
    bool same = !Y;
    expression_job job = {kernel,           X,    same ? X : Y,    n_x,
                          same ? n_x : n_y, same, options->radius, options->progress};
    volt_gram_steps steps = {.context = &job,
                             .fill = fill,
                             .self = self_values,
                             .self_work = {1, 1},
                             .same = same,
                             .normalise = options->normalise != 0,
                             .distance = options->distance != 0,
                             .mirror = options->mirror != 0};
    return volt_gram_run(&steps, K);
}
