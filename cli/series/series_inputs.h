/* cli/series/series_inputs.h: further inputs of a forecast: columns of the file, their future values, the calendar. */
#ifndef CLI_SERIES_INPUTS_H
#define CLI_SERIES_INPUTS_H

#include "series/series_report.h"

#include <stdbool.h>

/* Functions that return int return 0, or the exit status after an error message. */

/* Reads the rows of the series and, with --x, of the inputs and their future values. */
int series_read_rows(const series_arguments *arguments, series_data *data);

/* Returns whether a column of the file is an input of --x. */
bool series_is_input(const series_data *data, const char *name);

/* Sets the known inputs and the number of steps, after the series and the step of their times. */
int series_find_inputs(const series_arguments *arguments, series_data *data);

#endif
