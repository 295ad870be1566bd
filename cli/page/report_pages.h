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

/* The kernels of the first sample that have forecasts, best first. */
typedef struct picture_rows {
    const cli_comparison *comparison;
    const volt_comparison *sample;
    int64_t *rows; /* of the sample; owned */
    int64_t count;
} picture_rows;

/* Returns false when out of memory. */
bool picture_rows_find(picture_rows *rows, const cli_comparison *comparison);
void picture_rows_release(picture_rows *rows);

/* Returns the colour of the kernel at that rank (0: best) as #rrggbb. */
const char *picture_colour(int64_t rank);

/* Truth and forecasts of the best kernels for a few outputs: the first, the second, and the other one on
 * which the kernels differ most. The narrow plot shows fewer rows. */
enum { PICTURE_NARROW = 520, PICTURE_WIDE = 1080 };
enum { MAX_PANELS = 3, MAX_FORECASTS = 3, MAX_TEST_ROWS = 1000, MAX_NARROW_ROWS = 250 };
typedef struct forecast_choice {
    int64_t outputs[MAX_PANELS];
    int n_outputs;
    int64_t kernels; /* number of best kernels shown */
    int64_t rows;    /* number of leading test rows shown */
} forecast_choice;
forecast_choice picture_choose(const picture_rows *rows);
void picture_forecasts(FILE *script, const picture_rows *rows, const forecast_choice *picked, int width);

/* Plots the cumulative loss of every kernel. */
void picture_cumulated(FILE *script, const picture_rows *rows);

/* Plots the 5, 25, 50, 75 and 95 % quantiles of the absolute error of every kernel over all outputs and test
 * rows. Errors are divided by the standard deviation of the output. Returns false when out of memory. */
bool picture_errors(FILE *script, const picture_rows *rows);

/* Plots the NMSE of every kernel in every sample. */
void picture_samples(FILE *script, const picture_rows *rows);

/* ---- the page during writing -------------------------------------------------------------------- */

typedef struct report_page {
    FILE *html;
    const cli_comparison *comparison;
    picture_rows rows;
    bool has_gnuplot;
    int tables, figures; /* so far */
    int failed;          /* exit status of the first failed plot */
} report_page;

/* `before` and `after` are HTML, `text` is plain. */
void page_write_text(const report_page *page, const char *before, const char *text, const char *after);

/* Writes tables I and II of the paper, and a table of all samples if there are several (report_tables.c). */
void page_write_accuracy(report_page *page);
void page_write_tuning(report_page *page);
void page_write_baselines(report_page *page); /* for user data */
void page_write_samples(report_page *page);

/* Writes every plot with its caption, or the reason why plots are missing (report_figures.c). */
void page_write_figures(report_page *page);

#endif
