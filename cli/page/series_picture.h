/* cli/page/series_picture.h: plot of series and their predictions over rows or times. */
#ifndef CLI_SERIES_PICTURE_H
#define CLI_SERIES_PICTURE_H

#include "volterra.h"

#include <stdbool.h>

/* Rows of the x axis are counted from 0. A view whose data is NULL is not drawn. All others have the same
 * columns, with one panel each; only the first few are drawn, and a line names the others. */
typedef struct series_picture {
    const char *title;            /* (optional) above the panels */
    const char *const *names;     /* column names; NULL: y1, y2, ... */
    volt_view history;            /* (optional) observed values */
    int64_t history_row;          /* its first row on the x axis */
    volt_view forecast, truth;    /* (optional) */
    const volt_view *half_widths; /* intervals around the forecast: n_bands, the widest first */
    const char *const *band_names;
    int n_bands;
    int64_t forecast_row;     /* the first row of forecast, truth and bands */
    bool has_origin;          /* a line at the first row of the forecast */
    const char *const *times; /* (optional) labels of rows of the x axis from times_row on; NULL: numbers */
    int64_t times_row, n_times;
} series_picture;

/* Draws the plot as SVG to a file ("-": standard output). Returns 0, or the exit status after an error message. */
int picture_series_file(const char *path, const series_picture *picture);

#endif
