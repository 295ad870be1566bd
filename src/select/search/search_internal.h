/* src/select/search/search_internal.h: a search, its trials, and what its files share. */
#ifndef SELECT_SEARCH_INTERNAL_H
#define SELECT_SEARCH_INTERNAL_H

#include "select/folds/cross_validation.h"

#include <stdbool.h>

/* What the trials of a search are measured by, and its name. */
enum { VOLT_LOSS_LENGTH = 2048 }; /* of the text of a loss with as many levels as it may have */

typedef struct volt_measure {
    volt_score score;
    const char *name;            /* static: r2, nmse, ..., or what the loss is called as a score */
    char loss[VOLT_LOSS_LENGTH]; /* its text where the score is VOLT_SCORE_LOSS, else "" */
} volt_measure;

/* loss: NULL unless the score is that of one. */
volt_measure volt_measure_of(volt_score score, const volt_loss *loss);

/* From a log: the name, and the loss where there is one. VOLT_ERR_FORMAT, VOLT_ERR_MEMORY. */
volt_status volt_measure_read(const char *name, const char *loss, volt_measure *measure);

struct volt_search {
    volt_search_info info;
    volt_trial **trials; /* in the order in which they ended; by index when the search is over */
    int64_t capacity;
    const volt_trial *best;
    int64_t *stopped; /* folds + 1 */
    volt_measure measure;
};

/* A trial with copies of the text and the scores; NULL when memory is out. failure may be NULL. */
volt_trial *volt_trial_new(int64_t index, const char *kernel, double alpha, const double *folds,
                           int64_t n_folds, const char *failure);
void volt_trial_free(volt_trial *trial);
/* Given up after `done` of its folds: what came after them, a failure too, is forgotten. */
void volt_trial_stop(volt_trial *trial, int64_t done);

volt_status volt_search_new(int64_t folds, volt_measure measure, volt_search **search);
/* Take the trial over; on failure it is still the caller's. */
volt_status volt_search_add(volt_search *search, volt_trial *trial);
/* VOLT_ERR_DATA, with the first reason, when no trial has a score; trials that were given up have no failure. */
volt_status volt_search_require_best(const volt_search *search);
/* Trials by index. */
void volt_search_sort(volt_search *search);

static inline bool volt_trial_complete(const volt_trial *trial)
{
    return !trial->failure && !trial->stopped;
}

#endif
