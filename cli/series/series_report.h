/* cli/series/series_report.h: writes a forecast of series as a file and as a report. */
#ifndef CLI_SERIES_REPORT_H
#define CLI_SERIES_REPORT_H

#include "args/options.h"
#include "files/inputs.h"
#include "files/row_times.h"
#include "volterra.h"

/* ---- the series of a file and the times of their rows ------------------------------------------ */

typedef struct series_arguments {
    const char *file, *season, *calendar;
    const char *x, *future; /* columns of further inputs, and the file of their future values */
    int64_t steps;          /* 0: not given */
    row_range rows;
    int missing;
} series_arguments;

enum { SOURCE_LENGTH = 4096 }; /* of PATH:COLUMNS */

typedef struct series_data {
    dataset file;
    volt_matrix levels;      /* rows x series */
    const char **names;      /* names of the series, one block */
    dataset inputs;          /* --x */
    volt_matrix future;      /* values of its columns in the rows to forecast; data NULL: unknown */
    volt_time *future_times; /* their times; NULL: unknown */
    volt_matrix known;       /* inputs of the rows, and of those after them if all are known; data NULL: none */
    int64_t levels_rows;     /* rows with a target, before any are dropped */
    int64_t missing;         /* rows missing between the times; 0: none or unknown */
    int64_t steps;           /* number of steps; 0: the default */
    int64_t season;          /* --season: rows, 0 or VOLT_SEASON_AUTO */
    volt_time_step step;     /* time between two rows; all zero: unknown */
    volt_time_columns times; /* columns of the file that are times, which are not forecast */
    const char *time_name;   /* name of the time column; NULL: unknown */
    const char **time_texts; /* times of the rows, then of the steps; NULL: unknown */
    row_labels dates;        /* storage for date texts */
    char *counts;            /* storage for counter texts */
    char input_source[SOURCE_LENGTH];
} series_data;

/* Both return 0, or the exit status after an error message. Data initialised to {0} can always be released. */
int series_read(const series_arguments *arguments, series_data *data);
void series_release(series_data *data);

/* Fills in the times of the rows and of the next `steps` rows. */
int series_find_times(series_data *data, int64_t steps);

typedef struct series_outcome {
    const series_data *data;
    const volt_forecast *forecast;
    volt_forecast_info info;
    const char *output, *plot; /* files written, or NULL */
    const double *coverages;   /* n_coverages, of the intervals */
    int64_t n_coverages;
    bool alone;
} series_outcome;

/* Writes the forecast as CSV. The first column is the time if known, otherwise the step. Each series has its
 * values, the expected root mean squared error NAME.error, and intervals NAME.lo80, NAME.hi80. */
int series_write(const char *path, const series_outcome *outcome);

/* Prints the report to standard output as text or JSON. Both functions return the exit status, after an error
 * message. */
int series_report(const series_outcome *outcome, bool json);

#endif
