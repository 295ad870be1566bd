/* cli/files/gnuplot_text.h: quote text for gnuplot scripts. */
#ifndef CLI_GNUPLOT_TEXT_H
#define CLI_GNUPLOT_TEXT_H

#include <stdio.h>

/* Writes arbitrary text as a string that gnuplot draws literally, without expansion or execution. All
 * external text must be written to scripts with this function. The terminal must be `svg noenhanced`. */
void gnuplot_text(FILE *script, const char *text);

/* Same as gnuplot_text for a tick label, which gnuplot interprets as a format. */
void gnuplot_tick(FILE *script, const char *text);

#endif
