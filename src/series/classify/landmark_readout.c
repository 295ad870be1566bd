/* src/series/classify/landmark_readout.c: ridge regression on Nystrom features, with leave-one-out errors. */
#include "series/classify/series_model.h"

#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "gram/gram.h"

#include <inttypes.h>
#include <math.h>

volt_status volt_landmark_readout_create(int64_t n, int64_t m, int64_t q, const int64_t *rows,
                                         volt_landmark_readout *readout)
{
    /* workspace of dsyevd: 1 + 6 m + 2 m^2 numbers and 3 + 5 m integers */
    *readout = (volt_landmark_readout){
        .n = n, .m = m, .q = q, .rows = rows, .work_size = 1 + 6 * m + 2 * m * m, .included = n};
    readout->L = volt_alloc_doubles(m, m);
    readout->F = volt_alloc_doubles(n, m);
    readout->V = volt_alloc_doubles(n, m);
    readout->U = volt_alloc_doubles(m, m);
    readout->values = volt_alloc_doubles(m, 1);
    readout->mean = volt_alloc_doubles(m, 1);
    readout->B = volt_alloc_doubles(m, q);
    readout->y_mean = volt_alloc_doubles(q, 1);
    readout->work = volt_alloc_doubles(readout->work_size, 1);
    readout->integers = volt_alloc(3 + 5 * m, sizeof(volt_blas_int));
    if (readout->L && readout->F && readout->V && readout->U && readout->values && readout->mean &&
        readout->B && readout->y_mean && readout->work && readout->integers)
        return VOLT_OK;
    volt_landmark_readout_release(readout);
    return VOLT_ERR_MEMORY;
}

void volt_landmark_readout_release(volt_landmark_readout *readout)
{
    volt_free(readout->L);
    volt_free(readout->F);
    volt_free(readout->V);
    volt_free(readout->U);
    volt_free(readout->values);
    volt_free(readout->mean);
    volt_free(readout->B);
    volt_free(readout->y_mean);
    volt_free(readout->work);
    volt_free(readout->integers);
    *readout = (volt_landmark_readout){0};
}

/* Factors K_ZZ. With nearly equal landmarks, the diagonal is increased until the factor exists. */
static volt_status factor_landmarks(volt_landmark_readout *readout, volt_view K)
{
    static const double jitters[] = {1e-12, 1e-10, 1e-8, 1e-6};
    int64_t m = readout->m, pivot = 1;
    for (size_t t = 0; t < sizeof jitters / sizeof *jitters && pivot > 0; t++) {
        for (int64_t i = 0; i < m; i++) {
            for (int64_t j = 0; j <= i; j++)
                readout->L[i * m + j] = K.data[readout->rows[i] * K.ld + j];
            readout->L[i * m + i] *= 1 + jitters[t];
        }
        volt_cholesky_factor(volt_matrix_of(readout->L, m, m), NULL, &pivot);
    }
    VOLT_REQUIRE(pivot == 0, VOLT_ERR_SINGULAR, "the matrix of %" PRId64 " landmarks is not positive definite",
                 m);
    return VOLT_OK;
}

volt_status volt_landmark_readout_map(volt_landmark_readout *readout, volt_view K)
{
    int64_t n = readout->n, m = readout->m;
    VOLT_TRY(factor_landmarks(readout, K));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            readout->F[i * m + j] = K.data[i * K.ld + j];
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (volt_blas_int)n,
                (volt_blas_int)m, 1, readout->L, (volt_blas_int)m, readout->F, (volt_blas_int)m);
    return VOLT_OK;
}

/* Means of features and targets over the included rows. */
static void find_means(volt_landmark_readout *readout, const bool *out, volt_view Y)
{
    int64_t n = readout->n, m = readout->m, q = readout->q, count = 0;
    for (int64_t j = 0; j < m; j++)
        readout->mean[j] = 0;
    for (int64_t k = 0; k < q; k++)
        readout->y_mean[k] = 0;
    for (int64_t i = 0; i < n; i++) {
        if (out && out[i])
            continue;
        count++;
        for (int64_t j = 0; j < m; j++)
            readout->mean[j] += readout->F[i * m + j];
        for (int64_t k = 0; k < q; k++)
            readout->y_mean[k] += Y.data[i * Y.ld + k];
    }
    for (int64_t j = 0; j < m; j++)
        readout->mean[j] /= (double)count;
    for (int64_t k = 0; k < q; k++)
        readout->y_mean[k] /= (double)count;
    readout->included = count;
}

/* The rows of U are eigenvectors, as LAPACK's columns are. */
static volt_status find_eigenvectors(volt_landmark_readout *readout)
{
    volt_blas_int m = (volt_blas_int)readout->m, info = 0, size = (volt_blas_int)readout->work_size;
    volt_blas_int integers = 3 + 5 * m;
    dsyevd_("V", "U", &m, readout->U, &m, readout->values, readout->work, &size, readout->integers, &integers,
            &info, 1, 1);
    VOLT_REQUIRE(info == 0, VOLT_ERR_SINGULAR, "the features of %" PRId64 " landmarks have no decomposition",
                 readout->m);
    for (int64_t j = 0; j < readout->m; j++)
        readout->values[j] = fmax(readout->values[j], 0);
    return VOLT_OK;
}

volt_status volt_landmark_readout_decompose(volt_landmark_readout *readout, const bool *out, volt_view Y)
{
    int64_t n = readout->n, m = readout->m, q = readout->q, at = 0;
    find_means(readout, out, Y);
    for (int64_t i = 0; i < n; i++) /* V temporarily holds the included centred rows */
        for (int64_t j = 0; j < m && !(out && out[i]); j++)
            readout->V[at++] = readout->F[i * m + j] - readout->mean[j];
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (volt_blas_int)m, (volt_blas_int)readout->included, 1,
                readout->V, (volt_blas_int)m, 0, readout->U, (volt_blas_int)m);
    for (int64_t j = 0; j < m; j++) /* the diagonal, which bounds the other entries */
        VOLT_REQUIRE(isfinite(readout->U[j * m + j]), VOLT_ERR_NOT_FINITE,
                     "the features of %" PRId64 " landmarks are not finite", m);
    VOLT_TRY(find_eigenvectors(readout));
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (volt_blas_int)n, (volt_blas_int)m, (volt_blas_int)m,
                1, readout->F, (volt_blas_int)m, readout->U, (volt_blas_int)m, 0, readout->V, (volt_blas_int)m);
    for (int64_t j = 0; j < m; j++) { /* of the mean, which is then subtracted from every row */
        double shift = 0;
        for (int64_t k = 0; k < m; k++)
            shift += readout->U[j * m + k] * readout->mean[k];
        readout->work[j] = shift;
    }
    for (int64_t j = 0; j < m * q; j++)
        readout->B[j] = 0;
    for (int64_t i = 0; i < n; i++) {
        double *v = readout->V + i * m;
        for (int64_t j = 0; j < m; j++)
            v[j] -= readout->work[j];
        for (int64_t j = 0; j < m && !(out && out[i]); j++)
            for (int64_t k = 0; k < q; k++)
                readout->B[j * q + k] += v[j] * (Y.data[i * Y.ld + k] - readout->y_mean[k]);
    }
    return VOLT_OK;
}

void volt_landmark_readout_errors(const volt_landmark_readout *readout, double alpha, const bool *out,
                                  volt_view Y, volt_matrix errors)
{
    int64_t n = readout->n, m = readout->m, q = readout->q;
    for (int64_t i = 0; i < n; i++) {
        const double *v = readout->V + i * m;
        double *e = errors.data + i * errors.ld, h = 1 / (double)readout->included;
        for (int64_t k = 0; k < q; k++)
            e[k] = Y.data[i * Y.ld + k] - readout->y_mean[k];
        for (int64_t j = 0; j < m; j++) {
            double w = v[j] / (readout->values[j] + alpha);
            h += v[j] * w;
            for (int64_t k = 0; k < q; k++)
                e[k] -= w * readout->B[j * q + k];
        }
        for (int64_t k = 0; k < q && !(out && out[i]); k++)
            e[k] /= 1 - h;
    }
}

void volt_landmark_readout_coefficients(const volt_landmark_readout *readout, double alpha, double *A,
                                        double *c)
{
    int64_t m = readout->m, q = readout->q;
    for (int64_t j = 0; j < m * q; j++)
        A[j] = 0;
    for (int64_t e = 0; e < m; e++)
        for (int64_t j = 0; j < m; j++)
            for (int64_t k = 0; k < q; k++)
                A[j * q + k] += readout->U[e * m + j] * readout->B[e * q + k] / (readout->values[e] + alpha);
    for (int64_t k = 0; k < q; k++) {
        c[k] = readout->y_mean[k];
        for (int64_t j = 0; j < m; j++)
            c[k] -= readout->mean[j] * A[j * q + k];
    }
    volt_cholesky_backward(volt_matrix_of(readout->L, m, m), volt_matrix_of(A, m, q));
}
