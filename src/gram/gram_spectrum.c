/* src/gram/gram_spectrum.c: eigenvalues of a Gram matrix, and its effective dimension.
 *
 * All eigenvalues come from LAPACK. The largest ones come from the Lanczos recursion with full
 * reorthogonalisation,
 *
 *     K Q = Q T + b q e',     T tridiagonal,
 *
 * whose Ritz values, the eigenvalues of T, approach the largest eigenvalues of K first. The residual of Ritz
 * pair i is b |s_i|, where s_i is the last entry of its eigenvector of T; some eigenvalue of K is within that
 * distance of it. T doubles until the residuals are small enough. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/views.h"
#include "gram/gram.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A residual of RESIDUAL times the largest eigenvalue is accepted. */
static const double RESIDUAL = 1e-10;
enum {
    FULL = 6,   /* a larger share than 1 / FULL of the eigenvalues comes from LAPACK */
    MARGIN = 30 /* steps in addition to twice the number of eigenvalues */
};

/* ---- LAPACK ------------------------------------------------------------------------------------ */

/* Eigenvalues of A (n x n, lower triangle; overwritten) in increasing order; with `vectors`, row i of A receives
 * eigenvector i. */
static volt_status decompose(volt_matrix A, bool vectors, double *values)
{
    volt_blas_int n = (volt_blas_int)A.rows, ld = (volt_blas_int)A.ld, size = -1, integers = -1, info = 0;
    double wanted = 0;
    volt_blas_int wanted_integers = 0;
    const char *job = vectors ? "V" : "N";
    dsyevd_(job, "U", &n, A.data, &ld, values, &wanted, &size, &wanted_integers, &integers, &info, 1, 1);
    size = (volt_blas_int)wanted;
    integers = wanted_integers;
    double *work = volt_alloc_doubles(volt_max((int64_t)size, 1), 1);
    volt_blas_int *whole = volt_alloc(volt_max((int64_t)integers, 1), sizeof *whole);
    volt_status status = work && whole ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        dsyevd_(job, "U", &n, A.data, &ld, values, work, &size, whole, &integers, &info, 1, 1);
        if (info != 0)
            status = volt_fail(VOLT_ERR_NOT_FINITE, "the eigenvalues did not converge (LAPACK: %lld)",
                               (long long)info);
    }
    volt_free(whole);
    volt_free(work);
    return status;
}

static volt_status all_values(volt_matrix K, int64_t count, double *values)
{
    double *rising = volt_alloc_doubles(K.rows, 1);
    volt_status status = rising ? decompose(K, false, rising) : VOLT_ERR_MEMORY;
    for (int64_t i = 0; status == VOLT_OK && i < count; i++)
        values[i] = rising[K.rows - 1 - i];
    volt_free(rising);
    return status;
}

/* ---- Lanczos ----------------------------------------------------------------------------------- */

typedef struct lanczos {
    volt_matrix K; /* lower triangle */
    volt_stage *stage;
    int64_t n, steps, most;
    double *Q;              /* (most + 1) x n: orthonormal rows */
    double *diagonal, *off; /* most: T */
    double *T, *ritz;       /* most x most, most: workspace */
    double *product;        /* most + 1 */
} lanczos;

static void lanczos_release(lanczos *z)
{
    volt_free(z->Q);
    volt_free(z->diagonal);
    volt_free(z->off);
    volt_free(z->T);
    volt_free(z->ritz);
    volt_free(z->product);
}

static volt_status lanczos_begin(volt_matrix K, int64_t most, volt_stage *stage, lanczos *z)
{
    *z = (lanczos){.K = K, .stage = stage, .n = K.rows, .most = most};
    z->Q = volt_alloc_doubles(most + 1, K.rows);
    z->diagonal = volt_alloc_doubles(most, 1);
    z->off = volt_alloc_doubles(most, 1);
    z->T = volt_alloc_doubles(most, most);
    z->ritz = volt_alloc_doubles(most, 1);
    z->product = volt_alloc_doubles(most + 1, 1);
    if (!z->Q || !z->diagonal || !z->off || !z->T || !z->ritz || !z->product)
        return VOLT_ERR_MEMORY;
    volt_rng rng;
    volt_rng_init(&rng, 0, 0);
    for (int64_t i = 0; i < z->n; i++)
        z->Q[i] = volt_rng_normal(&rng);
    cblas_dscal((volt_blas_int)z->n, 1 / cblas_dnrm2((volt_blas_int)z->n, z->Q, 1), z->Q, 1);
    return VOLT_OK;
}

/* One step. Returns false if the space is invariant: all Ritz values are eigenvalues. */
static bool lanczos_step(lanczos *z)
{
    volt_blas_int n = (volt_blas_int)z->n, k = (volt_blas_int)z->steps + 1;
    double *q = z->Q + z->steps * z->n, *next = q + z->n;
    cblas_dsymv(CblasRowMajor, CblasLower, n, 1, z->K.data, (volt_blas_int)z->K.ld, q, 1, 0, next, 1);
    double size = cblas_dnrm2(n, next, 1);
    z->diagonal[z->steps] = cblas_ddot(n, q, 1, next, 1);
    for (int twice = 0; twice < 2; twice++) { /* the second pass removes the rounding errors of the first */
        cblas_dgemv(CblasRowMajor, CblasNoTrans, k, n, 1, z->Q, n, next, 1, 0, z->product, 1);
        cblas_dgemv(CblasRowMajor, CblasTrans, k, n, -1, z->Q, n, z->product, 1, 1, next, 1);
    }
    double norm = cblas_dnrm2(n, next, 1);
    z->off[z->steps++] = norm;
    if (!(norm > 16 * DBL_EPSILON * size))
        return false;
    cblas_dscal(n, 1 / norm, next, 1);
    return true;
}

/* The largest Ritz values, in decreasing order, and whether the first `count` residuals are small enough. */
static volt_status lanczos_values(lanczos *z, int64_t count, bool *converged, double *values)
{
    int64_t m = z->steps;
    memset(z->T, 0, (size_t)(m * m) * sizeof(double));
    for (int64_t i = 0; i < m; i++) {
        z->T[i * m + i] = z->diagonal[i];
        if (i > 0)
            z->T[i * m + i - 1] = z->off[i - 1];
    }
    VOLT_TRY(decompose(volt_matrix_of(z->T, m, m), true, z->ritz));
    *converged = m >= count;
    for (int64_t i = 0; i < volt_min(count, m); i++) {
        int64_t at = m - 1 - i;
        values[i] = z->ritz[at];
        *converged &= z->off[m - 1] * fabs(z->T[at * m + m - 1]) <= RESIDUAL * fabs(z->ritz[m - 1]);
    }
    return VOLT_OK;
}

static volt_status run_lanczos(lanczos *z, int64_t count, bool *converged, double *values)
{
    int64_t next = volt_min(z->most, 2 * count + MARGIN);
    bool goes_on = true;
    while (!*converged && goes_on) {
        while (z->steps < next && goes_on) {
            goes_on = lanczos_step(z);
            if (!volt_stage_advance(z->stage, 1))
                return volt_stage_end(z->stage);
        }
        VOLT_TRY(lanczos_values(z, count, converged, values));
        goes_on &= z->steps < z->most;
        next = volt_min(z->most, 2 * z->steps);
    }
    return VOLT_OK;
}

/* *converged is false if another method is cheaper, or if there are fewer distinct eigenvalues than `count`. */
static volt_status largest_values(volt_matrix K, int64_t count, volt_stage *stage, bool *converged,
                                  double *values)
{
    lanczos z;
    int64_t most = volt_min(K.rows, volt_max(K.rows / 2, 2 * count + MARGIN));
    volt_status status = lanczos_begin(K, volt_min(most, 8 * (2 * count + MARGIN)), stage, &z);
    if (status == VOLT_OK)
        status = run_lanczos(&z, count, converged, values);
    lanczos_release(&z);
    return status;
}

/* ---- the spectrum ------------------------------------------------------------------------------ */

/* Column 1 of `out` from the eigenvalues in column 0 and the sum of the others. */
static void take_dimensions(volt_matrix out, int64_t n, double trace)
{
    double least = (double)n * DBL_EPSILON * out.data[0], last = 0, rest = trace;
    for (int64_t i = 0; i < out.rows; i++) {
        double *value = out.data + i * out.ld;
        *value = fmax(*value, 0);
        rest -= *value;
        last = *value;
    }
    if (out.rows == n || !(rest > 0))
        rest = 0;
    for (int64_t i = 0; i < out.rows; i++) {
        double alpha = fmax(out.data[i * out.ld], least), sum = alpha > 0 ? rest / (last + alpha) : 0;
        for (int64_t j = 0; j < out.rows && alpha > 0; j++)
            sum += out.data[j * out.ld] / (out.data[j * out.ld] + alpha);
        out.data[i * out.ld + 1] = sum;
    }
}

static const double MATRIX_SHARE = 0.3; /* of the matrix in the progress */

static volt_status find_spectrum(const volt_kernel *kernel, volt_view X, const volt_gram_options *options,
                                 volt_matrix K, double *values, volt_matrix out)
{
    volt_gram_options filling = *options;
    volt_meter meter;
    int64_t count = out.rows;
    bool converged = false;
    filling.progress = volt_meter_begin(&meter, options->progress);
    volt_meter_cover(&meter, 0, MATRIX_SHARE);
    VOLT_TRY(volt_gram(kernel, X, volt_view_of(NULL, 0, 0), &filling, K));
    double trace = 0;
    for (int64_t i = 0; i < K.rows; i++)
        trace += K.data[i * K.ld + i];
    volt_stage stage;
    volt_stage_begin(&stage, options->progress, "eigenvalues", MATRIX_SHARE, 1 - MATRIX_SHARE,
                     (double)(4 * (2 * count + MARGIN)));
    if (count <= K.rows / FULL)
        VOLT_TRY(largest_values(K, count, &stage, &converged, values));
    if (!converged)
        VOLT_TRY(all_values(K, count, values));
    VOLT_TRY(volt_stage_end(&stage));
    for (int64_t i = 0; i < count; i++)
        out.data[i * out.ld] = values[i];
    take_dimensions(out, K.rows, trace);
    return VOLT_OK;
}

volt_status volt_gram_spectrum(const volt_kernel *kernel, volt_view X, const volt_gram_options *options,
                               volt_matrix out)
{
    volt_gram_options opts = volt_gram_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_gram_options"));
    opts.mirror = 0;
    VOLT_REQUIRE(kernel, VOLT_ERR_ARGUMENT, "the kernel is NULL");
    VOLT_TRY(volt_check_shape(X, "X"));
    VOLT_REQUIRE(!opts.distance, VOLT_ERR_ARGUMENT, "the spectrum of distances is not supported");
    VOLT_REQUIRE(out.data && out.rows >= 1 && out.rows <= X.rows && out.cols == 2 && out.ld >= 2,
                 VOLT_ERR_SHAPE,
                 "the spectrum must have 1 to %" PRId64 " rows and 2 columns (got %" PRId64 " x %" PRId64 ")",
                 X.rows, out.rows, out.cols);
    volt_blas_use use;
    VOLT_TRY(volt_blas_claim(&use));
    volt_status status =
        volt_memory_require((double)X.rows * (double)X.rows * sizeof(double), "the Gram matrix");
    volt_matrix K = {0}, found = {0};
    double *values = NULL;
    if (status == VOLT_OK) {
        K = volt_matrix_of(volt_alloc_doubles(X.rows, X.rows), X.rows, X.rows);
        found = volt_matrix_of(volt_alloc_doubles(out.rows, 2), out.rows, 2);
        values = volt_alloc_doubles(out.rows, 1);
        status = K.data && found.data && values ? find_spectrum(kernel, X, &opts, K, values, found)
                                                : VOLT_ERR_MEMORY;
    }
    for (int64_t i = 0; status == VOLT_OK && i < out.rows; i++)
        memcpy(out.data + i * out.ld, found.data + 2 * i, 2 * sizeof(double));
    volt_free(values);
    volt_free(found.data);
    volt_free(K.data);
    volt_blas_release(&use);
    return status;
}
