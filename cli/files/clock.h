/* cli/files/clock.h: the time of rows in a column of numbers, such as t or "Time (s)". */
#ifndef CLI_CLOCK_H
#define CLI_CLOCK_H

#include "files/inputs.h"

/* Times of the rows of a dataset; values NULL: the file has no such column. */
typedef struct row_clock {
    char *name;
    double *values;
} row_clock;

/* Checks the times of training rows as row_times_check_training. Without dates, their clock is read from the file `path` (NULL:
 * no clock) as volt_time_columns_find finds it, with a warning of missing rows. Returns 0, or the exit status after an error
 * message. */
int clock_read(row_clock *clock, const dataset *data, const char *path, const int64_t *records,
               int64_t n_records);
void clock_release(row_clock *clock);

/* Warns of rows missing from the clock `name`, whose numbers are first[0], first[ld], ... */
void clock_warn_gap(const dataset *data, const volt_time_columns *found, const char *name, const double *first,
                    int64_t ld);

#endif
