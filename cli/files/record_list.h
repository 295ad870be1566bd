/* cli/files/record_list.h: which record the rows of a file belong to (--series). */
#ifndef CLI_RECORD_LIST_H
#define CLI_RECORD_LIST_H

#include "files/inputs.h"

#define SERIES_MEANING                                                                                    \
    "column of record names, the rows of a record together (without :COLUMN, the column 'series'); each " \
    "record "                                                                                             \
    "has its own state"

typedef struct record_list {
    int64_t n;           /* records; 0: the option was not given */
    int64_t *lengths;    /* n: rows of each ... */
    const char **names;  /* ... and its name */
    const char **of_row; /* the name of every row's record */
    char **texts;        /* memory of the names */
} record_list;

/* Both return as those of inputs.h. The rows are those of `data`, whatever was left out of its file. A `source` of NULL
 * gives a list of none. */
int record_list_read(record_list *list, const char *source, const dataset *data);
void record_list_release(record_list *list);

/* How to read the data before its records are known: values are interpolated within a record, by record_list_fill. */
volt_missing record_list_policy(const char *source, volt_missing missing);
/* Fill in the values that were kept for that. `second` belongs to `first` row by row, and may be NULL. */
int record_list_fill(const record_list *list, dataset *first, dataset *second, volt_missing missing);

#endif
