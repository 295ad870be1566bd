/* cli/files/calendar.h: columns of the calendar beside the inputs of a file or of a line. */
#ifndef CLI_CALENDAR_H
#define CLI_CALENDAR_H

#include "files/inputs.h"
#include "volterra.h"

#define CALENDAR_MEANING                                                                                     \
    "calendar inputs from the column of dates: minute, hour, weekday, month, yearday, separated by commas, " \
    "each as "                                                                                               \
    "a sine and a cosine"

/* What is added to the inputs; parts NULL: nothing. */
typedef struct calendar {
    const char *parts; /* "hour,weekday" */
    volt_calendar columns;
    double scale; /* of the sines and cosines */
} calendar;

/* Every function returns 0, or the exit status after saying what is wrong. */

/* Is the list one of a calendar? Sets `columns`; parts may be NULL. */
int calendar_check(const char *parts, calendar *wanted);

/* The scale that gives a sine the spread of the columns of X: inputs are scaled by one number all together, and columns of
 * 1 would drown beside loads of 30000. 1 for columns that never move. */
double calendar_scale(volt_view X);

/* Put the columns, with their names, behind those of the data; `need` names what wants dates in an error. */
int calendar_add(const calendar *wanted, dataset *data, const char *need);

/* The same numbers of one line of text, wanted->columns.cols of them. False when it holds no date; *problem then goes on: "a date is
 * needed, and ...". */
bool calendar_of_line(const calendar *wanted, const char *line, double *row, const char **problem);

#endif
