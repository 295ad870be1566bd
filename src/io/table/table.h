/* src/io/table/table.h: what the readers of tables share. */
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include "io/table/choose_columns.h"
#include "volterra/io.h"

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
