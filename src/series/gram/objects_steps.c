/* src/series/gram/objects_steps.c: series compared step by step, independent of time.
 *
 * Training series are the records of one list of columns. Every series of the rows is run against them from a
 * zero initial state, in blocks of rows; only the sums over each record are kept. The matrix of the training
 * series with themselves is computed by groups of columns, for the rows from the group on. */
#include "series/gram/objects_internal.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/threads.h"
#include "base/views.h"
#include "gram/engine/state.h"
#include "gram/gram.h"
#include "kernel/kernel_entry.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 64 };

/* Concatenated series as columns, and their state. Zero-initialise, and always close. */
typedef struct step_columns {
    int64_t count, *ends; /* of the series, as records */
    volt_sliced_rows sliced;
    volt_resolved resolved;
    volt_columns *columns;
    volt_state *kernel_state;
    volt_matrix block; /* BLOCK x rows */
} step_columns;

static void close_columns(step_columns *made)
{
    volt_free(made->block.data);
    volt_state_free(made->kernel_state);
    volt_columns_free(made->columns);
    volt_resolved_release(&made->resolved);
    volt_sliced_rows_release(&made->sliced);
    volt_free(made->ends);
}

/* The extents used to resolve the kernel. If these series are only some of the training series, their radius
 * is `radius`. */
static volt_status find_extents(const volt_kernel *kernel, const volt_series_block *series, int64_t d,
                                const volt_records *records, double radius, volt_extent *extents)
{
    volt_sliced_rows sliced = {0};
    volt_view rows = volt_view_of(series->series[0].data, records->ends[series->count - 1], d);
    volt_status status = volt_sliced_rows_make(kernel, rows, records, 0, "the training series", &sliced);
    if (status == VOLT_OK)
        memcpy(extents, sliced.extents, sizeof sliced.extents);
    if (!volt_kernel_filters(kernel))
        extents[0].radius = fmax(extents[0].radius, radius);
    volt_sliced_rows_release(&sliced);
    return status;
}

/* `ends` (count) of the rows of series. */
static void find_ends(const volt_series_block *series, int64_t *ends)
{
    int64_t rows = 0;
    for (int64_t i = 0; i < series->count; i++)
        ends[i] = rows += series->series[i].rows;
}

/* `extents` belong to the training series, which resolve the kernel for any columns. */
static volt_status open_columns(const volt_kernel *kernel, const volt_series_block *series, int64_t d,
                                const volt_extent *extents, volt_stage *stage, step_columns *made)
{
    made->count = series->count;
    made->ends = volt_alloc(series->count, sizeof *made->ends);
    if (!made->ends)
        return VOLT_ERR_MEMORY;
    find_ends(series, made->ends);
    int64_t rows = made->ends[series->count - 1];
    volt_records records = {series->count, made->ends};
    VOLT_TRY(volt_sliced_rows_make(kernel, volt_view_of(series->series[0].data, rows, d), &records, 0,
                                   "the training series", &made->sliced));
    VOLT_TRY(volt_kernel_resolve_slices(kernel, extents, d, &made->resolved));
    if (series->count > 1)
        VOLT_TRY(volt_resolved_split(&made->resolved, &records, 0));
    VOLT_TRY(volt_columns_create(&made->resolved, made->sliced.rows, stage, &made->columns));
    VOLT_TRY(volt_state_create(&made->resolved, made->columns, BLOCK, &made->kernel_state));
    made->block = volt_matrix_of(volt_alloc_doubles(BLOCK, rows), BLOCK, rows);
    return made->block.data ? VOLT_OK : VOLT_ERR_MEMORY;
}

/* Adds one block of rows to the sums of each record. */
static void add_block(const step_columns *columns, int64_t rows, double *sums)
{
    for (int64_t t = 0; t < rows; t++)
        for (int64_t s = 0, j = 0; s < columns->count; s++)
            for (; j < columns->ends[s]; j++)
                sums[s] += columns->block.data[t * columns->block.ld + j];
}

/* A series of P steps against all of the columns: K of each. */
static volt_status run_series(const volt_kernel *kernel, volt_view series, step_columns *columns,
                              volt_stage *stage, double *K)
{
    volt_sliced_rows sliced = {0};
    volt_status status = volt_sliced_rows_make(kernel, series, NULL, 0, "a series", &sliced);
    for (int64_t s = 0; s < columns->count; s++)
        K[s] = 0;
    if (status == VOLT_OK)
        volt_state_zero(columns->kernel_state);
    for (int64_t t = 0; t < series.rows && status == VOLT_OK; t += BLOCK) {
        int64_t rows = volt_min(BLOCK, series.rows - t);
        volt_view part = sliced.rows;
        part.data += t * part.ld;
        part.rows = rows;
        volt_matrix out = columns->block;
        out.rows = rows;
        volt_state_advance(columns->kernel_state, part, false, out, stage);
        if (volt_stage_poll(stage))
            add_block(columns, rows, K);
        else
            status = volt_stage_end(stage);
    }
    for (int64_t s = 0; s < columns->count; s++) {
        int64_t length = columns->ends[s] - (s > 0 ? columns->ends[s - 1] : 0);
        K[s] /= (double)series.rows * (double)length;
    }
    volt_sliced_rows_release(&sliced);
    return status;
}

/* K(x, x) of each series. */
static volt_status run_self(const volt_kernel *kernel, const volt_series_block *series,
                            const volt_extent *extents, volt_stage *stage, double *self)
{
    volt_status status = VOLT_OK;
    for (int64_t i = 0; i < series->count && status == VOLT_OK; i++) {
        volt_series_block one = {1, series->series + i, NULL};
        step_columns alone = {0};
        status = open_columns(kernel, &one, series->series[i].cols, extents, stage, &alone);
        if (status == VOLT_OK)
            status = run_series(kernel, series->series[i], &alone, stage, &self[i]);
        close_columns(&alone);
    }
    return status;
}

/* Divides by the square roots of K(x, x) of rows and columns. */
static volt_status normalise(const double *rows, const double *columns, volt_matrix K)
{
    for (int64_t i = 0; i < K.rows; i++)
        VOLT_REQUIRE(rows[i] > 0, VOLT_ERR_DATA,
                     "series %" PRId64 " has K(x, x) = %g, and cannot be normalised", i + 1, rows[i]);
    for (int64_t j = 0; j < K.cols; j++)
        VOLT_REQUIRE(columns[j] > 0, VOLT_ERR_DATA,
                     "training series %" PRId64 " has K(x, x) = %g, and cannot be normalised", j + 1,
                     columns[j]);
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < K.cols; j++)
            K.data[i * K.ld + j] /= sqrt(rows[i] * columns[j]);
    return VOLT_OK;
}

typedef struct steps_job {
    const volt_objects *objects;
    const volt_kernel *kernel;
    const volt_series_block *rows; /* NULL: the training series */
    volt_extent extents[VOLT_MAX_FACTORS];
    int64_t *ends; /* of the training series */
    double *row_self, *column_self;
    volt_stage stage;
} steps_job;

/* Rows from `first` on against the columns of the training series a to b. */
static volt_status fill_columns(steps_job *job, const volt_series_block *rows, int64_t first, int64_t a,
                                int64_t b, volt_matrix K)
{
    volt_series_block part = {b - a, job->objects->prepared.series + a, NULL};
    step_columns columns = {0};
    volt_status status = open_columns(job->kernel, &part, job->objects->d, job->extents, &job->stage, &columns);
    for (int64_t i = first; i < rows->count && status == VOLT_OK; i++)
        status = run_series(job->kernel, rows->series[i], &columns, &job->stage, K.data + i * K.ld + a);
    close_columns(&columns);
    return status;
}

enum { GROUPS = 8 }; /* of columns: rows before a group follow by symmetry */

static int64_t group_end(int64_t n, int64_t group)
{
    return n * (group + 1) / GROUPS;
}

static volt_status fill_symmetric(steps_job *job, volt_matrix K)
{
    const volt_series_block *training = &job->objects->prepared;
    for (int64_t group = 0, a = 0; group < GROUPS; group++) {
        int64_t b = group_end(training->count, group);
        if (b > a)
            VOLT_TRY(fill_columns(job, training, a, a, b, K));
        a = b;
    }
    VOLT_TRY(volt_check_finite(K, true));
    volt_mirror(K);
    for (int64_t i = 0; i < K.rows; i++)
        job->row_self[i] = job->column_self[i] = K.data[i * K.ld + i];
    return VOLT_OK;
}

static volt_status fill(steps_job *job, volt_matrix K)
{
    const volt_series_block *training = &job->objects->prepared;
    volt_records records = {training->count, job->ends};
    VOLT_TRY(
        find_extents(job->kernel, training, job->objects->d, &records, job->objects->radius, job->extents));
    if (!job->rows)
        return fill_symmetric(job, K);
    VOLT_TRY(fill_columns(job, job->rows, 0, 0, training->count, K));
    VOLT_TRY(volt_check_finite(K, false));
    VOLT_TRY(run_self(job->kernel, job->rows, job->extents, &job->stage, job->row_self));
    return run_self(job->kernel, training, job->extents, &job->stage, job->column_self);
}

/* Number of pairs of steps computed. */
static double count_pairs(const steps_job *job)
{
    const volt_series_block *training = &job->objects->prepared;
    int64_t n = training->count;
    double all = (double)job->ends[n - 1], rows = 0, pairs = 0;
    for (int64_t i = 0; job->rows && i < job->rows->count; i++)
        rows += (double)job->rows->series[i].rows;
    for (int64_t group = 0, a = 0; group < GROUPS && !job->rows; group++) {
        int64_t b = group_end(n, group);
        double before = a > 0 ? (double)job->ends[a - 1] : 0;
        if (b > a)
            pairs += ((double)job->ends[b - 1] - before) * (all - before);
        a = b;
    }
    return job->rows ? rows * all : pairs;
}

static volt_status run(steps_job *job, const volt_progress *progress, volt_matrix K, double *self)
{
    volt_blas_use use;
    find_ends(&job->objects->prepared, job->ends);
    volt_stage_begin(&job->stage, progress ? *progress : (volt_progress){0}, "gram", 0, 1, count_pairs(job));
    VOLT_TRY(volt_blas_claim(&use));
    volt_status status = fill(job, K);
    volt_blas_release(&use);
    VOLT_TRY(status);
    VOLT_TRY(volt_stage_end(&job->stage));
    bool normalised = job->objects->options.normalise != 0;
    if (normalised)
        VOLT_TRY(normalise(job->row_self, job->column_self, K));
    for (int64_t i = 0; i < K.rows && self; i++)
        self[i] = normalised ? 1 : job->row_self[i];
    return VOLT_OK;
}

volt_status volt_objects_compare_steps(const volt_objects *objects, const volt_kernel *kernel,
                                       const volt_series_block *rows, const volt_progress *progress,
                                       volt_matrix K, double *self)
{
    int64_t n = objects->prepared.count, m = rows ? rows->count : n;
    bool has_ball = false;
    if (volt_kernel_filters(kernel))
        VOLT_TRY(volt_kernel_find_ball(kernel, objects->d, objects->radius, &has_ball));
    VOLT_REQUIRE(!has_ball, VOLT_ERR_KERNEL,
                 "kernel %s is defined on a ball, and filtered steps of new series may be outside of it",
                 volt_kernel_text(kernel));
    VOLT_TRY(volt_check_output(K, m, n, "K"));
    VOLT_TRY(volt_start_threads());
    steps_job job = {.objects = objects, .kernel = kernel, .rows = rows};
    job.row_self = volt_alloc_doubles(m + n, 1);
    job.ends = volt_alloc(n, sizeof *job.ends);
    volt_status status = job.row_self && job.ends ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        job.column_self = job.row_self + m;
        status = run(&job, progress, K, self);
    }
    volt_free(job.row_self);
    volt_free(job.ends);
    return status;
}
