/* src/base/noblas/plain_vector.c: operations on vectors, and on a matrix and a vector, without a BLAS. */
#include "base/blas.h"
#include "base/clones.h"
#include "base/numbers.h"

#include <assert.h>
#include <math.h>

/* ---- loops ------------------------------------------------------------------------------------ */

VOLT_CLONES static double dot(int64_t n, const double *x, const double *y)
{
    double parts[8] = {0}, rest = 0;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++)
            parts[l] += x[i + l] * y[i + l];
    for (; i < n; i++)
        rest += x[i] * y[i];
    return ((parts[0] + parts[4]) + (parts[1] + parts[5])) + ((parts[2] + parts[6]) + (parts[3] + parts[7])) +
           rest;
}

static double dot_strided(int64_t n, const double *x, int64_t step_x, const double *y, int64_t step_y)
{
    double sum = 0;
    if (step_x == 1 && step_y == 1)
        return dot(n, x, y);
    for (int64_t i = 0; i < n; i++)
        sum += x[i * step_x] * y[i * step_y];
    return sum;
}

/* y <- y + alpha x. */
VOLT_CLONES static void add(int64_t n, double alpha, const double *restrict x, double *restrict y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += alpha * x[i];
}

static void add_strided(int64_t n, double alpha, const double *x, int64_t step_x, double *y, int64_t step_y)
{
    if (step_x == 1 && step_y == 1)
        add(n, alpha, x, y);
    else
        for (int64_t i = 0; i < n; i++)
            y[i * step_y] += alpha * x[i * step_x];
}

static void scale(int64_t n, double beta, double *y, int64_t step)
{
    for (int64_t i = 0; beta != 1 && i < n; i++)
        y[i * step] = beta == 0 ? 0 : beta * y[i * step];
}

/* ---- vectors ---------------------------------------------------------------------------------- */

double cblas_ddot(int n, const double *x, int step_x, const double *y, int step_y)
{
    return dot_strided(n, x, step_x, y, step_y);
}

double cblas_dnrm2(int n, const double *x, int step)
{
    volt_squares squares = {0};
    double sum = dot_strided(n, x, step, x, step);
    if (sum > 0x1p-900 && sum < 0x1p1000) /* no square of significance underflowed, none overflowed */
        return sqrt(sum);
    for (int64_t i = 0; i < n; i++)
        volt_squares_add(&squares, x[i * step]);
    return volt_squares_root(&squares);
}

void cblas_dscal(int n, double alpha, double *x, int step)
{
    for (int64_t i = 0; i < n; i++)
        x[i * (int64_t)step] *= alpha;
}

/* ---- a matrix and a vector -------------------------------------------------------------------- */

void cblas_dgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transpose, int rows, int cols, double alpha,
                 const double *A, int ld, const double *x, int step_x, double beta, double *y, int step_y)
{
    assert(layout == CblasRowMajor);
    (void)layout;
    scale(transpose == CblasTrans ? cols : rows, beta, y, step_y);
    for (int64_t i = 0; alpha != 0 && i < rows; i++) {
        const double *a = A + i * ld;
        if (transpose == CblasTrans)
            add_strided(cols, alpha * x[i * step_x], a, 1, y, step_y);
        else
            y[i * step_y] += alpha * dot_strided(cols, a, 1, x, step_x);
    }
}

/* Every entry of the triangle is read once: row i gives a dot product and, reflected, a column. */
void cblas_dsymv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, int n, double alpha, const double *A, int ld,
                 const double *x, int step_x, double beta, double *y, int step_y)
{
    assert(layout == CblasRowMajor);
    (void)layout;
    scale(n, beta, y, step_y);
    for (int64_t i = 0; alpha != 0 && i < n; i++) {
        int64_t first = uplo == CblasLower ? 0 : i + 1, count = uplo == CblasLower ? i : n - i - 1;
        const double *a = A + i * ld;
        double sum = dot_strided(count, a + first, 1, x + first * step_x, step_x);
        add_strided(count, alpha * x[i * step_x], a + first, 1, y + first * step_y, step_y);
        y[i * step_y] += alpha * (sum + a[i] * x[i * step_x]);
    }
}

void cblas_dtrsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transpose, CBLAS_DIAG diagonal, int n,
                 const double *L, int ld, double *x, int step)
{
    assert(layout == CblasRowMajor && uplo == CblasLower && diagonal == CblasNonUnit);
    (void)layout, (void)uplo, (void)diagonal;
    for (int64_t k = 0; k < n; k++) {
        int64_t i = transpose == CblasTrans ? n - 1 - k : k;
        const double *row = L + i * ld;
        if (transpose == CblasTrans) {
            x[i * step] /= row[i];
            add_strided(i, -x[i * step], row, 1, x, step);
        } else {
            x[i * step] = (x[i * step] - dot_strided(i, row, 1, x, step)) / row[i];
        }
    }
}
