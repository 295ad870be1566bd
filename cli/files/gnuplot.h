/* cli/files/gnuplot.h: draw plots with gnuplot. */
#ifndef CLI_GNUPLOT_H
#define CLI_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

/* Returns whether gnuplot is on the search path. */
bool gnuplot_is_installed(void);

/* Returns an unnamed temporary file for a script, or NULL after an error message. Close it with fclose. */
FILE *gnuplot_script(void);

/* Run the script, which must plot to standard output (no `set output`), and append the plot to `picture` or
 * write it to `path`. The file is replaced atomically ("-": standard output). Both return 0, or the exit
 * status after an error message. */
int gnuplot_draw(FILE *script, FILE *picture);
int gnuplot_draw_file(FILE *script, const char *path);

#endif
