/* src/io/table/table.h: what the readers of tables share. */
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include "volterra/io.h"
#include "volterra/status.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- choosing columns by name, range and pattern ----------------------------------------------- */

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

/* A table of rows x cols with values not initialised and names NULL; NULL when memory is out. */
volt_table *volt_table_new(int64_t rows, int64_t cols);

/* The rows of the table are those from row `first` of the file on, which has `file_rows`. */
void volt_table_begins_at(volt_table *table, int64_t first, int64_t file_rows);

/* Row `from` in the place of row `to`, with all that belongs to it. */
void volt_table_move_row(volt_table *table, int64_t from, int64_t to);

/* The columns that `selection` takes (see volt_choose_columns), or of them, when they are `narrowed`, those whose names the
 * options ask for. Free *chosen with volt_free. */
volt_status volt_ask_columns(const volt_column_list *columns, const char *selection,
                             const volt_read_options *options, int64_t **chosen, int64_t *n_chosen,
                             bool *narrowed);

/* A table of `rows` rows with those columns, values not initialised; place[j] becomes the table's column for column j of
 * the file, or -1. VOLT_ERR_FORMAT, VOLT_ERR_MEMORY. */
volt_status volt_table_of_columns(const volt_column_list *columns, const char *selection,
                                  const volt_read_options *options, int64_t rows, int64_t *place,
                                  volt_table **table);

/* The rows that the options ask for, of the `rows` of the file at `path`: *count from *first on. VOLT_ERR_SHAPE: they
 * reach beyond the file, or are none; the sentence begins with the rows. */
volt_status volt_ask_rows(const volt_read_options *options, int64_t rows, const char *path, int64_t *first,
                          int64_t *count);

/* Keep those rows, of a table that has them all. */
volt_status volt_table_keep_rows(volt_table *table, const volt_read_options *options, const char *path);

/* The end of a reader of a binary file: hand `read`, which has the rows asked for, over to *table if `status`, what the
 * reading came to, is VOLT_OK; otherwise free it. Infinite values are refused, and NaN with VOLT_MISSING_ERROR; the sentence names the file, the row,
 * counted from 1, and the column. Returns `status` or VOLT_ERR_NOT_FINITE. */
volt_status volt_table_finish(volt_table *read, volt_status status, const char *path,
                              const volt_read_options *options, volt_table **table);

#endif
