/* cli/files/svg_plot.h: write plots as SVG.
 *
 * A plot is a grid of panels with a common key, a panel has two axes and its series, a series has points. A picture is made by adding
 * panels, series and points, and by one of the two functions that write. Memory that runs out is reported by these, so the
 * functions that add need no checks. Texts and numbers may be anything: what has no place on an axis is not drawn. */
#ifndef CLI_SVG_PLOT_H
#define CLI_SVG_PLOT_H

#include "volterra.h"

#include <stdbool.h>
#include <stdio.h>

/* Widths of a plot in pixels: a file of its own, or one of two columns of a page; the whole width of a page. */
enum { SVG_NARROW = 560, SVG_WIDE = 1080 };

enum { SVG_TEXT = 256 };
enum { SVG_GREY, SVG_BLUE, SVG_ORANGE, SVG_GREEN, SVG_PINK, SVG_PURPLE, SVG_COLOURS = 10 };

/* Returns the colour of series number 0, 1, ...: all but the grey in turn. */
int svg_colour(int64_t number);

typedef enum svg_mark {
    SVG_LINE, /* through (x, y), interrupted where a number is not finite */
    SVG_DOTS, /* at (x, y), as the next two */
    SVG_CROSSES,
    SVG_TRIANGLES,
    SVG_BAND,  /* area between y and z */
    SVG_BARS,  /* area from z to y, of width `size` on the x axis */
    SVG_STEMS, /* vertical line from z to y */
    SVG_SPANS, /* horizontal line from x to z at y */
    SVG_CELLS /* squares of side `size` (default 1) around (x, y), coloured by z between -scale and scale; row by row */
} svg_mark;

typedef struct svg_point {
    double x, y, z;
} svg_point;

typedef struct svg_series {
    svg_mark mark;
    int colour;
    char name[SVG_TEXT];  /* in the key; "": none */
    double size, opacity; /* width of a line or diameter of a mark in pixels; 0: the usual ones */
    double key_opacity;   /* of the sample in the key; 0: that of the marks */
    bool is_dashed;
    svg_point *points;
    int64_t count, capacity;
    struct svg_plot *plot;
    const struct svg_panel *panel;
    struct svg_series *next;
} svg_series;

typedef struct svg_tick {
    double at;
    const char *word;         /* a text of the axis; NULL: `text` */
    char text[24], below[16]; /* `below`: the day, where it changes */
} svg_tick;

enum { SVG_TICKS = 40 };
typedef struct svg_axis {
    char label[SVG_TEXT];
    double low, high; /* range; equal: from the points */
    double step;      /* distance of ticks; 0: chosen */
    bool is_log, is_whole;
    const char *const *texts; /* (optional) of the values first_text, first_text + 1, ...; kept by the caller */
    int64_t first_text, n_texts;
    bool are_times; /* the texts are times, of which a few round ones get a tick; otherwise all */
    /* found by the layout: */
    bool is_upward;
    double length; /* in pixels */
    int n_ticks;
    svg_tick ticks[SVG_TICKS];
} svg_axis;

typedef struct svg_panel {
    char title[SVG_TEXT];
    svg_axis x, y;
    double origin;            /* vertical dashed line; NAN: none */
    bool has_zero;            /* horizontal line at 0 */
    bool shares_x;            /* the panel below has the same x axis and its labels */
    double scale;             /* of SVG_CELLS, shown at the right; 0: none */
    double height;            /* in pixels; 0: the usual one */
    double left, top, margin; /* found by the layout: place of the data, and room for the labels at its left */
    struct svg_plot *plot;
    struct svg_panel *next;
} svg_panel;

typedef struct svg_plot {
    int width, columns;                   /* 0: SVG_NARROW, 1 */
    char title[SVG_TEXT], note[SVG_TEXT]; /* above and below; "": none */
    void *kept;                           /* (optional) memory of the texts of the axes, freed with the plot */
    bool failed;                          /* memory ran out */
    svg_panel *panels, *last_panel, spare_panel; /* the spare ones take what is added after a failure */
    svg_series *series, *last_series, spare_series;
} svg_plot;

/* Formats a text and shortens it where a character ends. */
void svg_text(char text[SVG_TEXT], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Add a panel with this title, and a series with this name ("": not in the key) behind those before it. */
svg_panel *svg_add_panel(svg_plot *plot, const char *format, ...) __attribute__((format(printf, 2, 3)));
svg_series *svg_add_series(svg_panel *panel, svg_mark mark, int colour, const char *name);

/* Add a point, and column k of a matrix at x = first, first + 1, ... */
void svg_add(svg_series *series, double x, double y, double z);
void svg_add_column(svg_series *series, volt_view values, int64_t k, int64_t first);

/* Write the plot and release it: to a file ("-": standard output), replaced atomically, or into an HTML page with svg_style, where
 * `label` is the text alternative. Return 0, or the exit status after an error message. */
int svg_write_file(const char *path, svg_plot *plot);
int svg_write_inline(FILE *html, svg_plot *plot, const char *label);

/* The style sheet of the plots, for light and dark pages. Elements of class cN have colour number N. */
extern const char svg_style[];

/* Write plain text as HTML or XML, completely or its first bytes. Quotation marks are escaped too. Control characters, which are
 * invalid, become "?". */
void html_escape(FILE *html, const char *text);
void html_escape_part(FILE *html, const char *text, size_t length);

#endif
