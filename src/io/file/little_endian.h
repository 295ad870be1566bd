/* src/io/file/little_endian.h: numbers in the byte order of files, on machines of either order. */
#ifndef IO_LITTLE_ENDIAN_H
#define IO_LITTLE_ENDIAN_H

#include "io/file/atomic_file.h"

#include <stdint.h>

/* Is this machine's byte order that of the files? */
int volt_host_is_little(void);

/* Reverse the bytes of each of `count` items of `item_size` bytes, in place. */
void volt_swap_items(void *items, int64_t count, int item_size);

/* Copy doubles to bytes in little-endian order. */
void volt_doubles_to_little(const double *numbers, int64_t count, unsigned char *bytes);

/* Append doubles to a file in little-endian order. */
void volt_write_doubles(volt_atomic_file *file, const double *numbers, int64_t count);

/* The low `n_bytes` bytes of a number to a buffer in little-endian order, and back. */
void volt_put_little(uint64_t number, int n_bytes, unsigned char *bytes);
uint64_t volt_get_little(const unsigned char *bytes, int n_bytes);

#endif
