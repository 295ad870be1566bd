/* src/base/noblas/plain_singular.c: singular values and vectors without LAPACK.
 *
 * One-sided Jacobi rotations make the columns of A orthogonal, A W = V S (Golub and Van Loan, Matrix Computations,
 * section 8.6.3); V replaces A. Small singular values are as accurate as large ones. */
#include "base/blas.h"
#include "base/clones.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_SWEEPS = 40 }; /* about eight are needed */

VOLT_CLONES static void rotate(int64_t n, double *restrict x, double *restrict y, double c, double s)
{
    for (int64_t k = 0; k < n; k++) {
        double first = x[k], second = y[k];
        x[k] = c * first - s * second;
        y[k] = s * first + c * second;
    }
}

/* Makes rows x and y orthogonal; false if they were, to rounding. */
static bool orthogonalise(int n, double *x, double *y)
{
    double a = cblas_ddot(n, x, 1, x, 1), b = cblas_ddot(n, y, 1, y, 1), off = cblas_ddot(n, x, 1, y, 1);
    if (fabs(off) <= sqrt(n) * DBL_EPSILON * sqrt(a) * sqrt(b))
        return false;
    double theta = (b - a) / (2 * off);
    double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1));
    double c = 1 / hypot(t, 1);
    rotate(n, x, y, c, t * c);
    return true;
}

/* Rows of X (count x n), in decreasing order of their norms, which `values` receives; then of norm 1. */
static void normalise(int count, int n, double *X, double *values)
{
    for (int i = 0; i < count; i++)
        values[i] = cblas_dnrm2(n, X + (int64_t)i * n, 1);
    for (int i = 0; i < count; i++) {
        int largest = i;
        for (int j = i + 1; j < count; j++)
            if (values[j] > values[largest])
                largest = j;
        double *x = X + (int64_t)i * n, *y = X + (int64_t)largest * n, value = values[largest];
        values[largest] = values[i];
        values[i] = value;
        for (int k = 0; k < n; k++) {
            double kept = x[k];
            x[k] = value > 0 ? y[k] / value : 0;
            if (largest != i)
                y[k] = kept;
        }
    }
}

/* LAPACK's column-major m x n matrix is the row-major n x m one of the header comment, with lda = m <= n. The
 * matrix W, LAPACK's u, is not computed. */
void dgesdd_(const char *job, const volt_blas_int *m, const volt_blas_int *n, double *a,
             const volt_blas_int *lda, double *values, double *u, const volt_blas_int *ldu, double *vt,
             const volt_blas_int *ldvt, double *work, const volt_blas_int *work_size, volt_blas_int *iwork,
             volt_blas_int *info, int job_length)
{
    assert(*job == 'O' && *m <= *n && *lda == *m);
    (void)job, (void)lda, (void)u, (void)ldu, (void)vt, (void)ldvt, (void)iwork, (void)job_length;
    const int columns = *m, rows = *n;
    *info = 0;
    if (*work_size == -1) {
        work[0] = (double)columns * rows;
        return;
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            work[(int64_t)j * rows + i] = a[(int64_t)i * columns + j];
    bool changed = true;
    for (int sweep = 0; changed && *info == 0; sweep++) {
        changed = false;
        for (int p = 0; p < columns; p++)
            for (int q = p + 1; q < columns; q++)
                changed |= orthogonalise(rows, work + (int64_t)p * rows, work + (int64_t)q * rows);
        if (sweep == MAX_SWEEPS || !isfinite(work[0]))
            *info = 1;
    }
    normalise(columns, rows, work, values);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            a[(int64_t)i * columns + j] = work[(int64_t)j * rows + i];
}
