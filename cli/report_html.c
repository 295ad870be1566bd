/* cli/report_html.c: the page: the finding, the tables, the pictures, how it was made. */
#define _POSIX_C_SOURCE 200809L
#include "report_html.h"

#include "comparison_cells.h"
#include "gnuplot.h"
#include "inline_svg.h"
#include "machine.h"
#include "outputs.h"
#include "report.h"
#include "report_pictures.h"
#include "search_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A page on its way. */
typedef struct report_page {
    FILE *html;
    const cli_comparison *comparison;
    picture_rows rows;
    bool has_gnuplot;
    int tables, figures; /* so far */
    int failed;          /* exit status of the first picture that failed */
} report_page;

static void write_text(const report_page *page, const char *before, const char *text, const char *after)
{
    fputs(before, page->html);
    html_escape(page->html, text);
    fputs(after, page->html);
}

/* ---- tables ----------------------------------------------------------------------------------- */

static void begin_table(report_page *page, const char *caption)
{
    /* Above the table, not in it: a table scrolls sideways on a small screen. */
    page->tables++;
    fprintf(page->html, "<p class=\"caption\" id=\"table%d\">Table %d. ", page->tables, page->tables);
    html_escape(page->html, caption);
    fprintf(page->html, "</p>\n<div class=\"scroll\"><table aria-labelledby=\"table%d\">\n<thead><tr>",
            page->tables);
}

static void end_table(const report_page *page)
{
    fputs("</tbody>\n</table></div>\n", page->html);
}

/* The name of a kernel, with the colour that it has in the pictures. */
static void write_row_name(const report_page *page, int64_t row, const char *name)
{
    const char *colour = "transparent";
    for (int64_t r = 0; r < page->rows.count; r++)
        if (page->rows.rows[r] == row)
            colour = picture_colour(r);
    fprintf(page->html, "<tr><th scope=\"row\"><span class=\"swatch\" style=\"background:%s\"></span>", colour);
    html_escape(page->html, name);
    fputs("</th>", page->html);
}

/* Table I: how good the forecasts are. */
static void write_accuracy(report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    bool is_repeated = comparison->n_samples > 1;
    int level = (int)lround(100 * (1 - comparison->setting.options.mcs_size));
    char text[CELL_LENGTH], caption[320];
    snprintf(caption, sizeof caption,
             "Errors of the forecasts of the test rows. The lowest of a column is set in bold; ** marks the "
             "kernels in "
             "the model confidence set at %d %%%s.",
             level, is_repeated ? " in every sample; in parentheses the standard errors of the means" : "");
    begin_table(page, caption);
    fprintf(
        page->html,
        "<th scope=\"col\">Kernel</th><th scope=\"col\">MdAE &times; 100</th><th scope=\"col\">NMSE</th>"
        "<th scope=\"col\">W<sub>1</sub> &times; 100</th><th scope=\"col\">%s<span class=\"mark\"></span></th>"
        "</tr></thead>\n<tbody>\n",
        is_repeated ? "in the MCS" : "MCS p-value");
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        const comparison_row *row = &comparison->rows[i];
        write_row_name(page, i, row->name);
        for (int m = 0; m < N_MEASURES; m++) {
            bool is_lowest = comparison->n_rows > 1 && row == comparison_lowest(comparison, (measure)m);
            fprintf(page->html, "<td%s>%s</td>", is_lowest ? " class=\"lowest\"" : "",
                    cell_measure(comparison, row, (measure)m, text));
        }
        fprintf(page->html, "<td>%s<span class=\"mark\">%s</span></td></tr>\n",
                cell_confidence(comparison, row, text), comparison_in_mcs(comparison, row) ? "**" : "");
    }
    end_table(page);
}

/* A cost such as O(4^dyadic window^2), with raised exponents. */
static void write_formula(FILE *html, const char *text)
{
    bool is_raised = false;
    for (; *text; text++) {
        char letter[2] = {*text, '\0'};
        if (is_raised && (*text == ' ' || *text == ')')) {
            fputs("</sup>", html);
            is_raised = false;
        }
        if (*text == '^') {
            fputs("<sup>", html);
            is_raised = true;
        } else {
            html_escape(html, letter);
        }
    }
    fputs(is_raised ? "</sup>" : "", html);
}

/* Parameters, which may break after a comma. */
static void write_winner(FILE *html, const char *text)
{
    fputs("<td class=\"winner\"><code>", html);
    for (; *text; text++) {
        char letter[2] = {*text, '\0'};
        html_escape(html, letter);
        fputs(*text == ',' ? "<wbr>" : "", html);
    }
    fputs("</code></td></tr>\n", html);
}

/* Table II: what the kernels cost to tune, and what won. */
static void write_tuning(report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    char text[VOLT_KERNEL_LENGTH], seconds[CELL_LENGTH], caption[256];
    snprintf(caption, sizeof caption,
             "What tuning took%s, and the parameters that won%s. One entry: the cost of one entry of the Gram "
             "matrix.",
             comparison->n_samples > 1 ? ", per sample" : "",
             comparison->n_samples > 1 ? " in the sample with the lowest NMSE" : "");
    begin_table(page, caption);
    fputs(
        "<th scope=\"col\">Kernel</th><th scope=\"col\">tuned<br>numbers</th><th scope=\"col\" "
        "class=\"words\">one "
        "entry</th><th scope=\"col\">draws</th><th scope=\"col\">failed<br>draws</th><th "
        "scope=\"col\">seconds</th>"
        "<th scope=\"col\">R<sup>2</sup> in<br>the folds</th><th scope=\"col\" class=\"words\">winner</th></tr>"
        "</thead>\n<tbody>\n",
        page->html);
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        const comparison_row *row = &comparison->rows[i];
        write_row_name(page, i, row->name);
        fprintf(page->html, "<td>%lld</td>", (long long)row->hyperparameters);
        fputs("<td class=\"words\">", page->html);
        write_formula(page->html, cell_cost(row, seconds));
        fputs("</td>", page->html);
        fprintf(page->html, "<td>%lld</td><td>%lld</td><td>%s</td>", (long long)row->draws,
                (long long)row->failed, cell_seconds(row->seconds, seconds));
        if (row->won) {
            fprintf(page->html, "<td>%.4f</td>", row->won->score);
            write_winner(page->html, cell_winner(row->won, false, text, sizeof text));
        } else {
            write_text(page,
                       "<td>-</td><td class=\"winner\">failed: ", row->failure ? row->failure : "no result",
                       "</td></tr>\n");
        }
    }
    end_table(page);
}

/* NMSE of every sample, where there are several. */
static void write_samples(report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    if (comparison->n_samples < 2)
        return;
    begin_table(page, "NMSE in every sample; ** marks the model confidence set of the sample.");
    fputs("<th scope=\"col\">Kernel</th>", page->html);
    for (int64_t s = 0; s < comparison->n_samples; s++)
        fprintf(page->html, "<th scope=\"col\">seed %llu<span class=\"mark\"></span></th>",
                (unsigned long long)(comparison->setting.first_seed + (uint64_t)s));
    fputs("</tr></thead>\n<tbody>\n", page->html);
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        write_row_name(page, i, comparison->rows[i].name);
        for (int64_t s = 0; s < comparison->n_samples; s++) {
            const volt_study_row *row = volt_study_row_at(comparison->studies[s], i);
            if (row->failure)
                fputs("<td>-<span class=\"mark\"></span></td>", page->html);
            else
                fprintf(page->html, "<td>%.4f<span class=\"mark\">%s</span></td>", row->metrics.nmse,
                        row->in_mcs ? "**" : "");
        }
        fputs("</tr>\n", page->html);
    }
    end_table(page);
}

/* ---- pictures --------------------------------------------------------------------------------- */

/* One of the pictures of a figure; `form` is where it shows: "any", "narrow" or "wide". NULL: it was not drawn. */
static void write_picture(const report_page *page, const char *title, const char *svg, const char *form)
{
    char prefix[32];
    snprintf(prefix, sizeof prefix, "f%d-%s-", page->figures, form);
    fprintf(page->html, "<div class=\"%s\">", form);
    if (svg)
        inline_svg_write(page->html, svg, prefix, title);
    else
        fputs("<p class=\"quiet\">This picture could not be drawn.</p>", page->html);
    fputs("</div>\n", page->html);
}

/* A figure with one picture, or with a second one for wide screens (NULL: none). */
static void write_figure(report_page *page, const char *title, const char *svg, const char *wide,
                         const char *caption)
{
    page->figures++;
    write_text(page, wide ? "<figure class=\"span\">\n<h3>" : "<figure>\n<h3>", title, "</h3>\n");
    write_picture(page, title, svg, wide ? "narrow" : "any");
    if (wide)
        write_picture(page, title, wide, "wide");
    fprintf(page->html, "<figcaption>Figure %d. ", page->figures);
    html_escape(page->html, caption);
    fputs("</figcaption>\n</figure>\n", page->html);
}

/* The SVG of a script, to be freed; NULL after saying what is wrong. Closes the script. */
static char *draw_script(report_page *page, FILE *script)
{
    char *svg = NULL;
    size_t size = 0;
    FILE *memory = script ? open_memstream(&svg, &size) : NULL;
    int failed = memory ? gnuplot_draw(script, memory) : EXIT_FAILED;
    if (memory && fclose(memory))
        failed = EXIT_FAILED;
    if (script)
        fclose(script);
    if (failed && !page->failed)
        page->failed = failed;
    if (failed) {
        free(svg);
        svg = NULL;
    }
    return svg;
}

static char *draw_forecasts(report_page *page, const forecast_choice *choice, int width)
{
    FILE *script = gnuplot_script();
    if (script)
        picture_forecasts(script, &page->rows, choice, width);
    return draw_script(page, script);
}

static void write_forecasts(report_page *page)
{
    char caption[512];
    forecast_choice choice = picture_choose(&page->rows);
    const comparison_setting *setting = &page->comparison->setting;
    char *svg = draw_forecasts(page, &choice, PICTURE_NARROW),
         *wide = draw_forecasts(page, &choice, PICTURE_WIDE);
    snprintf(caption, sizeof caption,
             "Truth and the forecasts of the %s over %s%lld test rows, for %s%s. The closer a coloured line "
             "stays to "
             "the truth, the better.",
             choice.kernels > 1 ? "best kernels" : "kernel",
             choice.rows < setting->truth.rows ? "the first " : "the ", (long long)choice.rows,
             setting->q > 2   ? "the first two outputs and the output on which the kernels differ most"
             : setting->q > 1 ? "both outputs"
                              : "the output",
             page->comparison->n_samples > 1 ? ", first sample" : "");
    write_figure(page, "Truth and forecasts", svg, wide, caption);
    free(svg);
    free(wide);
}

static void write_cumulated(report_page *page)
{
    FILE *script = gnuplot_script();
    if (script)
        picture_cumulated(script, &page->rows);
    char *svg = draw_script(page, script);
    write_figure(page, "Cumulated loss", svg, NULL,
                 "Sum of the losses up to each test row: squared errors over the variance of their output, the "
                 "mean over "
                 "outputs. The lowest line wins; a steep piece is a time at which a kernel fails.");
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
    char *svg = draw_script(page, script);
    write_figure(page, "Distribution of the errors", svg, NULL,
                 "Absolute errors in standard deviations of their output, all outputs and test rows together: "
                 "the dot is "
                 "the median, the bar holds the middle half, the line reaches from 5 % to 95 %. Further left "
                 "is better.");
    free(svg);
}

static void write_sample_chart(report_page *page)
{
    if (page->comparison->n_samples < 2)
        return;
    FILE *script = gnuplot_script();
    if (script)
        picture_samples(script, &page->rows);
    char *svg = draw_script(page, script);
    write_figure(page, "NMSE in every sample", svg, NULL,
                 "One dot per sample and kernel. Further left is better.");
    free(svg);
}

/* Score against every parameter, one picture per kernel. */
static void write_search(report_page *page, int64_t row)
{
    char *svg = NULL, caption[256], failures[48] = "";
    size_t size = 0;
    const volt_study *study = page->rows.study;
    const volt_search *search = volt_study_search(study, row);
    if (!search)
        return;
    volt_search_info info;
    volt_search_describe(search, &info);
    if (info.failed > 0)
        snprintf(failures, sizeof failures, ", %lld of which failed", (long long)info.failed);
    const volt_trial *best = volt_search_best(search);
    const volt_trial **trials = calloc((size_t)info.trials + 1, sizeof *trials);
    for (int64_t i = 0; trials && i < info.trials; i++)
        trials[i] = volt_search_trial(search, i);
    FILE *memory = trials ? open_memstream(&svg, &size) : NULL;
    int failed = memory ? search_plot_write(memory, trials, info.trials, best, info.score, 1)
                        : complain(EXIT_FAILED, "not enough memory for the picture of a search");
    if (memory)
        fclose(memory);
    if (failed && !page->failed)
        page->failed = failed;
    if (best)
        snprintf(caption, sizeof caption,
                 "The search of %.60s: %lld draw%s%s, the best with a mean R2 of %.4f.",
                 volt_study_row_at(study, row)->name, (long long)info.trials, info.trials == 1 ? "" : "s",
                 failures, best->score);
    else
        snprintf(caption, sizeof caption, "The search of %.60s: no draw has a score.",
                 volt_study_row_at(study, row)->name);
    write_figure(page, volt_study_row_at(study, row)->name, failed ? NULL : svg, NULL, caption);
    free(svg);
    free(trials);
}

static void write_pictures(report_page *page)
{
    fputs("<h2>Pictures</h2>\n", page->html);
    if (!page->has_gnuplot) {
        fputs("<p class=\"nopictures\">There are no pictures in this report: gnuplot, which draws them, was "
              "not found when "
              "it was made. Install it (Debian: gnuplot-nox) and run the command below again.</p>\n",
              page->html);
        return;
    }
    if (page->rows.count == 0) {
        fputs("<p>No kernel came to a result: there is nothing to draw.</p>\n", page->html);
        return;
    }
    fputs("<div class=\"figures\">\n", page->html);
    write_forecasts(page);
    write_cumulated(page);
    write_errors(page);
    write_sample_chart(page);
    fputs("</div>\n<h2>The searches</h2>\n"
          "<p>Mean R<sup>2</sup> over the folds against each parameter that was searched. Every dot is a draw; "
          "the winner "
          "is orange, draws that were given up early are faint.</p>\n<div class=\"searches\">\n",
          page->html);
    for (int64_t i = 0; i < volt_study_count(page->rows.study); i++)
        write_search(page, i);
    fputs("</div>\n", page->html);
}

/* ---- words ------------------------------------------------------------------------------------ */

static void write_head(const report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    char headline[HEADLINE_LENGTH], text[DESCRIPTION_LENGTH];
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n",
          page->html);
    write_text(page, "<title>Comparison of kernels: ", comparison->setting.source, "</title>\n");
    fprintf(page->html, "<style>\n%s</style>\n</head>\n<body>\n", report_style);
    write_text(page, "<h1>Comparison of kernels: ", comparison->setting.source, "</h1>\n");
    write_text(page, "<p class=\"finding\">", comparison_headline(comparison, headline), "</p>\n");
    write_text(page, "<p class=\"quiet\">", comparison_describe_data(comparison, text), "; ");
    write_text(page, "", comparison_describe_search(comparison, text), "");
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
                "kernels see "
                "the past.</p>\n"
              : "Under the history protocol every kernel sees the past: the Volterra kernels all of it, the "
                "others a "
                "window whose length is tuned.</p>\n",
          page->html);
}

static void write_definitions(const report_page *page)
{
    fputs("<h2>How to read the tables</h2>\n<dl>\n"
          "<dt>MdAE</dt><dd>median absolute error, the mean over outputs, in the units of the targets</dd>\n"
          "<dt>NMSE</dt><dd>mean squared error over the variance of the truth, the mean over outputs: 0 is "
          "perfect, 1 is "
          "no better than the mean</dd>\n"
          "<dt>W<sub>1</sub></dt><dd>Wasserstein distance between the distributions of forecasts and truth, "
          "the mean over "
          "outputs</dd>\n"
          "<dt>MCS p-value</dt><dd>of the model confidence set of Hansen, Lunde and Nason (2011): the set of "
          "kernels "
          "above a quarter holds the best one with a confidence of 75 %</dd>\n"
          "<dt>tuned numbers</dt><dd>hyperparameters that the search chose, the ridge penalty alpha "
          "included</dd>\n"
          "</dl>\n",
          page->html);
}

static void write_item(const report_page *page, const char *term, const char *text)
{
    write_text(page, "<dt>", term, "</dt>");
    write_text(page, "<dd>", text, "</dd>\n");
}

static void write_origin(const report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    char text[MACHINE_LENGTH];
    volt_build_info info;
    volt_build_info_get(&info);
    fputs("<h2>How this was made</h2>\n", page->html);
    write_text(page, "<pre class=\"command\">", comparison->setting.command, "</pre>\n<dl>\n");
    unsigned long long seed = comparison->setting.first_seed;
    if (comparison->n_samples > 1)
        snprintf(text, sizeof text, "%llu to %llu", seed, seed + (unsigned long long)comparison->n_samples - 1);
    else
        snprintf(text, sizeof text, "%llu", seed);
    write_item(page, "Seed", text);
    write_item(page, "Date", machine_date(text));
    write_item(page, "volterra", info.version);
    write_item(page, "Compiler", info.compiler);
    snprintf(text, sizeof text, "%.60s, fast loops %.60s", info.cpu_flags, info.fast_loops);
    write_item(page, "Build", text);
    write_item(page, "BLAS", info.blas);
    snprintf(text, sizeof text, "%lld", (long long)info.threads);
    write_item(page, "Threads", text);
    write_item(page, "Processor", machine_cpu(text));
    write_item(page, "Memory", machine_memory(text));
    write_item(page, "System", machine_system(text));
    fputs("</dl>\n</body>\n</html>\n", page->html);
}

static void write_page(report_page *page)
{
    write_head(page);
    write_data(page);
    write_accuracy(page);
    write_tuning(page);
    write_samples(page);
    write_pictures(page);
    write_definitions(page);
    write_origin(page);
}

int report_html_file(const char *path, const cli_comparison *comparison)
{
    char *text = NULL;
    size_t size = 0;
    report_page page = {
        .html = open_memstream(&text, &size), .comparison = comparison, .has_gnuplot = gnuplot_is_there()};
    if (!page.html || !picture_rows_find(&page.rows, comparison)) {
        if (page.html)
            fclose(page.html);
        free(text);
        return complain(EXIT_FAILED, "not enough memory for the report");
    }
    if (!page.has_gnuplot)
        warn("the report has no pictures: there is no program gnuplot to draw them (Debian: gnuplot-nox)");
    write_page(&page);
    picture_rows_release(&page.rows);
    int failed = fclose(page.html) ? complain(EXIT_FAILED, "not enough memory for the report") : 0;
    if (!failed)
        failed = output_text(path, text);
    free(text);
    return failed ? failed : page.failed;
}
