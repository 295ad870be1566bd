/* cli/page/report_page.c: HTML report of a comparison: result, tables, plots, provenance. The plots show the first sample. */
#include "page/report_page.h"

#include "page/page_frame.h"
#include "search/search_plot.h"
#include "terminal/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct report_page {
    html_page page;
    const cli_comparison *comparison;
    const volt_comparison *sample; /* the first */
    int64_t *rows;                 /* of the sample that have forecasts, best first; owned */
    int64_t count;
    int tables; /* so far */
} report_page;

static double rank_of(const volt_comparison *sample, int64_t row)
{
    const volt_comparison_row *one = volt_comparison_row_at(sample, row);
    return isnan(one->loss) ? one->metrics->nmse : one->loss;
}

/* Returns false when out of memory. */
static bool rank_rows(report_page *page)
{
    page->sample = page->comparison->samples[0];
    int64_t count = 0;
    while (volt_comparison_row_at(page->sample, count))
        count++;
    page->rows = calloc((size_t)count + 1, sizeof *page->rows);
    if (!page->rows)
        return false;
    for (int64_t i = 0; i < count; i++) {
        if (volt_comparison_row_at(page->sample, i)->failure ||
            !volt_comparison_row_at(page->sample, i)->forecast.data)
            continue;
        int64_t at = page->count++;
        for (; at > 0 && rank_of(page->sample, page->rows[at - 1]) > rank_of(page->sample, i); at--)
            page->rows[at] = page->rows[at - 1];
        page->rows[at] = i;
    }
    return true;
}

static void write_text(const report_page *page, const char *before, const char *text, const char *after)
{
    html_write_text(page->page.html, before, text, after);
}

/* ---- text ------------------------------------------------------------------------------------- */

static void write_head(const report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    char headline[HEADLINE_LENGTH], text[DESCRIPTION_LENGTH];
    write_text(page, "<p class=\"finding\">", comparison_headline(comparison, headline), "</p>\n");
    write_text(page, "<p class=\"quiet\">", comparison_describe_data(comparison, text), "; ");
    write_text(page, "", comparison_describe_search(comparison, text), "");
    if (comparison->n_samples > 1)
        fprintf(page->page.html, "; %lld samples", (long long)comparison->n_samples);
    fputs(comparison->interrupted ? "; interrupted.</p>\n" : ".</p>\n", page->page.html);
}

static void write_data(const report_page *page)
{
    const comparison_setting *setting = &page->comparison->setting;
    fputs("<h2>Results</h2>\n<p>", page->page.html);
    if (setting->is_preset)
        fputs(
            "The inputs are the innovations of a BEKK model of daily returns, with parameters estimated on "
            "prices of "
            "S&amp;P 500 companies; the targets are 1000 times the variances and covariances of the next day. ",
            page->page.html);
    fputs("Every kernel was tuned on the training rows with the same budget, refitted on all of them with the "
          "best parameters, and tested on the rows that follow. ",
          page->page.html);
    fputs(setting->options.protocol == VOLT_PROTOCOL_PUBLISHED
              ? "In the published protocol each kernel has the inputs of the paper: only the Volterra kernels "
                "and the states of an echo state network use past rows.</p>\n"
              : "In the history protocol every kernel uses past rows: the Volterra kernels and the states of "
                "an echo state network all of them, the others a window of tuned length.</p>\n",
          page->page.html);
}

static void write_definitions(const report_page *page)
{
    const comparison_setting *setting = &page->comparison->setting;
    fputs("<h2>How to read the tables</h2>\n<dl>\n", page->page.html);
    if (setting->loss_score)
        write_text(
            page, "<dt>loss</dt><dd>the mean ", setting->loss_score,
            " of the test rows, in the units of the targets; also the criterion of fits and tuning</dd>\n");
    if (!setting->loss_score && !setting->is_preset)
        fputs("<dt>RMSE, MAE</dt><dd>root of the mean squared error, and mean absolute error, each the mean "
              "over outputs, in the units of the targets</dd>\n",
              page->page.html);
    if (!setting->loss_score)
        fputs("<dt>MdAE</dt><dd>median absolute error, the mean over outputs, in the units of the "
              "targets</dd>\n"
              "<dt>NMSE</dt><dd>mean squared error over the variance of the measured output, the mean over "
              "outputs: 0 is "
              "perfect, 1 is no better than the mean</dd>\n"
              "<dt>W<sub>1</sub></dt><dd>Wasserstein distance between the distributions of predicted and "
              "measured values, the mean over outputs</dd>\n",
              page->page.html);
    fputs("<dt>MCS p-value</dt><dd>p-value of the model confidence set of Hansen, Lunde and Nason (2011): the "
          "set of kernels with p &gt; 0.25 contains the best kernel with probability 75 %</dd>\n<dt>tuned "
          "numbers</dt><dd>number of hyperparameters in the search, including alpha</dd>\n</dl>\n",
          page->page.html);
}

/* ---- tables ----------------------------------------------------------------------------------- */

static void begin_table(report_page *page, const char *caption)
{
    /* The caption is above the table, because a table scrolls sideways on narrow screens. */
    page->tables++;
    fprintf(page->page.html, "<p class=\"caption\" id=\"table%d\">Table %d. ", page->tables, page->tables);
    html_escape(page->page.html, caption);
    fprintf(page->page.html, "</p>\n<div class=\"scroll\"><table aria-labelledby=\"table%d\">\n<thead><tr>",
            page->tables);
}

static void end_table(const report_page *page)
{
    fputs("</tbody>\n</table></div>\n", page->page.html);
}

/* Writes the name of a kernel with its colour in the plots. */
static void write_row_name(const report_page *page, int64_t row, const char *name)
{
    int64_t rank = 0;
    while (rank < page->count && page->rows[rank] != row)
        rank++;
    if (rank < page->count)
        fprintf(page->page.html, "<tr><th scope=\"row\"><span class=\"swatch c%d\"></span>", svg_colour(rank));
    else
        fputs("<tr><th scope=\"row\"><span class=\"swatch\" style=\"background:transparent\"></span>",
              page->page.html);
    html_escape(page->page.html, name);
    fputs("</th>", page->page.html);
}

/* Table I: forecast accuracy. */
static void write_accuracy_table(report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    bool is_repeated = comparison->n_samples > 1;
    int level = (int)lround(100 * (1 - comparison->setting.options.mcs_size));
    char text[CELL_LENGTH], caption[320];
    snprintf(caption, sizeof caption,
             "Errors on the test rows. Bold: lowest of its column; **: in the model confidence set at %d %%%s.",
             level, is_repeated ? " in every sample; in parentheses: standard errors of the means" : "");
    begin_table(page, caption);
    int count = 0;
    const measure_column *columns = comparison_columns(comparison, &count);
    fputs("<th scope=\"col\">Kernel</th>", page->page.html);
    for (int c = 0; c < count; c++)
        fprintf(page->page.html, "<th scope=\"col\">%s</th>", columns[c].html);
    fprintf(page->page.html, "<th scope=\"col\">%s<span class=\"mark\"></span></th></tr></thead>\n<tbody>\n",
            is_repeated ? "in the MCS" : "MCS p-value");
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        const comparison_row *row = &comparison->rows[i];
        write_row_name(page, i, row->name);
        for (int c = 0; c < count; c++)
            fprintf(page->page.html, "<td%s>%s</td>",
                    cell_is_lowest(comparison, row, &columns[c]) ? " class=\"lowest\"" : "",
                    cell_measure(comparison, row, &columns[c], text));
        fprintf(page->page.html, "<td>%s<span class=\"mark\">%s</span></td></tr>\n",
                cell_confidence(comparison, row, text), comparison_in_mcs(comparison, row) ? "**" : "");
    }
    end_table(page);
}

/* Baseline forecasts, for user data. */
static void write_baselines_table(report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    const volt_assessment *found = &comparison->setting.found;
    const comparison_row *best = comparison_lowest(comparison, comparison_ranked_by(comparison));
    char note[HEADLINE_LENGTH];
    if (found->n_baselines == 0)
        return;
    begin_table(page, "Baselines on the test rows.");
    if (found->loss_name)
        write_text(page, "<th scope=\"col\">Baseline</th><th scope=\"col\">", found->loss_name,
                   "</th><th scope=\"col\">loss of<br>");
    else
        fputs("<th scope=\"col\">Baseline</th><th scope=\"col\">RMSE</th><th scope=\"col\">MAE</th><th "
              "scope=\"col\">R<sup>2</sup></th><th scope=\"col\">squared error of<br>",
              page->page.html);
    html_escape(page->page.html, best ? best->name : "the best kernel");
    fputs(" over its own</th></tr></thead>\n<tbody>\n", page->page.html);
    for (int64_t i = 0; i < found->n_baselines; i++) {
        const volt_baseline_score *score = &found->baselines[i];
        write_text(page, "<tr><th scope=\"row\">", score->name, "</th>");
        if (found->loss_name)
            fprintf(page->page.html, "<td>%.4g</td>", score->loss);
        else
            fprintf(page->page.html, "<td>%.4g</td><td>%.4g</td><td>%.4g</td>", score->rmse, score->mae,
                    score->r2);
        if (isfinite(score->ratio))
            fprintf(page->page.html, "<td>%.3g</td></tr>\n", score->ratio);
        else
            fputs("<td>-</td></tr>\n", page->page.html);
    }
    end_table(page);
    if (comparison_baseline_note(comparison, note)[0])
        write_text(page, "<p>", note, "</p>\n");
}

/* Writes a cost such as O(4^dyadic window^2) with superscript exponents. */
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

/* Writes the parameters, with line breaks allowed after commas. */
static void write_winner(FILE *html, const char *text)
{
    fputs("<td class=\"winner\"><code>", html);
    while (*text) {
        size_t length = strcspn(text, ",") + (strchr(text, ',') != NULL);
        html_escape_part(html, text, length);
        fputs(text[length - 1] == ',' ? "<wbr>" : "", html);
        text += length;
    }
    fputs("</code></td></tr>\n", html);
}

/* Table II: tuning cost and best parameters. */
static void write_tuning_table(report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    char text[VOLT_KERNEL_LENGTH], seconds[CELL_LENGTH], caption[256];
    snprintf(caption, sizeof caption,
             "Cost of tuning%s, and best parameters%s. One entry: cost of one entry of the Gram matrix.",
             comparison->n_samples > 1 ? ", per sample" : "",
             comparison->n_samples > 1 ? " (sample with the lowest error)" : "");
    begin_table(page, caption);
    fputs("<th scope=\"col\">Kernel</th><th scope=\"col\">tuned<br>numbers</th><th scope=\"col\" "
          "class=\"words\">one "
          "entry</th><th scope=\"col\">draws</th><th scope=\"col\">failed<br>draws</th><th "
          "scope=\"col\">seconds</th>"
          "<th scope=\"col\">",
          page->page.html);
    fputs(comparison->setting.loss_score ? "loss" : "R<sup>2</sup>", page->page.html);
    fputs(
        " in<br>validation</th><th scope=\"col\" class=\"words\">best parameters</th></tr></thead>\n<tbody>\n",
        page->page.html);
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        const comparison_row *row = &comparison->rows[i];
        write_row_name(page, i, row->name);
        fprintf(page->page.html, "<td>%lld</td>", (long long)row->hyperparameters);
        fputs("<td class=\"words\">", page->page.html);
        write_formula(page->page.html, cell_cost(row, seconds));
        fputs("</td>", page->page.html);
        fprintf(page->page.html, "<td>%lld</td><td>%lld</td><td>%s</td>", (long long)row->draws,
                (long long)row->failed, cell_seconds(row->seconds, seconds));
        if (row->won) {
            fprintf(page->page.html, "<td>%.4f%s</td>", row->won->score,
                    row->won->score < 0 && !comparison->setting.is_preset ? "<br>(worse than a constant)" : "");
            write_winner(page->page.html, cell_winner(row->won, false, text, sizeof text));
        } else {
            write_text(page,
                       "<td>-</td><td class=\"winner\">failed: ", row->failure ? row->failure : "no result",
                       "</td></tr>\n");
        }
    }
    end_table(page);
}

/* NMSE of every sample, if there are several. */
static void write_samples_table(report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    if (comparison->n_samples < 2)
        return;
    begin_table(page, comparison->setting.loss_score
                          ? "Loss in every sample; **: in the model confidence set of the sample."
                          : "NMSE in every sample; **: in the model confidence set of the sample.");
    fputs("<th scope=\"col\">Kernel</th>", page->page.html);
    for (int64_t s = 0; s < comparison->n_samples; s++)
        fprintf(page->page.html, "<th scope=\"col\">seed %llu<span class=\"mark\"></span></th>",
                (unsigned long long)comparison->setting.first_seed + (unsigned long long)s);
    fputs("</tr></thead>\n<tbody>\n", page->page.html);
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        write_row_name(page, i, comparison->rows[i].name);
        for (int64_t s = 0; s < comparison->n_samples; s++) {
            const volt_comparison_row *row = volt_comparison_row_at(comparison->samples[s], i);
            if (row->failure)
                fputs("<td>-<span class=\"mark\"></span></td>", page->page.html);
            else
                fprintf(page->page.html, "<td>%.4f<span class=\"mark\">%s</span></td>",
                        measure_of(row, comparison_ranked_by(comparison)), row->in_mcs ? "**" : "");
        }
        fputs("</tr>\n", page->page.html);
    }
    end_table(page);
}

/* ---- measured and predicted ------------------------------------------------------------------- */

/* A few outputs: the first, the second, and the other one on which the kernels differ most. */
enum { MAX_PANELS = 3, MAX_FORECASTS = 3, MAX_TEST_ROWS = 1000, MAX_NARROW_ROWS = 250 };
typedef struct forecast_choice {
    int64_t outputs[MAX_PANELS];
    int n_outputs;
    int64_t kernels; /* number of best kernels shown */
    int64_t rows;    /* number of leading test rows shown */
} forecast_choice;

/* Returns the difference between the largest and the smallest normalised squared error of the kernels on
 * output k. */
static double spread_of(const report_page *page, int64_t k)
{
    volt_view truth = page->comparison->setting.truth;
    double lowest = INFINITY, highest = 0, mean = 0, variance = 0;
    for (int64_t t = 0; t < truth.rows; t++)
        mean += truth.data[t * truth.ld + k] / (double)truth.rows;
    for (int64_t t = 0; t < truth.rows; t++)
        variance += pow(truth.data[t * truth.ld + k] - mean, 2);
    for (int64_t r = 0; r < page->count; r++) {
        volt_view forecast = volt_comparison_row_at(page->sample, page->rows[r])->forecast;
        double sum = 0;
        for (int64_t t = 0; t < truth.rows; t++)
            sum += pow(forecast.data[t * forecast.ld + k] - truth.data[t * truth.ld + k], 2);
        lowest = fmin(lowest, sum);
        highest = fmax(highest, sum);
    }
    return variance > 0 ? (highest - lowest) / variance : 0;
}

static forecast_choice choose_forecasts(const report_page *page)
{
    const comparison_setting *setting = &page->comparison->setting;
    forecast_choice picked = {.kernels = page->count < MAX_FORECASTS ? page->count : MAX_FORECASTS,
                              .rows =
                                  setting->truth.rows < MAX_TEST_ROWS ? setting->truth.rows : MAX_TEST_ROWS};
    for (int64_t k = 0; k < 2 && k < setting->q; k++)
        picked.outputs[picked.n_outputs++] = k;
    if (setting->q > 2) {
        int64_t widest = 2;
        double largest = -1;
        for (int64_t k = 2; k < setting->q; k++) {
            double spread = spread_of(page, k);
            if (spread > largest) {
                largest = spread;
                widest = k;
            }
        }
        picked.outputs[picked.n_outputs++] = widest;
    }
    return picked;
}

static const char *name_of(const report_page *page, int64_t rank)
{
    return volt_comparison_row_at(page->sample, page->rows[rank])->name;
}

static void plot_forecasts(const report_page *page, const forecast_choice *picked, svg_plot *plot)
{
    volt_view truth = volt_view_rows(page->comparison->setting.truth, 0, picked->rows);
    for (int p = 0; p < picked->n_outputs; p++) {
        const int64_t k = picked->outputs[p];
        svg_panel *panel = svg_add_panel(plot, "%s", page->comparison->setting.output_names[k]);
        double low = INFINITY, high = -INFINITY;
        for (int64_t t = 0; t < truth.rows; t++) {
            low = fmin(low, truth.data[t * truth.ld + k]);
            high = fmax(high, truth.data[t * truth.ld + k]);
        }
        /* Diverging predictions are clipped. */
        double margin = high > low ? 0.25 * (high - low) : fmax(1e-3, 0.1 * fabs(high));
        panel->y.low = low >= 0 ? fmax(0, low - margin) : low - margin;
        panel->y.high = high + margin;
        panel->x.is_whole = true;
        panel->shares_x = p + 1 < picked->n_outputs;
        svg_text(panel->x.label, "test row");
        svg_series *line = svg_add_series(panel, SVG_LINE, SVG_GREY, "measured");
        line->size = 2.2;
        svg_add_column(line, truth, k, 1);
        /* The best kernel is listed first, and drawn last, on top. */
        for (int64_t r = 0; r < picked->kernels; r++)
            svg_add(svg_add_series(panel, SVG_LINE, svg_colour(r), name_of(page, r)), NAN, NAN, NAN);
        for (int64_t r = picked->kernels - 1; r >= 0; r--) {
            volt_view forecast = volt_comparison_row_at(page->sample, page->rows[r])->forecast;
            svg_add_column(svg_add_series(panel, SVG_LINE, svg_colour(r), ""),
                           volt_view_rows(forecast, 0, picked->rows), k, 1);
        }
    }
}

static void write_forecasts(report_page *page)
{
    char caption[512], few[64] = "", undrawn[UNDRAWN_LENGTH];
    svg_plot narrow = {0}, wide = {.width = SVG_WIDE};
    forecast_choice picked = choose_forecasts(page), fewer = picked;
    const comparison_setting *setting = &page->comparison->setting;
    if (fewer.rows > MAX_NARROW_ROWS) {
        fewer.rows = MAX_NARROW_ROWS;
        snprintf(few, sizeof few, " (on a small screen the first %d)", MAX_NARROW_ROWS);
    }
    plot_forecasts(page, &fewer, &narrow);
    plot_forecasts(page, &picked, &wide);
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
    page_figure(&page->page, "Measured and predicted", &narrow, &wide, caption);
}

/* ---- losses and errors of all kernels --------------------------------------------------------- */

static void write_cumulated(report_page *page)
{
    char caption[320];
    const char *loss = page->comparison->setting.loss_score;
    svg_plot plot = {0};
    svg_panel *panel = svg_add_panel(&plot, "cumulative loss");
    int64_t n_test = page->comparison->setting.truth.rows;
    double lowest = rank_of(page->sample, page->rows[0]) * (double)n_test,
           highest = rank_of(page->sample, page->rows[page->count - 1]) * (double)n_test;
    panel->height = 300;
    panel->x.is_whole = true;
    panel->y.is_log = lowest > 0 && highest > 40 * lowest;
    panel->y.low = panel->y.is_log ? lowest / 30 : 0;
    panel->y.high = highest > 0 ? 1.04 * highest : 1;
    svg_text(panel->x.label, "test row");
    for (int64_t r = 0; r < page->count; r++) {
        const double *losses = volt_comparison_row_at(page->sample, page->rows[r])->losses;
        svg_series *line = svg_add_series(panel, SVG_LINE, svg_colour(r), name_of(page, r));
        double sum = 0;
        line->size = r == 0 ? 2.6 : 1.6;
        line->is_dashed = r >= SVG_COLOURS - 1; /* colours repeat */
        for (int64_t t = 0; t < n_test; t++)
            svg_add(line, (double)t + 1, sum += losses[t], 0);
    }
    snprintf(caption, sizeof caption, "Cumulative loss over the test rows: %s. Lower is better.",
             loss ? loss : "squared errors / variance of the output, mean over outputs");
    page_figure(&page->page, "Cumulative loss", &plot, NULL, caption);
}

/* Begins a chart with one row per kernel, best on top, at y = -rank. */
static svg_panel *begin_chart(const report_page *page, svg_plot *plot, const char *label)
{
    const char **names = malloc((size_t)page->count * sizeof *names);
    svg_panel *panel = svg_add_panel(plot, "%s", "");
    for (int64_t r = 0; names && r < page->count; r++)
        names[r] = name_of(page, page->count - 1 - r);
    plot->failed = plot->failed || !names;
    plot->kept = names;
    panel->height = 30 * (double)page->count;
    panel->x.is_log = true;
    panel->y = (svg_axis){.low = 0.5 - (double)page->count,
                          .high = 0.5,
                          .texts = names,
                          .first_text = 1 - page->count,
                          .n_texts = page->count};
    svg_text(panel->x.label, "%s", label);
    return panel;
}

static int compare_numbers(const void *first, const void *second)
{
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

/* Computes |error| / standard deviation of the output, sorted. */
static void sort_errors(volt_view truth, volt_view forecast, double *errors)
{
    int64_t n = 0;
    for (int64_t k = 0; k < truth.cols; k++) {
        double mean = 0, variance = 0;
        for (int64_t t = 0; t < truth.rows; t++)
            mean += truth.data[t * truth.ld + k] / (double)truth.rows;
        for (int64_t t = 0; t < truth.rows; t++)
            variance += pow(truth.data[t * truth.ld + k] - mean, 2) / (double)truth.rows;
        double scale = variance > 0 ? sqrt(variance) : 1;
        for (int64_t t = 0; t < truth.rows; t++)
            errors[n++] = fabs(forecast.data[t * forecast.ld + k] - truth.data[t * truth.ld + k]) / scale;
    }
    qsort(errors, (size_t)n, sizeof *errors, compare_numbers);
}

/* The 5, 25, 50, 75 and 95 % quantiles of the absolute error of every kernel over all outputs and test rows. */
static void write_errors(report_page *page)
{
    static const double levels[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    enum { N_LEVELS = sizeof levels / sizeof *levels };
    svg_plot plot = {0};
    volt_view truth = page->comparison->setting.truth;
    int64_t total = truth.rows * truth.cols;
    double *errors = malloc((size_t)total * sizeof *errors);
    svg_panel *panel = begin_chart(page, &plot, "absolute error / standard deviation of the output");
    plot.failed = plot.failed || !errors;
    for (int64_t r = 0; errors && r < page->count; r++) {
        double found[N_LEVELS], y = -(double)r;
        sort_errors(truth, volt_comparison_row_at(page->sample, page->rows[r])->forecast, errors);
        for (int i = 0; i < N_LEVELS; i++)
            found[i] =
                fmax(errors[(int64_t)(levels[i] * (double)(total - 1))], 1e-12); /* the axis is logarithmic */
        svg_add(svg_add_series(panel, SVG_SPANS, svg_colour(r), ""), found[0], y, found[4]);
        svg_series *box = svg_add_series(panel, SVG_SPANS, svg_colour(r), ""),
                   *median = svg_add_series(panel, SVG_DOTS, svg_colour(r), "");
        box->size = 12;
        box->opacity = 0.4;
        median->size = 9;
        svg_add(box, found[1], y, found[3]);
        svg_add(median, found[2], y, 0);
    }
    page_figure(&page->page, "Distribution of the errors", &plot, NULL,
                "Absolute errors / standard deviation of the output, over all outputs and test rows: median "
                "(dot), quartiles (bar), 5 % to 95 % (line). Lower is better.");
    free(errors);
}

static void write_sample_chart(report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    svg_plot plot = {0};
    if (comparison->n_samples < 2)
        return;
    svg_panel *panel = begin_chart(page, &plot, comparison_rank_label(comparison));
    for (int64_t r = 0; r < page->count; r++) {
        svg_series *dots = svg_add_series(panel, SVG_DOTS, svg_colour(r), "");
        dots->size = 8;
        for (int64_t s = 0; s < comparison->n_samples; s++) {
            const volt_comparison_row *row = volt_comparison_row_at(comparison->samples[s], page->rows[r]);
            if (!row->failure)
                svg_add(dots, fmax(measure_of(row, comparison_ranked_by(comparison)), 1e-12), -(double)r, 0);
        }
    }
    page_figure(&page->page, comparison->setting.loss_score ? "Loss in every sample" : "NMSE in every sample",
                &plot, NULL, "One dot per sample and kernel. Lower is better.");
}

/* Plots score against each parameter, one plot per kernel. */
static void write_search(report_page *page, int64_t row)
{
    char caption[256], failures[48] = "";
    svg_plot plot = {0};
    const volt_comparison_row *one = volt_comparison_row_at(page->sample, row);
    if (!one->search)
        return;
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(one->search, &info);
    score_words words = score_words_of(&info);
    if (info.failed > 0)
        snprintf(failures, sizeof failures, ", %lld of which failed", (long long)info.failed);
    const volt_trial *best = volt_search_trial(one->search, VOLT_TRIAL_BEST);
    search_plot_all(&plot, one->search, 1);
    if (best)
        snprintf(caption, sizeof caption,
                 "The search of %.60s: %lld draw%s%s, the best with a mean %s of %.4g.", one->name,
                 (long long)info.trials, info.trials == 1 ? "" : "s", failures, words.label, best->score);
    else
        snprintf(caption, sizeof caption, "The search of %.60s: no draw has a score.", one->name);
    page_figure(&page->page, one->name, &plot, NULL, caption);
}

static void write_figures(report_page *page)
{
    FILE *html = page->page.html;
    fputs("<h2>Plots</h2>\n", html);
    if (page->count == 0) {
        fputs("<p>No plots: no kernel has a result.</p>\n", html);
        return;
    }
    fputs("<div class=\"figures\">\n", html);
    /* Levels and probabilities are not comparable with targets. */
    bool are_targets = volt_comparison_row_at(page->sample, page->rows[0])->forecast.cols ==
                       page->comparison->setting.truth.cols;
    if (are_targets)
        write_forecasts(page);
    write_cumulated(page);
    if (are_targets)
        write_errors(page);
    write_sample_chart(page);
    fprintf(html,
            "</div>\n<h2>The searches</h2>\n<p>Mean %s over the folds against each searched parameter. Every "
            "dot is a draw; the best "
            "is orange, draws stopped early are faint.</p>\n<div class=\"searches\">\n",
            page->comparison->setting.loss_score ? "loss" : "R<sup>2</sup>");
    for (int64_t i = 0; volt_comparison_row_at(page->sample, i); i++)
        write_search(page, i);
    fputs("</div>\n", html);
}

/* ---- page ------------------------------------------------------------------------------------- */

int report_html_file(const char *path, const cli_comparison *comparison)
{
    report_page page = {.comparison = comparison};
    char text[64];
    if (!rank_rows(&page))
        return complain(EXIT_FAILED, "not enough memory for the report");
    if (!page_begin(&page.page, "Comparison of kernels", comparison->setting.source)) {
        free(page.rows);
        return EXIT_FAILED;
    }
    write_head(&page);
    write_data(&page);
    write_accuracy_table(&page);
    write_tuning_table(&page);
    write_samples_table(&page);
    write_baselines_table(&page);
    write_figures(&page);
    write_definitions(&page);
    unsigned long long seed = comparison->setting.first_seed;
    if (comparison->n_samples > 1)
        snprintf(text, sizeof text, "%llu to %llu", seed, seed + (unsigned long long)comparison->n_samples - 1);
    else
        snprintf(text, sizeof text, "%llu", seed);
    page_origin(&page.page, comparison->setting.command, text);
    free(page.rows);
    return page_end(&page.page, path);
}
