/* cli/terminal/shown_text.c: text out of files in tables for people. */
#include "terminal/shown_text.h"

#include "text/text.h"
#include "volterra.h"

#include <string.h>

int shown_width(const char *text)
{
    char shown[VOLT_CHARACTER_LENGTH];
    const char *end = text + strlen(text);
    int width = 0;
    for (size_t step; (step = volt_show_character(text, (size_t)(end - text), shown)) > 0; text += step)
        width++;
    return width;
}

void print_shown(FILE *out, const char *text, int width)
{
    char shown[VOLT_CHARACTER_LENGTH];
    const char *end = text + strlen(text);
    int written = 0;
    for (size_t step; (step = volt_show_character(text, (size_t)(end - text), shown)) > 0; text += step) {
        if (width > 0 && written == width)
            return;
        fputs(shown, out);
        written++;
    }
    fprintf(out, "%*s", written < width ? width - written : 0, "");
}
