/* cli/commands/forecast.c: what predict, continue and stream have in common. */
#include "commands/forecast.h"

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
    warn("%lld of %lld input rows lay beyond the ball of the training inputs and were %s", (long long)count,
         (long long)total,
         beyond == VOLT_BEYOND_ALLOW ? "taken as they are (--beyond allow)"
                                     : "projected to it (--beyond clip)");
}

/* The names of the columns: `row` before those of the model, where the rows are numbered. To be freed. */
static const char **column_names(const volt_model_info *model, bool has_index)
{
    const char **outputs = output_names(model);
    if (!has_index || !outputs)
        return outputs;
    /* One block, as output_names makes it: the pointers, then the texts. */
    size_t count = (size_t)model->q, bytes = 0;
    for (size_t j = 0; j < count; j++)
        bytes += strlen(outputs[j]) + 1;
    const char **names = malloc((count + 1) * sizeof *names + bytes);
    char *at = names ? (char *)(names + count + 1) : NULL;
    for (size_t j = 0; names && j < count; j++) {
        names[j + 1] = strcpy(at, outputs[j]);
        at += strlen(at) + 1;
    }
    if (names)
        names[0] = "row";
    output_names_free(outputs);
    return names;
}

int forecast_write(const volt_model_info *model, volt_view forecast, const forecast_output *output)
{
    const row_labels none = {0};
    const char **names = column_names(model, output->has_index);
    if (!names)
        return complain(EXIT_FAILED, "not enough memory for the column names");
    forecast_warn_beyond(output->beyond, output->beyond_count, output->inputs ? output->inputs : forecast.rows);
    int failed = output_labelled(output->path, forecast, names, output->times ? output->times : &none,
                                 output->json, "beyond", output->beyond_count);
    output_names_free(names);
    if (failed || !output->json || is_standard_output(output->path))
        return failed;

    result_list *results = results_new(true);
    results_text(results, "output", NULL, "%s", output->path);
    results_count(results, "rows", NULL, forecast.rows);
    results_count(results, "columns", NULL, forecast.cols);
    results_count(results, "beyond", NULL, output->beyond_count);
    return results_print(results);
}
