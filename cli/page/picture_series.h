/* cli/page/picture_series.h: a picture of a series: what was, what is forecast, what came, over rows or times. */
#ifndef CLI_PICTURE_SERIES_H
#define CLI_PICTURE_SERIES_H

#include "volterra.h"

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
