/* cli/files/clock.h: the time of rows in a column of numbers, such as t or "Time (s)". */
#ifndef CLI_CLOCK_H
#define CLI_CLOCK_H

#include "files/inputs.h"

/* Times of the rows of a dataset; values NULL: the file has no such column. */
typedef struct row_clock {
    char *name;
    double *values;
} row_clock;

/* Checks the times of training rows as row_times_check_training. Without dates, their clock is read and checked: the column
 * t, time, timestamp or date, with or without a unit in brackets, of the CSV file `path` (NULL: no clock). Columns that are
 * not increasing numbers are ignored. Returns 0, or the exit status after an error message. */
int clock_read(row_clock *clock, const dataset *data, const char *path, const int64_t *records,
               int64_t n_records);
void clock_release(row_clock *clock);

#endif
