/* volterra/stats.h: how good is a forecast. */
#ifndef VOLTERRA_STATS_H
#define VOLTERRA_STATS_H

#include "volterra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each is the mean over outputs (columns). */
typedef struct volt_metrics {
    double mse;  /* mean squared error */
    double nmse; /* mean squared error over the population variance of the truth: 1 - r2 */
    double r2;   /* coefficient of determination; a constant truth (so also a single row) counts 1 when
                    forecast exactly, else 0 */
    double mae;  /* mean absolute error */
    double mdae; /* median absolute error; the mean of the two middle ones for an even number */
    double w1;   /* Wasserstein-1 distance of the empirical distributions */
    double mape; /* mean absolute error relative to max(|truth|, 2^-52), not in percent */
} volt_metrics;

/* Compare forecasts with the truth, both T x q, T >= 1. VOLT_ERR_SHAPE; VOLT_ERR_NOT_FINITE
 * when a value is not finite or its square overflows. */
VOLT_API volt_status volt_metrics_compute(volt_view truth, volt_view forecast, volt_metrics *metrics);

/* Wasserstein-1 distance between the empirical distributions of two samples, of any lengths >= 1. */
VOLT_API volt_status volt_wasserstein(const double *first, int64_t n_first, const double *second,
                                      int64_t n_second, double *distance);

/* Valid prediction time: the first t >= 1 (rows counted from 1) with |y_t - yhat_t| / |y_t| >= threshold,
 * Euclidean norms over the outputs. *rows is that t, or T when the forecast stays valid throughout
 * (*reached = 0 then, else 1). Where y_t = 0 only yhat_t = 0 is valid. threshold > 0. */
VOLT_API volt_status volt_valid_rows(volt_view truth, volt_view forecast, double threshold, int64_t *rows,
                                     int *reached);

#ifdef __cplusplus
}
#endif
#endif
