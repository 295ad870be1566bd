/* src/io/mat/mat.h: tables from and to MATLAB files. */
#ifndef IO_MAT_H
#define IO_MAT_H

#include "io/file/atomic_file.h"
#include "volterra/io.h"
#include "volterra/status.h"

#include <stdint.h>

/* Read `columns` (NULL: all that are data) of a file, and of those what `options` ask for. A missing value is an error with
 * VOLT_MISSING_ERROR and NaN in the table otherwise: dropping and filling in is left to volt_tables_clean. */
volt_status volt_mat_read(const char *path, const char *columns, const volt_read_options *options,
                          volt_table **table);

/* Append a whole file to `file`, which keeps failed writes (see io/file/atomic_file.h); a status says that the format or memory does not allow it. */
volt_status volt_mat_write(volt_atomic_file *file, volt_view values);

/* ---- is this a MAT file that is safe to hand to matio? ----------------------------------------- */

/* Check magic and structure of the file; *size receives its size in bytes. VOLT_ERR_IO, VOLT_ERR_FORMAT. */
volt_status volt_mat_check(const char *path, int64_t *size);

/* ---- HDF5 without its habit of printing errors ------------------------------------------------- */

/* How HDF5 reported errors before. */
typedef struct volt_hdf5_reports {
    int (*print)(long long stack, void *context);
    void *context;
    int is_saved;
} volt_hdf5_reports;

/* From now on HDF5 prints nothing; the caller gives `reports` back to volt_hdf5_restore. */
void volt_hdf5_silence(volt_hdf5_reports *reports);
void volt_hdf5_restore(const volt_hdf5_reports *reports);

#endif
