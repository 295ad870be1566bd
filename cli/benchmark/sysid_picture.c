/* cli/benchmark/sysid_picture.c: a simulation drawn: measured and simulated, a stretch of both, the error. */
#include "benchmark/sysid_report.h"
#include "page/picture_script.h"

#include <math.h>

enum { WIDTH = 900, HEIGHT = 640, LEFT = 96, RIGHT = 876, STRETCH = 250 };

static const char measured_style[] = "linewidth 2 linecolor rgb '" QUIET_COLOUR "'";
static const char simulated_style[] = "linewidth 1.4 linecolor rgb '#d55e00'";
static const char error_style[] = "linewidth 1 linecolor rgb '#2f7fd0'";

/* The stretch begins before the largest error, so that the worst is seen. */
static int64_t find_stretch(volt_view table, int64_t after, int64_t rows)
{
    int64_t worst = after;
    for (int64_t t = after; t < table.rows; t++)
        if (fabs(table.data[t * table.ld + SYSID_ERROR]) > fabs(table.data[worst * table.ld + SYSID_ERROR]))
            worst = t;
    int64_t first = worst - rows / 2;
    first = first < 0 ? 0 : first;
    return first + rows > table.rows ? table.rows - rows : first;
}

static void draw_panel(FILE *script, double top, double bottom, const char *label)
{
    script_frame(script, WIDTH, HEIGHT, LEFT, RIGHT, top, bottom);
    fprintf(script, "set ylabel '%s' offset 1,0 textcolor rgb '" QUIET_COLOUR "'\n", label);
}

void sysid_picture(FILE *script, const sysid_run *run, int test, volt_view table)
{
    const int64_t rows = table.rows, few = rows < STRETCH ? rows : STRETCH;
    const int64_t after = run->set->tests[test].measures[0].after, from = find_stretch(table, after, few);
    const volt_view near = volt_view_rows(table, from, few);

    script_begin(script, WIDTH, HEIGHT);
    script_table(script, "$measured", table, SYSID_MEASURED, 0);
    script_table(script, "$simulated", table, SYSID_SIMULATED, 0);
    script_table(script, "$near_measured", near, SYSID_MEASURED, from);
    script_table(script, "$near_simulated", near, SYSID_SIMULATED, from);
    script_table(script, "$error", volt_view_rows(table, after, rows - after), SYSID_ERROR, after);
    fprintf(script,
            "set multiplot\nset label 1 '%s, %s' at screen %.4f,0.972 textcolor rgb '" INK_COLOUR "'\n"
            "set key at screen 0.97,0.985 horizontal textcolor rgb '" QUIET_COLOUR "'\n",
            run->set->title, run->set->tests[test].name, (double)LEFT / WIDTH);
    fprintf(script, "set xrange [0:%lld]\n", (long long)(rows - 1));
    draw_panel(script, 44, 214, "V");
    fprintf(script,
            "plot $measured with lines title 'measured' %s, $simulated with lines title 'simulated' %s\n",
            measured_style, simulated_style);
    fputs("unset key\nunset label 1\n", script);
    fprintf(script, "set xrange [%lld:%lld]\n", (long long)from, (long long)(from + few - 1));
    draw_panel(script, 250, 420, "V");
    fprintf(script, "plot $near_measured with lines %s, $near_simulated with lines %s\n", measured_style,
            simulated_style);
    fprintf(script, "set xrange [0:%lld]\n" TEST_ROW_LABEL, (long long)(rows - 1));
    char label[64];
    snprintf(label, sizeof label, "error, %s", run->set->unit);
    draw_panel(script, 456, 582, label);
    fprintf(script, "plot $error using 1:(%g*$2) with lines %s\nunset multiplot\n", run->set->per_unit,
            error_style);
}
