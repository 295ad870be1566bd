/* cli/commands/classify_report.h: what a classifier is, and what it made of test series. */
#ifndef CLI_CLASSIFY_REPORT_H
#define CLI_CLASSIFY_REPORT_H

#include "files/class_names.h"

#include <stdbool.h>

/* All that a report is of. */
typedef struct classified {
    const series_pair *pair;
    const class_names *classes;
    volt_series_info info;
    int64_t *train, *test,
        *found; /* classes as numbers; test: NULL where they are not known; found: those predicted */
    volt_matrix outputs, probabilities; /* of the test series, one column a class */
} classified;

/* Warnings, then the results, then, for people, tables of the classes. Returns the exit status. */
int classify_print(const classified *result, const char *output, double seconds, bool json);

/* The predictions as a file: class, and a column of outputs for each class. */
int classify_write(const classified *result, const char *path);

#endif
