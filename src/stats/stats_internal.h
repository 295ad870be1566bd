/* src/stats/stats_internal.h: helpers for comparing a truth and its forecast. */
#ifndef STATS_STATS_INTERNAL_H
#define STATS_STATS_INTERNAL_H

#include "base/progress.h"
#include "volterra/stats.h"

#include <stdint.h>

/* Kinds of baselines. */
enum { VOLT_BASELINE_KINDS = VOLT_BASELINE_AR + 1 };

/* Checks that all values are finite. The message calls the values "the `name`". */
volt_status volt_require_finite(const char *name, volt_view values);

/* Multiplies a series by a power of two so that its largest absolute value is in [0.5, 1): squares then do not
 * overflow. Returns the exponent e, with y = 2^e scaled. */
int volt_scale_to_unit(const double *y, int64_t n, int64_t stride, double *scaled);

/* One output of a truth y and its forecast f, of `count` rows each. */
typedef struct volt_output {
    const double *y, *f;
    int64_t y_stride, f_stride, count;
} volt_output;

volt_output volt_output_of(volt_view truth, volt_view forecast, int64_t k);

/* Mean squared error of the forecast and the truth, both times `unit`. */
double volt_output_error(const volt_output *output, double unit);

/* ---- the block length for several series at once ----------------------------------------------- */

enum { VOLT_BLOCK_ROWS = 10 }; /* minimum number of values for the rule */

/* Mean block length, at least 1, of the stationary bootstrap for T >= 10 rows: the rule of Politis and White
 * (2004), as corrected by Patton, Politis and White (2009). The largest over the differences of any two
 * columns, so that none is cut into blocks too short for its dependence. Components common to all columns
 * cancel, equal columns are one. 1 when there is one column. VOLT_ERR_SHAPE, VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
volt_status volt_block_length_of_differences(volt_view values, volt_progress progress, double *block);

/* ---- means of resampled rows ------------------------------------------------------------------- */

/* The source of the rows of a replication. */
typedef struct volt_resampling {
    int64_t reps;
    const int64_t *indices; /* reps x T row numbers, or NULL: the stationary bootstrap, */
    double block;           /* with this mean block length, at least 1, */
    uint64_t seed;          /* and Philox stream b for replication b */
} volt_resampling;

/* Row numbers of one replication of the stationary bootstrap (Politis and Romano, JASA 89, 1994). Each is
 * the successor of the previous one, with row 0 after row count - 1, or with probability 1 / block a random
 * row. */
void volt_stationary_indices(volt_rng *rng, double block, int64_t count, int64_t *indices);

/* ---- mean squared errors, and their share of the variance -------------------------------------- */

/* The same where truth and forecast are parts of `levels`, which determine the variance. */
double volt_output_nmse_of_levels(const volt_output *output, const volt_output *levels);

/* The mean over outputs; truth and forecast are T x q, T >= 1. */
double volt_normalised_error(volt_view truth, volt_view forecast);

/* Only R2, without copies or sorting. Fails as volt_metrics_compute does. */
volt_status volt_r2(volt_view truth, volt_view forecast, double *r2);

/* ---- quantiles --------------------------------------------------------------------------------- */

/* q with P(|T| <= q) = coverage for Student's t with `freedom` degrees of freedom (Abramowitz and Stegun 26.7.5). From 3
 * degrees on, the relative error is below 1 % for coverages up to 0.99, and below 3 % up to 0.998. */
double volt_student_quantile(double coverage, double freedom);

/* t with P(X >= t) = tail for chi-square with `freedom` > 0 degrees of freedom, which need not be whole; 0 < tail < 1. */
double volt_chi_square_quantile(double tail, double freedom);

/* The half-width of an interval of this coverage, relative to the root mean square of `count` errors, for intervals that
 * assume normal errors: Student's t with max(3, count) degrees of freedom (docs/math.md, "Intervals"). */
double volt_error_quantile(double coverage, double count);

#endif
