/* cli/commands/predict_picture.c: plots inputs and forecasts.
 *
 * The x axis counts the rows of X. A forecast made at row t with horizon H is drawn at row t + H. With several
 * horizons, only the forecasts made at the last row are drawn, in order of the horizon. */
#include "commands/predict_picture.h"

#include "page/picture_script.h"
#include "terminal/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns ---------------------------------------------------------------------------------- */

/* Returns the input with the name of an output, which may end in a horizon ("load+3"); -1: none. */
static int64_t find_input(const volt_model_info *info, const char *name, size_t length)
{
    for (int64_t j = 0; info->input_names && j < info->d; j++)
        if (strlen(info->input_names[j]) == length && strncmp(info->input_names[j], name, length) == 0)
            return j;
    return -1;
}

/* Plotted series: one output, or one output at several horizons. */
typedef struct drawn_series {
    int64_t count, horizons; /* output k * horizons + h is series k, horizon h */
    int64_t first;           /* first horizon, in rows */
    const char **names;      /* count names; NULL: unknown */
    char *name_storage;      /* storage for names cut from longer ones */
    volt_matrix history;     /* data NULL: some series are not inputs */
    volt_matrix band;        /* half-widths of the plotted forecasts; data NULL: none */
    char band_name[48];
    volt_matrix path;   /* forecasts of several horizons made at the last row */
    const char **times; /* of the rows of X and of the forecasts; NULL: unknown */
    int64_t n_times;
    row_labels later; /* storage for times after the last row */
} drawn_series;

static void release(drawn_series *drawn)
{
    free((void *)drawn->names);
    free(drawn->name_storage);
    free(drawn->history.data);
    free(drawn->path.data);
    free(drawn->band.data);
    free((void *)drawn->times);
    row_labels_release(&drawn->later);
}

static void find_horizons(const predict_picture *picture, drawn_series *drawn)
{
    long long first = 0, last = 0;
    const char *text = picture->info->notes.horizons;
    *drawn = (drawn_series){.count = picture->info->q, .horizons = 1, .first = picture->times->ahead};
    if (text && sscanf(text, "%18lld..%18lld", &first, &last) == 2 && first >= 0 && last > first &&
        picture->info->q % (last - first + 1) == 0) {
        drawn->horizons = last - first + 1;
        drawn->count = picture->info->q / drawn->horizons;
        drawn->first = first;
    }
}

/* Finds the names of the series and their columns in X. */
static int find_columns(const predict_picture *picture, drawn_series *drawn)
{
    const volt_model_info *info = picture->info;
    const int64_t count = drawn->count;
    if (!info->output_names)
        return 0;
    size_t longest = 1;
    for (int64_t k = 0; k < info->q; k++)
        longest = strlen(info->output_names[k]) > longest ? strlen(info->output_names[k]) : longest;
    drawn->names = malloc((size_t)count * sizeof *drawn->names);
    drawn->name_storage = malloc((size_t)count * (longest + 1));
    int64_t *from = malloc((size_t)count * sizeof *from);
    int failed = drawn->names && drawn->name_storage && from
                     ? 0
                     : complain(EXIT_FAILED, "not enough memory for the names in the plot");
    bool all = true;
    for (int64_t k = 0; !failed && k < count; k++) {
        const char *name = info->output_names[k * drawn->horizons];
        const char *horizon = drawn->horizons > 1 ? strrchr(name, '+') : NULL;
        size_t length = horizon ? (size_t)(horizon - name) : strlen(name);
        char *own = drawn->name_storage + (size_t)k * (longest + 1);
        memcpy(own, name, length);
        own[length] = '\0';
        drawn->names[k] = own;
        from[k] = find_input(info, name, length);
        all = all && from[k] >= 0;
    }
    volt_view X = picture->inputs->view;
    if (!failed && all)
        failed = allocate_matrix(X.rows, count, "the history in the plot", &drawn->history);
    for (int64_t i = 0; !failed && all && i < X.rows; i++)
        for (int64_t k = 0; k < count; k++)
            drawn->history.data[i * drawn->history.ld + k] = X.data[i * X.ld + from[k]];
    free(from);
    return failed;
}

/* Arranges the forecasts made at the last row as consecutive rows, one per horizon. */
static int lay_path(const predict_picture *picture, drawn_series *drawn)
{
    volt_view forecast = picture->forecast;
    int failed = allocate_matrix(drawn->horizons, drawn->count, "the path in the plot", &drawn->path);
    if (failed)
        return failed;
    const double *last = forecast.data + (forecast.rows - 1) * forecast.ld;
    for (int64_t h = 0; h < drawn->horizons; h++)
        for (int64_t k = 0; k < drawn->count; k++)
            drawn->path.data[h * drawn->path.ld + k] = last[k * drawn->horizons + h];
    return 0;
}

/* Sets the band of the plotted forecasts to the widest interval. */
static int lay_band(const predict_picture *picture, drawn_series *drawn)
{
    const number_list *levels = picture->levels;
    volt_view half = picture->half;
    int64_t rows = drawn->horizons > 1 ? drawn->horizons : picture->forecast.rows, widest = 0;
    if (!half.data)
        return 0;
    for (int64_t c = 1; c < levels->count; c++)
        widest = levels->values[c] > levels->values[widest] ? c : widest;
    int failed = allocate_matrix(rows, drawn->count, "the interval in the plot", &drawn->band);
    for (int64_t i = 0; !failed && i < rows; i++) {
        int64_t row = drawn->horizons > 1 ? picture->forecast.rows - 1 : i;
        const double *widths = half.data + (half.rows > 1 ? row : 0) * half.ld;
        for (int64_t k = 0; k < drawn->count; k++) {
            int64_t output = drawn->horizons > 1 ? k * drawn->horizons + i : k;
            drawn->band.data[i * drawn->band.ld + k] = widths[output * levels->count + widest];
        }
    }
    snprintf(drawn->band_name, sizeof drawn->band_name, "%.6g %% interval", 100 * levels->values[widest]);
    return failed;
}

/* ---- times ------------------------------------------------------------------------------------ */

/* Finds the times of the rows of X and of the next `ahead` rows. The axis shows row numbers if the times cannot
 * be extrapolated, or if `ahead` far exceeds the number of rows. */
static int find_times(const predict_picture *picture, int64_t ahead, drawn_series *drawn)
{
    const volt_table *table = picture->inputs->table;
    int64_t n = table->rows;
    volt_time_step step = picture->times->step;
    int failed = volt_time_step_is_known(step) ? 0 : row_times_step(picture->inputs, &step);
    if (failed || !table->times || (ahead > 0 && !volt_time_step_is_known(step)) || ahead > 1000 + n)
        return failed;
    failed = row_labels_of_targets(&drawn->later, picture->inputs, ahead, step);
    if (failed || !drawn->later.name)
        return failed;
    drawn->times = malloc((size_t)(n + ahead) * sizeof *drawn->times);
    if (!drawn->times)
        return complain(EXIT_FAILED, "not enough memory for the times in the plot");
    for (int64_t i = 0; i < n + ahead; i++)
        drawn->times[i] = i < n ? table->time_texts[i] : i < ahead ? "" : drawn->later.texts[i - ahead];
    drawn->n_times = n + ahead;
    return 0;
}

/* ---- plot ------------------------------------------------------------------------------------- */

int predict_picture_file(const char *path, const predict_picture *picture)
{
    drawn_series drawn;
    find_horizons(picture, &drawn);
    int64_t n = picture->inputs->view.rows;
    bool several = drawn.horizons > 1;
    int failed = find_columns(picture, &drawn);
    if (!failed && several)
        failed = lay_path(picture, &drawn);
    if (!failed)
        failed = lay_band(picture, &drawn);
    if (!failed)
        failed = find_times(picture, drawn.first + drawn.horizons - 1, &drawn);
    if (!failed) {
        const series_picture wanted = {
            .names = drawn.names,
            .history = volt_as_view(drawn.history),
            .forecast = several ? volt_as_view(drawn.path) : picture->forecast,
            .forecast_row = several ? n - 1 + drawn.first : drawn.first,
            .bands = &(picture_band){volt_as_view(drawn.band), drawn.band_name},
            .n_bands = drawn.band.data != NULL,
            .times = drawn.times,
            .n_times = drawn.n_times,
        };
        failed = picture_series_file(path, &wanted);
    }
    release(&drawn);
    return failed;
}
