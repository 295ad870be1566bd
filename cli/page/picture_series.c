/* cli/page/picture_series.c: plot a series and its forecast with gnuplot, one panel per column. */
#include "page/picture_script.h"

#include "files/gnuplot.h"
#include "files/gnuplot_text.h"
#include "terminal/messages.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 6, FEW_ROWS = 60 };
enum { WIDTH = 900, PANEL = 240, KEY = 34, TITLE = 28, GAP = 30, FOOT = 58, NOTE = 22, LEFT = 100, RIGHT = 24 };
static const double band_opacity = 0.2;

/* ---- lines ------------------------------------------------------------------------------------ */

/* In drawing order: the forecast is on top. */
typedef struct picture_line {
    volt_view values;
    int64_t first; /* its first row on the x axis */
    const char *table, *title, *style;
} picture_line;
enum { N_LINES = 3 };

static void find_lines(const series_picture *picture, picture_line lines[N_LINES])
{
    const picture_line all[N_LINES] = {
        {picture->history, picture->history_row, "$history", "measured",
         "linewidth 1.2 linecolor rgb '" QUIET_COLOUR "'"},
        {picture->truth, picture->forecast_row, "$truth", "measured",
         "linewidth 2 linecolor rgb '" QUIET_COLOUR "'"},
        {picture->forecast, picture->forecast_row, "$forecast", "predicted",
         "linewidth 1.6 linecolor rgb '#d55e00'"},
    };
    for (int i = 0; i < N_LINES; i++)
        lines[i] = all[i];
}

/* Writes column k of the forecast minus and plus the half-width of band b. */
static void write_band(FILE *script, const series_picture *picture, int b, int64_t k)
{
    volt_view half = picture->bands[b].half;
    fprintf(script, "$band%d << END\n", b);
    for (int64_t t = 0; t < half.rows; t++) {
        const double middle = picture->forecast.data[t * picture->forecast.ld + k],
                     width = half.data[t * half.ld + k];
        fprintf(script, "%lld %.8g %.8g\n", (long long)picture->forecast_row + (long long)t, middle - width,
                middle + width);
    }
    fputs("END\n", script);
}

/* ---- axes ------------------------------------------------------------------------------------- */

static void widen(volt_view values, int64_t k, double *low, double *high)
{
    for (int64_t t = 0; values.data && t < values.rows; t++) {
        *low = fmin(*low, values.data[t * values.ld + k]);
        *high = fmax(*high, values.data[t * values.ld + k]);
    }
}

/* Sets the y range to the observed values plus at most three times their range on either side. Diverging forecasts
 * are clipped. */
static void write_value_axis(FILE *script, const series_picture *picture, int64_t k)
{
    double low = INFINITY, high = -INFINITY, forecast_low = INFINITY, forecast_high = -INFINITY;
    widen(picture->history, k, &low, &high);
    widen(picture->truth, k, &low, &high);
    widen(picture->forecast, k, &forecast_low, &forecast_high);
    for (int b = 0; b < picture->n_bands; b++) {
        volt_view half = picture->bands[b].half;
        for (int64_t t = 0; t < half.rows; t++) {
            const double middle = picture->forecast.data[t * picture->forecast.ld + k];
            forecast_low = fmin(forecast_low, middle - half.data[t * half.ld + k]);
            forecast_high = fmax(forecast_high, middle + half.data[t * half.ld + k]);
        }
    }
    if (low < high) {
        const double room = 3 * (high - low);
        forecast_low = fmax(forecast_low, low - room);
        forecast_high = fmin(forecast_high, high + room);
    }
    low = fmin(low, forecast_low);
    high = fmax(high, forecast_high);
    /* A range within rounding errors is treated as constant. */
    const bool moves = high - low > 1e-8 * fmax(fabs(low), fabs(high));
    const double margin = moves ? 0.06 * (high - low) : fmax(1e-3, 0.1 * fabs(high));
    fprintf(script, "set yrange [%.10g:%.10g]\nset ytics autofreq\n", low - margin, high + margin);
}

/* Returns the first and the last row on the x axis. */
static void row_range_of(const picture_line lines[N_LINES], int64_t *first, int64_t *last)
{
    *first = INT64_MAX;
    *last = 0;
    for (int i = 0; i < N_LINES; i++) {
        if (!lines[i].values.data)
            continue;
        *first = lines[i].first < *first ? lines[i].first : *first;
        const int64_t end = lines[i].first + lines[i].values.rows - 1;
        *last = end > *last ? end : *last;
    }
}

/* Rows with a tick: every `step`-th, or those where a part of the times begins: the year, month, day, hour, minute or second that
 * the first `length` characters of 2019-04-09 12:30:00 end with, if it is a multiple of `step` (counted from `from`). */
typedef struct tick_rule {
    size_t length;
    int from, step;
} tick_rule;

enum {
    MAX_TICKS = 7,
    AXIS_LETTERS = 92 /* of all labels */,
    LONG_LABEL = 5,
    DAY_LENGTH = 10,
    MINUTE_LENGTH = 16
};

static const char *label_at(const series_picture *picture, int64_t row)
{
    const int64_t i = row - picture->times_row;
    return i >= 0 && i < picture->n_times ? picture->times[i] : NULL;
}

static bool has_tick(const series_picture *picture, const tick_rule *rule, int64_t first, int64_t row)
{
    const char *label = label_at(picture, row), *before = label_at(picture, row - 1);
    if (!label)
        return false;
    if (rule->length == 0)
        return (row - first) % rule->step == rule->from;
    if (strlen(label) < rule->length || strspn(label, "0123456789") != 4)
        return false;
    if (before && strncmp(before, label, rule->length) == 0)
        return false;
    /* the last two digits, also of years, whose steps divide 100 */
    const int number = (int)strtol(label + rule->length - 2, NULL, 10);
    /* without the 31st, which is next to a first */
    return (number - rule->from) % rule->step == 0 && !(rule->length == 10 && rule->step > 1 && number > 30);
}

/* Letters of a label: those of the day if the rule has no hours, without seconds if it has none. */
static size_t label_length(const tick_rule *rule, const char *label)
{
    const size_t length = strlen(label), most = rule->length > MINUTE_LENGTH ? length
                                                : rule->length > DAY_LENGTH  ? MINUTE_LENGTH
                                                                             : DAY_LENGTH;
    return rule->length > 0 && length > most ? most : length;
}

/* Largest number of ticks with such labels. Ticks of a calendar have a distance of at least 1 / (ticks + 1) of the axis. */
static int64_t most_ticks(size_t length)
{
    const int64_t fitting = AXIS_LETTERS / ((int64_t)length + 1) - 1;
    return fitting < 1 ? 1 : fitting < MAX_TICKS ? fitting : MAX_TICKS;
}

/* Chooses the rule with the most ticks that fit, the coarsest of several; without a calendar, equal distances. */
static tick_rule choose_ticks(const series_picture *picture, int64_t first, int64_t last)
{
    static const tick_rule rules[] = {
        {19, 0, 5},  {19, 0, 10}, {19, 0, 30}, {16, 0, 1}, {16, 0, 2},  {16, 0, 5}, {16, 0, 10},
        {16, 0, 30}, {13, 0, 1},  {13, 0, 3},  {13, 0, 6}, {13, 0, 12}, {10, 1, 1}, {10, 1, 2},
        {10, 1, 5},  {10, 1, 10}, {10, 1, 15}, {7, 1, 1},  {7, 1, 3},   {7, 1, 6},  {4, 0, 1},
        {4, 0, 2},   {4, 0, 5},   {4, 0, 10},  {4, 0, 20}, {4, 0, 50}};
    const char *label = label_at(picture, first);
    const int step = (int)((last - first) / most_ticks(label ? strlen(label) : 0) + 1);
    tick_rule best = {0, (int)((last - first) % step / 2), step};
    int64_t count = 1;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        int64_t ticks = 0;
        for (int64_t row = first + 1; row < last; row++) /* labels at the ends would be cut off */
            ticks += has_tick(picture, &rules[i], first, row);
        if (ticks > 1 && ticks >= count && ticks <= most_ticks(label ? label_length(&rules[i], label) : 0)) {
            best = rules[i];
            count = ticks;
        }
    }
    return best;
}

static void write_time_ticks(FILE *script, const series_picture *picture, int64_t first, int64_t last,
                             bool with_text)
{
    const tick_rule rule = choose_ticks(picture, first, last);
    bool is_first = true;
    fputs("set xtics (", script);
    for (int64_t row = first; row <= last; row++) {
        const char *label = label_at(picture, row);
        const double place = last > first ? (double)(row - first) / (double)(last - first) : 0.5;
        if (!has_tick(picture, &rule, first, row) || (strlen(label) > LONG_LABEL && fabs(place - 0.5) > 0.46))
            continue;
        char text[VOLT_TIME_LENGTH] = "";
        if (with_text)
            snprintf(text, sizeof text, "%.*s", (int)label_length(&rule, label), label);
        fputs(is_first ? "" : ", ", script);
        gnuplot_tick(script, text);
        fprintf(script, " %lld", (long long)row);
        is_first = false;
    }
    fputs(")\n", script);
}

/* Writes the x axis. Tick labels are below the last panel. */
static void write_row_axis(FILE *script, const series_picture *picture, const picture_line lines[N_LINES],
                           bool is_last)
{
    int64_t first, last;
    row_range_of(lines, &first, &last);
    const double margin = first < last ? 0.01 * (double)(last - first) : 1;
    fprintf(script, "set xrange [%.10g:%.10g]\n", (double)first - margin, (double)last + margin);
    if (picture->times)
        write_time_ticks(script, picture, first, last, is_last);
    else if (is_last)
        fputs("set format x '%.0f'\nset xlabel 'row' offset 0,0.5 textcolor rgb '" QUIET_COLOUR "'\n", script);
    else
        fputs("set format x ''\n", script);
}

/* ---- panels ----------------------------------------------------------------------------------- */

static void write_name(FILE *script, const series_picture *picture, int64_t k)
{
    char number[32];
    snprintf(number, sizeof number, "y%lld", (long long)k + 1);
    fputs("set label 1 ", script);
    gnuplot_text(script, picture->names ? picture->names[k] : number);
    fputs(" at graph 0, graph 1 offset 0.4,0.75 left textcolor rgb '" QUIET_COLOUR "'\n", script);
}

/* Writes the plot of band b without its title. */
static void write_area(FILE *script, const char *before, int b, const char *rows, double opacity)
{
    fprintf(script,
            "%s$band%d%s using 1:2:3 with filledcurves fillstyle transparent solid %.3g noborder linecolor rgb "
            "'#d55e00' ",
            before, b, rows, opacity);
}

static void write_panel(FILE *script, const series_picture *picture, const picture_line lines[N_LINES],
                        int64_t k)
{
    for (int i = 0; i < N_LINES; i++)
        if (lines[i].values.data)
            script_table(script, lines[i].table, lines[i].values, k, lines[i].first);
    for (int b = 0; b < picture->n_bands; b++)
        write_band(script, picture, b, k);
    const char *before = "plot ";
    for (int b = 0; b < picture->n_bands; b++) {
        write_area(script, before, b, "", band_opacity);
        fputs("notitle", script);
        /* Bands overlap, so the key shows the opacity of this one above the wider ones, with an area of one point. */
        write_area(script, ", ", b, " every ::0::0", 1 - pow(1 - band_opacity, b + 1));
        fputs("title ", script);
        gnuplot_text(script, picture->bands[b].name);
        before = ", ";
    }
    for (int i = 0; i < N_LINES; i++) {
        if (!lines[i].values.data)
            continue;
        /* Short series are drawn with points as well, because a single row has no line. */
        const bool few = lines[i].values.rows <= FEW_ROWS;
        fprintf(script, "%s%s using 1:2 with %s %s title ", before, lines[i].table,
                few ? "linespoints pointtype 7 pointsize 0.45" : "lines", lines[i].style);
        gnuplot_text(script, lines[i].title);
        before = ", ";
    }
    fputc('\n', script);
}

static void write_script(FILE *script, const series_picture *picture)
{
    picture_line lines[N_LINES];
    find_lines(picture, lines);
    const int64_t columns = picture->forecast.cols;
    const int panels = (int)(columns < MAX_COLUMNS ? columns : MAX_COLUMNS);
    const int head = KEY + (picture->title ? TITLE : 0),
              height = head + panels * PANEL + FOOT + (panels < columns ? NOTE : 0);
    script_begin(script, WIDTH, height);
    fputs("set multiplot\nset format y '%.8g'\n", script);
    if (picture->title) {
        fputs("set label 2 ", script);
        gnuplot_text(script, picture->title);
        fprintf(script, " at screen %.5g, screen %.5g left textcolor rgb '" QUIET_COLOUR "' font ',17'\n",
                12.0 / WIDTH, 1 - 18.0 / height);
    }
    for (int k = 0; k < panels; k++) {
        const double top = head + (double)k * PANEL;
        script_frame(script, WIDTH, height, LEFT, WIDTH - RIGHT, top + GAP, top + PANEL - 8);
        write_row_axis(script, picture, lines, k + 1 == panels);
        write_value_axis(script, picture, k);
        write_name(script, picture, k);
        if (k == 0)
            fprintf(script,
                    "set key at screen %.5g, screen %.5g left top vertical maxrows 1 Left reverse samplen 1.6 "
                    "textcolor rgb '" QUIET_COLOUR "'\n",
                    8.0 / WIDTH, 1 - (head - KEY + 6.0) / height);
        else
            fputs("unset key\nunset label 2\n", script);
        if (k + 1 == panels && panels < columns) {
            char text[UNDRAWN_LENGTH];
            fputs("set label 3 ", script);
            gnuplot_text(script, undrawn_text(picture->names, panels, columns, -1, text));
            fprintf(script, " at screen %.5g, screen %.5g left textcolor rgb '" QUIET_COLOUR "'\n",
                    12.0 / WIDTH, 12.0 / height);
        }
        write_panel(script, picture, lines, k);
    }
    fputs("unset multiplot\n", script);
}

int picture_series_file(const char *path, const series_picture *picture)
{
    FILE *script = gnuplot_script();
    if (!script)
        return EXIT_FAILED;
    write_script(script, picture);
    int failed = gnuplot_draw_file(script, path);
    fclose(script);
    return failed;
}
