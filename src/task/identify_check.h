/* src/task/identify_check.h: data check of an identification, and its choice of rows. */
#ifndef TASK_IDENTIFY_CHECK_H
#define TASK_IDENTIFY_CHECK_H

#include "kernel/records.h"
#include "volterra/identify.h"

enum { VOLT_IDENTIFY_LONG = 40 }; /* rows of a record for its frequencies, drift and direction */

/* Appends a warning to the result, unless it is full. */
void volt_identify_warn(volt_identification *found, volt_warning warning);

/* Rejects constant outputs and inputs. Fills the data check and its warnings, which do not depend on the units of the columns. U and Y are the training rows;
 * `records` may have more rows. The times of the rows are those of the options, from row `first` on. */
volt_status volt_identify_check(volt_view U, volt_view Y, const volt_records *records,
                                const volt_identify_options *options, int64_t first, volt_progress progress,
                                volt_identification *found);

/* The part of it about the response of the outputs (identify_response.c): dead time in all records; direction and nonlinearity in
 * the longest one, `rows` rows from row `begin` on. If that has fewer than VOLT_IDENTIFY_LONG rows, the direction is not tested,
 * and nonlinearity is that of models of several records. */
volt_status volt_identify_response(volt_view U, volt_view Y, const volt_records *records, int64_t begin,
                                   int64_t rows, volt_progress progress, volt_identification *found);

double volt_column_mean(volt_view rows, int64_t column);
double volt_column_variance(volt_view rows, int64_t column); /* population variance */
double volt_column_range(volt_view rows, int64_t column);

/* Returns the first row of the stretch of `count` rows with the largest product, over all columns, of the range
 * within the stretch relative to the range of all rows; of equal ones the last. *product (may be NULL) receives
 * it. Stretches begin an eighth of their length apart, counted from the end. */
int64_t volt_identify_stretch(volt_view U, volt_view Y, int64_t count, double *product);

/* Returns the same product for the rows first .. first + count - 1. */
double volt_identify_coverage(volt_view U, volt_view Y, int64_t first, int64_t count);

#endif
