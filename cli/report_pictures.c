/* cli/report_pictures.c: scripts for the pictures of a comparison.
 *
 * A picture is 520 units wide: on a telephone it shrinks to two thirds and its text stays readable; the forecasts
 * have a wide form too. Colours keep
 * their distance from white and from black, and from one another for those who see fewer of them; lines of the
 * lower ranks are dashed as well. */
#include "report_pictures.h"

#include "inline_svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = PICTURE_NARROW, FONT_SIZE = 15 };
static const double letter_width = 0.56 * FONT_SIZE; /* on average */

/* ---- kernels and colours ---------------------------------------------------------------------- */

static double nmse_of(const volt_study *study, int64_t row)
{
    return volt_study_row_at(study, row)->metrics.nmse;
}

bool picture_rows_find(picture_rows *rows, const cli_comparison *comparison)
{
    memset(rows, 0, sizeof *rows);
    rows->comparison = comparison;
    rows->study = comparison->studies[0];
    int64_t count = volt_study_count(rows->study);
    rows->rows = calloc((size_t)count + 1, sizeof *rows->rows);
    if (!rows->rows)
        return false;
    for (int64_t i = 0; i < count; i++) {
        if (volt_study_row_at(rows->study, i)->failure || !volt_study_forecast(rows->study, i).data)
            continue;
        int64_t at = rows->count++;
        for (; at > 0 && nmse_of(rows->study, rows->rows[at - 1]) > nmse_of(rows->study, i); at--)
            rows->rows[at] = rows->rows[at - 1];
        rows->rows[at] = i;
    }
    return true;
}

void picture_rows_release(picture_rows *rows)
{
    free(rows->rows);
    rows->rows = NULL;
    rows->count = 0;
}

static const char *const colours[] = {"#2f7fd0", "#d55e00", "#009e73", "#cc79a7", "#8a63d2",
                                      "#a97c0c", "#0d8fa8", "#a8583a", "#76838f"};
enum { N_COLOURS = sizeof colours / sizeof colours[0], N_SOLID = 3, N_DASHES = 4 };

const char *picture_colour(int64_t rank)
{
    return colours[rank % N_COLOURS];
}

static int dash_type(int64_t rank)
{
    return rank < N_SOLID ? 1 : 2 + (int)((rank - N_SOLID) % N_DASHES);
}

static const char *name_at(const picture_rows *rows, int64_t rank)
{
    return volt_study_row_at(rows->study, rows->rows[rank])->name;
}

/* ---- what scripts have in common -------------------------------------------------------------- */

/* In double quotation marks, where gnuplot knows escapes. */
static void write_quoted(FILE *script, const char *text)
{
    fputc('"', script);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', script);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, script);
    }
    fputc('"', script);
}

static void begin_script(FILE *script, int width, int height)
{
    fprintf(script,
            "set encoding utf8\n"
            "set terminal svg noenhanced size %d,%d font 'Helvetica,Arial,sans-serif,%d' linewidth 1.2 "
            "dashlength 0.7\n"
            "set border 3 linecolor rgb '" QUIET_COLOUR "'\n"
            "set tics nomirror out scale 0.6 textcolor rgb '" QUIET_COLOUR "'\n"
            "set format '%%g'\n"
            "unset key\n",
            width, height, FONT_SIZE);
}

#define TEST_ROW_LABEL "set xlabel 'test row' offset 0,0.5 textcolor rgb '" QUIET_COLOUR "'\n"

/* The frame of a panel, in units from the left and from the top. */
static void write_frame(FILE *script, int width, int height, double left, double right, double top,
                        double bottom)
{
    fprintf(script,
            "set lmargin at screen %.5g\nset rmargin at screen %.5g\nset tmargin at screen %.5g\n"
            "set bmargin at screen %.5g\n",
            left / width, right / width, 1 - top / height, 1 - bottom / height);
}

static double longest_name(const picture_rows *rows)
{
    size_t longest = 0;
    for (int64_t r = 0; r < rows->count; r++)
        if (strlen(name_at(rows, r)) > longest)
            longest = strlen(name_at(rows, r));
    return letter_width * (double)(longest < 26 ? longest : 26);
}

/* A name that fits the margin. */
static void write_name(FILE *script, const char *name)
{
    char text[32];
    snprintf(text, sizeof text, strlen(name) > 26 ? "%.24s.." : "%s", name);
    write_quoted(script, text);
}

/* ---- forecasts -------------------------------------------------------------------------------- */

/* Mean squared error of output k over that of the row's best and worst: how far the kernels lie apart on it. */
static double spread_of(const picture_rows *rows, int64_t k)
{
    volt_view truth = rows->comparison->setting.truth;
    double lowest = INFINITY, highest = 0, mean = 0, variance = 0;
    for (int64_t t = 0; t < truth.rows; t++)
        mean += truth.data[t * truth.ld + k] / (double)truth.rows;
    for (int64_t t = 0; t < truth.rows; t++)
        variance += pow(truth.data[t * truth.ld + k] - mean, 2);
    for (int64_t r = 0; r < rows->count; r++) {
        volt_view forecast = volt_study_forecast(rows->study, rows->rows[r]);
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
    forecast_choice choice = {.kernels = rows->count < MOST_FORECASTS ? rows->count : MOST_FORECASTS,
                              .rows =
                                  setting->truth.rows < MOST_TEST_ROWS ? setting->truth.rows : MOST_TEST_ROWS};
    for (int64_t k = 0; k < 2 && k < setting->q; k++)
        choice.outputs[choice.n_outputs++] = k;
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
        choice.outputs[choice.n_outputs++] = widest;
    }
    return choice;
}

/* A round distance of about five ticks. */
static double tick_step(double range)
{
    double step = pow(10, floor(log10(range / 5)));
    return range / step > 25 ? 10 * step : range / step > 10 ? 5 * step : 2 * step;
}

/* Room for the truth and a quarter of its range on either side: a forecast that runs away is cut. */
static void write_output_range(FILE *script, volt_view truth, int64_t k, int64_t count)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t t = 0; t < count; t++) {
        low = fmin(low, truth.data[t * truth.ld + k]);
        high = fmax(high, truth.data[t * truth.ld + k]);
    }
    double room = high > low ? 0.25 * (high - low) : fmax(1e-3, 0.1 * fabs(high));
    double from = low >= 0 ? fmax(0, low - room) : low - room, to = high + room;
    fprintf(script, "set yrange [%.8g:%.8g]\nset ytics %.8g\n", from, to, tick_step(to - from));
}

static void write_forecast_data(FILE *script, const picture_rows *rows, const forecast_choice *choice,
                                int64_t k)
{
    volt_view truth = rows->comparison->setting.truth;
    fputs("$panel << END\n", script);
    for (int64_t t = 0; t < choice->rows; t++) {
        fprintf(script, "%lld %.6g", (long long)t + 1, truth.data[t * truth.ld + k]);
        for (int64_t r = 0; r < choice->kernels; r++) {
            volt_view forecast = volt_study_forecast(rows->study, rows->rows[r]);
            fprintf(script, " %.6g", forecast.data[t * forecast.ld + k]);
        }
        fputc('\n', script);
    }
    fputs("END\n", script);
}

/* Lines of the key above the panels: gnuplot sets it in columns of equal width. */
static int key_lines(const picture_rows *rows, int64_t entries, int width)
{
    int64_t columns = (int64_t)((width - 16) / (longest_name(rows) + 4.5 * FONT_SIZE));
    return (int)((entries + columns - 1) / (columns > 0 ? columns : 1));
}

void picture_forecasts(FILE *script, const picture_rows *rows, const forecast_choice *choice, int width)
{
    enum { PANEL = 190, TITLE = 26, GAP = 16, FOOT = 60, LEFT = 58 };
    int key = 12 + 20 * key_lines(rows, choice->kernels + 1, width);
    int height = key + choice->n_outputs * PANEL + FOOT - GAP;
    begin_script(script, width, height);
    fprintf(script, "set multiplot\nset xrange [1:%lld]\n", (long long)(choice->rows > 1 ? choice->rows : 2));
    for (int p = 0; p < choice->n_outputs; p++) {
        int64_t k = choice->outputs[p];
        bool is_last = p + 1 == choice->n_outputs;
        double top = key + (double)p * PANEL;
        write_forecast_data(script, rows, choice, k);
        write_frame(script, width, height, LEFT, width - 14, top + TITLE, top + PANEL - GAP);
        write_output_range(script, rows->comparison->setting.truth, k, choice->rows);
        fputs("set label 1 ", script);
        write_quoted(script, rows->comparison->setting.output_names[k]);
        fprintf(script, " at graph 0, graph 1 offset 0.4,0.75 left textcolor rgb '" INK_COLOUR "'\n");
        fputs(is_last ? "set format x '%g'\n" TEST_ROW_LABEL : "set format x ''\nunset xlabel\n", script);
        if (p == 0)
            fprintf(script,
                    "set key at screen %.5g, screen %.5g left top horizontal Left reverse samplen 1.4 width 1 "
                    "textcolor rgb '" QUIET_COLOUR "'\n",
                    8.0 / width, 1 - 4.0 / height);
        else
            fputs("unset key\n", script);
        /* The best is drawn last, on top, and named first. */
        fputs("plot $panel using 1:2 with lines linewidth 2.2 linecolor rgb '" INK_COLOUR "' title 'truth'",
              script);
        for (int64_t r = 0; r < choice->kernels; r++) {
            fprintf(script, ", keyentry with lines linewidth 2 linecolor rgb '%s' title ", picture_colour(r));
            write_name(script, name_at(rows, r));
        }
        for (int64_t r = choice->kernels - 1; r >= 0; r--)
            fprintf(script, ", $panel using 1:%d with lines linewidth 1.1 linecolor rgb '%s' notitle",
                    (int)r + 3, picture_colour(r));
        fputc('\n', script);
    }
    fputs("unset multiplot\n", script);
}

/* ---- cumulated loss --------------------------------------------------------------------------- */

/* Where the names stand at the right: beside the ends of their lines, and `step` apart at least. `place` goes from
 * the top to the bottom as the values fall; all within 0 .. room. */
static void spread_labels(double *place, int64_t count, double step, double room)
{
    for (int64_t i = 1; i < count; i++)
        place[i] = fmax(place[i], place[i - 1] + step);
    double limit = room;
    for (int64_t i = count - 1; i >= 0; i--) {
        place[i] = fmin(place[i], limit);
        limit = place[i] - step;
    }
}

static void write_losses(FILE *script, const picture_rows *rows, int64_t n_test, int64_t every)
{
    for (int64_t r = 0; r < rows->count; r++) {
        const double *losses = volt_study_losses(rows->study, rows->rows[r]);
        double sum = 0;
        fprintf(script, "$k%lld << END\n", (long long)r);
        for (int64_t t = 0; t < n_test; t++) {
            sum += losses[t];
            if ((t + 1) % every == 0 || t + 1 == n_test)
                fprintf(script, "%lld %.6g\n", (long long)t + 1, sum);
        }
        fputs("END\n", script);
    }
}

void picture_cumulated(FILE *script, const picture_rows *rows)
{
    enum { HEIGHT = 380, TOP = 16, BOTTOM = HEIGHT - 60, LEFT = 68, MOST_POINTS = 600 };
    int64_t n_test = rows->comparison->setting.truth.rows;
    double right = WIDTH - longest_name(rows) - 22;
    double lowest = nmse_of(rows->study, rows->rows[0]) * (double)n_test;
    double highest = nmse_of(rows->study, rows->rows[rows->count - 1]) * (double)n_test;
    bool is_logarithmic = lowest > 0 && highest > 40 * lowest;
    double low = is_logarithmic ? lowest / 30 : 0, high = highest > 0 ? 1.04 * highest : 1;
    double *place = calloc((size_t)rows->count, sizeof *place);

    begin_script(script, WIDTH, HEIGHT);
    write_losses(script, rows, n_test, 1 + (n_test - 1) / MOST_POINTS);
    write_frame(script, WIDTH, HEIGHT, LEFT, right, TOP, BOTTOM);
    fprintf(script,
            "set xrange [1:%lld]\nset yrange [%.8g:%.8g]\n%s" TEST_ROW_LABEL
            "set ylabel 'cumulated loss' offset 0.8,0 textcolor rgb '" QUIET_COLOUR "'\n",
            (long long)(n_test > 1 ? n_test : 2), low, high, is_logarithmic ? "set logscale y\n" : "");
    for (int64_t r = 0; place && r < rows->count; r++) {
        /* The worst is the topmost. */
        double end = nmse_of(rows->study, rows->rows[rows->count - 1 - r]) * (double)n_test;
        double share =
            is_logarithmic ? log(high / fmax(end, low)) / log(high / low) : (high - end) / (high - low);
        place[r] = (BOTTOM - TOP) * share;
    }
    if (place)
        spread_labels(place, rows->count, 1.2 * FONT_SIZE, BOTTOM - TOP);
    for (int64_t r = 0; place && r < rows->count; r++) {
        int64_t rank = rows->count - 1 - r;
        fprintf(script, "set label %lld ", (long long)r + 1);
        write_name(script, name_at(rows, rank));
        fprintf(script, " at screen %.5g, screen %.5g left textcolor rgb '%s'\n", (right + 8) / WIDTH,
                1 - (TOP + place[r]) / HEIGHT, picture_colour(rank));
    }
    free(place);
    for (int64_t r = rows->count - 1; r >= 0; r--)
        fprintf(script, "%s$k%lld with lines linewidth %g dashtype %d linecolor rgb '%s' notitle",
                r == rows->count - 1 ? "plot " : ", ", (long long)r, r == 0 ? 2.4 : 1.5, dash_type(r),
                picture_colour(r));
    fputc('\n', script);
}

/* ---- errors ----------------------------------------------------------------------------------- */

/* A row of the chart per kernel, the best on top. */
static int begin_chart(FILE *script, const picture_rows *rows, const char *label)
{
    enum { ROW = 32, TOP = 8, FOOT = 60 };
    int height = TOP + ROW * (int)rows->count + FOOT;
    begin_script(script, WIDTH, height);
    write_frame(script, WIDTH, height, longest_name(rows) + 24, WIDTH - 18, TOP,
                TOP + ROW * (double)rows->count);
    fprintf(script,
            "set logscale x\nset format x '%%g'\nset grid x linecolor rgb '" QUIET_COLOUR
            "' linewidth 0.3 dashtype 3\nset yrange [%lld.5:-0.5]\nset ytics scale 0\n"
            "set xlabel \"%s\" offset 0,0.5 textcolor rgb '" QUIET_COLOUR "'\nset ytics (",
            (long long)rows->count - 1, label);
    for (int64_t r = 0; r < rows->count; r++) {
        fputs(r ? ", " : "", script);
        write_name(script, name_at(rows, r));
        fprintf(script, " %lld", (long long)r);
    }
    fputs(")\n", script);
    return height;
}

static int compare_numbers(const void *first, const void *second)
{
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

/* |error| over the standard deviation of the output, sorted. */
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

bool picture_errors(FILE *script, const picture_rows *rows)
{
    static const double levels[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    volt_view truth = rows->comparison->setting.truth;
    int64_t total = truth.rows * truth.cols;
    double *errors = malloc((size_t)total * sizeof *errors);
    if (!errors)
        return false;
    begin_chart(script, rows, "absolute error / standard deviation of the output");
    fputs("$quantiles << END\n", script);
    for (int64_t r = 0; r < rows->count; r++) {
        sort_errors(truth, volt_study_forecast(rows->study, rows->rows[r]), errors);
        fprintf(script, "%lld %ld", (long long)r, strtol(picture_colour(r) + 1, NULL, 16));
        for (int i = 0; i < 5; i++) {
            int64_t at = (int64_t)(levels[i] * (double)(total - 1));
            fprintf(script, " %.6g", fmax(errors[at], 1e-12)); /* the axis is logarithmic */
        }
        fputc('\n', script);
    }
    fputs("END\n"
          "plot $quantiles using 3:1:($7-$3):(0):2 with vectors nohead linewidth 1.6 linecolor rgb variable "
          "notitle, "
          "$quantiles using 4:1:($6-$4):(0):2 with vectors nohead linewidth 9 linecolor rgb variable notitle, "
          "$quantiles using 5:1 with points pointtype 7 pointsize 0.75 linecolor rgb '" INK_COLOUR
          "' notitle\n",
          script);
    free(errors);
    return true;
}

void picture_samples(FILE *script, const picture_rows *rows)
{
    const cli_comparison *comparison = rows->comparison;
    begin_chart(script, rows, "NMSE");
    fputs("$samples << END\n", script);
    for (int64_t r = 0; r < rows->count; r++)
        for (int64_t s = 0; s < comparison->n_samples; s++) {
            const volt_study_row *row = volt_study_row_at(comparison->studies[s], rows->rows[r]);
            if (!row->failure)
                fprintf(script, "%.8g %lld %ld\n", fmax(row->metrics.nmse, 1e-12), (long long)r,
                        strtol(picture_colour(r) + 1, NULL, 16));
        }
    fputs(
        "END\nplot $samples using 1:2:3 with points pointtype 7 pointsize 0.8 linecolor rgb variable notitle\n",
        script);
}
