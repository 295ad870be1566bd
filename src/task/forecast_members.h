/* src/task/forecast_members.h: the methods that a forecast combines or is compared with.
 *
 * Every member forecasts the steps after the last row, and after each of some earlier rows (origins), from the rows up
 * to there. The errors at the origins decide the weights of the combination, its expected error and its intervals. */
#ifndef TASK_FORECAST_MEMBERS_H
#define TASK_FORECAST_MEMBERS_H

#include "stats/classical.h"
#include "volterra/forecast.h"

#include <stdint.h>

enum { FORECAST_MEMBERS = VOLT_BACKTEST_METHODS - 1, FORECAST_ORIGINS = 16, FORECAST_MIN_ROWS = 3 };

extern const char *const volt_forecast_method_names[1 + FORECAST_MEMBERS]; /* "forecast", then the members */

/* Number of rows known at each origin, in increasing order. Step h is measured at origins of at most n - h rows. */
typedef struct forecast_origins {
    int64_t count, known[FORECAST_ORIGINS];
} forecast_origins;

/* Chooses the origins of n >= 3 rows: spread over the later half, and earlier where that is needed to measure all
 * steps twice. */
forecast_origins volt_forecast_origins(int64_t n, int64_t steps);

/* Forecasts of one member; NaN: missing. */
typedef struct forecast_values {
    double *value; /* steps */
    double *error; /* origins x steps: truth less forecast */
} forecast_values;

typedef struct forecast_series {
    const double *y; /* n values */
    int64_t n, season, steps;
    forecast_origins origins;
    forecast_values members[FORECAST_MEMBERS];
    char ets[VOLT_ETS_NAME_SIZE]; /* form of the exponential smoothing, e.g. ETS(A,Ad,M) */
} forecast_series;

/* Computes all members but the kernel. VOLT_ERR_MEMORY. */
volt_status volt_forecast_classical(forecast_series *series);

/* ---- combination ------------------------------------------------------------------------------- */

/* The combination of the kernel and the classical methods of one series. */
typedef struct forecast_combination {
    double weight[FORECAST_MEMBERS];
    double *value; /* steps */
    double *error; /* origins x steps; NaN: none */
} forecast_combination;

/* Combines the members. Steps without a kernel value have the other members, with a part of what the kernel adds nearby. */
void volt_forecast_combine(const forecast_series *series, forecast_combination *combination);

/* Root mean squared error of every step, from origins x steps errors; NaN: none. */
void volt_forecast_rmse(const forecast_series *series, const double *error, double *rmse);

/* Expected error of every step, and the number of errors it is computed from. It does not decrease with the step. */
void volt_forecast_spread(const forecast_series *series, const double *error, double *spread, double *counts);

/* Half the width of the interval of a step, in units of its expected error, which was computed from `count` errors. */
double volt_forecast_quantile(const forecast_series *series, double coverage, double count, int64_t step);

/* Mean absolute error relative to that of the (seasonal) naive forecast one step ahead in all rows. */
double volt_forecast_mase(const forecast_series *series, const double *error);

#endif
