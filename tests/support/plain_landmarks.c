/* tests/support/plain_landmarks.c: reference implementation of ridge regression on landmarks. */
#include "support/plain_landmarks.h"

#include "support/plain_linear.h"
#include "support/sequences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* B <- K_nm L^{-T} row by row, L by the textbook, for K_mm + jitter I. */
static void make_features(const double *Kmm, int64_t m, const double *Knm, int64_t n, double *B)
{
    double *L = new_matrix(m, m), size = 0;
    for (int64_t a = 0; a < m; a++)
        size = fmax(size, Kmm[a * m + a]);
    for (int64_t a = 0; a < m; a++)
        for (int64_t b = 0; b <= a; b++) {
            long double sum = Kmm[a * m + b] + (a == b ? 10 * (double)m * 0x1p-52 * size : 0);
            for (int64_t c = 0; c < b; c++)
                sum -= (long double)L[a * m + c] * L[b * m + c];
            L[a * m + b] = (double)(a == b ? sqrtl(sum) : sum / L[b * m + b]);
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t a = 0; a < m; a++) {
            long double sum = Knm[i * m + a];
            for (int64_t c = 0; c < a; c++)
                sum -= (long double)L[a * m + c] * B[i * m + c];
            B[i * m + a] = (double)(sum / L[a * m + a]);
        }
    free(L);
}

/* Z'Z + alpha diag(0, 1, ..) into S, Z'Y into v. */
static void add_rows(const double *Z, int64_t size, const plain_rows *rows, double *S, double *v)
{
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t a = 0; rows->fits[i] && a < size; a++) {
            for (int64_t b = 0; b < size; b++)
                S[a * size + b] += Z[i * size + a] * Z[i * size + b];
            for (int64_t k = 0; k < rows->q; k++)
                v[a * rows->q + k] += Z[i * size + a] * rows->Y[i * rows->q + k];
        }
    for (int64_t a = rows->intercept; a < size; a++)
        S[a * size + a] += rows->alpha;
}

void plain_landmark_fit(const double *Kmm, int64_t m, const double *Knm, const plain_rows *rows,
                        double *forecasts, double *leverages)
{
    int64_t size = m + rows->intercept, n = rows->n, q = rows->q;
    double *B = new_matrix(n, m), *Z = new_matrix(n, size), *S = calloc((size_t)(size * size), sizeof *S),
           *v = calloc((size_t)(size * q), sizeof *v),
           *inverse = calloc((size_t)(size * size), sizeof *inverse);
    make_features(Kmm, m, Knm, n, B);
    for (int64_t i = 0; i < n; i++) {
        if (rows->intercept)
            Z[i * size] = 1;
        memcpy(Z + i * size + rows->intercept, B + i * m, (size_t)m * sizeof *Z);
    }
    add_rows(Z, size, rows, S, v);
    for (int64_t a = 0; a < size; a++)
        inverse[a * size + a] = 1;
    plain_solve(volt_view_of(S, size, size), volt_matrix_of(v, size, q));
    plain_solve(volt_view_of(S, size, size), volt_matrix_of(inverse, size, size));
    for (int64_t i = 0; i < n; i++) {
        const double *z = Z + i * size;
        leverages[i] = 0;
        for (int64_t a = 0; a < size; a++)
            for (int64_t b = 0; b < size; b++)
                leverages[i] += z[a] * inverse[a * size + b] * z[b];
        for (int64_t k = 0; k < q; k++) {
            forecasts[i * q + k] = 0;
            for (int64_t a = 0; a < size; a++)
                forecasts[i * q + k] += z[a] * v[a * q + k];
        }
    }
    free(inverse);
    free(v);
    free(S);
    free(Z);
    free(B);
}
