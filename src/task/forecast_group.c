/* src/task/forecast_group.c: series that are forecast from each other, and a fit of them. */
#include "task/forecast_group.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/classical.h"
#include "task/forecast_season.h"

#include <math.h>

static double spread_of(volt_view levels, int64_t k)
{
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < levels.rows; i++)
        mean += (levels.data[i * levels.ld + k] - mean) / (double)(i + 1);
    for (int64_t i = 0; i < levels.rows; i++) {
        double gap = levels.data[i * levels.ld + k] - mean;
        variance += gap * gap / (double)levels.rows;
    }
    return sqrt(variance);
}

/* Sets the phases of the season in the rows that are forecast. */
static void set_phases(forecast_group *group, int64_t ahead)
{
    static const double spread = 0.5; /* relative to the series */
    int64_t first = group->inputs.cols - group->phases;
    for (int64_t j = 0; j < group->phases; j++)
        for (int64_t i = 0; i < group->inputs.rows; i++)
            group->inputs.data[i * group->inputs.ld + first + j] =
                spread * volt_season_phase(group->season, j, i + ahead);
}

/* Sets the known inputs for a forecast `ahead` rows ahead, each divided by its spread. */
static void set_known(forecast_group *group, int64_t ahead)
{
    volt_view known = group->data->known;
    int64_t shift = group->data->has_future ? ahead : 0;
    for (int64_t j = 0; known.data && j < known.cols; j++) {
        double spread = spread_of(known, j);
        for (int64_t i = 0; i < group->inputs.rows; i++)
            group->inputs.data[i * group->inputs.ld + group->count + j] =
                known.data[(i + shift) * known.ld + j] / (spread > 0 ? spread : 1);
    }
}

/* A fit scales all its inputs by one number, so series of different units are brought to one spread. */
volt_status volt_forecast_group_create(const forecast_data *data, int64_t first, int64_t count,
                                       forecast_group *group)
{
    volt_view levels = data->levels;
    int64_t rows = levels.rows, more = data->known.data ? data->known.cols : 0;
    group->data = data;
    group->first = first;
    group->count = count;
    group->season = volt_forecast_common_season(data->seasons + first, count);
    /* A period found in the autocorrelations may not be constant, as in a chaotic series. */
    if (data->season_given || volt_forecast_is_calendar(data->step, group->season))
        group->phases = volt_season_phases(group->season, rows);
    more += group->phases;
    group->scale = volt_alloc_doubles(1, count);
    group->anchors = volt_alloc(count, sizeof *group->anchors);
    group->inputs = volt_matrix_of(volt_alloc_doubles(rows, count + more), rows, count + more);
    if (!group->scale || !group->anchors || !group->inputs.data)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        group->anchors[k] = k;
        group->scale[k] = spread_of(levels, first + k); /* positive: the series is not constant */
        for (int64_t i = 0; i < rows; i++)
            group->inputs.data[i * group->inputs.ld + k] =
                levels.data[i * levels.ld + first + k] / group->scale[k];
    }
    set_known(group, 1);
    set_phases(group, 1);
    return VOLT_OK;
}

void volt_forecast_group_release(forecast_group *group)
{
    volt_free(group->inputs.data);
    volt_free(group->scale);
    volt_free(group->anchors);
}

/* Alpha changes little from one step to the next. It is chosen at steps 1, 2, 4, 8 ..., near the last choice, and kept in
 * between. The guard against the naive forecast is applied at every step. */
static void choose_alpha(const forecast_group *group, int64_t ahead, volt_fit_options *options)
{
    int64_t power = 1;
    while (power < ahead)
        power *= 2;
    if (group->alpha == 0 || ahead == 1)
        return;
    if (power == ahead || group->is_level || isinf(group->alpha)) {
        options->alpha_start = group->alpha;
        return;
    }
    options->alpha = group->alpha;
    options->target = VOLT_TARGET_CHANGE;
    options->input = VOLT_INPUT_BOTH;
    options->guarded = 1;
}

static void keep_choice(const volt_model *model, forecast_group *group)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    if (group->count > 1 || info.report->rows == 0)
        return;
    group->alpha = info.report->best_alpha[0];
    group->is_level = info.anchors[0] < 0 && info.report->share[0] > 0;
}

/* Whether a series or a known input changes in the first `rows` rows. */
static bool has_changes(const forecast_group *group, int64_t rows)
{
    int64_t cols = group->inputs.cols - group->phases;
    for (int64_t i = 1; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            if (group->inputs.data[i * group->inputs.ld + j] != group->inputs.data[j])
                return true;
    return false;
}

volt_status volt_forecast_group_fit(forecast_group *group, const volt_kernel *kernel, int64_t rows,
                                    int64_t ahead, volt_progress progress, volt_model **model)
{
    *model = NULL;
    set_known(group, ahead);
    if (!has_changes(group, rows - ahead))
        return VOLT_OK;
    set_phases(group, ahead);
    volt_view inputs = volt_view_rows(volt_as_view(group->inputs), 0, rows);
    int64_t pairs = rows - ahead;
    volt_view targets = {inputs.data + ahead * inputs.ld, pairs, group->count, inputs.ld};
    volt_fit_options options = volt_fit_options_default();
    options.ahead = ahead;
    options.anchors = group->anchors;
    options.season = group->season;
    options.passthrough_columns = inputs.cols - group->count;
    options.progress = progress;
    choose_alpha(group, ahead, &options);
    VOLT_TRY(volt_model_fit(kernel, volt_view_rows(inputs, 0, pairs), targets, &options,
                            volt_matrix_of(NULL, 0, 0), model));
    if (options.alpha == 0)
        keep_choice(*model, group);
    return VOLT_OK;
}
