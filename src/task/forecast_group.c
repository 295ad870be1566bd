/* src/task/forecast_group.c: series that are forecast from each other, and a fit of them. */
#include "task/forecast_group.h"

#include "base/memory.h"

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

/* A fit scales all its inputs by one number, so series of different units are brought to one spread. */
volt_status volt_forecast_group_create(const forecast_data *data, int64_t first, int64_t count,
                                       forecast_group *group)
{
    volt_view levels = data->levels, known = data->known;
    int64_t rows = levels.rows, more = known.data ? known.cols : 0;
    group->first = first;
    group->count = count;
    group->scale = volt_alloc_doubles(1, count);
    group->anchors = volt_alloc(count, sizeof *group->anchors);
    group->inputs = volt_matrix_of(volt_alloc_doubles(rows, count + more), rows, count + more);
    if (!group->scale || !group->anchors || !group->inputs.data)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        double spread = spread_of(levels, first + k);
        group->anchors[k] = k;
        group->scale[k] = spread > 0 && isfinite(spread) ? spread : 1;
        for (int64_t i = 0; i < rows; i++)
            group->inputs.data[i * group->inputs.ld + k] =
                levels.data[i * levels.ld + first + k] / group->scale[k];
        if (group->season == 0)
            group->season = data->seasons[first + k];
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < more; j++) /* a sine has variance 1/2 */
            group->inputs.data[i * group->inputs.ld + count + j] = sqrt(2) * known.data[i * known.ld + j];
    return VOLT_OK;
}

void volt_forecast_group_release(forecast_group *group)
{
    volt_free(group->inputs.data);
    volt_free(group->scale);
    volt_free(group->anchors);
}

volt_status volt_forecast_group_fit(const forecast_group *group, const volt_kernel *kernel, int64_t rows,
                                    int64_t ahead, volt_progress progress, volt_model **model)
{
    volt_view inputs = volt_view_rows(volt_as_view(group->inputs), 0, rows);
    int64_t pairs = rows - ahead;
    volt_view targets = {inputs.data + ahead * inputs.ld, pairs, group->count, inputs.ld};
    volt_fit_options options = volt_fit_options_default();
    options.ahead = ahead;
    options.anchors = group->anchors;
    options.season = group->season;
    options.passthrough_columns = inputs.cols - group->count;
    options.progress = progress;
    return volt_model_fit(kernel, volt_view_rows(inputs, 0, pairs), targets, &options,
                          volt_matrix_of(NULL, 0, 0), model);
}
