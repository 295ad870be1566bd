/* cli/page/explain_page.h: what a model has learned, in pictures and on a page. */
#ifndef CLI_EXPLAIN_PAGE_H
#define CLI_EXPLAIN_PAGE_H

#include "files/explained.h"

#include <stdio.h>

/* Both return 0, or the exit status after saying what is wrong. */

/* PREFIX.g1.svg, PREFIX.g2.svg from order 2 on, PREFIX.shares.svg where there are shares. Needs gnuplot. */
int explain_write_pictures(const explained *shown, const char *prefix);

/* PREFIX.html; without gnuplot it has no pictures, and a warning says so. `model` is the file's name. */
int explain_write_page(const explained *shown, const char *model, const char *prefix);

/* ---- the pictures as scripts (explain_pictures.c) --------------------------------------------- */

/* What a panel shows: an output, and the inputs of its kernel. */
enum { MOST_KERNEL_PANELS = 6, MOST_SURFACES = 4 };
typedef struct kernel_panel {
    int64_t output, first, second;
} kernel_panel;

/* The kernels of order 1 or 2 that do most, in order, `most` at most; *all: how many there are. */
int explain_choose(const explained *shown, int order, int most, kernel_panel *panels, int64_t *all);

void explain_draw_first(FILE *script, const explained *shown);
void explain_draw_second(FILE *script, const explained *shown);
void explain_draw_shares(FILE *script, const explained *shown);

#endif
