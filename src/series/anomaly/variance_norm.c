/* src/series/anomaly/variance_norm.c: distances in the variance norm, from one inverse. */
#include "series/anomaly/variance_norm.h"

#include "backend/cholesky.h"

#include <math.h>

/* ---- the inverse ------------------------------------------------------------------------------ */

/* K_c + s I + t 11'/n in the lower triangle: positive definite, and equal to K_c + s I on vectors of sum 0.
 * A t as large as the trace keeps the contribution of the constant to P below the rest, so that no digits
 * are lost. */
static void add_ridges(volt_view centred, double s, double t, volt_matrix A)
{
    double constant = t / (double)A.rows;
    for (int64_t i = 0; i < A.rows; i++) {
        for (int64_t j = 0; j <= i; j++)
            A.data[i * A.ld + j] = centred.data[i * centred.ld + j] + constant;
        A.data[i * A.ld + i] += s;
    }
}

static double log_determinant(volt_matrix L)
{
    double sum = 0;
    for (int64_t i = 0; i < L.rows; i++)
        sum += 2 * log(L.data[i * L.ld + i]);
    return sum;
}

/* Removes the constant, and fills the upper triangle. */
static void finish_inverse(volt_matrix P, double constant)
{
    for (int64_t i = 0; i < P.rows; i++)
        for (int64_t j = 0; j <= i; j++)
            P.data[j * P.ld + i] = P.data[i * P.ld + j] -= constant;
}

/* Sum over i of the log density of phi_i - m_i, m_i the mean of the others and (S_i + s) / (n - 1) the
 * covariance, without terms independent of s. `log_det` is the log determinant of S + s on vectors of sum 0. */
static double loo_log_score(const volt_variance_norm *norm, double log_det)
{
    double n = (double)norm->n, sum = n * log_det;
    for (int64_t i = 0; i < norm->n; i++) {
        double own = norm->s * norm->P[i * norm->n + i];
        sum += log(own) + (n - 1) / own;
    }
    return -sum / 2;
}

void volt_variance_norm_make(volt_view centred, double trace, double s, volt_stage *stage,
                             volt_variance_norm *norm, int64_t *pivot)
{
    int64_t n = centred.rows;
    volt_matrix P = volt_matrix_of(norm->P, n, n);
    norm->n = n;
    norm->s = s;
    add_ridges(centred, s, trace, P);
    volt_cholesky_factor(P, stage, pivot);
    if (*pivot != 0 || !volt_stage_should_continue(stage))
        return;
    double log_det = log_determinant(P) - log(s + trace);
    volt_cholesky_invert(P, stage);
    if (!volt_stage_should_continue(stage))
        return;
    finish_inverse(P, 1 / ((double)n * (s + trace)));
    norm->log_score = loo_log_score(norm, log_det);
}

void volt_variance_norm_leave(const volt_variance_norm *norm, int64_t out, volt_variance_norm *less)
{
    int64_t n = norm->n;
    const double *left = norm->P + out * n;
    *less = (volt_variance_norm){.n = n - 1, .s = norm->s, .P = less->P};
    for (int64_t k = 0; k < n; k++)
        for (int64_t l = 0; k != out && l < n; l++)
            if (l != out)
                less->P[(k - (k > out)) * (n - 1) + l - (l > out)] =
                    norm->P[k * n + l] - left[k] * left[l] / left[out];
}

/* ---- distances -------------------------------------------------------------------------------- */

/* b: the coefficients of the others in the left-out series, sum 1. */
static double mean_distance2(const double *b, int64_t n, int64_t out)
{
    double sum = 0, mean = 1 / (double)(n - 1);
    for (int64_t k = 0; k < n; k++)
        if (k != out)
            sum += (b[k] - mean) * (b[k] - mean);
    return sum;
}

/* Between the left-out series `out` and series m, divided by n - 1: the coordinates of m without it are e_m
 * - 1/(n-1) - s (P_km + b_k P_im). */
static double pair_distance2(const volt_variance_norm *norm, const double *b, int64_t out, int64_t m)
{
    const double *column = norm->P + m * norm->n; /* P is symmetric */
    double s = norm->s, weight = 1 + s * column[out], sum = 0;
    for (int64_t k = 0; k < norm->n; k++) {
        double difference = b[k] * weight + s * column[k];
        if (k != out && k != m)
            sum += difference * difference;
    }
    double own = b[m] * weight + s * column[m] - 1;
    return sum + own * own;
}

double volt_loo_distance(const volt_variance_norm *norm, volt_anomaly_kind kind, int64_t i, double *scratch)
{
    int64_t n = norm->n;
    double least = INFINITY;
    for (int64_t k = 0; k < n; k++)
        scratch[k] = -norm->P[i * n + k] / norm->P[i * n + i];
    if (kind == VOLT_ANOMALY_MAHALANOBIS)
        return sqrt((double)(n - 1) * mean_distance2(scratch, n, i));
    for (int64_t m = 0; m < n; m++)
        if (m != i)
            least = fmin(least, pair_distance2(norm, scratch, i, m));
    return sqrt((double)(n - 1) * least);
}

double volt_new_distance(const volt_variance_norm *norm, volt_anomaly_kind kind, const double *centred,
                         double *scratch)
{
    int64_t n = norm->n;
    double mean = 1 / (double)n, size2 = 0, least = INFINITY;
    for (int64_t j = 0; j < n; j++)
        scratch[j] = 0;
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < n; j++)
            scratch[j] += centred[k] * norm->P[k * n + j];
    for (int64_t j = 0; j < n; j++)
        size2 += scratch[j] * scratch[j];
    if (kind == VOLT_ANOMALY_MAHALANOBIS)
        return sqrt((double)n * size2);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) {
            double own = (i == j ? 1 : 0) - mean - norm->s * norm->P[i * n + j];
            sum += (scratch[j] - own) * (scratch[j] - own);
        }
        least = fmin(least, sum);
    }
    return sqrt((double)n * least);
}
