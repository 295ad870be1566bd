/* src/kernel/engine/path_engine.c: kernels between paths that are built one by one. */
#include "kernel/engine/path_engine.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/engine/path_features.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum {
    LANES = VOLT_LANES,
    FEATURE_ROWS = 64, /* rows of K that are multiplied out at a time ... */
    OWN_ROWS = 256     /* ... and where the rows are the columns' own, so that their features need no room */
};

/* ---- sizes ------------------------------------------------------------------------------------ */

/* Raw points of a path, and numbers in each. */
static int64_t raw_points(const volt_resolved *resolved, int64_t d)
{
    return resolved->shape.rows ? d : resolved->window;
}

static int64_t raw_channels(const volt_resolved *resolved, int64_t d)
{
    return resolved->shape.rows ? 1 : d;
}

static int64_t length_of(const volt_resolved *resolved, int64_t d)
{
    return volt_path_length(&resolved->shape, raw_points(resolved, d));
}

static int64_t channels_of(const volt_resolved *resolved, int64_t d)
{
    return volt_path_channels(&resolved->shape, raw_channels(resolved, d));
}

/* Numbers in a path: its length times its channels. */
static int64_t numbers_of(const volt_resolved *resolved, int64_t d)
{
    return length_of(resolved, d) * channels_of(resolved, d);
}

bool volt_path_is_explicit(const volt_resolved *resolved)
{
    const volt_path_shape *shape = &resolved->shape;
    return !resolved->scan.step && (shape->rows || shape->time || shape->leadlag || shape->basepoint);
}

int64_t volt_path_features(const volt_resolved *resolved, int64_t d, int64_t m)
{
    return volt_features_worth(&resolved->programme, length_of(resolved, d), channels_of(resolved, d), m);
}

/* ---- one pair --------------------------------------------------------------------------------- */

/* A path, a group made of it, and what the pair needs; or a path, its features and scratch space for them. */
int64_t volt_path_scratch(const volt_resolved *resolved, const volt_columns *columns)
{
    int64_t length = length_of(resolved, columns->d), numbers = numbers_of(resolved, columns->d);
    if (columns->engine == VOLT_ENGINE_FEATURES)
        return numbers + (FEATURE_ROWS + 1) * columns->n_features;
    return numbers * (1 + LANES) + volt_pair_scratch(&resolved->programme, length) + length + 1;
}

static void build(const volt_resolved *resolved, const volt_columns *columns, const double *rows, double *path,
                  int64_t step)
{
    int64_t channels = channels_of(resolved, columns->d);
    volt_path_build(&resolved->shape, rows, raw_channels(resolved, columns->d),
                    raw_points(resolved, columns->d), raw_channels(resolved, columns->d), path, channels * step,
                    step);
}

/* One path x against the VOLT_LANES paths of `group`. */
static void run_group(const volt_resolved *resolved, int64_t d, const double *x, const double *group,
                      volt_stage *stage, double *scratch, double *out)
{
    const volt_programme *programme = &resolved->programme;
    int64_t length = length_of(resolved, d), lengths[LANES];
    for (int l = 0; l < LANES; l++)
        lengths[l] = programme->differences && !resolved->shape.increments ? length - 1 : length;
    volt_pair_run(programme, x, length, group, length, channels_of(resolved, d), lengths, stage, scratch, out);
}

/* log K of x and lane l of `group`. */
static double log_of_pair(const volt_resolved *resolved, int64_t d, const double *x, const double *group,
                          double least, volt_stage *stage, double *scratch)
{
    int64_t length = length_of(resolved, d), channels = channels_of(resolved, d);
    return resolved->programme.log_value(&resolved->programme, x, length, group, length, channels * LANES,
                                         LANES, channels, least, stage, scratch);
}

volt_self volt_path_against_itself(const volt_resolved *resolved, const volt_columns *columns,
                                   const double *rows, volt_stage *stage, double *scratch)
{
    int64_t d = columns->d, numbers = numbers_of(resolved, d);
    double *x = scratch, *group = scratch + numbers, *own = group + numbers * LANES, out[LANES];
    build(resolved, columns, rows, x, 1);
    for (int64_t k = 0; k < numbers; k++)
        for (int l = 0; l < LANES; l++)
            group[k * LANES + l] = x[k];
    run_group(resolved, d, x, group, stage, own, out);
    volt_self self = volt_self_of(&resolved->programme, out[0], length_of(resolved, d));
    if (resolved->programme.normalised && self.factor == 0)
        self.log = log_of_pair(resolved, d, x, group, -INFINITY, stage, own);
    return self;
}

/* ---- columns ---------------------------------------------------------------------------------- */

/* The rows of the window that ends in row j of the columns, zeros before the first. */
static const double *window_of(const volt_resolved *resolved, const volt_columns *columns, int64_t j,
                               double *buffer)
{
    int64_t w = resolved->window, d = columns->d;
    if (j >= w - 1)
        return columns->given + (j - w + 1) * d;
    memset(buffer, 0, (size_t)((w - 1 - j) * d) * sizeof(double));
    memcpy(buffer + (w - 1 - j) * d, columns->given, (size_t)((j + 1) * d) * sizeof(double));
    return buffer;
}

/* The kernel with the window that counts, where the rest is zeros that do not. */
static volt_resolved with_window(const volt_resolved *kernel, int64_t window)
{
    volt_resolved own = *kernel;
    own.window = window;
    return own;
}

/* After work that was left undone because the stage was cancelled. */
static volt_status end_if_cancelled(volt_stage *stage)
{
    return stage && !volt_stage_goes_on(stage) ? volt_stage_end(stage) : VOLT_OK;
}

volt_status volt_path_self(const volt_resolved *kernel, volt_columns *columns, volt_stage *stage)
{
    const volt_resolved own = with_window(kernel, columns->window), *resolved = &own;
    int64_t d = columns->d, window_numbers = resolved->window * d, threads = volt_threads();
    int64_t per_thread = window_numbers + volt_path_scratch(resolved, columns);
    columns->self = volt_alloc(columns->m, sizeof *columns->self);
    double *scratch = volt_alloc_doubles(threads, per_thread);
    volt_status status = columns->self && scratch ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
#pragma omp parallel for schedule(dynamic, 16) num_threads((int)threads)
        for (int64_t j = 0; j < columns->m; j++) {
            double *window = scratch + omp_get_thread_num() * per_thread;
            if (volt_stage_poll(stage))
                columns->self[j] = volt_path_against_itself(
                    resolved, columns, window_of(resolved, columns, j, window), stage, window + window_numbers);
        }
        status = end_if_cancelled(stage);
    }
    volt_free(scratch);
    return status;
}

/* `scratch` has a path and n_features numbers; the features go to `list`, about their centre once there is one. */
static void describe(const volt_resolved *resolved, const volt_columns *columns, const double *rows,
                     double *list, double *scratch)
{
    int64_t numbers = numbers_of(resolved, columns->d);
    build(resolved, columns, rows, scratch, 1);
    resolved->programme.describe(&resolved->programme, scratch, length_of(resolved, columns->d),
                                 channels_of(resolved, columns->d), list, scratch + numbers);
    if (columns->feature_centre)
        for (int64_t k = 0; k < columns->n_features; k++)
            list[k] -= columns->feature_centre[k];
}

/* Subtract the mean of the features, which changes no distance, but leaves less to cancel. */
static volt_status centre_features(volt_columns *columns)
{
    int64_t m = columns->m, count = columns->n_features;
    double *centre = volt_alloc_zero(count, sizeof *centre);
    columns->feature_norms = volt_alloc_doubles(m, 1);
    columns->feature_centre = centre;
    if (!centre || !columns->feature_norms)
        return VOLT_ERR_MEMORY;
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < count; k++)
            centre[k] += columns->features[j * count + k] / (double)m;
#pragma omp parallel for num_threads((int)volt_threads())
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < count; k++)
            columns->features[j * count + k] -= centre[k];
    volt_features_norms(volt_view_of(columns->features, m, count), columns->feature_norms);
    return VOLT_OK;
}

static volt_status fill_features(const volt_resolved *kernel, volt_columns *columns, volt_stage *stage)
{
    const volt_resolved own = with_window(kernel, columns->window), *resolved = &own;
    int64_t d = columns->d, w = resolved->window, threads = volt_threads();
    columns->n_features = volt_path_features(kernel, d, columns->m);
    int64_t per_thread = w * d + numbers_of(resolved, d) + columns->n_features;
    columns->features = volt_alloc_doubles(columns->m, columns->n_features);
    double *scratch = volt_alloc_doubles(threads, per_thread);
    volt_status status = columns->features && scratch ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
#pragma omp parallel for schedule(dynamic, 16) num_threads((int)threads)
        for (int64_t j = 0; j < columns->m; j++) {
            double *window = scratch + omp_get_thread_num() * per_thread;
            if (volt_stage_poll(stage))
                describe(resolved, columns, window_of(resolved, columns, j, window),
                         columns->features + j * columns->n_features, window + w * d);
        }
        status = end_if_cancelled(stage);
    }
    volt_free(scratch);
    if (status == VOLT_OK && resolved->programme.gaussian > 0)
        status = centre_features(columns);
    return status;
}

static volt_status fill_groups(const volt_resolved *resolved, volt_columns *columns, volt_stage *stage)
{
    int64_t numbers = numbers_of(resolved, columns->d), groups = (columns->m + LANES - 1) / LANES;
    columns->paths = volt_alloc_zero(groups * numbers * LANES, sizeof(double));
    double *window = volt_alloc_doubles(resolved->window, columns->d);
    volt_status status = columns->paths && window ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t j = 0; status == VOLT_OK && j < columns->m && volt_stage_poll(stage); j++)
        build(resolved, columns, window_of(resolved, columns, j, window),
              columns->paths + j / LANES * numbers * LANES + j % LANES, LANES);
    volt_free(window);
    return status == VOLT_OK ? end_if_cancelled(stage) : status;
}

volt_status volt_path_columns(const volt_resolved *resolved, volt_columns *columns, volt_stage *stage)
{
    if (columns->engine == VOLT_ENGINE_FEATURES)
        return fill_features(resolved, columns, stage);
    VOLT_TRY(fill_groups(resolved, columns, stage));
    return volt_programme_needs_self(&resolved->programme) ? volt_path_self(resolved, columns, stage) : VOLT_OK;
}

/* ---- all pairs -------------------------------------------------------------------------------- */

/* Features of rows first .. first + count - 1 into `list`, which is the first thread's scratch space; behind it
 * every thread has room for a path and its features. */
static void describe_rows(const volt_resolved *resolved, const volt_columns *columns, volt_view rows,
                          int64_t first, int64_t count, int64_t threads, volt_stage *stage, double *list)
{
    int64_t per_thread = volt_path_scratch(resolved, columns), features = columns->n_features;
#pragma omp parallel for schedule(dynamic) num_threads((int)threads) if (count > 1)
    for (int64_t i = 0; i < count; i++)
        if (volt_stage_poll(stage))
            describe(resolved, columns, rows.data + (first + i) * rows.ld, list + i * features,
                     list + omp_get_thread_num() * per_thread + FEATURE_ROWS * features);
}

/* Blocks of rows: their features, then one product. Rows that are the columns' own have theirs already. */
static void run_features(const volt_resolved *resolved, const volt_columns *columns, volt_view rows, int64_t h,
                         bool same, int64_t threads, double *scratch, volt_matrix K, volt_stage *stage)
{
    const volt_programme *programme = &resolved->programme;
    int64_t features = columns->n_features, most = same ? OWN_ROWS : FEATURE_ROWS;
    volt_view all = volt_view_of(columns->features, columns->m, features);
    for (int64_t first = 0; first < h; first += most) {
        int64_t count = h - first < most ? h - first : most;
        volt_view block = same ? volt_view_rows(all, first, count) : volt_view_of(scratch, count, features);
        if (!same)
            describe_rows(resolved, columns, rows, first, count, threads, stage, scratch);
        volt_features_multiply(block, all, programme->offset, first, same, K);
        if (programme->gaussian > 0) {
            double norms[OWN_ROWS];
            volt_features_norms(block, norms);
            volt_features_gaussian(programme->gaussian, block, norms, all, columns->feature_norms, first, same,
                                   K);
        }
        if (stage && !volt_stage_advance(stage, count * (same ? first + count : columns->m)))
            return;
    }
}

void volt_path_run(const volt_resolved *resolved, const volt_columns *columns, volt_view rows, int64_t h,
                   bool same, const volt_self *self, int64_t threads, double *scratch, volt_matrix K,
                   volt_stage *stage)
{
    int64_t d = columns->d, m = columns->m, numbers = numbers_of(resolved, d);
    int64_t per_thread = volt_path_scratch(resolved, columns);
    if (columns->engine == VOLT_ENGINE_FEATURES) {
        run_features(resolved, columns, rows, h, same, threads, scratch, K, stage);
        return;
    }

#pragma omp parallel for schedule(dynamic, 4) num_threads((int)threads)
    for (int64_t i = 0; i < h; i++) {
        if (stage && !volt_stage_goes_on(stage))
            continue;
        double *x = scratch + omp_get_thread_num() * per_thread, *own = x + numbers, out[LANES];
        int64_t end = same ? i + 1 : m;
        build(resolved, columns, rows.data + i * rows.ld, x, 1);
        for (int64_t j = 0; j < end; j += LANES) {
            const double *group = columns->paths + j * numbers;
            run_group(resolved, d, x, group, stage, own, out);
            if (stage && !volt_stage_goes_on(stage))
                break;
            for (int64_t l = 0; l < LANES && j + l < end; l++) {
                double value = out[l];
                if (self && !volt_pair_conclude(&resolved->programme, same && i == j + l, self[i],
                                                columns->self[j + l], &value)) {
                    double least = volt_pair_least(self[i], columns->self[j + l]);
                    value =
                        volt_pair_from_log(log_of_pair(resolved, d, x, group + l, least, stage, own), least);
                }
                K.data[i * K.ld + j + l] = value;
            }
        }
        if (stage)
            volt_stage_advance(stage, end);
    }
}
