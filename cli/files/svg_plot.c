/* cli/files/svg_plot.c: lay out and write plots as SVG.
 *
 * The data of a panel are drawn in a nested <svg>, which clips them and needs no ids. Coordinates have one decimal, and lines are
 * thinned: the width of a plot bounds its size. */
#define _POSIX_C_SOURCE 200809L
#include "files/svg_plot.h"

#include "files/outputs.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/text_stream.h"
#include "text/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FONT = 14, LINE = 20, MARGIN = 8, TITLE = 30, HEIGHT = 160, SCALE = 70, SAMPLE = 24, MAX_TICKS = 40 };

/* The colours differ from the page, and from each other with colour vision deficiencies (after Okabe and Ito), in both schemes. */
const char svg_style[] =
    ".plot{font:14px Helvetica,Arial,sans-serif}\n"
    ".plot text{fill:#444}.plot .b{font-weight:600;fill:#222}\n"
    ".plot .grid{stroke:#444;stroke-opacity:.14}.plot .axis{stroke:#444;stroke-opacity:.65;fill:none}\n"
    ".c0{color:#666}.c1{color:#1f6fb8}.c2{color:#d04f00}.c3{color:#008a63}.c4{color:#b8588f}.c5{color:#7a55c7}"
    ".c6{color:#926a00}.c7{color:#00788f}.c8{color:#9a4a2c}.c9{color:#4f5b66}\n"
    ".plot path{stroke-linejoin:round;stroke-linecap:round;fill:none}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".plot text{fill:#bcc3ca}.plot .b{fill:#e4e8ec}\n"
    ".plot .grid{stroke:#bcc3ca;stroke-opacity:.16}.plot .axis{stroke:#bcc3ca}\n"
    ".c0{color:#a9b1b9}.c1{color:#62aef5}.c2{color:#ff914d}.c3{color:#3fc79c}.c4{color:#ec9dca}.c5{color:#"
    "b59cf5}"
    ".c6{color:#d9b24a}.c7{color:#4fc3da}.c8{color:#dd9377}.c9{color:#cfd6dc}\n"
    "}\n";

/* ---- building --------------------------------------------------------------------------------- */

int svg_colour(int64_t number)
{
    return 1 + (int)(number % (SVG_COLOURS - 1));
}

static void format_text(char text[SVG_TEXT], const char *format, va_list arguments)
{
    int length = vsnprintf(text, SVG_TEXT, format, arguments);
    if (length < SVG_TEXT)
        return;
    size_t end = SVG_TEXT - 4;
    while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    memcpy(text + end, "…", sizeof "…");
}

void svg_text(char text[SVG_TEXT], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_text(text, format, arguments);
    va_end(arguments);
}

svg_panel *svg_add_panel(svg_plot *plot, const char *format, ...)
{
    va_list arguments;
    svg_panel *panel = calloc(1, sizeof *panel);
    if (panel && plot->panels)
        plot->last_panel = plot->last_panel->next = panel;
    else if (panel)
        plot->panels = plot->last_panel = panel;
    plot->failed = plot->failed || !panel;
    panel = panel ? panel : &plot->spare_panel;
    panel->plot = plot;
    panel->origin = NAN;
    va_start(arguments, format);
    format_text(panel->title, format, arguments);
    va_end(arguments);
    return panel;
}

svg_series *svg_add_series(svg_panel *panel, svg_mark mark, int colour, const char *name)
{
    svg_plot *plot = panel->plot;
    svg_series *series = calloc(1, sizeof *series);
    if (series && plot->series)
        plot->last_series = plot->last_series->next = series;
    else if (series)
        plot->series = plot->last_series = series;
    plot->failed = plot->failed || !series;
    series = series ? series : &plot->spare_series;
    series->plot = plot;
    series->panel = panel;
    series->mark = mark;
    series->colour = colour;
    svg_text(series->name, "%s", name);
    return series;
}

void svg_add(svg_series *series, double x, double y, double z)
{
    if (series->count == series->capacity) {
        int64_t capacity = 2 * series->capacity + 64;
        svg_point *points = realloc(series->points, (size_t)capacity * sizeof *points);
        series->plot->failed = series->plot->failed || !points;
        if (!points)
            return;
        series->points = points;
        series->capacity = capacity;
    }
    series->points[series->count++] = (svg_point){x, y, z};
}

void svg_add_column(svg_series *series, volt_view values, int64_t k, int64_t first)
{
    for (int64_t i = 0; i < values.rows; i++)
        svg_add(series, (double)(first + i), values.data[i * values.ld + k], 0);
}

static void release_plot(svg_plot *plot)
{
    free(plot->spare_series.points);
    for (svg_series *series = plot->series, *next; series; series = next) {
        next = series->next;
        free(series->points);
        free(series);
    }
    for (svg_panel *panel = plot->panels, *next; panel; panel = next) {
        next = panel->next;
        free(panel);
    }
    free(plot->kept);
    *plot = (svg_plot){0};
}

/* ---- text ------------------------------------------------------------------------------------- */

void html_escape_part(FILE *html, const char *text, size_t length)
{
    static const char marks[] = "&<>\"'", *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    char shown[VOLT_CHARACTER_LENGTH];
    for (size_t step; (step = volt_show_character(text, length, shown)) > 0; text += step, length -= step) {
        const char *mark = strchr(marks, *shown);
        fputs(mark ? names[mark - marks] : shown, html);
    }
}

void html_escape(FILE *html, const char *text)
{
    html_escape_part(html, text, strlen(text));
}

/* Width of a character in units of the font size: that of a wide font, because the browser chooses one. */
static double character_width(const char *text, size_t length)
{
    if (length > 2) /* from U+0800: mostly Asian scripts */
        return 1;
    return strchr("ijl.,:;'|!()[]{}/\\ ftr-", *text) ? 0.38
           : strchr("mwMW@%", *text)                 ? 0.9
           : *text >= 'A' && *text <= 'Z'            ? 0.7
                                                     : 0.62;
}

/* Bytes of the longest beginning of the text that is not wider than `most`; *width is its width. */
static size_t fitting_length(const char *text, double most, double *width)
{
    char shown[VOLT_CHARACTER_LENGTH];
    size_t used = 0;
    *width = 0;
    for (size_t step; (step = volt_show_character(text + used, strlen(text + used), shown)) > 0; used += step) {
        double wider = *width + FONT * character_width(shown, step);
        if (wider > most)
            break;
        *width = wider;
    }
    return used;
}

static double text_width(const char *text)
{
    double width;
    fitting_length(text, INFINITY, &width);
    return width;
}

static void put(FILE *svg, double value)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%.1f", fmax(-1e5, fmin(value, 1e5)));
    if (strcmp(text + length - 2, ".0") == 0)
        text[length - 2] = '\0';
    fputs(strcmp(text, "-0") == 0 ? "0" : text, svg);
}

static void put_pair(FILE *svg, const char *before, double x, double y)
{
    fputs(before, svg);
    put(svg, x);
    fputc(' ', svg);
    put(svg, y);
}

/* Writes ` name="value"`. */
static void attribute(FILE *svg, const char *name, double value)
{
    fprintf(svg, " %s=\"", name);
    put(svg, value);
    fputc('"', svg);
}

/* Writes a text that is at most `most` wide: a longer one is shortened, and its tooltip has all of it. */
static void write_text(FILE *svg, double x, double y, const char *style, const char *text, double most)
{
    double width;
    if (!text[0])
        return;
    size_t length = fitting_length(text, most, &width);
    bool is_short = text[length] != '\0';
    if (is_short)
        length = fitting_length(text, most - FONT, &width);
    fputs("<text", svg);
    attribute(svg, "x", x);
    attribute(svg, "y", y);
    fprintf(svg, "%s>", style);
    html_escape_part(svg, text, length);
    if (is_short) {
        fputs("…<title>", svg);
        html_escape(svg, text);
        fputs("</title>", svg);
    }
    fputs("</text>\n", svg);
}

/* ---- axes ------------------------------------------------------------------------------------- */

/* Returns the place of a value in pixels; NaN: none. Values are divided, so that differences of very large ones are finite. */
static double place(const svg_axis *axis, double value)
{
    const double unit = fmax(fmax(fabs(axis->low), fabs(axis->high)), 1e-300);
    double low = axis->low / unit, high = axis->high / unit, at = value / unit;
    if (axis->is_log) {
        low = log10(axis->low);
        high = log10(axis->high);
        at = log10(value);
    }
    at = axis->length * (axis->is_upward ? high - at : at - low) / (high - low);
    return isfinite(at) ? fmax(-1e4, fmin(at, 1e4)) : NAN; /* browsers draw larger ones wrongly */
}

static void widen(const svg_axis *axis, double value, double range[2])
{
    if (!isfinite(value) || (axis->is_log && value <= 0))
        return;
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

/* Sets the range from the points, with a margin. */
static void find_range(svg_axis *axis, const svg_panel *panel, double margin)
{
    const bool is_y = axis->is_upward;
    double range[2] = {INFINITY, -INFINITY}, half = 0;
    bool has_bars = false;
    if (axis->low < axis->high)
        return;
    for (const svg_series *series = panel->plot->series; series; series = series->next) {
        if (series->panel != panel)
            continue;
        bool has_z = is_y ? series->mark >= SVG_BAND && series->mark <= SVG_STEMS : series->mark == SVG_SPANS,
             is_bar = series->mark == SVG_BARS;
        has_bars = has_bars || (is_y && is_bar);
        half = fmax(half, series->mark == SVG_CELLS ? 0.5 : !is_y && is_bar ? series->size / 2 : 0);
        for (int64_t i = 0; i < series->count; i++) {
            widen(axis, is_y ? series->points[i].y : series->points[i].x, range);
            if (has_z)
                widen(axis, series->points[i].z, range);
        }
    }
    const bool is_empty = !(range[0] <= range[1]);
    const double low = !is_empty      ? range[0]
                       : axis->is_log ? 1
                                      : 0,
                 high = !is_empty      ? range[1]
                        : axis->is_log ? 10
                                       : 1;
    /* A range within rounding errors is treated as constant. */
    const bool moves = high - low > 1e-8 * fmax(fabs(low), fabs(high));
    double room = half > 0 ? half : 2 * margin * (high / 2 - low / 2),
           factor = moves ? pow(high / low, margin) : 2;
    if (!(half > 0 ? low - room < high + room : moves))
        room = fmax(axis->is_whole ? 1 : 1e-3, 0.1 * fabs(high));
    axis->low = axis->is_log ? low / factor : has_bars && low == 0 ? 0 : fmax(low - room, -1.7e308);
    axis->high = axis->is_log ? high * factor : fmin(high + room, 1.7e308);
}

/* Adds a tick at a number, with the digits that distinguish ticks of this distance, the largest of which is `largest`. */
static void add_number(svg_axis *axis, double value, double step, double largest)
{
    const int digits = (int)floor(log10(step) + 1e-9), exponent = (int)floor(log10(largest) + 1e-9);
    if (axis->n_ticks == SVG_TICKS)
        return;
    svg_tick *tick = &axis->ticks[axis->n_ticks++];
    *tick = (svg_tick){.at = value, .text = "0"};
    if ((largest < 1e6 && digits >= -6 && exponent >= -4) ||
        (digits >= 0 && exponent > digits + 4 && exponent < 16))
        snprintf(tick->text, sizeof tick->text, "%.*f", value == 0 || digits > 0 ? 0 : -digits, value);
    else if (value != 0)
        snprintf(tick->text, sizeof tick->text, "%.*fe%d", exponent > digits ? exponent - digits : 0,
                 value / pow(10, exponent), exponent);
}

static void add_word(svg_axis *axis, int64_t i)
{
    if (axis->n_ticks < SVG_TICKS)
        axis->ticks[axis->n_ticks++] = (svg_tick){.at = (double)(axis->first_text + i), .word = axis->texts[i]};
}

static const char *text_of(const svg_tick *tick)
{
    return tick->word ? tick->word : tick->text;
}

/* Whether the ticks have room: labels of an x axis beside each other, those of a y axis above each other. */
static bool ticks_fit(const svg_axis *axis)
{
    double last = -INFINITY;
    for (int i = 0; i < axis->n_ticks; i++) {
        const svg_tick *tick = &axis->ticks[axis->is_upward ? axis->n_ticks - 1 - i : i];
        double at = place(axis, tick->at), half = axis->is_upward ? 11.9 : text_width(text_of(tick)) / 2 + 9;
        if (at - half < last)
            return false;
        last = at + half;
    }
    return axis->n_ticks < SVG_TICKS;
}

static const double parts[] = {1, 2, 5}; /* of round steps */

/* The densest ticks at 1, 2 or 5 times a power of ten that fit. */
static void tick_numbers(svg_axis *axis)
{
    const double largest = fmax(fabs(axis->low), fabs(axis->high));
    const int power = (int)floor(log10(axis->high / 50 - axis->low / 50));
    for (int i = 0; i < 12; i++) {
        const double step = axis->step > 0 ? axis->step : pow(10, power + i / 3) * parts[i % 3];
        if (axis->is_whole && step < 1)
            continue;
        axis->n_ticks = 0;
        for (double k = ceil(axis->low / step - 1e-9);
             k <= axis->high / step + 1e-9 && axis->n_ticks < SVG_TICKS; k++) /* + 0.0: no negative zero */
            add_number(axis, k * step + 0.0, step, largest);
        if (ticks_fit(axis))
            return;
    }
}

/* Powers of ten, those between with 2 and 5 if there is room for them. */
static void tick_decades(svg_axis *axis)
{
    const int first = (int)floor(log10(axis->low)), last = (int)floor(log10(axis->high));
    for (int every = 0; every < 700; every++) { /* 0: with the parts */
        axis->n_ticks = 0;
        for (int k = first; k <= last; k++)
            for (int i = 0; i < (every == 0 ? 3 : k % every == 0); i++) {
                const double value = pow(10, k) * parts[i];
                if (value >= axis->low * (1 - 1e-9) && value <= axis->high * (1 + 1e-9))
                    add_number(axis, value, value, value);
            }
        if (ticks_fit(axis))
            break;
    }
    if (axis->n_ticks < 2 && axis->high / axis->low < 100)
        tick_numbers(axis);
}

static void tick_words(svg_axis *axis)
{
    for (int64_t every = 1 + (axis->n_texts - 1) / (SVG_TICKS - 1); every <= axis->n_texts; every++) {
        axis->n_ticks = 0;
        for (int64_t i = 0; i < axis->n_texts; i += every)
            add_word(axis, i);
        if (ticks_fit(axis))
            break;
    }
}

enum { DAY_LENGTH = 10, MINUTE_LENGTH = 16 };

static const char *time_at(const svg_axis *axis, int64_t row)
{
    const int64_t i = row - axis->first_text;
    return i >= 0 && i < axis->n_texts ? axis->texts[i] : "";
}

/* Returns whether a part of the times begins at a row: the year, month, day, hour, minute or second that the first `length` characters
 * of 2019-04-09 12:30:00 end with, if it is a multiple of `step` (counted from `from`). */
static bool begins_part(const svg_axis *axis, int length, int from, int step, int64_t row)
{
    const char *time = time_at(axis, row);
    if (strlen(time) < (size_t)length || strspn(time, "0123456789") != 4 ||
        strncmp(time_at(axis, row - 1), time, (size_t)length) == 0)
        return false;
    /* the last two digits, also of years, whose steps divide 100 */
    const int number = (int)strtol(time + length - 2, NULL, 10);
    /* without the 31st, which is next to a first */
    return (number - from) % step == 0 && !(length == DAY_LENGTH && step > 1 && number > 30);
}

/* The part that begins, a time of day with its day below, where that changes. */
static void add_time(svg_axis *axis, int length, int64_t row)
{
    const char *time = time_at(axis, row),
               *before = axis->n_ticks > 0 ? time_at(axis, (int64_t)axis->ticks[axis->n_ticks - 1].at) : "";
    const bool has_clock = length > DAY_LENGTH && strlen(time) >= MINUTE_LENGTH;
    svg_tick *tick = &axis->ticks[axis->n_ticks++];
    *tick = (svg_tick){.at = (double)row};
    snprintf(tick->text, sizeof tick->text, "%.*s",
             !has_clock               ? length
             : length > MINUTE_LENGTH ? 8
                                      : 5,
             time + (has_clock ? DAY_LENGTH + 1 : 0));
    if (has_clock && strncmp(before, time, DAY_LENGTH) != 0)
        snprintf(tick->below, sizeof tick->below, "%.10s", time);
}

/* The rule with the most ticks that fit, at most 9; without a calendar, equal distances. */
static void tick_times(svg_axis *axis)
{
    static const int rules[][3] = {{19, 0, 5},  {19, 0, 10}, {19, 0, 30}, {16, 0, 1},  {16, 0, 2},  {16, 0, 5},
                                   {16, 0, 10}, {16, 0, 30}, {13, 0, 1},  {13, 0, 3},  {13, 0, 6},  {13, 0, 12},
                                   {10, 1, 1},  {10, 1, 2},  {10, 1, 5},  {10, 1, 10}, {10, 1, 15}, {7, 1, 1},
                                   {7, 1, 3},   {7, 1, 6},   {4, 0, 1},   {4, 0, 2},   {4, 0, 5},   {4, 0, 10},
                                   {4, 0, 20},  {4, 0, 50}};
    enum { MOST = 9 };
    const int64_t first = (int64_t)ceil(axis->low), last = (int64_t)floor(axis->high);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        axis->n_ticks = 0;
        for (int64_t row = first; row <= last && axis->n_ticks <= MOST; row++)
            if (begins_part(axis, rules[i][0], rules[i][1], rules[i][2], row))
                add_time(axis, rules[i][0], row);
        if (axis->n_ticks > 1 && axis->n_ticks <= MOST && ticks_fit(axis))
            return;
    }
    for (int64_t every = 1 + (last - first) / MOST;; every *= 2) {
        axis->n_ticks = 0;
        for (int64_t row = first + (last - first) % every / 2; row <= last; row += every)
            if (time_at(axis, row)[0])
                add_word(axis, row - axis->first_text);
        if (axis->n_ticks <= 1 || ticks_fit(axis))
            return;
    }
}

static void find_ticks(svg_axis *axis)
{
    axis->n_ticks = 0;
    if (axis->texts)
        (axis->are_times ? tick_times : tick_words)(axis);
    else
        (axis->is_log ? tick_decades : tick_numbers)(axis);
}

/* ---- series ----------------------------------------------------------------------------------- */

static bool has_place(const svg_series *series, int64_t i)
{
    const svg_point *one = &series->points[i];
    return isfinite(place(&series->panel->x, one->x)) && isfinite(place(&series->panel->y, one->y)) &&
           (series->mark != SVG_BAND || isfinite(place(&series->panel->y, one->z)));
}

/* Of the points of a line in the same half pixel keeps the first, the lowest, the highest and the last, of a band one with both
 * extremes. */
static void thin(svg_series *series)
{
    svg_point *points = series->points;
    const bool is_band = series->mark == SVG_BAND;
    int64_t kept = 0;
    if (!is_band && series->mark != SVG_LINE)
        return;
    for (int64_t i = 0, end; i < series->count; i = end) {
        int64_t low = i, high = i;
        const double x = place(&series->panel->x, points[i].x);
        const bool begins = has_place(series, i);
        for (end = i + 1; begins && end < series->count && has_place(series, end) &&
                          fabs(place(&series->panel->x, points[end].x) - x) < 0.5;
             end++) {
            low = points[end].y < points[low].y ? end : low;
            high = (is_band ? points[end].z > points[high].z : points[end].y > points[high].y) ? end : high;
        }
        const int64_t chosen[] = {i, low < high ? low : high, low < high ? high : low, end - 1};
        if (is_band)
            points[kept++] = (svg_point){points[i].x, points[low].y, points[high].z};
        for (int c = 0; c < 4 && !is_band; c++)
            if (c == 0 || chosen[c] != chosen[c - 1])
                points[kept++] = points[chosen[c]];
    }
    series->count = kept;
}

static void draw_line(FILE *svg, const svg_series *series)
{
    int64_t run = 0; /* points since the last gap */
    for (int64_t i = 0; i <= series->count; i++) {
        if (i < series->count && has_place(series, i)) {
            put_pair(svg,
                     run == 0   ? "M"
                     : run == 1 ? "L"
                                : " ",
                     place(&series->panel->x, series->points[i].x),
                     place(&series->panel->y, series->points[i].y));
            run++;
        } else {
            fputs(run == 1 ? "h0" : "", svg); /* a dot */
            run = 0;
        }
    }
}

/* Along the upper ends and back along the lower ones, one area for each piece without a gap. */
static void draw_band(FILE *svg, const svg_series *series)
{
    for (int64_t i = 0, end; i < series->count; i = end + 1) {
        for (end = i; end < series->count && has_place(series, end); end++)
            put_pair(svg,
                     end == i       ? "M"
                     : end == i + 1 ? "L"
                                    : " ",
                     place(&series->panel->x, series->points[end].x),
                     place(&series->panel->y, series->points[end].z));
        for (int64_t k = end - 1; k >= i; k--)
            put_pair(svg, k > i || end > i + 1 ? " " : "L", place(&series->panel->x, series->points[k].x),
                     place(&series->panel->y, series->points[k].y));
        fputs(end > i ? "Z" : "", svg);
    }
}

static double usual_size(const svg_series *series)
{
    static const double sizes[] = {[SVG_LINE] = 1.6,  [SVG_DOTS] = 5,  [SVG_CROSSES] = 6, [SVG_TRIANGLES] = 7,
                                   [SVG_STEMS] = 1.6, [SVG_SPANS] = 2, [SVG_CELLS] = 1};
    return series->size > 0 ? series->size : sizes[series->mark];
}

static void draw_mark(FILE *svg, const svg_series *series, const svg_point *one, double size)
{
    double x = place(&series->panel->x, one->x), y = place(&series->panel->y, one->y),
           z = place(&series->panel->y, one->z), half = size / 2;
    bool has_z = series->mark >= SVG_BARS;
    z = series->mark == SVG_SPANS ? place(&series->panel->x, one->z) : z;
    if (!isfinite(x) || !isfinite(y) || (has_z && !isfinite(z)))
        return;
    switch (series->mark) {
    case SVG_CROSSES:
        put_pair(svg, "M", x - half, y - half);
        fprintf(svg, "l%g %gm0-%gl-%g %g", size, size, size, size, size);
        break;
    case SVG_TRIANGLES:
        put_pair(svg, "M", x - half, y + half);
        fprintf(svg, "h%gl-%g-%gZ", size, half, size);
        break;
    case SVG_BARS:
        half = (place(&series->panel->x, one->x + series->size / 2) -
                place(&series->panel->x, one->x - series->size / 2)) /
               2;
        put_pair(svg, "M", x - half, z);
        fputc('V', svg);
        put(svg, y);
        fputc('h', svg);
        put(svg, 2 * half);
        fputc('V', svg);
        put(svg, z);
        break;
    case SVG_STEMS:
        put_pair(svg, "M", x, z);
        fputc('V', svg);
        put(svg, y);
        break;
    case SVG_SPANS:
        put_pair(svg, "M", x, y);
        fputc('H', svg);
        put(svg, z);
        break;
    default: /* a dot is a line of no length with round ends */
        put_pair(svg, "M", x, y);
        fputs("h0", svg);
    }
}

enum { LEVELS = 12 }; /* of the colours of either sign */

static int level_of(double value, double scale)
{
    return isfinite(value) ? (int)lround(fmax(-1, fmin(value / scale, 1)) * LEVELS) : 0;
}

/* Begins the path of the cells of one level. */
static void begin_level(FILE *svg, int level, double height)
{
    fprintf(svg,
            "<path class=\"c%d\" stroke=\"currentColor\" stroke-opacity=\"%.3g\" stroke-width=\"%.6g\" "
            "style=\"stroke-linecap:butt\" shape-rendering=\"crispEdges\" d=\"",
            level < 0 ? SVG_BLUE : SVG_ORANGE, abs(level) / (double)LEVELS, height);
}

/* Cells of one sign and level are one path, neighbours in a row one line of it. */
static void draw_cells(FILE *svg, const svg_series *series)
{
    const svg_axis *x = &series->panel->x, *y = &series->panel->y;
    const svg_point *points = series->points;
    const double scale = series->panel->scale, half = usual_size(series) / 2,
                 height = place(y, points[0].y - half) - place(y, points[0].y + half);
    for (int level = -LEVELS; level <= LEVELS; level++) {
        bool is_open = false;
        for (int64_t i = 0, end; i < series->count; i = end) {
            const bool is_level = level != 0 && level_of(points[i].z, scale) == level;
            for (end = i + 1; is_level && end < series->count && points[end].y == points[i].y &&
                              level_of(points[end].z, scale) == level;)
                end++;
            const double left = place(x, points[i].x - half), right = place(x, points[end - 1].x + half),
                         middle = place(y, points[i].y);
            if (!is_level || !isfinite(left + right + middle) || !(height > 0))
                continue;
            if (!is_open)
                begin_level(svg, level, height);
            is_open = true;
            put_pair(svg, "M", left, middle);
            fputc('H', svg);
            put(svg, right);
        }
        fputs(is_open ? "\"/>\n" : "", svg);
    }
}

static double usual_opacity(const svg_series *series)
{
    return series->opacity > 0 ? series->opacity : series->mark == SVG_BAND ? 0.22 : 1;
}

/* Writes the beginning of a path in the style of the series, up to its data. */
static void begin_path(FILE *svg, const svg_series *series)
{
    bool is_area = series->mark == SVG_BAND || series->mark == SVG_BARS || series->mark == SVG_TRIANGLES;
    bool is_thin = series->mark == SVG_CROSSES;
    double opacity = usual_opacity(series);
    fprintf(svg, "<path class=\"c%d\" %s", series->colour,
            is_area ? "style=\"fill:currentColor\"" : "stroke=\"currentColor\"");
    if (!is_area)
        attribute(svg, "stroke-width", is_thin ? 1.3 : usual_size(series));
    if (opacity < 1)
        fprintf(svg, " opacity=\"%.3g\"", opacity);
    if (series->is_dashed)
        fputs(" stroke-dasharray=\"6 5\"", svg);
    if (series->mark == SVG_SPANS || series->mark == SVG_STEMS)
        fputs(" style=\"stroke-linecap:butt\"", svg);
    fputs(" d=\"", svg);
}

static void draw_series(FILE *svg, const svg_series *series)
{
    if (series->count == 0)
        return;
    if (series->mark == SVG_CELLS) {
        draw_cells(svg, series);
        return;
    }
    begin_path(svg, series);
    if (series->mark == SVG_LINE)
        draw_line(svg, series);
    else if (series->mark == SVG_BAND)
        draw_band(svg, series);
    else
        for (int64_t i = 0; i < series->count; i++)
            draw_mark(svg, series, &series->points[i], usual_size(series));
    fputs("\"/>\n", svg);
}

/* ---- panels ----------------------------------------------------------------------------------- */

static void draw_rule(FILE *svg, const char *style, double x1, double y1, double x2, double y2)
{
    fprintf(svg, "<path class=\"%s\"", style);
    put_pair(svg, " d=\"M", x1, y1);
    put_pair(svg, "L", x2, y2);
    fputs("\"/>\n", svg);
}

/* The colours of the cells with the ends of their scale, at the right of the panel. */
static void draw_scale(FILE *svg, const svg_panel *panel)
{
    const double x = panel->left + panel->x.length + 12, height = panel->y.length / (2 * LEVELS + 1);
    char text[32];
    for (int level = -LEVELS; level <= LEVELS; level++) {
        begin_level(svg, level, height);
        put_pair(svg, "M", x, panel->top + (LEVELS - level + 0.5) * height);
        fputs("h10\"/>\n", svg);
    }
    for (int sign = -1; sign <= 1; sign++) {
        snprintf(text, sizeof text, "%.2g", sign * panel->scale);
        write_text(svg, x + 14, panel->top + panel->y.length * (1 - sign) / 2 + 5 + 4 * sign, "", text, SCALE);
    }
}

static void draw_ticks(FILE *svg, const svg_panel *panel, double bottom, double right)
{
    const char *middle = " text-anchor=\"middle\"";
    const double width = panel->plot->width;
    for (int i = 0; i < panel->y.n_ticks; i++) {
        const double y = panel->top + place(&panel->y, panel->y.ticks[i].at);
        if (panel->scale == 0)
            draw_rule(svg, "grid", panel->left, y, right, y);
        write_text(svg, panel->left - 8, y + 5, " text-anchor=\"end\"", text_of(&panel->y.ticks[i]),
                   panel->margin - MARGIN);
    }
    for (int i = 0; i < panel->x.n_ticks; i++) {
        const svg_tick *tick = &panel->x.ticks[i];
        const double x = panel->left + place(&panel->x, tick->at),
                     half = text_width(tick->below[0] ? tick->below : text_of(tick)) / 2 + 2,
                     at = fmax(half, fmin(x, width - half)); /* not cut off */
        if (panel->scale == 0)
            draw_rule(svg, "grid", x, panel->top, x, bottom);
        draw_rule(svg, "axis", x, bottom, x, bottom + 5);
        if (!panel->shares_x) {
            write_text(svg, at, bottom + LINE, middle, text_of(tick), INFINITY);
            write_text(svg, at, bottom + 2 * LINE - 3, middle, tick->below, INFINITY);
        }
    }
    draw_rule(svg, "axis", panel->left, bottom, right, bottom);
}

/* Height below the area of data. */
static double foot_of(const svg_panel *panel)
{
    double height = 14;
    for (int i = 0; i < panel->x.n_ticks && !panel->shares_x; i++)
        height = fmax(height, panel->x.ticks[i].below[0] ? 2 * LINE + 8 : LINE + 10);
    return height + (panel->x.label[0] && !panel->shares_x ? LINE : 0);
}

static void draw_panel(FILE *svg, const svg_panel *panel)
{
    const char *middle = " text-anchor=\"middle\"";
    const double width = panel->x.length, height = panel->y.length, bottom = panel->top + height,
                 right = panel->left + width, zero = place(&panel->y, 0),
                 origin = place(&panel->x, panel->origin);
    write_text(svg, panel->left - (panel->y.texts ? 0 : 4), panel->top - 10, " class=\"b\"", panel->title,
               0.9 * (width + (panel->scale > 0 ? SCALE : MARGIN)));
    draw_ticks(svg, panel, bottom, right);
    if (!panel->shares_x)
        write_text(svg, (panel->left + right) / 2, bottom + foot_of(panel) - 8, middle, panel->x.label,
                   width + 60);
    if (panel->y.label[0]) {
        fprintf(svg, "<g transform=\"translate(%.0f %.0f) rotate(-90)\">", panel->left - panel->margin + FONT,
                bottom - height / 2);
        write_text(svg, 0, 0, middle, panel->y.label, height);
        fputs("</g>\n", svg);
    }
    fprintf(svg, "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">\n", panel->left, panel->top, width,
            height);
    if (panel->has_zero && isfinite(zero))
        draw_rule(svg, "axis", 0, zero, width, zero);
    if (isfinite(origin))
        draw_rule(svg, "axis\" stroke-dasharray=\"3 4", origin, 0, origin, height);
    for (const svg_series *series = panel->plot->series; series; series = series->next)
        if (series->panel == panel)
            draw_series(svg, series);
    fputs("</svg>\n", svg);
    if (panel->scale > 0)
        draw_scale(svg, panel);
}

/* ---- key -------------------------------------------------------------------------------------- */

/* Returns whether a series is in the key: the first one of its name and colour. */
static bool has_key(const svg_plot *plot, const svg_series *wanted)
{
    for (const svg_series *series = plot->series; series; series = series->next)
        if (series->count > 0 && strcmp(series->name, wanted->name) == 0 && series->colour == wanted->colour)
            return series == wanted && series->name[0];
    return false;
}

static void draw_sample(FILE *svg, const svg_series *series, double x, double y)
{
    static const svg_panel pixels = {.x = {.high = 1, .length = 1}, .y = {.high = 1, .length = 1}};
    svg_series sample = *series;
    svg_point points[] = {{x + 1, y, y}, {x + SAMPLE - 4, y, y}};
    sample.panel = &pixels;
    sample.points = points;
    sample.opacity = series->key_opacity > 0 ? series->key_opacity : usual_opacity(series);
    sample.count = 2;
    if (series->mark >= SVG_BAND) {
        sample.mark = SVG_LINE;
        sample.size = series->mark == SVG_BAND || series->mark == SVG_BARS ? 11 : usual_size(series);
        points[0].x += 4;
        points[1].x -= 4;
    } else if (series->mark != SVG_LINE) {
        sample.count = 1;
        points[0].x = x + SAMPLE - 10;
    }
    draw_series(svg, &sample);
}

/* Writes the key from y on, or measures it (svg NULL). Returns its height. */
static double draw_key(FILE *svg, const svg_plot *plot, double y)
{
    double x = MARGIN, begin = y;
    bool is_empty = true;
    for (int areas = 0; areas < 2; areas++) /* the intervals last */
        for (const svg_series *series = plot->series; series; series = series->next) {
            if (!has_key(plot, series) || (series->mark == SVG_BAND) != areas)
                continue;
            double width = fmin(text_width(series->name), plot->width - SAMPLE - 3 * MARGIN);
            if (x > MARGIN && x + SAMPLE + width > plot->width - MARGIN) {
                x = MARGIN;
                y += LINE + 2;
            }
            if (svg) {
                draw_sample(svg, series, x, y + LINE / 2.0);
                write_text(svg, x + SAMPLE + 2, y + LINE - 5, "", series->name, width + 1);
            }
            x += SAMPLE + width + 18;
            is_empty = false;
        }
    return is_empty ? 0 : y - begin + LINE + 4;
}

/* ---- plot ------------------------------------------------------------------------------------- */

/* Finds the areas of all panels, row by row. Returns the height of the plot. */
static double lay_out(svg_plot *plot)
{
    enum { MAX_COLUMNS = 8 };
    const double column = (double)plot->width / plot->columns;
    double left[MAX_COLUMNS] = {0}, y = plot->title[0] ? LINE + 10 : 4, row = 0;
    int i = 0;
    for (svg_panel *panel = plot->panels; panel; panel = panel->next, i = (i + 1) % plot->columns) {
        panel->y.is_upward = true;
        panel->y.length = panel->height > 0 ? panel->height : HEIGHT;
        find_range(&panel->y, panel, 0.06);
        find_ticks(&panel->y);
        for (int k = 0; k < panel->y.n_ticks; k++) {
            double width = fmin(text_width(text_of(&panel->y.ticks[k])), 0.45 * column);
            left[i] = fmax(left[i], width + 16 + (panel->y.label[0] ? LINE : 0));
        }
    }
    y += draw_key(NULL, plot, y);
    i = 0;
    for (svg_panel *panel = plot->panels; panel; panel = panel->next) {
        panel->margin = fmax(left[i], 16);
        panel->left = i * column + panel->margin;
        panel->top = y + (panel->title[0] ? TITLE : 12);
        panel->x.length = (i + 1) * column - panel->left - (panel->scale > 0 ? SCALE : 16);
        find_range(&panel->x, panel, 0.02);
        find_ticks(&panel->x);
        row = fmax(row, panel->top - y + panel->y.length + foot_of(panel));
        i = (i + 1) % plot->columns;
        if (i == 0 || !panel->next) {
            y += row;
            row = 0;
        }
    }
    for (svg_series *series = plot->series; series; series = series->next)
        thin(series);
    return y + (plot->note[0] ? LINE + 4 : 0);
}

static int write_plot(FILE *svg, svg_plot *plot, const char *label, bool is_file)
{
    const bool failed = plot->failed;
    if (!failed) {
        plot->width = plot->width > 0 ? plot->width : SVG_NARROW;
        plot->columns = plot->columns > 0 ? plot->columns : 1;
        const double height = lay_out(plot), title = plot->title[0] ? LINE + 10 : 4;
        if (is_file)
            fprintf(svg,
                    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
                    "width=\"%d\" height=\"%.0f\" ",
                    plot->width, height);
        fprintf(svg, "%sclass=\"plot\" viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"",
                is_file ? "" : "<svg ", plot->width, height);
        html_escape(svg, label);
        fprintf(svg, "\">\n%s%s%s", is_file ? "<style>\n" : "", is_file ? svg_style : "",
                is_file ? "</style>\n" : "");
        write_text(svg, MARGIN, LINE, " class=\"b\"", plot->title, 0.9 * (plot->width - 2 * MARGIN));
        draw_key(svg, plot, title);
        for (const svg_panel *panel = plot->panels; panel; panel = panel->next)
            draw_panel(svg, panel);
        write_text(svg, MARGIN, height - 8, "", plot->note, plot->width - 2 * MARGIN);
        fputs("</svg>\n", svg);
    }
    release_plot(plot);
    return failed ? complain(EXIT_FAILED, "not enough memory for the plot") : 0;
}

int svg_write_inline(FILE *html, svg_plot *plot, const char *label)
{
    return write_plot(html, plot, label, false);
}

int svg_write_file(const char *path, svg_plot *plot)
{
    text_stream memory;
    char label[SVG_TEXT];
    svg_text(label, "%s", plot->title[0] ? plot->title : plot->panels ? plot->panels->title : "plot");
    plot->failed = !text_open(&memory) || plot->failed;
    int failed = write_plot(memory.out, plot, label, true);
    char *text = text_close(&memory);
    if (!failed && !text)
        failed = complain(EXIT_FAILED, "not enough memory for the plot");
    if (!failed) {
        interrupt_defer(!is_standard_output(path));
        failed = output_text(path, text);
        interrupt_defer(false);
    }
    free(text);
    return failed;
}
