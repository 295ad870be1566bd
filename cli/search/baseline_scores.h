/* cli/search/baseline_scores.h: what needs no model, measured on the rows that a model is judged by. */
#ifndef CLI_BASELINE_SCORES_H
#define CLI_BASELINE_SCORES_H

#include "search/training.h"
#include "terminal/results.h"

/* Means over outputs, in the units of the targets. */
typedef struct baseline_score {
    const char *name;
    double mse, mae, r2;
} baseline_score;

typedef struct baseline_list {
    int count;
    baseline_score scores[VOLT_BASELINES];
} baseline_list;

/* Of the targets of training rows first .. first + rows - 1. Drift and autoregression learn from the series' rows before
 * `learn_end`, or go on learning (0). A baseline that has too little past there is left out. season 0: none. Returns
 * the exit status after saying what is wrong. */
int baselines_measure(const training_data *data, int64_t season, int64_t first, int64_t rows, int64_t learn_end,
                      baseline_list *list);

/* The season for the seasonal naive forecast: what was asked for, or what the series' first `rows` rows show. */
int baselines_season(const training_data *data, int64_t rows, int64_t *season);

/* The one with the least squared error; NULL: there is none. */
const baseline_score *baselines_best(const baseline_list *list);

/* As JSON (`baselines`) and for people, one line each; mse is the model's. */
void baselines_report(const baseline_list *list, double mse, result_list *results);

#endif
