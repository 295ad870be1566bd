/* cli/series/series_report.h: a forecast of series as a file and as a report. */
#ifndef CLI_SERIES_REPORT_H
#define CLI_SERIES_REPORT_H

#include "series/series_data.h"

typedef struct series_outcome {
    const series_data *data;
    const volt_forecast *forecast;
    volt_forecast_info info;
    const char *output, *plot; /* files that were written, or NULL */
    bool alone;
} series_outcome;

/* The forecast as CSV: the time where it is known (otherwise the step), then for every series its values and, as
 * NAME.error, the root mean square error of that step on held-out rows. */
int series_write(const char *path, const series_outcome *outcome);

/* Prints to standard output, as text or JSON. Both functions return the exit status, after an error message. */
int series_report(const series_outcome *outcome, bool json);

#endif
