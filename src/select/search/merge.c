/* src/select/search/merge.c: merges logs of several runs, and identifies the data of a log. */
#include "base/error.h"
#include "select/search/search_internal.h"
#include "select/search/trial_log.h"

#include <inttypes.h>
#include <string.h>

static int64_t max_folds(const volt_trial_queue *all)
{
    int64_t most = 0;
    for (int64_t i = 0; i < all->count; i++)
        if (all->entries[i].trial->n_folds > most)
            most = all->entries[i].trial->n_folds;
    return most;
}

/* Of trials with the same index keeps the first, which is the most complete. */
static volt_status add_all(volt_trial_queue *all, volt_search *search)
{
    const volt_trial *last = NULL;
    for (int64_t i = 0; i < all->count; i++) {
        volt_trial *trial = all->entries[i].trial;
        if (last && last->index == trial->index)
            continue;
        VOLT_REQUIRE(!volt_trial_complete(trial) || trial->n_folds == search->info.folds, VOLT_ERR_FORMAT,
                     "candidate %" PRId64 " has %" PRId64 " folds, but there are %" PRId64, trial->index,
                     trial->n_folds, search->info.folds);
        VOLT_TRY(volt_search_add(search, trial));
        all->entries[i].trial = NULL; /* now owned by the search */
        last = trial;
    }
    return VOLT_OK;
}

volt_status volt_search_merge(const char *const *logs, int64_t count, volt_search **search)
{
    VOLT_REQUIRE(logs && search && count >= 1, VOLT_ERR_ARGUMENT, "there are no logs to merge");
    char fingerprint[VOLT_FINGERPRINT_LENGTH] = "";
    volt_measure measure = {0};
    volt_trial_queue all = {0};
    volt_search *fresh = NULL;
    volt_status status = VOLT_OK;
    for (int64_t i = 0; i < count && status == VOLT_OK; i++)
        status = volt_trial_log_read(logs[i], fingerprint, &measure, volt_trial_queue_take, &all, NULL);
    if (status == VOLT_OK && all.count == 0)
        status = volt_fail(VOLT_ERR_FORMAT, "there are no trials in the logs");
    if (status == VOLT_OK)
        status = volt_trial_queue_sort(&all);
    if (status == VOLT_OK)
        status = volt_search_new(max_folds(&all), measure, &fresh);
    if (status == VOLT_OK)
        status = add_all(&all, fresh);
    if (status == VOLT_OK)
        status = volt_search_require_best(fresh);
    volt_trial_queue_free(&all);
    if (status == VOLT_OK)
        *search = fresh;
    else
        volt_search_free(fresh);
    return status;
}

static volt_status pass_over(volt_trial *trial, void *context)
{
    (void)context;
    volt_trial_free(trial);
    return VOLT_OK;
}

volt_status volt_search_log_is_of(const char *log, volt_view X, volt_view Y, volt_view base, int *is_of)
{
    VOLT_REQUIRE(log && is_of, VOLT_ERR_ARGUMENT, "the log or the output is NULL");
    char fingerprint[VOLT_FINGERPRINT_LENGTH] = "", digits[VOLT_DATA_DIGITS + 1];
    volt_measure measure = {0};
    VOLT_TRY(volt_trial_log_read(log, fingerprint, &measure, pass_over, NULL, NULL));
    volt_search_data_digits(X, Y, base, digits);
    *is_of = strncmp(fingerprint, digits, VOLT_DATA_DIGITS) == 0;
    return VOLT_OK;
}
