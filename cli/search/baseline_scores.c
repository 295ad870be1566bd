/* cli/search/baseline_scores.c: naive, seasonal naive, drift and autoregression on one's own data. */
#include "search/baseline_scores.h"

#include "terminal/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

double series_unit(volt_view series)
{
    enum { SAFE = 400 };
    double largest = 0;
    int exponent;
    for (int64_t i = 0; i < series.rows; i++)
        for (int64_t k = 0; k < series.cols; k++)
            largest = fmax(largest, fabs(series.data[i * series.ld + k]));
    frexp(largest, &exponent);
    bool is_safe = largest == 0 || !isfinite(largest) || abs(exponent) <= SAFE;
    return is_safe ? 1 : ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

double baseline_rmse(const baseline_score *score)
{
    return sqrt(score->mse) / score->unit;
}

/* Rows from `begin` on, times the unit, in which the forecast comes to lie too. */
static void to_unit(volt_view series, int64_t begin, double unit, volt_matrix truth, volt_matrix forecast)
{
    for (int64_t i = 0; i < truth.rows; i++)
        for (int64_t k = 0; k < truth.cols; k++) {
            truth.data[i * truth.ld + k] = series.data[(begin + i) * series.ld + k] * unit;
            forecast.data[i * forecast.ld + k] *= unit;
        }
}

/* One baseline at all horizons; *known says whether it has enough of a past. */
static int measure_one(const training_data *data, volt_baseline kind, int64_t season, int64_t first,
                       int64_t learn_end, double unit, volt_matrix truth, volt_matrix forecast,
                       baseline_score *score, bool *known)
{
    int64_t count = data->ahead - data->first_ahead + 1;
    *score = (baseline_score){.name = volt_baseline_name(kind), .unit = unit, .ratio = NAN};
    for (int64_t h = data->first_ahead; h <= data->ahead; h++) {
        int64_t begin = first + h, lag = h > 1 ? h : 1;
        volt_metrics metrics;
        volt_status status =
            volt_baseline_forecast(kind, data->series, lag, season, learn_end, begin, forecast);
        *known = status != VOLT_ERR_ARGUMENT;
        if (!*known)
            return 0;
        if (!status) {
            to_unit(data->series, begin, unit, truth, forecast);
            status = volt_metrics_compute(volt_as_view(truth), volt_as_view(forecast), &metrics);
        }
        if (status)
            return complain_status(status);
        score->mse += metrics.mse / (double)count;
        score->mae += metrics.mae / unit / (double)count;
        score->r2 += metrics.r2 / (double)count;
    }
    return 0;
}

int baselines_measure(const training_data *data, int64_t season, int64_t first, int64_t rows, int64_t learn_end,
                      baseline_list *list)
{
    volt_matrix forecast = {0}, truth = {0};
    list->count = 0;
    if (rows < 1)
        return 0;
    double unit = series_unit(data->series);
    int failed = allocate_matrix(rows, data->series.cols, "a baseline", &forecast);
    if (!failed)
        failed = allocate_matrix(rows, data->series.cols, "the truth", &truth);
    for (int kind = 0; !failed && kind < VOLT_BASELINES; kind++) {
        bool known = false;
        if (kind == VOLT_BASELINE_SEASONAL && season < 2)
            continue;
        failed = measure_one(data, (volt_baseline)kind, season, first, learn_end, unit, truth, forecast,
                             &list->scores[list->count], &known);
        list->count += !failed && known;
    }
    free(truth.data);
    free(forecast.data);
    return failed;
}

/* ---- over folds -------------------------------------------------------------------------------- */

/* Add a share of the scores of one fold to the means; what a fold does not have is left out. */
static void add_fold(const baseline_list *fold, double share, baseline_list *mean)
{
    int kept = 0;
    for (int i = 0; i < mean->count; i++)
        for (int j = 0; j < fold->count; j++)
            if (strcmp(mean->scores[i].name, fold->scores[j].name) == 0) {
                baseline_score *score = &mean->scores[kept++];
                *score = mean->scores[i];
                score->mse += share * fold->scores[j].mse;
                score->mae += share * fold->scores[j].mae;
                score->r2 += share * fold->scores[j].r2;
            }
    mean->count = kept;
}

int baselines_measure_folds(const training_data *data, int64_t season, const volt_split *splits, int64_t folds,
                            bool goes_on, baseline_list *mean)
{
    mean->count = 0;
    for (int64_t f = 0; f < folds; f++) {
        const volt_split *split = &splits[f];
        baseline_list fold = {0};
        int failed = baselines_measure(data, season, split->begin, split->end - split->begin,
                                       goes_on ? 0 : split->train_end + data->ahead, &fold);
        if (failed)
            return failed;
        for (int i = 0; f == 0 && i < fold.count; i++)
            mean->scores[mean->count++] =
                (baseline_score){.name = fold.scores[i].name, .unit = fold.scores[i].unit, .ratio = NAN};
        add_fold(&fold, 1 / (double)folds, mean);
    }
    return 0;
}

/* ---- against a model --------------------------------------------------------------------------- */

void baselines_against_rmse(baseline_list *list, double rmse)
{
    for (int i = 0; i < list->count; i++)
        list->scores[i].ratio = pow(rmse * list->scores[i].unit, 2) / list->scores[i].mse;
}

void baselines_against_r2(baseline_list *list, double r2)
{
    for (int i = 0; i < list->count; i++)
        list->scores[i].ratio = (1 - r2) / (1 - list->scores[i].r2);
}

const baseline_score *baselines_best(const baseline_list *list)
{
    const baseline_score *best = NULL;
    for (int i = 0; i < list->count; i++) {
        const baseline_score *score = &list->scores[i];
        if (!best || score->ratio > best->ratio || (isnan(score->ratio) && score->mse < best->mse))
            best = score;
    }
    return best;
}

const baseline_score *baselines_winner(const baseline_list *list)
{
    const baseline_score *best = baselines_best(list);
    return best && best->ratio > 1 / 0.99 ? best : NULL;
}

void baselines_report(const baseline_list *list, const char *who, result_list *results)
{
    for (int i = 0; i < list->count; i++) {
        const baseline_score *score = &list->scores[i];
        result_list *inner = results_new(true);
        results_text(inner, "name", NULL, "%s", score->name);
        results_number(inner, "mse", NULL, score->mse / score->unit / score->unit);
        results_number(inner, "rmse", NULL, baseline_rmse(score));
        results_number(inner, "mae", NULL, score->mae);
        results_number(inner, "r2", NULL, score->r2);
        results_number(inner, "skill", NULL, 1 - score->ratio);
        results_append(results, "baselines", inner);
        if (isfinite(score->ratio))
            results_text(results, NULL, score->name, "R2 %.4g, RMSE %.4g; %s has %.3g of its squared error",
                         score->r2, baseline_rmse(score), who, score->ratio);
        else
            results_text(results, NULL, score->name, "R2 %.4g, RMSE %.4g", score->r2, baseline_rmse(score));
    }
}

void baselines_note(const baseline_list *list, const training_data *data, const char *where, const char *advice,
                    result_list *results)
{
    const baseline_score *winner = baselines_winner(list);
    if (list->count > 0 && !data->anchors && !data->feeds)
        results_text(results, NULL, "note",
                     "baselines have seen past targets, and the model only its inputs%s%s%s",
                     winner ? "; " : "", winner ? winner->name : "",
                     winner ? " does better: try the targets among the inputs (--x)" : "");
    else if (winner)
        results_text(results, NULL, "note", "%s does better on %s: try %s", winner->name, where, advice);
}
