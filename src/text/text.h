/* src/text/text.h: numbers, characters and names as text. Compiled into the library and into the program: the library does not
 * export these functions. */
#ifndef TEXT_TEXT_H
#define TEXT_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { VOLT_NUMBER_LENGTH = 32 };
/* Shortest text that reads back as exactly `value`, whatever the locale; returns buffer. */
char *volt_format_number(double value, char buffer[VOLT_NUMBER_LENGTH]);

/* Read a number that fills the whole text (white space around it is fine), whatever the locale.
 * Returns 0 and leaves *value alone when it is none. Reads inf and nan too: check what you need. */
int volt_parse_number(const char *text, double *value);

/* Length in bytes of the UTF-8 character at text (1 to 4), or 0 when the bytes are none. */
size_t volt_utf8_length(const char *text, size_t available);

int volt_is_utf8(const char *text, size_t length);

/* A text out of a file may hold anything, also what a terminal obeys. Write its first character to `shown` as
 * people may see it: its own bytes, or "?" for a control character (C0, DEL or C1) or a byte that is not UTF-8.
 * Returns how many of the `available` bytes that takes, 0 when there are none. */
enum { VOLT_CHARACTER_LENGTH = 5 };
size_t volt_show_character(const char *text, size_t available, char shown[VOLT_CHARACTER_LENGTH]);

/* The same for a whole text, in its place; it grows no longer. Returns text. */
char *volt_make_printable(char *text);

/* The candidate that is nearest to `word` in spelling, or NULL when none is near enough to suggest. */
const char *volt_nearest_name(const char *word, const char *const *candidates, int64_t count);

#endif
