/* cli/page/picture_script.h: scripts of pictures that belong together: names, colours, frames. */
#ifndef CLI_PICTURE_SCRIPT_H
#define CLI_PICTURE_SCRIPT_H

#include "page/page_frame.h"
#include "page/report_pages.h"
#include "volterra.h"

#include <stdio.h>

/* Of the kernel of a rank, 0 the best. The name is cut where it would not fit a margin. */
enum { PICTURE_NAME_LENGTH = 32 };
const char *picture_name(const picture_rows *rows, int64_t rank, char name[PICTURE_NAME_LENGTH]);
const char *picture_dash(int64_t rank); /* gnuplot's dashtype; those of the first ranks are solid */
double picture_rank(const volt_comparison *sample, int64_t row);

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

/* ---- a picture of a series: what was, what is forecast, what came, over rows or times ---------- */

/* Rows of the x axis are counted from 0. A view whose data is NULL is not drawn; all others have the same columns, one
 * panel each, of which the first few are drawn. */
typedef struct series_picture {
    const char *title;         /* (optional) above the panels */
    const char *const *names;  /* of the columns; NULL: y1, y2, ... */
    volt_view history;         /* (optional) what is known */
    int64_t history_row;       /* its first row on the x axis */
    volt_view forecast, truth; /* truth: (optional) */
    volt_view baseline;        /* (optional) */
    const char *baseline_name; /* in the key */
    volt_view band;            /* (optional) half the height of a band around the forecast */
    const char *band_name;     /* in the key */
    int64_t forecast_row;      /* the first row of forecast, truth, baseline and band */
    const char *const *times;  /* (optional) labels of rows of the x axis from times_row on; NULL: numbers */
    int64_t times_row, n_times;
} series_picture;

/* Draw it as SVG to a file ("-": standard output). The background is transparent and the colours are of middle
 * brightness, so that it shows on white and on black. Needs gnuplot. Returns 0, or the exit status after saying what is
 * wrong. */
int picture_series_file(const char *path, const series_picture *picture);

#endif
