/* src/select/search/trials.c: what one candidate came to. */
#include "base/memory.h"
#include "select/search/search_internal.h"

#include <math.h>
#include <string.h>

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
