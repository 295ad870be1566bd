/* src/io/excerpt.c: pieces of a file's text that are safe to show. */
#include "io/excerpt.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

enum { SHOWN = 40 };

size_t volt_utf8_length(const char *text, size_t available)
{
    /* Least code point of each length: a longer form of a smaller one is not UTF-8. */
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (available == 0)
        return 0;
    unsigned char lead = (unsigned char)text[0];
    if (lead < 0x80)
        return 1;
    size_t length = lead >= 0xf8 ? 0 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
    if (length == 0 || length > available)
        return 0;
    uint32_t code = lead & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (next & 0x3fu);
    }
    int is_surrogate = code >= 0xd800 && code <= 0xdfff;
    return code >= least[length] && code <= 0x10ffff && !is_surrogate ? length : 0;
}

const char *volt_excerpt(const char *text, size_t length, char buffer[VOLT_EXCERPT_LENGTH])
{
    size_t used = 0, i = 0;
    while (i < length) {
        size_t step = volt_utf8_length(text + i, length - i);
        if (used + (step ? step : 1) > SHOWN)
            break;
        int is_printable = step > 1 || (step == 1 && (unsigned char)text[i] >= 0x20 && text[i] != 0x7f);
        if (is_printable) {
            memcpy(buffer + used, text + i, step);
            used += step;
        } else {
            buffer[used++] = '?';
        }
        i += step ? step : 1;
    }
    strcpy(buffer + used, i < length ? "..." : "");
    return buffer;
}

int volt_is_utf8(const char *text, size_t length)
{
    size_t step;
    for (size_t i = 0; i < length; i += step) {
        step = volt_utf8_length(text + i, length - i);
        if (step == 0)
            return 0;
    }
    return 1;
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
