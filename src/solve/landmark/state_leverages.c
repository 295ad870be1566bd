/* src/solve/landmark/state_leverages.c: what each row weighs in its own fit, from the factor of the system. */
#include "base/blas.h"
#include "solve/landmark/state_sums.h"

void volt_state_sums_leverages(const volt_state_sums *sums, volt_view S, bool constant, volt_matrix F,
                               double *h)
{
    int64_t n = sums->states;
    for (int64_t i = 0; constant && i < F.rows; i++)
        for (int64_t k = 0; k < n; k++)
            F.data[i * F.ld + k] -= sums->about[k] + sums->total[k] / sums->counted;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (volt_blas_int)F.rows,
                (volt_blas_int)n, 1, S.data, (volt_blas_int)S.ld, F.data, (volt_blas_int)F.ld);
    for (int64_t i = 0; i < F.rows; i++) {
        h[i] = constant ? 1 / sums->counted : 0;
        for (int64_t k = 0; k < n; k++)
            h[i] += F.data[i * F.ld + k] * F.data[i * F.ld + k];
    }
}

/* tr G (G + alpha I)^{-1} = N - alpha |S^{-1}|^2, and 1 for the constant. */
double volt_state_sums_freedom(volt_state_sums *sums, double alpha, bool constant)
{
    int64_t n = sums->states;
    volt_blas_int order = (volt_blas_int)n, info = 0;
    dtrtri_("U", "N", &order, sums->S, &order, &info, 1, 1); /* row-major lower: column-major upper */
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            sum += sums->S[i * n + j] * sums->S[i * n + j];
    return (constant ? 1 : 0) + (double)n - alpha * sum;
}
