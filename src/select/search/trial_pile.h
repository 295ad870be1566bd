/* src/select/search/trial_pile.h: trials out of logs, put in order. */
#ifndef SELECT_TRIAL_PILE_H
#define SELECT_TRIAL_PILE_H

#include "volterra/select.h"

/* A trial and where it stood, which is its line, from 0, where there is one log: of two that say as much the first one counts, and qsort does not keep their order. */
typedef struct volt_piece {
    volt_trial *trial; /* NULL: somebody has taken it over */
    int64_t order;
} volt_piece;

/* Begins as {0}. */
typedef struct volt_trial_pile {
    volt_piece *pieces;
    int64_t count, capacity;
} volt_trial_pile;

/* A volt_trial_take_fn; `context` is the pile. */
volt_status volt_trial_pile_take(volt_trial *trial, void *context);
/* By index, of the same index the trial that says most first. */
void volt_trial_pile_sort(volt_trial_pile *pile);
/* With the trials that nobody has taken over. */
void volt_trial_pile_free(volt_trial_pile *pile);

#endif
