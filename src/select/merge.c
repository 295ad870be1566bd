/* src/select/merge.c: the union of the logs of several runs. */
#include "base/error.h"
#include "base/memory.h"
#include "select/search_internal.h"
#include "select/trial_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct pile {
    volt_trial **trials;
    int64_t count, capacity;
} pile;

static volt_status take(volt_trial *trial, void *context)
{
    pile *all = context;
    volt_status status = volt_grow((void **)&all->trials, &all->capacity, all->count + 1, sizeof(volt_trial *));
    if (status == VOLT_OK)
        all->trials[all->count++] = trial;
    else
        volt_trial_free(trial);
    return status;
}

/* How much a trial says: a complete one more than a stopped one, that more than a failure. */
static int64_t rank(const volt_trial *trial)
{
    if (trial->failure)
        return -1;
    return trial->stopped ? trial->n_folds : INT64_MAX;
}

static int by_index_and_rank(const void *a, const void *b)
{
    const volt_trial *first = *(volt_trial *const *)a, *second = *(volt_trial *const *)b;
    if (first->index != second->index)
        return first->index < second->index ? -1 : 1;
    return (rank(first) < rank(second)) - (rank(first) > rank(second));
}

static int64_t most_folds(const pile *all)
{
    int64_t most = 0;
    for (int64_t i = 0; i < all->count; i++)
        if (all->trials[i]->n_folds > most)
            most = all->trials[i]->n_folds;
    return most;
}

/* Of trials with the same index the first, which says most; the others must be of the same candidate. */
static volt_status add_all(pile *all, volt_search *search)
{
    const volt_trial *last = NULL;
    for (int64_t i = 0; i < all->count; i++) {
        volt_trial *trial = all->trials[i];
        if (last && last->index == trial->index) {
            VOLT_REQUIRE(strcmp(last->kernel, trial->kernel) == 0 && last->alpha == trial->alpha,
                         VOLT_ERR_FORMAT, "candidate %" PRId64 " is %s in one log and %s in another",
                         trial->index, last->kernel, trial->kernel);
            continue;
        }
        VOLT_REQUIRE(!volt_trial_complete(trial) || trial->n_folds == search->info.folds, VOLT_ERR_FORMAT,
                     "candidate %" PRId64 " has %" PRId64 " folds, and there are %" PRId64, trial->index,
                     trial->n_folds, search->info.folds);
        VOLT_TRY(volt_search_add(search, trial));
        all->trials[i] = NULL; /* the search has it now */
        last = trial;
    }
    return VOLT_OK;
}

volt_status volt_search_merge(const char *const *logs, int64_t count, volt_search **search)
{
    VOLT_REQUIRE(logs && search && count >= 1, VOLT_ERR_ARGUMENT, "there are no logs to merge");
    char fingerprint[VOLT_FINGERPRINT_LENGTH] = "";
    volt_score score = VOLT_SCORE_R2;
    pile all = {0};
    volt_search *fresh = NULL;
    volt_status status = VOLT_OK;
    for (int64_t i = 0; i < count && status == VOLT_OK; i++)
        status = volt_trial_log_read(logs[i], fingerprint, &score, take, &all, NULL);
    if (status == VOLT_OK && all.count == 0)
        status = volt_fail(VOLT_ERR_FORMAT, "there are no trials in the logs");
    if (status == VOLT_OK) {
        qsort(all.trials, (size_t)all.count, sizeof(volt_trial *), by_index_and_rank);
        status = volt_search_new(most_folds(&all), score, &fresh);
    }
    if (status == VOLT_OK)
        status = add_all(&all, fresh);
    if (status == VOLT_OK && !fresh->best)
        status = volt_fail(VOLT_ERR_DATA, "all %" PRId64 " candidates failed; the first: %s", all.count,
                           fresh->trials[0]->failure ? fresh->trials[0]->failure : "it was given up");
    for (int64_t i = 0; i < all.count; i++)
        volt_trial_free(all.trials[i]);
    volt_free(all.trials);
    if (status == VOLT_OK)
        *search = fresh;
    else
        volt_search_free(fresh);
    return status;
}
