/* src/task/forecast_search.h: search the parameters of a kernel for a forecast of series. */
#ifndef TASK_FORECAST_SEARCH_H
#define TASK_FORECAST_SEARCH_H

#include "task/forecast_group.h"
#include "volterra/task.h"

/* Draws candidates from options->kernel for about options->search_seconds, the forecast that follows included. Each is
 * fitted on the first three quarters of the rows for at most three of the steps, and scored by its held-out errors there.
 * The best replaces *kernel if it is also clearly better on the last quarter. The search fields of `info` describe what
 * happened. */
volt_status volt_forecast_search_run(const forecast_data *data, const volt_forecast_options *options,
                                     volt_kernel **kernel, volt_forecast_info *info);

#endif
