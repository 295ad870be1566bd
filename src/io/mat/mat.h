/* src/io/mat/mat.h: tables from and to MATLAB files. */
#ifndef IO_MAT_H
#define IO_MAT_H

#include "io/file/atomic_file.h"
#include "volterra/io.h"
#include "volterra/status.h"

#include <stdint.h>

/* Reads `columns` (NULL: all data columns) of a file, restricted by `options`. A missing value is an error
 * with VOLT_MISSING_ERROR and otherwise NaN in the table; volt_tables_clean drops or fills them. */
volt_status volt_mat_read(const char *path, const char *columns, const volt_read_options *options,
                          volt_table **table);

/* Appends a whole file to `file`, which records failed writes (see io/file/atomic_file.h). Fails when the
 * format or memory does not allow it. */
volt_status volt_mat_write(volt_atomic_file *file, volt_view values);

/* ---- checks of a MAT file before matio reads it ------------------------------------------------ */

/* Checks magic and structure of the file; *size receives its size in bytes. VOLT_ERR_IO, VOLT_ERR_FORMAT. */
volt_status volt_mat_check(const char *path, int64_t *size);

#endif
