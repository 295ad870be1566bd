/* cli/page/report_page.h: the page of the report on its way, and the parts that fill it. */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include "compare/comparison.h"
#include "page/report_pictures.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct report_page {
    FILE *html;
    const cli_comparison *comparison;
    picture_rows rows;
    bool has_gnuplot;
    int tables, figures; /* so far */
    int failed;          /* exit status of the first picture that failed */
} report_page;

/* `before` and `after` are HTML, `text` is plain. */
void page_write_text(const report_page *page, const char *before, const char *text, const char *after);

/* Tables I and II of the paper, and one of all samples where there are several (report_tables.c). */
void page_write_accuracy(report_page *page);
void page_write_tuning(report_page *page);
void page_write_baselines(report_page *page); /* of one's own data */
void page_write_samples(report_page *page);

/* Every picture with its caption, or why there are none (report_figures.c). */
void page_write_figures(report_page *page);

#endif
