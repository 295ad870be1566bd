/* cli/commands/forecast.c: what predict, continue and stream have in common. */
#include "commands/forecast.h"

#include "files/outputs.h"
#include "terminal/messages.h"
#include "terminal/results.h"

volt_predict_options forecast_options(int start, int beyond)
{
    static const volt_start starts[] = {VOLT_START_CONTINUE, VOLT_START_RESET};
    static const volt_beyond policies[] = {VOLT_BEYOND_CLIP, VOLT_BEYOND_ERROR, VOLT_BEYOND_ALLOW};
    volt_predict_options options = volt_predict_options_default();
    options.start = starts[start];
    options.beyond = policies[beyond];
    return options;
}

void forecast_warn_beyond(int beyond, int64_t count, int64_t total)
{
    if (count == 0)
        return;
    bool is_allowed = forecast_options(0, beyond).beyond == VOLT_BEYOND_ALLOW;
    warn("%lld of %lld input rows lay beyond the ball of the training inputs and were %s", (long long)count,
         (long long)total,
         is_allowed ? "taken as they are (--beyond allow)" : "projected to it (--beyond clip)");
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
