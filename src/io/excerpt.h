/* src/io/excerpt.h: pieces of a file's text that are safe to show. */
#ifndef IO_EXCERPT_H
#define IO_EXCERPT_H

#include <stddef.h>

enum { VOLT_EXCERPT_LENGTH = 48 };

/* The beginning of `text` for an error sentence: at most about 40 bytes, "..." behind it when it was
 * cut, control characters and bytes that are not UTF-8 as '?'. Returns buffer. */
const char *volt_excerpt(const char *text, size_t length, char buffer[VOLT_EXCERPT_LENGTH]);

/* Length in bytes of the UTF-8 character at text (1 to 4), or 0 when the bytes are none. */
size_t volt_utf8_length(const char *text, size_t available);

int volt_is_utf8(const char *text, size_t length);

/* A copy of `text` that is UTF-8: text that is not is taken for Latin-1. NULL when memory is out. */
char *volt_utf8_copy(const char *text, size_t length);

#endif
