/* src/backend/cholesky.c: tiled Cholesky factorisation of the lower triangle, and the inverse from the factor, as task
 * graphs over BLAS.
 *
 * For each block column k:   L_kk = chol(A_kk)
 *                            L_ik = A_ik L_kk^{-T}              i > k
 *                            A_ij = A_ij - L_ik L_jk'           i >= j > k
 *
 * A task runs as soon as the tiles it reads are done, which keeps all threads busy. The factorisation can be
 * cancelled after any task (LAPACK's dpotrf cannot be stopped). Inside a parallel region the OpenMP build of
 * BLAS runs each call on the calling thread.
 *
 * A row-major lower triangle is a column-major upper one: LAPACK reads 'U' on the same memory. */
#include "backend/cholesky.h"

#include "backend/backend.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/threads.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

bool volt_cholesky_is_small(int64_t n)
{
    return n < 1500;
}

typedef struct factorisation {
    volt_matrix A;
    int64_t tile; /* rows and columns of a tile */
    volt_stage *stage;
    _Atomic int64_t pivot; /* 0, or the first bad pivot found */
} factorisation;

/* One tile: its position and size. */
typedef struct block {
    double *at;
    volt_blas_int rows, cols;
} block;

static block block_of(const factorisation *f, int64_t i, int64_t j)
{
    volt_matrix A = f->A;
    int64_t row = i * f->tile, col = j * f->tile;
    block b = {A.data + row * A.ld + col, (volt_blas_int)volt_min(A.rows - row, f->tile),
               (volt_blas_int)volt_min(A.rows - col, f->tile)};
    return b;
}

static bool continues(const factorisation *f)
{
    return atomic_load(&f->pivot) == 0 && (!f->stage || volt_stage_should_continue(f->stage));
}

static void done(const factorisation *f, int64_t units)
{
    if (f->stage)
        volt_stage_advance(f->stage, units);
}

static void factor_tile(factorisation *f, int64_t k)
{
    if (!continues(f))
        return;
    block diagonal = block_of(f, k, k);
    volt_blas_int ld = (volt_blas_int)f->A.ld, info = 0;
    dpotrf_("U", &diagonal.rows, diagonal.at, &ld, &info, 1);
    for (int64_t i = 0; info == 0 && i < diagonal.rows; i++) /* some dpotrf implementations accept NaN */
        if (!(diagonal.at[i * f->A.ld + i] > 0))
            info = (volt_blas_int)(i + 1);
    if (info > 0)
        atomic_store(&f->pivot, k * f->tile + info);
    done(f, 1);
}

static void solve_tile(const factorisation *f, int64_t i, int64_t k)
{
    if (!continues(f))
        return;
    block diagonal = block_of(f, k, k), target = block_of(f, i, k);
    volt_blas_int ld = (volt_blas_int)f->A.ld;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, target.rows, target.cols, 1,
                diagonal.at, ld, target.at, ld);
    done(f, 3);
}

static void update_tile(const factorisation *f, int64_t i, int64_t j, int64_t k)
{
    if (!continues(f))
        return;
    block left = block_of(f, i, k), right = block_of(f, j, k), target = block_of(f, i, j);
    volt_blas_int ld = (volt_blas_int)f->A.ld;
    if (i == j)
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, target.rows, left.cols, -1, left.at, ld, 1,
                    target.at, ld);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, target.rows, target.cols, left.cols, -1, left.at,
                    ld, right.at, ld, 1, target.at, ld);
    done(f, i == j ? 3 : 6);
}

/* In units of tile^3 / 3 flops, as `done` reports them per task. */
double volt_cholesky_units(int64_t n)
{
    return volt_backend_potrf_units(n);
}

/* Creates the tasks of block column k. */
static void factor_column(factorisation *f, int64_t k)
{
    int64_t tiles = (f->A.rows + f->tile - 1) / f->tile;
    double *data = f->A.data; /* the first entry of a tile represents it in the depend clauses */
    int64_t down = f->tile * f->A.ld, across = f->tile;
    (void)data;
    (void)down;
    (void)across;
    if (k >= tiles || !continues(f))
        return;
#pragma omp task depend(inout : data[k * (down + across)]) priority(3)
    factor_tile(f, k);
    for (int64_t i = k + 1; i < tiles; i++) {
#pragma omp task depend(in : data[k * (down + across)]) depend(inout : data[i * down + k * across]) priority(2)
        solve_tile(f, i, k);
    }
    for (int64_t i = k + 1; i < tiles; i++) {
        for (int64_t j = k + 1; j <= i; j++) {
#pragma omp task depend(in                                                          \
                        : data[i * down + k * across], data[j * down + k * across]) \
    depend(inout                                                                    \
           : data[i * down + j * across]) priority(j == k + 1)
            update_tile(f, i, j, k);
        }
    }
}

void volt_cholesky_factor_all(int64_t count, const volt_matrix *A, volt_stage *stage, int64_t *pivots)
{
    factorisation f[VOLT_CHOLESKY_AT_ONCE];
    int64_t most = 0;
    for (int64_t c = 0; c < count; c++) {
        f[c].A = A[c];
        f[c].tile = volt_backend_tile(A[c].rows);
        f[c].stage = stage;
        atomic_init(&f[c].pivot, 0);
        most = volt_max(most, (A[c].rows + f[c].tile - 1) / f[c].tile);
    }
    int64_t n = A[0].rows, together = count > 1 && volt_cholesky_is_small(n) ? 1 : count;
    int64_t before, threads = volt_threads_begin((double)count * pow((double)n, 3) / 20, &before);
    (void)threads; /* without OpenMP */
#pragma omp parallel num_threads((int)threads)
#pragma omp master
    for (int64_t first = 0; first < count; first += together) {
#pragma omp task final(together < count) if (together < count)
        for (int64_t k = 0; k < most; k++)
            for (int64_t c = first; c < first + together; c++)
                factor_column(&f[c], k);
    }
    volt_threads_end(before);
    for (int64_t c = 0; c < count; c++)
        pivots[c] = atomic_load(&f[c].pivot);
}

void volt_cholesky_factor(volt_matrix A, volt_stage *stage, int64_t *pivot)
{
    volt_cholesky_factor_all(1, &A, stage, pivot);
}

/* ---- the inverse of A --------------------------------------------------------------------------
 * First X = L^{-1}, one block row n after the other; then R = X' X, one block row k after the other:
 *
 *     A_mn = -A_mn A_nn^{-1}       m > n               A_nn = A_nn + A_kn' A_kn      n < k
 *     A_mk =  A_mk + A_mn A_nk     m > n > k           A_mn = A_mn + A_km' A_kn      n < m < k
 *     A_nk =  A_nn^{-1} A_nk       n > k               A_kn = A_kk' A_kn             n < k
 *     A_nn =  A_nn^{-1}                                A_kk = A_kk' A_kk
 *
 * The updates of a tile have a fixed order, which does not depend on the number of threads. */

/* A_mn = -A_mn A_nn^{-1}, or (left) A_nk = A_nn^{-1} A_nk. */
static void divide_tile(const factorisation *f, int64_t i, int64_t j, bool left)
{
    if (!continues(f))
        return;
    block target = block_of(f, i, j), diagonal = left ? block_of(f, i, i) : block_of(f, j, j);
    volt_blas_int ld = (volt_blas_int)f->A.ld;
    cblas_dtrsm(CblasRowMajor, left ? CblasLeft : CblasRight, CblasLower, CblasNoTrans, CblasNonUnit,
                target.rows, target.cols, left ? 1 : -1, diagonal.at, ld, target.at, ld);
    done(f, 3);
}

static void add_product(const factorisation *f, int64_t m, int64_t n, int64_t k)
{
    if (!continues(f))
        return;
    block left = block_of(f, m, n), right = block_of(f, n, k), target = block_of(f, m, k);
    volt_blas_int ld = (volt_blas_int)f->A.ld;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, target.rows, target.cols, left.cols, 1, left.at, ld,
                right.at, ld, 1, target.at, ld);
    done(f, 6);
}

static void invert_tile(const factorisation *f, int64_t n)
{
    if (!continues(f))
        return;
    block diagonal = block_of(f, n, n);
    volt_blas_int ld = (volt_blas_int)f->A.ld, info = 0;
    dtrtri_("U", "N", &diagonal.rows, diagonal.at, &ld, &info, 1, 1); /* no pivot of a factor is 0 */
    done(f, 1);
}

static void invert_factor(factorisation *f, int64_t tiles)
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

static void add_square(const factorisation *f, int64_t m, int64_t n, int64_t k)
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

static void multiply_tile(const factorisation *f, int64_t k, int64_t n)
{
    if (!continues(f))
        return;
    block target = block_of(f, k, n), diagonal = block_of(f, k, k);
    volt_blas_int ld = (volt_blas_int)f->A.ld;
    cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, target.rows, target.cols, 1,
                diagonal.at, ld, target.at, ld);
    done(f, 3);
}

static void square_tile(const factorisation *f, int64_t k)
{
    if (!continues(f))
        return;
    block diagonal = block_of(f, k, k);
    volt_blas_int ld = (volt_blas_int)f->A.ld, info = 0;
    dlauum_("U", &diagonal.rows, diagonal.at, &ld, &info, 1);
    done(f, 1);
}

static void multiply_inverses(factorisation *f, int64_t tiles)
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
    factorisation f = {.A = L, .tile = volt_backend_tile(L.rows), .stage = stage};
    int64_t tiles = (L.rows + f.tile - 1) / f.tile;
    invert_factor(&f, tiles);
    multiply_inverses(&f, tiles);
}

/* ---- rank-k update ---------------------------------------------------------------------------- */

void volt_symmetric_update(volt_matrix R, volt_view B, double scale)
{
    int64_t tile = volt_backend_tile(R.rows), tiles = (R.rows + tile - 1) / tile;
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

/* ---- public ----------------------------------------------------------------------------------- */

volt_status volt_cholesky(volt_matrix A, volt_progress progress)
{
    VOLT_REQUIRE(A.data && A.rows > 0 && A.rows == A.cols && A.ld >= A.cols && A.ld <= INT_MAX, VOLT_ERR_SHAPE,
                 "the matrix to factor must be square, with a leading dimension of at most %d (got %" PRId64
                 " x %" PRId64 ", leading dimension %" PRId64 ")",
                 INT_MAX, A.rows, A.cols, A.ld);
    volt_blas_use use;
    VOLT_TRY(volt_blas_claim(&use));
    volt_stage stage;
    int64_t pivot = 0;
    volt_stage_begin(&stage, progress, "factor", 0, 1, volt_cholesky_units(A.rows));
    volt_cholesky_factor(A, &stage, &pivot);
    volt_blas_release(&use);
    VOLT_TRY(volt_stage_end(&stage));
    VOLT_REQUIRE(pivot == 0, VOLT_ERR_SINGULAR, "pivot %" PRId64 " of %" PRId64 " is not positive", pivot,
                 A.rows);
    return VOLT_OK;
}
