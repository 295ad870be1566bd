/* cli/commands/prediction.c: functions shared by predict, continue and stream. */
#include "commands/prediction.h"

#include "files/outputs.h"
#include "terminal/messages.h"
#include "terminal/results.h"

#include <stdlib.h>
#include <string.h>

volt_predict_options forecast_options(int start, int beyond)
{
    volt_predict_options options = volt_predict_options_default();
    options.start = (volt_start)start;
    options.beyond = (volt_beyond)beyond;
    return options;
}

void forecast_warn_beyond(int beyond, int64_t count, int64_t total)
{
    if (count == 0)
        return;
    warn("%lld of %lld input rows have a larger norm than any training input and were %s", (long long)count,
         (long long)total,
         beyond == VOLT_BEYOND_ALLOW ? "used unchanged (--beyond allow)"
                                     : "projected to that norm (--beyond clip)");
}

/* Returns the column names: `row` if rows are numbered, the outputs of the model, then the bands. The block has
 * the layout of output_names: the pointers, then the texts. */
const char **forecast_names(const volt_model_info *model, const forecast_output *output)
{
    const char **outputs = output_names(model);
    int64_t q = model->q, beside = bands_columns(&output->bands, 1), at = 0;
    if (!outputs || (!output->has_index && beside == 0))
        return outputs;
    size_t count = (size_t)(output->has_index + q * (1 + beside)), bytes = sizeof "row";
    for (int64_t k = 0; k < q; k++)
        bytes += (size_t)(1 + beside) * (strlen(outputs[k]) + HEADER_LINE_END);
    const char **names = malloc(count * sizeof *names + bytes);
    char *text = names ? (char *)(names + count) : NULL, suffix[HEADER_LINE_END];
    if (names && output->has_index)
        names[at++] = "row";
    for (int64_t k = 0; names && k < q; k++, text += strlen(text) + 1)
        names[at++] = strcpy(text, outputs[k]);
    for (int64_t k = 0; names && k < q; k++)
        for (int64_t c = 0; c < beside; c++, text += strlen(text) + 1) {
            strcpy(text, outputs[k]);
            names[at++] = strcat(text, bands_suffix(&output->bands, c, suffix));
        }
    output_names_free(outputs);
    return names;
}

int forecast_write(const volt_model_info *model, volt_view forecast, const forecast_output *output)
{
    const char **names = forecast_names(model, output);
    if (!names)
        return complain(EXIT_FAILED, "not enough memory for the column names");
    forecast_warn_beyond(output->beyond, output->beyond_count, output->inputs ? output->inputs : forecast.rows);
    const char *const *times = output->times && output->times->name ? output->times->texts : NULL;
    bool prints_json = output->json && is_standard_output(output->path);
    int failed = prints_json ? print_matrix_json(forecast, names, times, "beyond", output->beyond_count)
                             : output_labelled(output->path, forecast, names, output->times);
    output_names_free(names);
    if (failed || !output->json || prints_json)
        return failed;

    result_list *results = results_new(true);
    results_text(results, "output", NULL, "%s", output->path);
    results_count(results, "rows", NULL, forecast.rows);
    results_count(results, "columns", NULL, forecast.cols);
    results_count(results, "beyond", NULL, output->beyond_count);
    return results_print(results);
}
