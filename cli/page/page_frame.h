/* cli/page/page_frame.h: beginning and end of HTML pages, and inline SVG. */
#ifndef CLI_PAGE_FRAME_H
#define CLI_PAGE_FRAME_H

#include <stdint.h>
#include <stdio.h>

/* `before` and `after` are HTML, `text` is plain. */
void html_write_text(FILE *html, const char *before, const char *text, const char *after);

/* Writes the page up to its heading, "`what`: `title`". */
void page_begin(FILE *html, const char *what, const char *title);

/* Writes the command, the seed (NULL: none), the date and the program, and ends the page. */
void page_end(FILE *html, const char *command, const char *seed);

/* Writes the time, "2026-11-15 05:40 UTC", to `text` and returns it. */
enum { PAGE_DATE_LENGTH = 40 };
char *page_date(char text[PAGE_DATE_LENGTH]);

/* Style sheet of the page. */
extern const char report_style[];

/* ---- gnuplot plots inside a page --------------------------------------------------------------- */

/* Placeholder colours in a script, replaced by the page's text colour and its secondary text colour. */
#define INK_COLOUR "#7f7f7f"
#define QUIET_COLOUR "#808080"

/* Inlines an SVG of gnuplot in an HTML page. It scales with the page, uses its colours and has no external
 * references. Every id begins with `prefix`. `label` (plain text) is the text alternative. */
void inline_svg_write(FILE *html, const char *svg, const char *prefix, const char *label);

/* Draws a script of gnuplot_script and closes it. Returns the SVG, to be freed, or NULL after an error message; *failed
 * then receives the exit status, unless it has one. script NULL: the error was reported. */
char *page_draw_script(FILE *script, int *failed);

/* Write plain text as HTML, completely or its first bytes. Quotation marks are escaped too. Control
 * characters, which are invalid in HTML, become "?". */
void html_escape(FILE *html, const char *text);
void html_escape_part(FILE *html, const char *text, size_t length);

/* Writes "not drawn: c, d" for columns first .. count - 1 but `drawn` (-1: none); names without room are counted. names NULL:
 * y1, y2, ... "" if there are none. */
enum { UNDRAWN_LENGTH = 160 };
const char *undrawn_text(const char *const *names, int64_t first, int64_t count, int64_t drawn,
                         char text[UNDRAWN_LENGTH]);

#endif
