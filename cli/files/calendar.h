/* cli/files/calendar.h: calendar columns, appended to the inputs of a file or a line. */
#ifndef CLI_CALENDAR_H
#define CLI_CALENDAR_H

#include "files/inputs.h"
#include "volterra.h"

#define CALENDAR_MEANING                                                                                     \
    "calendar inputs from the column of dates: minute, hour, weekday, month, yearday, separated by commas, " \
    "each as "                                                                                               \
    "a sine and a cosine"

/* Functions that return int return 0, or the exit status after an error message. */

/* Validates the list and sets the columns. `parts` may be NULL: none. scale 0: that of the inputs of calendar_add. */
int calendar_check(const char *parts, double scale, volt_calendar *wanted);

/* Appends the columns and their names to the data. `need` names the option that requires dates in an error
 * message. */
int calendar_add(volt_calendar *wanted, dataset *data, const char *need);

/* Computes the same values for one line of text, wanted->cols of them. Returns false if the line has
 * no date. *problem then completes "a date is needed, and ...". */
bool calendar_of_line(const volt_calendar *wanted, const char *line, double *row, const char **problem);

#endif
