/* src/predict/live/live_copy.c: copies of live objects. */
#include "base/error.h"
#include "base/memory.h"
#include "predict/live/live_internal.h"

#include <string.h>

static double *copy_doubles(const double *from, int64_t count)
{
    double *to = volt_alloc_doubles(1, count);
    if (to)
        memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

static volt_status copy_factors(const volt_live *source, volt_live *live)
{
    int64_t n = source->n, length = n * (n + 1) / 2;
    double *packed = volt_alloc_doubles(1, length);
    volt_status status = packed ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t g = 0; status == VOLT_OK && g < source->n_groups; g++) {
        const volt_online_factor *factor = source->groups[g].factor;
        volt_online_get(factor, packed);
        status =
            volt_online_set(live->groups[g].factor, n, packed, factor->W + factor->start * (factor->q + 1));
    }
    volt_free(packed);
    return status;
}

static volt_status copy_late(const volt_live *source, volt_live *live)
{
    for (int64_t i = 0; i < source->n_late; i++) {
        const volt_late_row *from = &source->late[i];
        volt_late_row *to = &live->late[i];
        if (from->number < 0)
            continue;
        int64_t length = from->number - from->first + 1;
        VOLT_TRY(volt_grow((void **)&to->k, &to->capacity, length, sizeof *to->k));
        memcpy(to->k, from->k, (size_t)length * sizeof *to->k);
        memcpy(to->x, from->x, (size_t)source->model->recipe.inputs * sizeof *to->x);
        to->number = from->number;
        to->first = from->first;
    }
    return VOLT_OK;
}

static volt_status copy_history(const volt_feedback_rows *source, int64_t numbers, volt_feedback_rows *history)
{
    history->complete = source->complete;
    if (!source->complete)
        return VOLT_OK;
    VOLT_TRY(volt_grow((void **)&history->rows, &history->capacity, numbers, sizeof *history->rows));
    VOLT_TRY(
        volt_grow((void **)&history->starts, &history->starts_size, source->n_starts, sizeof *history->starts));
    if (numbers > 0)
        memcpy(history->rows, source->rows, (size_t)numbers * sizeof *history->rows);
    if (source->n_starts > 0)
        memcpy(history->starts, source->starts, (size_t)source->n_starts * sizeof *history->starts);
    history->n_starts = source->n_starts;
    return VOLT_OK;
}

/* The window, its columns and the pending rows. */
static volt_status copy_window(const volt_live *source, volt_live *live)
{
    const volt_live_means *means = &source->means;
    VOLT_TRY(volt_live_reserve(live, source->n + 1));
    VOLT_TRY(copy_factors(source, live));
    if (means->n > 0 && source->n > 0)
        memcpy(live->means.Y, means->Y, (size_t)(source->n * means->n) * sizeof *means->Y);
    memcpy(live->numbers, source->numbers, (size_t)source->n * sizeof *live->numbers);
    live->n = source->n;
    volt_moving_free(live->moving);
    live->moving = NULL;
    VOLT_TRY(volt_moving_copy(source->moving, &live->moving));
    VOLT_TRY(copy_late(source, live));
    VOLT_TRY(copy_history(&source->history, source->pushed * (source->model->recipe.inputs + source->model->q),
                          &live->history));
    live->pending = source->pending;
    if (!source->pending)
        return VOLT_OK;
    int64_t columns = volt_moving_next(source->moving) - volt_moving_begin(source->moving);
    VOLT_TRY(volt_grow((void **)&live->k, &live->k_size, columns, sizeof *live->k));
    memcpy(live->k, source->k, (size_t)columns * sizeof *live->k);
    volt_window_solve(live);
    return VOLT_OK;
}

static volt_status copy_intervals(const volt_live *source, volt_live *live)
{
    const volt_interval *interval = source->interval;
    if (!interval)
        return VOLT_OK;
    VOLT_TRY(volt_interval_copy(interval, &live->interval));
    live->half = copy_doubles(source->half, interval->count * interval->q);
    return live->half ? VOLT_OK : VOLT_ERR_MEMORY;
}

volt_status volt_live_copy(const volt_live *source, volt_live **live)
{
    VOLT_REQUIRE(source && live, VOLT_ERR_ARGUMENT, "the live object or the output for its copy is NULL");
    const volt_model *model = source->model;
    const volt_live_options options = {.beyond = source->policy,
                                       .window = source->window,
                                       .forget = source->forget,
                                       .forget_what = source->forget_what};
    volt_live *fresh = NULL;
    if (source->learns)
        VOLT_TRY(volt_live_begin(model, &options, &fresh));
    else if (source->members)
        VOLT_TRY(volt_live_open_sum(model, VOLT_START_RESET, source->policy, source, &fresh));
    else
        VOLT_TRY(volt_live_open_at(model, source->policy, source->kernel_state, &source->recent, &fresh));
    fresh->free_run = source->free_run;
    fresh->pushed = source->pushed;
    fresh->learned = source->learned;
    fresh->beyond = source->beyond;
    fresh->diverged = source->diverged;
    fresh->n_predictions = source->n_predictions;
    memcpy(fresh->predictions, source->predictions, (size_t)((model->ahead + 1) * model->q) * sizeof(double));
    if (source->pushed > 0) {
        memcpy(fresh->last, source->last, (size_t)model->recipe.inputs * sizeof(double));
        memcpy(fresh->y, source->y, (size_t)model->q * sizeof(double));
    }
    if (source->learns)
        volt_recent_copy(&model->recipe, &source->recent, &fresh->recent);
    volt_status status = source->learns ? copy_window(source, fresh) : VOLT_OK;
    if (status == VOLT_OK)
        status = copy_intervals(source, fresh);
    if (status == VOLT_OK && source->detector)
        status = volt_detector_copy(source->detector, model, &fresh->detector);
    if (status == VOLT_OK)
        *live = fresh;
    else
        volt_live_free(fresh);
    return status;
}
