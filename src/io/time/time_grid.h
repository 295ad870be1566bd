/* src/io/time/time_grid.h: the step of times of rows, and rows missing from them.
 *
 * A grid is lenient: more than half of the rows are near its times. Its step is a fixed number of seconds (the median), or
 * calendar months from 27 days on. Weekdays that do not occur (weekends) are closed, and a closure every night (trading
 * hours) is not a gap. Without rows at some hours between rows of the same day
 * there is no grid. With closed weekdays and a step of one day, up to two missing days are a holiday. */
#ifndef IO_TIME_GRID_H
#define IO_TIME_GRID_H

#include "volterra/io.h"

/* Finds the grid of times in order; step zero: fewer than 3 rows, or no step that most rows have. VOLT_ERR_MEMORY. */
volt_status volt_time_grid_find(const volt_time *times, int64_t n, volt_time_grid *grid);

/* The number of rows missing between two consecutive rows of the grid; 0: none, or an unknown step. */
int64_t volt_time_grid_missing(const volt_time_grid *grid, volt_time before, volt_time after);

/* Whether a local clock without a time zone was put back by an hour before a row: the row is one step after the row before it
 * on the clock that was not put back, and its time is from Saturday 23:00 to Sunday 4:00. */
int volt_time_is_put_back(volt_time_step step, volt_time before, volt_time after);

/* Number of steps from one moment to another, on the local clock if the step has days, months or closed weekdays. */
double volt_time_steps_between(volt_time_step step, double before, double after);

/* Number of days from `first` to `last`, both included, whose weekday is not closed. */
int64_t volt_open_days(int closed, int64_t first, int64_t last);

/* Finds the rows of two sequences with the same times: partner[i] is the row of `second` with the time of row i of `first`, or -1.
 * Sequences with the same times are matched row by row. Otherwise both must increase. VOLT_ERR_DATA if they do not, or have no
 * time in common; the message has the times. */
volt_status volt_times_match(const volt_time *first, int64_t n_first, const volt_time *second, int64_t n_second,
                             int64_t *partner);

/* Returns the first row that is not later than the row before it; n: none. A local clock without a time zone may be put back by
 * an hour on a Sunday night: rows of a step of at most an hour are then in order. */
int64_t volt_times_disorder(const volt_time *times, int64_t n, volt_time_step step);

#endif
