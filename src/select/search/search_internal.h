/* src/select/search/search_internal.h: a search and its trials. */
#ifndef SELECT_SEARCH_INTERNAL_H
#define SELECT_SEARCH_INTERNAL_H

#include "select/folds/cross_validation.h"

#include <stdbool.h>

/* The score of a search, and its name. */
enum { VOLT_LOSS_LENGTH = 2048 }; /* length of a loss with the maximum number of levels */

typedef struct volt_measure {
    volt_score score;
    const char *name;            /* static: r2, nmse, ..., or the name of the score of the loss */
    char loss[VOLT_LOSS_LENGTH]; /* text of the loss if the score is VOLT_SCORE_LOSS, else "" */
} volt_measure;

struct volt_search {
    volt_search_info info;
    volt_trial **trials; /* in order of completion; by index when the search is over */
    int64_t capacity;
    const volt_trial *best;
    int64_t *stopped; /* folds + 1 */
    volt_measure measure;
};

/* Creates a trial with copies of the text and the scores; NULL when out of memory. failure may be NULL. */
volt_trial *volt_trial_new(int64_t index, const char *kernel, double alpha, const double *folds,
                           int64_t n_folds, const char *failure);
void volt_trial_free(volt_trial *trial);
/* Truncates a trial stopped after `done` folds: later scores and failures are discarded. */
void volt_trial_stop(volt_trial *trial, int64_t done);

static inline bool volt_trial_complete(const volt_trial *trial)
{
    return !trial->failure && !trial->stopped;
}

#endif
