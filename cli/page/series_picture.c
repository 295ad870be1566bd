/* cli/page/series_picture.c: plot series and their predictions, one panel per column. */
#include "page/series_picture.h"

#include "files/svg_plot.h"
#include "page/page_frame.h"

#include <math.h>

enum { MAX_COLUMNS = 6, FEW_ROWS = 60 };

static void widen(volt_view values, volt_view half, int64_t k, double range[2])
{
    for (int64_t t = 0; values.data && t < values.rows; t++) {
        const double value = values.data[t * values.ld + k], width = half.data ? half.data[t * half.ld + k] : 0;
        range[0] = fmin(range[0], value - width);
        range[1] = fmax(range[1], value + width);
    }
}

/* Sets the y range to the measured values plus at most three times their range on either side. Diverging predictions
 * are clipped. */
static void set_value_range(const series_picture *picture, int64_t k, svg_axis *axis)
{
    double measured[2] = {INFINITY, -INFINITY}, predicted[2] = {INFINITY, -INFINITY};
    const volt_view none = {0};
    widen(picture->history, none, k, measured);
    widen(picture->truth, none, k, measured);
    widen(picture->forecast, none, k, predicted);
    for (int b = 0; b < picture->n_bands; b++)
        widen(picture->forecast, picture->half_widths[b], k, predicted);
    const double room = 3 * (measured[1] - measured[0]),
                 low = fmin(measured[0], fmax(predicted[0], measured[0] - room)),
                 high = fmax(measured[1], fmin(predicted[1], measured[1] + room)), margin = 0.06 * (high - low);
    if (room > 0 && isfinite(margin) && margin > 1e-9 * fmax(fabs(low), fabs(high))) {
        axis->low = low - margin;
        axis->high = high + margin;
    }
}

static void add_line(svg_panel *panel, volt_view values, int64_t k, int64_t first, int colour, double width,
                     const char *name)
{
    if (!values.data)
        return;
    svg_series *line = svg_add_series(panel, SVG_LINE, colour, name);
    line->size = width;
    svg_add_column(line, values, k, first);
    /* Short series are drawn with dots as well, because a single row has no line. */
    if (values.rows <= FEW_ROWS)
        svg_add_column(svg_add_series(panel, SVG_DOTS, colour, ""), values, k, first);
}

static void add_panel(svg_plot *plot, const series_picture *picture, int64_t k, bool is_last)
{
    volt_view forecast = picture->forecast;
    svg_panel *panel = picture->names ? svg_add_panel(plot, "%s", picture->names[k])
                                      : svg_add_panel(plot, "y%lld", (long long)k + 1);
    panel->shares_x = !is_last;
    panel->x.is_whole = true;
    panel->x.texts = picture->times;
    panel->x.first_text = picture->times_row;
    panel->x.n_texts = picture->n_times;
    panel->x.are_times = picture->times != NULL;
    if (!picture->times)
        svg_text(panel->x.label, "row");
    if (picture->has_origin)
        panel->origin = (double)picture->forecast_row;
    set_value_range(picture, k, &panel->y);
    for (int b = 0; b < picture->n_bands; b++) {
        volt_view half = picture->half_widths[b];
        svg_series *band = svg_add_series(panel, SVG_BAND, SVG_ORANGE, picture->band_names[b]);
        /* Bands overlap: the key shows the opacity of this one above the wider ones. */
        band->key_opacity = 1 - pow(1 - 0.22, b + 1);
        for (int64_t t = 0; t < half.rows; t++) {
            const double middle = forecast.data[t * forecast.ld + k], width = half.data[t * half.ld + k];
            svg_add(band, (double)(picture->forecast_row + t), middle - width, middle + width);
        }
    }
    add_line(panel, picture->history, k, picture->history_row, SVG_GREY, 1.3, "measured");
    add_line(panel, picture->truth, k, picture->forecast_row, SVG_GREY, 2, "measured");
    add_line(panel, forecast, k, picture->forecast_row, SVG_ORANGE, 1.7, "predicted");
}

int picture_series_file(const char *path, const series_picture *picture)
{
    svg_plot plot = {0};
    const int64_t columns = picture->forecast.data ? picture->forecast.cols : picture->history.cols,
                  panels = columns < MAX_COLUMNS ? columns : MAX_COLUMNS;
    svg_text(plot.title, "%s", picture->title ? picture->title : "");
    for (int64_t k = 0; k < panels; k++)
        add_panel(&plot, picture, k, k + 1 == panels);
    undrawn_text(picture->names, panels, columns, -1, plot.note);
    return svg_write_file(path, &plot);
}
