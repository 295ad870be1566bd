/* cli/page/page_frame.h: HTML pages: beginning, figures and end. */
#ifndef CLI_PAGE_FRAME_H
#define CLI_PAGE_FRAME_H

#include "files/svg_plot.h"
#include "terminal/text_stream.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A page while it is written. */
typedef struct html_page {
    text_stream memory;
    FILE *html;
    int figures; /* so far */
    int failed;  /* exit status of the first plot that could not be made */
} html_page;

/* Begins a page with the heading "`what`: `title`". Returns false after an error message. */
bool page_begin(html_page *page, const char *what, const char *title);

/* Writes and releases a plot, and another one for wide screens (NULL: none), as a figure with a number. */
void page_figure(html_page *page, const char *title, svg_plot *plot, svg_plot *wide, const char *caption);

/* Writes the command, the seed (NULL: none), the date and the program; command NULL: only the last two. */
void page_origin(html_page *page, const char *command, const char *seed);

/* Ends the page and writes it to a file ("-": standard output). Returns 0, or the exit status after an error message. */
int page_end(html_page *page, const char *path);

/* `before` and `after` are HTML, `text` is plain. */
void html_write_text(FILE *html, const char *before, const char *text, const char *after);

/* Writes "not drawn: c, d" for columns first .. count - 1 but `drawn` (-1: none); names without room are counted. names NULL:
 * y1, y2, ... "" if there are none. */
enum { UNDRAWN_LENGTH = 160 };
const char *undrawn_text(const char *const *names, int64_t first, int64_t count, int64_t drawn,
                         char text[UNDRAWN_LENGTH]);

#endif
