/* src/series/gram/objects.c: collections of series, prepared for kernels.
 *
 * A step of C channels becomes d numbers: its values, their changes since the previous step, or both. Then
 *
 *     CHANNELS    z = s (x - mean_k) / deviation_k,    both over all steps of the training series
 *     SERIES      the same with mean and deviation of the channel in the series itself
 *     NONE        z = x
 *
 * with one s, which scales the largest norm of a training step to 1: ranges of kernel parameters are for the
 * unit ball. */
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
#include "series/gram/objects_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

volt_objects_options volt_objects_options_default(void)
{
    volt_objects_options options = {.normalise = 1};
    return options;
}

/* ---- blocks of series ------------------------------------------------------------------------- */

static void series_block_release(volt_series_block *block)
{
    volt_free(block->series);
    volt_free(block->numbers);
    *block = (volt_series_block){0};
}

/* Allocates series with the same numbers of rows as those given, of d numbers each. */
static volt_status block_create(const volt_view *series, int64_t count, int64_t d, volt_series_block *block)
{
    int64_t rows = 0;
    for (int64_t i = 0; i < count; i++)
        rows += series[i].rows;
    *block = (volt_series_block){count, volt_alloc(count, sizeof *block->series), volt_alloc_doubles(rows, d)};
    if (!block->series || !block->numbers)
        return VOLT_ERR_MEMORY;
    double *at = block->numbers;
    for (int64_t i = 0; i < count; i++) {
        block->series[i] = volt_view_of(at, series[i].rows, d);
        at += series[i].rows * d;
    }
    return VOLT_OK;
}

static volt_status require_some(const volt_view *series, int64_t count)
{
    VOLT_REQUIRE(series && count > 0, VOLT_ERR_SHAPE, "the collection is empty");
    return VOLT_OK;
}

static volt_status check_series(const volt_view *series, int64_t count, int64_t channels)
{
    VOLT_TRY(require_some(series, count));
    for (int64_t i = 0; i < count; i++) {
        char name[64];
        volt_extent extent;
        snprintf(name, sizeof name, "series %" PRId64, i + 1);
        VOLT_TRY(volt_check_shape(series[i], name));
        VOLT_REQUIRE(series[i].cols == channels, VOLT_ERR_SHAPE,
                     "%s must have %" PRId64 " channel%s (got %" PRId64 ")", name, channels,
                     channels == 1 ? "" : "s", series[i].cols);
        VOLT_TRY(volt_extent_of(series[i], name, &extent));
    }
    return VOLT_OK;
}

/* ---- steps ------------------------------------------------------------------------------------ */

/* The steps of one series: values, changes or both. */
static void take_inputs(volt_object_input input, volt_view raw, double *out)
{
    bool levels = input != VOLT_OBJECT_INPUT_CHANGE, changes = input != VOLT_OBJECT_INPUT_LEVEL;
    for (int64_t t = 0; t < raw.rows; t++) {
        const double *now = raw.data + t * raw.ld, *before = t > 0 ? now - raw.ld : now;
        for (int64_t k = 0; k < raw.cols && levels; k++)
            *out++ = now[k];
        for (int64_t k = 0; k < raw.cols && changes; k++)
            *out++ = now[k] - before[k];
    }
}

/* Mean and 1 / deviation of number k over all rows of the series; 0 for a constant. The mean is computed in
 * two passes, the second on the residuals of the first, so that it is accurate to rounding at any location. */
static void learn_channel(const volt_view *series, int64_t count, int64_t k, double *shift, double *factor)
{
    double mean = 0, size = 0;
    int64_t rows = 0;
    for (int64_t i = 0; i < count; i++)
        rows += series[i].rows;
    for (int round = 0; round < 2; round++) {
        double sum = 0;
        for (int64_t i = 0; i < count; i++)
            for (int64_t t = 0; t < series[i].rows; t++)
                sum += (series[i].data[t * series[i].ld + k] - mean) / (double)rows;
        mean += sum;
    }
    volt_squares squares = {0};
    for (int64_t i = 0; i < count; i++)
        for (int64_t t = 0; t < series[i].rows; t++) {
            double value = series[i].data[t * series[i].ld + k];
            size = fmax(size, fabs(value));
            volt_squares_add(&squares, value - mean);
        }
    double deviation = volt_squares_root_mean(&squares, rows);
    bool varies = deviation > 8 * (double)rows * 0x1p-53 * size; /* more than rounding of the mean */
    *shift = mean;
    *factor = varies ? 1 / deviation : 0;
}

static void scale_rows(volt_view series, const double *shift, const double *factor, double *data)
{
    for (int64_t t = 0; t < series.rows; t++)
        for (int64_t k = 0; k < series.cols; k++)
            data[t * series.cols + k] = (data[t * series.cols + k] - shift[k]) * factor[k];
}

static double norm_of(const double *row, int64_t d)
{
    volt_squares squares = {0};
    for (int64_t k = 0; k < d; k++)
        volt_squares_add(&squares, row[k]);
    return volt_squares_root(&squares);
}

static double largest_norm(const volt_series_block *block, int64_t d)
{
    double largest = 0;
    for (int64_t i = 0; i < block->count; i++)
        for (int64_t t = 0; t < block->series[i].rows; t++)
            largest = fmax(largest, norm_of(block->series[i].data + t * d, d));
    return largest;
}

static int64_t total_rows(const volt_series_block *block)
{
    int64_t rows = 0;
    for (int64_t i = 0; i < block->count; i++)
        rows += block->series[i].rows;
    return rows;
}

/* The numbers of series i, to be written. */
static double *numbers_of(volt_series_block *block, int64_t i)
{
    return block->numbers + (block->series[i].data - block->numbers);
}

/* Scales each series by its own moments: `workspace` has 2 d numbers. */
static void scale_each(volt_series_block *block, int64_t d, double *workspace)
{
    for (int64_t i = 0; i < block->count; i++) {
        for (int64_t k = 0; k < d; k++)
            learn_channel(&block->series[i], 1, k, &workspace[k], &workspace[d + k]);
        scale_rows(block->series[i], workspace, workspace + d, numbers_of(block, i));
    }
}

static void multiply(volt_series_block *block, int64_t d, double scale)
{
    int64_t count = total_rows(block) * d;
    for (int64_t i = 0; i < count; i++)
        block->numbers[i] *= scale;
}

/* Projects steps outside the ball to its boundary. */
static void draw_in(volt_series_block *block, int64_t d, double radius)
{
    int64_t rows = total_rows(block);
    for (int64_t t = 0; t < rows; t++) {
        double *row = block->numbers + t * d, norm = norm_of(row, d);
        for (int64_t k = 0; k < d && norm > radius; k++)
            row[k] *= radius / norm;
    }
}

/* Prepares new series as the training series were, with steps outside the radius projected to it if `hold`.
 * The caller releases the block, also after a failure. */
static volt_status objects_prepare(const volt_objects *objects, const volt_view *series, int64_t count,
                                   bool hold, volt_series_block *block)
{
    int64_t d = objects->d;
    *block = (volt_series_block){0};
    VOLT_TRY(check_series(series, count, objects->channels));
    VOLT_TRY(block_create(series, count, d, block));
    for (int64_t i = 0; i < count; i++)
        take_inputs(objects->options.input, series[i], numbers_of(block, i));
    if (objects->options.scale == VOLT_OBJECT_SCALE_CHANNELS)
        for (int64_t i = 0; i < count; i++)
            scale_rows(block->series[i], objects->shift, objects->factor, numbers_of(block, i));
    if (objects->options.scale == VOLT_OBJECT_SCALE_SERIES) {
        double *workspace = volt_alloc_doubles(2, d);
        if (!workspace)
            return VOLT_ERR_MEMORY;
        scale_each(block, d, workspace);
        volt_free(workspace);
    }
    multiply(block, d, objects->scale);
    if (hold)
        draw_in(block, d, objects->radius);
    VOLT_REQUIRE(isfinite(largest_norm(block, d)), VOLT_ERR_NOT_FINITE,
                 "a series is so far from the training series that its scaled values overflow");
    return VOLT_OK;
}

/* ---- the training series ---------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static volt_status learn_lengths(volt_objects *objects)
{
    int64_t n = objects->prepared.count, *lengths = volt_alloc(n, sizeof *lengths);
    if (!lengths)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        lengths[i] = objects->prepared.series[i].rows;
    qsort(lengths, (size_t)n, sizeof *lengths, by_size);
    objects->equally_long = lengths[0] == lengths[n - 1];
    objects->steps = ((double)lengths[(n - 1) / 2] + (double)lengths[n / 2]) / 2;
    volt_free(lengths);
    return VOLT_OK;
}

/* The means and deviations of all steps of the unscaled block. */
static void learn_channels(volt_objects *objects, const volt_series_block *block)
{
    for (int64_t k = 0; k < objects->d; k++)
        learn_channel(block->series, block->count, k, &objects->shift[k], &objects->factor[k]);
}

static volt_status learn(volt_objects *objects, const volt_view *series, int64_t count)
{
    volt_series_block *block = &objects->prepared;
    objects->shift = volt_alloc_zero(objects->d, sizeof(double));
    objects->factor = volt_alloc_zero(objects->d, sizeof(double));
    if (!objects->shift || !objects->factor)
        return VOLT_ERR_MEMORY;
    if (objects->options.scale == VOLT_OBJECT_SCALE_CHANNELS) {
        VOLT_TRY(block_create(series, count, objects->d, block));
        for (int64_t i = 0; i < count; i++)
            take_inputs(objects->options.input, series[i], numbers_of(block, i));
        learn_channels(objects, block);
        series_block_release(block);
    }
    objects->scale = 1;
    VOLT_TRY(objects_prepare(objects, series, count, false, block));
    objects->radius = largest_norm(block, objects->d);
    VOLT_REQUIRE(objects->radius > 0, VOLT_ERR_DATA,
                 "every step of the training series is the same: there is nothing to compare");
    if (objects->options.scale != VOLT_OBJECT_SCALE_NONE) {
        objects->scale = 1 / objects->radius;
        multiply(block, objects->d, objects->scale);
        objects->radius = largest_norm(block, objects->d);
    }
    return learn_lengths(objects);
}

volt_status volt_objects_create(const volt_view *series, int64_t count, const volt_objects_options *options,
                                volt_objects **objects)
{
    volt_objects_options standard = volt_objects_options_default();
    if (!options)
        options = &standard;
    VOLT_REQUIRE(objects, VOLT_ERR_ARGUMENT, "the output for the objects is NULL");
    VOLT_REQUIRE(options->scale >= VOLT_OBJECT_SCALE_CHANNELS && options->scale <= VOLT_OBJECT_SCALE_NONE,
                 VOLT_ERR_ARGUMENT, "scale must be 0, 1 or 2 (got %d)", (int)options->scale);
    VOLT_REQUIRE(options->input >= VOLT_OBJECT_INPUT_LEVEL && options->input <= VOLT_OBJECT_INPUT_BOTH,
                 VOLT_ERR_ARGUMENT, "input must be 0, 1 or 2 (got %d)", (int)options->input);
    VOLT_REQUIRE(options->compare >= VOLT_OBJECT_COMPARE_SERIES &&
                     options->compare <= VOLT_OBJECT_COMPARE_STEPS,
                 VOLT_ERR_ARGUMENT, "compare must be 0 or 1 (got %d)", (int)options->compare);
    VOLT_TRY(require_some(series, count));
    int64_t channels = series[0].cols;
    VOLT_TRY(check_series(series, count, channels));
    volt_objects *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->options = *options;
    fresh->channels = channels;
    fresh->d = options->input == VOLT_OBJECT_INPUT_BOTH ? 2 * channels : channels;
    volt_status status = learn(fresh, series, count);
    if (status == VOLT_OK)
        *objects = fresh;
    else
        volt_objects_free(fresh);
    return status;
}

volt_status volt_objects_select(const volt_objects *objects, const int64_t *rows, int64_t m,
                                volt_objects **selected)
{
    volt_view *series = volt_alloc(m, sizeof *series);
    volt_objects *fresh = volt_alloc_zero(1, sizeof *fresh);
    volt_status status = series && fresh ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        *fresh = *objects;
        fresh->prepared = (volt_series_block){0};
        fresh->shift = volt_alloc_zero(objects->d, sizeof(double));
        fresh->factor = volt_alloc_zero(objects->d, sizeof(double));
        for (int64_t i = 0; i < m; i++)
            series[i] = objects->prepared.series[rows[i]];
        status = fresh->shift && fresh->factor ? block_create(series, m, objects->d, &fresh->prepared)
                                               : VOLT_ERR_MEMORY;
    }
    if (status == VOLT_OK) {
        memcpy(fresh->shift, objects->shift, (size_t)objects->d * sizeof(double));
        memcpy(fresh->factor, objects->factor, (size_t)objects->d * sizeof(double));
        for (int64_t i = 0; i < m; i++)
            memcpy(numbers_of(&fresh->prepared, i), series[i].data,
                   (size_t)(series[i].rows * objects->d) * sizeof(double));
        *selected = fresh;
    } else {
        volt_objects_free(fresh);
    }
    volt_free(series);
    return status;
}

void volt_objects_free(volt_objects *objects)
{
    if (!objects)
        return;
    series_block_release(&objects->prepared);
    volt_free(objects->shift);
    volt_free(objects->factor);
    volt_free(objects);
}

volt_status volt_objects_candidates(const volt_objects *objects, const char *kernel,
                                    const volt_draw_options *options, volt_candidates **candidates)
{
    VOLT_REQUIRE(objects && kernel && candidates, VOLT_ERR_ARGUMENT, "objects, kernel or candidates are NULL");
    volt_draw_options drawn = options ? *options : volt_draw_options_default();
    drawn.scale = 0; /* the steps are already scaled */
    drawn.from_defaults = 0;
    drawn.fed_outputs = volt_view_of(NULL, 0, 0);
    drawn.series_steps = objects->options.compare == VOLT_OBJECT_COMPARE_STEPS ? 0 : objects->steps;
    volt_view rows = volt_view_of(objects->prepared.numbers, total_rows(&objects->prepared), objects->d);
    return volt_candidates_draw(kernel, rows, &drawn, candidates);
}

/* ---- series compared step by step, independent of time ----------------------------------------------- */

/* Training series are the records of one list of columns. Every series of the rows is run against them from a
 * zero initial state, in blocks of rows; only the sums over each record are kept. The matrix of the training
 * series with themselves is computed by groups of columns, for the rows from the group on. */

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

static volt_status run_steps(steps_job *job, const volt_progress *progress, volt_matrix K, double *self)
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

/* With k_ij the kernel of x up to step i and y up to step j,
 *
 *     K(x, y) = 1 / (P Q) sum_{i <= P} sum_{j <= Q} k_ij,
 *
 * the inner product of the mean features of the two series, which is invariant to the time of an event. K of
 * `rows` (NULL: the training series themselves) against the training series, normalised if the objects are;
 * self (optional) as in volt_objects_cross. VOLT_ERR_KERNEL for a kernel that does not support sequences. */
static volt_status objects_compare_steps(const volt_objects *objects, const volt_kernel *kernel,
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
        status = run_steps(&job, progress, K, self);
    }
    volt_free(job.row_self);
    volt_free(job.ends);
    return status;
}

/* ---- Gram matrices of prepared series ---------------------------------------------------------------- */

/* Kernels between series are computed by volt_gram_collection. A static kernel treats a series of T steps as
 * one row of T d numbers: prepared series are contiguous, so series of equal length already form a matrix. */

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
        return objects_compare_steps(objects, kernel, NULL, progress, K, NULL);
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
    volt_status status = objects_prepare(objects, series, count, job.options.radius > 0, &block);
    if (status == VOLT_OK)
        status = objects->options.compare == VOLT_OBJECT_COMPARE_STEPS
                     ? objects_compare_steps(objects, kernel, &block, progress, K, self)
                     : run_cross(objects, &job, K, self);
    series_block_release(&block);
    return status;
}
