/* cli/page/explain_page.c: plots and HTML page of `explain`: main result, plots, and how to read them.
 *
 * Only the kernels with the largest contributions are drawn. A kernel of order 2 of one input is drawn as
 * the symmetric kernel of ordered pairs: g2 on the diagonal and g2 / 2 elsewhere. A kernel of two different
 * inputs is drawn as the joint effect of the pair. A second panel shows the diagonal. */
#include "page/explain_page.h"

#include "terminal/messages.h"

#include <math.h>
#include <stdlib.h>

/* ---- kernels ---------------------------------------------------------------------------------- */

/* Output and inputs of the kernel in a panel. */
enum { MAX_KERNEL_PANELS = 6, MAX_SURFACES = 4 };
typedef struct kernel_panel {
    int64_t output, first, second;
} kernel_panel;

static double first_at(const volt_explanation *e, kernel_panel panel, int64_t lag)
{
    return e->kernels[0][(panel.output * e->lags + lag) * e->d + panel.first];
}

/* Returns the symmetric kernel of ordered pairs (see above). */
static double second_at(const volt_explanation *e, kernel_panel panel, int64_t lag1, int64_t lag2)
{
    bool same = panel.first == panel.second, falls = lag1 > lag2;
    int64_t low = falls ? lag2 : lag1, high = falls ? lag1 : lag2;
    int64_t a = falls ? panel.second : panel.first, b = falls ? panel.first : panel.second;
    double g = e->kernels[1][(((panel.output * e->lags + low) * e->lags + high) * e->d + a) * e->d + b];
    if (lag1 == lag2)
        return same ? g : 2 * g;
    return same ? g / 2 : g;
}

static double energy_of(const volt_explanation *e, int order, kernel_panel panel)
{
    double sum = 0;
    for (int64_t i = 0; i < e->lags; i++) {
        if (order == 1)
            sum += pow(first_at(e, panel, i), 2);
        for (int64_t j = 0; order == 2 && j < e->lags; j++)
            sum += pow(second_at(e, panel, i, j), 2);
    }
    return sum;
}

/* Selects at most `most` kernels of order 1 or 2, largest contribution first. *all is the total number. */
static int choose_kernels(const volt_explanation *e, int order, int most, kernel_panel *panels, int64_t *all)
{
    double energies[MAX_KERNEL_PANELS];
    int count = 0;
    *all = 0;
    for (int64_t k = 0; k < e->q; k++)
        for (int64_t i = 0; i < e->d; i++)
            for (int64_t j = i; j < (order == 2 ? e->d : i + 1); j++) {
                kernel_panel panel = {k, i, j};
                double energy = energy_of(e, order, panel);
                int at = count < most ? count++ : most;
                ++*all;
                for (; at > 0 && energies[at - 1] < energy; at--)
                    if (at < most) {
                        energies[at] = energies[at - 1];
                        panels[at] = panels[at - 1];
                    }
                if (at < most) {
                    energies[at] = energy;
                    panels[at] = panel;
                }
            }
    return count;
}

/* Adds a panel with the title "y from x" or "y from x and z". */
static svg_panel *add_kernel_panel(svg_plot *plot, const explained *shown, kernel_panel kernel)
{
    const char *output = shown->outputs[kernel.output], *first = shown->inputs[kernel.first];
    svg_panel *panel = kernel.first == kernel.second ? svg_add_panel(plot, "%s from %s", output, first)
                                                     : svg_add_panel(plot, "%s from %s and %s", output, first,
                                                                     shown->inputs[kernel.second]);
    panel->x.low = -0.5;
    panel->x.high = (double)shown->series->lags - 0.5;
    panel->x.is_whole = true;
    return panel;
}

static void plot_first(svg_plot *plot, const explained *shown)
{
    static const double band = 1.6448536269514722; /* 0.95 quantile of the normal distribution: 90 % band */
    const volt_explanation *e = shown->series;
    kernel_panel kernels[MAX_KERNEL_PANELS];
    int64_t all;
    int count = choose_kernels(e, 1, MAX_KERNEL_PANELS, kernels, &all);
    for (int i = 0; i < count; i++) {
        svg_panel *panel = add_kernel_panel(plot, shown, kernels[i]);
        panel->has_zero = true;
        panel->shares_x = i + 1 < count;
        svg_text(panel->x.label, "lag (rows)");
        svg_series *interval = svg_add_series(panel, SVG_BARS, SVG_ORANGE, "90 % interval"),
                   *stems = svg_add_series(panel, SVG_STEMS, SVG_BLUE, ""),
                   *dots = svg_add_series(panel, SVG_DOTS, SVG_BLUE, "");
        interval->size = 0.7;
        interval->opacity = 0.3;
        stems->size = e->lags > 60 ? 1 : 2.2;
        dots->size = e->lags > 60 ? 2.5 : 5;
        for (int64_t m = 0; m < e->lags; m++) {
            double g = first_at(e, kernels[i], m);
            if (e->g1_std) {
                double half = band * e->g1_std[(kernels[i].output * e->lags + m) * e->d + kernels[i].first];
                svg_add(interval, (double)m, g - half, g + half);
            }
            svg_add(stems, (double)m, g, 0);
            svg_add(dots, (double)m, g, 0);
        }
    }
}

/* The surface over both lags; of many lags, the largest value of each square of `step` lags. */
static void add_surface(svg_panel *panel, const volt_explanation *e, kernel_panel kernel)
{
    enum { MAX_CELLS = 120 };
    const int64_t step = 1 + (e->lags - 1) / MAX_CELLS;
    svg_series *cells = svg_add_series(panel, SVG_CELLS, SVG_GREY, "");
    cells->size = (double)step;
    for (int64_t row = 0; row < e->lags; row += step)
        for (int64_t column = 0; column < e->lags; column += step) {
            double largest = 0;
            for (int64_t m2 = row; m2 < row + step && m2 < e->lags; m2++)
                for (int64_t m1 = column; m1 < column + step && m1 < e->lags; m1++) {
                    double g = second_at(e, kernel, m1, m2);
                    largest = fabs(g) > fabs(largest) ? g : largest;
                }
            svg_add(cells, (double)column + (double)(step - 1) / 2, (double)row + (double)(step - 1) / 2,
                    largest);
            panel->scale = fmax(panel->scale, fabs(largest));
        }
    panel->scale = panel->scale > 0 ? panel->scale : 1;
}

static void plot_second(svg_plot *plot, const explained *shown)
{
    const volt_explanation *e = shown->series;
    kernel_panel kernels[MAX_KERNEL_PANELS];
    int64_t all;
    int count = choose_kernels(e, 2, MAX_SURFACES, kernels, &all);
    plot->columns = 2;
    for (int i = 0; i < count; i++) {
        const char *first = shown->inputs[kernels[i].first], *second = shown->inputs[kernels[i].second];
        bool is_pair = kernels[i].first != kernels[i].second;
        svg_panel *surface = add_kernel_panel(plot, shown, kernels[i]),
                  *diagonal = svg_add_panel(plot, "diagonal");
        surface->height = diagonal->height = 176;
        surface->y.low = surface->x.low;
        surface->y.high = surface->x.high;
        surface->y.is_whole = true;
        diagonal->x = surface->x;
        diagonal->has_zero = true;
        svg_text(diagonal->x.label, "both lags (rows)");
        svg_text(surface->x.label, is_pair ? "lag of %s (rows)" : "lag%.0s (rows)", first);
        svg_text(surface->y.label, is_pair ? "lag of %s (rows)" : "lag%.0s (rows)", second);
        add_surface(surface, e, kernels[i]);
        svg_series *stems = svg_add_series(diagonal, SVG_STEMS, SVG_PURPLE, ""),
                   *dots = svg_add_series(diagonal, SVG_DOTS, SVG_PURPLE, "");
        dots->size = e->lags > 30 ? 2.5 : 4;
        stems->size = e->lags > 30 ? 1 : 1.6;
        for (int64_t m = 0; m < e->lags; m++) {
            svg_add(stems, (double)m, second_at(e, kernels[i], m, m), 0);
            svg_add(dots, (double)m, second_at(e, kernels[i], m, m), 0);
        }
    }
}

/* One panel per output, one bar per order. */
static void plot_shares(svg_plot *plot, const explained *shown)
{
    enum { MAX_OUTPUTS = 16, LABEL = ORDER_NAME_LENGTH + 32 };
    const volt_explanation *e = shown->series;
    const int64_t outputs = e->q < MAX_OUTPUTS ? e->q : MAX_OUTPUTS, orders = e->share_orders + 1;
    const size_t count = (size_t)(outputs * orders);
    const char **labels = plot->kept = malloc(count * (sizeof *labels + LABEL));
    char *text = labels ? (char *)(labels + count) : NULL;
    double low = 0, high = 1;
    plot->failed = plot->failed || !labels;
    for (int64_t i = 0; i < outputs * orders; i++) {
        low = fmin(low, 1.05 * e->shares[i]);
        high = fmax(high, e->shares[i]);
    }
    for (int64_t k = 0; labels && k < outputs; k++) {
        svg_panel *panel = svg_add_panel(plot, "%s", shown->outputs[k]);
        panel->height = 22 * (double)orders + 6;
        panel->shares_x = k + 1 < outputs;
        panel->x = (svg_axis){.low = low, .high = 1.02 * high};
        panel->y = (svg_axis){.low = 0.5 - (double)orders,
                              .high = 0.5,
                              .texts = labels + k * orders,
                              .first_text = 1 - orders,
                              .n_texts = orders};
        svg_text(panel->x.label, "share of the variance");
        for (int64_t p = 0; p < orders; p++, text += LABEL) {
            const double share = e->shares[k * orders + p];
            char name[ORDER_NAME_LENGTH];
            svg_series *bar = svg_add_series(panel, SVG_SPANS, svg_colour(p), "");
            bar->size = 14;
            svg_add(bar, 0, -(double)p, share);
            if (p < orders - 1)
                snprintf(text, LABEL, "order %lld: %.3f", (long long)p + 1, share);
            else
                snprintf(text, LABEL, "%s orders: %.3f", explained_order(shown, p, name), share);
            labels[k * orders + orders - 1 - p] = text;
        }
    }
}

int explain_write_pictures(const explained *shown, const char *prefix)
{
    char path[EXPLAINED_PATH];
    svg_plot first = {0}, second = {0}, shares = {0};
    plot_first(&first, shown);
    int failed = svg_write_file(explained_path(prefix, "g1.svg", path), &first);
    if (!failed && shown->series->order >= 2) {
        plot_second(&second, shown);
        failed = svg_write_file(explained_path(prefix, "g2.svg", path), &second);
    }
    if (!failed && shown->series->shares) {
        plot_shares(&shares, shown);
        failed = svg_write_file(explained_path(prefix, "shares.svg", path), &shares);
    }
    return failed;
}

/* Writes " Of 30 such kernels, the 6 largest are shown." */
static const char *chosen(const explained *shown, int order, int most, char text[80])
{
    kernel_panel kernels[MAX_KERNEL_PANELS];
    int64_t all;
    int count = choose_kernels(shown->series, order, most, kernels, &all);
    if (count == all)
        text[0] = '\0';
    else
        snprintf(text, 80, " Of %lld such kernels, the %d largest are shown.", (long long)all, count);
    return text;
}

void explain_write_kernels(html_page *page, const explained *shown)
{
    const volt_explanation *e = shown->series;
    char caption[512], more[80];
    svg_plot first = {0}, second = {0};
    plot_first(&first, shown);
    snprintf(caption, sizeof caption,
             "Kernel of order 1: response of the output to a unit impulse in the input, by lag.%s%s",
             e->g1_std ? " The band is a 90 % interval." : "", chosen(shown, 1, MAX_KERNEL_PANELS, more));
    page_figure(page, "Order 1", &first, NULL, caption);
    if (e->order < 2)
        return;
    plot_second(&second, shown);
    snprintf(caption, sizeof caption,
             "Kernel of order 2 for ordered pairs of lags, and its diagonal: the response to two impulses "
             "minus their separate responses.%s",
             chosen(shown, 2, MAX_SURFACES, more));
    page_figure(page, "Order 2", &second, NULL, caption);
}

/* ---- page ------------------------------------------------------------------------------------- */

/* Summarises the largest contributions. */
static void write_finding(FILE *html, const explained *shown, const char *model)
{
    const volt_explanation *e = shown->series;
    if (!e->shares) {
        html_write_text(html, "<p class=\"finding\">The Volterra kernels of ", model, "</p>\n");
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
        fprintf(html,
                "<p class=\"finding\">The orders partly cancel: their shares are %.2f (linear), %.2f (order 2) "
                "and %.2f "
                "(higher orders)%s.</p>\n",
                first, second, higher, means);
    else
        fprintf(html,
                "<p class=\"finding\">Variance of the outputs by order: %.1f %% linear, %.1f %% order 2, %.1f "
                "%% higher orders%s.</p>\n",
                100 * first, 100 * second, 100 * higher, means);
}

static void write_head(FILE *html, const explained *shown, const char *model)
{
    write_finding(html, shown, model);
    html_write_text(html, "<p class=\"quiet\">Kernel ", shown->info.kernel, "; ");
    fprintf(html, "fitted on %lld rows; expanded about %s", (long long)shown->info.n, shown->about);
    for (int64_t j = 0; j < shown->series->d && j < 8; j++)
        fprintf(html, "%s%.6g", j ? ", " : " (", shown->series->about[j]);
    fprintf(html, "%s); lags 0 to %lld.</p>\n", shown->series->d > 8 ? ", ..." : "",
            (long long)shown->series->lags - 1);
}

static void write_numbers(FILE *html, const explained *shown)
{
    const volt_explanation *e = shown->series;
    int64_t orders = e->share_orders;
    fputs("<h2>Outputs</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>output</th><th>g<sub>0</sub></th>"
          "<th>memory (lags)</th>",
          html);
    for (int64_t p = 0; e->shares && p < orders; p++)
        fprintf(html, "<th>order %lld</th>", (long long)p + 1);
    fputs(e->shares ? "<th>higher</th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n", html);
    for (int64_t k = 0; k < e->q; k++) {
        html_write_text(html, "<tr><th>", shown->outputs[k], "</th>");
        fprintf(html, "<td>%.6g</td><td>%lld%s</td>", e->g0[k], (long long)e->memory[k],
                e->memory[k] == e->lags ? "+" : "");
        for (int64_t p = 0; e->shares && p <= orders; p++)
            fprintf(html, "<td>%.4f</td>", e->shares[k * (orders + 1) + p]);
        fputs("</tr>\n", html);
    }
    fputs("</tbody>\n</table></div>\n", html);
}

static void write_reading(FILE *html)
{
    fputs("<h2>How to read this</h2>\n"
          "<p>f = g<sub>0</sub> + &Sigma; g<sub>1</sub>[m] &delta;<sub>-m</sub> + &Sigma; "
          "g<sub>2</sub>[m<sub>1</sub>]"
          "[m<sub>2</sub>] &delta;<sub>-m<sub>1</sub></sub> &delta;<sub>-m<sub>2</sub></sub> + &hellip;, "
          "&delta; = inputs minus the point of expansion, all in the units of the data. Memory is the number "
          "of lags with 99 % of the response of g<sub>1</sub> and g<sub>2</sub> to white inputs. Orders depend "
          "on the point of expansion. Ridge regression shrinks the kernels slightly; the difference is part of "
          "the higher orders.</p>\n",
          html);
}

int explain_write_page(const explained *shown, const char *model, const char *prefix)
{
    char path[EXPLAINED_PATH];
    html_page page = {0};
    if (!page_begin(&page, "Volterra series of the model", model))
        return EXIT_FAILED;
    write_head(page.html, shown, model);
    write_numbers(page.html, shown);
    fputs("<h2>Kernels</h2>\n<div class=\"figures\">\n", page.html);
    explain_write_kernels(&page, shown);
    if (shown->series->shares) {
        svg_plot shares = {0};
        plot_shares(&shares, shown);
        page_figure(&page, "Shares of the orders", &shares, NULL,
                    "cov(f_p, f) / var(f) over the rows, where f_p is the part of order p. Shares sum to 1 "
                    "and may be negative.");
    }
    fputs("</div>\n", page.html);
    write_reading(page.html);
    page_origin(&page, NULL, NULL);
    return page_end(&page, explained_path(prefix, "html", path));
}
