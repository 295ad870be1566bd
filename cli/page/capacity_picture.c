/* cli/page/capacity_picture.c: gnuplot script for the capacities of a kernel. */
#include "page/capacity_picture.h"

#include "files/gnuplot.h"
#include "page/picture_script.h"

enum { WIDTH = PICTURE_NARROW, PANEL = 262, LEFT = 70, RIGHT = 26, GAP = 34, TICKS = 62 };

static const char *const colours[] = {"#2f7fd0", "#d55e00", "#009e73", "#cc79a7", "#9673de"};
enum { COLOURS = sizeof colours / sizeof *colours };

/* Delay, capacity of degree 1, then the sums of degrees 1 .. k for every k. */
static void write_table(FILE *script, const volt_capacity *capacity)
{
    int64_t delays = capacity->delay + 1;
    fputs("$c << E\n", script);
    for (int64_t delay = 0; delay < delays; delay++) {
        double sum = 0;
        fprintf(script, "%lld", (long long)delay);
        for (int64_t degree = 0; degree < capacity->degree; degree++) {
            sum += capacity->by_delay[degree * delays + delay];
            fprintf(script, " %.10g", sum);
        }
        fputs("\n", script);
    }
    fputs("E\n", script);
}

static void begin_panel(FILE *script, int panel, const char *title, const char *label)
{
    script_frame(script, WIDTH, 2 * PANEL, LEFT, WIDTH - RIGHT, panel * (double)PANEL + GAP,
                 (panel + 1.0) * PANEL - TICKS);
    fprintf(script,
            "set label 1 '%s' at graph 0, graph 1 offset 0.2,0.8 left textcolor rgb '" QUIET_COLOUR "'\n"
            "set xlabel '%s' offset 0,0.5 textcolor rgb '" QUIET_COLOUR "'\n",
            title, label);
}

/* The highest sum first, so that each degree covers the lower part of the one before. */
static void plot_degrees(FILE *script, const volt_capacity *capacity)
{
    fputs("set style fill solid 1 noborder\nset boxwidth 0.8\nset key at graph 1, graph 1.2 right "
          "top horizontal maxrows 1 samplen 0.8 width 0 reverse Left textcolor rgb "
          "'" QUIET_COLOUR "'\nset yrange [0:*]\nplot ",
          script);
    for (int64_t degree = capacity->degree; degree >= 1; degree--)
        fprintf(script, "$c using 1:%lld with boxes linecolor rgb '%s' title '%lld'%s", (long long)degree + 1,
                colours[(degree - 1) % COLOURS], (long long)degree, degree > 1 ? ", " : "\n");
}

int picture_capacity_file(const char *path, const volt_capacity *capacity)
{
    FILE *script = gnuplot_script();
    if (!script)
        return 1;
    script_begin(script, WIDTH, 2 * PANEL);
    write_table(script, capacity);
    fprintf(script, "set multiplot\nset xrange [-0.6:%lld.6]\n", (long long)capacity->delay);
    begin_panel(script, 0, "linear memory: capacity of degree 1", "delay (rows)");
    fprintf(
        script,
        "set yrange [0:1.05]\nset xzeroaxis linetype 1 linecolor rgb '" QUIET_COLOUR "'\n"
        "plot $c using 1:2 with linespoints pointtype 7 pointsize 0.4 linewidth 2 linecolor rgb '%s' notitle\n",
        colours[0]);
    begin_panel(script, 1, "capacity of all targets, by degree", "largest delay of a target (rows)");
    plot_degrees(script, capacity);
    fputs("unset multiplot\n", script);
    int failed = gnuplot_draw_file(script, path);
    fclose(script);
    return failed;
}
