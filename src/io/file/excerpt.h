/* src/io/file/excerpt.h: pieces of a file's text that are safe to show. */
#ifndef IO_EXCERPT_H
#define IO_EXCERPT_H

#include <stddef.h>

enum { VOLT_EXCERPT_LENGTH = 48 };

/* The beginning of `text` for an error sentence: at most about 40 bytes, "..." behind it when it was
 * cut, as volt_show_character shows it. Returns buffer. */
const char *volt_excerpt(const char *text, size_t length, char buffer[VOLT_EXCERPT_LENGTH]);

/* A copy of `text` that is UTF-8: text that is not is taken for Latin-1. NULL when memory is out. */
char *volt_utf8_copy(const char *text, size_t length);

#endif
