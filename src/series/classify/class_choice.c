/* src/series/classify/class_choice.c: the choice of a kernel or of a mean of kernels, and its nested estimate. */
#include "base/error.h"
#include "base/memory.h"
#include "series/classify/kernel_search.h"

#include <math.h>
#include <string.h>

/* ---- matrices ------------------------------------------------------------------------------------ */

/* Adds the matrix of a draw, recomputed if it was not kept. */
static volt_status add_matrix(volt_class_search *search, int64_t draw, double weight, double *sum)
{
    volt_matrix K = search->bench.K;
    const double *kept = search->full[draw].K;
    if (!kept) {
        volt_class_trial trial;
        volt_kernel *kernel = NULL;
        VOLT_TRY(volt_class_trial_of(search, draw, &trial));
        VOLT_TRY(volt_kernel_parse(trial.kernel, &kernel));
        const volt_objects *carriers = search->carriers[trial.preparation];
        volt_status status = carriers
                                 ? volt_objects_cross(carriers, kernel, search->series, K.rows, NULL, K, NULL)
                                 : volt_objects_gram(search->objects[trial.preparation], kernel, NULL, K);
        volt_kernel_free(kernel);
        VOLT_TRY(status);
        kept = K.data;
        if (search->options->n_parts > 0) { /* few, and needed again */
            double *copy = search->full[draw].K = volt_alloc_doubles(K.rows, K.cols);
            if (!copy)
                return VOLT_ERR_MEMORY;
            memcpy(copy, K.data, (size_t)(K.rows * K.cols) * sizeof *copy);
        }
    }
    for (int64_t i = 0; i < K.rows * K.cols; i++)
        sum[i] += weight * kept[i];
    return VOLT_OK;
}

volt_status volt_class_blend(volt_class_search *search, const int64_t *draws, int64_t count)
{
    volt_matrix K = search->bench.K;
    double *sum = volt_alloc_zero(K.rows * K.cols, sizeof *sum);
    volt_status status = sum ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t b = 0; b < count && status == VOLT_OK; b++)
        status = add_matrix(search, draws[b], 1 / (double)count, sum);
    if (status == VOLT_OK)
        memcpy(K.data, sum, (size_t)(K.rows * K.cols) * sizeof *sum);
    volt_free(sum);
    return status;
}

/* ---- the best of each kind ------------------------------------------------------------------------ */

/* Whether both use the same kernel and the same comparison of series. */
static bool is_one_kind(const volt_class_search *search, const volt_class_trial *a, const volt_class_trial *b)
{
    size_t length = strcspn(a->kernel, ":");
    return length == strcspn(b->kernel, ":") && strncmp(a->kernel, b->kernel, length) == 0 &&
           search->objects[a->preparation]->options.compare == search->objects[b->preparation]->options.compare;
}

/* The best trial of each kind, in descending order. */
typedef struct best_list {
    volt_class_trial trials[VOLT_MAX_BLEND];
    int64_t count;
} best_list;

/* Inserts a trial, replacing a worse one of its kind. */
static void keep(const volt_class_search *search, const volt_class_trial *trial, best_list *best)
{
    int64_t at = best->count;
    for (int64_t b = 0; b < best->count; b++)
        if (is_one_kind(search, trial, &best->trials[b]))
            at = b;
    if (at < best->count && !volt_class_is_better(&trial->score, &best->trials[at].score))
        return;
    if (at == VOLT_MAX_BLEND) { /* the list is full: drop the last */
        at--;
        if (!volt_class_is_better(&trial->score, &best->trials[at].score))
            return;
    } else if (at == best->count) {
        best->count++;
    }
    for (; at > 0 && volt_class_is_better(&trial->score, &best->trials[at - 1].score); at--)
        best->trials[at] = best->trials[at - 1];
    best->trials[at] = *trial;
}

/* Whether a list may choose the draw: it was tried on all series and, in a race without a fold, selected by
 * the ranks of that list. */
static bool is_eligible(const volt_class_search *search, int64_t list, int64_t draw)
{
    const volt_class_record *record = &search->full[draw];
    int64_t lists = search->setting.folds + 1;
    if (!volt_class_has_scores(record) || record->scores[list].right < 0)
        return false;
    return list == 0 || !search->rank || search->rank[draw * lists + list] < search->depth;
}

static volt_status find_best(const volt_class_search *search, int64_t list, best_list *best)
{
    best->count = 0;
    for (int64_t draw = 0; draw < search->draws; draw++) {
        volt_class_trial trial;
        if (!is_eligible(search, list, draw))
            continue;
        VOLT_TRY(volt_class_trial_of(search, draw, &trial));
        trial.score = search->full[draw].scores[list];
        keep(search, &trial, best);
    }
    return VOLT_OK;
}

/* ---- the choice ----------------------------------------------------------------------------------- */

static volt_status choose_of(volt_class_search *search, int64_t list, const best_list *best,
                             volt_class_choice *choice)
{
    int64_t most = search->options->blend < best->count ? search->options->blend : best->count;
    *choice = (volt_class_choice){.parts = 1, .score = best->trials[0].score};
    for (int64_t b = 0; b < best->count; b++)
        choice->draws[b] = best->trials[b].draw;
    for (int64_t count = 2; count <= most; count++) {
        volt_class_score scores[VOLT_MAX_LISTS];
        VOLT_TRY(volt_class_blend(search, choice->draws, count));
        volt_status status = volt_class_profile(&search->bench, search->options->alpha, list, list, scores);
        if (status == VOLT_OK && volt_class_is_better(&scores[list], &choice->score)) {
            choice->parts = count;
            choice->score = scores[list];
        }
    }
    return VOLT_OK;
}

/* The mean of all given kernels: only alpha is chosen. */
static volt_status profile_given(volt_class_search *search, int64_t list, volt_class_choice *choice)
{
    *choice = (volt_class_choice){.parts = search->options->n_parts};
    for (int64_t b = 0; b < choice->parts; b++)
        choice->draws[b] = b;
    VOLT_TRY(volt_class_blend(search, choice->draws, choice->parts));
    volt_class_score scores[VOLT_MAX_LISTS];
    VOLT_TRY(volt_class_profile(&search->bench, search->options->alpha, list, list, scores));
    choice->score = scores[list];
    return VOLT_OK;
}

volt_status volt_class_choose(volt_class_search *search, int64_t list, volt_class_choice *choice)
{
    if (search->options->n_parts > 0)
        return profile_given(search, list, choice);
    best_list *best = volt_alloc_zero(1, sizeof *best);
    volt_status status = best ? find_best(search, list, best) : VOLT_ERR_MEMORY;
    *choice = (volt_class_choice){.score.right = -1};
    if (status == VOLT_OK && best->count > 0)
        status = choose_of(search, list, best, choice);
    volt_free(best);
    return status;
}

volt_status volt_class_nested(volt_class_search *search, double *accuracy)
{
    int64_t right = 0;
    *accuracy = NAN;
    if (search->setting.folds == 0 || (search->rank && search->depth == 0))
        return VOLT_OK;
    for (int64_t list = 1; list <= search->setting.folds; list++) {
        volt_class_choice choice;
        VOLT_TRY(volt_class_choose(search, list, &choice));
        if (choice.score.right < 0)
            return VOLT_OK;
        right += choice.score.held;
    }
    *accuracy = (double)right / (double)search->setting.classes.n;
    return VOLT_OK;
}
