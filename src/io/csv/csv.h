/* src/io/csv/csv.h: tables from and to CSV files. */
#ifndef IO_CSV_H
#define IO_CSV_H

#include "io/file/atomic_file.h"
#include "volterra/io.h"

/* Read `columns` (NULL: all that are data) of a file, and of those what `options` ask for. A missing value is an error with
 * VOLT_MISSING_ERROR and NaN in the table otherwise: dropping and filling in is left to volt_tables_clean. */
volt_status volt_csv_read(const char *path, const char *columns, const volt_read_options *options,
                          volt_table **table);

/* Append a whole file to `file`, which keeps failed writes (see io/file/atomic_file.h); a status says that memory is out. names may be NULL, and so may labels, a first column of texts called label_name. */
volt_status volt_csv_write(volt_atomic_file *file, volt_view values, const char *const *names,
                           const char *label_name, const char *const *labels);

#endif
