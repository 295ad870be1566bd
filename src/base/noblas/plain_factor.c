/* src/base/noblas/plain_factor.c: Cholesky factor, its inverse and condition, without LAPACK.
 *
 * A triangle is split in two, [A1 .; B A2], as in base/noblas/plain_triangle.c. LAPACK's column-major upper triangle is
 * the row-major lower one here. */
#include "base/blas.h"
#include "base/numbers.h"

#include <assert.h>
#include <math.h>

enum { SMALL = 32 };

static int half_of(int n)
{
    return (n / 2 + SMALL - 1) / SMALL * SMALL;
}

/* ---- Cholesky --------------------------------------------------------------------------------- */

/* The number of the first pivot that is not positive; 0: none. */
static int factor_small(int n, double *A, int64_t ld)
{
    for (int64_t j = 0; j < n; j++) {
        double *row = A + j * ld, pivot = row[j];
        for (int64_t k = 0; k < j; k++)
            pivot -= row[k] * row[k];
        if (!(pivot > 0))
            return (int)j + 1;
        row[j] = sqrt(pivot);
        for (int64_t i = j + 1; i < n; i++) {
            double *other = A + i * ld, sum = other[j];
            for (int64_t k = 0; k < j; k++)
                sum -= other[k] * row[k];
            other[j] = sum / row[j];
        }
    }
    return 0;
}

static int factor(int n, double *A, int ld)
{
    if (n <= SMALL)
        return factor_small(n, A, ld);
    int half = half_of(n), rest = n - half, failed = factor(half, A, ld);
    double *below = A + (int64_t)half * ld;
    if (failed)
        return failed;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rest, half, 1, A, ld, below,
                ld);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, rest, half, -1, below, ld, 1, below + half, ld);
    failed = factor(rest, below + half, ld);
    return failed ? failed + half : 0;
}

void dpotrf_(const char *uplo, const volt_blas_int *n, double *a, const volt_blas_int *lda, volt_blas_int *info,
             int uplo_length)
{
    assert(*uplo == 'U');
    (void)uplo, (void)uplo_length;
    *info = factor(*n, a, *lda);
}

/* ---- inverses --------------------------------------------------------------------------------- */

/* L <- L^-1: [L1 0; B L2]^-1 = [L1^-1 0; -L2^-1 B L1^-1  L2^-1]. */
static void invert(int n, double *L, int ld)
{
    if (n <= SMALL) {
        for (int64_t j = 0; j < n; j++) { /* columns, from substitution */
            L[j * ld + j] = 1 / L[j * ld + j];
            for (int64_t i = j + 1; i < n; i++) {
                double sum = 0;
                for (int64_t k = j; k < i; k++)
                    sum += L[i * ld + k] * L[k * ld + j];
                L[i * ld + j] = -sum / L[i * ld + i];
            }
        }
        return;
    }
    int half = half_of(n), rest = n - half;
    double *below = L + (int64_t)half * ld, *second = below + half;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, rest, half, -1, L, ld, below,
                ld);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, rest, half, 1, second, ld,
                below, ld);
    invert(half, L, ld);
    invert(rest, second, ld);
}

void dtrtri_(const char *uplo, const char *diagonal, const volt_blas_int *n, double *a,
             const volt_blas_int *lda, volt_blas_int *info, int uplo_length, int diagonal_length)
{
    assert(*uplo == 'U' && *diagonal == 'N');
    (void)uplo, (void)diagonal, (void)uplo_length, (void)diagonal_length;
    *info = 0;
    for (int64_t i = 0; i < *n && *info == 0; i++)
        if (a[i * *lda + i] == 0)
            *info = (volt_blas_int)(i + 1);
    if (*info == 0)
        invert(*n, a, *lda);
}

/* Lower triangle of A <- L' L. */
static void square(int n, double *A, int ld)
{
    if (n <= SMALL) {
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) { /* rows below i are still those of L */
                double sum = 0;
                for (int64_t k = i; k < n; k++)
                    sum += A[k * ld + i] * A[k * ld + j];
                A[i * ld + j] = sum;
            }
        return;
    }
    int half = half_of(n), rest = n - half;
    double *below = A + (int64_t)half * ld, *second = below + half;
    square(half, A, ld);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, half, rest, 1, below, ld, 1, A, ld);
    cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, rest, half, 1, second, ld,
                below, ld);
    square(rest, second, ld);
}

void dlauum_(const char *uplo, const volt_blas_int *n, double *a, const volt_blas_int *lda, volt_blas_int *info,
             int uplo_length)
{
    assert(*uplo == 'U');
    (void)uplo, (void)uplo_length;
    square(*n, a, *lda);
    *info = 0;
}
