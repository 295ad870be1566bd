/* src/series/gram/objects_gram.c: Gram matrices of prepared series.
 *
 * Kernels between series are computed by volt_gram_collection. A static kernel treats a series of T steps as
 * one row of T d numbers: prepared series are contiguous, so series of equal length already form a matrix. */
#include "base/error.h"
#include "base/memory.h"
#include "gram/gram.h"
#include "kernel/kernel_entry.h"
#include "series/gram/objects_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* One Gram matrix: `rows` against the training series, or the training series with themselves where `rows`
 * is NULL. */
typedef struct gram_job {
    const volt_kernel *kernel;
    const volt_series_block *rows, *columns;
    bool is_static;
    volt_gram_options options;
} gram_job;

/* Whether the kernel, or every factor of it, is a kernel of single rows. */
static volt_status find_static(const volt_kernel *kernel, int64_t d, bool *is_static)
{
    *is_static = kernel->n_factors > 0;
    for (int64_t f = 0; f < kernel->n_factors && *is_static; f++)
        VOLT_TRY(find_static(kernel->factors[f], d, is_static));
    if (kernel->n_factors > 0 || kernel->entry->paths || kernel->entry->reservoir)
        return VOLT_OK;
    volt_resolved outline = {0};
    volt_status status = volt_kernel_outline(kernel, (volt_extent){.radius = 1, .largest = 1}, d, &outline);
    *is_static = status == VOLT_OK && outline.scan.state_size == 0;
    volt_resolved_release(&outline);
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK; /* the matrix reports other failures */
}

/* The number of steps in the window of a kernel. */
static double window_of(const volt_kernel *kernel)
{
    const char *name;
    double window = 1;
    for (int64_t p = 0; (name = volt_kernel_parameter_name(kernel, p)); p++) {
        volt_kernel_value value = {.struct_size = sizeof value};
        (void)volt_kernel_get(kernel, name, &value); /* the name exists */
        if (strcmp(value.info->name, "window") == 0 && value.present)
            window = fmax(window, value.number);
    }
    return window;
}

/* Checks that the kernel has neither windows nor filters, which would span several series. */
static volt_status check_static(const volt_kernel *kernel)
{
    VOLT_REQUIRE(!volt_kernel_filters(kernel), VOLT_ERR_KERNEL,
                 "kernel %s compares a series as one row: filters along time are not supported",
                 volt_kernel_text(kernel));
    VOLT_REQUIRE(window_of(kernel) <= 1, VOLT_ERR_KERNEL,
                 "kernel %s compares a series as one row: window is not supported", volt_kernel_text(kernel));
    return VOLT_OK;
}

static volt_status check_kernel(const volt_objects *objects, const volt_kernel *kernel, bool *is_static)
{
    bool centred = kernel->n_factors == 0 && volt_kernel_is_centred(kernel);
    VOLT_REQUIRE(!centred, VOLT_ERR_KERNEL, "kernel %s is centred: it is not supported for series",
                 volt_kernel_text(kernel));
    if (objects->options.compare == VOLT_OBJECT_COMPARE_STEPS)
        return VOLT_OK;
    VOLT_TRY(find_static(kernel, objects->d, is_static));
    if (!*is_static)
        return VOLT_OK;
    VOLT_REQUIRE(
        objects->equally_long, VOLT_ERR_KERNEL,
        "kernel %s compares a series as one row, but the series have different lengths: use volterra, fading, "
        "memory, fir, recurrent, gak, sig, sigpde, esn or sas",
        volt_kernel_text(kernel));
    return check_static(kernel);
}

double volt_objects_work(const volt_objects *objects, const volt_kernel *kernel)
{
    /* exp and the like cost about as much as 16 channels; final states leave all but about 1/25 of the pairs out */
    const double function = 16, by_states = 1.0 / 25;
    double n = (double)objects->prepared.count, steps = n * objects->steps, d = (double)objects->d;
    bool is_static = false;
    if (objects->options.compare == VOLT_OBJECT_COMPARE_STEPS)
        return steps * steps * (d * window_of(kernel) + function) / 2; /* symmetric */
    (void)find_static(kernel, objects->d, &is_static);                 /* the matrix reports failures */
    if (is_static)
        return n * n * (objects->steps * d + function);
    return steps * steps * (d + function) * (kernel->n_factors == 0 && kernel->entry->paths ? 0.5 : by_states);
}

/* Series of equal length as rows. */
static volt_view as_rows(const volt_series_block *block)
{
    return volt_view_of(block->numbers, block->count, block->series[0].rows * block->series[0].cols);
}

static volt_status run(const gram_job *job, volt_matrix K)
{
    const volt_series_block *rows = job->rows ? job->rows : job->columns;
    if (job->is_static)
        return volt_gram(job->kernel, as_rows(rows),
                         job->rows ? as_rows(job->columns) : volt_view_of(NULL, 0, 0), &job->options, K);
    return volt_gram_collection(job->kernel, rows->series, rows->count, job->rows ? job->columns->series : NULL,
                                job->rows ? job->columns->count : 0, &job->options, K);
}

static volt_status make_job(const volt_objects *objects, const volt_kernel *kernel, bool is_static,
                            const volt_progress *progress, gram_job *job)
{
    bool has_ball = false;
    *job = (gram_job){.kernel = kernel,
                      .columns = &objects->prepared,
                      .is_static = is_static,
                      .options = volt_gram_options_default()};
    if (progress)
        job->options.progress = *progress;
    job->options.normalise = objects->options.normalise;
    if (!is_static)
        VOLT_TRY(volt_kernel_find_ball(kernel, objects->d, objects->radius, &has_ball));
    if (has_ball)
        job->options.radius = objects->radius;
    return VOLT_OK;
}

volt_status volt_objects_gram(const volt_objects *objects, const volt_kernel *kernel,
                              const volt_progress *progress, volt_matrix K)
{
    bool is_static = false;
    VOLT_REQUIRE(objects && kernel, VOLT_ERR_ARGUMENT, "objects or kernel are NULL");
    VOLT_TRY(check_kernel(objects, kernel, &is_static));
    if (objects->options.compare == VOLT_OBJECT_COMPARE_STEPS)
        return volt_objects_compare_steps(objects, kernel, NULL, progress, K, NULL);
    gram_job job;
    VOLT_TRY(make_job(objects, kernel, is_static, progress, &job));
    return run(&job, K);
}

/* K(x, x) of every new series. */
static volt_status self_values(const gram_job *job, double *self)
{
    for (int64_t i = 0; i < job->rows->count; i++) {
        volt_series_block one = {1, job->rows->series + i, (double *)job->rows->series[i].data};
        gram_job alone = *job;
        alone.rows = NULL;
        alone.columns = &one;
        self[i] = 1;
        if (!job->options.normalise)
            VOLT_TRY(run(&alone, volt_matrix_of(&self[i], 1, 1)));
    }
    return VOLT_OK;
}

static volt_status run_cross(const volt_objects *objects, const gram_job *job, volt_matrix K, double *self)
{
    for (int64_t i = 0; i < job->rows->count && job->is_static; i++)
        VOLT_REQUIRE((double)job->rows->series[i].rows == objects->steps, VOLT_ERR_SHAPE,
                     "series %" PRId64
                     " must have %.0f steps, as the training series, for kernel %s (got %" PRId64 ")",
                     i + 1, objects->steps, volt_kernel_text(job->kernel), job->rows->series[i].rows);
    VOLT_TRY(run(job, K));
    return self ? self_values(job, self) : VOLT_OK;
}

volt_status volt_objects_cross(const volt_objects *objects, const volt_kernel *kernel, const volt_view *series,
                               int64_t count, const volt_progress *progress, volt_matrix K, double *self)
{
    bool is_static = false;
    volt_series_block block;
    VOLT_REQUIRE(objects && kernel, VOLT_ERR_ARGUMENT, "objects or kernel are NULL");
    VOLT_TRY(check_kernel(objects, kernel, &is_static));
    gram_job job;
    VOLT_TRY(make_job(objects, kernel, is_static, progress, &job));
    job.rows = &block;
    volt_status status = volt_objects_prepare(objects, series, count, job.options.radius > 0, &block);
    if (status == VOLT_OK)
        status = objects->options.compare == VOLT_OBJECT_COMPARE_STEPS
                     ? volt_objects_compare_steps(objects, kernel, &block, progress, K, self)
                     : run_cross(objects, &job, K, self);
    volt_series_block_release(&block);
    return status;
}
