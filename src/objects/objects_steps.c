/* src/objects/objects_steps.c: series compared step by step, without regard to when.
 *
 * All training series are records of one list of columns; every series of the rows then runs past them from a zero past, in
 * blocks of rows whose sums over each record are all that stays. */
#include "objects/objects_steps.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/team.h"
#include "kernel/engine/past.h"
#include "kernel/gram/gram.h"
#include "kernel/sliced_rows.h"

#include <inttypes.h>
#include <math.h>

enum { BLOCK = 64 };

/* Columns that are one series after another, and a past before them. Begins as {0}, and is closed in any case. */
typedef struct step_columns {
    int64_t count, *ends; /* of the series, as records */
    volt_sliced_rows sliced;
    volt_resolved resolved;
    volt_columns *columns;
    volt_past *past;
    volt_matrix block; /* BLOCK x rows */
} step_columns;

static void close_columns(step_columns *made)
{
    volt_free(made->block.data);
    volt_past_free(made->past);
    volt_columns_free(made->columns);
    volt_resolved_release(&made->resolved);
    volt_sliced_rows_release(&made->sliced);
    volt_free(made->ends);
}

/* `extents` are those of the training series, on which the kernel is resolved whatever the columns are; NULL: these are
 * they. */
static volt_status open_columns(const volt_kernel *kernel, const volt_series_block *series, int64_t d,
                                const volt_extent *extents, volt_stage *stage, step_columns *made)
{
    int64_t rows = 0;
    made->count = series->count;
    made->ends = volt_alloc(series->count, sizeof *made->ends);
    if (!made->ends)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < series->count; i++)
        made->ends[i] = rows += series->series[i].rows;
    volt_records records = {series->count, made->ends};
    VOLT_TRY(volt_sliced_rows_make(kernel, volt_view_of(series->series[0].data, rows, d), &records, 0,
                                   "the training series", &made->sliced));
    VOLT_TRY(volt_kernel_resolve_slices(kernel, extents ? extents : made->sliced.extents, d, &made->resolved));
    if (series->count > 1)
        VOLT_TRY(volt_resolved_split(&made->resolved, &records, 0));
    VOLT_TRY(volt_columns_create(&made->resolved, made->sliced.rows, stage, &made->columns));
    VOLT_TRY(volt_past_create(&made->resolved, made->columns, BLOCK, &made->past));
    made->block = volt_matrix_of(volt_alloc_doubles(BLOCK, rows), BLOCK, rows);
    return made->block.data ? VOLT_OK : VOLT_ERR_MEMORY;
}

/* One block of rows into the sums of each record. */
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
        volt_past_zero(columns->past);
    for (int64_t t = 0; t < series.rows && status == VOLT_OK; t += BLOCK) {
        int64_t rows = volt_min(BLOCK, series.rows - t);
        volt_view part = sliced.rows;
        part.data += t * part.ld;
        part.rows = rows;
        volt_matrix out = columns->block;
        out.rows = rows;
        volt_past_advance(columns->past, part, false, out, stage);
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

/* Each series with itself. */
static volt_status run_self(const volt_kernel *kernel, const volt_series_block *series,
                            const step_columns *training, volt_stage *stage, double *self)
{
    volt_status status = VOLT_OK;
    for (int64_t i = 0; i < series->count && status == VOLT_OK; i++) {
        volt_series_block one = {1, series->series + i, NULL};
        step_columns alone = {0};
        status = open_columns(kernel, &one, series->series[i].cols, training->sliced.extents, stage, &alone);
        if (status == VOLT_OK)
            status = run_series(kernel, series->series[i], &alone, stage, &self[i]);
        close_columns(&alone);
    }
    return status;
}

/* Divide by the roots of what rows and columns have with themselves. */
static volt_status normalise(const double *rows, const double *columns, volt_matrix K)
{
    for (int64_t i = 0; i < K.rows; i++)
        VOLT_REQUIRE(rows[i] > 0, VOLT_ERR_DATA,
                     "series %" PRId64 " has %g with itself, and cannot be normalised", i + 1, rows[i]);
    for (int64_t j = 0; j < K.cols; j++)
        VOLT_REQUIRE(columns[j] > 0, VOLT_ERR_DATA,
                     "training series %" PRId64 " has %g with itself, and cannot be normalised", j + 1,
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
    double *row_self, *column_self;
    volt_stage stage;
} steps_job;

static volt_status fill(steps_job *job, step_columns *columns, volt_matrix K)
{
    const volt_series_block *training = &job->objects->prepared, *rows = job->rows ? job->rows : training;
    VOLT_TRY(open_columns(job->kernel, training, job->objects->d, NULL, &job->stage, columns));
    for (int64_t i = 0; i < rows->count; i++)
        VOLT_TRY(run_series(job->kernel, rows->series[i], columns, &job->stage, K.data + i * K.ld));
    VOLT_TRY(volt_check_finite(K, false));
    if (!job->rows) { /* rounding may differ between (i, j) and (j, i) */
        volt_mirror(K);
        for (int64_t i = 0; i < K.rows; i++)
            job->row_self[i] = job->column_self[i] = K.data[i * K.ld + i];
        return VOLT_OK;
    }
    VOLT_TRY(run_self(job->kernel, rows, columns, &job->stage, job->row_self));
    return run_self(job->kernel, training, columns, &job->stage, job->column_self);
}

static volt_status run(steps_job *job, const volt_progress *progress, volt_matrix K, double *self)
{
    volt_blas_use use;
    step_columns columns = {0};
    int64_t rows = 0, training = 0;
    const volt_series_block *of_rows = job->rows ? job->rows : &job->objects->prepared;
    for (int64_t i = 0; i < of_rows->count; i++)
        rows += of_rows->series[i].rows;
    for (int64_t i = 0; i < job->objects->prepared.count; i++)
        training += job->objects->prepared.series[i].rows;
    volt_stage_begin(&job->stage, progress ? *progress : (volt_progress){0}, "gram", 0, 1,
                     (double)rows * (double)training);
    VOLT_TRY(volt_blas_claim(&use));
    volt_status status = fill(job, &columns, K);
    close_columns(&columns);
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
                 "kernel %s holds on a ball, and filtered steps of new series may lie beyond it",
                 volt_kernel_text(kernel));
    VOLT_REQUIRE(K.data && K.rows == m && K.cols == n && K.ld >= K.cols, VOLT_ERR_SHAPE,
                 "K is %" PRId64 " x %" PRId64 " and must be %" PRId64 " x %" PRId64, K.rows, K.cols, m, n);
    VOLT_TRY(volt_start_threads());
    steps_job job = {.objects = objects, .kernel = kernel, .rows = rows};
    job.row_self = volt_alloc_doubles(m + n, 1);
    if (!job.row_self)
        return VOLT_ERR_MEMORY;
    job.column_self = job.row_self + m;
    volt_status status = run(&job, progress, K, self);
    volt_free(job.row_self);
    return status;
}
