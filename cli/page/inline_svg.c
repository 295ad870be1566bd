/* cli/page/inline_svg.c: fit an SVG of gnuplot into an HTML page.
 *
 * gnuplot writes one element or group a line, with attributes in single or double quotation marks, and colours as
 * rgb( r, g, b ) with or without blanks. What is changed, in the order of the text: the opening tag, of which the
 * size is kept as the viewBox; ids and the references to them; the two colours that stand for the page's. */
#include "page/inline_svg.h"

#include "text/text.h"
#include "volterra.h"

#include <stdbool.h>
#include <string.h>

void html_escape_part(FILE *html, const char *text, size_t length)
{
    char shown[VOLT_CHARACTER_LENGTH];
    for (size_t step; (step = volt_show_character(text, length, shown)) > 0; text += step, length -= step)
        switch (*shown) {
        case '&':
            fputs("&amp;", html);
            break;
        case '<':
            fputs("&lt;", html);
            break;
        case '>':
            fputs("&gt;", html);
            break;
        case '"':
            fputs("&quot;", html);
            break;
        case '\'':
            fputs("&#39;", html);
            break;
        default:
            fputs(shown, html);
        }
}

void html_escape(FILE *html, const char *text)
{
    html_escape_part(html, text, strlen(text));
}

/* The length of rgb(...) at `text` when all three numbers are `level`, else 0. */
static size_t match_grey(const char *text, int level)
{
    int red, green, blue, length = 0;
    if (sscanf(text, "rgb( %d , %d , %d )%n", &red, &green, &blue, &length) != 3 || length == 0)
        return 0;
    return red == level && green == level && blue == level ? (size_t)length : 0;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void write_opening(FILE *html, const char *svg, const char *label)
{
    const char *box = strstr(svg, "viewBox=\"");
    int length = box ? (int)strcspn(box + 9, "\"") : 0;
    fprintf(html, "<svg class=\"plot\" role=\"img\" viewBox=\"%.*s\" aria-label=\"", length,
            box ? box + 9 : "");
    html_escape(html, label);
    fputs("\">", html);
}

/* What stands at `at` and is to be replaced: writes the replacement and returns how far to go on, or 0. */
static size_t replace(FILE *html, const char *at, const char *prefix)
{
    static const char *const references[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
    static const char *const dropped[] = {"<title>Gnuplot</title>", "<desc>"};
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++)
        if (begins(at, references[i])) {
            fprintf(html, "%s%s", references[i], prefix);
            return strlen(references[i]);
        }
    if (begins(at, dropped[0]))
        return strlen(dropped[0]);
    if (begins(at, dropped[1]) && strstr(at, "</desc>"))
        return (size_t)(strstr(at, "</desc>") - at) + strlen("</desc>");
    size_t ink = match_grey(at, 0x7f), quiet = match_grey(at, 0x80);
    if (ink || quiet)
        fputs(ink ? "var(--ink)" : "var(--soft)", html);
    return ink ? ink : quiet;
}

void inline_svg_write(FILE *html, const char *svg, const char *prefix, const char *label)
{
    const char *opening = strstr(svg, "<svg");
    const char *at = opening ? strchr(opening, '>') : NULL;
    if (!at)
        return;
    write_opening(html, opening, label);
    /* Within tags alone: what looks like a reference or a colour in a text is a name of the user's. */
    bool in_tag = false;
    for (at++; *at;) {
        in_tag = *at == '<' || (in_tag && *at != '>');
        size_t length = in_tag && strchr(" hu<r", *at) ? replace(html, at, prefix) : 0;
        if (length == 0)
            fputc(*at++, html);
        else
            at += length;
    }
}
