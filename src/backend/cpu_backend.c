/* src/backend/cpu_backend.c: the CPU back end: host memory, BLAS, and loops over it. */
#include "backend/backend.h"
#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

static void release(double *memory)
{
    volt_free(memory);
}

static void copy(volt_view from, volt_matrix to)
{
    for (int64_t i = 0; i < from.rows; i++)
        memcpy(to.data + i * to.ld, from.data + i * from.ld, (size_t)from.cols * sizeof(double));
}

static volt_matrix map(volt_matrix A)
{
    return A;
}

static void shift(volt_matrix A, int64_t first, int64_t count, double common, double alpha, double *largest)
{
    for (int64_t i = first; i < first + count; i++)
        *largest = fmax(*largest, A.data[i * A.ld + i]);
    if (common != 0) {
        double entries = (double)count * (double)(first + count);
#pragma omp parallel for schedule(dynamic, 64) num_threads((int)volt_threads_for(entries))
        for (int64_t i = first; i < first + count; i++)
            for (int64_t j = 0; j <= i; j++)
                A.data[i * A.ld + j] -= common;
    }
    for (int64_t i = first; i < first + count; i++)
        A.data[i * A.ld + i] += alpha;
}

enum { TILE = 32 }; /* two tiles fit into the first-level cache */

static void mirror(volt_matrix A, bool up)
{
    double entries = (double)A.rows * (double)A.rows;
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)volt_threads_for(entries))
    for (int64_t first = 0; first < A.rows; first += TILE)
        for (int64_t left = 0; left <= first; left += TILE)
            for (int64_t i = first; i < volt_min(first + TILE, A.rows); i++)
                for (int64_t j = left; j < volt_min(left + TILE, i); j++)
                    if (up)
                        A.data[j * A.ld + i] = A.data[i * A.ld + j];
                    else
                        A.data[i * A.ld + j] = A.data[j * A.ld + i];
}

static void isolate(volt_matrix A, int64_t i, int64_t first, int64_t count, double diagonal)
{
    if (i >= first && i < first + count) {
        memset(A.data + i * A.ld, 0, (size_t)i * sizeof(double));
        A.data[i * A.ld + i] = diagonal;
    }
    for (int64_t row = volt_max(first, i + 1); row < first + count; row++)
        A.data[row * A.ld + i] = 0;
}

static volt_status norm(volt_view A, double *value)
{
    double *sums = volt_alloc_doubles(A.rows, VOLT_NORM_BANDS);
    if (!sums)
        return VOLT_ERR_MEMORY;
    *value = volt_symmetric_norm(A, sums);
    volt_free(sums);
    return VOLT_OK;
}

/* ---- a Cholesky factor that grows from one leading block to the next ---------------------------
 *
 * L and the unfactored part of A share one lower triangle. Growing computes further columns, block by block:
 *
 *     rows    L[r, from:to] = (A[r, from:to] - L[r, :from] L[from:to, :from]') L[from:to, from:to]^{-T}
 *     corner  L[from:to, from:to] = chol(A[from:to, from:to] - L[from:to, :from] L[from:to, :from]')
 *
 * Every BLAS call runs on one thread of a parallel region and processes a piece whose size depends only on
 * the problem. Results therefore do not depend on the number of threads. A stage counts thousands of flops,
 * and the volt_cholesky_units() of a corner. */

enum {
    ROW_PIECE = 512,     /* rows solved at a time by one thread */
    COLUMN_PIECE = 1024, /* columns between two checks for cancellation */
    CORNER_PIECE = 512,
    SOLVE_PIECE = 64 /* right-hand sides solved at a time by one thread */
};

static volt_blas_int blas(int64_t size)
{
    return (volt_blas_int)size;
}

static bool advance(volt_stage *stage, double flops)
{
    return !stage || volt_stage_advance(stage, (int64_t)(flops / 1000) + 1);
}

/* Number of pieces of about `size` that divide `total` evenly. */
static int64_t pieces_of(int64_t total, int64_t size)
{
    return (total + size - 1) / size;
}

static void grow_piece(volt_matrix L, int64_t first, int64_t count, int64_t from, int64_t to, volt_stage *stage)
{
    double *rows = L.data + first * L.ld;
    volt_blas_int ld = blas(L.ld);
    for (int64_t done = from; done < to; done += COLUMN_PIECE) {
        int64_t width = volt_min(COLUMN_PIECE, to - done);
        const double *factor = L.data + done * L.ld;
        if (done > 0)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, blas(count), blas(width), blas(done), -1, rows,
                        ld, factor, ld, 1, rows + done, ld);
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, blas(count), blas(width),
                    1, factor + done, ld, rows + done, ld);
        if (!advance(stage, (double)count * (double)width * (double)(2 * done + width)))
            return;
    }
}

static void grow_rows(volt_matrix L, int64_t first, int64_t count, int64_t from, int64_t to, volt_stage *stage)
{
    if (count <= 0 || to <= from)
        return;
    int64_t pieces = pieces_of(count, ROW_PIECE);
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
    for (int64_t p = 0; p < pieces; p++) {
        int64_t begin = p * count / pieces, end = (p + 1) * count / pieces;
        grow_piece(L, first + begin, end - begin, from, to, stage);
    }
}

/* Subtract L21 L21' from tile (i, j) of the corner. */
static void update_corner_tile(volt_matrix L, int64_t from, int64_t row, int64_t rows, int64_t column,
                               int64_t columns)
{
    volt_blas_int ld = blas(L.ld);
    const double *left = L.data + row * L.ld, *right = L.data + column * L.ld;
    double *target = L.data + row * L.ld + column;
    if (row == column)
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, blas(rows), blas(from), -1, left, ld, 1, target,
                    ld);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, blas(rows), blas(columns), blas(from), -1, left,
                    ld, right, ld, 1, target, ld);
}

static void grow_corner(volt_matrix L, int64_t from, int64_t to, volt_stage *stage, int64_t *pivot)
{
    int64_t size = to - from, tiles = pieces_of(size, CORNER_PIECE), pairs = tiles * (tiles + 1) / 2;
    *pivot = 0;
    if (from > 0) {
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
        for (int64_t p = 0; p < pairs; p++) {
            int64_t i = (int64_t)((sqrt(8 * (double)p + 1) - 1) / 2);
            int64_t j = p - i * (i + 1) / 2;
            int64_t row = i * size / tiles, row_end = (i + 1) * size / tiles;
            int64_t column = j * size / tiles, column_end = (j + 1) * size / tiles;
            if (volt_stage_should_continue(stage))
                update_corner_tile(L, from, from + row, row_end - row, from + column, column_end - column);
            advance(stage, 2 * (double)(row_end - row) * (double)(column_end - column) * (double)from);
        }
    }
    if (!volt_stage_should_continue(stage))
        return;
    volt_matrix corner = {L.data + from * L.ld + from, size, size, L.ld};
    volt_cholesky_factor(corner, stage, pivot);
    if (*pivot)
        *pivot += from;
}

/* Columns first .. first + count - 1 of a matrix. */
static volt_matrix columns_of(volt_matrix B, int64_t first, int64_t count)
{
    volt_matrix columns = {B.data + first, B.rows, count, B.ld};
    return columns;
}

static void forward_piece(volt_matrix L, int64_t from, int64_t to, volt_matrix B)
{
    const double *rows = L.data + from * L.ld;
    double *target = B.data + from * B.ld;
    if (from > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, blas(to - from), blas(B.cols), blas(from), -1,
                    rows, blas(L.ld), B.data, blas(B.ld), 1, target, blas(B.ld));
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, blas(to - from), blas(B.cols),
                1, rows + from, blas(L.ld), target, blas(B.ld));
}

static void grow_forward(volt_matrix L, int64_t from, int64_t to, volt_matrix B)
{
    int64_t pieces = pieces_of(B.cols, SOLVE_PIECE);
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
    for (int64_t p = 0; p < pieces; p++) {
        int64_t begin = p * B.cols / pieces, end = (p + 1) * B.cols / pieces;
        forward_piece(L, from, to, columns_of(B, begin, end - begin));
    }
}

/* B <- L[:m, :m]^{-T} B for the first m = B.rows rows. */
static void leading_backward(volt_matrix L, volt_matrix B)
{
    int64_t pieces = pieces_of(B.cols, SOLVE_PIECE);
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
    for (int64_t p = 0; p < pieces; p++) {
        int64_t begin = p * B.cols / pieces, end = (p + 1) * B.cols / pieces;
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, blas(B.rows),
                    blas(end - begin), 1, L.data, blas(L.ld), B.data + begin, blas(B.ld));
    }
}

/* ---- solves and products ------------------------------------------------------------------------ */

void volt_product(volt_view A, volt_view B, const double *shift, volt_matrix C)
{
    int64_t pieces = pieces_of(A.rows, ROW_PIECE);
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
    for (int64_t p = 0; p < pieces; p++) {
        int64_t begin = p * A.rows / pieces, end = (p + 1) * A.rows / pieces;
        for (int64_t i = begin; shift && i < end; i++)
            for (int64_t k = 0; k < C.cols; k++)
                C.data[i * C.ld + k] = shift[k];
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, blas(end - begin), blas(C.cols), blas(A.cols), 1,
                    A.data + begin * A.ld, blas(A.ld), B.data, blas(B.ld), shift ? 1 : 0, C.data + begin * C.ld,
                    blas(C.ld));
    }
}

static void forward(volt_matrix L, int64_t from, int64_t to, bool steady, volt_matrix B)
{
    if (steady || from > 0)
        grow_forward(L, from, to, B);
    else
        volt_cholesky_forward(L, volt_matrix_rows(B, 0, to));
}

static void backward(volt_matrix L, bool steady, volt_matrix B)
{
    if (steady)
        leading_backward(L, B);
    else
        volt_cholesky_backward(L, B);
}

static void gemm(volt_view A, bool transposed, volt_view B, const double *add, bool steady, volt_matrix C)
{
    if (steady && !transposed) {
        volt_product(A, B, add, C);
        return;
    }
    for (int64_t i = 0; add && i < C.rows; i++)
        memcpy(C.data + i * C.ld, add, (size_t)C.cols * sizeof(double));
    cblas_dgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, (volt_blas_int)C.rows,
                (volt_blas_int)C.cols, (volt_blas_int)B.rows, 1, A.data, (volt_blas_int)A.ld, B.data,
                (volt_blas_int)B.ld, add ? 1 : 0, C.data, (volt_blas_int)C.ld);
}

const volt_backend volt_cpu_backend = {
    .name = "cpu",
    .alloc = volt_alloc_doubles,
    .release = release,
    .put = copy,
    .get = copy,
    .map = map,
    .shift = shift,
    .mirror = mirror,
    .isolate = isolate,
    .trsm = grow_rows,
    .potrf = grow_corner,
    .norm = norm,
    .rcond = volt_cholesky_rcond,
    .invert = volt_cholesky_invert,
    .update = volt_symmetric_update,
    .forward = forward,
    .backward = backward,
    .gemm = gemm,
};
