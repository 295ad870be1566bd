/* src/task/forecast_season.h: the season of a series that is forecast. */
#ifndef TASK_FORECAST_SEASON_H
#define TASK_FORECAST_SEASON_H

#include "volterra/io.h"

#include <stdbool.h>

/* Finds the season of n values: the best of the periods that the calendar suggests for rows `step` apart (an hour: a
 * day and a week; a day: a week; a week: a year; a month: a year; a quarter: a year), if the series repeats itself
 * after that period; otherwise the season of the autocorrelations (volt_season_find). 0: none. VOLT_ERR_MEMORY. */
volt_status volt_forecast_season(const double *y, int64_t n, volt_time_step step, int64_t *season);

/* The season of several series in one fit, independent of their order: the most frequent one, the shortest of several; 0: none
 * has a season. */
int64_t volt_forecast_common_season(const int64_t *seasons, int64_t count);

/* Whether a season is a period of the calendar for rows `step` apart. */
bool volt_forecast_is_calendar(volt_time_step step, int64_t season);

/* The shortest period of the calendar for rows `step` apart, in rows; 0: none. */
int64_t volt_forecast_calendar(volt_time_step step);

#endif
