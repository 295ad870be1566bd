/* scripts/draw_plot.c: draw a plot of the documentation: a description on standard input, SVG on standard output.
 *
 *     panel TITLE              begins a panel; the lines below are about the last one
 *     x LABEL                  label of the x axis
 *     log                      logarithmic axes
 *     times                    the x values are times; equal ones have one place
 *     line N NAME              begins a series with colour N; its name may be missing. Also dashed, dots
 *     X,Y                      a point of the last series
 *
 * Built by the target draw_plot, for scripts/doc_pictures.sh and bench/large_docs.py. */
#define _POSIX_C_SOURCE 200809L
#include "files/svg_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TIMES = 20000 };
static char *times[MAX_TIMES];
static int64_t n_times;

static double place_of(const char *time)
{
    int64_t i = n_times;
    while (i > 0 && strcmp(times[i - 1], time) > 0)
        i--;
    if (i > 0 && strcmp(times[i - 1], time) == 0)
        return (double)(i - 1);
    if (i == n_times && n_times < MAX_TIMES)
        times[n_times++] = strdup(time);
    return i < n_times ? (double)i : NAN; /* a new time must be the last one */
}

static svg_series *add_series(svg_panel *panel, const char *kind, const char *rest)
{
    char *name;
    const int colour = (int)strtol(rest, &name, 10);
    svg_series *series =
        svg_add_series(panel, strcmp(kind, "dots") == 0 ? SVG_DOTS : SVG_LINE, colour, name + (*name == ' '));
    series->is_dashed = strcmp(kind, "dashed") == 0;
    return series;
}

int main(int argc, char **argv)
{
    char line[1024];
    svg_plot plot = {.columns = argc > 1 ? atoi(argv[1]) : 1, .width = argc > 2 ? atoi(argv[2]) : 0};
    svg_panel *panel = NULL;
    svg_series *series = NULL;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        char *rest =
            line + strcspn(line, strchr("-0123456789", line[0]) ? "," : " "); /* times contain blanks */
        const char kind = *rest;
        *rest = '\0';
        rest += kind != '\0';
        if (kind == ',' && series)
            svg_add(series, panel->x.are_times ? place_of(line) : atof(line), *rest ? atof(rest) : NAN, 0);
        else if (strcmp(line, "panel") == 0)
            panel = svg_add_panel(&plot, "%s", rest);
        else if (!panel)
            return fprintf(stderr, "draw_plot: no panel before '%s'\n", line), 1;
        else if (strcmp(line, "x") == 0)
            svg_text(panel->x.label, "%s", rest);
        else if (strcmp(line, "log") == 0)
            panel->x.is_log = panel->y.is_log = true;
        else if (strcmp(line, "times") == 0)
            panel->x.are_times = true;
        else
            series = add_series(panel, line, rest);
    }
    for (svg_panel *one = plot.panels; one; one = one->next) {
        one->x.texts = one->x.are_times ? (const char *const *)times : NULL;
        one->x.n_texts = n_times;
    }
    return svg_write_file("-", &plot);
}
