/* src/stats/forecast_pair.h: a truth and its forecast, as every comparison of the two takes them. */
#ifndef STATS_FORECAST_PAIR_H
#define STATS_FORECAST_PAIR_H

#include "volterra/base.h"

/* Finite everywhere? The sentence of the failure calls the values "the `name`". */
volt_status volt_require_finite(const char *name, volt_view values);

/* Equal shapes with at least one row and one column, data that are there and finite. */
volt_status volt_check_pair(volt_view truth, volt_view forecast);

/* Mean squared deviation from the mean of values[0], values[stride], ...; exactly 0 when all values are equal,
 * whatever their mean rounds to; NAN when it overflows. */
double volt_population_variance(const double *values, int64_t count, int64_t stride);

#endif
