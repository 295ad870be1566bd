/* cli/files/record_list.h: assignment of rows to records (--series). */
#ifndef CLI_RECORD_LIST_H
#define CLI_RECORD_LIST_H

#include "files/inputs.h"

#define SERIES_MEANING                                                                                    \
    "column of record names, the rows of a record together (without :COLUMN, the column 'series'); each " \
    "record "                                                                                             \
    "has its own state"

typedef struct record_list {
    int64_t n;           /* number of records; 0: option not given */
    int64_t *lengths;    /* n: rows of each record */
    const char **names;  /* n: name of each record */
    const char **of_row; /* record name of every row */
    char **texts;        /* memory of the names */
    dataset file;        /* rows of their file; not read: option not given */
} record_list;

/* Functions that return int return 0, or the exit status after an error message. A `source` of NULL gives an empty list. */

/* Reads the names of the records of the rows of `data`. Then align list->file with the data, and find the records. */
int record_list_open(record_list *list, const char *source, const dataset *data);
/* Finds the records of aligned rows. The list has one entry per row of `data`. */
int record_list_find(record_list *list, const dataset *data);
/* Both, for one dataset, or two with the same rows; `second` may be NULL. */
int record_list_read(record_list *list, const char *source, dataset *data, dataset *second);
void record_list_release(record_list *list);

/* Returns the policy for reading data before its records are known. record_list_fill later interpolates
 * within each record. */
volt_missing record_list_policy(const char *source, volt_missing missing);
/* Fills the missing values that were kept. `second` has the same rows as `first` and may be NULL. */
int record_list_fill(const record_list *list, dataset *first, dataset *second, volt_missing missing);

#endif
