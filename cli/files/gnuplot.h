/* cli/files/gnuplot.h: have gnuplot draw a picture. */
#ifndef CLI_GNUPLOT_H
#define CLI_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

/* Is there a program gnuplot on the search path? */
bool gnuplot_is_there(void);

/* A file without a name to write a script to; NULL after saying what is wrong. Close it with fclose. */
FILE *gnuplot_script(void);

/* Run the script, whose picture goes to gnuplot's standard output (no `set output`), and write the picture to
 * the end of `picture`, or to the file at `path`, which is replaced as a whole or not at all ("-" is standard
 * output). Both return 0, or the exit status after saying what is wrong. */
int gnuplot_draw(FILE *script, FILE *picture);
int gnuplot_draw_file(FILE *script, const char *path);

#endif
