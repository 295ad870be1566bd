/* cli/files/gnuplot_text.h: text in a script for gnuplot. */
#ifndef CLI_GNUPLOT_TEXT_H
#define CLI_GNUPLOT_TEXT_H

#include <stdio.h>

/* Write `text`, whatever it holds, so that gnuplot draws it as it is and runs or replaces nothing of it: the one way
 * by which text that is not the program's own gets into a script. The terminal must be `svg noenhanced`. */
void gnuplot_text(FILE *script, const char *text);

/* The same for the label of a tick, which gnuplot takes for a format. */
void gnuplot_tick(FILE *script, const char *text);

#endif
