/* src/predict/live/live_late.c: rows whose targets become known `ahead` rows later.
 *
 * Learning a row requires its kernel against the columns that existed when it was fed, which include all
 * earlier rows of the window. The kernel of the last row is live->k. It moves to the ring when the next row
 * is fed. */
#include "base/memory.h"
#include "predict/live/live_internal.h"

#include <string.h>

volt_status volt_late_create(volt_live *live)
{
    const volt_model *model = live->model;
    int64_t count = model->ahead > 1 ? model->ahead - 1 : 0;
    live->late = volt_alloc_zero(count, sizeof *live->late);
    if (!live->late)
        return VOLT_ERR_MEMORY;
    live->n_late = count;
    for (int64_t i = 0; i < count; i++) {
        volt_late_row *row = &live->late[i];
        row->number = -1;
        row->x = volt_alloc_doubles(1, model->recipe.inputs);
        if (!row->x)
            return VOLT_ERR_MEMORY;
    }
    return VOLT_OK;
}

void volt_late_free(volt_live *live)
{
    for (int64_t i = 0; i < live->n_late; i++) {
        volt_free(live->late[i].k);
        volt_free(live->late[i].x);
    }
    volt_free(live->late);
}

volt_late_row volt_late_newest(const volt_live *live)
{
    return (volt_late_row){.number = volt_moving_next(live->moving) - 1,
                           .first = volt_moving_begin(live->moving),
                           .k = live->k,
                           .capacity = live->k_size,
                           .x = live->last};
}

void volt_late_keep(volt_live *live)
{
    if (!live->pending || live->n_late == 0)
        return;
    volt_late_row newest = volt_late_newest(live);
    newest.number--; /* the next one is already a column */
    volt_late_row *row = &live->late[newest.number % live->n_late];
    live->k = row->k;
    live->k_size = row->capacity;
    memcpy(row->x, newest.x, (size_t)live->model->recipe.inputs * sizeof *row->x);
    row->number = newest.number;
    row->first = newest.first;
    row->k = newest.k;
    row->capacity = newest.capacity;
}

volt_late_row *volt_late_find(const volt_live *live, int64_t number)
{
    if (live->n_late == 0 || number < 0)
        return NULL;
    volt_late_row *row = &live->late[number % live->n_late];
    return row->number == number ? row : NULL;
}

int64_t volt_late_oldest(const volt_live *live, int64_t otherwise)
{
    for (int64_t i = 0; i < live->n_late; i++)
        if (live->late[i].number >= 0 && live->late[i].number < otherwise)
            otherwise = live->late[i].number;
    return otherwise;
}

void volt_late_clear(volt_live *live, int64_t before)
{
    for (int64_t i = 0; i < live->n_late; i++)
        if (live->late[i].number < before)
            live->late[i].number = -1;
}
