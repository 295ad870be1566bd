/* src/text/text.h: numbers, characters and names as text. Compiled into the library and into the program;
 * not exported by the library. */
#ifndef TEXT_TEXT_H
#define TEXT_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { VOLT_NUMBER_LENGTH = 32 };
/* Writes the shortest text that parses to exactly `value`, in any locale; returns buffer. */
char *volt_format_number(double value, char buffer[VOLT_NUMBER_LENGTH]);

/* Parses a number that fills the whole text (except white space around it), in any locale. Returns 0 and
 * leaves *value unchanged for other text. Accepts inf and nan. */
int volt_parse_number(const char *text, double *value);

/* Length in bytes of the UTF-8 character at text (1 to 4), or 0 when it is invalid. */
size_t volt_utf8_length(const char *text, size_t available);

int volt_is_utf8(const char *text, size_t length);

/* Writes the first character of a text to `shown` in a form that is safe to display: its own bytes, or "?"
 * for a control character (C0, DEL or C1) or an invalid byte. Returns how many of the `available` bytes it
 * used, 0 when there are none. */
enum { VOLT_CHARACTER_LENGTH = 5 };
size_t volt_show_character(const char *text, size_t available, char shown[VOLT_CHARACTER_LENGTH]);

/* The same for a whole text, in place; it never becomes longer. Returns text. */
char *volt_make_printable(char *text);

/* The candidate nearest to `word` in spelling, or NULL when none is near enough to suggest. */
const char *volt_nearest_name(const char *word, const char *const *candidates, int64_t count);

#endif
