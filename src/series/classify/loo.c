/* src/series/classify/loo.c: errors of rows left out of a ridge regression, in any blocks, from one
 * factorisation. */
#include "series/classify/series_model.h"

#include "backend/cholesky.h"
#include "base/error.h"
#include "base/memory.h"
#include "gram/gram.h"
#include "solve/exact/factor.h"

#include <float.h>
#include <math.h>

volt_status volt_loo_create(int64_t n, int64_t q, volt_loo_readout *loo)
{
    *loo = (volt_loo_readout){.n = n, .q = q};
    loo->P = volt_alloc_doubles(n, n);
    loo->A = volt_alloc_doubles(n, q);
    loo->c = volt_alloc_doubles(q, 1);
    loo->r = volt_alloc_doubles(n, 1);
    if (loo->P && loo->A && loo->c && loo->r)
        return VOLT_OK;
    volt_loo_release(loo);
    return VOLT_ERR_MEMORY;
}

void volt_loo_release(volt_loo_readout *loo)
{
    volt_free(loo->P);
    volt_free(loo->A);
    volt_free(loo->c);
    volt_free(loo->r);
    *loo = (volt_loo_readout){0};
}

/* A = P Y. */
static void multiply(const volt_loo_readout *loo, volt_view Y)
{
    int64_t n = loo->n, q = loo->q;
    for (int64_t i = 0; i < n; i++) {
        double *a = loo->A + i * q;
        for (int64_t k = 0; k < q; k++)
            a[k] = 0;
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < q; k++)
                a[k] += loo->P[i * n + j] * Y.data[j * Y.ld + k];
    }
}

/* Replaces R by P, and computes the intercepts. */
static void take_out_intercept(volt_loo_readout *loo, volt_view Y)
{
    int64_t n = loo->n, q = loo->q;
    double *P = loo->P, *r = loo->r, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        r[i] = 0;
        for (int64_t j = 0; j < n; j++)
            r[i] += P[i * n + j];
        sum += r[i];
    }
    for (int64_t k = 0; k < q; k++)
        loo->c[k] = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            P[i * n + j] -= r[i] * r[j] / sum;
        for (int64_t k = 0; k < q; k++)
            loo->c[k] += r[i] * Y.data[i * Y.ld + k] / sum;
    }
}

volt_status volt_loo_solve(volt_loo_readout *loo, volt_view K, double alpha, volt_view Y)
{
    int64_t n = loo->n, pivot;
    volt_matrix P = volt_matrix_of(loo->P, n, n);
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++)
            P.data[i * n + j] = K.data[i * K.ld + j];
        largest = fmax(largest, K.data[i * K.ld + i]);
        P.data[i * n + i] += alpha;
    }
    volt_cholesky_factor(P, NULL, &pivot);
    if (pivot > 0)
        return volt_ridge_singular(pivot, n, alpha, (double)n * DBL_EPSILON * largest);
    volt_cholesky_invert(P, NULL);
    volt_mirror(P);
    take_out_intercept(loo, Y);
    multiply(loo, Y);
    return VOLT_OK;
}

void volt_loo_each(const volt_loo_readout *loo, volt_matrix errors)
{
    int64_t n = loo->n, q = loo->q;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            errors.data[i * errors.ld + k] = loo->A[i * q + k] / loo->P[i * n + i];
}

volt_status volt_loo_block(const volt_loo_readout *loo, const int64_t *rows, int64_t m, double *workspace,
                           volt_matrix errors)
{
    int64_t n = loo->n, q = loo->q, pivot;
    volt_matrix B = volt_matrix_of(workspace, m, m);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j <= i; j++)
            B.data[i * m + j] = loo->P[rows[i] * n + rows[j]];
        for (int64_t k = 0; k < q; k++)
            errors.data[i * errors.ld + k] = loo->A[rows[i] * q + k];
    }
    volt_cholesky_factor(B, NULL, &pivot);
    VOLT_REQUIRE(pivot == 0, VOLT_ERR_SINGULAR, "the block of left-out rows is singular");
    volt_cholesky_forward(B, errors);
    volt_cholesky_backward(B, errors);
    return VOLT_OK;
}

volt_status volt_loo_excluding(const volt_loo_readout *loo, const int64_t *rows, int64_t m, double *workspace,
                               volt_matrix errors)
{
    int64_t n = loo->n, q = loo->q;
    volt_matrix factor = volt_matrix_of(workspace, m, m), X = volt_matrix_of(workspace + m * m, m, n);
    volt_matrix block = volt_matrix_of(workspace + m * (m + n), m, q);
    VOLT_TRY(volt_loo_block(loo, rows, m, factor.data, block)); /* keeps the factor of P_BB */
    for (int64_t b = 0; b < m; b++)
        for (int64_t i = 0; i < n; i++)
            X.data[b * n + i] = loo->P[rows[b] * n + i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            errors.data[i * errors.ld + k] = loo->A[i * q + k];
    for (int64_t b = 0; b < m; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < q; k++)
                errors.data[i * errors.ld + k] -= X.data[b * n + i] * block.data[b * q + k];
    volt_cholesky_forward(factor, X);
    for (int64_t i = 0; i < n; i++) {
        double rest = loo->P[i * n + i];
        for (int64_t b = 0; b < m; b++)
            rest -= X.data[b * n + i] * X.data[b * n + i];
        for (int64_t k = 0; k < q; k++)
            errors.data[i * errors.ld + k] /= rest;
    }
    for (int64_t b = 0; b < m; b++)
        for (int64_t k = 0; k < q; k++)
            errors.data[rows[b] * errors.ld + k] = block.data[b * q + k];
    return VOLT_OK;
}
