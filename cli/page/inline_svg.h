/* cli/page/inline_svg.h: pictures of gnuplot inside a page. */
#ifndef CLI_INLINE_SVG_H
#define CLI_INLINE_SVG_H

#include <stdio.h>

/* Colours of a script that become colours of the page: the page's text colour, and that of its quiet text. */
#define INK_COLOUR "#7f7f7f"
#define QUIET_COLOUR "#808080"

/* Write the SVG that gnuplot made so that it can stand in an HTML page beside others: it scales with the page,
 * takes the colours above from it, names nothing outside the page, and every id in it begins with `prefix`.
 * `label` (plain text) says what it shows to those who cannot see it. */
void inline_svg_write(FILE *html, const char *svg, const char *prefix, const char *label);

/* Plain text as HTML, all of it or its first bytes; in quotation marks of either kind too. Control characters, which
 * HTML does not allow, become "?". */
void html_escape(FILE *html, const char *text);
void html_escape_part(FILE *html, const char *text, size_t length);

#endif
