/* cli/page/page_frame.c: the head of a page, and how it was made. */
#include "page/page_frame.h"

#include "page/inline_svg.h"
#include "page/machine.h"
#include "volterra.h"

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

static void write_item(FILE *html, const char *term, const char *text)
{
    html_write_text(html, "<dt>", term, "</dt>");
    html_write_text(html, "<dd>", text, "</dd>\n");
}

void page_end(FILE *html, const char *command, const char *seed)
{
    char text[MACHINE_LENGTH];
    volt_build_info info;
    volt_build_info_get(&info);
    fputs("<h2>How this was made</h2>\n", html);
    html_write_text(html, "<pre class=\"command\">", command, "</pre>\n<dl>\n");
    if (seed)
        write_item(html, "Seed", seed);
    write_item(html, "Date", machine_date(text));
    write_item(html, "volterra", info.version);
    write_item(html, "Compiler", info.compiler);
    snprintf(text, sizeof text, "%.60s, fast loops %.60s", info.cpu_flags, info.fast_loops);
    write_item(html, "Build", text);
    write_item(html, "BLAS", info.blas);
    snprintf(text, sizeof text, "%lld", (long long)info.threads);
    write_item(html, "Threads", text);
    write_item(html, "Processor", machine_cpu(text));
    write_item(html, "Memory", machine_memory(text));
    write_item(html, "System", machine_system(text));
    fputs("</dl>\n</body>\n</html>\n", html);
}
