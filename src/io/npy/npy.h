/* src/io/npy/npy.h: tables from and to NPY files. */
#ifndef IO_NPY_H
#define IO_NPY_H

#include "io/file/atomic_file.h"
#include "volterra/io.h"
#include "volterra/status.h"

#include <stdint.h>
#include <stdio.h>

/* Read `columns` (NULL: all that are data) of a file, and of those what `options` ask for. A missing value is an error with
 * VOLT_MISSING_ERROR and NaN in the table otherwise: dropping and filling in is left to volt_tables_clean. */
volt_status volt_npy_read(const char *path, const char *columns, const volt_read_options *options,
                          volt_table **table);

/* Append the header of so many rows to `file`, which keeps failed writes (see io/file/atomic_file.h), and then the rows, in as
 * many pieces as there are. */
void volt_npy_write_header(volt_atomic_file *file, int64_t rows, int64_t cols);
void volt_npy_write_rows(volt_atomic_file *file, volt_view values);

/* ---- the header of an NPY file, read strictly --------------------------------------------------
 * An NPY file is the magic "\x93NUMPY", a version (two bytes), the length of the header (two bytes in version
 * 1, four in 2 and 3, little-endian), the header (a Python dictionary with the keys descr, fortran_order and
 * shape, in blanks up to a multiple of 64 bytes), then the numbers.
 * Reference: NumPy Enhancement Proposal 1, "A simple file format for NumPy arrays". */

typedef struct volt_npy_header {
    char type;           /* 'f' float, 'i' signed, 'u' unsigned, 'b' true or false */
    int item_size;       /* bytes of one number */
    int is_swapped;      /* the file's byte order is not this machine's */
    int is_fortran;      /* column after column */
    int64_t rows, cols;  /* a vector is one column */
    int64_t data_offset; /* bytes before the first number */
} volt_npy_header;

/* Read and check the header at the beginning of `stream`, and leave the stream at the first number.
 * VOLT_ERR_FORMAT; VOLT_ERR_MEMORY. */
volt_status volt_npy_header_read(FILE *stream, volt_npy_header *header);

/* The same for a collection: *count series of header->rows (time) x header->cols (channels), the order of the
 * array being count x rows x cols. An array of 2 dimensions holds series of one channel. */
volt_status volt_npy_header_read_series(FILE *stream, volt_npy_header *header, int64_t *count);

/* ---- the numbers of an NPY file, of whatever type, as doubles ---------------------------------- */

/* Does the file hold the numbers that its header promises, and nothing else? An array of header->rows x header->cols
 * with `count` 0, otherwise of count x rows x cols. VOLT_ERR_IO when it is no regular file, VOLT_ERR_FORMAT. */
volt_status volt_npy_check_size(FILE *stream, const volt_npy_header *header, int64_t count);

/* Where the numbers go: numbers[0 .. count-1] are those from number `first` of the file on. */
typedef void volt_npy_take_fn(void *context, int64_t first, const double *numbers, int64_t count);

/* Read n_items numbers, in file order and through a small buffer, so that a large array is in memory once, whatever
 * its type. VOLT_ERR_IO, VOLT_ERR_MEMORY. */
volt_status volt_npy_read_items(FILE *stream, const volt_npy_header *header, int64_t n_items,
                                volt_npy_take_fn *take, void *context);

#endif
