/* cli/search/baseline_scores.h: what needs no model, measured on the rows that a model is judged by. */
#ifndef CLI_BASELINE_SCORES_H
#define CLI_BASELINE_SCORES_H

#include "search/training.h"
#include "terminal/results.h"

/* Means over outputs. */
typedef struct baseline_score {
    const char *name;
    double
        unit; /* a power of two: targets times it have squares that a double holds; 1 but for extreme targets */
    double mse;     /* of targets times `unit` */
    double mae, r2; /* in the units of the targets */
    double ratio;   /* the model's squared error over its own; NaN: not known */
} baseline_score;

typedef struct baseline_list {
    int count;
    baseline_score scores[VOLT_BASELINES];
} baseline_list;

/* That unit of a series, and the root mean squared error in the units of the targets. */
double series_unit(volt_view series);
double baseline_rmse(const baseline_score *score);

/* Of the targets of training rows first .. first + rows - 1. Drift and autoregression learn from the series' rows before
 * `learn_end`, or go on learning (0). A baseline that has too little past there is left out. season 0: none. Returns
 * the exit status after saying what is wrong. */
int baselines_measure(const training_data *data, int64_t season, int64_t first, int64_t rows, int64_t learn_end,
                      baseline_list *list);

/* The season for the seasonal naive forecast: what was asked for, or what the series' first `rows` rows show. */
int baselines_season(const training_data *data, int64_t rows, int64_t *season);

/* Means over folds, of their validation blocks. Drift and autoregression learn from what the training part has seen, or go
 * on learning. Those that every fold has. */
int baselines_measure_folds(const training_data *data, int64_t season, const volt_split *splits, int64_t folds,
                            bool goes_on, baseline_list *mean);

/* Ratios to a model of that root mean squared error, or of that R2: then of errors in shares of the variance. */
void baselines_against_rmse(baseline_list *list, double rmse);
void baselines_against_r2(baseline_list *list, double r2);

/* The one with the least squared error; NULL: there is none. The next: that one where it clearly beats the model, by one
 * part in a hundred. */
const baseline_score *baselines_best(const baseline_list *list);
const baseline_score *baselines_winner(const baseline_list *list);

/* As JSON (`baselines`) and for people, one line each; `who` is the model, in words. */
void baselines_report(const baseline_list *list, const char *who, result_list *results);

/* A line where they have seen what the model has not, or where the best of them does better on the rows `where`. */
void baselines_note(const baseline_list *list, const training_data *data, const char *where, const char *advice,
                    result_list *results);

#endif
