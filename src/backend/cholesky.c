/* src/backend/cholesky.c: tiled Cholesky factorisation of the lower triangle, solves, condition number and inverse. The
 * factorisation and the inverse are task graphs over BLAS.
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
#include "base/condition.h"
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

/* ---- L^{-1} B and L^{-T} B for a thin B ---------------------------------------------------------
 * Columns of L are taken in blocks. When a block of B is solved, the threads update the other rows of B in pieces. The sizes of
 * blocks and pieces depend only on the problem, and so does the rounding. */

enum {
    BLOCK = 256,     /* columns of L */
    ROW_PIECE = 128, /* rows of B updated at a time by one thread */
    COLUMN_PIECE = 8 /* columns of B solved at a time by one thread */
};

static volt_blas_int blas(int64_t size)
{
    return (volt_blas_int)size;
}

/* Solves with the diagonal block at row k, for columns first .. first + count - 1 of B. */
static void solve_block(volt_matrix L, int64_t k, int64_t size, CBLAS_TRANSPOSE transpose, int64_t first,
                        int64_t count, volt_matrix B)
{
    const double *corner = L.data + k * L.ld + k;
    double *target = B.data + k * B.ld + first;
    if (count == 1)
        cblas_dtrsv(CblasRowMajor, CblasLower, transpose, CblasNonUnit, blas(size), corner, blas(L.ld), target,
                    blas(B.ld));
    else
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, transpose, CblasNonUnit, blas(size), blas(count), 1,
                    corner, blas(L.ld), target, blas(B.ld));
}

/* Subtracts the solved block k from rows first .. first + count - 1 of B: below it (L[rows, k]), or above it (L[k, rows]'). */
static void update_rows(volt_matrix L, int64_t k, int64_t size, bool below, int64_t first, int64_t count,
                        volt_matrix B)
{
    const double *part = below ? L.data + first * L.ld + k : L.data + k * L.ld + first;
    const double *solved = B.data + k * B.ld;
    double *target = B.data + first * B.ld;
    CBLAS_TRANSPOSE transpose = below ? CblasNoTrans : CblasTrans;
    if (B.cols == 1)
        cblas_dgemv(CblasRowMajor, transpose, blas(below ? count : size), blas(below ? size : count), -1, part,
                    blas(L.ld), solved, blas(B.ld), 1, target, blas(B.ld));
    else
        cblas_dgemm(CblasRowMajor, transpose, CblasNoTrans, blas(count), blas(B.cols), blas(size), -1, part,
                    blas(L.ld), solved, blas(B.ld), 1, target, blas(B.ld));
}

/* Every thread of a team calls it, for `count` systems of n rows and q right-hand sides. Rows begin .. end - 1 are those
 * that the block at row k updates. */
static void step(int64_t count, const volt_matrix *L, int64_t k, bool forward, const volt_matrix *B)
{
    int64_t n = B->rows, q = B->cols;
    int64_t size = volt_min(BLOCK, n - k), begin = forward ? k + size : 0, end = forward ? n : k;
    int64_t columns = (q + COLUMN_PIECE - 1) / COLUMN_PIECE, rows = (end - begin + ROW_PIECE - 1) / ROW_PIECE;
#pragma omp for schedule(static)
    for (int64_t p = 0; p < count * columns; p++) {
        int64_t c = p / columns, first = p % columns * COLUMN_PIECE;
        solve_block(L[c], k, size, forward ? CblasNoTrans : CblasTrans, first,
                    volt_min(COLUMN_PIECE, q - first), B[c]);
    }
#pragma omp for schedule(static)
    for (int64_t p = 0; p < count * rows; p++) {
        int64_t c = p / rows, first = begin + p % rows * ROW_PIECE;
        update_rows(L[c], k, size, forward, first, volt_min(ROW_PIECE, end - first), B[c]);
    }
}

static void solve_all(int64_t count, const volt_matrix *L, bool forward, const volt_matrix *B)
{
    int64_t n = B->rows, blocks = (n + BLOCK - 1) / BLOCK;
    double work = (double)count * (double)n * (double)n * (double)B->cols;
    int64_t before, threads = volt_threads_begin(work, &before);
    (void)threads; /* without OpenMP */
#pragma omp parallel num_threads((int)threads)
    for (int64_t b = 0; b < blocks; b++)
        step(count, L, (forward ? b : blocks - 1 - b) * BLOCK, forward, B);
    volt_threads_end(before);
}

void volt_cholesky_forward(volt_matrix L, volt_matrix B)
{
    solve_all(1, &L, true, &B);
}

void volt_cholesky_forward_all(int64_t count, const volt_matrix *L, const volt_matrix *B)
{
    solve_all(count, L, true, B);
}

void volt_cholesky_backward(volt_matrix L, volt_matrix B)
{
    solve_all(1, &L, false, &B);
}

/* ---- condition -------------------------------------------------------------------------------- */

/* Rows of band b of a triangle: bands have about equal numbers of entries. */
static int64_t band_begin(int64_t n, int64_t b)
{
    return (int64_t)ceil((double)n * sqrt((double)b / VOLT_NORM_BANDS));
}

/* Sums of the absolute values of rows begin .. end - 1: of the rows, and of the columns before the diagonal. */
static void add_band(volt_view A, int64_t begin, int64_t end, double *sums)
{
    memset(sums, 0, (size_t)A.rows * sizeof *sums);
    for (int64_t i = begin; i < end; i++) {
        const double *row = A.data + i * A.ld;
        double own = fabs(row[i]);
        for (int64_t j = 0; j < i; j++) {
            double size = fabs(row[j]);
            own += size;
            sums[j] += size;
        }
        sums[i] += own;
    }
}

double volt_symmetric_norm(volt_view A, double *sums)
{
    int64_t n = A.rows;
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads_for((double)n *(double)n))
    for (int64_t b = 0; b < VOLT_NORM_BANDS; b++)
        add_band(A, band_begin(n, b), band_begin(n, b + 1), sums + b * n);
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t b = 0; b < VOLT_NORM_BANDS; b++)
            sum += sums[b * n + i];
        if (isnan(sum))
            return sum; /* fmax would ignore NaN */
        largest = fmax(largest, sum);
    }
    return largest;
}

static void solve_one(void *context, double *x)
{
    const volt_matrix *L = context;
    volt_matrix column = volt_matrix_of(x, L->rows, 1);
    volt_cholesky_forward(*L, column);
    volt_cholesky_backward(*L, column);
}

volt_status volt_cholesky_rcond(volt_matrix L, double norm, double *rcond)
{
    double *workspace = volt_alloc_doubles(2 * L.rows, 1);
    if (!workspace)
        return VOLT_ERR_MEMORY;
    *rcond = 1 / norm / volt_inverse_norm(L.rows, solve_one, &L, workspace);
    volt_free(workspace);
    return VOLT_OK;
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
