/* src/kernel/records.h: several sequences, one after the other, in one list of rows: each has a zero past of its own. */
#ifndef KERNEL_RECORDS_H
#define KERNEL_RECORDS_H

#include "volterra/base.h"

#include <stdbool.h>

/* One that is all zero, or NULL, says that all rows are one sequence. */
typedef struct volt_records {
    int64_t n;     /* 0: one sequence */
    int64_t *ends; /* n: the row behind the last of each record */
} volt_records;

/* From n lengths that make up `rows`; n = 0, or 1: one sequence. VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
volt_status volt_records_make(const int64_t *lengths, int64_t n, int64_t rows, volt_records *records);
void volt_records_release(volt_records *records);

/* The records of the rows from `first` on, which are counted from 0 then. */
volt_status volt_records_from(const volt_records *records, int64_t first, volt_records *rest);

/* The lengths of the records of rows first .. end - 1, *n of them, to be released with volt_free; one sequence: none.
 * VOLT_ERR_MEMORY. */
volt_status volt_records_cut(const volt_records *records, int64_t first, int64_t end, int64_t **lengths,
                             int64_t *n);

/* The number of the record that `row` belongs to, and its first row. */
int64_t volt_records_at(const volt_records *records, int64_t row);
int64_t volt_records_begin(const volt_records *records, int64_t row);

/* The end of the rows of one record from `row` on, at most `end`: steps of a loop over records. */
int64_t volt_records_stretch(const volt_records *records, int64_t row, int64_t end);

/* Is `row` the first of a record? */
bool volt_records_begins(const volt_records *records, int64_t row);

#endif
