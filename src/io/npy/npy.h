/* src/io/npy/npy.h: tables from and to NPY files. */
#ifndef IO_NPY_H
#define IO_NPY_H

#include "io/file/atomic_file.h"
#include "volterra/io.h"
#include "volterra/status.h"

#include <stdint.h>
#include <stdio.h>

/* Reads `columns` (NULL: all data columns) of a file, restricted by `options`. A missing value is an error
 * with VOLT_MISSING_ERROR and otherwise NaN in the table; volt_tables_clean drops or fills them. */
volt_status volt_npy_read(const char *path, const char *columns, const volt_read_options *options,
                          volt_table **table);

/* Appends the header for `rows` rows to `file`, which records failed writes (see io/file/atomic_file.h), and
 * then the rows, in any number of pieces. */
void volt_npy_write_header(volt_atomic_file *file, int64_t rows, int64_t cols);
void volt_npy_write_rows(volt_atomic_file *file, volt_view values);

/* ---- the header of an NPY file, parsed strictly --------------------------------------------------
 * An NPY file is the magic "\x93NUMPY", a version (two bytes), the length of the header (two bytes in
 * version 1, four in 2 and 3, little-endian), the header (a Python dictionary with the keys descr,
 * fortran_order and shape, padded with blanks to a multiple of 64 bytes), then the numbers. Reference: NumPy
 * Enhancement Proposal 1, "A simple file format for NumPy arrays". */

typedef struct volt_npy_header {
    char type;           /* 'f' float, 'i' signed, 'u' unsigned, 'b' boolean */
    int item_size;       /* bytes of one number */
    int is_swapped;      /* the file's byte order differs from this machine's */
    int is_fortran;      /* column-major */
    int64_t rows, cols;  /* a vector is one column */
    int64_t data_offset; /* bytes before the first number */
} volt_npy_header;

/* The same for a collection: *count series of header->rows (time) x header->cols (channels); the array is
 * count x rows x cols. An array of 2 dimensions contains series of one channel. */
volt_status volt_npy_header_read_series(FILE *stream, volt_npy_header *header, int64_t *count);

/* ---- the numbers of an NPY file, converted to doubles ------------------------------------------ */

/* Checks that the size of the file matches its header: an array of header->rows x header->cols with `count`
 * 0, otherwise of count x rows x cols. VOLT_ERR_IO when it is not a regular file, VOLT_ERR_FORMAT. */
volt_status volt_npy_check_size(FILE *stream, const volt_npy_header *header, int64_t count);

/* Receives the numbers: numbers[0 .. count-1], from number `first` of the file on. */
typedef void volt_npy_take_fn(void *context, int64_t first, const double *numbers, int64_t count);

/* Reads n_items numbers, in file order and through a small buffer, so that a large array of any type is in
 * memory only once. VOLT_ERR_IO, VOLT_ERR_MEMORY. */
volt_status volt_npy_read_items(FILE *stream, const volt_npy_header *header, int64_t n_items,
                                volt_npy_take_fn *take, void *context);

#endif
