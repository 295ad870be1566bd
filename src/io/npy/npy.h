/* src/io/npy/npy.h: tables from and to NPY files. */
#ifndef IO_NPY_H
#define IO_NPY_H

#include "io/file/atomic_file.h"
#include "volterra/io.h"

/* Read `columns` (NULL: all that are data) of a file, and of those what `options` ask for. A missing value is an error with
 * VOLT_MISSING_ERROR and NaN in the table otherwise: dropping and filling in is left to volt_tables_clean. */
volt_status volt_npy_read(const char *path, const char *columns, const volt_read_options *options,
                          volt_table **table);

/* Append the header of so many rows to `file`, which keeps failed writes (see io/file/atomic_file.h), and then the rows, in as
 * many pieces as there are. */
void volt_npy_write_header(volt_atomic_file *file, int64_t rows, int64_t cols);
void volt_npy_write_rows(volt_atomic_file *file, volt_view values);

#endif
