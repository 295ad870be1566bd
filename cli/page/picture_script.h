/* cli/page/picture_script.h: elements shared by gnuplot scripts: names, colours, frames. */
#ifndef CLI_PICTURE_SCRIPT_H
#define CLI_PICTURE_SCRIPT_H

#include "page/page_frame.h"
#include "page/report_pages.h"
#include "volterra.h"

#include <stdio.h>

/* Name and dash type of the kernel at a rank (0: best). The name is truncated to fit a margin. */
enum { PICTURE_NAME_LENGTH = 32 };
const char *picture_name(const picture_rows *rows, int64_t rank, char name[PICTURE_NAME_LENGTH]);
const char *picture_dash(int64_t rank); /* gnuplot's dashtype; solid for the first ranks */
double picture_rank(const volt_comparison *sample, int64_t row);

/* Writes terminal, border and ticks for a plot of that size. */
enum { FONT_SIZE = 15 };
void script_begin(FILE *script, int width, int height);

/* Sets the frame of a panel, in units from the left and from the top. */
void script_frame(FILE *script, int width, int height, double left, double right, double top, double bottom);

/* Writes column k as a table of row number, counted from `first`, and value. Long series are reduced to the
 * minimum and maximum of each bin, in their order, so that peaks are kept. */
void script_table(FILE *script, const char *name, volt_view values, int64_t k, int64_t first);

/* Returns the width of the longest name. */
double script_name_width(const picture_rows *rows);

#define TEST_ROW_LABEL "set xlabel 'test row' offset 0,0.5 textcolor rgb '" QUIET_COLOUR "'\n"

/* ---- plot of a series and its forecast over rows or times -------------------------------------- */

/* An interval around the forecast. */
typedef struct picture_band {
    volt_view half;   /* half-width around the forecast */
    const char *name; /* in the key */
} picture_band;

/* Rows of the x axis are counted from 0. A view whose data is NULL is not drawn. All others have the same
 * columns, with one panel each; only the first few are drawn, and a line names the others. */
typedef struct series_picture {
    const char *title;         /* (optional) above the panels */
    const char *const *names;  /* column names; NULL: y1, y2, ... */
    volt_view history;         /* (optional) observed values */
    int64_t history_row;       /* its first row on the x axis */
    volt_view forecast, truth; /* truth: (optional) */
    const picture_band *bands; /* n_bands, the widest first */
    int n_bands;
    int64_t forecast_row;     /* the first row of forecast, truth and bands */
    const char *const *times; /* (optional) labels of rows of the x axis from times_row on; NULL: numbers */
    int64_t times_row, n_times;
} series_picture;

/* Draws the plot as SVG to a file ("-": standard output). The background is transparent and the colours are
 * visible on white and on black. Requires gnuplot. Returns 0, or the exit status after an error message. */
int picture_series_file(const char *path, const series_picture *picture);

#endif
