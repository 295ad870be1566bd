/* src/stats/classical.h: classical forecasts of one series: naive, Naive2, Theta, exponential smoothing.
 *
 *     volt_ets_info info;
 *     volt_ets_forecast(y, n, 12, h, NULL, mean, NULL, &info);         chooses the form by AICc
 *     volt_ets_forecast(y, n - 10, 12, h, &info, earlier, NULL, NULL); the same form, an earlier origin
 *
 * y[n] is finite. The season S >= 0 is a period in rows; 0 and 1 mean none. h >= 1 steps ahead are written to
 * mean[h]. All methods are equivariant to the unit of y, deterministic and thread-safe, and allocate O(n + S)
 * bytes. Optional outputs and info may be NULL.
 *
 * VOLT_ERR_SHAPE for a series that is too short; VOLT_ERR_ARGUMENT for a negative season or h < 1;
 * VOLT_ERR_NOT_FINITE for a value that is not finite or a forecast that overflows; VOLT_ERR_MEMORY. Outputs are
 * untouched on failure. */
#ifndef STATS_CLASSICAL_H
#define STATS_CLASSICAL_H

#include "volterra/stats.h"

#include <stdbool.h>

/* How a season enters. */
typedef enum volt_season_form {
    VOLT_SEASON_NONE,
    VOLT_SEASON_ADDITIVE,
    VOLT_SEASON_MULTIPLICATIVE
} volt_season_form;

/* ---- decomposition.c ---------------------------------------------------------------------------- */

/* Checks the arguments of a forecast from at least `rows_needed` rows. */
volt_status volt_check_forecast(const double *y, int64_t n, int64_t rows_needed, int64_t season, int64_t h,
                                const double *mean);

/* Multiplies `path` by 2^exponent, in place, checks it, and copies it to `mean`; `name` is the method. */
volt_status volt_finish_path(const char *name, double *path, int64_t h, int exponent, double *mean);

/* Whether the autocorrelation of y at lag S >= 1 differs from 0 at the level 10 %:
 *     |r[S]| > 1.645 sqrt((1 + 2 sum_{k < S} r[k]^2)/n).
 * false for n <= S or a constant series. |y| < 1 (volt_scale_to_unit). */
bool volt_season_significant(const double *y, int64_t n, int64_t season);

/* Classical decomposition, n >= 2 S: effects[j] of the rows t with t mod S = j, the mean of y - trend or
 * y/trend (`form`), where the trend is a centred moving average over one season. Their mean is 0
 * or 1. */
void volt_season_effects(const double *y, int64_t n, int64_t season, volt_season_form form, double *effects);

/* value with the effect of row t. */
double volt_season_apply(volt_season_form form, double value, const double *effects, int64_t season, int64_t t);

/* The path of a baseline from the end of the series, n >= 1: the last value, the last season (n >= S >= 2) or
 * the last value plus multiples of the mean change. VOLT_ERR_ARGUMENT for VOLT_BASELINE_AR. */
volt_status volt_naive_forecast(volt_baseline kind, const double *y, int64_t n, int64_t season, int64_t h,
                                double *mean);

/* Naive2 of the M competitions (Makridakis, Spiliotis, Assimakopoulos, International Journal of Forecasting 36,
 * 2020): the last value of the series without its season, when it is significant (n >= 3 S), else the last
 * value. n >= 1. */
volt_status volt_naive2_forecast(const double *y, int64_t n, int64_t season, int64_t h, double *mean,
                                 volt_season_form *form);

/* ---- theta.c ------------------------------------------------------------------------------------ */

typedef struct volt_theta_info {
    double alpha; /* smoothing, 0.1 to 0.99 */
    double theta; /* 1 to 1e10 */
    double level; /* initial level of the series without its season, in the unit of y or, with a
                              * multiplicative season, of y over an effect */
    double rmse;  /* one-step errors of the series without its season, from row 3 on; all for n < 7 */
    volt_season_form season; /* the season that was removed */
} volt_theta_info;

typedef enum volt_theta_kind {
    VOLT_THETA_OPTIMISED, /* OTM: one regression line of all rows; forecasts have a constant slope */
    VOLT_THETA_DYNAMIC    /* DOTM: each row has the line of the rows before it */
} volt_theta_kind;

/* The optimised Theta methods, n >= 3. For n < 7, alpha = 1/2 and theta = 2 are fixed. */
volt_status volt_theta_forecast(volt_theta_kind kind, const double *y, int64_t n, int64_t season, int64_t h,
                                double *mean, volt_theta_info *info);

/* ---- seasonal_ar.c ------------------------------------------------------------------------------ */

/* Number of phases: columns that represent a season of `rows` rows, min(S - 1, 24). 0 without a season or with fewer
 * than three. */
int64_t volt_season_phases(int64_t season, int64_t rows);

/* Phase j of row t: cosine (even j) and sine (odd j) of the harmonics of the season, of mean square 1. */
double volt_season_phase(int64_t season, int64_t j, int64_t t);

enum { VOLT_SEASONAL_AR_ROWS = 8 };

/* A linear autoregression with the phases of the season, n >= 8: up to 14 lags and those of the season, chosen by AICc. */
volt_status volt_seasonal_ar_forecast(const double *y, int64_t n, int64_t season, int64_t h, double *mean);

/* ---- ets.c -------------------------------------------------------------------------------------- */

typedef enum volt_ets_trend { VOLT_ETS_LEVEL, VOLT_ETS_TREND, VOLT_ETS_DAMPED } volt_ets_trend;

/* A form of exponential smoothing, e.g. ETS(M,Ad,N). */
typedef struct volt_ets_form {
    bool relative; /* multiplicative errors */
    volt_ets_trend trend;
    volt_season_form season;
} volt_ets_form;

typedef struct volt_ets_info {
    volt_ets_form form;
    double alpha, beta, gamma, phi; /* 0 where the form has none; phi = 1 for an undamped trend */
    double level, slope;            /* initial states, with effects of mean 0 or 1 */
    double likelihood;              /* n log(sum of squared errors) + 2 sum log|forecast| for relative errors:
                                     * -2 log L up to a constant that depends on n only */
    double aicc;                    /* with `parameters`; infinite for too few rows */
    double sigma;                   /* standard deviation of the errors, relative for relative errors */
    int64_t parameters;             /* smoothing parameters, initial states and sigma */
} volt_ets_info;

enum { VOLT_ETS_NAME_SIZE = 16 };

/* Writes "ETS(A,Ad,M)". */
void volt_ets_name(volt_ets_form form, char name[VOLT_ETS_NAME_SIZE]);

/* Exponential smoothing in the form of the smallest AICc, n >= 3. Candidates are errors A and M, trends N, A
 * and Ad, seasons N, A and M; multiplicative errors only for positive series, a multiplicative season only with
 * multiplicative errors, a season only for n >= 2 S and n > parameters + 1. For n < 7 the form is ETS(A,N,N).
 *
 * The parameters maximise the likelihood with a prior for beta/alpha, half-normal with standard deviation 1/4.
 *
 * `start` (optional) fixes the form and begins the search at its smoothing parameters. Where its form is not a
 * candidate for y, the form is chosen.
 * variance[h] (optional) receives the variances of the forecast errors; infinite when they overflow. */
volt_status volt_ets_forecast(const double *y, int64_t n, int64_t season, int64_t h, const volt_ets_info *start,
                              double *mean, double *variance, volt_ets_info *info);

/* ---- ets_recursion.c ---------------------------------------------------------------------------- */

/* Parameters and states of a form. */
typedef struct volt_ets_state {
    double alpha, beta, gamma, phi; /* without trend, beta = 0; without season, gamma = 0 */
    double level, slope;
    double *effects; /* S, in the order of the rows; not used without season */
} volt_ets_state;

/* Values of a run at each row, for the gradient: n each. */
typedef struct volt_ets_trace {
    double *slope, *trend, *effect, *error;
} volt_ets_trace;

/* Runs the recursion over y, from the initial to the last states, in place. *squares receives the sum of
 * squared errors, *logs the sum of log|forecast| for relative errors. trace may be NULL. false when a forecast
 * or an effect that divides is not positive. */
bool volt_ets_run(volt_ets_form form, const double *y, int64_t n, int64_t season, volt_ets_state *state,
                  const volt_ets_trace *trace, double *squares, double *logs);

/* Derivatives of weight squares + 2 logs by the parameters and initial states, after a run with this trace.
 * `state` has the parameters of the run; gradient->effects receives S values. */
void volt_ets_gradient(volt_ets_form form, const double *y, int64_t n, int64_t season,
                       const volt_ets_state *state, const volt_ets_trace *trace, double weight,
                       volt_ets_state *gradient);

/* Point forecasts from the states after row n - 1. */
void volt_ets_path(volt_ets_form form, const volt_ets_state *state, int64_t n, int64_t season, int64_t h,
                   double *mean);

/* Variances of the forecast errors along the path `mean`; sigma as in volt_ets_info (Hyndman et al., 2008,
 * sections 6.2, 6.3 and 6.4; with a multiplicative season, an approximation beyond the first season). */
void volt_ets_variances(volt_ets_form form, const volt_ets_state *state, int64_t n, int64_t season,
                        double sigma, int64_t h, const double *mean, double *variance);

#endif
