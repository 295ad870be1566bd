/* src/io/file/excerpt.c: pieces of a file's text that are safe to show. */
#include "io/file/excerpt.h"

#include "base/memory.h"
#include "text/text.h"
#include "volterra/base.h"

#include <string.h>

enum { SHOWN = 40 };

const char *volt_excerpt(const char *text, size_t length, char buffer[VOLT_EXCERPT_LENGTH])
{
    size_t used = 0, i = 0;
    while (i < length) {
        char shown[VOLT_CHARACTER_LENGTH];
        size_t step = volt_show_character(text + i, length - i, shown);
        if (used + strlen(shown) > SHOWN)
            break;
        strcpy(buffer + used, shown);
        used += strlen(shown);
        i += step;
    }
    strcpy(buffer + used, i < length ? "..." : "");
    return buffer;
}

char *volt_utf8_copy(const char *text, size_t length)
{
    int is_utf8 = volt_is_utf8(text, length);
    size_t high = 0;
    for (size_t i = 0; i < length; i++)
        high += (unsigned char)text[i] >= 0x80;
    char *copy = volt_alloc((int64_t)(length + (is_utf8 ? 0 : high) + 1), 1);
    if (!copy)
        return NULL;
    char *end = copy;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (is_utf8 || byte < 0x80) {
            *end++ = (char)byte;
        } else {
            *end++ = (char)(0xc0 | byte >> 6);
            *end++ = (char)(0x80 | (byte & 0x3f));
        }
    }
    *end = '\0';
    return copy;
}
