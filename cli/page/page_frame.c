/* cli/page/page_frame.c: beginning, figures and end of an HTML page, and its style sheet. */
#define _POSIX_C_SOURCE 200809L
#include "page/page_frame.h"

#include "files/outputs.h"
#include "terminal/messages.h"
#include "volterra.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- style sheet ----------------------------------------------------------------
 * One column on narrow screens, two columns of plots on wide screens, light or dark mode, tabular numerals. */

static const char page_style[] =
    ":root{color-scheme:light dark;--page:#ffffff;--ink:#1c2024;--soft:#5a636c;--line:#d8dde2;--tint:#f4f6f8;"
    "--best:#0b62c4}\n"
    "@media (prefers-color-scheme:dark){:root{--page:#14171a;--ink:#e8eaec;--soft:#a6aeb6;--line:#343a40;"
    "--tint:#1d2125;--best:#7cb7ff}}\n"
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%}\n"
    "body{margin:0 auto;padding:1.25rem 1rem 4rem;max-width:72rem;background:var(--page);color:var(--ink);"
    "font:1rem/1.55 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif}\n"
    "h1{font-size:1.05rem;font-weight:600;color:var(--soft);margin:0 0 .35rem}\n"
    "h2{font-size:1.3rem;line-height:1.3;margin:2.75rem 0 .5rem}\n"
    "p{margin:.5rem 0;max-width:46rem;overflow-wrap:anywhere}\n"
    ".finding{font-size:clamp(1.15rem,.95rem + "
    "1vw,1.45rem);line-height:1.35;font-weight:600;max-width:48rem;margin:.2rem 0 .9rem}\n"
    ".quiet,figcaption,.caption,dt{color:var(--soft)}\n"
    ".caption{font-size:.9rem;line-height:1.45;margin:1.4rem 0 .45rem;max-width:none}\n"
    ".scroll{overflow-x:auto;margin:0 0 1rem;border:1px solid var(--line);border-radius:.5rem}\n"
    "table{border-collapse:separate;border-spacing:0;width:100%;font-size:15px;line-height:22px;font-variant-"
    "numeric:tabular-nums}\n"
    "th,td{padding:7px 14px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}\n"
    "tbody tr:last-child>*{border-bottom:0}\n"
    "thead th{font-weight:600;background:var(--tint);vertical-align:bottom}\n"
    "th:first-child{text-align:left;position:sticky;left:0;background:var(--page)}\n"
    "thead th:first-child{background:var(--tint)}\n"
    "tbody th{font-weight:500}\n"
    ".words,.winner{text-align:left}\n"
    "wbr{display:none}\n"
    "@media (min-width:60rem){.winner{white-space:normal;min-width:17rem}wbr{display:inline}}\n"
    "sub,sup{line-height:0}\n"
    ".lowest{font-weight:700;color:var(--best)}\n"
    ".mark{display:inline-block;width:1.5em;padding-left:.25em;text-align:left;color:var(--best);font-weight:"
    "700}\n"
    ".swatch{display:inline-block;width:.7em;height:.7em;border-radius:50%;margin-right:.55em;background:"
    "currentColor}\n"
    "code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation "
    "Mono',monospace;font-size:.86em}\n"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--tint);border-radius:.5rem;padding:.7rem "
    ".85rem;"
    "margin:.5rem 0}\n"
    ".figures{display:grid;grid-template-columns:minmax(0,1fr);gap:1.75rem "
    "2.25rem;align-items:start;margin:1rem 0}\n"
    ".wide{display:none}\n"
    "@media (min-width:60rem){.figures{grid-template-columns:repeat(2,minmax(0,1fr))}.span{grid-column:1/-1}"
    ".narrow{display:none}.wide{display:block}.searches{columns:2;column-gap:2.25rem}}\n"
    ".searches figure{break-inside:avoid;margin:0 0 1.75rem}\n"
    "figure{margin:0;min-width:0}\n"
    "figure h3{font-size:1rem;margin:0 0 .25rem}\n"
    "figcaption{font-size:.9rem;line-height:1.45;margin-top:.45rem}\n"
    "svg.plot{display:block;width:100%;max-width:100%;height:auto}\n"
    "dl{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.3rem 1.25rem;margin:.75rem 0}\n"
    "dd{margin:0;overflow-wrap:anywhere}\n"
    "@media print{body{max-width:none}.scroll{overflow:visible}}\n";

/* ---- parts of a page -------------------------------------------------------------------------- */

void html_write_text(FILE *html, const char *before, const char *text, const char *after)
{
    fputs(before, html);
    html_escape(html, text);
    fputs(after, html);
}

bool page_begin(html_page *page, const char *what, const char *title)
{
    FILE *html = page->html = text_open(&page->memory);
    if (!html) {
        free(text_close(&page->memory));
        complain(EXIT_FAILED, "not enough memory for the report");
        return false;
    }
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n",
          html);
    html_write_text(html, "<title>", what, ": ");
    html_write_text(html, "", title, "</title>\n");
    fprintf(html, "<style>\n%s</style>\n<style id=\"plots\">\n%s</style>\n</head>\n<body>\n", page_style,
            svg_style);
    html_write_text(html, "<h1>", what, ": ");
    html_write_text(html, "", title, "</h1>\n");
    return true;
}

void page_figure(html_page *page, const char *title, svg_plot *plot, svg_plot *wide, const char *caption)
{
    svg_plot *const plots[] = {plot, wide};
    html_write_text(page->html, wide ? "<figure class=\"span\">\n<h3>" : "<figure>\n<h3>", title, "</h3>\n");
    for (int i = 0; i < (wide ? 2 : 1); i++) {
        fprintf(page->html, "<div class=\"%s\">\n", !wide ? "any" : i == 0 ? "narrow" : "wide");
        int failed = svg_write_inline(page->html, plots[i], title);
        page->failed = page->failed ? page->failed : failed;
        fputs("</div>\n", page->html);
    }
    fprintf(page->html, "<figcaption>Figure %d. ", ++page->figures);
    html_write_text(page->html, "", caption, "</figcaption>\n</figure>\n");
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

static void write_item(FILE *html, const char *term, const char *text)
{
    html_write_text(html, "<dt>", term, "</dt>");
    html_write_text(html, "<dd>", text, "</dd>\n");
}

void page_origin(html_page *page, const char *command, const char *seed)
{
    FILE *html = page->html;
    char date[40], threads[24];
    time_t now = time(NULL);
    struct tm parts;
    volt_build_info info = {.struct_size = sizeof info};
    volt_build_info_get(&info);
    if (!gmtime_r(&now, &parts) || strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &parts) == 0)
        snprintf(date, sizeof date, "unknown");
    if (!command) {
        fprintf(html, "<p class=\"quiet\">volterra %s, %s.</p>\n", info.version, date);
        return;
    }
    fputs("<h2>How this was made</h2>\n", html);
    html_write_text(html, "<pre class=\"command\">", command, "</pre>\n<dl>\n");
    if (seed)
        write_item(html, "Seed", seed);
    write_item(html, "Date", date);
    write_item(html, "volterra", info.version);
    write_item(html, "BLAS", info.blas);
    snprintf(threads, sizeof threads, "%lld", (long long)info.threads);
    write_item(html, "Threads", threads);
    fputs("</dl>\n", html);
}

int page_end(html_page *page, const char *path)
{
    fputs("</body>\n</html>\n", page->html);
    char *text = text_close(&page->memory);
    int failed = text ? output_text(path, text) : complain(EXIT_FAILED, "not enough memory for the report");
    free(text);
    return failed ? failed : page->failed;
}
