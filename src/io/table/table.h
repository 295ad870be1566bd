/* src/io/table/table.h: what the readers and writers of tables share. */
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include "io/file/atomic_file.h"
#include "volterra/io.h"

/* A table of rows x cols with values not initialised and names NULL; NULL when memory is out. */
volt_table *volt_table_new(int64_t rows, int64_t cols);

/* ---- readers ---------------------------------------------------------------------------------- */

/* Read `columns` (NULL: all that are data) of a file. A missing value is an error with VOLT_MISSING_ERROR and
 * NaN in the table otherwise: dropping and filling in is left to volt_tables_clean. */
volt_status volt_csv_read(const char *path, const char *columns, volt_missing missing, volt_table **table);
volt_status volt_npy_read(const char *path, const char *columns, volt_missing missing, volt_table **table);
volt_status volt_mat_read(const char *path, const char *columns, volt_missing missing, volt_table **table);

/* For readers of binary files: refuse infinite values, and NaN with VOLT_MISSING_ERROR; the sentence names
 * the row, counted from 1, and the column. */
volt_status volt_table_check_values(const volt_table *table, const char *path, volt_missing missing);

/* ---- writers ---------------------------------------------------------------------------------- */

/* Append a whole file of that format. Failed writes are kept in `file` (see io/file/atomic_file.h); a status says
 * that the format or memory does not allow it. names may be NULL. */
volt_status volt_csv_write(volt_atomic_file *file, volt_view values, const char *const *names);
volt_status volt_npy_write(volt_atomic_file *file, volt_view values);
volt_status volt_mat_write(volt_atomic_file *file, volt_view values);

#endif
