/* src/io/npy/npy_header.h: the header of an NPY file, read strictly.
 *
 * An NPY file is the magic "\x93NUMPY", a version (two bytes), the length of the header (two bytes in version
 * 1, four in 2 and 3, little-endian), the header (a Python dictionary with the keys descr, fortran_order and
 * shape, in blanks up to a multiple of 64 bytes), then the numbers.
 * Reference: NumPy Enhancement Proposal 1, "A simple file format for NumPy arrays". */
#ifndef IO_NPY_HEADER_H
#define IO_NPY_HEADER_H

#include "volterra/status.h"

#include <stdint.h>
#include <stdio.h>

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

#endif
