/* src/stats/forecast_pair.h: a truth and its forecast, as every comparison of the two takes them. */
#ifndef STATS_FORECAST_PAIR_H
#define STATS_FORECAST_PAIR_H

#include "volterra/base.h"

/* Finite everywhere? The sentence of the failure calls the values "the `name`". */
volt_status volt_require_finite(const char *name, volt_view values);

/* Equal shapes with at least one row and one column, and finite data. */
volt_status volt_check_pair(volt_view truth, volt_view forecast);

/* One output of a truth y and its forecast f, of `count` rows each. */
typedef struct volt_output {
    const double *y, *f;
    int64_t y_stride, f_stride, count;
} volt_output;

volt_output volt_output_of(volt_view truth, volt_view forecast, int64_t k);

/* A power of two: times it, the values of the truth lie about 1 apart (those of a constant truth that far from their
 * forecasts), so that neither squared errors nor the variance overflow or vanish because of the data's unit. */
double volt_output_unit(const volt_output *output);

/* Mean squared deviation of the truth, times `unit`, from its mean; exactly 0 when all values are equal, whatever
 * their mean rounds to. */
double volt_output_variance(const volt_output *output, double unit);

/* Mean squared error, the forecast and the truth both times `unit`. */
double volt_output_error(const volt_output *output, double unit);

#endif
