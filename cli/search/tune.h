/* cli/search/tune.h: the arguments of volterra tune, and its two ways to a winner. */
#ifndef CLI_TUNE_H
#define CLI_TUNE_H

#include "args/options.h"
#include "search/training.h"
#include "search/training_solver.h"

typedef struct tune_arguments {
    common_arguments common;
    training_arguments training;
    solver_arguments solver;
    const char *kernel, *alpha, *feedback_weight, *candidates, *log, *shard, *output, *plot;
    text_list ranges, merge;
    int64_t draws, grid, folds, gap, min_train, max_train;
    double budget;
    bool rolling, resume;
    int start, race, folds_by, strategy, method;
    int score;    /* volt_score; -1: not given */
    int validate; /* volt_validate; -1: not given */
} tune_arguments;

/* Search, or merge the logs of searches; then fit the winner, draw the picture and print the result. `data` is
 * read here and released by the caller. Both return the exit status after saying what is wrong. */
int tune_search(const tune_arguments *arguments, training_data *data);
int tune_merge(const tune_arguments *arguments, training_data *data);

#endif
