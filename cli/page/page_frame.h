/* cli/page/page_frame.h: how every page begins and ends. */
#ifndef CLI_PAGE_FRAME_H
#define CLI_PAGE_FRAME_H

#include <stdio.h>

/* `before` and `after` are HTML, `text` is plain. */
void html_write_text(FILE *html, const char *before, const char *text, const char *after);

/* Up to the title as heading, which is `what`, a colon and `title`. */
void page_begin(FILE *html, const char *what, const char *title);

/* How it was made, and the end: the command, the seed (NULL: none), the program and the machine. */
void page_end(FILE *html, const char *command, const char *seed);

/* How a page looks: the text of its style sheet. */
extern const char report_style[];

/* ---- pictures of gnuplot inside a page --------------------------------------------------------- */

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

/* ---- the machine that a result was computed on, in words --------------------------------------- */

enum { MACHINE_LENGTH = 160 };

/* Each writes into `text` and returns it. */
char *machine_cpu(char text[MACHINE_LENGTH]);    /* "AMD EPYC 7R13, 2 cores" */
char *machine_memory(char text[MACHINE_LENGTH]); /* "23.4 GiB" */
char *machine_system(char text[MACHINE_LENGTH]); /* "Linux 6.1.0 on x86_64" */
char *machine_date(char text[MACHINE_LENGTH]);   /* now: "2026-11-15 05:40 UTC" */

#endif
