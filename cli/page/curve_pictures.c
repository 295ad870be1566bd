/* cli/page/curve_pictures.c: gnuplot scripts for a spectrum, for forgetting and for learning curves.
 *
 * Values are drawn on logarithmic axes. Zeros, which are rounding errors, are not drawn. */
#include "page/curve_pictures.h"

#include "files/gnuplot.h"
#include "files/gnuplot_text.h"
#include "page/picture_script.h"

#include <math.h>

enum { WIDTH = PICTURE_NARROW, PANEL = 262, LEFT = 70, RIGHT = 26, GAP = 34, TICKS = 62, POINTS = 1000 };

/* Writes columns of the rows as a table with the row number first, counted from `from`. Of many rows, every k-th
 * is drawn, all of the first 100. */
static void write_table(FILE *script, const char *name, volt_view rows, int64_t from)
{
    int64_t every = 1 + rows.rows / POINTS;
    fprintf(script, "$%s << E\n", name);
    for (int64_t i = 0; i < rows.rows; i++) {
        const double *row = rows.data + i * rows.ld;
        if ((i >= 100 && i % every != 0 && i + 1 < rows.rows) || !(row[0] > 0))
            continue;
        fprintf(script, "%lld %.10g ", (long long)i + from, row[0]);
        if (isfinite(row[1]) && row[1] > 0)
            fprintf(script, "%.10g\n", row[1]);
        else
            fputs("NaN\n", script);
    }
    fputs("E\n", script);
}

static void write_panel(FILE *script, int height, int panel, const char *title, const char *label)
{
    script_frame(script, WIDTH, height, LEFT, WIDTH - RIGHT, panel * (double)PANEL + GAP,
                 (panel + 1.0) * PANEL - TICKS);
    fprintf(script,
            "set label 1 '%s' at graph 0, graph 1 offset 0.2,0.8 left textcolor rgb '" QUIET_COLOUR "'\n"
            "set xlabel '%s' offset 0,0.5 textcolor rgb '" QUIET_COLOUR "'\n",
            title, label);
}

static int draw(FILE *script, const char *path)
{
    int failed = gnuplot_draw_file(script, path);
    fclose(script);
    return failed;
}

int picture_spectrum_file(const char *path, volt_view spectrum)
{
    int height = 2 * PANEL;
    FILE *script = gnuplot_script();
    if (!script)
        return 1;
    script_begin(script, WIDTH, height);
    write_table(script, "s", spectrum, 1);
    fputs("set multiplot\nset logscale xy\nset format y '%.0te%T'\n", script);
    write_panel(script, height, 0, "eigenvalues of the Gram matrix", "number");
    fputs(
        "plot $s using 1:2 with linespoints pointtype 7 pointsize 0.3 linewidth 1.5 linecolor rgb '#2f7fd0'\n",
        script);
    write_panel(script, height, 1, "effective dimension", "alpha");
    fputs("set format x '%.0te%T'\nset format y '%h'\nplot $s using 2:3 with lines linewidth 2 linecolor rgb "
          "'#2f7fd0'\nunset multiplot\n",
          script);
    return draw(script, path);
}

int picture_forgetting_file(const char *path, volt_view curve)
{
    int height = PANEL;
    FILE *script = gnuplot_script();
    if (!script)
        return 1;
    script_begin(script, WIDTH, height);
    write_table(script, "d", curve, 0);
    fputs("set logscale y\nset format y '%.0te%T'\nset key top right textcolor rgb '" QUIET_COLOUR "'\n",
          script);
    write_panel(script, height, 0, "distance of two states", "common rows");
    fputs("plot $d using 1:3 with lines linewidth 1.5 dashtype 2 linecolor rgb '#d55e00' title 'bound', "
          "$d using 1:2 with lines linewidth 2 linecolor rgb '#2f7fd0' title 'distance'\n",
          script);
    return draw(script, path);
}

/* Sizes, means and the ends of a band of one standard error; NaN: none. The lower end stays on the logarithmic axis. */
static void write_learning_table(FILE *script, const volt_curve *curve, int64_t k)
{
    fprintf(script, "$k%lld << E\n", (long long)k);
    for (int64_t s = 0; s < curve->n_sizes; s++) {
        double mean = curve->mean_nmse[k * curve->n_sizes + s],
               error = curve->nmse_error[k * curve->n_sizes + s];
        if (!(mean > 0))
            continue;
        double half = isfinite(error) ? error : 0;
        fprintf(script, "%lld %.10g %.10g %.10g\n", (long long)curve->sizes[s], mean,
                fmax(mean - half, mean / 10), mean + half);
    }
    fputs("E\n", script);
}

int picture_learning_file(const char *path, const volt_curve *curve, const char *const *names)
{
    int key = 10 + 22 * (int)(curve->n_kernels < 12 ? curve->n_kernels : 12), height = PANEL + key + 40;
    FILE *script = gnuplot_script();
    if (!script)
        return 1;
    script_begin(script, WIDTH, height);
    for (int64_t k = 0; k < curve->n_kernels; k++)
        write_learning_table(script, curve, k);
    fprintf(script, "set logscale xy\nset format y '%%.0te%%T'\nset xrange [%.10g:%.10g]\n",
            (double)curve->sizes[0] / 1.1, (double)curve->sizes[curve->n_sizes - 1] * 1.1);
    script_frame(script, WIDTH, height, LEFT, WIDTH - RIGHT, GAP + key, height - (double)TICKS);
    fprintf(script,
            "set key at screen %.4g, screen %.4g left Left reverse samplen 2 textcolor rgb '" QUIET_COLOUR "'\n"
            "set label 1 'NMSE of held-out rows' at graph 0, graph 1 offset 0.2,0.8 left textcolor rgb "
            "'" QUIET_COLOUR "'\nset xlabel 'training rows' offset 0,0.5 textcolor rgb '" QUIET_COLOUR
            "'\nplot ",
            LEFT / (double)WIDTH, 1 - 8.0 / height);
    for (int64_t k = 0; k < curve->n_kernels; k++) {
        fprintf(script,
                "%s$k%lld using 1:3:4 with filledcurves fillstyle transparent solid 0.2 noborder linecolor rgb "
                "'%s' "
                "notitle, $k%lld using 1:2 with linespoints pointtype 7 pointsize 0.4 linewidth 2 dashtype %s "
                "linecolor rgb '%s' title ",
                k > 0 ? ", " : "", (long long)k, picture_colour(k), (long long)k, picture_dash(k),
                picture_colour(k));
        gnuplot_text(script, names[k]);
    }
    fputc('\n', script);
    return draw(script, path);
}
