/* src/io/source.h: PATH:COLUMNS taken apart, and the kind of a file. */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H

#include "volterra/status.h"

typedef enum volt_file_kind {
    VOLT_FILE_UNKNOWN,
    VOLT_FILE_CSV,
    VOLT_FILE_NPY,
    VOLT_FILE_MAT,
    VOLT_FILE_SERIES /* a collection of series, not a table */
} volt_file_kind;

/* The kind that the extension says (.csv .tsv .txt .dat, .npy, .mat, in any case), or UNKNOWN. */
volt_file_kind volt_file_kind_of(const char *path);

/* The same, and where the extension says nothing, what the first bytes say; CSV when neither does. Looks
 * into regular files only: what is read from a pipe is gone. */
volt_file_kind volt_file_kind_guess(const char *path);

/* Split a source into *path (free it with volt_free) and *columns, which points into `source` or is NULL. A
 * source that is a file as it stands is all path; otherwise the columns begin behind the last colon whose
 * left side is a file or "-", or else has a known extension. */
volt_status volt_source_split(const char *source, char **path, const char **columns);

#endif
