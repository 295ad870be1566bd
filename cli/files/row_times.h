/* cli/files/row_times.h: timestamps of rows, and their extrapolation to forecasts. */
#ifndef CLI_ROW_TIMES_H
#define CLI_ROW_TIMES_H

#include "files/inputs.h"
#include "volterra.h"

/* Checks the rows with volt_times_check and warns if they are not in order; no warnings without times. `step` is that of
 * the model; NULL: found from the rows. `last` is the time of the row before them; NaN: unknown. Returns 0, or the exit
 * status after an error message. */
int row_times_check(const dataset *data, const volt_time_step *step, volt_time last, volt_times_report *report);

/* Returns the warning with this code, or NULL. */
const volt_warning *row_times_warning(const volt_times_report *report, volt_warning_code code);

/* Warns if the training rows are not in order, or rows are missing, within each of the n_records records (0: one
 * sequence, whose order is checked too). */
int row_times_check_training(const dataset *data, const int64_t *records, int64_t n_records);

/* Writes "40 rows missing, the first between": the rows missing in all gaps (0: unknown), and the first gap. Returns `text`. */
enum { GAP_LENGTH = 64 };
const char *row_times_count(const volt_warning *gap, int64_t missing, char text[GAP_LENGTH]);

/* Rejects a file whose rows have no timestamps. `need` names the option that requires them: "--calendar". */
int row_times_require(const dataset *data, const char *need);

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
/* Sets the times of the `count` rows after the last row of the file: `given`, or extrapolated if it is NULL. */
int row_labels_after(row_labels *labels, const dataset *data, int64_t count, const volt_time *given);
void row_labels_release(row_labels *labels);

#endif
