/* src/backend/cpu_backend.c: the CPU back end: host memory, OpenBLAS and the loops of this folder. */
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

static void forward(volt_matrix L, int64_t from, int64_t to, bool steady, volt_matrix B)
{
    if (steady || from > 0)
        volt_cholesky_grow_forward(L, from, to, B);
    else
        volt_cholesky_forward(L, volt_matrix_rows(B, 0, to));
}

static void backward(volt_matrix L, bool steady, volt_matrix B)
{
    if (steady)
        volt_cholesky_leading_backward(L, B);
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
    .trsm = volt_cholesky_grow_rows,
    .potrf = volt_cholesky_grow_corner,
    .norm = norm,
    .rcond = volt_cholesky_rcond,
    .invert = volt_cholesky_invert,
    .update = volt_symmetric_update,
    .forward = forward,
    .backward = backward,
    .gemm = gemm,
};
