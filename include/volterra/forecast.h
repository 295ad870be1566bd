/* volterra/forecast.h: forecasts of series, their errors from earlier rows, and forecasts of many series.
 *
 *     volt_forecast *forecast = NULL;
 *     volt_status status = volt_forecast_run(series, NULL, &forecast); // series: n x k, one row per time step
 *     if (!status)
 *         printf("%g +- %g\n", volt_forecast_step_at(forecast, 0, 0)->value,
 *                volt_forecast_step_at(forecast, 0, 0)->rmse);
 *     volt_forecast_free(forecast);
 *
 * NULL options are the defaults. */
#ifndef VOLTERRA_FORECAST_H
#define VOLTERRA_FORECAST_H

#include "volterra/base.h"
#include "volterra/io.h"
#include "volterra/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- forecast --------------------------------------------------------------------------------- */

typedef struct volt_forecast volt_forecast;

/* Methods of a forecast. The naive and drift forecasts are baselines only; the others take part in the combination. */
typedef enum volt_forecast_member {
    VOLT_MEMBER_KERNEL,   /* kernel fits, one for each step */
    VOLT_MEMBER_THETA,    /* optimised Theta method */
    VOLT_MEMBER_ETS,      /* exponential smoothing, its form chosen by AICc */
    VOLT_MEMBER_NAIVE,    /* last value */
    VOLT_MEMBER_SEASONAL, /* value one season earlier */
    VOLT_MEMBER_DRIFT,    /* last value plus the mean change */
    VOLT_MEMBER_AR        /* linear autoregression around a periodic mean */
} volt_forecast_member;

enum { VOLT_FORECAST_MAX_STEPS = 60 }; /* largest default number of steps */

typedef struct volt_forecast_options {
    size_t struct_size;
    const char *kernel; /* kernel text (default: "volterra") */
    /* rows to forecast, at most 1,000,000; 0 (default): one season, at most 60; 12 without a season; at most half of the
     * rows */
    int64_t steps;
    int64_t season;      /* rows, at least 2; 0: none; VOLT_SEASON_AUTO (default): estimated from each series */
    volt_time_step step; /* (optional) time between two rows, for seasons of the calendar; 0: unknown */
    int separate;        /* 1: forecast each series from itself only; 0 (default): from all of them */
    int all_rows;        /* 1: use every row; 0 (default): the latest rows, limited to a few seconds of work */
    /* (optional) further inputs. With n rows, a forecast uses the inputs of the last row. With at least n + steps rows
     * it uses the inputs of the row to forecast, such as volt_calendar_columns or a price; later rows are ignored. The
     * default number of steps is at most the number of rows after the first n */
    volt_view known;
    /* seconds for a search of the open parameters of the kernel; 0 (default): no search. The best candidate replaces the kernel
     * only if it is also clearly better on the last quarter of the rows */
    double search_seconds;
    uint64_t seed; /* seed of the search */
    /* (optional) probabilities of prediction intervals, between 0 and 1 [array n_coverages] */
    const double *coverages;
    int64_t n_coverages;
    const char *const *names; /* (optional) names of the series, for messages [array k] */
    double many_seconds; /* time limit of volt_forecast_many; 0 (default): none. volt_forecast_run ignores it */
    volt_progress progress;
    /* VOLT_MISSING_ERROR (default), or VOLT_MISSING_INTERPOLATE: NaN in the series, and in `known` in their rows, is
     * interpolated, and rows that are missing between the times are inserted, as by volt_tables_fill. All rows of a result are
     * then counted with those inserted */
    volt_missing missing;
    /* (optional) times of the rows, for `missing` and `calendar`. volt_forecast_many uses those of its rows [array n] */
    const volt_time *times;
    /* (optional) parts of the calendar (volt_calendar) as further known inputs, of the rows and of those to forecast. Requires
     * times. volt_forecast_many does not support it */
    const char *calendar;
    /* (optional) times of the rows of `known` after the first n; NULL: `step` continues `times` [other] */
    const volt_time *future_times;
} volt_forecast_options;
VOLT_API volt_forecast_options volt_forecast_options_default(void);

/* Forecasts the next rows of `series` (n x k, n >= 3, in time order, finite). The forecast is a weighted mean of kernel fits
 * and classical methods. The kernel has a separate fit for each step, with target, inputs, constant and alpha chosen on
 * held-out rows; steps for which the rows are too few, or for which it is not clearly better than the last value, are left to
 * the classical methods. Weights follow from the errors of rolling forecasts from earlier rows (docs/math.md).
 * VOLT_ERR_DATA for too few rows; VOLT_ERR_ARGUMENT for an option out of range; VOLT_ERR_NOT_FINITE, also for a forecast or an
 * interval beyond DBL_MAX. */
VOLT_API volt_status volt_forecast_run(volt_view series, const volt_forecast_options *options,
                                       volt_forecast **forecast);
VOLT_API void volt_forecast_free(volt_forecast *forecast);

typedef enum volt_forecast_search {
    VOLT_FORECAST_SEARCH_NONE,     /* not requested */
    VOLT_FORECAST_SEARCH_ROWS,     /* too few rows to search and to confirm the result */
    VOLT_FORECAST_SEARCH_TIME,     /* no candidate could be tried in the given time */
    VOLT_FORECAST_SEARCH_WORSE,    /* no candidate was better on the held-out rows */
    VOLT_FORECAST_SEARCH_REJECTED, /* the best candidate was not clearly better on the last quarter of the rows */
    VOLT_FORECAST_SEARCH_ACCEPTED /* the best candidate replaced the kernel */
} volt_forecast_search;

/* Strings and arrays belong to the forecast. */
typedef struct volt_forecast_info {
    size_t struct_size; /* set by the caller */
    int64_t steps, series;
    int64_t rows;      /* rows used */
    int64_t first_row; /* first row used */
    int64_t origins;   /* earlier rows from which forecasts were made to measure the errors; 0: too few rows */
    int64_t members;   /* number of members ... */
    const char *const *member_names; /* ... and their names, by volt_forecast_member [array m] */
    const char *kernel;              /* kernel used, with all parameters */
    volt_forecast_search search;
    int64_t search_draws; /* candidates tried */
    double search_mse; /* MSE of the best candidate on the last quarter, relative to the naive forecast's ... */
    double search_mse_given;      /* ... and of the kernel given */
    const volt_warning *warnings; /* [array n_warnings] */
    int64_t n_warnings;
    int64_t fitted_steps;  /* first steps with enough rows for a kernel fit: 3 h + 10 rows for step h */
    int64_t inserted_rows; /* rows inserted between the times ... */
    int64_t
        interpolated; /* ... and values interpolated or filled in at the ends of a series, also in such rows */
} volt_forecast_info;
VOLT_API volt_status volt_forecast_get_info(const volt_forecast *forecast, volt_forecast_info *info);

/* One step of one series. Errors are root mean squares over rolling forecasts, in the units of the series; NaN: unknown. */
typedef struct volt_forecast_step {
    size_t struct_size;
    double value;
    double rmse;                /* expected error */
    double kernel_share;        /* 1: kernel fit; 1/2: its mean with the last value; 0: no kernel */
    int is_change;              /* 1: the kernel learned the change from the last row; 0: the level */
    const double *member_value; /* of each volt_forecast_member; NaN: none [array m] */
    const double *member_rmse;  /* [array m] */
    /* ends of the interval of each coverage; NULL without coverages [array c] */
    const double *lower, *upper;
} volt_forecast_step;
/* Returns a step, from 0, of a series; NULL if there is none. It belongs to the forecast. */
VOLT_API const volt_forecast_step *volt_forecast_step_at(const volt_forecast *forecast, int64_t step,
                                                         int64_t series);

/* One series: root mean squared errors are over all steps. */
typedef struct volt_forecast_series {
    size_t struct_size;
    int64_t season; /* 0: none */
    double rmse;    /* expected error */
    /* mean absolute error of the rolling forecasts, relative to the (seasonal) naive forecast one step ahead in all rows */
    double mase;
    const char *ets; /* form of the exponential smoothing, such as "ETS(A,Ad,M)"; "": none */
    /* of each volt_forecast_member in the combination; 0 for the baselines [array m] */
    const double *member_weight;
    const double *member_rmse; /* [array m] */
} volt_forecast_series;
/* Returns series `series`, from 0; NULL if there is none. It belongs to the forecast. */
VOLT_API const volt_forecast_series *volt_forecast_series_at(const volt_forecast *forecast, int64_t series);

/* ---- backtest --------------------------------------------------------------------------------- */

enum { VOLT_BACKTEST_METHODS = VOLT_MEMBER_AR + 2 }; /* the forecast, then every volt_forecast_member */

/* Errors of forecasts from earlier rows. Arrays belong to the caller; NULL: not needed. */
typedef struct volt_backtest {
    size_t struct_size; /* set by the caller */
    /* NaN: the method has no forecast, or the error is undefined */
    /* mase: mean over origins of the mean absolute error, relative to that of the (seasonal) naive forecast one step ahead in
     * the rows before the origin; smape: mean of 200 |y - f| / (|y| + |f|), in percent */
    double *mase, *smape, *rmse; /* [array VOLT_BACKTEST_METHODS, k] */
    /* number of values forecast; the kernel may have no part in some steps [array VOLT_BACKTEST_METHODS, k] */
    int64_t *values;
    /* of the intervals of the forecast; NaN: none */
    double *coverage; /* share of values within the interval [array c, k] */
    double *width;    /* mean width [array c, k] */
    /* set by volt_forecast_backtest */
    const char *const *names; /* of the methods: "forecast", then the members [array VOLT_BACKTEST_METHODS] */
    int64_t steps, origins;
    int64_t first_rows; /* rows before the first origin */
    int64_t distance;   /* rows between two origins */
} volt_backtest;

/* Evaluates forecasts from `origins` earlier rows, each a complete volt_forecast_run on all rows before it (a search takes its
 * time at each of them). The last origin is `steps` rows before the end. The others are `steps` rows apart, or as far as the
 * first can have half of the rows. VOLT_ERR_ARGUMENT for too many origins; the message names the largest number. */
VOLT_API volt_status volt_forecast_backtest(volt_view series, const volt_forecast_options *options,
                                            int64_t origins, volt_backtest *result);

/* ---- forecasts of many series ----------------------------------------------------------------- */

/* Rows of many series in long format. The rows of a series are in time order; rows of different series may alternate. */
typedef struct volt_long_rows {
    size_t struct_size;
    int64_t rows;
    const char *const *ids; /* name of the series of each row [array rows] */
    /* (optional) time of each row: a date (volt_times_parse) or a number [array rows] */
    const char *const *times;
    const double *values; /* [array rows] */
    /* (optional) for messages: why a value cannot be used, such as "'x' is not a number" (entries may be NULL), the line of
     * each row in its file, and the names of the columns [array rows] */
    const char *const *faults;
    const int64_t *lines; /* [array rows] */
    const char *time_name, *value_name;
    /* (optional) names of series that have forecasts from an earlier call, and the time of the first step
     * of each [array n_done] */
    const char *const *done, *const *done_times;
    int64_t n_done;
} volt_long_rows;

/* One of the series. Pointers are valid during the callback. */
typedef struct volt_forecast_result {
    size_t struct_size;
    const char *id;
    int64_t index, count; /* number of this series, from 0 in order of first appearance, and of all series */
    int64_t rows;
    volt_status
        status; /* VOLT_OK, or why there is no forecast; VOLT_ERR_CANCELLED: not begun in many_seconds */
    const char *message;           /* the reason in words; "" with VOLT_OK [json reason] */
    int64_t done;                  /* index in `done`: not forecast again; -1: none */
    const volt_forecast *forecast; /* of one series; NULL: none. It belongs to the library */
    const char *const *times;      /* of the steps, in the form of the last row's; NULL: none [array h] */
    int is_dated;                  /* 1: `times` continue those of the rows; 0: they number the steps, from 1 */
    int64_t missing_rows;          /* rows missing between the times (1 if their number is unknown); 0: none */
} volt_forecast_result;

/* Returns 0 to continue; otherwise the call ends with VOLT_ERR_CANCELLED. */
typedef int (*volt_forecast_fn)(const volt_forecast_result *result, void *context);

/* Forecasts each series from its own rows, as volt_forecast_run does with its own season and time step. Calls `report` for
 * every series, from the calling thread and in order of first appearance. The series are divided among the threads, and each
 * forecast uses one thread, so the results do not depend on their number. At most 256 forecasts are in memory.
 *
 * A series has no forecast if a value is not finite, if its times are unreadable or do not increase, or if it has too few
 * rows; the others continue. A season above half of the rows of a series is 0 there. `step`, `separate` and `names` of the
 * options are ignored, and search_seconds apply to each series. After many_seconds no further series begins, unless none has a
 * forecast yet. A series of `done` is not forecast again if its first step has the time in done_times. VOLT_ERR_DATA if no
 * series could be forecast, with the reason of the first; VOLT_ERR_ARGUMENT, also for `known`; VOLT_ERR_KERNEL,
 * VOLT_ERR_MEMORY; VOLT_ERR_CANCELLED, after `report` received the series that are complete. */
VOLT_API volt_status volt_forecast_many(const volt_long_rows *data, const volt_forecast_options *options,
                                        volt_forecast_fn report, void *context);

#ifdef __cplusplus
}
#endif

#endif
