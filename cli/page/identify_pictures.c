/* cli/page/identify_pictures.c: gnuplot scripts of the report of `identify`. */
#include "files/gnuplot_text.h"
#include "page/identify_page.h"
#include "page/picture_script.h"

#include <math.h>
#include <stdbool.h>

enum { NARROW = PICTURE_NARROW, LEFT = 74, RIGHT = 16, KEY = 30, GAP = 30, FOOT = 58, PANEL = 190 };

#define QUIET_LABEL(axis, text) "set " axis "label '" text "' offset 0,0.5 textcolor rgb '" QUIET_COLOUR "'\n"

/* Title of a panel, "first" or "first from second". */
static void write_title(FILE *script, const char *first, const char *between, const char *second)
{
    char text[200];
    snprintf(text, sizeof text, "%.60s%s%.60s", first, between, second);
    fputs("set label 1 ", script);
    gnuplot_text(script, text);
    fputs(" at graph 0, graph 1 offset 0.2,0.8 left textcolor rgb '" QUIET_COLOUR "'\n", script);
}

/* Frame of panel i of `count`, below the key. */
static void begin_panel(FILE *script, int width, int i, int count)
{
    int height = KEY + count * PANEL + FOOT;
    double top = KEY + (double)i * PANEL;
    script_frame(script, width, height, LEFT, width - RIGHT, top + GAP, top + PANEL);
    if (i == 0)
        fprintf(script,
                "set key at screen %.5g, screen %.5g left top vertical maxrows 1 Left reverse samplen 1.6 "
                "textcolor "
                "rgb '" QUIET_COLOUR "'\n",
                8.0 / width, 1 - 6.0 / height);
    else
        fputs("unset key\n", script);
}

static void begin_panels(FILE *script, int width, int count)
{
    script_begin(script, width, KEY + count * PANEL + FOOT);
    fputs("set multiplot\n", script);
}

void identify_draw_run(FILE *script, const identify_report *report, int width, int64_t rows)
{
    const volt_diagnosis *one = report->diagnosis;
    int panels = (int)(one->q < MAX_RUN_PANELS ? one->q : MAX_RUN_PANELS);
    begin_panels(script, width, panels);
    for (int k = 0; k < panels; k++) {
        double low = INFINITY, high = -INFINITY;
        begin_panel(script, width, k, panels);
        write_title(script, report->shown->outputs[k], "", "");
        for (int64_t t = 0; t < rows; t++) {
            low = fmin(low, one->measured[t * one->q + k]);
            high = fmax(high, one->measured[t * one->q + k]);
        }
        /* A simulation that diverges is clipped. */
        double margin = high > low ? 0.25 * (high - low) : 1;
        fprintf(script, "set xrange [%lld:%lld]\nset yrange [%.8g:%.8g]\n%s", (long long)one->first_row,
                (long long)one->first_row + rows, low - margin, high + margin,
                k + 1 == panels ? QUIET_LABEL("x", "row") "set format x '%.0f'\n"
                                : "unset xlabel\nset format x ''\n");
        script_table(script, "$measured", volt_view_of(one->measured, rows, one->q), k, one->first_row);
        fputs("$simulated << END\n", script);
        for (int64_t t = 0; t < rows; t++)
            if (isnan(one->simulated[t * one->q + k]))
                fputs("\n", script);
            else
                fprintf(script, "%lld %.8g\n", (long long)one->first_row + t, one->simulated[t * one->q + k]);
        fputs("END\nplot $measured using 1:2 with lines linewidth 2 linecolor rgb '" QUIET_COLOUR
              "' title 'measured', $simulated using 1:2 with lines linewidth 1.5 linecolor rgb '#d55e00' title "
              "'simulated'\n",
              script);
    }
    fputs("unset multiplot\n", script);
}

static void draw_correlation(FILE *script, const double *values, int64_t lags, double bound, bool is_last)
{
    double most = bound;
    fputs("$r << END\n", script);
    for (int64_t lag = 0; lag < lags; lag++) {
        fprintf(script, "%lld %.8g\n", (long long)lag, values[lag]);
        most = fmax(most, fabs(values[lag]));
    }
    fprintf(script,
            "END\nset xrange [-0.5:%lld.5]\nset yrange [%.4g:%.4g]\nset xzeroaxis linetype 1 linecolor rgb "
            "'" QUIET_COLOUR "'\n%s"
            "plot $r using 1:2 with impulses linewidth 2.5 linecolor rgb '#2f7fd0' title 'correlation', "
            "%.6g with lines linewidth 1.2 dashtype (6,4) linecolor rgb '#d55e00' title '95 %% bound', "
            "%.6g with lines linewidth 1.2 dashtype (6,4) linecolor rgb '#d55e00' notitle\n",
            (long long)lags - 1, -1.15 * most, 1.15 * most,
            is_last ? QUIET_LABEL("x", "lag (rows)") "set format x '%g'\n" : "unset xlabel\nset format x ''\n",
            bound, -bound);
}

void identify_draw_residuals(FILE *script, const identify_report *report)
{
    const volt_diagnosis *one = report->diagnosis;
    int outputs = (int)(one->q < 2 ? one->q : 2), inputs = (int)(one->d < 2 ? one->d : 2);
    int panels = outputs * (1 + inputs), i = 0;
    begin_panels(script, NARROW, panels);
    for (int k = 0; k < outputs; k++) {
        const char *name = report->shown->outputs[k];
        begin_panel(script, NARROW, i, panels);
        write_title(script, "residual of ", "", name);
        draw_correlation(script, one->autocorrelation + k * one->lags, one->lags, one->autocorrelation_bound,
                         ++i == panels);
        for (int j = 0; j < inputs; j++) {
            begin_panel(script, NARROW, i, panels);
            char text[120];
            snprintf(text, sizeof text, "residual of %.60s", name);
            write_title(script, text, " with ", report->shown->inputs[j]);
            draw_correlation(script, one->cross_correlation + (k * one->d + j) * one->lags, one->lags,
                             one->cross_bounds[k * one->d + j], ++i == panels);
        }
    }
    fputs("unset multiplot\n", script);
}

static void write_response(FILE *script, const char *name, const volt_diagnosis *one, const double *values)
{
    fprintf(script, "%s << END\n", name);
    for (int64_t b = 0; b < one->bins; b++)
        if (isfinite(values[b]) && values[b] != 0)
            fprintf(script, "%.8g %.8g\n", one->frequencies[b], values[b]);
    fputs("END\n", script);
}

static void draw_curves(FILE *script, const volt_diagnosis *one, const double *measured, const double *model,
                        const char *style)
{
    write_response(script, "$measured", one, measured);
    if (model)
        write_response(script, "$model", one, model);
    fputs("plot $measured using 1:2 with points pointtype 7 pointsize 0.4 linecolor rgb '" QUIET_COLOUR
          "' title 'measured'",
          script);
    if (model)
        fprintf(script, ", $model using 1:2 with %s linecolor rgb '#2f7fd0' title 'model'", style);
    fputc('\n', script);
}

int identify_response_pairs(const identify_report *report, int64_t pairs[MAX_RESPONSE_PAIRS])
{
    const volt_diagnosis *one = report->diagnosis;
    int count = 0;
    for (int64_t pair = 0; pair < one->d * one->q && count < MAX_RESPONSE_PAIRS; pair++)
        for (int64_t b = 0; b < one->bins; b++)
            if (one->gain[pair * one->bins + b] > 0) {
                pairs[count++] = pair;
                break;
            }
    return count;
}

void identify_draw_response(FILE *script, const identify_report *report)
{
    const volt_diagnosis *one = report->diagnosis;
    int64_t pairs[MAX_RESPONSE_PAIRS];
    int panels = 2 * identify_response_pairs(report, pairs);
    begin_panels(script, NARROW, panels);
    fprintf(script, "set logscale x\nset xrange [%.6g:0.5]\n", one->frequencies[0]);
    for (int i = 0; i < panels; i++) {
        int64_t pair = pairs[i / 2], at = pair * one->bins;
        bool is_gain = i % 2 == 0;
        begin_panel(script, NARROW, i, panels);
        char text[120];
        snprintf(text, sizeof text, "%s%.60s", is_gain ? "gain, " : "phase in degrees, ",
                 report->shown->outputs[pair / one->d]);
        write_title(script, text, " from ", report->shown->inputs[pair % one->d]);
        fputs(is_gain ? "set logscale y\nset autoscale y\nset ytics autofreq\n"
                      : "unset logscale y\nset yrange [-190:190]\nset ytics 90\n",
              script);
        fputs(i + 1 == panels ? QUIET_LABEL("x", "frequency (cycles per row)") "set format x '%g'\n"
                              : "unset xlabel\nset format x ''\n",
              script);
        draw_curves(script, one, (is_gain ? one->gain : one->phase) + at,
                    one->model_gain ? (is_gain ? one->model_gain : one->model_phase) + at : NULL,
                    is_gain ? "lines linewidth 1.8" : "points pointtype 7 pointsize 0.3"); /* phases wrap */
    }
    fputs("unset multiplot\n", script);
}
