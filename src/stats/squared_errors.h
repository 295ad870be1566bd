/* src/stats/squared_errors.h: mean squared errors, and their share of the variance. */
#ifndef STATS_SQUARED_ERRORS_H
#define STATS_SQUARED_ERRORS_H

#include "stats/forecast_pair.h"

/* The mean squared error of one output over the population variance of its truth. A constant truth has no variance:
 * it counts 0 when it is forecast exactly, and 1 otherwise. */
double volt_output_nmse(const volt_output *output);

/* The same where truth and forecast are parts of `levels`, which count for the variance. */
double volt_output_nmse_of_levels(const volt_output *output, const volt_output *levels);

/* The mean over outputs; truth and forecast are T x q, T >= 1. */
double volt_normalised_error(volt_view truth, volt_view forecast);

/* R2 only, without copies or sorting. Failures are those of volt_metrics_compute. */
volt_status volt_r2(volt_view truth, volt_view forecast, double *r2);

#endif
