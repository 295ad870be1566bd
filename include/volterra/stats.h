/* volterra/stats.h: metrics, baselines, skill, the model confidence set and warnings. */
#ifndef VOLTERRA_STATS_H
#define VOLTERRA_STATS_H

#include "volterra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Means over outputs (columns). */
typedef struct volt_metrics {
    size_t struct_size; /* set by the caller */
    double mse;         /* mean squared error; infinite or 0 on overflow or underflow */
    double nmse;        /* mean squared error over the population variance of the truth: 1 - r2 */
    double r2;   /* coefficient of determination; for a constant truth (also a single row) 1 if exact, else 0 */
    double mae;  /* mean absolute error */
    double mdae; /* median absolute error; for an even number the mean of the two middle values */
    double w1;   /* Wasserstein-1 distance of the empirical distributions */
    /* mean absolute error relative to max(|truth|, 2^-52 min(1, largest |truth|)), not in percent */
    double mape;
    double rmse; /* root mean squared error */
} volt_metrics;

/* Compares predictions with the truth, both T x q, T >= 1. VOLT_ERR_SHAPE; VOLT_ERR_NOT_FINITE if a value is not finite, or a
 * difference or sum overflows. */
VOLT_API volt_status volt_metrics_compute(volt_view truth, volt_view forecast, volt_metrics *metrics);

/* Computes the Wasserstein-1 distance between the empirical distributions of two samples of any lengths >= 1. */
VOLT_API volt_status volt_wasserstein(const double *first, int64_t n_first, const double *second,
                                      int64_t n_second, double *distance);

/* Computes the valid prediction time: the first t >= 1 (rows counted from 1) with |y_t - yhat_t| / |y_t| >= threshold,
 * Euclidean norms over the outputs. *rows is that t (*reached = 1), or T if there is none (*reached = 0). If y_t = 0, only
 * yhat_t = 0 is valid. threshold > 0. */
VOLT_API volt_status volt_valid_rows(volt_view truth, volt_view forecast, double threshold, int64_t *rows,
                                     int *reached);

/* Computes the losses of a prediction row by row, for the model confidence set. losses is T x 1 (or a column of
 * a larger matrix, by its ld) and receives
 *
 *     loss_t = mean over outputs k of (y_tk - yhat_tk)^2 / var_k,
 *
 * var_k the population variance of the truth. The mean of the losses is the NMSE. A constant output has loss 0 if it is
 * predicted exactly, otherwise its squared error over the mean of its squared errors. Fails as volt_metrics_compute does. */
VOLT_API volt_status volt_losses(volt_view truth, volt_view forecast, volt_matrix losses);

/* Quality of scores as a ranking of marked rows above the others. */
typedef struct volt_ranking {
    size_t struct_size; /* set by the caller */
    /* share of pairs of a marked and an unmarked row in which the marked one has the larger score; ties count half */
    double roc_auc;
    /* average precision: mean over marked rows of the precision at their scores; rows with equal scores count together */
    double pr_auc;
    int64_t marked, others;
} volt_ranking;

/* Ranks n scores; those with marked[i] != 0 should be larger. VOLT_ERR_DATA unless there are rows of both kinds;
 * VOLT_ERR_NOT_FINITE for a NaN score (infinite ones are allowed); VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_ranking_compute(const double *scores, const int *marked, int64_t n,
                                          volt_ranking *ranking);

/* ---- baselines ---------------------------------------------------------------------------------- */

/* Finds the season of a series y[0], y[stride], ... of n >= 1 values: its period in rows, 4 to 400, from the autocorrelation of
 * its changes (docs/math.md); 0 if none is significant, as for a constant or fewer than 15 values. The result
 * does not depend on the unit or level of y. VOLT_ERR_NOT_FINITE. */
VOLT_API volt_status volt_season_find(const double *y, int64_t n, int64_t stride, int64_t *season);

/* Baseline forecasts. */
typedef enum volt_baseline {
    VOLT_BASELINE_NAIVE,    /* last known value */
    VOLT_BASELINE_SEASONAL, /* last known value of the same phase of the season */
    VOLT_BASELINE_DRIFT,    /* last known value plus the mean change */
    VOLT_BASELINE_AR        /* linear autoregression */
} volt_baseline;

/* Returns "naive", "seasonal naive", "drift" or "autoregression"; NULL after the last. */
VOLT_API const char *volt_baseline_name(volt_baseline kind);

/* Forecasts rows begin, begin + 1, ... of `levels` (n x q) into `out` (any number of rows, q columns), each column separately.
 * Row r is forecast from rows <= r - lag, lag >= 1; the last possible row is n - 1 + lag:
 *
 *     naive             y[r - lag]
 *     seasonal naive    y[r - S ceil(lag/S)], S = season
 *     drift             y[r - lag] + lag times the mean change of the training rows (0 for a single row)
 *     autoregression    ridge regression of y[r] on y[r - l], l = lag .. lag + 9 and, with a season S >= lag, those of
 *                       S - 1, S and S + 1 that are at least lag; with a constant, regressors standardised
 *
 * season = 0: none; the seasonal naive forecast then fails. Drift and autoregression are trained once on rows < learn_end, or
 * with learn_end = 0 for every row r on all rows <= r - lag. The ridge, in units of the regressors' variance, is the one of
 * 1e-6, 1e-5, ..., 100 with the smallest leave-one-out error, or 1e-3 with learn_end = 0. With fewer than 3 training pairs per
 * coefficient the autoregression omits the season, then the longest lags; if one lag is too many, it is the naive forecast.
 * Rows after both learn_end and the last one needed are ignored. VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE; VOLT_ERR_NOT_FINITE for a
 * level that is not finite or a forecast that overflows. */
VOLT_API volt_status volt_baseline_forecast(volt_baseline kind, volt_view levels, int64_t lag, int64_t season,
                                            int64_t learn_end, int64_t begin, volt_matrix out);

/* Errors of a forecast relative to a baseline: means over the outputs for which the baseline has an error. */
typedef struct volt_skill {
    size_t struct_size; /* set by the caller */
    double skill; /* 1 - mean squared error over the baseline's: 1 is exact; negative: the baseline is better */
    double mase;  /* mean absolute error over the baseline's on the same rows */
    int64_t outputs; /* outputs in the means */
    int64_t rows;    /* rows compared: the last ones */
    int64_t lag;     /* lag of the naive baseline; 0: the baseline was given */
} volt_skill;

/* Compares `forecast` with `baseline`, all T x q, T >= 1. A baseline without data is the naive forecast, the truth `ahead` >= 1
 * rows before, or with a season >= 2 the seasonal naive forecast. `past` (optional, n x q) contains the rows just before the
 * truth. Leading rows without an earlier truth are not compared. season = 0: none. Fails as volt_metrics_compute does.
 * VOLT_ERR_DATA if no row can be compared (rows = 0) or the baseline is exact; skill and mase are then NaN, and the other
 * fields are set. */
VOLT_API volt_status volt_skill_compute(volt_view truth, volt_view forecast, volt_view baseline, volt_view past,
                                        int64_t ahead, int64_t season, volt_skill *skill);

/* ---- model confidence set --------------------------------------------------------------------- */

/* The model confidence set of Hansen, Lunde and Nason (Econometrica 79, 2011) contains the best model with probability
 * 1 - size. docs/math.md has the formulas.
 *
 *     volt_mcs *mcs = NULL;
 *     volt_status status = volt_mcs_compute(losses, NULL, &mcs);        losses: T rows, one column per model
 *     for (int64_t i = 0; !status && i < mcs->models; i++)
 *         printf("model %lld: p = %g%s\n", (long long)i, mcs->pvalues[i], mcs->included[i] ? " **" : "");
 *     volt_mcs_free(mcs); */
typedef enum volt_mcs_method {
    VOLT_MCS_R,  /* largest difference of two models [word R] */
    VOLT_MCS_MAX /* largest difference of a model from the mean of all */
} volt_mcs_method;

/* Special values of volt_mcs_options.block. */
#define VOLT_BLOCK_SQRT 0.0    /* the integer part of sqrt(T) */
#define VOLT_BLOCK_AUTO (-1.0) /* by the rule of Politis and White (2004, 2009), docs/math.md */

typedef struct volt_mcs_options {
    size_t struct_size;
    volt_mcs_method method; /* default: VOLT_MCS_R */
    double size;            /* models with a p-value above it are included; in (0, 1) (default: 0.25) */
    double block;           /* mean length of a block, 1 to T, or one of the above (default: VOLT_BLOCK_SQRT) */
    int64_t reps;           /* replications of the bootstrap (default: 10000) */
    uint64_t seed;          /* replication b draws from Philox stream b */
    /* (optional) the rows of each replication, 0 .. T - 1, instead of a bootstrap; block and seed are then
     * ignored [array reps, T] */
    const int64_t *indices;
    volt_progress progress;
} volt_mcs_options;
VOLT_API volt_mcs_options volt_mcs_options_default(void);

typedef struct volt_mcs {
    size_t struct_size;
    int64_t models;     /* columns of the losses */
    double *pvalues;    /* p-value of every model, in column order [array models] */
    int *included;      /* 1: the p-value is above the size [flag; array models] */
    int64_t *order;     /* columns in order of elimination; the last one was not eliminated [array models] */
    double *statistics; /* statistic of step s, which eliminated order[s]; infinite for a difference
                          * without variance; 0 for columns that equal the last one [array models - 1] */
    /* share of the bootstrap statistics above it; p-values are running maxima of these [array models - 1] */
    double *step_shares;
    double *mean_losses; /* in column order [array models; json losses] */
    double block;        /* mean block length used; 0 if the indices were given */
} volt_mcs;

/* Computes the model confidence set of the columns of `losses` (T x M, T >= 2, M >= 1) by the stationary bootstrap. The result
 * does not depend on the number of threads. Equal columns are one model: they take part once and have one p-value and one place in
 * the order. Columns are equal if no row differs by more than T eps times the largest of their losses. options may be NULL.
 * VOLT_ERR_SHAPE, VOLT_ERR_ARGUMENT, VOLT_ERR_NOT_FINITE. Free *mcs with volt_mcs_free. */
VOLT_API volt_status volt_mcs_compute(volt_view losses, const volt_mcs_options *options, volt_mcs **mcs);

VOLT_API void volt_mcs_free(volt_mcs *mcs);

/* ---- warnings --------------------------------------------------------------------------------- */

/* Codes of the warnings in results. */
typedef enum volt_warning_code {
    VOLT_WARNING_CONSTANT_HELDOUT, /* the series is constant on the held-out rows: errors there are not meaningful */
    VOLT_WARNING_NAIVE_FORECAST, /* every step is the last value; `value`: MSE of the best fit relative to it */
    VOLT_WARNING_BETTER_BASELINE, /* `baseline` has a clearly lower error; `value`: relative to the model's */
    VOLT_WARNING_FEW_ROWS,        /* too few rows for held-out rows: errors are unknown */
    VOLT_WARNING_WORSE_THAN_CONSTANT, /* the mean of the targets has a lower error */
    VOLT_WARNING_PAST_TARGETS,        /* the baselines use past targets, the model only its inputs */
    VOLT_WARNING_SEARCH_CUT,          /* the budget ended the search after `value` candidates */
    VOLT_WARNING_SINGLE_SERIES_CLASS, /* class `series` has one training series: leave-one-out misclassifies it */
    VOLT_WARNING_RATE_TOO_SMALL,      /* too few series for the rate: the smallest is `value` */
    VOLT_WARNING_ROWS_UNORDERED, /* `value` rows are earlier than the row before them, the first of them `row` */
    VOLT_WARNING_ROWS_MISSING,   /* `value` rows (0: unknown) are missing before row `row` */
    VOLT_WARNING_TRAINING_ROWS,  /* `value` rows are not later than the last training row */
    VOLT_WARNING_RUN_BOUNDED,    /* a free run diverges: its outputs were bounded from row `row` on */
    VOLT_WARNING_NO_FIRST_OUTPUT, /* a free run starts without a measured output, at row `row` */
    VOLT_WARNING_FREE_RUN,        /* the baselines use measured past targets, the free runs their own outputs */
    VOLT_WARNING_INPUT_RANGE,     /* inputs leave the range of the training inputs, first in row `row` */
    VOLT_WARNING_LITTLE_EXCITATION, /* the inputs change in `value` rows only */
    VOLT_WARNING_CONSTANT_INPUT,    /* input `series` is constant */
    VOLT_WARNING_INTEGRATING,       /* the outputs integrate the inputs; `value`: share of their increments */
    VOLT_WARNING_REVERSED, /* past outputs explain the inputs better; `value`: by this share of their error */
    VOLT_WARNING_DRIFT,    /* the outputs drift: their variance is `value` times that of quarters of the rows */
    VOLT_WARNING_UNEVEN_STEPS, /* `value` time steps differ from the median step, the first before row `row` */
    VOLT_WARNING_NO_RESPONSE,  /* no output is correlated with the inputs of the last `value` rows */
    VOLT_WARNING_SATURATED,    /* output `series` is at an end of its range in the share `value` of the rows */
    VOLT_WARNING_FEW_FREQUENCIES, /* an input has the power of `value` sine waves only */
    VOLT_WARNING_SHORT_SEASON, /* too few rows for the season of the calendar, `value` rows: the forecast has none */
    VOLT_WARNING_ROW_COUNTER,  /* column `series` numbers the rows with step `value` */
    VOLT_WARNING_UNEVEN_CLOCK, /* column `series` is a time without a regular step */
    VOLT_WARNING_SERIAL_DATES, /* column `series` may have dates as numbers; `value`: the first, in seconds since 1970 */
    VOLT_WARNING_BETTER_LINEAR /* the linear model has a clearly lower error; `value`: squared, relative to the model's */
} volt_warning_code;

typedef struct volt_warning {
    volt_warning_code code;
    int64_t series; /* series (or class) concerned, otherwise 0 */
    double value;
    volt_baseline baseline;
    int64_t row; /* row concerned, from 0 */
} volt_warning;

/* Returns the text of a code; "unknown warning" for an invalid value. */
VOLT_API const char *volt_warning_text(volt_warning_code code);

#ifdef __cplusplus
}
#endif
#endif
