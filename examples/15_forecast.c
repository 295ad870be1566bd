/* examples/15_forecast.c: forecast a series with one call: values, expected errors, intervals, weights and warnings.
 *
 *     15_forecast [FILE:COLUMN [STEPS]]
 *
 * Without arguments it forecasts the level of the lower tank in data/tanks.csv. `volterra forecast FILE:COLUMN --rows 0:`
 * computes the same numbers for a file without dates. With dates, also set options.step. */
#include <volterra.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_forecast(const volt_forecast *forecast)
{
    volt_forecast_info info = {.struct_size = sizeof info};
    const volt_forecast_series *series = volt_forecast_series_at(forecast, 0);
    volt_forecast_get_info(forecast, &info);
    printf("%-6s %-24s %-12s %s\n", "step", "forecast", "error", "80 % interval");
    for (int64_t h = 0; h < info.steps; h++) {
        const volt_forecast_step *step = volt_forecast_step_at(forecast, h, 0);
        printf("%-6lld %-24.17g %-12.4g %.4g to %.4g\n", (long long)h + 1, step->value, step->rmse,
               step->lower[0], step->upper[0]);
    }
    for (int m = 0; m < (int)info.members; m++)
        printf("%-16s weight %.2f, RMSE %.4g\n", info.member_names[m], series->member_weight[m],
               series->member_rmse[m]);
    for (int64_t i = 0; i < info.n_warnings; i++)
        printf("warning: %s\n", volt_warning_text(info.warnings[i].code));
}

int main(int argc, char **argv)
{
    char path[4096];
    volt_table *table = NULL;
    volt_forecast *forecast = NULL;
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = argc > 2 ? atoll(argv[2]) : 3;
    options.all_rows = 1;
    const double coverage = 0.8;
    options.coverages = &coverage;
    options.n_coverages = 1;
    const char *folder_end = strrchr(__FILE__, '/');
    snprintf(path, sizeof path, "%.*s/data/tanks.csv:level", (int)(folder_end ? folder_end - __FILE__ : 0),
             __FILE__);

    volt_status status = volt_table_read(argc > 1 ? argv[1] : path, NULL, &table);
    if (!status) {
        volt_view rows = volt_table_view(table);
        if (argc < 2) /* the last 300 rows are enough here */
            rows = volt_view_rows(rows, table->rows - 300, 300);
        status = volt_forecast_run(rows, &options, &forecast);
    }
    if (status)
        fprintf(stderr, "%s\n", volt_error_detail());
    else
        print_forecast(forecast);

    double ratio = status ? 1
                          : volt_forecast_series_at(forecast, 0)->rmse /
                                volt_forecast_series_at(forecast, 0)->member_rmse[VOLT_MEMBER_NAIVE];
    volt_forecast_free(forecast);
    volt_table_free(table);
    return !status && (argc > 1 || ratio < 1) ? 0 : 1;
}
