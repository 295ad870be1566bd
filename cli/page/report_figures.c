/* cli/page/report_figures.c: plots of the report, drawn by gnuplot and inlined in the page. */
#define _POSIX_C_SOURCE 200809L
#include "files/gnuplot.h"
#include "page/page_frame.h"
#include "page/report_pages.h"
#include "search/search_plot.h"
#include "terminal/messages.h"
#include "terminal/text_stream.h"

#include <stdlib.h>

/* Writes one plot of a figure. `form` is "any", "narrow" or "wide". svg NULL: not drawn. */
static void write_picture(const report_page *page, const char *title, const char *svg, const char *form)
{
    char prefix[32];
    snprintf(prefix, sizeof prefix, "f%d-%s-", page->figures, form);
    fprintf(page->html, "<div class=\"%s\">", form);
    if (svg)
        inline_svg_write(page->html, svg, prefix, title);
    else
        fputs("<p class=\"quiet\">This plot could not be made.</p>", page->html);
    fputs("</div>\n", page->html);
}

/* Writes a figure with one plot, and optionally a second plot for wide screens (NULL: none). */
static void write_figure(report_page *page, const char *title, const char *svg, const char *wide,
                         const char *caption)
{
    page->figures++;
    page_write_text(page, wide ? "<figure class=\"span\">\n<h3>" : "<figure>\n<h3>", title, "</h3>\n");
    write_picture(page, title, svg, wide ? "narrow" : "any");
    if (wide)
        write_picture(page, title, wide, "wide");
    fprintf(page->html, "<figcaption>Figure %d. ", page->figures);
    html_escape(page->html, caption);
    fputs("</figcaption>\n</figure>\n", page->html);
}

static char *draw_forecasts(report_page *page, const forecast_choice *picked, int width)
{
    FILE *script = gnuplot_script();
    if (script)
        picture_forecasts(script, &page->rows, picked, width);
    return page_draw_script(script, &page->failed);
}

static void write_forecasts(report_page *page)
{
    char caption[512], few[64] = "", undrawn[UNDRAWN_LENGTH];
    forecast_choice picked = picture_choose(&page->rows), narrow = picked;
    const comparison_setting *setting = &page->comparison->setting;
    if (narrow.rows > MAX_NARROW_ROWS) {
        narrow.rows = MAX_NARROW_ROWS;
        snprintf(few, sizeof few, " (on a small screen the first %d)", MAX_NARROW_ROWS);
    }
    char *svg = draw_forecasts(page, &narrow, PICTURE_NARROW),
         *wide = draw_forecasts(page, &picked, PICTURE_WIDE);
    snprintf(caption, sizeof caption,
             "Measured outputs and predictions of the %s in the %s%lld test rows%s, for %s%s%s%s.",
             picked.kernels > 1 ? "best kernels" : "kernel", picked.rows < setting->truth.rows ? "first " : "",
             (long long)picked.rows, few,
             setting->q > 2
                 ? "the first two outputs and, of the others, the one on which the kernels differ most"
             : setting->q > 1 ? "both outputs"
                              : "the output",
             page->comparison->n_samples > 1 ? ", first sample" : "", setting->q > 3 ? "; " : "",
             undrawn_text((const char *const *)setting->output_names, 2, setting->q,
                          picked.outputs[picked.n_outputs - 1], undrawn));
    write_figure(page, "Measured and predicted", svg, wide, caption);
    free(svg);
    free(wide);
}

static void write_cumulated(report_page *page)
{
    FILE *script = gnuplot_script();
    if (script)
        picture_cumulated(script, &page->rows);
    char *svg = page_draw_script(script, &page->failed), caption[320];
    const char *loss = page->comparison->setting.loss_score;
    snprintf(caption, sizeof caption, "Cumulative loss over the test rows: %s. Lower is better.",
             loss ? loss : "squared errors / variance of the output, mean over outputs");
    write_figure(page, "Cumulative loss", svg, NULL, caption);
    free(svg);
}

static void write_errors(report_page *page)
{
    FILE *script = gnuplot_script();
    if (script && !picture_errors(script, &page->rows)) {
        fclose(script);
        script = NULL;
        page->failed = complain(EXIT_FAILED, "not enough memory for the errors");
    }
    char *svg = page_draw_script(script, &page->failed);
    write_figure(page, "Distribution of the errors", svg, NULL,
                 "Absolute errors / standard deviation of the output, over all outputs and test rows: median "
                 "(dot), quartiles (bar), 5 % to 95 % (line). Lower is better.");
    free(svg);
}

static void write_sample_chart(report_page *page)
{
    if (page->comparison->n_samples < 2)
        return;
    FILE *script = gnuplot_script();
    if (script)
        picture_samples(script, &page->rows);
    char *svg = page_draw_script(script, &page->failed);
    write_figure(page, page->comparison->setting.loss_score ? "Loss in every sample" : "NMSE in every sample",
                 svg, NULL, "One dot per sample and kernel. Lower is better.");
    free(svg);
}

/* Plots score against each parameter, one plot per kernel. */
static void write_search(report_page *page, int64_t row)
{
    char *svg = NULL, caption[256], failures[48] = "";
    text_stream memory;
    const volt_comparison *sample = page->rows.sample;
    const volt_search *search = volt_comparison_row_at(sample, row)->search;
    if (!search)
        return;
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    score_words words = score_words_of(&info);
    if (info.failed > 0)
        snprintf(failures, sizeof failures, ", %lld of which failed", (long long)info.failed);
    const volt_trial *best = volt_search_trial(search, VOLT_TRIAL_BEST);
    const volt_trial **trials = malloc(((size_t)info.trials + 1) * sizeof(const volt_trial *));
    for (int64_t i = 0; trials && i < info.trials; i++)
        trials[i] = volt_search_trial(search, i);
    int failed = 0;
    if (trials && text_open(&memory)) {
        failed = search_plot_write(memory.out, trials, info.trials, best, &words, 1);
        svg = text_close(&memory);
    }
    if (!svg && !failed)
        failed = complain(EXIT_FAILED, "not enough memory for the plot of a search");
    if (failed && !page->failed)
        page->failed = failed;
    if (best)
        snprintf(caption, sizeof caption,
                 "The search of %.60s: %lld draw%s%s, the best with a mean %s of %.4g.",
                 volt_comparison_row_at(sample, row)->name, (long long)info.trials, info.trials == 1 ? "" : "s",
                 failures, words.label, best->score);
    else
        snprintf(caption, sizeof caption, "The search of %.60s: no draw has a score.",
                 volt_comparison_row_at(sample, row)->name);
    write_figure(page, volt_comparison_row_at(sample, row)->name, failed ? NULL : svg, NULL, caption);
    free(svg);
    free(trials);
}

void page_write_figures(report_page *page)
{
    fputs("<h2>Plots</h2>\n", page->html);
    if (!page->has_gnuplot) {
        fputs("<p class=\"nopictures\">No plots: gnuplot was not installed. Install it (Debian: gnuplot-nox) "
              "and repeat the command below.</p>\n",
              page->html);
        return;
    }
    if (page->rows.count == 0) {
        fputs("<p>No plots: no kernel has a result.</p>\n", page->html);
        return;
    }
    fputs("<div class=\"figures\">\n", page->html);
    /* Levels and probabilities are not comparable with targets. */
    bool are_targets = volt_comparison_row_at(page->rows.sample, page->rows.rows[0])->forecast.cols ==
                       page->comparison->setting.truth.cols;
    if (are_targets)
        write_forecasts(page);
    write_cumulated(page);
    if (are_targets)
        write_errors(page);
    write_sample_chart(page);
    fputs("</div>\n<h2>The searches</h2>\n"
          "<p>Mean ",
          page->html);
    fputs(page->comparison->setting.loss_score ? "loss" : "R<sup>2</sup>", page->html);
    fputs(" over the folds against each searched parameter. Every dot is a draw; the best is orange, draws "
          "stopped early are faint.</p>\n<div class=\"searches\">\n",
          page->html);
    for (int64_t i = 0; volt_comparison_row_at(page->rows.sample, i); i++)
        write_search(page, i);
    fputs("</div>\n", page->html);
}
