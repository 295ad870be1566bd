/* cli/commands/forecast.c: what predict, continue and stream have in common. */
#include "commands/forecast.h"

#include "files/outputs.h"
#include "terminal/messages.h"
#include "terminal/results.h"

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

int forecast_write(const volt_model_info *model, volt_view forecast, const char *path, bool json, int beyond,
                   int64_t beyond_count)
{
    const char **names = output_names(model);
    if (!names)
        return complain(EXIT_FAILED, "not enough memory for the column names");
    forecast_warn_beyond(beyond, beyond_count, forecast.rows);
    int failed = output_matrix(path, forecast, names, json, "beyond", beyond_count);
    output_names_free(names);
    if (failed || !json || is_standard_output(path))
        return failed;

    result_list *results = results_new(true);
    results_text(results, "output", NULL, "%s", path);
    results_count(results, "rows", NULL, forecast.rows);
    results_count(results, "columns", NULL, forecast.cols);
    results_count(results, "beyond", NULL, beyond_count);
    return results_print(results);
}
