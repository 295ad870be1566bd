/* src/model/live/learner_late.c: rows of a learner that wait for their targets, which become known `ahead` rows later.
 *
 * What a row needs to be learned is its kernel against the columns that were there when it was pushed: all rows that can be in
 * the window before it are among them. The last row keeps its own in the learner; as another comes it moves into the ring. */
#include "base/memory.h"
#include "model/live/learner_internal.h"

#include <string.h>

volt_status volt_late_create(volt_learner *learner)
{
    const volt_model *model = learner->model;
    int64_t count = model->ahead > 1 ? model->ahead - 1 : 0;
    learner->late = volt_alloc_zero(count, sizeof *learner->late);
    if (!learner->late)
        return VOLT_ERR_MEMORY;
    learner->n_late = count;
    for (int64_t i = 0; i < count; i++) {
        volt_late_row *row = &learner->late[i];
        row->number = -1;
        row->x = volt_alloc_doubles(1, model->recipe.inputs);
        row->forecast = volt_alloc_doubles(1, model->q);
        if (!row->x || !row->forecast)
            return VOLT_ERR_MEMORY;
    }
    return VOLT_OK;
}

void volt_late_free(volt_learner *learner)
{
    for (int64_t i = 0; i < learner->n_late; i++) {
        volt_free(learner->late[i].k);
        volt_free(learner->late[i].x);
        volt_free(learner->late[i].forecast);
    }
    volt_free(learner->late);
}

volt_late_row volt_learner_newest(const volt_learner *learner)
{
    return (volt_late_row){.number = volt_moving_next(learner->moving) - 1,
                           .first = volt_moving_begin(learner->moving),
                           .k = learner->k,
                           .room = learner->k_room,
                           .x = learner->last,
                           .forecast = learner->forecast};
}

void volt_late_keep(volt_learner *learner)
{
    if (!learner->pending || learner->n_late == 0)
        return;
    volt_late_row newest = volt_learner_newest(learner);
    newest.number--; /* the next one is a column already */
    volt_late_row *row = &learner->late[newest.number % learner->n_late];
    learner->k = row->k;
    learner->k_room = row->room;
    memcpy(row->x, newest.x, (size_t)learner->model->recipe.inputs * sizeof *row->x);
    memcpy(row->forecast, newest.forecast, (size_t)learner->model->q * sizeof *row->forecast);
    row->number = newest.number;
    row->first = newest.first;
    row->k = newest.k;
    row->room = newest.room;
}

volt_late_row *volt_late_find(const volt_learner *learner, int64_t number)
{
    if (learner->n_late == 0 || number < 0)
        return NULL;
    volt_late_row *row = &learner->late[number % learner->n_late];
    return row->number == number ? row : NULL;
}

int64_t volt_late_oldest(const volt_learner *learner, int64_t otherwise)
{
    for (int64_t i = 0; i < learner->n_late; i++)
        if (learner->late[i].number >= 0 && learner->late[i].number < otherwise)
            otherwise = learner->late[i].number;
    return otherwise;
}

void volt_late_clear(volt_learner *learner, int64_t before)
{
    for (int64_t i = 0; i < learner->n_late; i++)
        if (learner->late[i].number < before)
            learner->late[i].number = -1;
}
