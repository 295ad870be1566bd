/* src/io/table/choose_columns.h: choosing columns by name, range and pattern. */
#ifndef IO_CHOOSE_COLUMNS_H
#define IO_CHOOSE_COLUMNS_H

#include "volterra/status.h"

#include <stdbool.h>
#include <stdint.h>

/* The columns of a file, before any number is read. */
typedef struct volt_column_list {
    int64_t count;
    const char *const *names;
    const char *const *families; /* (optional) a name that stands for all columns that share it; entries may
                                  * be NULL */
    const char *const *refusals; /* (optional) why this column cannot be data, e.g. "is a date column"; NULL
                                  * for columns that can. Patterns and ranges pass over a refused column;
                                  * naming it is an error with this reason. */
} volt_column_list;

/* Indices of the columns that `selection` asks for, in the order asked; a column that is asked for again
 * is kept at its first place. A NULL selection asks for every column that is not refused. Free *chosen with
 * volt_free. VOLT_ERR_FORMAT: an unknown name (the sentence has the nearest), a name that two columns
 * share, a range that runs backwards, a pattern that matches nothing, nothing left. */
volt_status volt_choose_columns(const volt_column_list *columns, const char *selection, int64_t **chosen,
                                int64_t *n_chosen);

/* Of the chosen columns keep those of these names, in the order of the names, if all of them are there (a name that is
 * given twice stands for two columns); otherwise `chosen` stays as it is. VOLT_ERR_MEMORY. */
volt_status volt_narrow_columns(const volt_column_list *columns, const char *const *names, int64_t n_names,
                                int64_t *chosen, int64_t *n_chosen, bool *narrowed);

#endif
