/* src/series/anomaly/variance_norm.h: distances in the variance norm, and the detector on a Gram matrix.
 *
 * With phi_i the features of n series, m their mean and S = sum_i (phi_i - m)(phi_i - m)', whose Gram matrix
 * is K_c = H K H, H = I - 11'/n, the covariance is C = S / n and, with a ridge s on S,
 *
 *     |x|^2 = x' (C + s/n)^{-1} C (C + s/n)^{-1} x,        P = the inverse of K_c + s I on vectors of sum 0.
 *
 * The coordinates z(y) = sqrt(n) P k_c(y), k_c(y)_j = <phi(y) - m, phi_j - m>, have |z(y)| = |phi(y) - m|, and
 * those of the series i itself are column i of sqrt(n) (H - s P). Without series i, with the same s, the
 * inverse is P_kl - P_ki P_il / P_ii, and the coordinates of the one that was left out are sqrt(n-1) (b_k -
 * 1/(n-1)), b_k = -P_ik / P_ii (docs/math.md). */
#ifndef ANOMALY_VARIANCE_NORM_H
#define ANOMALY_VARIANCE_NORM_H

#include "base/progress.h"
#include "volterra/series.h"

typedef struct volt_variance_norm {
    int64_t n;
    double s;         /* the ridge */
    double *P;        /* n x n, all of it */
    double log_score; /* of the series, each left out once, under the Gaussian distribution of the others */
} volt_variance_norm;

/* Computes P of the centred K_c (n x n) with trace `trace` into norm->P. The stage counts 3
 * volt_cholesky_units(n). *pivot: 0, or the one that failed. */
void volt_variance_norm_make(volt_view centred, double trace, double s, volt_stage *stage,
                             volt_variance_norm *norm, int64_t *pivot);

/* The norm of the other series without series `out`, with the same ridge; less->P has space for (n - 1)^2
 * numbers. */
void volt_variance_norm_leave(const volt_variance_norm *norm, int64_t out, volt_variance_norm *less);

/* The same for a new series, k_c (n numbers) its centred kernels. */
double volt_new_distance(const volt_variance_norm *norm, volt_anomaly_kind kind, const double *centred,
                         double *scratch);

/* ---- the detector ------------------------------------------------------------------------------ */

typedef struct volt_anomaly volt_anomaly;

typedef struct volt_anomaly_options {
    volt_anomaly_kind score; /* these three as in volt_series_anomaly_options */
    double alpha, rate;
    volt_view examples; /* (optional) e x n: the kernel of the examples with the normal series */
    volt_progress progress;
} volt_anomaly_options;

volt_anomaly_options volt_anomaly_options_default(void);

/* Fits a detector to the Gram matrix K (n x n, n >= 3, lower triangle) of normal series. Uses the memory of
 * four such matrices, and n^3 operations for each alpha. VOLT_ERR_SHAPE, VOLT_ERR_ARGUMENT,
 * VOLT_ERR_NOT_FINITE; VOLT_ERR_DATA when the kernel does not distinguish the series; VOLT_ERR_SINGULAR when
 * alpha is too small for the rounding of K. Independent of the number of threads. options may be NULL. */
volt_status volt_anomaly_fit(volt_view K, const volt_anomaly_options *options, volt_anomaly **anomaly);
void volt_anomaly_free(volt_anomaly *anomaly);
void volt_anomaly_get_info(const volt_anomaly *anomaly, volt_anomaly_info *info);

/* Scores m new series, given their kernels with the normal ones as rows of C (m x n), into `scores` (m).
 * O(n^2) a series. VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_MEMORY. */
volt_status volt_anomaly_score(const volt_anomaly *anomaly, volt_view C, double *scores);

#endif
