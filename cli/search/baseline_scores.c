/* cli/search/baseline_scores.c: naive, seasonal naive, drift and autoregression on one's own data. */
#include "search/baseline_scores.h"

#include "terminal/messages.h"

#include <math.h>
#include <stdlib.h>

int baselines_season(const training_data *data, int64_t rows, int64_t *season)
{
    *season = data->season;
    if (data->season != VOLT_SEASON_AUTO)
        return 0;
    *season = 0;
    for (int64_t k = 0; k < data->series.cols && *season == 0; k++) {
        volt_status status = volt_season_find(data->series.data + k, rows, data->series.ld, season);
        if (status)
            return complain_status(status);
    }
    return 0;
}

/* One baseline at all horizons; *known says whether it has enough of a past. */
static int measure_one(const training_data *data, volt_baseline kind, int64_t season, int64_t first,
                       int64_t learn_end, volt_matrix forecast, baseline_score *score, bool *known)
{
    int64_t count = data->ahead - data->first_ahead + 1;
    *score = (baseline_score){.name = volt_baseline_name(kind)};
    for (int64_t h = data->first_ahead; h <= data->ahead; h++) {
        int64_t begin = first + h, lag = h > 1 ? h : 1;
        volt_metrics metrics;
        volt_status status =
            volt_baseline_forecast(kind, data->series, lag, season, learn_end, begin, forecast);
        *known = status != VOLT_ERR_ARGUMENT;
        if (!*known)
            return 0;
        if (!status)
            status = volt_metrics_compute(volt_view_rows(data->series, begin, forecast.rows),
                                          volt_as_view(forecast), &metrics);
        if (status)
            return complain_status(status);
        score->mse += metrics.mse / (double)count;
        score->mae += metrics.mae / (double)count;
        score->r2 += metrics.r2 / (double)count;
    }
    return 0;
}

int baselines_measure(const training_data *data, int64_t season, int64_t first, int64_t rows, int64_t learn_end,
                      baseline_list *list)
{
    volt_matrix forecast = {0};
    list->count = 0;
    if (rows < 1)
        return 0;
    int failed = allocate_matrix(rows, data->series.cols, "a baseline", &forecast);
    for (int kind = 0; !failed && kind < VOLT_BASELINES; kind++) {
        bool known = false;
        if (kind == VOLT_BASELINE_SEASONAL && season < 2)
            continue;
        failed = measure_one(data, (volt_baseline)kind, season, first, learn_end, forecast,
                             &list->scores[list->count], &known);
        list->count += !failed && known;
    }
    free(forecast.data);
    return failed;
}

const baseline_score *baselines_best(const baseline_list *list)
{
    const baseline_score *best = NULL;
    for (int i = 0; i < list->count; i++)
        if (!best || list->scores[i].mse < best->mse)
            best = &list->scores[i];
    return best;
}

void baselines_report(const baseline_list *list, double mse, result_list *results)
{
    for (int i = 0; i < list->count; i++) {
        const baseline_score *score = &list->scores[i];
        double ratio = mse / score->mse;
        result_list *inner = results_new(true);
        results_text(inner, "name", NULL, "%s", score->name);
        results_number(inner, "mse", NULL, score->mse);
        results_number(inner, "rmse", NULL, sqrt(score->mse));
        results_number(inner, "mae", NULL, score->mae);
        results_number(inner, "r2", NULL, score->r2);
        results_number(inner, "skill", NULL, 1 - ratio);
        results_append(results, "baselines", inner);
        if (isfinite(ratio))
            results_text(results, NULL, score->name,
                         "R2 %.4g, RMSE %.4g; the model has %.3g of its squared error", score->r2,
                         sqrt(score->mse), ratio);
        else
            results_text(results, NULL, score->name, "R2 %.4g, RMSE %.4g", score->r2, sqrt(score->mse));
    }
}
