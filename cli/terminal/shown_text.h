/* cli/terminal/shown_text.h: text out of files in tables for people. */
#ifndef CLI_SHOWN_TEXT_H
#define CLI_SHOWN_TEXT_H

#include <stdio.h>

/* How many characters print_shown writes for a text. */
int shown_width(const char *text);

/* Write a text without what a terminal would obey, cut or filled with blanks to `width` characters; 0: as long as it
 * is. */
void print_shown(FILE *out, const char *text, int width);

#endif
