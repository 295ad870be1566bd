/* cli/page/explain_page.h: plots and HTML page of `explain`. */
#ifndef CLI_EXPLAIN_PAGE_H
#define CLI_EXPLAIN_PAGE_H

#include "files/explained.h"
#include "page/page_frame.h"

/* Functions that return int return 0, or the exit status after an error message. */

/* Writes PREFIX.g1.svg, PREFIX.g2.svg (order >= 2) and PREFIX.shares.svg (if shares are available). */
int explain_write_pictures(const explained *shown, const char *prefix);

/* Writes PREFIX.html. `model` is the file name. */
int explain_write_page(const explained *shown, const char *model, const char *prefix);

/* Writes the figures of the kernels of orders 1 and 2 into a page. */
void explain_write_kernels(html_page *page, const explained *shown);

#endif
