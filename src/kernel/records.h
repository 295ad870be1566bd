/* src/kernel/records.h: several sequences (records) in one list of rows. Each starts from a zero initial
 * state. */
#ifndef KERNEL_RECORDS_H
#define KERNEL_RECORDS_H

#include "volterra/base.h"

#include <stdbool.h>

/* A zeroed struct, or NULL, means one sequence. */
typedef struct volt_records {
    int64_t n;     /* 0: one sequence */
    int64_t *ends; /* n: the end of each record (exclusive) */
} volt_records;

/* From n lengths that add up to `rows`; n = 0, or 1: one sequence. VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
volt_status volt_records_make(const int64_t *lengths, int64_t n, int64_t rows, volt_records *records);
void volt_records_release(volt_records *records);

/* The records of the rows from `first` on, renumbered from 0. */
volt_status volt_records_from(const volt_records *records, int64_t first, volt_records *rest);

/* The lengths of the records of rows first .. end - 1, *n of them; free them with volt_free. None for one
 * sequence. VOLT_ERR_MEMORY. */
volt_status volt_records_slice(const volt_records *records, int64_t first, int64_t end, int64_t **lengths,
                               int64_t *n);

/* The index of the record of `row`; and its first row. */
int64_t volt_records_at(const volt_records *records, int64_t row);
int64_t volt_records_begin(const volt_records *records, int64_t row);

/* The end of the record of `row`, at most `end`, for loops over records. */
int64_t volt_records_segment_end(const volt_records *records, int64_t row, int64_t end);

/* Sets marked[i] for the first `count` rows of every record of `rows` rows. */
void volt_records_mark_starts(const volt_records *records, int64_t rows, int64_t count, bool *marked);

/* Returns whether `row` is the first of a record. */
bool volt_records_begins(const volt_records *records, int64_t row);

#endif
