/* cli/page/identify_page.c: HTML report of `identify`: result, warnings, plots, tables, provenance. */
#include "page/identify_page.h"

#include "page/explain_page.h"
#include "page/page_frame.h"
#include "terminal/messages.h"

#include <math.h>
#include <stdlib.h>

/* ---- warnings --------------------------------------------------------------------------------- */

const char *identify_warning_text(const volt_identification *found, int64_t number, const char *const *inputs,
                                  const char *const *outputs, char text[IDENTIFY_WARNING_LENGTH])
{
    const volt_warning *warning = &found->warnings[number];
    const char *begin = volt_warning_text(warning->code);
    size_t size = IDENTIFY_WARNING_LENGTH;
    long long rows = (long long)found->train_rows;
    switch (warning->code) {
    case VOLT_WARNING_CONSTANT_INPUT:
        if (inputs)
            snprintf(text, size, "%s: %.200s", begin, inputs[warning->series]);
        else
            snprintf(text, size, "%s: column %lld of --x", begin, (long long)warning->series + 1);
        break;
    case VOLT_WARNING_LITTLE_EXCITATION:
        snprintf(text, size, "%s: in %g of %lld rows", begin, warning->value, rows);
        break;
    case VOLT_WARNING_FEW_FREQUENCIES:
        snprintf(text, size, "%s (power of %.2g sine waves)", begin, warning->value);
        break;
    case VOLT_WARNING_INTEGRATING:
        snprintf(text, size, "%s (%.3g of their increments)", begin, warning->value);
        break;
    case VOLT_WARNING_DRIFT:
        snprintf(text, size, "%s (variance %.3g times that of quarters of the rows)", begin, warning->value);
        break;
    case VOLT_WARNING_REVERSED:
        snprintf(text, size,
                 "%s (errors smaller by %.3g and %.3g): are --x and --y swapped, or does a controller compute "
                 "the inputs?",
                 begin, found->reverse_gain, found->forward_gain);
        break;
    case VOLT_WARNING_UNEVEN_STEPS:
        snprintf(text, size, "%s (%g of %lld, median %g, first before row %lld)", begin, warning->value,
                 rows - 1, found->time_step, (long long)warning->row);
        break;
    case VOLT_WARNING_NO_RESPONSE:
        snprintf(text, size, "%s (%g lags)", begin, warning->value);
        break;
    case VOLT_WARNING_SATURATED:
        if (outputs)
            snprintf(text, size, "%s: %.200s (%.3g of the rows)", begin, outputs[warning->series],
                     warning->value);
        else
            snprintf(text, size, "%s: column %lld of --y (%.3g of the rows)", begin,
                     (long long)warning->series + 1, warning->value);
        break;
    case VOLT_WARNING_WORSE_THAN_CONSTANT:
        snprintf(text, size, "%s (NMSE %.3g on the validation blocks)", begin, warning->value);
        break;
    case VOLT_WARNING_BETTER_LINEAR:
        snprintf(text, size, "%s (%.2g of the squared error)", begin, warning->value);
        break;
    default:
        snprintf(text, size, "%s (test rows)", begin);
    }
    return text;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- plots ------------------------------------------------------------------------------------ */

enum { MAX_RUN_PANELS = 3, MAX_RESPONSE_PAIRS = 2, MAX_RUN_ROWS = 1000, MAX_NARROW_RUN = 250 };

/* Measured and simulated outputs of the first `rows` test rows. */
static void plot_run(svg_plot *plot, const identify_report *report, int64_t rows)
{
    const volt_diagnosis *one = report->diagnosis;
    const volt_view measured = volt_view_of(one->measured, rows, one->q),
                    simulated = volt_view_of(one->simulated, rows, one->q);
    for (int64_t k = 0; k < least(one->q, MAX_RUN_PANELS); k++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t t = 0; t < rows; t++) {
            low = fmin(low, one->measured[t * one->q + k]);
            high = fmax(high, one->measured[t * one->q + k]);
        }
        /* A simulation that diverges is clipped. */
        double margin = high > low ? 0.25 * (high - low) : 1;
        svg_panel *panel = svg_add_panel(plot, "%s", report->shown->outputs[k]);
        panel->y.low = low - margin;
        panel->y.high = high + margin;
        panel->x.is_whole = true;
        panel->shares_x = k + 1 < least(one->q, MAX_RUN_PANELS);
        svg_text(panel->x.label, "row");
        svg_series *line = svg_add_series(panel, SVG_LINE, SVG_GREY, "measured");
        line->size = 2;
        svg_add_column(line, measured, k, one->first_row);
        svg_add_column(svg_add_series(panel, SVG_LINE, SVG_ORANGE, "simulated"), simulated, k, one->first_row);
    }
}

static void add_correlation(svg_panel *panel, const double *values, int64_t lags, double bound)
{
    svg_series *stems = svg_add_series(panel, SVG_STEMS, SVG_BLUE, "correlation"),
               *upper = svg_add_series(panel, SVG_LINE, SVG_ORANGE, "95 % bound"),
               *lower = svg_add_series(panel, SVG_LINE, SVG_ORANGE, "");
    panel->height = 120;
    panel->has_zero = panel->x.is_whole = panel->shares_x = true;
    svg_text(panel->x.label, "lag (rows)");
    stems->size = 2.5;
    upper->is_dashed = lower->is_dashed = true;
    panel->y.high = bound;
    for (int64_t lag = 0; lag < lags; lag++) {
        svg_add(stems, (double)lag, values[lag], 0);
        svg_add(upper, (double)lag, bound, 0);
        svg_add(lower, (double)lag, -bound, 0);
        panel->y.high = fmax(panel->y.high, fabs(values[lag]));
    }
    panel->y.high *= 1.15;
    panel->y.low = -panel->y.high;
}

/* Autocorrelations of the residuals, and correlations with the inputs. */
static void plot_residuals(svg_plot *plot, const identify_report *report)
{
    const volt_diagnosis *one = report->diagnosis;
    for (int64_t k = 0; k < least(one->q, 2); k++) {
        const char *name = report->shown->outputs[k];
        add_correlation(svg_add_panel(plot, "residual of %s", name), one->autocorrelation + k * one->lags,
                        one->lags, one->autocorrelation_bound);
        for (int64_t j = 0; j < least(one->d, 2); j++)
            add_correlation(svg_add_panel(plot, "residual of %s with %s", name, report->shown->inputs[j]),
                            one->cross_correlation + (k * one->d + j) * one->lags, one->lags,
                            one->cross_bounds[k * one->d + j]);
    }
    if (plot->last_panel)
        plot->last_panel->shares_x = false;
}

static void add_response(svg_panel *panel, svg_mark mark, int colour, const char *name, double size,
                         const volt_diagnosis *one, const double *values)
{
    svg_series *series = svg_add_series(panel, mark, colour, name);
    series->size = size;
    for (int64_t b = 0; b < one->bins; b++)
        svg_add(series, one->frequencies[b], values[b] != 0 ? values[b] : NAN, 0); /* 0: no power there */
}

/* Gain and phase, measured and of the linear part of the model, of the first pairs that have them. Returns the number of pairs. */
static int plot_responses(svg_plot *plot, const identify_report *report)
{
    const volt_diagnosis *one = report->diagnosis;
    int count = 0;
    for (int64_t pair = 0; pair < one->d * one->q && count < MAX_RESPONSE_PAIRS; pair++) {
        const int64_t at = pair * one->bins;
        const char *output = report->shown->outputs[pair / one->d],
                   *input = report->shown->inputs[pair % one->d];
        bool has_gain = false;
        for (int64_t b = 0; b < one->bins; b++)
            has_gain = has_gain || one->gain[at + b] > 0;
        if (!has_gain)
            continue;
        svg_panel *gain = svg_add_panel(plot, "gain, %s from %s", output, input),
                  *phase = svg_add_panel(plot, "phase in degrees, %s from %s", output, input);
        add_response(gain, SVG_DOTS, SVG_GREY, "measured", 4, one, one->gain + at);
        add_response(phase, SVG_DOTS, SVG_GREY, "measured", 4, one, one->phase + at);
        if (one->model_gain) {
            add_response(gain, SVG_LINE, SVG_BLUE, "model", 2, one, one->model_gain + at);
            add_response(phase, SVG_DOTS, SVG_BLUE, "", 3, one, one->model_phase + at); /* phases wrap */
        }
        gain->x = (svg_axis){.low = one->frequencies[0], .high = 0.5, .is_log = true};
        svg_text(gain->x.label, "frequency (cycles per row)");
        phase->x = gain->x;
        gain->y.is_log = gain->shares_x = phase->shares_x = true;
        phase->y = (svg_axis){.low = -190, .high = 190, .step = 90};
        count++;
    }
    if (plot->last_panel)
        plot->last_panel->shares_x = false;
    return count;
}

/* ---- page ------------------------------------------------------------------------------------- */

typedef struct identify_page {
    html_page page;
    FILE *html; /* of the page */
    const identify_report *report;
} identify_page;

static void write_head(const identify_page *page)
{
    static const double far_outside = 0.1; /* as in volt_model_predict */
    const volt_diagnosis *one = page->report->diagnosis;
    const volt_identification *found = page->report->found;
    const volt_identify_candidate *chosen = &found->candidates[found->chosen];
    char text[IDENTIFY_WARNING_LENGTH];
    html_write_text(page->html, "<p class=\"finding\">Model: ", chosen->name,
                    found->n_averaged > 1 ? ", averaged with models of nearly the same error; " : "; ");
    fprintf(page->html,
            "test RMSE %.6g, linear model %.6g, standard deviation of the outputs %.6g (%lld test rows).</p>\n",
            found->test_rmse, found->linear_test_rmse, found->test_std, (long long)found->test_rows);
    html_write_text(page->html, "<p class=\"quiet\">Kernel ", chosen->kernel, "; ");
    fprintf(
        page->html,
        "alpha %.6g%s; fitted on rows %lld to %lld; the inputs before the first row of a record are %s.</p>\n",
        chosen->alpha, chosen->feedback_weight > 0 ? ", with feedback of the outputs" : "",
        (long long)found->fit_begin, (long long)(found->fit_begin + found->fit_rows - 1),
        found->initial == VOLT_INITIAL_FIRST ? "its first row" : "the mean of the training inputs");
    int64_t outside = 0;
    for (int64_t i = 0; i < one->d; i++)
        outside += one->beyond[i] > far_outside;
    fputs("<h2 id=\"warnings\">Warnings</h2>\n", page->html);
    if (found->n_warnings + outside == 0) {
        fputs("<p>None.</p>\n", page->html);
        return;
    }
    fputs("<ul>\n", page->html);
    for (int64_t i = 0; i < one->d; i++)
        if (one->beyond[i] > far_outside) {
            html_write_text(page->html, "<li>", page->report->shown->inputs[i], ": ");
            fprintf(
                page->html,
                "%lld test rows are below and %lld above the training range, by up to %.2g of it: the model "
                "extrapolates</li>\n",
                (long long)one->below[i], (long long)one->above[i], one->beyond[i]);
        }
    for (int64_t i = 0; i < found->n_warnings; i++)
        html_write_text(
            page->html, "<li>",
            identify_warning_text(found, i, page->report->shown->inputs, page->report->shown->outputs, text),
            "</li>\n");
    fputs("</ul>\n", page->html);
}

static void write_simulation(identify_page *page)
{
    const volt_diagnosis *one = page->report->diagnosis;
    int64_t wide = least(one->rows, MAX_RUN_ROWS), narrow = least(one->rows, MAX_NARROW_RUN);
    char caption[384], undrawn[UNDRAWN_LENGTH];
    snprintf(
        caption, sizeof caption,
        "Measured and simulated outputs, the first %lld of %lld test rows (on small screens %lld)%s%s.",
        (long long)wide, (long long)one->rows, (long long)narrow, one->q > MAX_RUN_PANELS ? "; " : "",
        undrawn_text((const char *const *)page->report->shown->outputs, MAX_RUN_PANELS, one->q, -1, undrawn));
    fputs("<h2 id=\"simulation\">Simulation</h2>\n<div class=\"figures\">\n", page->html);
    svg_plot small = {0}, large = {.width = SVG_WIDE};
    plot_run(&small, page->report, narrow);
    plot_run(&large, page->report, wide);
    page_figure(&page->page, "Measured and simulated", &small, &large, caption);
    fputs("</div>\n", page->html);
}

/* Number of correlations outside the bound. */
static int64_t count_outside(const double *values, int64_t first, int64_t lags, double bound)
{
    int64_t count = 0;
    for (int64_t lag = first; lag < lags; lag++)
        count += fabs(values[lag]) > bound;
    return count;
}

static void write_residuals(const identify_page *page)
{
    const volt_diagnosis *one = page->report->diagnosis;
    const explained *shown = page->report->shown;
    FILE *html = page->html;
    fputs("<h2 id=\"residuals\">Residuals</h2>\n<p>Lags with a correlation of the residuals outside the 95 % "
          "bound. Without structure in the "
          "residuals, "
          "about one in twenty is outside.</p>\n<div class=\"scroll\"><table>\n<thead><tr><th "
          "scope=\"col\">residual of</th><th scope=\"col\">with</th><th scope=\"col\">outside</th><th "
          "scope=\"col\">lags</th><th scope=\"col\">bound</th></tr></thead>\n<tbody>\n",
          html);
    for (int64_t k = 0; k < one->q; k++)
        for (int64_t i = -1; i < one->d; i++) {
            double bound = i < 0 ? one->autocorrelation_bound : one->cross_bounds[k * one->d + i];
            const double *values = i < 0 ? one->autocorrelation + k * one->lags
                                         : one->cross_correlation + (k * one->d + i) * one->lags;
            html_write_text(html, "<tr><th scope=\"row\">", shown->outputs[k], "</th>");
            html_write_text(html, "<td>", i < 0 ? "itself" : shown->inputs[i], "</td>");
            fprintf(html, "<td>%lld</td><td>%lld</td><td>%.4g</td></tr>\n",
                    (long long)count_outside(values, i < 0, one->lags, bound), (long long)(one->lags - (i < 0)),
                    bound);
        }
    fputs("</tbody>\n</table></div>\n", html);
}

static void write_response(identify_page *page)
{
    const volt_diagnosis *one = page->report->diagnosis;
    fputs("<h2 id=\"response\">Frequency response</h2>\n", page->html);
    if (one->bins == 0) {
        fputs("<p>Not computed: too few rows.</p>\n", page->html);
        return;
    }
    double lowest = 1, highest = 0;
    for (int64_t i = 0; i < one->q * one->bins; i++)
        if (isfinite(one->coherence[i])) {
            lowest = fmin(lowest, one->coherence[i]);
            highest = fmax(highest, one->coherence[i]);
        }
    fprintf(
        page->html,
        "<p>Best linear approximation of the training rows (%lld frequencies; coherence %.3f to %.3f), and the "
        "linear part of the model about the mean of the inputs%s. They differ if the system is strongly "
        "nonlinear, and where the coherence is low.</p>\n",
        (long long)one->bins, lowest, highest, one->model_gain ? "" : " (this kernel has none)");
    svg_plot plot = {0};
    if (plot_responses(&plot, page->report) == 0)
        return;
    fputs("<div class=\"figures\">\n", page->html);
    page_figure(&page->page, "Gain and phase", &plot, NULL,
                one->d * one->q > MAX_RESPONSE_PAIRS
                    ? "Gain and phase of the first two pairs of outputs and inputs."
                    : "Gain and phase.");
    fputs("</div>\n", page->html);
}

static void write_series(identify_page *page)
{
    const explained *shown = page->report->shown;
    const volt_explanation *e = shown->series;
    FILE *html = page->html;
    fputs("<h2 id=\"kernels\">Volterra series</h2>\n", html);
    if (!e) {
        fputs("<p>This model has no Volterra series.</p>\n", html);
        return;
    }
    fputs(e->d > page->report->diagnosis->d
              ? "<p>The series describes one step: NAME[-1] is the output of the row before.</p>\n"
              : "",
          html);
    fputs("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">output</th><th scope=\"col\">memory "
          "(lags)</th>",
          html);
    for (int64_t p = 0; e->shares && p < e->share_orders; p++)
        fprintf(html, "<th scope=\"col\">share of order %lld</th>", (long long)p + 1);
    fputs(e->shares ? "<th scope=\"col\">of higher orders</th></tr></thead>\n<tbody>\n"
                    : "</tr></thead>\n<tbody>\n",
          html);
    for (int64_t k = 0; k < e->q; k++) {
        html_write_text(html, "<tr><th scope=\"row\">", shown->outputs[k], "</th>");
        fprintf(html, "<td>%lld%s</td>", (long long)e->memory[k], e->memory[k] == e->lags ? "+" : "");
        for (int64_t p = 0; e->shares && p <= e->share_orders; p++)
            fprintf(html, "<td>%.4f</td>", e->shares[k * (e->share_orders + 1) + p]);
        fputs("</tr>\n", html);
    }
    fputs("</tbody>\n</table></div>\n", html);
    fputs("<div class=\"figures\">\n", html);
    explain_write_kernels(&page->page, shown);
    fputs("</div>\n", html);
}

static void write_number(FILE *html, double value)
{
    if (isfinite(value))
        fprintf(html, "<td>%.4g</td>", value);
    else
        fputs("<td>-</td>", html);
}

static void write_families(const identify_page *page)
{
    const volt_identification *found = page->report->found;
    FILE *html = page->html;
    fputs("<h2 id=\"families\">Families</h2>\n<p>NMSE of free runs on the validation blocks, and RMSE on the "
          "test "
          "rows. A nonlinear model replaces the linear one only if it is better on every block and in one run "
          "over all of them.</p>\n"
          "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">family</th>",
          html);
    for (int b = 0; b < VOLT_IDENTIFY_BLOCKS; b++)
        fprintf(html, "<th scope=\"col\">block %d</th>", b + 1);
    fputs("<th scope=\"col\">mean</th><th scope=\"col\">test RMSE</th><th scope=\"col\">trials</th><th "
          "scope=\"col\">seconds</th></tr></thead>\n<tbody>\n",
          html);
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++) {
        const volt_identify_candidate *one = &found->candidates[i];
        html_write_text(
            html, i == found->chosen ? "<tr><th scope=\"row\" class=\"lowest\">" : "<tr><th scope=\"row\">",
            one->name, i == found->chosen ? " (chosen)</th>" : "</th>");
        for (int b = 0; b < VOLT_IDENTIFY_BLOCKS; b++)
            write_number(html, one->block_nmse[b]);
        write_number(html, one->nmse);
        write_number(html, one->test_rmse);
        fprintf(html, "<td>%lld</td><td>%.2f</td></tr>\n", (long long)one->trials, one->seconds);
    }
    fputs("</tbody>\n</table></div>\n", html);
}

/* The table of test errors of several outputs. */
static void write_outputs(const identify_page *page)
{
    const identify_report *report = page->report;
    FILE *html = page->html;
    if (report->diagnosis->q == 1)
        return;
    fputs(
        "<h2 id=\"outputs\">Outputs</h2>\n<p>RMSE of the free run on the test rows.</p>\n<div class=\"scroll\">"
        "<table>\n<thead><tr><th scope=\"col\">output</th><th scope=\"col\">model</th><th scope=\"col\">linear "
        "model</th><th scope=\"col\">standard deviation</th></tr></thead>\n<tbody>\n",
        html);
    for (int64_t k = 0; k < report->diagnosis->q; k++) {
        const volt_output_test *one = &report->output_tests[k];
        html_write_text(html, "<tr><th scope=\"row\">", report->shown->outputs[k], "</th>");
        write_number(html, one->rmse);
        write_number(html, one->linear_rmse);
        write_number(html, one->std);
        fputs("</tr>\n", html);
    }
    fputs("</tbody>\n</table></div>\n", html);
}

static void write_item(FILE *html, const char *term, const char *format, double value)
{
    html_write_text(html, "<dt>", term, "</dt><dd>");
    fprintf(html, format, value);
    fputs("</dd>\n", html);
}

static void write_check(const identify_page *page)
{
    const volt_identification *found = page->report->found;
    FILE *html = page->html;
    fputs("<h2 id=\"check\">Data check</h2>\n<dl>\n", html);
    if (found->time_step > 0)
        write_item(html, "Time step", page->report->has_clock ? "%g (median)" : "%g s (median)",
                   found->time_step);
    if (found->dead_time >= 0)
        write_item(html, "Dead time", "%g rows", (double)found->dead_time);
    write_item(html, "Linear part", "%.4g of the output variance", 1 - found->unexplained);
    write_item(html, "Noise", "at most %.4g", found->noise);
    write_item(html, "Nonlinear part", found->is_nonlinear ? "at least %.4g" : "%.4g (not clear)",
               found->nonlinearity);
    write_item(html, "Integration", "%.3g of the increments of the outputs", found->integration);
    if (isfinite(found->input_lines))
        write_item(html, "Excitation", "power of %.3g sine waves", found->input_lines);
    write_item(html, "At an extreme", "%.3g of the rows of an output", found->output_at_extreme);
    write_item(html, "Gain of past inputs", "%.3g", found->forward_gain);
    write_item(html, "Gain of past outputs", "%.3g (reverse direction)", found->reverse_gain);
    fputs("</dl>\n", html);
}

static void write_ranges(const identify_page *page)
{
    const volt_diagnosis *one = page->report->diagnosis;
    FILE *html = page->html;
    fputs("<h2 id=\"ranges\">Test rows outside the training range</h2>\n<div "
          "class=\"scroll\"><table>\n<thead><tr><th "
          "scope=\"col\">column</th><th scope=\"col\">below</th><th scope=\"col\">above</th><th "
          "scope=\"col\">largest distance / range</th></tr></thead>\n<tbody>\n",
          html);
    for (int64_t i = 0; i < one->d + one->q; i++) {
        html_write_text(html, "<tr><th scope=\"row\">",
                        i < one->d ? page->report->shown->inputs[i] : page->report->shown->outputs[i - one->d],
                        "</th>");
        fprintf(html, "<td>%lld</td><td>%lld</td>", (long long)one->below[i], (long long)one->above[i]);
        write_number(html, one->beyond[i]);
        fputs("</tr>\n", html);
    }
    fputs("</tbody>\n</table></div>\n", html);
}

static void write_correlations(identify_page *page)
{
    char caption[2 * UNDRAWN_LENGTH], undrawn[UNDRAWN_LENGTH];
    svg_plot plot = {0};
    plot_residuals(&plot, page->report);
    snprintf(caption, sizeof caption,
             "Autocorrelation of the residuals on the test rows, and correlation with inputs before them%s%s.",
             page->report->diagnosis->q > 2 ? "; " : "",
             undrawn_text((const char *const *)page->report->shown->outputs, 2, page->report->diagnosis->q, -1,
                          undrawn));
    fputs("<div class=\"figures\">\n", page->html);
    page_figure(&page->page, "Correlations of the residuals", &plot, NULL, caption);
    fputs("</div>\n", page->html);
}

int identify_write_page(const identify_report *report, const char *path)
{
    identify_page page = {.report = report};
    if (!page_begin(&page.page, "Identification", report->title))
        return EXIT_FAILED;
    page.html = page.page.html;
    write_head(&page);
    write_simulation(&page);
    write_residuals(&page);
    write_correlations(&page);
    write_response(&page);
    write_series(&page);
    write_outputs(&page);
    write_families(&page);
    write_check(&page);
    write_ranges(&page);
    html_write_text(page.html, "<h2 id=\"same\">The same model</h2>\n<pre class=\"command\">", report->fit,
                    "</pre>\n");
    page_origin(&page.page, report->command, report->seed);
    return page_end(&page.page, path);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

void identify_report_json(const identify_report *report, result_list *results)
{
    const volt_diagnosis *one = report->diagnosis;
    const volt_explanation *e = one->explanation;
    result_list *inner = results_new(true);
    results_fields(inner, volt_diagnosis, one,
                   "first_row measured simulated autocorrelation autocorrelation_bound cross_correlation "
                   "frequencies gain phase coherence model_gain model_phase below above beyond");
    results_numbers(inner, "cross_bounds", one->cross_bounds, one->q * one->d);
    if (e) {
        results_count(inner, "kernel_lags", NULL, e->lags);
        results_rows(inner, "g1", volt_view_of(e->kernels[0], e->q * e->lags, e->d));
        results_rows(inner, "g2", volt_view_of(e->kernels[1], e->q * e->lags * e->lags, e->d * e->d));
        results_fields(inner, volt_explanation, e, "memory shares");
    }
    results_nest(results, "diagnosis", inner);
}
