/* src/io/npy/npy_items.h: the numbers of an NPY file, of whatever type, as doubles. */
#ifndef IO_NPY_ITEMS_H
#define IO_NPY_ITEMS_H

#include <stdint.h>

/* `count` numbers in this machine's byte order; type and item_size as in volt_npy_header. */
void volt_npy_decode(const unsigned char *bytes, int64_t count, char type, int item_size, double *numbers);

#endif
