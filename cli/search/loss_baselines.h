/* cli/search/loss_baselines.h: what needs no model, judged by a loss: constants that training rows teach. */
#ifndef CLI_LOSS_BASELINES_H
#define CLI_LOSS_BASELINES_H

#include "search/training.h"
#include "terminal/results.h"

enum { MOST_LOSS_BASELINES = 2 };

typedef struct loss_baseline {
    const char *name; /* "constant quantiles", "class frequencies", "mean count", ..., or "naive" */
    double score;     /* the mean loss */
    double ratio;     /* the model's score over it; NaN: not known */
} loss_baseline;

typedef struct loss_baseline_list {
    const char *score_name; /* NULL: there are none */
    int count;
    loss_baseline scores[MOST_LOSS_BASELINES];
} loss_baseline_list;

/* On rows begin .. end - 1, with what rows train_begin .. train_end - 1 teach: the constant of least loss; and where every target is
 * an input, as now and the constant change of least loss. Data with a loss alone. Returns the exit status after
 * saying what is wrong. */
int loss_baselines_measure(const training_data *data, const volt_split *split, loss_baseline_list *list);

/* Means over folds. */
int loss_baselines_measure_folds(const training_data *data, const volt_split *splits, int64_t folds,
                                 loss_baseline_list *mean);

/* Ratios to a model of that score. */
void loss_baselines_against(loss_baseline_list *list, double score);

/* The one that clearly beats the model, by one part in a hundred; NULL: none does. */
const loss_baseline *loss_baselines_winner(const loss_baseline_list *list);

/* As JSON (`baselines`) and for people, one line each; `who` is the model, in words. The last line says so where one of them does better on
 * the rows `where`. */
void loss_baselines_report(const loss_baseline_list *list, const char *who, const char *where,
                           result_list *results);

#endif
