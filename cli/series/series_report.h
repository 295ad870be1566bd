/* cli/series/series_report.h: what became of a forecast of series, as a file and as a report. */
#ifndef CLI_SERIES_REPORT_H
#define CLI_SERIES_REPORT_H

#include "series/series_forecast.h"

/* The forecast as CSV: the time where it is known (otherwise the step), then for every series its values and, as
 * NAME.error, the root mean square error of that step on held-out rows. */
int series_write(const char *path, const series_data *data, const series_forecast *forecast);

typedef struct series_outcome {
    const series_data *data;
    const series_forecast *forecast;
    const char *kernel;        /* its full text */
    const char *search;        /* (optional) a sentence: what the search for it came to */
    const char *output, *plot; /* files that were written, or NULL */
    bool alone;
} series_outcome;

/* On standard output, for people or as JSON. Both return the exit status after saying what is wrong. */
int series_report(const series_outcome *outcome, bool json);

#endif
