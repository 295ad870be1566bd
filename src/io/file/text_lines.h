/* src/io/file/text_lines.h: reads a text file line by line. */
#ifndef IO_TEXT_LINES_H
#define IO_TEXT_LINES_H

#include "volterra/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct volt_text_lines {
    char *text;   /* the whole file; returned lines point into it */
    char *next;   /* the next line */
    char *end;    /* the zero byte after the text */
    int64_t line; /* number of the last returned line, from 1; \n, \r\n and \r end a line */
} volt_text_lines;

/* Loads a file. VOLT_ERR_IO, VOLT_ERR_MEMORY; VOLT_ERR_FORMAT when it is empty or not text: a zero byte,
 * UTF-16. A byte order mark is skipped. */
volt_status volt_text_lines_open(const char *path, volt_text_lines *lines);
void volt_text_lines_close(volt_text_lines *lines);

/* Returns the next line that is neither blank nor a comment (beginning with `comment`), trimmed and zero-
 * terminated; NULL at the end. The caller may modify it. */
char *volt_text_lines_next(volt_text_lines *lines, char comment);

/* Checks that `size` bytes of a file, from byte `at` on, are text. VOLT_ERR_FORMAT: a zero byte, UTF-16. */
volt_status volt_text_check(const char *text, int64_t at, int64_t size);

/* Counts `character` in the remaining text. */
int64_t volt_text_lines_count(const volt_text_lines *lines, char character);

/* ---- excerpts of a file's text that are safe to display ---------------------------------------- */

enum { VOLT_EXCERPT_LENGTH = 48 };

/* The beginning of `text` for an error message: at most about 40 bytes, "..." after a truncated text, with
 * characters as in volt_show_character. Returns buffer. */
const char *volt_excerpt(const char *text, size_t length, char buffer[VOLT_EXCERPT_LENGTH]);

/* A copy of `text` in UTF-8: text that is not UTF-8 is read as Latin-1. NULL when out of memory. */
char *volt_utf8_copy(const char *text, size_t length);

#endif
