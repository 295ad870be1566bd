/* src/gram/engine/path_features.c: the choice of explicit features, and their product. */
#include "gram/engine/explicit_path.h"

#include "base/blas.h"
#include "base/clones.h"

#include <float.h>
#include <math.h>

/* Maximum number of numbers for the features of all paths (1 GiB). */
static const double max_numbers = 1 << 27;

int64_t volt_features_if_cheaper(const volt_programme *programme, int64_t length, int64_t channels, int64_t m)
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

void volt_features_norms(volt_view F, double *norms)
{
#pragma omp parallel for num_threads((int)volt_threads()) if (F.rows > 1)
    for (int64_t i = 0; i < F.rows; i++)
        norms[i] = squared_norm(F.data + i * F.ld, F.cols);
}

/* Tolerated error of an exponent; beyond VANISHING the value is 0. */
static const double exponent_slack = 1e-10;
#define VANISHING 746.0

void volt_features_gaussian(double gamma, volt_view rows, const double *row_norms, volt_view columns,
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
