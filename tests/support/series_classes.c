/* tests/support/series_classes.c: series in classes, and a plain ridge regression to compare with. */
#include "support/series_classes.h"

#include <math.h>

void make_waves(uint64_t seed, double noise, bool equal, waves *made)
{
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    double *at = made->numbers;
    for (int64_t i = 0; i < N; i++) {
        int64_t steps = equal ? STEPS : STEPS - i % 4;
        double phase = volt_rng_uniform(&rng) * 6;
        made->classes[i] = i % CLASSES;
        made->series[i] = volt_view_of(at, steps, CHANNELS);
        for (int64_t t = 0; t < steps; t++)
            for (int c = 0; c < CHANNELS; c++)
                *at++ = sin(phase + (0.4 + 0.6 * (double)(i % CLASSES)) * (double)t + c) +
                        noise * volt_rng_normal(&rng);
    }
}

void plain_fit(const double *K, int64_t n, const double *Y, int64_t q, double alpha, const bool *without,
               double *outputs)
{
    int64_t m = 0, rows[N] = {0};
    long double M[(N + 1) * (N + 1 + CLASSES)] = {0};
    for (int64_t i = 0; i < n; i++)
        if (!without[i])
            rows[m++] = i;
    int64_t size = m + 1, width = size + q;
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < width; j++)
            M[i * width + j] = i == m   ? (j < m ? 1 : 0) /* 1' a = 0 */
                               : j < m  ? K[rows[i] * n + rows[j]] + (i == j ? alpha : 0)
                               : j == m ? 1
                                        : Y[rows[i] * q + j - size];
    for (int64_t p = 0; p < size; p++) {
        int64_t pivot = p;
        for (int64_t i = p + 1; i < size; i++)
            if (fabsl(M[i * width + p]) > fabsl(M[pivot * width + p]))
                pivot = i;
        for (int64_t j = 0; j < width; j++) {
            long double kept = M[p * width + j];
            M[p * width + j] = M[pivot * width + j];
            M[pivot * width + j] = kept;
        }
        for (int64_t i = 0; i < size; i++) {
            long double share = i == p ? 0 : M[i * width + p] / M[p * width + p];
            for (int64_t j = p; j < width; j++)
                M[i * width + j] -= share * M[p * width + j];
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++) {
            long double u = M[m * width + size + k] / M[m * width + m];
            for (int64_t j = 0; j < m; j++)
                u += K[i * n + rows[j]] * (M[j * width + size + k] / M[j * width + j]);
            outputs[i * q + k] = (double)u;
        }
}
