/* cli/page/explain_page.h: plots and HTML page of `explain`. */
#ifndef CLI_EXPLAIN_PAGE_H
#define CLI_EXPLAIN_PAGE_H

#include "files/explained.h"

#include <stdio.h>

/* Both return 0, or the exit status after an error message. */

/* Writes PREFIX.g1.svg, PREFIX.g2.svg (order >= 2) and PREFIX.shares.svg (if shares are available). Requires
 * gnuplot. */
int explain_write_pictures(const explained *shown, const char *prefix);

/* Writes PREFIX.html. Without gnuplot the page has no plots, and a warning is printed. `model` is the file
 * name. */
int explain_write_page(const explained *shown, const char *model, const char *prefix);

/* ---- plots as gnuplot scripts (explain_pictures.c) -------------------------------------------- */

/* Output and inputs of the kernel in a panel. */
enum { MAX_KERNEL_PANELS = 6, MAX_SURFACES = 4 };
typedef struct kernel_panel {
    int64_t output, first, second;
} kernel_panel;

/* Selects at most `most` kernels of order 1 or 2, largest contribution first. *all is the total number. */
int explain_choose(const explained *shown, int order, int most, kernel_panel *panels, int64_t *all);

void explain_draw_first(FILE *script, const explained *shown);
void explain_draw_second(FILE *script, const explained *shown);
void explain_draw_shares(FILE *script, const explained *shown);

#endif
