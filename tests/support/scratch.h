/* tests/support/scratch.h: a directory for the files of one test program. */
#ifndef SUPPORT_SCRATCH_H
#define SUPPORT_SCRATCH_H

#include <stddef.h>

/* Make the directory (under TMPDIR or /tmp) and remove it with all its files when the program ends. Every
 * function here ends the program with a message on a system error. */
const char *scratch_directory(void);

/* The path of a file in it; valid until eight more paths are requested. */
const char *scratch_path(const char *name);

/* Write a file in it and return its path. */
const char *scratch_write(const char *name, const void *bytes, size_t size);
const char *scratch_write_text(const char *name, const char *text);

/* The bytes of a file (free them with free), with a zero byte behind them; NULL if the file does not exist.
 * size may be NULL. */
char *scratch_read(const char *path, size_t *size);

/* Files in the directory, hidden ones too. */
int scratch_count(void);

#endif
