/* cli/files/calendar.h: calendar columns, appended to the inputs of a file or a line. */
#ifndef CLI_CALENDAR_H
#define CLI_CALENDAR_H

#include "files/inputs.h"
#include "volterra.h"

#define CALENDAR_MEANING                                                                                     \
    "calendar inputs from the column of dates: minute, hour, weekday, month, yearday, separated by commas, " \
    "each as "                                                                                               \
    "a sine and a cosine"

/* Calendar columns to add; parts NULL: none. */
typedef struct calendar {
    const char *parts; /* "hour,weekday" */
    volt_calendar columns;
    double scale; /* amplitude of the sines and cosines */
} calendar;

/* Functions that return int return 0, or the exit status after an error message. */

/* Validates the list and sets `columns`. `parts` may be NULL. */
int calendar_check(const char *parts, calendar *wanted);

/* Returns the amplitude that gives a sine the standard deviation of the columns of X, or 1 for constant
 * columns. All inputs share one scale, so columns of amplitude 1 would be negligible next to loads of 30000. */
double calendar_scale(volt_view X);

/* Appends the columns and their names to the data. `need` names the option that requires dates in an error
 * message. */
int calendar_add(const calendar *wanted, dataset *data, const char *need);

/* Computes the same values for one line of text, wanted->columns.cols of them. Returns false if the line has
 * no date. *problem then completes "a date is needed, and ...". */
bool calendar_of_line(const calendar *wanted, const char *line, double *row, const char **problem);

#endif
