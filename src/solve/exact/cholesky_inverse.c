/* src/solve/exact/cholesky_inverse.c: tiled inverse from a Cholesky factor, as two task graphs over BLAS.
 *
 * First X = L^{-1}, one block row n after the other; then R = X' X, one block row k after the other:
 *
 *     A_mn = -A_mn A_nn^{-1}       m > n               A_nn = A_nn + A_kn' A_kn      n < k
 *     A_mk =  A_mk + A_mn A_nk     m > n > k           A_mn = A_mn + A_km' A_kn      n < m < k
 *     A_nk =  A_nn^{-1} A_nk       n > k               A_kn = A_kk' A_kn             n < k
 *     A_nn =  A_nn^{-1}                                A_kk = A_kk' A_kk
 *
 * Tasks, tiles and the memory layout are as in cholesky.c. The updates of a tile have a fixed order, which
 * does not depend on the number of threads. */
#include "solve/exact/cholesky.h"

#include "base/blas.h"
#include "base/numbers.h"
#include "base/openmp.h"

typedef struct inversion {
    volt_matrix A;
    int64_t tile; /* rows and columns of a tile */
    volt_stage *stage;
} inversion;

typedef struct block {
    double *at;
    volt_blas_int rows, cols;
} block;

static block block_of(const inversion *f, int64_t i, int64_t j)
{
    volt_matrix A = f->A;
    int64_t row = i * f->tile, col = j * f->tile;
    return (block){A.data + row * A.ld + col, (volt_blas_int)volt_min(A.rows - row, f->tile),
                   (volt_blas_int)volt_min(A.rows - col, f->tile)};
}

static bool continues(const inversion *f)
{
    return !f->stage || volt_stage_should_continue(f->stage);
}

static void done(const inversion *f, int64_t units)
{
    if (f->stage)
        volt_stage_advance(f->stage, units);
}

/* ---- the inverse of L ------------------------------------------------------------------------- */

/* A_mn = -A_mn A_nn^{-1}, or (left) A_nk = A_nn^{-1} A_nk. */
static void divide_tile(const inversion *f, int64_t i, int64_t j, bool left)
{
    if (!continues(f))
        return;
    block target = block_of(f, i, j), diagonal = left ? block_of(f, i, i) : block_of(f, j, j);
    volt_blas_int ld = (volt_blas_int)f->A.ld;
    cblas_dtrsm(CblasRowMajor, left ? CblasLeft : CblasRight, CblasLower, CblasNoTrans, CblasNonUnit,
                target.rows, target.cols, left ? 1 : -1, diagonal.at, ld, target.at, ld);
    done(f, 3);
}

static void add_product(const inversion *f, int64_t m, int64_t n, int64_t k)
{
    if (!continues(f))
        return;
    block left = block_of(f, m, n), right = block_of(f, n, k), target = block_of(f, m, k);
    volt_blas_int ld = (volt_blas_int)f->A.ld;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, target.rows, target.cols, left.cols, 1, left.at, ld,
                right.at, ld, 1, target.at, ld);
    done(f, 6);
}

static void invert_tile(const inversion *f, int64_t n)
{
    if (!continues(f))
        return;
    block diagonal = block_of(f, n, n);
    volt_blas_int ld = (volt_blas_int)f->A.ld, info = 0;
    dtrtri_("U", "N", &diagonal.rows, diagonal.at, &ld, &info, 1, 1); /* no pivot of a factor is 0 */
    done(f, 1);
}

static void invert_factor(inversion *f, int64_t tiles)
{
    double *data = f->A.data; /* the first entry of a tile represents it in the depend clauses */
    int64_t down = f->tile * f->A.ld, across = f->tile;
    (void)data;
#pragma omp parallel num_threads((int)volt_threads())
#pragma omp master
    for (int64_t n = 0; n < tiles && continues(f); n++) {
        for (int64_t m = n + 1; m < tiles; m++) {
#pragma omp task depend(in : data[n * (down + across)]) depend(inout : data[m * down + n * across]) priority(2)
            divide_tile(f, m, n, false);
        }
        for (int64_t m = n + 1; m < tiles; m++)
            for (int64_t k = 0; k < n; k++) {
#pragma omp task depend(in                                                          \
                        : data[m * down + n * across], data[n * down + k * across]) \
    depend(inout                                                                    \
           : data[m * down + k * across]) priority(m == n + 1)
                add_product(f, m, n, k);
            }
        for (int64_t k = 0; k < n; k++) {
#pragma omp task depend(in : data[n * (down + across)]) depend(inout : data[n * down + k * across])
            divide_tile(f, n, k, true);
        }
#pragma omp task depend(inout : data[n * (down + across)]) priority(3)
        invert_tile(f, n);
    }
}

/* ---- X' X ------------------------------------------------------------------------------------- */

static void add_square(const inversion *f, int64_t m, int64_t n, int64_t k)
{
    if (!continues(f))
        return;
    block left = block_of(f, k, m), right = block_of(f, k, n), target = block_of(f, m, n);
    volt_blas_int ld = (volt_blas_int)f->A.ld;
    if (m == n)
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, target.rows, left.rows, 1, left.at, ld, 1, target.at,
                    ld);
    else
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, target.rows, target.cols, left.rows, 1, left.at,
                    ld, right.at, ld, 1, target.at, ld);
    done(f, m == n ? 3 : 6);
}

static void multiply_tile(const inversion *f, int64_t k, int64_t n)
{
    if (!continues(f))
        return;
    block target = block_of(f, k, n), diagonal = block_of(f, k, k);
    volt_blas_int ld = (volt_blas_int)f->A.ld;
    cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, target.rows, target.cols, 1,
                diagonal.at, ld, target.at, ld);
    done(f, 3);
}

static void square_tile(const inversion *f, int64_t k)
{
    if (!continues(f))
        return;
    block diagonal = block_of(f, k, k);
    volt_blas_int ld = (volt_blas_int)f->A.ld, info = 0;
    dlauum_("U", &diagonal.rows, diagonal.at, &ld, &info, 1);
    done(f, 1);
}

static void multiply_inverses(inversion *f, int64_t tiles)
{
    double *data = f->A.data;
    int64_t down = f->tile * f->A.ld, across = f->tile;
    (void)data;
#pragma omp parallel num_threads((int)volt_threads())
#pragma omp master
    for (int64_t k = 0; k < tiles && continues(f); k++) {
        for (int64_t n = 0; n < k; n++)
            for (int64_t m = n; m < k; m++) {
#pragma omp task depend(in                                                          \
                        : data[k * down + m * across], data[k * down + n * across]) \
    depend(inout                                                                    \
           : data[m * down + n * across])
                add_square(f, m, n, k);
            }
        for (int64_t n = 0; n < k; n++) {
#pragma omp task depend(in : data[k * (down + across)]) depend(inout : data[k * down + n * across])
            multiply_tile(f, k, n);
        }
#pragma omp task depend(inout : data[k * (down + across)])
        square_tile(f, k);
    }
}

void volt_cholesky_invert(volt_matrix L, volt_stage *stage)
{
    inversion f = {.A = L, .tile = volt_cholesky_tile(L.rows), .stage = stage};
    int64_t tiles = (L.rows + f.tile - 1) / f.tile;
    invert_factor(&f, tiles);
    multiply_inverses(&f, tiles);
}

/* ---- rank-k update ---------------------------------------------------------------------------- */

void volt_symmetric_update(volt_matrix R, volt_view B, double scale)
{
    int64_t tile = volt_cholesky_tile(R.rows), tiles = (R.rows + tile - 1) / tile;
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
    for (int64_t i = tiles - 1; i >= 0; i--) {
        int64_t row = i * tile, rows = volt_min(tile, R.rows - row);
        double *target = R.data + row * R.ld;
        const double *left = B.data + row * B.ld;
        if (row > 0)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (volt_blas_int)rows, (volt_blas_int)row,
                        (volt_blas_int)B.cols, 1, left, (volt_blas_int)B.ld, B.data, (volt_blas_int)B.ld, scale,
                        target, (volt_blas_int)R.ld);
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (volt_blas_int)rows, (volt_blas_int)B.cols, 1,
                    left, (volt_blas_int)B.ld, scale, target + row, (volt_blas_int)R.ld);
    }
}
