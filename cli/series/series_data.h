/* cli/series/series_data.h: the series that are to be continued, as their file has them. */
#ifndef CLI_SERIES_DATA_H
#define CLI_SERIES_DATA_H

#include "args/options.h"
#include "files/inputs.h"
#include "files/row_times.h"
#include "volterra.h"

typedef struct series_arguments {
    const char *file, *season, *calendar;
    int64_t steps; /* 0: not given */
    row_range rows;
    int missing;
} series_arguments;

typedef struct series_data {
    dataset file;
    volt_matrix levels;   /* rows x series: what is used of the file */
    const char **names;   /* of the series, one block */
    volt_matrix calendar; /* rows x columns of the calendar; data NULL: none */
    int64_t *seasons;     /* of the series; 0: none */
    bool season_given;    /* not found in the series but said */
    int64_t steps;        /* to forecast */
    int64_t left_out;     /* rows of the file before those that are used */
    const char *clock;    /* a column that only counts the rows and is not forecast, or NULL ... */
    double clock_last, clock_step;
    const char *time_name;   /* of the column of times; NULL: not known */
    const char **time_texts; /* of the rows used and, behind them, of the steps; NULL: not known */
    row_labels dates;        /* memory of the texts, of dates ... */
    char *counts;            /* ... and of a clock */
} series_data;

/* Read, and refuse what cannot be forecast. Returns 0, or the exit status after saying what is wrong. Data that begin as
 * {0} can always be released. */
int series_read(const series_arguments *arguments, series_data *data);
void series_release(series_data *data);

/* Rows that it takes to forecast so many steps and to measure their errors. */
int64_t series_rows_for(int64_t steps);

#endif
