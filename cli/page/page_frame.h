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

#endif
