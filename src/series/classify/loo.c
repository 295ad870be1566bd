/* src/series/classify/loo.c: errors of rows left out of a ridge regression, in any blocks, from one
 * factorisation. */
#include "series/classify/series_model.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/gram/gram.h"
#include "solve/exact/cholesky.h"
#include "solve/exact/ridge.h"

#include <float.h>
#include <math.h>

volt_status volt_loo_create(int64_t n, int64_t q, volt_loo_readout *left_out)
{
    *left_out = (volt_loo_readout){.n = n, .q = q};
    left_out->P = volt_alloc_doubles(n, n);
    left_out->A = volt_alloc_doubles(n, q);
    left_out->c = volt_alloc_doubles(q, 1);
    left_out->r = volt_alloc_doubles(n, 1);
    if (left_out->P && left_out->A && left_out->c && left_out->r)
        return VOLT_OK;
    volt_loo_release(left_out);
    return VOLT_ERR_MEMORY;
}

void volt_loo_release(volt_loo_readout *left_out)
{
    volt_free(left_out->P);
    volt_free(left_out->A);
    volt_free(left_out->c);
    volt_free(left_out->r);
    *left_out = (volt_loo_readout){0};
}

/* A = P Y. */
static void multiply(const volt_loo_readout *left_out, volt_view Y)
{
    int64_t n = left_out->n, q = left_out->q;
    for (int64_t i = 0; i < n; i++) {
        double *a = left_out->A + i * q;
        for (int64_t k = 0; k < q; k++)
            a[k] = 0;
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < q; k++)
                a[k] += left_out->P[i * n + j] * Y.data[j * Y.ld + k];
    }
}

/* Replaces R by P, and computes the intercepts. */
static void take_out_intercept(volt_loo_readout *left_out, volt_view Y)
{
    int64_t n = left_out->n, q = left_out->q;
    double *P = left_out->P, *r = left_out->r, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        r[i] = 0;
        for (int64_t j = 0; j < n; j++)
            r[i] += P[i * n + j];
        sum += r[i];
    }
    for (int64_t k = 0; k < q; k++)
        left_out->c[k] = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            P[i * n + j] -= r[i] * r[j] / sum;
        for (int64_t k = 0; k < q; k++)
            left_out->c[k] += r[i] * Y.data[i * Y.ld + k] / sum;
    }
}

volt_status volt_loo_solve(volt_loo_readout *left_out, volt_view K, double alpha, volt_view Y)
{
    int64_t n = left_out->n, pivot = 0;
    volt_matrix P = volt_matrix_of(left_out->P, n, n);
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
    take_out_intercept(left_out, Y);
    multiply(left_out, Y);
    return VOLT_OK;
}

void volt_loo_each(const volt_loo_readout *left_out, volt_matrix errors)
{
    int64_t n = left_out->n, q = left_out->q;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            errors.data[i * errors.ld + k] = left_out->A[i * q + k] / left_out->P[i * n + i];
}

volt_status volt_loo_block(const volt_loo_readout *left_out, const int64_t *rows, int64_t m, double *workspace,
                           volt_matrix errors)
{
    int64_t n = left_out->n, q = left_out->q, pivot = 0;
    volt_matrix B = volt_matrix_of(workspace, m, m);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j <= i; j++)
            B.data[i * m + j] = left_out->P[rows[i] * n + rows[j]];
        for (int64_t k = 0; k < q; k++)
            errors.data[i * errors.ld + k] = left_out->A[rows[i] * q + k];
    }
    volt_cholesky_factor(B, NULL, &pivot);
    VOLT_REQUIRE(pivot == 0, VOLT_ERR_SINGULAR, "the block of left-out rows is singular");
    volt_cholesky_forward(B, errors);
    volt_cholesky_backward(B, errors);
    return VOLT_OK;
}

volt_status volt_loo_excluding(const volt_loo_readout *left_out, const int64_t *rows, int64_t m,
                               double *workspace, volt_matrix errors)
{
    int64_t n = left_out->n, q = left_out->q;
    volt_matrix factor = volt_matrix_of(workspace, m, m), X = volt_matrix_of(workspace + m * m, m, n);
    volt_matrix block = volt_matrix_of(workspace + m * (m + n), m, q);
    VOLT_TRY(volt_loo_block(left_out, rows, m, factor.data, block)); /* keeps the factor of P_BB */
    for (int64_t b = 0; b < m; b++)
        for (int64_t i = 0; i < n; i++)
            X.data[b * n + i] = left_out->P[rows[b] * n + i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            errors.data[i * errors.ld + k] = left_out->A[i * q + k];
    for (int64_t b = 0; b < m; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < q; k++)
                errors.data[i * errors.ld + k] -= X.data[b * n + i] * block.data[b * q + k];
    volt_cholesky_forward(factor, X);
    for (int64_t i = 0; i < n; i++) {
        double rest = left_out->P[i * n + i];
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
