/* src/task/forecast_group.h: series that are forecast from each other, and a fit of them. */
#ifndef TASK_FORECAST_GROUP_H
#define TASK_FORECAST_GROUP_H

#include "volterra/forecast.h"
#include "volterra/model.h"

#include <stdbool.h>

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

/* Replaces the series and the known inputs by filled ones if options->missing requests it, and appends the calendar. `made` owns them, also after a
 * failure. */
volt_status volt_forecast_fill(volt_view *series, volt_forecast_options *options, forecast_filling *made);
void volt_forecast_filling_release(forecast_filling *made);

/* Checks the series and the options, and determines the number of steps to forecast. */
volt_status volt_forecast_horizon(volt_view series, const volt_forecast_options *options, int64_t *steps);

/* Least number of rows for a kernel fit of step `step` with held-out errors. */
int64_t volt_forecast_rows_for(int64_t step);

/* ---- search the parameters of a kernel for a forecast of series -------------------------------- */

/* Draws candidates from options->kernel for about options->search_seconds, the forecast that follows included. Each is
 * fitted on the first three quarters of the rows for at most three of the steps, and scored by its held-out errors there.
 * The best replaces *kernel if it is also clearly better on the last quarter. The search fields of `info` describe what
 * happened. */
volt_status volt_forecast_search_run(const forecast_data *data, const volt_forecast_options *options,
                                     volt_kernel **kernel, volt_forecast_info *info);

#endif
