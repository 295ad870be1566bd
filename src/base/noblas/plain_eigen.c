/* src/base/noblas/plain_eigen.c: eigenvalues and eigenvectors of a symmetric matrix without LAPACK.
 *
 * Reflections make the matrix tridiagonal, T = P A P', and rotations diagonalise T by the implicit QL method
 * (Golub and Van Loan, Matrix Computations, sections 8.3.1 and 8.3.3). The rows of A become those of P, and
 * then, by the rotations, the eigenvectors. */
#include "base/blas.h"
#include "base/clones.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 60 }; /* of an eigenvalue; about two are needed */

/* ---- reduction -------------------------------------------------------------------------------- */

/* Lower triangle of A <- A - u p' - p u'. */
VOLT_CLONES static void update(int64_t n, double *A, int64_t ld, const double *u, const double *p)
{
    for (int64_t i = 0; i < n; i++) {
        double *row = A + i * ld, f = u[i], g = p[i];
        for (int64_t j = 0; j <= i; j++)
            row[j] -= f * p[j] + g * u[j];
    }
}

/* The reflection I - u u' / h that maps row (n numbers) to its last entry, which `*last` receives; u replaces
 * row. Returns h, 0 when there is nothing to reflect. */
static double reflect(int64_t n, double *row, double *last)
{
    double size = 0, square = 0;
    for (int64_t k = 0; k < n - 1; k++)
        size = fmax(size, fabs(row[k]));
    *last = row[n - 1];
    if (size == 0)
        return 0;
    size = fmax(size, fabs(row[n - 1]));
    for (int64_t k = 0; k < n; k++) {
        row[k] /= size;
        square += row[k] * row[k];
    }
    double f = row[n - 1], g = f >= 0 ? -sqrt(square) : sqrt(square);
    *last = size * g;
    row[n - 1] = f - g;
    return square - f * g;
}

/* Diagonal and subdiagonal of T; `off[i]` is entry (i + 1, i). Row i of A keeps the vector u of the reflection
 * that made it zero, over the roots of h. */
static void reduce(int n, double *A, int ld, double *diagonal, double *off)
{
    for (int i = n - 1; i > 0; i--) {
        double *u = A + (int64_t)i * ld, *p = diagonal, last = 0; /* entries of the diagonal below i are free */
        double h = reflect(i, u, &last);
        diagonal[i] = u[i];
        off[i - 1] = last;
        if (h == 0) {
            memset(u, 0, (size_t)i * sizeof *u);
            continue;
        }
        cblas_dscal(i, 1 / sqrt(h), u, 1); /* now the reflection is I - u u' */
        cblas_dsymv(CblasRowMajor, CblasLower, i, 1, A, ld, u, 1, 0, p, 1);
        double half = cblas_ddot(i, u, 1, p, 1) / 2;
        for (int k = 0; k < i; k++)
            p[k] -= half * u[k];
        update(i, A, ld, u, p);
    }
    diagonal[0] = A[0];
    off[n - 1] = 0;
}

/* A <- P, the product of the reflections; step i extends its leading block from i - 1 to i rows. */
VOLT_CLONES static void form_rows(int64_t n, double *A, int64_t ld, double *u)
{
    for (int64_t i = 0; i < n; i++) {
        double *row = A + i * ld;
        memcpy(u, row, (size_t)i * sizeof *u);
        memset(row, 0, (size_t)n * sizeof *row);
        row[i] = 1;
        for (int64_t r = 0; r < i; r++) {
            double *other = A + r * ld, sum = cblas_ddot((int)i, other, 1, u, 1);
            for (int64_t k = 0; k < i; k++)
                other[k] -= sum * u[k];
        }
    }
}

/* ---- iteration -------------------------------------------------------------------------------- */

/* Rotates rows x and y. */
VOLT_CLONES static void rotate(int64_t n, double *restrict x, double *restrict y, double c, double s)
{
    for (int64_t k = 0; k < n; k++) {
        double high = y[k], low = x[k];
        y[k] = s * low + c * high;
        x[k] = c * low - s * high;
    }
}

/* One implicit QL step on rows first .. last; `rows` may be NULL. */
static void step_ql(int n, int first, int last, double *d, double *e, double *rows, int64_t ld)
{
    double g = (d[first + 1] - d[first]) / (2 * e[first]), s = 1, c = 1, shift = 0;
    g = d[last] - d[first] + e[first] / (g + copysign(hypot(g, 1), g));
    for (int i = last - 1; i >= first; i--) {
        double f = s * e[i], b = c * e[i], r = hypot(f, g);
        e[i + 1] = r;
        if (r == 0) { /* underflow: the matrix has split */
            d[i + 1] -= shift;
            e[last] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - shift;
        r = (d[i] - g) * s + 2 * c * b;
        shift = s * r;
        d[i + 1] = g + shift;
        g = c * r - b;
        if (rows)
            rotate(n, rows + i * ld, rows + (i + 1) * ld, c, s);
    }
    d[first] -= shift;
    e[first] = g;
    e[last] = 0;
}

/* Returns 0, or the number of an eigenvalue that did not converge. */
static int diagonalise(int n, double *d, double *e, double *rows, int64_t ld)
{
    for (int first = 0; first < n; first++)
        for (int iteration = 0;; iteration++) {
            int last = first;
            while (last < n - 1 && !(fabs(e[last]) <= DBL_EPSILON * (fabs(d[last]) + fabs(d[last + 1]))))
                last++;
            if (last == first)
                break;
            if (iteration == MAX_ITERATIONS)
                return first + 1;
            step_ql(n, first, last, d, e, rows, ld);
        }
    return 0;
}

static void sort(int n, double *d, double *rows, int64_t ld, double *spare)
{
    const size_t bytes = (size_t)n * sizeof *spare;
    for (int i = 0; i < n; i++) {
        int least = i;
        for (int j = i + 1; j < n; j++)
            if (d[j] < d[least])
                least = j;
        double value = d[i];
        d[i] = d[least];
        d[least] = value;
        if (rows && least != i) {
            memcpy(spare, rows + i * ld, bytes);
            memcpy(rows + i * ld, rows + least * ld, bytes);
            memcpy(rows + least * ld, spare, bytes);
        }
    }
}

void dsyevd_(const char *jobs, const char *uplo, const volt_blas_int *n, double *a, const volt_blas_int *lda,
             double *values, double *work, const volt_blas_int *work_size, volt_blas_int *iwork,
             const volt_blas_int *iwork_size, volt_blas_int *info, int jobs_length, int uplo_length)
{
    assert(*uplo == 'U');
    (void)uplo, (void)jobs_length, (void)uplo_length;
    const bool has_vectors = *jobs == 'V';
    *info = 0;
    if (*work_size == -1 || *iwork_size == -1) {
        work[0] = 2.0 * *n + 1;
        iwork[0] = 1;
        return;
    }
    double *off = work, *spare = work + *n;
    if (*n < 1)
        return;
    reduce(*n, a, *lda, values, off);
    if (has_vectors)
        form_rows(*n, a, *lda, spare);
    *info = diagonalise(*n, values, off, has_vectors ? a : NULL, *lda);
    if (*info == 0)
        sort(*n, values, has_vectors ? a : NULL, *lda, spare);
}
