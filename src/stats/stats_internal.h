/* src/stats/stats_internal.h: a truth and its forecast, as every comparison of the two takes them. */
#ifndef STATS_STATS_INTERNAL_H
#define STATS_STATS_INTERNAL_H

#include "base/progress.h"
#include "volterra/base.h"

#include <stdint.h>

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

/* ---- a linear autoregression that forecasts one series directly, `lag` rows ahead -------------- */

/* What volt_baseline_forecast says of VOLT_BASELINE_AR, for one series y that is no larger than 1 (squares must neither
 * overflow nor vanish): rows begin .. begin + count - 1, begin >= lag >= 1, into forecasts. Takes no memory. */
void volt_autoregression(const double *y, int64_t lag, int64_t season, int64_t learn_end, int64_t begin,
                         int64_t count, double *forecasts);

/* ---- the block length for several series at once ----------------------------------------------- */

enum { VOLT_BLOCK_ROWS = 10 }; /* values that a series needs for the rule, at least */

/* The largest block length over the differences of any two columns: none is then cut into blocks too short
 * for its dependence. What all columns share plays no part, as it plays none in a comparison. 1 when there is
 * one column. VOLT_ERR_CANCELLED. */
volt_status volt_block_length_of_differences(volt_view values, volt_progress progress, double *block);

/* Mean block length, at least 1, of the stationary bootstrap that suits the dependence within a series of
 * T >= 10 values: the rule of Politis and White (2004), as corrected by Patton, Politis and White (2009). */
volt_status volt_block_length(const double *values, int64_t count, double *block);

/* ---- means of resampled rows ------------------------------------------------------------------- */

/* Where the rows of a replication come from. */
typedef struct volt_resampling {
    int64_t reps;
    const int64_t *indices; /* reps x T given row numbers, or NULL: the stationary bootstrap with ... */
    double block;           /* ... this mean block length, at least 1, */
    uint64_t seed;          /* and Philox stream b for replication b */
} volt_resampling;

/* Row numbers of one replication of the stationary bootstrap (Politis and Romano, JASA 89, 1994): each goes on
 * after the one before it, row 0 after row count - 1, or with probability 1 / block jumps anywhere. */
void volt_stationary_indices(volt_rng *rng, double block, int64_t count, int64_t *indices);

/* means[i * reps + b]: the mean of column i over the rows of replication b. `values` is T x M. */
volt_status volt_bootstrap_means(volt_view values, const volt_resampling *resampling, volt_stage *stage,
                                 double *means);

/* ---- mean squared errors, and their share of the variance -------------------------------------- */

/* The mean squared error of one output over the population variance of its truth. A constant truth has no variance:
 * it counts 0 when it is forecast exactly, and 1 otherwise. */
double volt_output_nmse(const volt_output *output);

/* The same where truth and forecast are parts of `levels`, which count for the variance. */
double volt_output_nmse_of_levels(const volt_output *output, const volt_output *levels);

/* The mean over outputs; truth and forecast are T x q, T >= 1. */
double volt_normalised_error(volt_view truth, volt_view forecast);

/* R2 only, without copies or sorting. Failures are those of volt_metrics_compute. */
volt_status volt_r2(volt_view truth, volt_view forecast, double *r2);

/* ---- the distance between samples that are sorted already -------------------------------------- */

double volt_wasserstein_sorted(const double *first, int64_t n_first, const double *second, int64_t n_second);

#endif
