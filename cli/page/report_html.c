/* cli/page/report_html.c: HTML report of a comparison: result, tables, plots, provenance. */
#define _POSIX_C_SOURCE 200809L
#include "page/report_pages.h"

#include "files/gnuplot.h"
#include "files/outputs.h"
#include "page/page_frame.h"
#include "terminal/messages.h"
#include "terminal/text_stream.h"

#include <stdlib.h>

void page_write_text(const report_page *page, const char *before, const char *text, const char *after)
{
    html_write_text(page->html, before, text, after);
}

/* ---- text ------------------------------------------------------------------------------------- */

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
    fputs(comparison->interrupted ? "; interrupted.</p>\n" : ".</p>\n", page->html);
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
    fputs("Every kernel was tuned on the training rows with the same budget, refitted on all of them with the "
          "best parameters, and tested on the rows that follow. ",
          page->html);
    fputs(setting->options.protocol == VOLT_PROTOCOL_PUBLISHED
              ? "In the published protocol each kernel has the inputs of the paper: only the Volterra kernels "
                "and the states of an echo state network use past rows.</p>\n"
              : "In the history protocol every kernel uses past rows: the Volterra kernels and the states of "
                "an echo state network all of them, the others a window of tuned length.</p>\n",
          page->html);
}

static void write_definitions(const report_page *page)
{
    const comparison_setting *setting = &page->comparison->setting;
    fputs("<h2>How to read the tables</h2>\n<dl>\n", page->html);
    if (setting->loss_score)
        page_write_text(
            page, "<dt>loss</dt><dd>the mean ", setting->loss_score,
            " of the test rows, in the units of the targets; also the criterion of fits and tuning</dd>\n");
    if (!setting->loss_score && !setting->is_preset)
        fputs("<dt>RMSE, MAE</dt><dd>root of the mean squared error, and mean absolute error, each the mean "
              "over outputs, in the units of the targets</dd>\n",
              page->html);
    if (!setting->loss_score)
        fputs("<dt>MdAE</dt><dd>median absolute error, the mean over outputs, in the units of the "
              "targets</dd>\n"
              "<dt>NMSE</dt><dd>mean squared error over the variance of the measured output, the mean over "
              "outputs: 0 is "
              "perfect, 1 is no better than the mean</dd>\n"
              "<dt>W<sub>1</sub></dt><dd>Wasserstein distance between the distributions of predicted and "
              "measured values, the mean over outputs</dd>\n",
              page->html);
    fputs("<dt>MCS p-value</dt><dd>p-value of the model confidence set of Hansen, Lunde and Nason (2011): the "
          "set of kernels with p &gt; 0.25 contains the best kernel with probability 75 %</dd>\n<dt>tuned "
          "numbers</dt><dd>number of hyperparameters in the search, including alpha</dd>\n</dl>\n",
          page->html);
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
        .html = text_open(&memory), .comparison = comparison, .has_gnuplot = gnuplot_is_installed()};
    if (!page.html || !picture_rows_find(&page.rows, comparison)) {
        free(text_close(&memory));
        return complain(EXIT_FAILED, "not enough memory for the report");
    }
    if (!page.has_gnuplot)
        warn("the report has no plots: gnuplot is not installed (Debian: gnuplot-nox)");
    write_page(&page);
    picture_rows_release(&page.rows);
    char *text = text_close(&memory);
    int failed = text ? output_text(path, text) : complain(EXIT_FAILED, "not enough memory for the report");
    free(text);
    return failed ? failed : page.failed;
}

/* ---- style sheet of the report ----------------------------------------------------------------
 * One column on narrow screens, two columns of plots on wide screens, light or dark mode, tabular numerals. */

const char report_style[] =
    ":root{color-scheme:light dark;--page:#ffffff;--ink:#1c2024;--soft:#5a636c;--line:#d8dde2;--tint:#f4f6f8;"
    "--best:#0b62c4}\n"
    "@media (prefers-color-scheme:dark){:root{--page:#14171a;--ink:#e8eaec;--soft:#a6aeb6;--line:#343a40;"
    "--tint:#1d2125;--best:#7cb7ff}}\n"
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%}\n"
    "body{margin:0 auto;padding:1.25rem 1rem 4rem;max-width:72rem;background:var(--page);color:var(--ink);"
    "font:1rem/1.55 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif}\n"
    "h1{font-size:1.05rem;font-weight:600;color:var(--soft);margin:0 0 .35rem}\n"
    "h2{font-size:1.3rem;line-height:1.3;margin:2.75rem 0 .5rem}\n"
    "p{margin:.5rem 0;max-width:46rem;overflow-wrap:anywhere}\n"
    ".finding{font-size:clamp(1.15rem,.95rem + "
    "1vw,1.45rem);line-height:1.35;font-weight:600;max-width:48rem;margin:.2rem 0 .9rem}\n"
    ".quiet,figcaption,.caption,dt{color:var(--soft)}\n"
    ".caption{font-size:.9rem;line-height:1.45;margin:1.4rem 0 .45rem;max-width:none}\n"
    ".scroll{overflow-x:auto;margin:0 0 1rem;border:1px solid var(--line);border-radius:.5rem}\n"
    "table{border-collapse:separate;border-spacing:0;width:100%;font-size:15px;line-height:22px;font-variant-"
    "numeric:tabular-nums}\n"
    "th,td{padding:7px 14px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}\n"
    "tbody tr:last-child>*{border-bottom:0}\n"
    "thead th{font-weight:600;background:var(--tint);vertical-align:bottom}\n"
    "th:first-child{text-align:left;position:sticky;left:0;background:var(--page)}\n"
    "thead th:first-child{background:var(--tint)}\n"
    "tbody th{font-weight:500}\n"
    ".words,.winner{text-align:left}\n"
    "wbr{display:none}\n"
    "@media (min-width:60rem){.winner{white-space:normal;min-width:17rem}wbr{display:inline}}\n"
    "sub,sup{line-height:0}\n"
    ".lowest{font-weight:700;color:var(--best)}\n"
    ".mark{display:inline-block;width:1.5em;padding-left:.25em;text-align:left;color:var(--best);font-weight:"
    "700}\n"
    ".swatch{display:inline-block;width:.7em;height:.7em;border-radius:50%;margin-right:.55em}\n"
    "code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation "
    "Mono',monospace;font-size:.86em}\n"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--tint);border-radius:.5rem;padding:.7rem "
    ".85rem;"
    "margin:.5rem 0}\n"
    ".figures{display:grid;grid-template-columns:minmax(0,1fr);gap:1.75rem "
    "2.25rem;align-items:start;margin:1rem 0}\n"
    ".wide{display:none}\n"
    "@media (min-width:60rem){.figures{grid-template-columns:repeat(2,minmax(0,1fr))}.span{grid-column:1/-1}"
    ".narrow{display:none}.wide{display:block}.searches{columns:2;column-gap:2.25rem}}\n"
    ".searches figure{break-inside:avoid;margin:0 0 1.75rem}\n"
    "figure{margin:0;min-width:0}\n"
    "figure h3{font-size:1rem;margin:0 0 .25rem}\n"
    "figcaption{font-size:.9rem;line-height:1.45;margin-top:.45rem}\n"
    "svg.plot{display:block;width:100%;max-width:100%;height:auto}\n"
    "svg.plot g{font-family:inherit}\n"
    "dl{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.3rem 1.25rem;margin:.75rem 0}\n"
    "dd{margin:0;overflow-wrap:anywhere}\n"
    "@media print{body{max-width:none}.scroll{overflow:visible}}\n";
