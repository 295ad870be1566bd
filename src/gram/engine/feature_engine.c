/* src/gram/engine/feature_engine.c: kernels between paths by explicit features, if these are cheaper than
 * cells. */
#include "base/blas.h"
#include "base/clones.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/openmp.h"
#include "base/threads.h"
#include "gram/engine/engine.h"

#include <float.h>
#include <math.h>

/* ---- the choice of explicit features, and their product ---------------------------------------------- */

/* Maximum number of numbers for the features of all paths (1 GiB). */
static const double max_numbers = 1 << 27;

/* Number of features of a path, or 0 if cells are cheaper: for paths of `length` increments in `channels`
 * dimensions, with m of them in memory. */
static int64_t features_if_cheaper(const volt_programme *programme, int64_t length, int64_t channels, int64_t m)
{
    if (!programme->features || length < 1)
        return 0;
    int64_t count = programme->features(programme, channels);
    /* BLAS multiplies about twice as fast as the programme over the cells, which also adds. */
    double by_cells = 2 * programme->cell_cost(programme) * (double)length * (double)length;
    return (double)count < by_cells && (double)count * (double)m <= max_numbers ? count : 0;
}

static void fill(volt_matrix K, double value)
{
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < K.cols; j++)
            K.data[i * K.ld + j] = value;
}

void volt_features_multiply(volt_view rows, volt_view columns, double offset, int64_t diagonal, volt_matrix K)
{
    int64_t count = rows.rows, before = diagonal >= 0 ? diagonal : columns.rows;
    volt_matrix block = {K.data, count, before, K.ld};
    volt_blas_int n = (volt_blas_int)count, m = (volt_blas_int)before, f = (volt_blas_int)rows.cols;
    volt_blas_int ld = (volt_blas_int)K.ld, ld_rows = (volt_blas_int)rows.ld,
                  ld_columns = (volt_blas_int)columns.ld;
    if (before > 0) {
        fill(block, offset);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, m, f, 1, rows.data, ld_rows, columns.data,
                    ld_columns, 1, block.data, ld);
    }
    if (diagonal >= 0) { /* the diagonal block, without entries above the diagonal */
        double *corner = K.data + diagonal;
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = 0; j <= i; j++)
                corner[i * K.ld + j] = offset;
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, f, 1, rows.data, ld_rows, 1, corner, ld);
    }
}

/* ---- Gaussian --------------------------------------------------------------------------------- */

enum { SUMS = 8 }; /* parallel partial sums, for vectorisation */

static double total(const double *sums)
{
    double sum = 0;
    for (int s = 0; s < SUMS; s++)
        sum += sums[s];
    return sum;
}

VOLT_CLONES
static double squared_norm(const double *restrict x, int64_t count)
{
    double sums[SUMS] = {0};
    int64_t k = 0;
    for (; k + SUMS <= count; k += SUMS)
        for (int s = 0; s < SUMS; s++)
            sums[s] += x[k + s] * x[k + s];
    for (; k < count; k++)
        sums[0] += x[k] * x[k];
    return total(sums);
}

VOLT_CLONES
static double squared_distance(const double *restrict x, const double *restrict y, int64_t count)
{
    double sums[SUMS] = {0};
    int64_t k = 0;
    for (; k + SUMS <= count; k += SUMS)
        for (int s = 0; s < SUMS; s++)
            sums[s] += (x[k + s] - y[k + s]) * (x[k + s] - y[k + s]);
    for (; k < count; k++)
        sums[0] += (x[k] - y[k]) * (x[k] - y[k]);
    return total(sums);
}

/* Squared norms of the rows of F. */
static void features_norms(volt_view F, double *norms)
{
#pragma omp parallel for num_threads((int)volt_threads()) if (F.rows > 1)
    for (int64_t i = 0; i < F.rows; i++)
        norms[i] = squared_norm(F.data + i * F.ld, F.cols);
}

/* Tolerated error of an exponent; beyond VANISHING the value is 0. */
static const double exponent_slack = 1e-10;
#define VANISHING 746.0

/* Converts the same rows of K from F_x F_y' to exp(-gamma |f(x) - f(y)|^2), with squared norms. Distances
 * that suffer from cancellation in |f(x)|^2 + |f(y)|^2 - 2 <f(x), f(y)> are computed from the differences. */
static void features_gaussian(double gamma, volt_view rows, const double *row_norms, volt_view columns,
                              const double *column_norms, int64_t diagonal, volt_matrix K)
{
    int64_t count = rows.cols;
    double rounding = (16 + sqrt((double)count)) * DBL_EPSILON; /* of the square, relative to both norms */
#pragma omp parallel for schedule(dynamic, 4) num_threads((int)volt_threads()) if (rows.rows > 1)
    for (int64_t i = 0; i < rows.rows; i++) {
        double *row = K.data + i * K.ld;
        int64_t end = diagonal >= 0 ? diagonal + i : columns.rows;
        for (int64_t j = 0; j < end; j++) {
            double sizes = row_norms[i] + column_norms[j], squared = sizes - 2 * row[j];
            double slack = rounding * sizes;
            /* NaN: the norms have overflowed, but the distance may be finite. */
            if (!(gamma * slack <= exponent_slack) && !(gamma * (squared - slack) >= VANISHING))
                squared = squared_distance(rows.data + i * rows.ld, columns.data + j * columns.ld, count);
            row[j] = exp(-gamma * (squared < 0 ? 0 : squared));
        }
        if (diagonal >= 0)
            row[end] = row_norms[i] >= 0 ? 1 : row_norms[i]; /* NaN: reported by the caller */
    }
}

enum {
    FEATURE_ROWS = 64,   /* rows of K multiplied at a time ... */
    SYMMETRIC_ROWS = 256 /* ... and if the rows are the columns, whose features are stored */
};

/* Number of features of a path, or 0 if those of m paths do not pay. */
static int64_t count_features(const volt_resolved *resolved, int64_t m)
{
    return features_if_cheaper(&resolved->programme, volt_explicit_length(resolved),
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
    features_norms(volt_view_of(columns->features, m, count), columns->feature_norms);
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
            features_norms(block, norms);
            features_gaussian(programme->gaussian, block, norms, all, columns->feature_norms, at, rows);
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
