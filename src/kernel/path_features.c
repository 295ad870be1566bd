/* src/kernel/path_features.c: when explicit features pay, and their product. */
#include "kernel/path_features.h"

#include "base/blas.h"

/* Features of all the paths may take this many numbers (1 GiB). */
static const double most_numbers = 1 << 27;

int64_t volt_features_worth(const volt_programme *programme, int64_t length, int64_t channels, int64_t m)
{
    if (!programme->features || length < 1)
        return 0;
    int64_t count = programme->features(programme, channels);
    /* BLAS multiplies about twice as fast as the walk over the cells, which also adds. */
    double by_cells = 2 * programme->cell_cost(programme) * (double)length * (double)length;
    return (double)count < by_cells && (double)count * (double)m <= most_numbers ? count : 0;
}

static void fill_ones(volt_matrix K)
{
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < K.cols; j++)
            K.data[i * K.ld + j] = 1;
}

void volt_features_multiply(volt_view rows, volt_view columns, int64_t first, bool lower, volt_matrix K)
{
    int64_t count = rows.rows, before = lower ? first : columns.rows;
    volt_matrix block = {K.data + first * K.ld, count, before, K.ld};
    volt_blas_int n = (volt_blas_int)count, m = (volt_blas_int)before, f = (volt_blas_int)rows.cols;
    volt_blas_int ld = (volt_blas_int)K.ld, ld_rows = (volt_blas_int)rows.ld,
                  ld_columns = (volt_blas_int)columns.ld;
    if (before > 0) {
        fill_ones(block);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, m, f, 1, rows.data, ld_rows, columns.data,
                    ld_columns, 1, block.data, ld);
    }
    if (lower) { /* the block on the diagonal, without what lies above it */
        double *diagonal = K.data + first * K.ld + first;
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = 0; j <= i; j++)
                diagonal[i * K.ld + j] = 1;
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, f, 1, rows.data, ld_rows, 1, diagonal, ld);
    }
}
