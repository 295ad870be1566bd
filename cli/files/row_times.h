/* cli/files/row_times.h: timestamps of rows, and their extrapolation to forecasts. */
#ifndef CLI_ROW_TIMES_H
#define CLI_ROW_TIMES_H

#include "files/inputs.h"
#include "volterra.h"

/* Returns whether the times increase. Warns if not. Rows without times count as ordered. */
bool row_times_warn_order(const dataset *data);

/* Returns whether two times are equal to a millisecond. */
bool row_times_are_same(volt_time a, volt_time b);

/* Rejects a file whose rows have no timestamps. `need` names the option that requires them: "--calendar". */
int row_times_require(const dataset *data, const char *need);

/* Describes how to match forecast and truth by time: "by their times: --truth-rows 80: --pred-rows :20". If
 * the times do not match, mentions only the options. Returns `text`. */
enum { PAIRING_LENGTH = 160 };
const char *row_times_pairing(const dataset *truth, const dataset *forecast, char text[PAIRING_LENGTH]);

/* Warns if compared rows have different times. */
void row_times_warn_pairs(const dataset *truth, const dataset *forecast);

/* Determines the time step of the file's rows; all zero: unknown. */
int row_times_step(const dataset *data, volt_time_step *step);

/* A leading text column for the rows of a matrix. */
typedef struct row_labels {
    const char *name;   /* NULL: no column */
    const char **texts; /* one per row */
    char *made;         /* memory of generated texts */
} row_labels;

/* Sets the target time of each row's forecast, `ahead` rows later. Times after the last row are extrapolated
 * with the `step` of the model, or else of the file. If extrapolation is impossible, warns and sets no
 * labels. Labels initialised with {0} can always be released. */
int row_labels_of_targets(row_labels *labels, const dataset *data, int64_t ahead, volt_time_step step);
/* Sets the extrapolated times of the `count` rows after the last row of the file. */
int row_labels_after(row_labels *labels, const dataset *data, int64_t count, volt_time_step step);
void row_labels_release(row_labels *labels);

#endif
