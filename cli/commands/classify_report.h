/* cli/commands/classify_report.h: reports a classifier and its predictions for test series. */
#ifndef CLI_CLASSIFY_REPORT_H
#define CLI_CLASSIFY_REPORT_H

#include "files/class_names.h"

#include <stdbool.h>

/* Input of a report. */
typedef struct classified {
    const series_pair *pair;
    const class_names *classes;
    volt_series_info info;
    int64_t *train, *test,
        *found; /* class numbers; test: NULL if the test classes are unknown; found: predicted classes */
    volt_matrix outputs, probabilities; /* of the test series, one column per class */
} classified;

/* Prints warnings and results, then, in text output, tables of the classes. Returns the exit status. */
int classify_print(const classified *result, const char *output, double seconds, bool json);

/* Writes the predictions to a file: class, and one output column per class. */
int classify_write(const classified *result, const char *path);

#endif
