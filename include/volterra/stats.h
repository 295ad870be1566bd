/* volterra/stats.h: how good is a forecast, and which of several models are the best. */
#ifndef VOLTERRA_STATS_H
#define VOLTERRA_STATS_H

#include "volterra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each is the mean over outputs (columns). */
typedef struct volt_metrics {
    size_t struct_size; /* set by the caller */
    double mse;  /* mean squared error; infinite, or 0, where it is too large or too small for a double */
    double nmse; /* mean squared error over the population variance of the truth: 1 - r2 */
    double r2;   /* coefficient of determination; a constant truth (so also a single row) counts 1 when
                    forecast exactly, else 0 */
    double mae;  /* mean absolute error */
    double mdae; /* median absolute error; the mean of the two middle ones for an even number */
    double w1;   /* Wasserstein-1 distance of the empirical distributions */
    double
        mape; /* mean absolute error relative to max(|truth|, 2^-52 min(1, largest |truth|)), not in percent */
    double rmse; /* square root of the mean squared error of an output */
} volt_metrics;

/* Compare forecasts with the truth, both T x q, T >= 1. VOLT_ERR_SHAPE; VOLT_ERR_NOT_FINITE
 * when a value is not finite, or a difference or sum is too large for a double. */
VOLT_API volt_status volt_metrics_compute(volt_view truth, volt_view forecast, volt_metrics *metrics);

/* Wasserstein-1 distance between the empirical distributions of two samples, of any lengths >= 1. */
VOLT_API volt_status volt_wasserstein(const double *first, int64_t n_first, const double *second,
                                      int64_t n_second, double *distance);

/* Valid prediction time: the first t >= 1 (rows counted from 1) with |y_t - yhat_t| / |y_t| >= threshold,
 * Euclidean norms over the outputs. *rows is that t, or T when the forecast stays valid throughout
 * (*reached = 0 then, else 1). Where y_t = 0 only yhat_t = 0 is valid. threshold > 0. */
VOLT_API volt_status volt_valid_rows(volt_view truth, volt_view forecast, double threshold, int64_t *rows,
                                     int *reached);

/* Losses of a forecast row by row, for the model confidence set: losses is T x 1 (a column of a larger matrix
 * will do: its ld says so) and receives
 *
 *     loss_t = mean over outputs k of (y_tk - yhat_tk)^2 / var_k,
 *
 * var_k the population variance of the truth. The mean of the losses is the NMSE, for a constant output too:
 * its loss is 0 when it is forecast exactly, else its squared error over the mean of its squared errors.
 * Failures are those of volt_metrics_compute. */
VOLT_API volt_status volt_losses(volt_view truth, volt_view forecast, volt_matrix losses);

/* How well scores order the rows that are marked above those that are not. */
typedef struct volt_ranking {
    size_t struct_size; /* set by the caller */
    /* the share of pairs, one marked and one not, of which the marked has the larger score; a tie is half a
     * pair */
    double roc_auc;
    /* average precision: the precision at every score that a marked row has, averaged over marked rows; rows
     * with equal scores come together */
    double pr_auc;
    int64_t marked, others;
} volt_ranking;

/* n scores, of which those with marked[i] != 0 should be the larger ones. VOLT_ERR_DATA unless there are rows of both
 * kinds; VOLT_ERR_NOT_FINITE for a score that is NaN (an infinite one is in order); VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_ranking_compute(const double *scores, const int *marked, int64_t n,
                                          volt_ranking *ranking);

/* ---- what needs no model ------------------------------------------------------------------------ */

/* The season of a series y[0], y[stride], ... of n >= 1 values: the rows after which it repeats itself, 4 to 400, found
 * from the autocorrelation of its changes (docs/math.md); 0 where none stands out, so of a constant and of fewer than 15
 * values. It depends neither on the unit of y nor on its level. VOLT_ERR_NOT_FINITE. */
VOLT_API volt_status volt_season_find(const double *y, int64_t n, int64_t stride, int64_t *season);

/* Forecasts to hold a model against. */
typedef enum volt_baseline {
    VOLT_BASELINE_NAIVE,    /* the last value known */
    VOLT_BASELINE_SEASONAL, /* the value known last of the same place in the season */
    VOLT_BASELINE_DRIFT,    /* the last value known, and on along the mean change */
    VOLT_BASELINE_AR        /* linear autoregression */
} volt_baseline;
#define VOLT_BASELINES 4 /* in this version: length of arrays with an entry for each */

/* "naive", "seasonal naive", "drift" or "autoregression". */
VOLT_API const char *volt_baseline_name(volt_baseline kind);

/* Forecast rows begin, begin + 1, ... of `levels` (n x q), as many as `out` (its cols = q) has rows and each column by
 * itself. Row r is forecast from rows <= r - lag, lag >= 1, so that the last row that can be is n - 1 + lag:
 *
 *     naive             y[r - lag]
 *     seasonal naive    y[r - S ceil(lag/S)], S = season
 *     drift             y[r - lag] + lag times the mean change of the rows that it learns from (0 of a single row)
 *     autoregression    a ridge regression of y[r] on y[r - l], l = lag .. lag + 9 and, with a season S >= lag, those of
 *                       S - 1, S and S + 1 that are at least lag; with a constant, regressors standardised
 *
 * season = 0: none, which the seasonal naive forecast refuses. Drift and autoregression learn from rows < learn_end once
 * or, learn_end = 0, for every row r anew from all rows <= r - lag. The ridge, in units of the regressors' variance, is
 * the one of 1e-6, 1e-5, ..., 100 with the least leave-one-out error, or 1e-3 where learning goes on. Where there are not
 * 3 pairs to learn from for every coefficient the autoregression leaves out the season, then the longest lags, and is
 * the naive forecast when there are not enough for one lag. Rows past both learn_end and the last one needed are not
 * looked at. VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE; VOLT_ERR_NOT_FINITE, of a level or of a forecast that overflows. */
VOLT_API volt_status volt_baseline_forecast(volt_baseline kind, volt_view levels, int64_t lag, int64_t season,
                                            int64_t learn_end, int64_t begin, volt_matrix out);

/* Errors of a forecast relative to those of a baseline: means over the outputs with an error of the baseline. */
typedef struct volt_skill {
    size_t struct_size; /* set by the caller */
    double skill; /* 1 - mean squared error over the baseline's: 1 is exact; below 0 the baseline does better */
    double mase;  /* mean absolute error over the baseline's (of the same rows) */
    int64_t outputs; /* in the means */
    int64_t rows;    /* compared: the last ones */
    int64_t lag;     /* the baseline is the truth so many rows before; 0: it was given */
} volt_skill;

/* Compares `forecast` with `baseline`, all T x q, T >= 1. Without data of a baseline it is the naive forecast of the truth
 * `ahead` >= 1 rows before or, with a season >= 2, the seasonal naive one. `past` (optional, n x q) has the rows right
 * before the truth. First rows without an earlier truth are not compared. season = 0: none.
 * Failures are those of volt_metrics_compute. VOLT_ERR_DATA when no row can be compared (rows = 0), or the baseline is
 * exact; then skill and mase are NaN, and the other fields are set. */
VOLT_API volt_status volt_skill_compute(volt_view truth, volt_view forecast, volt_view baseline, volt_view past,
                                        int64_t ahead, int64_t season, volt_skill *skill);

/* ---- model confidence set --------------------------------------------------------------------- */

/* Which models are the best, given what chance alone may do: the set of Hansen, Lunde and Nason
 * (Econometrica 79, 2011) contains the best model with probability 1 - size. docs/math.md has the formulas.
 *
 *     volt_mcs *mcs = NULL;
 *     volt_status status = volt_mcs_compute(losses, NULL, &mcs);        losses: T rows, one column per model
 *     for (int64_t i = 0; !status && i < mcs->models; i++)
 *         printf("model %lld: p = %g%s\n", (long long)i, mcs->pvalues[i], mcs->included[i] ? " **" : "");
 *     volt_mcs_free(mcs); */
typedef enum volt_mcs_method {
    VOLT_MCS_R,  /* the largest difference of two models */
    VOLT_MCS_MAX /* the largest difference of a model from the mean of all */
} volt_mcs_method;

/* What volt_mcs_options.block may be instead of a length. */
#define VOLT_BLOCK_SQRT 0.0    /* the integer part of sqrt(T) */
#define VOLT_BLOCK_AUTO (-1.0) /* chosen by the rule of Politis and White (2004, 2009), docs/math.md */

typedef struct volt_mcs_options {
    size_t struct_size;
    volt_mcs_method method; /* VOLT_MCS_R */
    double size;            /* a model is included when its p-value is above this; 0.25, in (0, 1) */
    double block;           /* mean length of a block, 1 to T, or one of the above; VOLT_BLOCK_SQRT */
    int64_t reps;           /* replications of the bootstrap, 10000 */
    uint64_t seed;          /* 0; replication b draws from Philox stream b */
    /* (optional) reps x T: the rows of each replication, 0 .. T - 1, in place of a bootstrap; block and seed are then
     * ignored */
    const int64_t *indices;
    volt_progress progress;
} volt_mcs_options;
VOLT_API volt_mcs_options volt_mcs_options_default(void);

typedef struct volt_mcs {
    size_t struct_size;
    int64_t models;      /* columns of the losses */
    double *pvalues;     /* of every model, in column order */
    int *included;       /* 1 when the p-value is above the size */
    int64_t *order;      /* columns in the order of elimination; the last one was never eliminated */
    double *statistics;  /* of step s, which eliminated order[s]; models - 1 of them; infinite where the
                            difference never varies */
    double *step_shares; /* share of the bootstrap statistics above that; a p-value is the largest so far */
    double *mean_losses; /* in column order */
    double block;        /* the mean block length that was used; 0 when the indices were given */
} volt_mcs;

/* The model confidence set of the columns of `losses` (T x M, T >= 2, M >= 1), by the stationary bootstrap.
 * The same for every number of threads. Two equal columns have the statistic 0, and no bootstrap statistic is
 * above that: when nothing else is left the first of them goes, with the p-value of the step before. options
 * may be NULL. VOLT_ERR_SHAPE, VOLT_ERR_ARGUMENT, VOLT_ERR_NOT_FINITE. Free *mcs with volt_mcs_free. */
VOLT_API volt_status volt_mcs_compute(volt_view losses, const volt_mcs_options *options, volt_mcs **mcs);

VOLT_API void volt_mcs_free(volt_mcs *mcs);

/* ---- warnings --------------------------------------------------------------------------------- */

/* Warnings in results, as codes. */
typedef enum volt_warning_code {
    VOLT_WARNING_CONSTANT_HELDOUT, /* the series is constant on the held-out rows: errors there mean little */
    VOLT_WARNING_NAIVE_FORECAST,  /* every step is the last value; `value` is the best fit's share of its MSE */
    VOLT_WARNING_BETTER_BASELINE, /* `baseline` has a clearly lower error; `value` is its share of the model's */
    VOLT_WARNING_FEW_ROWS,        /* too few rows to hold any out: errors are not known */
    VOLT_WARNING_WORSE_THAN_CONSTANT, /* the mean of the targets has a lower error */
    VOLT_WARNING_PAST_TARGETS,        /* the baselines know past targets, and the model only its inputs */
    VOLT_WARNING_SEARCH_CUT,          /* the budget ended the search after `value` candidates */
    VOLT_WARNING_SINGLE_SERIES_CLASS, /* class `series` has one training series: it is wrong when left out */
    VOLT_WARNING_RATE_TOO_SMALL       /* too few series to show the rate: the smallest is `value` */
} volt_warning_code;

typedef struct volt_warning {
    volt_warning_code code;
    int64_t series; /* the series (or class) it is about, 0 where it is about none */
    double value;
    volt_baseline baseline;
} volt_warning;

/* Returns the text of a code; "unknown warning" for a value that is not one. */
VOLT_API const char *volt_warning_text(volt_warning_code code);

#ifdef __cplusplus
}
#endif
#endif
