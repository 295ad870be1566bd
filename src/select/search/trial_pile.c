/* src/select/search/trial_pile.c: trials out of logs, put in order. */
#include "select/search/trial_pile.h"

#include "base/error.h"
#include "base/memory.h"
#include "select/search/search_internal.h"

#include <stdlib.h>

volt_status volt_trial_pile_take(volt_trial *trial, void *context)
{
    volt_trial_pile *pile = context;
    volt_status status =
        volt_grow((void **)&pile->pieces, &pile->capacity, pile->count + 1, sizeof *pile->pieces);
    if (status != VOLT_OK) {
        volt_trial_free(trial);
        return status;
    }
    pile->pieces[pile->count] = (volt_piece){.trial = trial, .order = pile->count};
    pile->count++;
    return VOLT_OK;
}

/* How much a trial says: a complete one more than a stopped one, that more than a failure. */
static int64_t rank(const volt_trial *trial)
{
    if (trial->failure)
        return -1;
    return trial->stopped ? trial->n_folds : INT64_MAX;
}

static int compare_counts(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_index_and_rank(const void *a, const void *b)
{
    const volt_piece *first = a, *second = b;
    int order = compare_counts(first->trial->index, second->trial->index);
    if (order == 0)
        order = compare_counts(rank(second->trial), rank(first->trial));
    return order ? order : compare_counts(first->order, second->order);
}

void volt_trial_pile_sort(volt_trial_pile *pile)
{
    if (pile->count > 1)
        qsort(pile->pieces, (size_t)pile->count, sizeof *pile->pieces, by_index_and_rank);
}

void volt_trial_pile_free(volt_trial_pile *pile)
{
    for (int64_t i = 0; i < pile->count; i++)
        volt_trial_free(pile->pieces[i].trial);
    volt_free(pile->pieces);
    *pile = (volt_trial_pile){0};
}
