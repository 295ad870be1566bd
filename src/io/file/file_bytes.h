/* src/io/file/file_bytes.h: the bytes of a file: all of them, or some. */
#ifndef IO_FILE_BYTES_H
#define IO_FILE_BYTES_H

#include "io/file/atomic_file.h"
#include "volterra/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Is there a regular file at the path, which is not "-"? To open a pipe and close it again would end its writer. */
bool volt_file_is_regular(const char *path);

/* Open for reading. VOLT_ERR_IO with path and reason; a directory is refused here. */
volt_status volt_file_open(const char *path, FILE **stream);

/* Size of the regular file behind `stream`, or -1 when it is none (a pipe, a terminal). */
int64_t volt_file_size(FILE *stream);

/* `count` bytes of a regular file from byte `at` on; the file had `size` bytes when reading began. VOLT_ERR_IO: it has
 * become shorter since, or cannot be read. */
volt_status volt_file_read_at(FILE *stream, const char *path, int64_t size, int64_t at, int64_t count,
                              void *bytes);

/* The content of a file, or of standard input for "-", with a zero byte behind it. Free *bytes with
 * volt_free. VOLT_ERR_IO; VOLT_ERR_MEMORY, before anything is allocated when memory cannot suffice. Of a file whose size is
 * not known (a pipe, a device) no more is read than half of the memory that is available. */
volt_status volt_file_load(const char *path, char **bytes, int64_t *size);

/* The same of a text: reading ends behind the block with the first zero byte, which the caller refuses. */
volt_status volt_file_load_text(const char *path, char **bytes, int64_t *size);

/* How many bytes a file has that begins with these `size` bytes, as far as they tell: more than `size` where more must be
 * read, else the file is not read further. `bytes` is NULL for a size of 0. */
typedef int64_t (*volt_file_extent)(const char *bytes, int64_t size);

/* The same of a format whose beginning declares its size: of a pipe or a device no more is read than that. */
volt_status volt_file_load_declared(const char *path, volt_file_extent extent, char **bytes, int64_t *size);

/* ---- what kind of file a path names ------------------------------------------------------------ */

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

/* ---- numbers in the byte order of files, on machines of either order --------------------------- */

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
