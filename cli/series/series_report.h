/* cli/series/series_report.h: a forecast of series as a file and as a report. */
#ifndef CLI_SERIES_REPORT_H
#define CLI_SERIES_REPORT_H

#include "args/options.h"
#include "files/inputs.h"
#include "files/row_times.h"
#include "volterra.h"

/* ---- the series of a file, and the times of their rows ----------------------------------------- */

typedef struct series_arguments {
    const char *file, *season, *calendar;
    int64_t steps; /* 0: not given */
    row_range rows;
    int missing;
} series_arguments;

typedef struct series_data {
    dataset file;
    volt_matrix levels;   /* rows x series */
    const char **names;   /* of the series, one block */
    volt_matrix calendar; /* rows x columns of the calendar; data NULL: none */
    int64_t season;       /* --season: rows, 0 or VOLT_SEASON_AUTO */
    const char *clock;    /* a column that only counts the rows and is not forecast, or NULL ... */
    double clock_last, clock_step;
    const char *time_name;   /* of the column of times; NULL: not known */
    const char **time_texts; /* of the rows and, after them, of the steps; NULL: not known */
    row_labels dates;        /* memory of the texts, of dates ... */
    char *counts;            /* ... and of a clock */
} series_data;

/* Both return 0, or the exit status after an error message. Data that begin as {0} can always be released. */
int series_read(const series_arguments *arguments, series_data *data);
void series_release(series_data *data);

/* Fills in the times of the rows and of `steps` further ones. */
int series_find_times(series_data *data, int64_t steps);

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
