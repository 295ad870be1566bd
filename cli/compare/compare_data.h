/* cli/compare/compare_data.h: what a comparison runs on: samples of a preset, or the user's own data. */
#ifndef CLI_COMPARE_DATA_H
#define CLI_COMPARE_DATA_H

#include "search/training.h"
#include "volterra.h"

#include <stdbool.h>

typedef struct compare_data {
    training_data own; /* of the user */
    volt_bekk *model;  /* of the preset, or NULL */
    volt_matrix X, Y;  /* the present sample of the preset; owned */
    volt_view inputs, targets;
    search_data seen;                    /* one's own data as the kernels see them ... */
    volt_view seen_inputs, seen_targets; /* ... or the sample of the preset */
    const char **output_names;           /* q of them; owned, with what they point to */
    volt_matrix truth;                   /* a copy of the test targets of the first sample; owned */
} compare_data;

/* Pairs that a preset simulates unless told otherwise: with the first 80 % for training, 3008 and 752. */
#define PRESET_PAIRS 3760

/* Every function returns 0, or the exit status after saying what is wrong. Data that begin as {0} can always be
 * released. */
int compare_data_preset(compare_data *data, const char *preset, int64_t pairs);
int compare_data_own(compare_data *data, const training_arguments *arguments);
void compare_data_release(compare_data *data);

/* Columns and targets of one's own data, learned from the first `learn_rows` rows; `levels`: all are levels unless the
 * arguments say otherwise. */
int compare_data_prepare(compare_data *data, const training_arguments *arguments, bool levels,
                         int64_t learn_rows);

/* Simulate the sample of that seed, where there is something to simulate. */
int compare_data_sample(compare_data *data, uint64_t seed);

/* Keep the targets from row n_train on. */
int compare_data_keep_truth(compare_data *data, int64_t n_train);

#endif
