/* cli/search/tune.h: arguments and search of volterra tune. */
#ifndef CLI_TUNE_H
#define CLI_TUNE_H

#include "args/options.h"
#include "search/training.h"
#include "search/training_solver.h"

typedef struct tune_arguments {
    common_arguments common;
    training_arguments training;
    const char *kernel, *alpha, *feedback_weight, *candidates, *log, *output, *plot;
    text_list ranges;
    int64_t draws, grid, folds, gap, min_train, max_train;
    double budget;
    bool rolling, resume;
    int start, race, folds_by, strategy;
    int score;    /* volt_score; -1: not given */
    int validate; /* volt_validate; -1: not given */
} tune_arguments;

/* Searches, fits the best model, draws the plot and prints the result. Fills `data`, which the caller releases.
 * Returns the exit status after an error message. */
int tune_search(const tune_arguments *arguments, training_data *data);

#endif
