/* src/select/search/search_trials.c: the trials of a search, their measure, and the search as their collection. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "select/search/search_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- measures --------------------------------------------------------------------------------- */

volt_measure volt_measure_of(volt_score score, const volt_loss *loss)
{
    volt_measure measure = {.score = score, .name = loss ? loss->kind->info.score : volt_score_name(score)};
    if (loss)
        snprintf(measure.loss, sizeof measure.loss, "%s", loss->text);
    return measure;
}

/* ---- trials ----------------------------------------------------------------------------------- */

void volt_trial_free(volt_trial *trial)
{
    if (!trial)
        return;
    volt_free((char *)trial->kernel);
    volt_free((char *)trial->failure);
    volt_free(trial->folds);
    volt_free(trial);
}

static double mean_of(const double *values, int64_t count)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += values[k];
    return sum / (double)count;
}

volt_trial *volt_trial_new(int64_t index, const char *kernel, double alpha, const double *folds,
                           int64_t n_folds, const char *failure)
{
    volt_trial *trial = volt_alloc_zero(1, sizeof *trial);
    if (!trial)
        return NULL;
    trial->struct_size = sizeof *trial;
    trial->index = index;
    trial->alpha = alpha;
    trial->n_folds = n_folds;
    trial->score = NAN;
    trial->kernel = volt_strdup(kernel);
    trial->folds = volt_alloc_doubles(n_folds, 1);
    trial->failure = failure ? volt_strdup(failure) : NULL;
    if (!trial->kernel || !trial->folds || (failure && !trial->failure)) {
        volt_trial_free(trial);
        return NULL;
    }
    if (n_folds > 0)
        memcpy(trial->folds, folds, (size_t)n_folds * sizeof *folds);
    if (n_folds > 0 && !failure)
        trial->score = mean_of(folds, n_folds);
    return trial;
}

void volt_trial_stop(volt_trial *trial, int64_t done)
{
    volt_free((char *)trial->failure);
    trial->failure = NULL;
    trial->stopped = true;
    trial->n_folds = done;
    trial->score = mean_of(trial->folds, done);
}

/* ---- the search ------------------------------------------------------------------------------- */

volt_status volt_search_new(int64_t folds, volt_measure measure, volt_search **search)
{
    volt_search *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->stopped = volt_alloc_zero(folds + 1, sizeof *fresh->stopped);
    if (!fresh->stopped) {
        volt_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    fresh->info.folds = folds;
    fresh->info.gap = -1;
    fresh->measure = measure;
    fresh->info.score = measure.score;
    fresh->info.loss = measure.loss[0] ? fresh->measure.loss : NULL;
    fresh->info.score_name = measure.name;
    fresh->info.stopped = fresh->stopped;
    fresh->info.parallel = 1;
    *search = fresh;
    return VOLT_OK;
}

void volt_search_free(volt_search *search)
{
    if (!search)
        return;
    for (int64_t i = 0; i < search->info.trials; i++)
        volt_trial_free(search->trials[i]);
    volt_free(search->trials);
    volt_free(search->stopped);
    volt_free(search);
}

/* Whether trial a is better than b; of equals the lower index. */
static bool is_better(volt_score score, const volt_trial *a, const volt_trial *b)
{
    double difference = volt_score_sign(score) * (a->score - b->score);
    return difference > 0 || (difference == 0 && a->index < b->index);
}

volt_status volt_search_add(volt_search *search, volt_trial *trial)
{
    volt_search_info *info = &search->info;
    volt_status status =
        volt_grow((void **)&search->trials, &search->capacity, info->trials + 1, sizeof(volt_trial *));
    if (status != VOLT_OK)
        return status;
    search->trials[info->trials++] = trial;
    if (trial->failure)
        info->failed++;
    else if (trial->stopped)
        search->stopped[volt_min(trial->n_folds, info->folds)]++;
    else if (!search->best || is_better(info->score, trial, search->best))
        search->best = trial;
    return VOLT_OK;
}

volt_status volt_search_require_best(const volt_search *search)
{
    if (search->best)
        return VOLT_OK;
    int64_t trials = search->info.trials, failed = search->info.failed;
    const char *first = NULL;
    for (int64_t i = 0; i < trials && !first; i++)
        first = search->trials[i]->failure;
    if (!first)
        return volt_fail(VOLT_ERR_DATA, "all %" PRId64 " candidates were stopped early: none has a score",
                         trials);
    if (failed < trials)
        return volt_fail(VOLT_ERR_DATA,
                         "%" PRId64 " of %" PRId64
                         " candidates failed and the others were stopped early; first failure: %s",
                         failed, trials, first);
    return volt_fail(VOLT_ERR_DATA, "all %" PRId64 " candidates failed; first failure: %s", trials, first);
}

static int by_index(const void *a, const void *b)
{
    const volt_trial *first = *(volt_trial *const *)a, *second = *(volt_trial *const *)b;
    return (first->index > second->index) - (first->index < second->index);
}

void volt_search_sort(volt_search *search)
{
    if (search->info.trials > 1)
        qsort(search->trials, (size_t)search->info.trials, sizeof(volt_trial *), by_index);
}

volt_status volt_search_get_info(const volt_search *search, volt_search_info *info)
{
    VOLT_REQUIRE(search, VOLT_ERR_ARGUMENT, "the search is NULL");
    return volt_result_copy(info, &search->info, sizeof search->info, "volt_search_info");
}

const volt_trial *volt_search_trial(const volt_search *search, int64_t i)
{
    if (!search)
        return NULL;
    if (i == VOLT_TRIAL_BEST)
        return search->best;
    return i >= 0 && i < search->info.trials ? search->trials[i] : NULL;
}
