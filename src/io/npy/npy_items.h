/* src/io/npy/npy_items.h: the numbers of an NPY file, of whatever type, as doubles. */
#ifndef IO_NPY_ITEMS_H
#define IO_NPY_ITEMS_H

#include "io/npy/npy_header.h"

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
