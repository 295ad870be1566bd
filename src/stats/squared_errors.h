/* src/stats/squared_errors.h: mean squared errors and variances, output by output. */
#ifndef STATS_SQUARED_ERRORS_H
#define STATS_SQUARED_ERRORS_H

#include "volterra/base.h"

/* For each of the q outputs: the mean squared error of the forecast, and the population variance of the truth
 * (exactly 0 when all its values are equal). truth and forecast are T x q, T >= 1. */
void volt_squared_errors(volt_view truth, volt_view forecast, double *errors, double *variances);

/* Mean over outputs of error / variance. A constant truth has no variance: it counts 0 when it is forecast
 * exactly, and 1 otherwise. */
double volt_normalised_error(const double *errors, const double *variances, int64_t q);

#endif
