/* src/io/table/table.h: what the readers of tables share. */
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include "io/table/choose_columns.h"
#include "volterra/io.h"

/* A table of rows x cols with values not initialised and names NULL; NULL when memory is out. */
volt_table *volt_table_new(int64_t rows, int64_t cols);

/* Row `from` in the place of row `to`, with all that belongs to it. */
void volt_table_move_row(volt_table *table, int64_t from, int64_t to);

/* A table of `rows` rows with the columns that `selection` takes (see volt_choose_columns), values not initialised;
 * place[j] becomes the table's column for column j of the file, or -1. VOLT_ERR_FORMAT, VOLT_ERR_MEMORY. */
volt_status volt_table_of_columns(const volt_column_list *columns, const char *selection, int64_t rows,
                                  int64_t *place, volt_table **table);

/* The end of a reader of a binary file: hand `read` over to *table if `status`, what the reading came to, is VOLT_OK;
 * otherwise free it. Infinite values are refused, and NaN with VOLT_MISSING_ERROR; the sentence names the file, the row,
 * counted from 1, and the column. Returns `status` or VOLT_ERR_NOT_FINITE. */
volt_status volt_table_finish(volt_table *read, volt_status status, const char *path, volt_missing missing,
                              volt_table **table);

#endif
