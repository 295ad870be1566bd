/* src/text/printable.c: text from files, made safe to display.
 *
 * A terminal interprets control characters: C0 (below U+0020), DEL, and C1 (U+0080 to U+009F, including
 * U+009B, which begins a command like ESC [). All text from files is displayed through these functions. */
#include "text/text.h"

#include <stdint.h>
#include <string.h>

size_t volt_utf8_length(const char *text, size_t available)
{
    /* Least code point of each length: an overlong encoding is not UTF-8. */
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

/* Whether the character of this many bytes is a control character. */
static int is_control(const char *text, size_t length)
{
    unsigned char first = (unsigned char)text[0];
    if (length == 1)
        return first < 0x20 || first == 0x7f;
    return first == 0xc2 && (unsigned char)text[1] < 0xa0; /* C1: U+0080 to U+009F */
}

size_t volt_show_character(const char *text, size_t available, char shown[VOLT_CHARACTER_LENGTH])
{
    shown[0] = '\0';
    if (available == 0)
        return 0;
    size_t length = volt_utf8_length(text, available);
    if (length == 0 || is_control(text, length)) {
        strcpy(shown, "?");
        return length ? length : 1;
    }
    memcpy(shown, text, length);
    shown[length] = '\0';
    return length;
}

char *volt_make_printable(char *text)
{
    char shown[VOLT_CHARACTER_LENGTH], *write = text;
    const char *read = text, *end = text + strlen(text);
    for (size_t step; (step = volt_show_character(read, (size_t)(end - read), shown)) > 0; read += step) {
        size_t length = strlen(shown); /* at most step: writing does not overtake reading */
        memcpy(write, shown, length);
        write += length;
    }
    *write = '\0';
    return text;
}
