/* cli/page/page_frame.c: beginning and end of an HTML page, and inline SVG. */
#define _POSIX_C_SOURCE 200809L
#include "page/page_frame.h"

#include "files/gnuplot.h"
#include "terminal/messages.h"
#include "terminal/text_stream.h"
#include "text/text.h"
#include "volterra.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void html_write_text(FILE *html, const char *before, const char *text, const char *after)
{
    fputs(before, html);
    html_escape(html, text);
    fputs(after, html);
}

void page_begin(FILE *html, const char *what, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n",
          html);
    html_write_text(html, "<title>", what, ": ");
    html_write_text(html, "", title, "</title>\n");
    fprintf(html, "<style>\n%s</style>\n</head>\n<body>\n", report_style);
    html_write_text(html, "<h1>", what, ": ");
    html_write_text(html, "", title, "</h1>\n");
}

const char *undrawn_text(const char *const *names, int64_t first, int64_t count, int64_t drawn,
                         char text[UNDRAWN_LENGTH])
{
    enum { COUNT_LENGTH = 32 };
    size_t used = 0;
    text[0] = '\0';
    for (int64_t k = first; k < count; k++) {
        char number[24];
        snprintf(number, sizeof number, "y%lld", (long long)k + 1);
        if (k == drawn)
            continue;
        const char *name = names ? names[k] : number, *before = used > 0 ? ", " : "not drawn: ";
        if (used + strlen(before) + strlen(name) + COUNT_LENGTH >= UNDRAWN_LENGTH) {
            snprintf(text + used, UNDRAWN_LENGTH - used, "%s%lld%s", used > 0 ? " and " : before,
                     (long long)(count - k - (drawn > k)), used > 0 ? " more" : " series");
            break;
        }
        used += (size_t)snprintf(text + used, UNDRAWN_LENGTH - used, "%s%s", before, name);
    }
    return text;
}

char *page_date(char text[PAGE_DATE_LENGTH])
{
    time_t now = time(NULL);
    struct tm parts;
    if (!gmtime_r(&now, &parts) || strftime(text, PAGE_DATE_LENGTH, "%Y-%m-%d %H:%M UTC", &parts) == 0)
        snprintf(text, PAGE_DATE_LENGTH, "unknown");
    return text;
}

static void write_item(FILE *html, const char *term, const char *text)
{
    html_write_text(html, "<dt>", term, "</dt>");
    html_write_text(html, "<dd>", text, "</dd>\n");
}

void page_end(FILE *html, const char *command, const char *seed)
{
    char text[PAGE_DATE_LENGTH];
    volt_build_info info = {.struct_size = sizeof info};
    volt_build_info_get(&info);
    fputs("<h2>How this was made</h2>\n", html);
    html_write_text(html, "<pre class=\"command\">", command, "</pre>\n<dl>\n");
    if (seed)
        write_item(html, "Seed", seed);
    write_item(html, "Date", page_date(text));
    write_item(html, "volterra", info.version);
    write_item(html, "BLAS", info.blas);
    snprintf(text, sizeof text, "%lld", (long long)info.threads);
    write_item(html, "Threads", text);
    fputs("</dl>\n</body>\n</html>\n", html);
}

char *page_draw_script(FILE *script, int *failed)
{
    text_stream memory;
    int status = EXIT_FAILED;
    char *svg = NULL;
    if (script) {
        status = text_open(&memory) ? gnuplot_draw(script, memory.out) : 0;
        svg = text_close(&memory);
        fclose(script);
        if (!svg && !status)
            status = complain(EXIT_FAILED, "not enough memory for a plot");
    }
    if (!status)
        return svg;
    *failed = *failed ? *failed : status;
    free(svg);
    return NULL;
}

/* ---- inline an SVG of gnuplot in an HTML page -------------------------------------------------
 * gnuplot writes one element or group per line, with attributes in single or double quotes, and colours as
 * rgb( r, g, b ) with or without blanks. The opening tag is replaced and its size becomes the viewBox. The
 * ids and the references to them get a prefix. Two placeholder colours become colours of the page. */

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

/* Returns the length of rgb(...) at `text` if all three numbers are `level`, otherwise 0. */
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

/* Writes the replacement for the text at `at`, if any. Returns the length of the replaced text, or 0. */
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
    /* Replace only within tags: text content may contain user names that look like references or colours. */
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
