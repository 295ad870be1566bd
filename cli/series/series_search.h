/* cli/series/series_search.h: look for a kernel that forecasts series better than the one given. */
#ifndef CLI_SERIES_SEARCH_H
#define CLI_SERIES_SEARCH_H

#include "series/series_data.h"
#include "volterra.h"

typedef struct series_search {
    const char *kernel; /* parameters that its text gives stay as they are */
    double seconds;     /* for the search and the forecast that follows it */
    uint64_t seed;
    bool alone, quiet;
} series_search;

/* Draw kernels, fit each on the first three quarters of the rows for a few of the steps, and take the one with the least
 * squared error on rows held out there, if it also does clearly better on the last quarter, which took no part. *kernel is
 * replaced then; `sentence` says what came of it in either case. Returns 0, or the exit status after saying what is
 * wrong. */
enum { SENTENCE_LENGTH = 256 };
int series_search_run(const series_search *search, const series_data *data, volt_kernel **kernel,
                      char sentence[SENTENCE_LENGTH]);

#endif
