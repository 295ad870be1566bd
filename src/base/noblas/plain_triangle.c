/* src/base/noblas/plain_triangle.c: triangular solves and products, and symmetric products, without a BLAS.
 *
 * Each splits its triangle in two, [L1 0; B L2], so that nearly all operations are a product with B
 * (plain_gemm.c). Triangles of at most SMALL rows are solved by substitution. */
#include "base/blas.h"
#include "base/clones.h"
#include "base/numbers.h"

#include <assert.h>
#include <string.h>

enum { SMALL = 32, CHUNK = 64 };

static void multiply_add(CBLAS_TRANSPOSE transpose_a, CBLAS_TRANSPOSE transpose_b, int m, int n, int k,
                         double alpha, const double *A, int ld_a, const double *B, int ld_b, double *C,
                         int ld_c)
{
    cblas_dgemm(CblasRowMajor, transpose_a, transpose_b, m, n, k, alpha, A, ld_a, B, ld_b, 1, C, ld_c);
}

/* ---- small triangles: rows of B (n x columns) --------------------------------------------------- */

/* X <- L^-1 X, or L'^-1 X; ld of X is `ld_x`. */
VOLT_CLONES static void substitute(int transpose, int64_t n, int64_t columns, const double *L, int64_t ld,
                                   double *X, int64_t ld_x)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t i = transpose ? n - 1 - k : k;
        double *restrict x = X + i * ld_x;
        for (int64_t j = transpose ? i + 1 : 0; j < (transpose ? n : i); j++) {
            const double *restrict other = X + j * ld_x;
            double factor = transpose ? L[j * ld + i] : L[i * ld + j];
            for (int64_t c = 0; c < columns; c++)
                x[c] -= factor * other[c];
        }
        for (int64_t c = 0; c < columns; c++)
            x[c] /= L[i * ld + i];
    }
}

/* X <- L' X. */
VOLT_CLONES static void multiply_small(int64_t n, int64_t columns, const double *L, int64_t ld, double *X,
                                       int64_t ld_x)
{
    for (int64_t i = 0; i < n; i++) {
        double *restrict x = X + i * ld_x;
        for (int64_t c = 0; c < columns; c++)
            x[c] *= L[i * ld + i];
        for (int64_t j = i + 1; j < n; j++) {
            const double *restrict other = X + j * ld_x;
            for (int64_t c = 0; c < columns; c++)
                x[c] += L[j * ld + i] * other[c];
        }
    }
}

/* X <- X op(L)^-1: op(L)'^-1 of the transpose, a few rows at a time. */
static void substitute_right(int transpose, int64_t rows, int64_t n, const double *L, int64_t ld, double *X,
                             int64_t ld_x)
{
    double turned[SMALL * CHUNK];
    for (int64_t first = 0; first < rows; first += CHUNK) {
        int64_t count = volt_min(CHUNK, rows - first);
        double *x = X + first * ld_x;
        for (int64_t r = 0; r < count; r++)
            for (int64_t j = 0; j < n; j++)
                turned[j * CHUNK + r] = x[r * ld_x + j];
        substitute(!transpose, n, count, L, ld, turned, CHUNK);
        for (int64_t r = 0; r < count; r++)
            for (int64_t j = 0; j < n; j++)
                x[r * ld_x + j] = turned[j * CHUNK + r];
    }
}

/* ---- solves ----------------------------------------------------------------------------------- */

static int half_of(int n)
{
    return (n / 2 + SMALL - 1) / SMALL * SMALL; /* whole small triangles but for the last */
}

static void solve_left(CBLAS_TRANSPOSE transpose, int m, int n, const double *L, int ld, double *B, int ld_b)
{
    if (m <= SMALL) {
        substitute(transpose == CblasTrans, m, n, L, ld, B, ld_b);
        return;
    }
    int half = half_of(m), rest = m - half;
    const double *below = L + (int64_t)half * ld, *second = below + half;
    double *bottom = B + (int64_t)half * ld_b;
    if (transpose == CblasTrans) {
        solve_left(transpose, rest, n, second, ld, bottom, ld_b);
        multiply_add(CblasTrans, CblasNoTrans, half, n, rest, -1, below, ld, bottom, ld_b, B, ld_b);
        solve_left(transpose, half, n, L, ld, B, ld_b);
    } else {
        solve_left(transpose, half, n, L, ld, B, ld_b);
        multiply_add(CblasNoTrans, CblasNoTrans, rest, n, half, -1, below, ld, B, ld_b, bottom, ld_b);
        solve_left(transpose, rest, n, second, ld, bottom, ld_b);
    }
}

static void solve_right(CBLAS_TRANSPOSE transpose, int m, int n, const double *L, int ld, double *B, int ld_b)
{
    if (n <= SMALL) {
        substitute_right(transpose == CblasTrans, m, n, L, ld, B, ld_b);
        return;
    }
    int half = half_of(n), rest = n - half;
    const double *below = L + (int64_t)half * ld, *second = below + half;
    if (transpose == CblasTrans) {
        solve_right(transpose, m, half, L, ld, B, ld_b);
        multiply_add(CblasNoTrans, CblasTrans, m, rest, half, -1, B, ld_b, below, ld, B + half, ld_b);
        solve_right(transpose, m, rest, second, ld, B + half, ld_b);
    } else {
        solve_right(transpose, m, rest, second, ld, B + half, ld_b);
        multiply_add(CblasNoTrans, CblasNoTrans, m, half, rest, -1, B + half, ld_b, below, ld, B, ld_b);
        solve_right(transpose, m, half, L, ld, B, ld_b);
    }
}

static void scale_rows(int m, int n, double alpha, double *B, int ld)
{
    for (int64_t i = 0; alpha != 1 && i < m; i++)
        for (int64_t j = 0; j < n; j++)
            B[i * ld + j] *= alpha;
}

void cblas_dtrsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transpose,
                 CBLAS_DIAG diagonal, int m, int n, double alpha, const double *L, int ld_l, double *B,
                 int ld_b)
{
    assert(layout == CblasRowMajor && uplo == CblasLower && diagonal == CblasNonUnit);
    (void)layout, (void)uplo, (void)diagonal;
    scale_rows(m, n, alpha, B, ld_b);
    if (side == CblasLeft)
        solve_left(transpose, m, n, L, ld_l, B, ld_b);
    else
        solve_right(transpose, m, n, L, ld_l, B, ld_b);
}

/* ---- products --------------------------------------------------------------------------------- */

static void multiply_left(int m, int n, const double *L, int ld, double *B, int ld_b)
{
    if (m <= SMALL) {
        multiply_small(m, n, L, ld, B, ld_b);
        return;
    }
    int half = half_of(m), rest = m - half;
    const double *below = L + (int64_t)half * ld;
    double *bottom = B + (int64_t)half * ld_b;
    multiply_left(half, n, L, ld, B, ld_b);
    multiply_add(CblasTrans, CblasNoTrans, half, n, rest, 1, below, ld, bottom, ld_b, B, ld_b);
    multiply_left(rest, n, below + half, ld, bottom, ld_b);
}

void cblas_dtrmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transpose,
                 CBLAS_DIAG diagonal, int m, int n, double alpha, const double *L, int ld_l, double *B,
                 int ld_b)
{
    assert(layout == CblasRowMajor && side == CblasLeft && uplo == CblasLower && transpose == CblasTrans &&
           diagonal == CblasNonUnit);
    (void)layout, (void)side, (void)uplo, (void)transpose, (void)diagonal;
    scale_rows(m, n, alpha, B, ld_b);
    multiply_left(m, n, L, ld_l, B, ld_b);
}

/* Adds alpha A B to C for the upper triangle of A. */
static void multiply_symmetric(int m, int n, double alpha, const double *A, int ld, const double *B, int ld_b,
                               double *C, int ld_c)
{
    if (m <= SMALL) {
        double whole[SMALL * SMALL];
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = i; j < m; j++)
                whole[i * SMALL + j] = whole[j * SMALL + i] = A[i * ld + j];
        multiply_add(CblasNoTrans, CblasNoTrans, m, n, m, alpha, whole, SMALL, B, ld_b, C, ld_c);
        return;
    }
    int half = half_of(m), rest = m - half;
    const double *right = A + half, *low_b = B + (int64_t)half * ld_b;
    double *low_c = C + (int64_t)half * ld_c;
    multiply_symmetric(half, n, alpha, A, ld, B, ld_b, C, ld_c);
    multiply_add(CblasNoTrans, CblasNoTrans, half, n, rest, alpha, right, ld, low_b, ld_b, C, ld_c);
    multiply_add(CblasTrans, CblasNoTrans, rest, n, half, alpha, right, ld, B, ld_b, low_c, ld_c);
    multiply_symmetric(rest, n, alpha, right + (int64_t)half * ld, ld, low_b, ld_b, low_c, ld_c);
}

void cblas_dsymm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int m, int n, double alpha,
                 const double *A, int ld_a, const double *B, int ld_b, double beta, double *C, int ld_c)
{
    assert(layout == CblasRowMajor && side == CblasLeft && uplo == CblasUpper);
    (void)layout, (void)side, (void)uplo;
    if (beta == 0)
        for (int64_t i = 0; i < m; i++)
            memset(C + i * ld_c, 0, (size_t)n * sizeof *C);
    else
        scale_rows(m, n, beta, C, ld_c);
    multiply_symmetric(m, n, alpha, A, ld_a, B, ld_b, C, ld_c);
}
