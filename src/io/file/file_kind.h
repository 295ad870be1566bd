/* src/io/file/file_kind.h: what kind of file a path names. */
#ifndef IO_FILE_KIND_H
#define IO_FILE_KIND_H

#include "volterra/status.h"

typedef enum volt_file_kind {
    VOLT_FILE_UNKNOWN,
    VOLT_FILE_CSV,
    VOLT_FILE_NPY,
    VOLT_FILE_MAT,
    VOLT_FILE_TS, /* these two are collections of series, not tables */
    VOLT_FILE_ARFF
} volt_file_kind;

/* The kind that the extension says (.csv .tsv .txt .dat, .npy, .mat, .ts, .arff, in any case), or UNKNOWN. */
volt_file_kind volt_file_kind_of(const char *path);

/* The same, and where the extension says nothing, what the first bytes say; CSV when neither does. Looks
 * into regular files only: what is read from a pipe is gone. */
volt_file_kind volt_file_kind_guess(const char *path);

#endif
