/* cli/page/picture_forecasts.c: plot of measured and predicted outputs, one panel per output. */
#include "files/gnuplot_text.h"
#include "page/picture_script.h"
#include "page/report_pages.h"

#include <math.h>

/* Returns the difference between the largest and the smallest normalised squared error of the kernels on
 * output k. */
static double spread_of(const picture_rows *rows, int64_t k)
{
    volt_view truth = rows->comparison->setting.truth;
    double lowest = INFINITY, highest = 0, mean = 0, variance = 0;
    for (int64_t t = 0; t < truth.rows; t++)
        mean += truth.data[t * truth.ld + k] / (double)truth.rows;
    for (int64_t t = 0; t < truth.rows; t++)
        variance += pow(truth.data[t * truth.ld + k] - mean, 2);
    for (int64_t r = 0; r < rows->count; r++) {
        volt_view forecast = volt_comparison_row_at(rows->sample, rows->rows[r])->forecast;
        double sum = 0;
        for (int64_t t = 0; t < truth.rows; t++)
            sum += pow(forecast.data[t * forecast.ld + k] - truth.data[t * truth.ld + k], 2);
        lowest = fmin(lowest, sum);
        highest = fmax(highest, sum);
    }
    return variance > 0 ? (highest - lowest) / variance : 0;
}

forecast_choice picture_choose(const picture_rows *rows)
{
    const comparison_setting *setting = &rows->comparison->setting;
    forecast_choice picked = {.kernels = rows->count < MAX_FORECASTS ? rows->count : MAX_FORECASTS,
                              .rows =
                                  setting->truth.rows < MAX_TEST_ROWS ? setting->truth.rows : MAX_TEST_ROWS};
    for (int64_t k = 0; k < 2 && k < setting->q; k++)
        picked.outputs[picked.n_outputs++] = k;
    if (setting->q > 2) {
        int64_t widest = 2;
        double largest = -1;
        for (int64_t k = 2; k < setting->q; k++) {
            double spread = spread_of(rows, k);
            if (spread > largest) {
                largest = spread;
                widest = k;
            }
        }
        picked.outputs[picked.n_outputs++] = widest;
    }
    return picked;
}

/* Returns a round spacing for about five ticks. */
static double tick_step(double range)
{
    double step = pow(10, floor(log10(range / 5)));
    return range / step > 25 ? 10 * step : range / step > 10 ? 5 * step : 2 * step;
}

/* Sets the y range to that of the truth plus a quarter on either side. Diverging forecasts are clipped. */
static void write_output_range(FILE *script, volt_view truth, int64_t k, int64_t count)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t t = 0; t < count; t++) {
        low = fmin(low, truth.data[t * truth.ld + k]);
        high = fmax(high, truth.data[t * truth.ld + k]);
    }
    double margin = high > low ? 0.25 * (high - low) : fmax(1e-3, 0.1 * fabs(high));
    double from = low >= 0 ? fmax(0, low - margin) : low - margin, to = high + margin;
    fprintf(script, "set yrange [%.8g:%.8g]\nset ytics %.8g\n", from, to, tick_step(to - from));
}

static void write_forecast_data(FILE *script, const picture_rows *rows, const forecast_choice *picked,
                                int64_t k)
{
    volt_view truth = rows->comparison->setting.truth;
    fputs("$panel << END\n", script);
    for (int64_t t = 0; t < picked->rows; t++) {
        fprintf(script, "%lld %.6g", (long long)t + 1, truth.data[t * truth.ld + k]);
        for (int64_t r = 0; r < picked->kernels; r++) {
            volt_view forecast = volt_comparison_row_at(rows->sample, rows->rows[r])->forecast;
            fprintf(script, " %.6g", forecast.data[t * forecast.ld + k]);
        }
        fputc('\n', script);
    }
    fputs("END\n", script);
}

/* Returns the lines of the key above the panels. gnuplot sets it in columns of equal width. */
static int key_lines(const picture_rows *rows, int64_t entries, int width)
{
    int64_t columns = (int64_t)((width - 16) / (script_name_width(rows) + 4.5 * FONT_SIZE));
    if (columns < 1)
        columns = 1;
    return (int)((entries + columns - 1) / columns);
}

void picture_forecasts(FILE *script, const picture_rows *rows, const forecast_choice *picked, int width)
{
    enum { PANEL = 190, TITLE = 26, GAP = 16, FOOT = 60, LEFT = 58 };
    char name[PICTURE_NAME_LENGTH];
    int key = 12 + 20 * key_lines(rows, picked->kernels + 1, width);
    int height = key + picked->n_outputs * PANEL + FOOT - GAP;
    script_begin(script, width, height);
    fprintf(script, "set multiplot\nset xrange [1:%lld]\n", (long long)(picked->rows > 1 ? picked->rows : 2));
    for (int p = 0; p < picked->n_outputs; p++) {
        int64_t k = picked->outputs[p];
        bool is_last = p + 1 == picked->n_outputs;
        double top = key + (double)p * PANEL;
        write_forecast_data(script, rows, picked, k);
        script_frame(script, width, height, LEFT, width - 14, top + TITLE, top + PANEL - GAP);
        write_output_range(script, rows->comparison->setting.truth, k, picked->rows);
        fputs("set label 1 ", script);
        gnuplot_text(script, rows->comparison->setting.output_names[k]);
        fprintf(script, " at graph 0, graph 1 offset 0.4,0.75 left textcolor rgb '" INK_COLOUR "'\n");
        fputs(is_last ? "set format x '%g'\n" TEST_ROW_LABEL : "set format x ''\nunset xlabel\n", script);
        if (p == 0)
            fprintf(script,
                    "set key at screen %.5g, screen %.5g left top horizontal Left reverse samplen 1.4 width 1 "
                    "textcolor rgb '" QUIET_COLOUR "'\n",
                    8.0 / width, 1 - 4.0 / height);
        else
            fputs("unset key\n", script);
        /* The best kernel is drawn last, on top, and listed first. */
        fputs("plot $panel using 1:2 with lines linewidth 2.2 linecolor rgb '" INK_COLOUR "' title 'measured'",
              script);
        for (int64_t r = 0; r < picked->kernels; r++) {
            fprintf(script, ", keyentry with lines linewidth 2 linecolor rgb '%s' title ", picture_colour(r));
            gnuplot_text(script, picture_name(rows, r, name));
        }
        for (int64_t r = picked->kernels - 1; r >= 0; r--)
            fprintf(script, ", $panel using 1:%d with lines linewidth 1.1 linecolor rgb '%s' notitle",
                    (int)r + 3, picture_colour(r));
        fputc('\n', script);
    }
    fputs("unset multiplot\n", script);
}
