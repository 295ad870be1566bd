/* cli/page/explain_page.c: HTML page of `explain`: main result, plots, and how to read them. */
#define _POSIX_C_SOURCE 200809L
#include "page/explain_page.h"

#include "files/gnuplot.h"
#include "files/outputs.h"
#include "page/page_frame.h"
#include "terminal/messages.h"
#include "terminal/text_stream.h"

#include <math.h>
#include <stdlib.h>

typedef struct explain_page {
    FILE *html;
    const explained *shown;
    const char *model;
    int figures, failed;
} explain_page;

static void write_text(const explain_page *page, const char *before, const char *text, const char *after)
{
    html_write_text(page->html, before, text, after);
}

/* Summarises the largest contributions. */
static void write_finding(const explain_page *page)
{
    const volt_explanation *e = page->shown->series;
    if (!e->shares) {
        write_text(page, "<p class=\"finding\">The Volterra kernels of ", page->model, "</p>\n");
        return;
    }
    double first = 0, second = 0;
    for (int64_t k = 0; k < e->q; k++) {
        first += e->shares[k * (e->share_orders + 1)] / (double)e->q;
        second += e->shares[k * (e->share_orders + 1) + 1] / (double)e->q;
    }
    double higher = 1 - first - second;
    const char *means = e->q > 1 ? " (means over the outputs)" : "";
    if (fmin(fmin(first, second), higher) < -0.005)
        fprintf(page->html,
                "<p class=\"finding\">The orders partly cancel: their shares are %.2f (linear), %.2f (order 2) "
                "and %.2f "
                "(higher orders)%s.</p>\n",
                first, second, higher, means);
    else
        fprintf(page->html,
                "<p class=\"finding\">Variance of the outputs by order: %.1f %% linear, %.1f %% order 2, %.1f "
                "%% higher orders%s.</p>\n",
                100 * first, 100 * second, 100 * higher, means);
}

static void write_head(const explain_page *page)
{
    const explained *shown = page->shown;
    page_begin(page->html, "Volterra series of the model", page->model);
    write_finding(page);
    write_text(page, "<p class=\"quiet\">Kernel ", shown->info.kernel, "; ");
    fprintf(page->html, "fitted on %lld rows; expanded about %s", (long long)shown->info.n, shown->about);
    for (int64_t j = 0; j < shown->series->d && j < 8; j++)
        fprintf(page->html, "%s%.6g", j ? ", " : " (", shown->series->about[j]);
    fprintf(page->html, "%s); lags 0 to %lld.</p>\n", shown->series->d > 8 ? ", ..." : "",
            (long long)shown->series->lags - 1);
}

static void write_numbers(const explain_page *page)
{
    const explained *shown = page->shown;
    const volt_explanation *e = shown->series;
    int64_t orders = e->share_orders;
    fputs("<h2>Outputs</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>output</th><th>g<sub>0</sub></th>"
          "<th>memory (lags)</th>",
          page->html);
    for (int64_t p = 0; e->shares && p < orders; p++)
        fprintf(page->html, "<th>order %lld</th>", (long long)p + 1);
    fputs(e->shares ? "<th>higher</th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n", page->html);
    for (int64_t k = 0; k < e->q; k++) {
        write_text(page, "<tr><th>", shown->outputs[k], "</th>");
        fprintf(page->html, "<td>%.6g</td><td>%lld%s</td>", e->g0[k], (long long)e->memory[k],
                e->memory[k] == e->lags ? "+" : "");
        for (int64_t p = 0; e->shares && p <= orders; p++)
            fprintf(page->html, "<td>%.4f</td>", e->shares[k * (orders + 1) + p]);
        fputs("</tr>\n", page->html);
    }
    fputs("</tbody>\n</table></div>\n", page->html);
}

static char *draw(explain_page *page, void (*picture)(FILE *, const explained *))
{
    FILE *script = gnuplot_script();
    if (script)
        picture(script, page->shown);
    return page_draw_script(script, &page->failed);
}

static void write_figure(explain_page *page, const char *title, const char *caption,
                         void (*picture)(FILE *, const explained *))
{
    char prefix[16];
    char *svg = draw(page, picture);
    snprintf(prefix, sizeof prefix, "f%d-", ++page->figures);
    fprintf(page->html, "<figure>\n<h3>%s</h3>\n", title);
    if (svg)
        inline_svg_write(page->html, svg, prefix, title);
    else
        fputs("<p class=\"quiet\">This plot could not be made.</p>", page->html);
    fprintf(page->html, "<figcaption>Figure %d. ", page->figures);
    html_escape(page->html, caption);
    fputs("</figcaption>\n</figure>\n", page->html);
    free(svg);
}

/* Writes "; the 6 of 30 that do most". */
static const char *chosen(const explained *shown, int order, int most, char text[80])
{
    kernel_panel panels[MAX_KERNEL_PANELS];
    int64_t all;
    int count = explain_choose(shown, order, most, panels, &all);
    if (count == all)
        text[0] = '\0';
    else
        snprintf(text, 80, " Of %lld such kernels, the %d largest are shown.", (long long)all, count);
    return text;
}

static void write_figures(explain_page *page)
{
    const volt_explanation *e = page->shown->series;
    char caption[512], more[80];
    if (!gnuplot_is_installed()) {
        warn("the page has no plots: gnuplot is not installed (Debian: gnuplot-nox)");
        fputs("<p class=\"quiet\">No plots: gnuplot was not installed.</p>\n", page->html);
        return;
    }
    fputs("<h2>Kernels</h2>\n<div class=\"figures\">\n", page->html);
    snprintf(caption, sizeof caption,
             "Kernel of order 1: response of the output to a unit impulse in the input, by lag.%s%s",
             e->g1_std ? " The band is a 90 % interval." : "", chosen(page->shown, 1, MAX_KERNEL_PANELS, more));
    write_figure(page, "Order 1", caption, explain_draw_first);
    if (e->order >= 2) {
        snprintf(caption, sizeof caption,
                 "Kernel of order 2 for ordered pairs of lags, and its diagonal: the response to two impulses "
                 "minus their separate responses.%s",
                 chosen(page->shown, 2, MAX_SURFACES, more));
        write_figure(page, "Order 2", caption, explain_draw_second);
    }
    if (e->shares)
        write_figure(page, "Shares of the orders",
                     "cov(f_p, f) / var(f) over the rows, where f_p is the part of order p. Shares sum to 1 "
                     "and may be negative.",
                     explain_draw_shares);
    fputs("</div>\n", page->html);
}

static void write_origin(const explain_page *page)
{
    char date[PAGE_DATE_LENGTH];
    volt_build_info info = {.struct_size = sizeof info};
    volt_build_info_get(&info);
    fputs("<h2>How to read this</h2>\n"
          "<p>f = g<sub>0</sub> + &Sigma; g<sub>1</sub>[m] &delta;<sub>-m</sub> + &Sigma; "
          "g<sub>2</sub>[m<sub>1</sub>]"
          "[m<sub>2</sub>] &delta;<sub>-m<sub>1</sub></sub> &delta;<sub>-m<sub>2</sub></sub> + &hellip;, "
          "&delta; = inputs minus the point of expansion, all in the units of the data. Memory is the number "
          "of lags with 99 % of the response of g<sub>1</sub> and g<sub>2</sub> to white inputs. Orders depend "
          "on the point of expansion. Ridge regression shrinks the kernels slightly; the difference is part of "
          "the higher orders.</p>\n",
          page->html);
    fprintf(page->html, "<p class=\"quiet\">volterra %s, %s.</p>\n</body>\n</html>\n", info.version,
            page_date(date));
}

int explain_write_page(const explained *shown, const char *model, const char *prefix)
{
    text_stream memory;
    char path[EXPLAINED_PATH];
    explain_page page = {.html = text_open(&memory), .shown = shown, .model = model};
    if (!page.html) {
        free(text_close(&memory));
        return complain(EXIT_FAILED, "not enough memory for the page");
    }
    write_head(&page);
    write_numbers(&page);
    write_figures(&page);
    write_origin(&page);
    char *text = text_close(&memory);
    int failed = text ? output_text(explained_path(prefix, "html", path), text)
                      : complain(EXIT_FAILED, "not enough memory for the page");
    free(text);
    return failed ? failed : page.failed;
}
