/* tests/support/plain_linear.c: reference implementation of small dense linear algebra. */
#include "support/plain_linear.h"

#include "support/sequences.h"

#include <math.h>
#include <stdlib.h>

/* One rotation that makes A[p][q] zero. */
static void rotate(double *A, int64_t n, int64_t p, int64_t q)
{
    if (A[p * n + q] == 0)
        return;
    double theta = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int64_t k = 0; k < n; k++) {
        double kp = A[k * n + p], kq = A[k * n + q];
        A[k * n + p] = c * kp - s * kq;
        A[k * n + q] = s * kp + c * kq;
    }
    for (int64_t k = 0; k < n; k++) {
        double pk = A[p * n + k], qk = A[q * n + k];
        A[p * n + k] = c * pk - s * qk;
        A[q * n + k] = s * pk + c * qk;
    }
}

void plain_eigenvalues(volt_view A, double *smallest, double *largest)
{
    int64_t n = A.rows;
    double *full = new_matrix(n, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            full[i * n + j] = full[j * n + i] = A.data[i * A.ld + j];
    for (int sweep = 0; sweep < 12; sweep++)
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++)
                rotate(full, n, p, q);
    *smallest = INFINITY;
    *largest = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        *smallest = fmin(*smallest, full[i * n + i]);
        *largest = fmax(*largest, full[i * n + i]);
    }
    free(full);
}

void plain_solve(volt_view A, volt_matrix B)
{
    int64_t n = A.rows, width = n + B.cols;
    long double *work = malloc((size_t)(n * width) * sizeof *work);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < width; j++)
            work[i * width + j] = j < n ? A.data[i * A.ld + j] : B.data[i * B.ld + j - n];
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < n; i++)
            if (fabsl(work[i * width + k]) > fabsl(work[best * width + k]))
                best = i;
        for (int64_t j = 0; j < width; j++) {
            long double spare = work[k * width + j];
            work[k * width + j] = work[best * width + j];
            work[best * width + j] = spare;
        }
        for (int64_t i = 0; i < n; i++) {
            if (i == k)
                continue;
            long double factor = work[i * width + k] / work[k * width + k];
            for (int64_t j = k; j < width; j++)
                work[i * width + j] -= factor * work[k * width + j];
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < B.cols; j++)
            B.data[i * B.ld + j] = (double)(work[i * width + n + j] / work[i * width + i]);
    free(work);
}

double *plain_random_spd(volt_rng *rng, int64_t n, double shift)
{
    double *G = normal_rows(rng, n, n), *A = new_matrix(n, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t k = 0; k < n; k++)
                sum += G[i * n + k] * G[j * n + k];
            A[i * n + j] = A[j * n + i] = sum / (double)n + (i == j ? shift : 0);
        }
    free(G);
    return A;
}
