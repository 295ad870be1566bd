/* cli/page/report_pages.h: the report on a comparison: one self-contained HTML page with tables and plots. */
#ifndef CLI_REPORT_PAGES_H
#define CLI_REPORT_PAGES_H

#include "compare/comparison.h"

#include <stdbool.h>
#include <stdio.h>

/* Write the page to a file ("-": standard output). Without gnuplot the page has no plots, and a
 * warning is printed. Returns 0, or the exit status after printing the error. */
int report_html_file(const char *path, const cli_comparison *comparison);

/* ---- plots, as gnuplot scripts; they show the first sample ------------------------------------- */

/* The kernels of the first sample that have forecasts, the best first. */
typedef struct picture_rows {
    const cli_comparison *comparison;
    const volt_comparison *sample;
    int64_t *rows; /* of the sample; owned */
    int64_t count;
} picture_rows;

/* False: not enough memory. */
bool picture_rows_find(picture_rows *rows, const cli_comparison *comparison);
void picture_rows_release(picture_rows *rows);

/* The colour of the kernel of that rank, 0 the best, as #rrggbb. */
const char *picture_colour(int64_t rank);

/* Truth and the forecasts of the best kernels for a few outputs: the first, the second, and of the others the one on
 * which the kernels differ most. The narrow form has room for fewer rows. */
enum { PICTURE_NARROW = 520, PICTURE_WIDE = 1080 };
enum { MOST_PANELS = 3, MOST_FORECASTS = 3, MOST_TEST_ROWS = 1000, MOST_NARROW_ROWS = 250 };
typedef struct forecast_choice {
    int64_t outputs[MOST_PANELS];
    int n_outputs;
    int64_t kernels; /* the best ones */
    int64_t rows;    /* test rows shown, the first */
} forecast_choice;
forecast_choice picture_choose(const picture_rows *rows);
void picture_forecasts(FILE *script, const picture_rows *rows, const forecast_choice *picked, int width);

/* Sum of the losses so far, of every kernel. */
void picture_cumulated(FILE *script, const picture_rows *rows);

/* Absolute errors over the standard deviation of the output, all outputs and test rows together: quantiles 5, 25,
 * 50, 75, 95 % of every kernel. Returns false when memory is out. */
bool picture_errors(FILE *script, const picture_rows *rows);

/* NMSE of every kernel in every sample. */
void picture_samples(FILE *script, const picture_rows *rows);

/* ---- the page while it is written --------------------------------------------------------------- */

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
