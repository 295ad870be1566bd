/* cli/series/series_many.h: forecasts of the many series of a file in long format. */
#ifndef CLI_SERIES_MANY_H
#define CLI_SERIES_MANY_H

#include "args/options.h"
#include "volterra.h"

#include <limits.h>

/* Columns of a file in long format. */
typedef struct long_source {
    char path[PATH_MAX]; /* "": not a file in long format */
    const char *id, *value;
    bool has_ds; /* the times are in column ds; otherwise in the file's column of dates, if any */
} long_source;

/* Finds the columns: those of `id` (--id; NULL: not given), or unique_id, ds and y if the file has all three. Returns 0,
 * or the exit status after an error message. */
int long_source_find(const char *source, const char *id, long_source *found);

typedef struct many_request {
    const long_source *source;
    volt_missing
        missing; /* VOLT_MISSING_KEEP: a series with a missing value has no forecast; VOLT_MISSING_DROP */
    volt_forecast_options options;
    const double *coverages; /* n_coverages, of the columns of intervals */
    int64_t n_coverages;
    const char *output; /* NULL: none */
    bool resume;        /* keep the forecasts that an earlier run has written to `output` */
    bool json, quiet;
} many_request;

/* Forecasts every series, writes the forecasts (during a long run also those so far) and prints a summary. Returns the exit
 * status: 0 if at least one series has a forecast. */
int many_run(const many_request *request);

#endif
