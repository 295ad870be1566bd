/* cli/series/series_resume.h: forecasts of many series that an earlier run has written. */
#ifndef CLI_SERIES_RESUME_H
#define CLI_SERIES_RESUME_H

#include <stdint.h>
#include <stdio.h>

typedef struct earlier_forecasts {
    char *text; /* of the file */
    int64_t count;
    char **cells;       /* owns `ids` and `times` */
    const char **ids;   /* of the series ... */
    const char **times; /* ... and of its first step */
    int64_t *begin;     /* count + 1: where the lines of each series begin in `text` */
} earlier_forecasts;

/* Reads the forecasts in `path` that a run with this header, these options and the data of `source` would write again. None,
 * with a warning, if the header or the options differ or the file is older than `source`; none if there is no file. Returns 0,
 * or the exit status after an error message. Release in any case. */
int earlier_read(const char *path, const char *source, const char *header, const char *options,
                 earlier_forecasts *earlier);
void earlier_release(earlier_forecasts *earlier);

/* Copies the lines of a series. */
void earlier_print(const earlier_forecasts *earlier, int64_t series, FILE *out);

/* Writes forecasts to `path`, and next to them in PATH.options the options, one on each line. Returns the exit status. */
int earlier_write(const char *path, const char *text, const char *options);

#endif
