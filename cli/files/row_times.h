/* cli/files/row_times.h: the times of a file's rows: looked at, and carried on to the rows that a forecast is for. */
#ifndef CLI_ROW_TIMES_H
#define CLI_ROW_TIMES_H

#include "files/inputs.h"
#include "volterra.h"

/* Do the rows follow each other in time? Warns, in one line, when they do not; rows without times do. */
bool row_times_warn_order(const dataset *data);

/* Equal to a millisecond. */
bool row_times_are_same(volt_time a, volt_time b);

/* Refuse a file whose rows have no moments in time; `need` says what for: "--calendar". */
int row_times_require(const dataset *data, const char *need);

/* How the rows of a forecast and of the truth belong together by their times: "by their times: --truth-rows 80: --pred-rows
 * :20"; where the times do not say, that those options choose rows. Returns `text`. */
enum { PAIRING_LENGTH = 160 };
const char *row_times_pairing(const dataset *truth, const dataset *forecast, char text[PAIRING_LENGTH]);

/* Warn, in one line, when rows that are compared are of different times. */
void row_times_warn_pairs(const dataset *truth, const dataset *forecast);

/* The step of the file's own rows; all zero: not known. */
int row_times_step(const dataset *data, volt_time_step *step);

/* A first column of texts beside the rows of a matrix. */
typedef struct row_labels {
    const char *name;   /* NULL: there is none */
    const char **texts; /* one for every row */
    char *made;         /* memory of texts that were made up */
} row_labels;

/* The time that each row's forecast is for, `ahead` rows later: that of the file's own row where it has it, otherwise
 * counted on with the `step` of the model or else of the file. A file with times that cannot be carried on gives none,
 * and a warning that says why. Labels that begin as {0} can always be released. */
int row_labels_of_targets(row_labels *labels, const dataset *data, int64_t ahead, volt_time_step step);
/* The times of the `count` rows that follow the last one of the file, in the same way. */
int row_labels_after(row_labels *labels, const dataset *data, int64_t count, volt_time_step step);
void row_labels_release(row_labels *labels);

#endif
