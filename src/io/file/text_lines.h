/* src/io/file/text_lines.h: a text file, line by line. */
#ifndef IO_TEXT_LINES_H
#define IO_TEXT_LINES_H

#include "volterra/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct volt_text_lines {
    char *text;   /* the whole file; lines that were given out point into it */
    char *next;   /* the line to come */
    char *end;    /* the zero byte behind the text */
    int64_t line; /* number of the line that was given out last, from 1; \n, \r\n and \r end a line */
} volt_text_lines;

/* Load a file. VOLT_ERR_IO, VOLT_ERR_MEMORY; VOLT_ERR_FORMAT when it is empty, or no text: a zero byte, UTF-16.
 * A byte order mark is stepped over. */
volt_status volt_text_lines_open(const char *path, volt_text_lines *lines);
void volt_text_lines_close(volt_text_lines *lines);

/* The next line that is neither blank nor a comment (one that begins with `comment`), without the white space
 * around it and with a zero byte behind it; NULL at the end. The caller may write into it. */
char *volt_text_lines_next(volt_text_lines *lines, char comment);

/* Is this text, `size` bytes of a file from byte `at` on? VOLT_ERR_FORMAT: a zero byte, UTF-16. */
volt_status volt_text_check(const char *text, int64_t at, int64_t size);

/* How often `character` comes in what is still to be given out. */
int64_t volt_text_lines_count(const volt_text_lines *lines, char character);

/* ---- pieces of a file's text that are safe to show --------------------------------------------- */

enum { VOLT_EXCERPT_LENGTH = 48 };

/* The beginning of `text` for an error sentence: at most about 40 bytes, "..." behind it when it was
 * cut, as volt_show_character shows it. Returns buffer. */
const char *volt_excerpt(const char *text, size_t length, char buffer[VOLT_EXCERPT_LENGTH]);

/* A copy of `text` that is UTF-8: text that is not is taken for Latin-1. NULL when memory is out. */
char *volt_utf8_copy(const char *text, size_t length);

#endif
