/* cli/search/loss_baselines.c: constants, and the present value with a constant change. */
#include "search/loss_baselines.h"

#include "files/inputs.h"
#include "terminal/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const volt_loss_info *info)
{
    if (info->classes)
        return "class frequencies";
    if (info->unscaled)
        return "mean count";
    return strcmp(info->name, "quantile") == 0 ? "constant quantile" : "constant";
}

/* Targets less what they are now, where `change`, of the rows begin .. end - 1. */
static int take_targets(const training_data *data, bool change, int64_t begin, int64_t end, volt_matrix *made)
{
    volt_view Y = data->targets, X = data->inputs;
    int failed = allocate_matrix(end - begin, Y.cols, "a baseline", made);
    for (int64_t i = 0; !failed && i < made->rows; i++)
        for (int64_t k = 0; k < Y.cols; k++) {
            double now = change ? X.data[(begin + i) * X.ld + data->anchors[k]] : 0;
            made->data[i * made->ld + k] = Y.data[(begin + i) * Y.ld + k] - now;
        }
    return failed;
}

/* The score of one constant; the losses that have changes are losses of differences. */
static int measure_one(const training_data *data, bool change, const volt_split *split, double *score)
{
    const volt_loss *loss = data->loss.loss;
    const double *weights = data->loss.weights;
    int64_t outputs = loss_outputs(&data->loss, data->targets.cols);
    volt_matrix past = {0}, later = {0}, forecasts = {0};
    int failed = take_targets(data, change, split->train_begin, split->train_end, &past);
    if (!failed)
        failed = take_targets(data, change, split->begin, split->end, &later);
    if (!failed)
        failed = allocate_matrix(later.rows, outputs, "a baseline", &forecasts);
    if (!failed) {
        volt_status status = volt_loss_constant(
            loss, volt_as_view(past), weights ? weights + split->train_begin : NULL, outputs, forecasts.data);
        for (int64_t i = 1; i < forecasts.rows; i++)
            memcpy(forecasts.data + i * forecasts.ld, forecasts.data, (size_t)outputs * sizeof(double));
        if (!status)
            status = volt_loss_score(loss, volt_as_view(later), volt_as_view(forecasts),
                                     weights ? weights + split->begin : NULL, score);
        failed = status ? complain_status(status) : 0;
    }
    free(past.data);
    free(later.data);
    free(forecasts.data);
    return failed;
}

int loss_baselines_measure(const training_data *data, const volt_split *split, loss_baseline_list *list)
{
    const volt_loss_info *info = &data->loss.info;
    *list = (loss_baseline_list){.score_name = info->score};
    int count = data->anchors && !info->unscaled ? 2 : 1;
    for (int i = 0; i < count; i++) {
        loss_baseline *one = &list->scores[list->count++];
        *one = (loss_baseline){.name = i ? "naive and a constant change" : name_of(info), .ratio = NAN};
        int failed = measure_one(data, i > 0, split, &one->score);
        if (failed)
            return failed;
    }
    return 0;
}

int loss_baselines_measure_folds(const training_data *data, const volt_split *splits, int64_t folds,
                                 loss_baseline_list *mean)
{
    for (int64_t f = 0; f < folds; f++) {
        loss_baseline_list fold = {0};
        int failed = loss_baselines_measure(data, &splits[f], &fold);
        if (failed)
            return failed;
        for (int i = 0; i < fold.count; i++)
            fold.scores[i].score = (f > 0 ? mean->scores[i].score : 0) + fold.scores[i].score / (double)folds;
        *mean = fold;
    }
    return 0;
}

void loss_baselines_against(loss_baseline_list *list, double score)
{
    for (int i = 0; i < list->count; i++)
        list->scores[i].ratio = score / list->scores[i].score;
}

const loss_baseline *loss_baselines_winner(const loss_baseline_list *list)
{
    const loss_baseline *best = NULL;
    for (int i = 0; i < list->count; i++)
        if (list->scores[i].ratio > 1 / 0.99 && (!best || list->scores[i].ratio > best->ratio))
            best = &list->scores[i];
    return best;
}

void loss_baselines_report(const loss_baseline_list *list, const char *who, const char *where,
                           result_list *results)
{
    for (int i = 0; i < list->count; i++) {
        const loss_baseline *one = &list->scores[i];
        result_list *inner = results_new(true);
        results_text(inner, "name", NULL, "%s", one->name);
        results_number(inner, "score", NULL, one->score);
        results_number(inner, "skill", NULL, 1 - one->ratio);
        results_append(results, "baselines", inner);
        if (isfinite(one->ratio))
            results_text(results, NULL, one->name, "%s %.4g; %s has %.3g of it", list->score_name, one->score,
                         who, one->ratio);
        else
            results_text(results, NULL, one->name, "%s %.4g", list->score_name, one->score);
    }
    const loss_baseline *winner = loss_baselines_winner(list);
    if (winner)
        results_text(results, NULL, "note",
                     "%s does better on %s: try more draws, another --kernel or more rows", winner->name,
                     where);
}
