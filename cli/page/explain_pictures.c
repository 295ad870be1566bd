/* cli/page/explain_pictures.c: gnuplot scripts for Volterra kernels and the variance shares of the orders.
 *
 * Only the kernels with the largest contributions are drawn. A kernel of order 2 of one input is drawn as
 * the symmetric kernel of ordered pairs: g2 on the diagonal and g2 / 2 elsewhere. A kernel of two different
 * inputs is drawn as the joint effect of the pair. The colour scale has one colour per sign, with white at
 * 0. A second panel shows the diagonal. */
#include "files/gnuplot.h"
#include "files/gnuplot_text.h"
#include "page/explain_page.h"
#include "page/picture_script.h"
#include "terminal/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = PICTURE_NARROW,
    PANEL = 262,
    SURFACE = 272,
    LEFT = 74,
    RIGHT = 16,
    GAP = 34,   /* above a panel, for its title */
    TICKS = 30, /* below a panel */
    FOOT = 40,
    BAR = 34
};

#define LAG_LABEL "set xlabel 'lag (rows)' offset 0,0.5 textcolor rgb '" QUIET_COLOUR "'\n"

/* ---- kernels ---------------------------------------------------------------------------------- */

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

int explain_choose(const explained *shown, int order, int most, kernel_panel *panels, int64_t *all)
{
    const volt_explanation *e = shown->series;
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

/* Writes "y from x" or "y from x and z". */
static void write_title(FILE *script, const explained *shown, int order, kernel_panel panel)
{
    char text[256];
    const char *output = shown->outputs[panel.output], *first = shown->inputs[panel.first];
    if (order == 1 || panel.first == panel.second)
        snprintf(text, sizeof text, "%.60s from %.60s", output, first);
    else
        snprintf(text, sizeof text, "%.60s from %.60s and %.60s", output, first, shown->inputs[panel.second]);
    fputs("set label 1 ", script);
    gnuplot_text(script, text);
    fputs(" at graph 0, graph 1 offset 0.2,0.8 left textcolor rgb '" QUIET_COLOUR "'\n", script);
}

static void lag_axis(FILE *script, const volt_explanation *e, bool is_last)
{
    fprintf(script, "set xrange [-0.5:%lld.5]\nset xtics autofreq\n%s", (long long)e->lags - 1,
            is_last ? LAG_LABEL : "unset xlabel\n");
}

void explain_draw_first(FILE *script, const explained *shown)
{
    static const double band = 1.6448536269514722; /* 0.95 quantile of the normal distribution: 90 % band */
    const volt_explanation *e = shown->series;
    kernel_panel panels[MAX_KERNEL_PANELS];
    int64_t all;
    int count = explain_choose(shown, 1, MAX_KERNEL_PANELS, panels, &all), height = count * PANEL + FOOT;
    script_begin(script, WIDTH, height);
    fputs("set multiplot\nset xzeroaxis linetype 1 linecolor rgb '" QUIET_COLOUR "'\n", script);
    for (int i = 0; i < count; i++) {
        const double *deviations = e->g1_std;
        script_frame(script, WIDTH, height, LEFT, WIDTH - RIGHT, i * (double)PANEL + GAP,
                     (i + 1.0) * PANEL - TICKS);
        lag_axis(script, e, i + 1 == count);
        write_title(script, shown, 1, panels[i]);
        fputs("$g << E\n", script);
        for (int64_t m = 0; m < e->lags; m++) {
            double g = first_at(e, panels[i], m);
            double margin =
                deviations ? band * deviations[(panels[i].output * e->lags + m) * e->d + panels[i].first] : 0;
            fprintf(script, "%lld %.10g %.10g %.10g\n", (long long)m, g, g - margin, g + margin);
        }
        fputs("E\nplot ", script);
        if (deviations)
            fputs("$g using 1:3:4 with filledcurves fillstyle transparent solid 0.25 noborder linecolor rgb "
                  "'#d55e00', ",
                  script);
        fprintf(script, "$g using 1:2 with impulses linewidth %s linecolor rgb '#2f7fd0', ",
                e->lags > 60 ? "1" : "2.5");
        fprintf(script, "$g using 1:2 with points pointtype 7 pointsize %s linecolor rgb '#2f7fd0'\n",
                e->lags > 60 ? "0.2" : "0.45");
    }
    fputs("unset multiplot\n", script);
}

/* Draws the surface over both lags, with colours by sign and the colour scale at the right from `bar`. */
static void draw_surface(FILE *script, const explained *shown, kernel_panel panel, double bar, double bottom,
                         double side, int height)
{
    const volt_explanation *e = shown->series;
    double largest = 0;
    write_title(script, shown, 2, panel);
    char label[96];
    snprintf(label, sizeof label, panel.first == panel.second ? "lag (rows)" : "lag of %.60s (rows)",
             shown->inputs[panel.second]);
    fputs("unset xzeroaxis\nset ylabel ", script);
    gnuplot_text(script, label);
    fputs(" textcolor rgb '" QUIET_COLOUR "'\n$g << E\n", script);
    for (int64_t m1 = 0; m1 < e->lags; m1++)
        for (int64_t m2 = 0; m2 < e->lags; m2++) {
            double g = second_at(e, panel, m1, m2);
            largest = fmax(largest, fabs(g));
            fprintf(script, "%lld %lld %.6g\n", (long long)m1, (long long)m2, g);
        }
    largest = largest > 0 ? largest : 1;
    fprintf(
        script,
        "E\nset palette defined (-1 '#1f5fa8', -0.5 '#7fb3de', 0 '#f7f7f7', 0.5 '#f0a583', 1 '#b5301f')\n"
        "set cbrange [%.6g:%.6g]\nset yrange [-0.5:%lld.5]\nset ytics autofreq\n"
        "set colorbox vertical user origin screen %.5g, screen %.5g size screen %.5g, screen %.5g noborder\n"
        "set cbtics ('-%.2g' %.6g, '0' 0, '%.2g' %.6g) scale 0.3\n"
        "plot $g using 1:2:3 with image pixels\nunset colorbox\nunset ylabel\n",
        -largest, largest, (long long)e->lags - 1, bar / WIDTH, 1 - bottom / height, 10.0 / WIDTH,
        side / height, largest, -largest, largest, largest);
}

/* Returns a round spacing for about three ticks. */
static double tick_step(double range)
{
    double unit = pow(10, floor(log10(range / 3))), parts = range / 3 / unit;
    return unit * (parts < 1.5 ? 1 : parts < 3.5 ? 2 : parts < 7.5 ? 5 : 10);
}

static void draw_diagonal(FILE *script, const volt_explanation *e, kernel_panel panel)
{
    double low = 0, high = 0;
    fputs("unset label 1\nset xzeroaxis linetype 1 linecolor rgb '" QUIET_COLOUR "'\n$c << E\n", script);
    for (int64_t m = 0; m < e->lags; m++) {
        double g = second_at(e, panel, m, m);
        low = fmin(low, g);
        high = fmax(high, g);
        fprintf(script, "%lld %.10g\n", (long long)m, g);
    }
    double range = high > low ? high - low : 1;
    fprintf(script,
            "E\nset yrange [%.6g:%.6g]\nset ytics %.6g\nset xtics %lld\n"
            "plot $c using 1:2 with impulses linewidth %s linecolor rgb '#9673de', "
            "$c using 1:2 with points pointtype 7 pointsize 0.3 linecolor rgb '#9673de'\n",
            low - 0.05 * range, high + 0.05 * range, tick_step(range), (long long)(e->lags + 2) / 3,
            e->lags > 30 ? "0.6" : "1.5");
}

void explain_draw_second(FILE *script, const explained *shown)
{
    const volt_explanation *e = shown->series;
    kernel_panel panels[MAX_KERNEL_PANELS];
    int64_t all;
    int count = explain_choose(shown, 2, MAX_SURFACES, panels, &all), height = count * SURFACE + FOOT;
    double side = SURFACE - GAP - TICKS, bar = LEFT + side + 10, cut = bar + 134;
    script_begin(script, WIDTH, height);
    fputs("set multiplot\n", script);
    for (int i = 0; i < count; i++) {
        double top = i * (double)SURFACE + GAP, bottom = top + side;
        script_frame(script, WIDTH, height, LEFT, LEFT + side, top, bottom);
        lag_axis(script, e, i + 1 == count);
        draw_surface(script, shown, panels[i], bar, bottom, side, height);
        script_frame(script, WIDTH, height, cut, WIDTH - RIGHT, top, bottom);
        draw_diagonal(script, e, panels[i]);
    }
    fputs("unset multiplot\n", script);
}

/* ---- shares ----------------------------------------------------------------------------------- */

void explain_draw_shares(FILE *script, const explained *shown)
{
    enum { MAX_OUTPUTS = 16, NAME = 130 };
    static const char *const colours[] = {"#2f7fd0", "#d55e00", "#009e73", "#cc79a7", "#9673de",
                                          "#a97c0c", "#0d8fa8", "#a8583a", "#76838f"};
    const volt_explanation *e = shown->series;
    int outputs = (int)(e->q < MAX_OUTPUTS ? e->q : MAX_OUTPUTS), orders = (int)e->share_orders + 1,
        height = outputs * orders * 22 + outputs * BAR + FOOT + TICKS;
    double low = 0, high = 1;
    for (int64_t i = 0; i < outputs * orders; i++) {
        low = fmin(low, e->shares[i]);
        high = fmax(high, e->shares[i]);
    }
    script_begin(script, WIDTH, height);
    script_frame(script, WIDTH, height, NAME, WIDTH - 64, 8, height - FOOT - TICKS);
    double rows = outputs * (orders + 1.5);
    fprintf(script,
            "set border 1 linecolor rgb '" QUIET_COLOUR "'\nset xrange [%.5g:%.5g]\nset yrange [%.5g:0]\n"
            "unset ytics\nset arrow 1 from 0,graph 0 to 0,graph 1 nohead linecolor rgb '" QUIET_COLOUR "'\n"
            "set xlabel 'share of the variance' offset 0,0.5 textcolor rgb '" QUIET_COLOUR "'\n"
            "set style fill solid 0.85 noborder\n",
            low * 1.05, high * 1.02, rows);
    int label = 10;
    for (int k = 0; k < outputs; k++) {
        double top = k * (orders + 1.5) + 0.7;
        char text[128], name[ORDER_NAME_LENGTH];
        snprintf(text, sizeof text, "%.30s", shown->outputs[k]);
        fprintf(script, "set label %d ", label++);
        gnuplot_text(script, text);
        fprintf(script, " at screen 0.01, first %.5g left textcolor rgb '" INK_COLOUR "'\n", top);
        for (int p = 0; p < orders; p++) {
            double share = e->shares[k * orders + p], middle = top + p + 1;
            if (p < orders - 1)
                snprintf(text, sizeof text, "order %d", p + 1);
            else
                snprintf(text, sizeof text, "%s orders", explained_order(shown, p, name));
            fprintf(script, "set label %d ", label++);
            gnuplot_text(script, text);
            fprintf(script, " at graph 0, first %.5g offset -1,0 right textcolor rgb '" QUIET_COLOUR "'\n",
                    middle);
            fprintf(
                script,
                "set label %d '%.3f' at first %.5g, first %.5g offset 0.6,0 left textcolor rgb '" QUIET_COLOUR
                "'\n",
                label++, share, fmax(share, 0), middle);
            fprintf(script,
                    "set object %d rectangle from 0,%.5g to %.5g,%.5g fillcolor rgb '%s' fillstyle solid 0.85 "
                    "noborder\n",
                    label, middle - 0.36, share, middle + 0.36, colours[p < orders - 1 ? p % 8 : 8]);
        }
    }
    fputs("plot NaN\n", script);
}

/* ---- files ------------------------------------------------------------------------------------ */

static int draw(void (*picture)(FILE *, const explained *), const explained *shown, const char *path)
{
    FILE *script = gnuplot_script();
    if (!script)
        return EXIT_FAILED;
    picture(script, shown);
    int failed = gnuplot_draw_file(script, path);
    fclose(script);
    return failed;
}

int explain_write_pictures(const explained *shown, const char *prefix)
{
    char path[EXPLAINED_PATH];
    int failed = draw(explain_draw_first, shown, explained_path(prefix, "g1.svg", path));
    if (!failed && shown->series->order >= 2)
        failed = draw(explain_draw_second, shown, explained_path(prefix, "g2.svg", path));
    if (!failed && shown->series->shares)
        failed = draw(explain_draw_shares, shown, explained_path(prefix, "shares.svg", path));
    return failed;
}
