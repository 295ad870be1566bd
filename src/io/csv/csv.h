/* src/io/csv/csv.h: tables from and to CSV files. */
#ifndef IO_CSV_H
#define IO_CSV_H

#include "io/file/atomic_file.h"
#include "volterra/io.h"

/* Read `columns` (NULL: all that are data) of a file, and of those what `options` ask for. A missing value is an error with
 * VOLT_MISSING_ERROR and NaN in the table otherwise: dropping and filling in is left to volt_tables_clean. */
volt_status volt_csv_read(const char *path, const char *columns, const volt_read_options *options,
                          volt_table **table);

/* Append the header to `file`, which keeps failed writes (see io/file/atomic_file.h), and then rows, in as many pieces as there
 * are. names may be NULL; label_name, NULL without labels, is that of a first column of texts. */
void volt_csv_write_header(volt_atomic_file *file, int64_t cols, const char *const *names,
                           const char *label_name);
void volt_csv_write_rows(volt_atomic_file *file, volt_view values, const char *const *labels);

#endif
