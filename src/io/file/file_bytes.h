/* src/io/file/file_bytes.h: a whole file in memory. */
#ifndef IO_FILE_BYTES_H
#define IO_FILE_BYTES_H

#include "volterra/status.h"

#include <stdint.h>
#include <stdio.h>

/* Open for reading. VOLT_ERR_IO with path and reason; a directory is refused here. */
volt_status volt_file_open(const char *path, FILE **stream);

/* Size of the regular file behind `stream`, or -1 when it is none (a pipe, a terminal). */
int64_t volt_file_size(FILE *stream);

/* The content of a file, or of standard input for "-", with a zero byte behind it. Free *bytes with
 * volt_free. VOLT_ERR_IO; VOLT_ERR_MEMORY, before anything is allocated when memory cannot suffice. */
volt_status volt_file_load(const char *path, char **bytes, int64_t *size);

#endif
