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
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/views.h"
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

void volt_series_block_release(volt_series_block *block)
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

volt_status volt_objects_prepare(const volt_objects *objects, const volt_view *series, int64_t count, bool hold,
                                 volt_series_block *block)
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
        volt_series_block_release(block);
    }
    objects->scale = 1;
    VOLT_TRY(volt_objects_prepare(objects, series, count, false, block));
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
    volt_series_block_release(&objects->prepared);
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
