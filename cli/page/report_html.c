/* cli/page/report_html.c: the page: the finding, the tables, the pictures, how it was made. */
#define _POSIX_C_SOURCE 200809L
#include "page/report_html.h"

#include "files/gnuplot.h"
#include "files/outputs.h"
#include "page/page_frame.h"
#include "page/report_page.h"
#include "terminal/messages.h"
#include "terminal/text_stream.h"

#include <stdlib.h>

void page_write_text(const report_page *page, const char *before, const char *text, const char *after)
{
    html_write_text(page->html, before, text, after);
}

/* ---- words ------------------------------------------------------------------------------------ */

static void write_head(const report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    char headline[HEADLINE_LENGTH], text[DESCRIPTION_LENGTH];
    page_begin(page->html, "Comparison of kernels", comparison->setting.source);
    page_write_text(page, "<p class=\"finding\">", comparison_headline(comparison, headline), "</p>\n");
    page_write_text(page, "<p class=\"quiet\">", comparison_describe_data(comparison, text), "; ");
    page_write_text(page, "", comparison_describe_search(comparison, text), "");
    if (comparison->n_samples > 1)
        fprintf(page->html, "; %lld samples", (long long)comparison->n_samples);
    fputs(comparison->interrupted ? "; interrupted before its end.</p>\n" : ".</p>\n", page->html);
}

static void write_data(const report_page *page)
{
    const comparison_setting *setting = &page->comparison->setting;
    fputs("<h2>Results</h2>\n<p>", page->html);
    if (setting->is_preset)
        fputs(
            "The inputs are the innovations of a BEKK model of daily returns, with parameters estimated on "
            "prices of "
            "S&amp;P 500 companies; the targets are 1000 times the variances and covariances of the next day. ",
            page->html);
    fputs("Every kernel was tuned on the training rows with the same budget, its winner refitted on all of "
          "them, and "
          "tested on the rows that follow. ",
          page->html);
    fputs(setting->options.protocol == VOLT_PROTOCOL_PUBLISHED
              ? "Under the published protocol each kernel sees what it saw in the paper: only the Volterra "
                "kernels, and the states of an echo state network, see the past.</p>\n"
              : "Under the history protocol every kernel sees the past: the Volterra kernels and the states of "
                "an "
                "echo state network all of it, the others a window whose length is tuned.</p>\n",
          page->html);
}

/* Those of every table; the end of the list. */
static void write_common_definitions(const report_page *page)
{
    fputs("<dt>MCS p-value</dt><dd>of the model confidence set of Hansen, Lunde and Nason (2011): the set of "
          "kernels "
          "above a quarter holds the best one with a confidence of 75 %</dd>\n"
          "<dt>tuned numbers</dt><dd>hyperparameters that the search chose, the ridge penalty alpha "
          "included</dd>\n"
          "</dl>\n",
          page->html);
}

static void write_definitions(const report_page *page)
{
    fputs("<h2>How to read the tables</h2>\n<dl>\n", page->html);
    if (page->comparison->setting.loss_score) {
        page_write_text(
            page, "<dt>loss</dt><dd>the mean ", page->comparison->setting.loss_score,
            " of the test rows, in the units of the targets: the kernels are fitted, tuned and compared by "
            "it</dd>\n");
        write_common_definitions(page);
        return;
    }
    if (!page->comparison->setting.is_preset)
        fputs("<dt>RMSE, MAE</dt><dd>root of the mean squared error, and mean absolute error, each the mean "
              "over outputs, in the units of the targets</dd>\n",
              page->html);
    fputs("<dt>MdAE</dt><dd>median absolute error, the mean over outputs, in the units of the targets</dd>\n"
          "<dt>NMSE</dt><dd>mean squared error over the variance of the truth, the mean over outputs: 0 is "
          "perfect, 1 is "
          "no better than the mean</dd>\n"
          "<dt>W<sub>1</sub></dt><dd>Wasserstein distance between the distributions of forecasts and truth, "
          "the mean over "
          "outputs</dd>\n",
          page->html);
    write_common_definitions(page);
}

static void write_origin(const report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    char text[64];
    unsigned long long seed = comparison->setting.first_seed;
    if (comparison->n_samples > 1)
        snprintf(text, sizeof text, "%llu to %llu", seed, seed + (unsigned long long)comparison->n_samples - 1);
    else
        snprintf(text, sizeof text, "%llu", seed);
    page_end(page->html, comparison->setting.command, text);
}

static void write_page(report_page *page)
{
    write_head(page);
    write_data(page);
    page_write_accuracy(page);
    page_write_tuning(page);
    page_write_samples(page);
    page_write_baselines(page);
    page_write_figures(page);
    write_definitions(page);
    write_origin(page);
}

int report_html_file(const char *path, const cli_comparison *comparison)
{
    text_stream memory;
    report_page page = {
        .html = text_open(&memory), .comparison = comparison, .has_gnuplot = gnuplot_is_there()};
    if (!page.html || !picture_rows_find(&page.rows, comparison)) {
        free(text_close(&memory));
        return complain(EXIT_FAILED, "not enough memory for the report");
    }
    if (!page.has_gnuplot)
        warn("the report has no pictures: there is no program gnuplot to draw them (Debian: gnuplot-nox)");
    write_page(&page);
    picture_rows_release(&page.rows);
    char *text = text_close(&memory);
    int failed = text ? output_text(path, text) : complain(EXIT_FAILED, "not enough memory for the report");
    free(text);
    return failed ? failed : page.failed;
}
