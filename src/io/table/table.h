/* src/io/table/table.h: helpers shared by the readers of tables. */
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include "volterra/io.h"
#include "volterra/status.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- selecting columns by name, range and pattern ---------------------------------------------- */

/* The columns of a file, before any number is read. */
typedef struct volt_column_list {
    int64_t count;
    const char *const *names;
    const char *const *families; /* (optional) a name shared by several columns, which it selects together;
                                  * entries may be NULL */
    const char *const *refusals; /* (optional) why this column is not data, e.g. "is a date column"; NULL
                                  * for data columns. Patterns and ranges skip a refused column; naming it
                                  * is an error with this reason. */
    bool unnamed;                /* the names are positions */
    const char *path;            /* (optional) for warnings */
} volt_column_list;

/* Indices of the columns selected by `selection`, in the order of selection; a repeated column is kept at
 * its first position. A NULL selection takes every column that is not refused. Free *chosen with volt_free.
 * VOLT_ERR_FORMAT: an unknown name (the message suggests the nearest), an ambiguous name, a range in reverse
 * order, a pattern without match, an empty result. */
volt_status volt_choose_columns(const volt_column_list *columns, const char *selection, int64_t **chosen,
                                int64_t *n_chosen);

/* Keeps the chosen columns with these names, in the order of the names (volt_columns_match). Columns with other names
 * are used by position, with a warning to the log, and without one if they are unnamed; *narrowed is then false.
 * VOLT_ERR_FORMAT, VOLT_ERR_MEMORY. */
volt_status volt_narrow_columns(const volt_column_list *columns, const char *const *names, int64_t n_names,
                                int64_t *chosen, int64_t *n_chosen, bool *narrowed);

/* A table of rows x cols with values not initialised and names NULL; NULL when out of memory. */
volt_table *volt_table_new(int64_t rows, int64_t cols);

/* Records that the table begins at row `first` of a file with `file_rows` rows. */
void volt_table_set_first_row(volt_table *table, int64_t first, int64_t file_rows);

/* Replaces row `to` by row `from`, including its time and row number. */
void volt_table_move_row(volt_table *table, int64_t from, int64_t to);

/* Removes the fault of a row, if it has one. The table may be NULL. */
void volt_table_drop_fault(volt_table *table, int64_t row);

/* The columns selected by `selection` (see volt_choose_columns), reduced, if `narrowed`, to those named in
 * the options. Free *chosen with volt_free. */
volt_status volt_select_columns(const volt_column_list *columns, const char *selection,
                                const volt_read_options *options, int64_t **chosen, int64_t *n_chosen,
                                bool *narrowed);

/* Creates a table of `rows` rows with those columns, values not initialised; place[j] receives the table's
 * column for column j of the file, or -1. VOLT_ERR_FORMAT, VOLT_ERR_MEMORY. */
volt_status volt_table_of_columns(const volt_column_list *columns, const char *selection,
                                  const volt_read_options *options, int64_t rows, int64_t *place,
                                  volt_table **table);

/* The rows selected by the options, of the `rows` rows of the file at `path`: *count from *first on.
 * VOLT_ERR_SHAPE: outside the file, or none; the message begins with the rows. */
volt_status volt_select_rows(const volt_read_options *options, int64_t rows, const char *path, int64_t *first,
                             int64_t *count);

/* Keeps those rows, of a table with all rows. */
volt_status volt_table_keep_rows(volt_table *table, const volt_read_options *options, const char *path);

/* The last step of a reader of a binary file: moves `read`, which has the selected rows, to *table if
 * `status`, the result of reading, is VOLT_OK; otherwise frees it. Rejects infinite values, and NaN with
 * VOLT_MISSING_ERROR; the message names the file, the row, counted from 1, and the column. Returns `status`
 * or VOLT_ERR_NOT_FINITE. */
volt_status volt_table_finish(volt_table *read, volt_status status, const char *path,
                              const volt_read_options *options, volt_table **table);

#endif
