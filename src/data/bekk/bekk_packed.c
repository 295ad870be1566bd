/* src/data/bekk/bekk_packed.c: packed matrices of the BEKK model, C and the undetermined signs.
 *
 * The sign of a, of b and of every column of C does not affect H_t: sum a > 0, sum b > 0 and diag C > 0 select
 * one of the equivalent parameters. */
#include "data/bekk/bekk.h"

#include <math.h>
#include <string.h>

void volt_bekk_intercept(int64_t d, const double *C, double *packed)
{
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t k = i; k < d; k++)
                sum += C[i * d + k] * C[j * d + k];
            packed[volt_packed(i, j)] = sum;
        }
}

/* A Cholesky factorisation that begins at the last row and column: column k of C from entry (k, k) up. */
int volt_bekk_upper_factor(int64_t d, const double *packed, double *C)
{
    memset(C, 0, (size_t)(d * d) * sizeof *C);
    for (int64_t k = d - 1; k >= 0; k--) {
        double pivot = packed[volt_packed(k, k)];
        for (int64_t l = k + 1; l < d; l++)
            pivot -= C[k * d + l] * C[k * d + l];
        if (!(pivot > 0) || !isfinite(pivot))
            return 0;
        C[k * d + k] = sqrt(pivot);
        for (int64_t i = 0; i < k; i++) {
            double rest = packed[volt_packed(k, i)];
            for (int64_t l = k + 1; l < d; l++)
                rest -= C[i * d + l] * C[k * d + l];
            C[i * d + k] = rest / C[k * d + k];
        }
    }
    return 1;
}

void volt_packed_to_vech(int64_t d, const double *packed, double *vech)
{
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = j; i < d; i++)
            *vech++ = packed[volt_packed(i, j)];
}

static void fix_sign(double *values, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += values[i];
    for (int64_t i = 0; sum < 0 && i < count; i++)
        values[i] = -values[i];
}

void volt_bekk_fix_signs(volt_bekk *bekk)
{
    int64_t d = bekk->d;
    fix_sign(bekk->a, d);
    fix_sign(bekk->b, d);
    for (int64_t k = 0; k < d; k++)
        for (int64_t i = 0; bekk->C[k * d + k] < 0 && i <= k; i++)
            bekk->C[i * d + k] = -bekk->C[i * d + k]; /* the diagonal last */
}
