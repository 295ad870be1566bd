/* src/backend/cholesky_solve.c: L^{-1} B and L^{-T} B for a thin B, and the condition number, on all threads.
 *
 * Columns of L are taken in blocks. When a block of B is solved, the threads update the other rows of B in pieces. The sizes of
 * blocks and pieces depend only on the problem, and so does the rounding. */
#include "backend/cholesky.h"

#include "base/blas.h"
#include "base/condition.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

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
