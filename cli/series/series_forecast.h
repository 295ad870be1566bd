/* cli/series/series_forecast.h: the next rows of series, each step by a fit of its own, with the error to expect. */
#ifndef CLI_SERIES_FORECAST_H
#define CLI_SERIES_FORECAST_H

#include "series/series_data.h"
#include "volterra.h"

/* What a step of a series is forecast by. */
typedef enum series_method { BY_FIT, BY_HALF, BY_NAIVE, BY_SEASON, N_METHODS } series_method;
const char *series_method_name(series_method method);

/* A step of a series. Squared errors are means over held-out rows, in the units of the series. */
typedef struct series_step {
    double value;
    series_method method;
    double mse;                       /* of the method */
    double best_mse;                  /* of the best fit that was tried */
    double baselines[VOLT_BASELINES]; /* of what needs no model; NaN: too little past */
    bool is_change;                   /* the fit learned the change, not the level */
} series_step;

typedef struct series_forecast {
    int64_t steps, series;
    series_step *step;             /* steps x series */
    int64_t heldout, heldout_last; /* rows held out for the first step, and for the last */
} series_forecast;

/* Forecast data->steps rows: all series from all of them, or each from itself alone. Returns 0, or the exit status after
 * saying what is wrong. A forecast that begins as {0} can always be released. */
int series_forecast_make(const series_data *data, const volt_kernel *kernel, bool alone, bool quiet,
                         series_forecast *forecast);
void series_forecast_release(series_forecast *forecast);

static inline series_step *series_step_at(const series_forecast *forecast, int64_t step, int64_t series)
{
    return &forecast->step[step * forecast->series + series];
}

/* The mean over the steps of a series' squared errors: of the forecast, and of a baseline (NaN: not known at a step). */
double series_mean_mse(const series_forecast *forecast, int64_t series);
double series_baseline_mse(const series_forecast *forecast, int64_t series, volt_baseline kind);

/* How many steps of a series have that method. */
int64_t series_count_method(const series_forecast *forecast, int64_t series, series_method method);

#endif
