/* cli/series/series_group.c: series that are forecast from each other, and a fit of them. */
#include "series/series_group.h"

#include "terminal/interrupt.h"
#include "terminal/messages.h"

#include <math.h>
#include <stdlib.h>

static double spread_of(volt_matrix levels, int64_t k)
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
int series_group_make(const series_data *data, int64_t first, int64_t count, series_group *group)
{
    int64_t rows = data->levels.rows, more = data->calendar.data ? data->calendar.cols : 0;
    group->first = first;
    group->count = count;
    group->scale = malloc((size_t)count * sizeof *group->scale);
    group->anchors = malloc((size_t)count * sizeof *group->anchors);
    int failed = group->scale && group->anchors ? 0 : complain(EXIT_FAILED, "not enough memory for the inputs");
    if (!failed)
        failed = allocate_matrix(rows, count + more, "the inputs", &group->inputs);
    for (int64_t k = 0; !failed && k < count; k++) {
        double spread = spread_of(data->levels, first + k);
        group->anchors[k] = k;
        group->scale[k] = spread > 0 && isfinite(spread) ? spread : 1;
        for (int64_t i = 0; i < rows; i++)
            group->inputs.data[i * group->inputs.ld + k] =
                data->levels.data[i * data->levels.ld + first + k] / group->scale[k];
        if (group->season == 0)
            group->season = data->seasons[first + k];
    }
    for (int64_t i = 0; !failed && i < rows; i++)
        for (int64_t j = 0; j < more; j++) /* a sine has the variance 1/2 */
            group->inputs.data[i * group->inputs.ld + count + j] =
                sqrt(2) * data->calendar.data[i * data->calendar.ld + j];
    return failed;
}

void series_group_release(series_group *group)
{
    free(group->inputs.data);
    free(group->scale);
    free(group->anchors);
}

volt_status series_group_fit(const series_group *group, const volt_kernel *kernel, int64_t rows, int64_t ahead,
                             volt_progress progress, volt_model **model)
{
    volt_view inputs = volt_view_rows(volt_as_view(group->inputs), 0, rows);
    int64_t pairs = rows - ahead;
    volt_view targets = {inputs.data + ahead * inputs.ld, pairs, group->count, inputs.ld};
    volt_fit_options options = volt_fit_options_default();
    options.ahead = ahead;
    options.anchors = group->anchors;
    options.season = group->season;
    options.as_they_are = inputs.cols - group->count;
    options.progress = progress;
    volt_status status = volt_model_fit(kernel, volt_view_rows(inputs, 0, pairs), targets, &options,
                                        volt_matrix_of(NULL, 0, 0), model);
    return !status && interrupt_seen() ? VOLT_ERR_CANCELLED : status;
}
