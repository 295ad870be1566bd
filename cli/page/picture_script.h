/* cli/page/picture_script.h: scripts of pictures that belong together: names, colours, frames. */
#ifndef CLI_PICTURE_SCRIPT_H
#define CLI_PICTURE_SCRIPT_H

#include "page/inline_svg.h"
#include "page/report_pictures.h"

#include <stdio.h>

/* Of the kernel of a rank, 0 the best. The name is cut where it would not fit a margin. */
enum { PICTURE_NAME_LENGTH = 32 };
const char *picture_name(const picture_rows *rows, int64_t rank, char name[PICTURE_NAME_LENGTH]);
const char *picture_dash(int64_t rank); /* gnuplot's dashtype; those of the first ranks are solid */
double picture_rank(const volt_study *study, int64_t row);

/* Terminal, border and ticks of a picture of that size. */
enum { FONT_SIZE = 15 };
void script_begin(FILE *script, int width, int height);

/* The frame of a panel, in units from the left and from the top. */
void script_frame(FILE *script, int width, int height, double left, double right, double top, double bottom);

/* Column k of the values as a table of rows, counted from `first`, and values. Of many rows only the least and the largest of
 * every bin are drawn, in their order: no peak is lost. */
void script_table(FILE *script, const char *name, volt_view values, int64_t k, int64_t first);

/* Room for the longest name. */
double script_name_width(const picture_rows *rows);

#define TEST_ROW_LABEL "set xlabel 'test row' offset 0,0.5 textcolor rgb '" QUIET_COLOUR "'\n"

#endif
