/* src/base/printable.h: the characters of a text; what makes one printable is in volterra/base.h. */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>

/* Length in bytes of the UTF-8 character at text (1 to 4), or 0 when the bytes are none. */
size_t volt_utf8_length(const char *text, size_t available);

int volt_is_utf8(const char *text, size_t length);

#endif
