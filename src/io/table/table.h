/* src/io/table/table.h: what the readers of tables share. */
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include "volterra/io.h"

/* A table of rows x cols with values not initialised and names NULL; NULL when memory is out. */
volt_table *volt_table_new(int64_t rows, int64_t cols);

/* For readers of binary files: refuse infinite values, and NaN with VOLT_MISSING_ERROR; the sentence names
 * the row, counted from 1, and the column. */
volt_status volt_table_check_values(const volt_table *table, const char *path, volt_missing missing);

#endif
