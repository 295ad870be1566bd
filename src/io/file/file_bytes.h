/* src/io/file/file_bytes.h: reads files: whole or in part, their kind, and the byte order of numbers. */
#ifndef IO_FILE_BYTES_H
#define IO_FILE_BYTES_H

#include "io/file/atomic_file.h"
#include "volterra/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Whether the path, other than "-", is a regular file. (Opening and closing a pipe would end its writer.) */
bool volt_file_is_regular(const char *path);

/* Whether the path exists. VOLT_ERR_IO if that cannot be determined, so that no file is taken for absent and replaced. */
volt_status volt_file_exists(const char *path, bool *exists);

/* Opens a file for reading. VOLT_ERR_IO with path and reason, also for a directory. */
volt_status volt_file_open(const char *path, FILE **stream);

/* Size of the regular file of `stream`, or -1 for other files (a pipe, a terminal). */
int64_t volt_file_size(FILE *stream);

/* Reads `count` bytes of a regular file from byte `at` on; `size` is the size of the file when reading
 * began. VOLT_ERR_IO: it was truncated since, or cannot be read. */
volt_status volt_file_read_at(FILE *stream, const char *path, int64_t size, int64_t at, int64_t count,
                              void *bytes);

/* Loads a file, or standard input ("-"), and adds a zero byte. Free *bytes with volt_free. VOLT_ERR_IO;
 * VOLT_ERR_MEMORY, before allocation when memory cannot suffice. A file of unknown size (a pipe, a device)
 * is limited to half of the available memory. */
volt_status volt_file_load(const char *path, char **bytes, int64_t *size);

/* The same for text: reading ends after the block with the first zero byte, which the caller rejects. */
volt_status volt_file_load_text(const char *path, char **bytes, int64_t *size);

/* The size of a file that begins with these `size` bytes, as far as they determine it: a result above `size`
 * requests more bytes, otherwise reading ends. `bytes` is NULL for a size of 0. */
typedef int64_t (*volt_file_extent)(const char *bytes, int64_t size);

/* The same for a format that declares its size at the beginning: no more than that is read from a pipe or a
 * device. */
volt_status volt_file_load_declared(const char *path, volt_file_extent extent, char **bytes, int64_t *size);

/* ---- file kinds -------------------------------------------------------------------------------- */

typedef enum volt_file_kind {
    VOLT_FILE_UNKNOWN,
    VOLT_FILE_CSV,
    VOLT_FILE_NPY,
    VOLT_FILE_MAT,
    VOLT_FILE_TS /* a collection of series, not a table */
} volt_file_kind;

/* The kind by extension (.csv .tsv .txt .dat, .npy, .mat, .ts, in any case), or UNKNOWN. */
volt_file_kind volt_file_kind_of(const char *path);

/* The kind by extension, otherwise by the first bytes; CSV by default. Only regular files are opened,
 * because bytes read from a pipe are lost. */
volt_file_kind volt_file_kind_guess(const char *path);

/* ---- numbers in little-endian byte order ------------------------------------------------------- */

/* Whether this machine is little-endian. */
int volt_host_is_little(void);

/* Reverses the bytes of each of `count` items of `item_size` bytes, in place. */
void volt_swap_items(void *items, int64_t count, int item_size);

/* Copies doubles to bytes in little-endian order. */
void volt_doubles_to_little(const double *numbers, int64_t count, unsigned char *bytes);

/* Appends doubles to a file in little-endian order. */
void volt_write_doubles(volt_atomic_file *file, const double *numbers, int64_t count);

/* Writes the low `n_bytes` bytes of a number to a buffer in little-endian order, and reads them. */
void volt_put_little(uint64_t number, int n_bytes, unsigned char *bytes);
uint64_t volt_get_little(const unsigned char *bytes, int n_bytes);

#endif
