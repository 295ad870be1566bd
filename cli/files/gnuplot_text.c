/* cli/files/gnuplot_text.c: quote text for gnuplot.
 *
 * In double-quoted strings gnuplot decodes octal escapes after the expansion of `commands` and @macros.
 * Therefore all characters except letters and blanks are written as octal escapes. This includes digits,
 * which would otherwise extend a preceding escape. Single-quoted strings are not safe: gnuplot 5.4 reads '''
 * at the start of a string as the end of an empty string. Two cases remain:
 *   - % in a tick label, which is a format: doubled;
 *   - &#x, which the SVG terminal passes on as a character reference: the ampersand is written as a
 *     character reference. */
#include "files/gnuplot_text.h"

#include "text/text.h"
#include "volterra.h"

#include <stdbool.h>
#include <string.h>

static void write_characters(FILE *script, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ";
    for (; *text; text++)
        if (strchr(plain, *text) || (unsigned char)*text >= 0x80)
            fputc(*text, script);
        else
            fprintf(script, "\\%03o", (unsigned)(unsigned char)*text);
}

static void write_quoted(FILE *script, const char *text, bool is_format)
{
    char shown[VOLT_CHARACTER_LENGTH];
    const char *end = text + strlen(text);
    fputc('"', script);
    for (size_t step; (step = volt_show_character(text, (size_t)(end - text), shown)) > 0; text += step) {
        bool is_number = strncmp(text, "&#x", 3) == 0, is_percent = *text == '%' && is_format;
        write_characters(script, is_number ? "&#x26;" : is_percent ? "%%" : shown);
    }
    fputc('"', script);
}

void gnuplot_text(FILE *script, const char *text)
{
    write_quoted(script, text, false);
}

void gnuplot_tick(FILE *script, const char *text)
{
    write_quoted(script, text, true);
}
