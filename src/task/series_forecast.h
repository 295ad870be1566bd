/* src/task/series_forecast.h: series that are forecast: season, members, groups, combination. */
#ifndef TASK_SERIES_FORECAST_H
#define TASK_SERIES_FORECAST_H

#include "stats/classical.h"
#include "volterra/forecast.h"
#include "volterra/io.h"
#include "volterra/model.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- the season of a series that is forecast ---------------------------------------------------- */

/* Finds the season of n values: the best of the periods that the calendar suggests for rows `step` apart (an hour: a
 * day and a week; a day: a week; a week: a year; a month: a year; a quarter: a year), if the series repeats itself
 * after that period; otherwise the season of the autocorrelations (volt_season_find). 0: none. VOLT_ERR_MEMORY. */
volt_status volt_forecast_season(const double *y, int64_t n, volt_time_step step, int64_t *season);

/* Whether a season is a period of the calendar for rows `step` apart. */
bool volt_forecast_is_calendar(volt_time_step step, int64_t season);

/* The shortest period of the calendar for rows `step` apart, in rows; 0: none. */
int64_t volt_forecast_calendar(volt_time_step step);

/* ---- the methods that a forecast combines or is compared with ----------------------------------- */

/*
 * Every member forecasts the steps after the last row, and after each of some earlier rows (origins), from the rows up
 * to there. The errors at the origins decide the weights of the combination, its expected error and its intervals. */

enum { FORECAST_MEMBERS = VOLT_BACKTEST_METHODS - 1, FORECAST_ORIGINS = 16, FORECAST_MIN_ROWS = 3 };

extern const char *const volt_forecast_method_names[1 + FORECAST_MEMBERS]; /* "forecast", then the members */

/* Number of rows known at each origin, in increasing order. Step h is measured at origins of at most n - h rows. */
typedef struct forecast_origins {
    int64_t count, known[FORECAST_ORIGINS];
} forecast_origins;

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

/* ---- combination ------------------------------------------------------------------------------- */

/* The combination of the kernel and the classical methods of one series. */
typedef struct forecast_combination {
    double weight[FORECAST_MEMBERS];
    double *value; /* steps */
    double *error; /* origins x steps; NaN: none */
} forecast_combination;

/* Combines the members. Steps without a kernel value have the other members, with a part of what the kernel adds nearby. */
void volt_forecast_combine(const forecast_series *series, forecast_combination *combination);

/* Expected error of every step, and the number of errors it is computed from. It does not decrease with the step. */
void volt_forecast_spread(const forecast_series *series, const double *error, double *spread, double *counts);

/* Half the width of the interval of a step, in units of its expected error, which was computed from `count` errors. */
double volt_forecast_quantile(const forecast_series *series, double coverage, double count, int64_t step);

/* ---- series that are forecast from each other, and a fit of them -------------------------------- */

/* Common to all groups of a forecast. */
typedef struct forecast_data {
    volt_view levels;       /* rows used x series that are not constant */
    const int64_t *columns; /* their numbers in the forecast */
    volt_view known;        /* (optional) further inputs of the rows used, and of `steps` more if has_future */
    bool has_future;        /* a forecast uses the known inputs of its own row */
    const int64_t *seasons; /* of the series; 0: none */
    bool season_given;      /* by the caller */
    volt_time_step step;    /* of the rows */
    int64_t steps;
} forecast_data;

typedef struct forecast_group {
    const forecast_data *data;
    int64_t first, count; /* series of the data */
    int64_t season;       /* of all of them together; 0: none */
    int64_t phases;       /* number of columns of that season, if it is given or a period of the calendar */
    volt_matrix inputs;   /* the series, each divided by its scale, then the known inputs, then the phases */
    double *scale;        /* of the series: their standard deviations */
    int64_t *anchors;
    double alpha;  /* of the last choice, for a single series; infinite: a constant; 0: none */
    bool is_level; /* the last choice learned levels */
} forecast_group;

/* A group that begins as {0} can always be released. */
volt_status volt_forecast_group_create(const forecast_data *data, int64_t first, int64_t count,
                                       forecast_group *group);
void volt_forecast_group_release(forecast_group *group);

/* Fits the first `rows` rows, targets `ahead` rows ahead, with everything chosen on held-out rows. *model is NULL if no series
 * and no known input changes in the rows that have a target. */
volt_status volt_forecast_group_fit(forecast_group *group, const volt_kernel *kernel, int64_t rows,
                                    int64_t ahead, volt_progress progress, volt_model **model);

/* The first row used: the latest rows that the work for this number of steps allows (series_forecast.c). */
int64_t volt_forecast_first_row(int64_t rows, int64_t steps, bool all_rows);

/* Series and known inputs without missing values. */
typedef struct forecast_filling {
    volt_table *table; /* owns the series; NULL: as given */
    double *known;     /* owns the known inputs */
} forecast_filling;

/* ---- search the parameters of a kernel for a forecast of series -------------------------------- */

/* Draws candidates from options->kernel for about options->search_seconds, the forecast that follows included. Each is
 * fitted on the first three quarters of the rows for at most three of the steps, and scored by its held-out errors there.
 * The best replaces *kernel if it is also clearly better on the last quarter. The search fields of `info` describe what
 * happened. */
volt_status volt_forecast_search_run(const forecast_data *data, const volt_forecast_options *options,
                                     volt_kernel **kernel, volt_forecast_info *info);

#endif
