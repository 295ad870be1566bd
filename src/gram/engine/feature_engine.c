/* src/gram/engine/feature_engine.c: kernels between paths by explicit features, if these are cheaper than
 * cells. */
#include "base/error.h"
#include "base/memory.h"
#include "base/openmp.h"
#include "gram/engine/engine.h"
#include "gram/engine/explicit_path.h"

enum {
    FEATURE_ROWS = 64,   /* rows of K multiplied at a time ... */
    SYMMETRIC_ROWS = 256 /* ... and if the rows are the columns, whose features are stored */
};

/* Number of features of a path, or 0 if those of m paths do not pay. */
static int64_t count_features(const volt_resolved *resolved, int64_t m)
{
    return volt_features_if_cheaper(&resolved->programme, volt_explicit_length(resolved),
                                    volt_explicit_channels(resolved), m);
}

static bool takes(const volt_resolved *resolved, int64_t m)
{
    return count_features(resolved, m) > 0;
}

/* A path, the features of FEATURE_ROWS rows, and workspace to compute one more. */
static int64_t scratch(const volt_resolved *resolved, const volt_columns *columns)
{
    return volt_explicit_numbers(resolved) + (FEATURE_ROWS + 1) * columns->n_features;
}

static double numbers(const volt_resolved *resolved, int64_t m, int64_t rows)
{
    double features = (double)count_features(resolved, m);
    double each = (double)(resolved->window * resolved->d + volt_explicit_numbers(resolved));
    return (double)m * (features + 1) + features +
           (double)volt_threads() * (each + (FEATURE_ROWS + 2) * features) +
           volt_window_state_numbers(resolved, rows);
}

/* ---- columns ---------------------------------------------------------------------------------- */

/* `workspace` has a path and n_features numbers. The features are written to `list`, centred once the centre is
 * known. */
static void describe(const volt_resolved *resolved, const volt_columns *columns, const double *rows,
                     double *list, double *workspace)
{
    int64_t numbers = volt_explicit_numbers(resolved);
    volt_explicit_build(resolved, rows, workspace, 1);
    resolved->programme.describe(&resolved->programme, workspace, volt_explicit_length(resolved),
                                 volt_explicit_channels(resolved), list, workspace + numbers);
    if (columns->feature_centre)
        for (int64_t k = 0; k < columns->n_features; k++)
            list[k] -= columns->feature_centre[k];
}

/* Subtracting the mean of the features preserves distances and reduces cancellation. */
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

/* All features change with their centre: those of a Gaussian are recomputed from the first row. */
static volt_status pack(const volt_resolved *kernel, int64_t first, volt_stage *stage, volt_columns *columns)
{
    const volt_resolved windowed = volt_with_window(kernel, columns->window), *resolved = &windowed;
    int64_t d = columns->d, w = resolved->window, threads = volt_threads();
    if (resolved->programme.gaussian > 0) {
        first = 0;
        volt_free(columns->feature_centre);
        volt_free(columns->feature_norms);
        columns->feature_centre = columns->feature_norms = NULL;
    }
    int64_t features = columns->n_features = count_features(kernel, columns->m);
    int64_t per_thread = w * d + volt_explicit_numbers(resolved) + features;
    VOLT_TRY(volt_columns_extend((void **)&columns->features, first * features, columns->m * features,
                                 sizeof(double)));
    double *workspace = volt_alloc_doubles(threads, per_thread);
    if (!workspace)
        return VOLT_ERR_MEMORY;
#pragma omp parallel for schedule(dynamic, 16) num_threads((int)threads)
    for (int64_t j = first; j < columns->m; j++) {
        double *window = workspace + omp_get_thread_num() * per_thread;
        if (volt_stage_poll(stage))
            describe(resolved, columns, volt_explicit_window(resolved, columns, j, window),
                     columns->features + j * features, window + w * d);
    }
    volt_free(workspace);
    VOLT_TRY(volt_columns_cancelled(stage));
    return resolved->programme.gaussian > 0 ? centre_features(columns) : VOLT_OK;
}

/* ---- all pairs -------------------------------------------------------------------------------- */

/* Features of rows first .. first + count - 1 into `list`, the first thread's scratch space; after it every
 * thread has space for a path and its features. */
static void describe_rows(const volt_resolved *resolved, const volt_columns *columns, volt_view rows,
                          int64_t first, int64_t count, int64_t threads, volt_stage *stage, double *list)
{
    int64_t per_thread = scratch(resolved, columns), features = columns->n_features;
#pragma omp parallel for schedule(dynamic) num_threads((int)threads) if (count > 1)
    for (int64_t i = 0; i < count; i++)
        if (volt_stage_poll(stage))
            describe(resolved, columns, rows.data + (first + i) * rows.ld, list + i * features,
                     list + omp_get_thread_num() * per_thread + FEATURE_ROWS * features);
}

/* Blocks of rows: their features, then one product. Rows that are columns use the stored features. */
static void run(const volt_resolved *resolved, const volt_columns *columns, const volt_window_rows *x,
                const volt_self *self, double *workspace, volt_matrix K, volt_stage *stage)
{
    (void)self; /* features have separate norms */
    int64_t h = x->h;
    bool is_symmetric = x->diagonal >= 0;
    const volt_programme *programme = &resolved->programme;
    int64_t features = columns->n_features, most = is_symmetric ? SYMMETRIC_ROWS : FEATURE_ROWS;
    volt_view all = volt_view_of(columns->features, columns->m, features);
    for (int64_t first = 0; first < h; first += most) {
        int64_t count = h - first < most ? h - first : most;
        volt_view block = is_symmetric ? volt_view_rows(all, x->diagonal + first, count)
                                       : volt_view_of(workspace, count, features);
        if (!is_symmetric)
            describe_rows(resolved, columns, x->rows, first, count, x->threads, stage, workspace);
        int64_t at = is_symmetric ? x->diagonal + first : VOLT_OTHER_ROWS;
        volt_matrix rows = volt_matrix_rows(K, first, count);
        volt_features_multiply(block, all, programme->offset, at, rows);
        if (programme->gaussian > 0) {
            double norms[SYMMETRIC_ROWS];
            volt_features_norms(block, norms);
            volt_features_gaussian(programme->gaussian, block, norms, all, columns->feature_norms, at, rows);
        }
        if (stage && !volt_stage_advance(stage, count * volt_diagonal_end(at, count - 1, columns->m)))
            return;
    }
}

const volt_engine volt_engine_features = {
    .name = "features",
    .is_expensive = true,
    .multiplies = true,
    .takes = takes,
    .numbers = numbers,
    .pack = pack,
    .state = &volt_window_state_ops,
    .scratch = scratch,
    .run = run,
};
