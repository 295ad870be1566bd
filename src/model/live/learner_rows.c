/* src/model/live/learner_rows.c: a row in, its forecast out, its target learned, the oldest row dropped.
 *
 * The kernel of a row against the window is computed once, when it is pushed, and l = L^{-1} k with it: the forecast, the
 * pivot and the row of the factor all follow from that (solve/exact/online_factor.h). */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/engine/engine.h"
#include "model/live/learner_internal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- the kernel that fades -------------------------------------------------------------------- */

/* The part of an entry that stays as it is, whatever the age of its rows. */
static double steady_part(const volt_learner *learner)
{
    bool fades = learner->forget < 1 && learner->forget_what == VOLT_FORGET_ALL;
    return fades ? 0 : learner->model->resolved.common;
}

double volt_learner_common(const volt_learner *learner)
{
    return learner->model->intercept ? steady_part(learner) : 0;
}

/* phi^{|i-j|/2} (k - steady) + steady - `less`, without the digits that steady would cost where the two are the same. */
static double faded_less(const volt_learner *learner, double k, int64_t apart, double less)
{
    double steady = steady_part(learner);
    if (learner->forget == 1)
        return k - less;
    return (k - steady) * exp(0.5 * (double)apart * log(learner->forget)) + (steady - less);
}

double volt_learner_faded(const volt_learner *learner, double k, int64_t apart)
{
    return faded_less(learner, k, apart, 0);
}

double volt_learner_factored(const volt_learner *learner, double k, int64_t apart)
{
    return faded_less(learner, k, apart, volt_learner_common(learner));
}

/* ---- memory ----------------------------------------------------------------------------------- */

static volt_status room_for(double **numbers, int64_t *room, int64_t needed)
{
    return volt_grow((void **)numbers, room, needed, sizeof(double));
}

volt_status volt_learner_reserve(volt_learner *learner, int64_t rows)
{
    VOLT_TRY(volt_grow((void **)&learner->numbers, &learner->capacity, rows, sizeof *learner->numbers));
    VOLT_TRY(room_for(&learner->seen, &learner->seen_room, rows));
    VOLT_TRY(volt_means_reserve(&learner->means, rows));
    for (int64_t g = 0; g < learner->n_groups; g++)
        VOLT_TRY(volt_online_reserve(learner->groups[g].factor, rows));
    return VOLT_OK;
}

static int64_t history_width(const volt_learner *learner)
{
    return learner->model->recipe.inputs + learner->model->q;
}

/* Numbers of row `number` in the history; NULL: it has none. */
static double *history_row(const volt_learner *learner, int64_t number)
{
    int64_t row = number - learner->model->n;
    return learner->history.complete && row >= 0 ? learner->history.rows + row * history_width(learner) : NULL;
}

/* What is known of the row: its target or its forecast. */
static void record_output(volt_learner *learner, int64_t number, const double *y)
{
    double *row = history_row(learner, number);
    if (row)
        memcpy(row + learner->model->recipe.inputs, y, (size_t)learner->model->q * sizeof *row);
}

/* Everything that a row needs, whether it is learned or not. */
static volt_status prepare(volt_learner *learner)
{
    int64_t columns = volt_moving_next(learner->moving) - volt_moving_begin(learner->moving);
    VOLT_TRY(room_for(&learner->fresh, &learner->fresh_room, columns + 1));
    VOLT_TRY(room_for(&learner->seen, &learner->seen_room, learner->n + 1));
    if (learner->history.complete)
        VOLT_TRY(room_for(&learner->history.rows, &learner->history.room,
                          (learner->pushed + 1) * history_width(learner)));
    return volt_moving_prepare(learner->moving, learner->z, true, true);
}

/* The row in learner->z past the columns, and into them. On failure nothing changes. */
static volt_status take_row(volt_learner *learner)
{
    volt_blas_use use = {0};
    bool multiplies = learner->model->columns->engine != &volt_engine_scan;
    if (multiplies)
        VOLT_TRY(volt_blas_claim(&use));
    volt_status status = prepare(learner);
    if (status == VOLT_OK)
        volt_moving_push(learner->moving, learner->z, true, learner->fresh);
    if (multiplies)
        volt_blas_release(&use);
    return status;
}

/* ---- forecast --------------------------------------------------------------------------------- */

/* The factors, solved for a row. */
static void solve_row(volt_learner *learner, const volt_late_row *row)
{
    double self = volt_learner_factored(learner, row->k[row->number - row->first], 0);
    for (int64_t i = 0; i < learner->n; i++) {
        int64_t before = learner->numbers[i];
        learner->seen[i] = volt_learner_factored(learner, row->k[before - row->first], row->number - before);
    }
    for (int64_t g = 0; g < learner->n_groups; g++)
        volt_online_solve(learner->groups[g].factor, learner->seen, self);
}

void volt_learner_solve(volt_learner *learner)
{
    const volt_late_row newest = volt_learner_newest(learner);
    solve_row(learner, &newest);
    learner->solved = true;
    volt_means_forecast(&learner->means, learner->n, learner->y);
    for (int64_t g = 0; g < learner->n_groups; g++) {
        const volt_learner_group *group = &learner->groups[g];
        volt_online_forecast(group->factor, group->constant, group->y);
        for (int64_t i = 0; i < group->n; i++)
            learner->y[group->outputs[i]] = learner->model->shares[group->outputs[i]] * group->y[i];
    }
}

/* The row that take_row has taken becomes the last. */
static void become_last(volt_learner *learner, const double *x)
{
    double *k = learner->fresh;
    int64_t room = learner->fresh_room;
    volt_late_keep(learner);
    learner->fresh = learner->k;
    learner->fresh_room = learner->k_room;
    learner->k = k;
    learner->k_room = room;
    memcpy(learner->last, x, (size_t)learner->model->recipe.inputs * sizeof *x);
    double *row = history_row(learner, volt_moving_next(learner->moving) - 1);
    if (row)
        memcpy(row, x, (size_t)learner->model->recipe.inputs * sizeof *row);
    learner->pushed++;
    learner->pending = true;
}

/* The row x, of which volt_model_take_input has made learner->z. */
static volt_status push_taken(volt_learner *learner, const double *x, double *y)
{
    const volt_model *model = learner->model;
    volt_status status = take_row(learner);
    if (status != VOLT_OK) {
        volt_recent_unfilter(&model->recipe, &learner->recent);
        return status;
    }
    volt_recent_push(&model->recipe, &learner->recent, x);
    become_last(learner, x);
    volt_learner_solve(learner);
    for (int64_t k = 0; k < model->q; k++)
        learner->forecast[k] = DBL_MAX;
    record_output(learner, volt_moving_next(learner->moving) - 1, learner->forecast);
    volt_learner_widen(learner);
    VOLT_TRY(volt_model_unscale_output(model, learner->pushed - 1, x, learner->y));
    volt_recent_feed(&model->recipe, &learner->recent, learner->y); /* until the target is known */
    memcpy(learner->forecast, learner->y, (size_t)model->q * sizeof *learner->forecast);
    record_output(learner, volt_moving_next(learner->moving) - 1, learner->y);
    if (y)
        memcpy(y, learner->y, (size_t)model->q * sizeof *y);
    return VOLT_OK;
}

/* The input as the kernel sees it, in learner->z. */
static volt_status take_input(volt_learner *learner, const double *x, int64_t *beyond)
{
    *beyond = learner->beyond;
    return volt_model_take_input(learner->model, &learner->recent, x, learner->policy, learner->pushed,
                                 learner->z, beyond);
}

volt_status volt_learner_do_push(volt_learner *learner, const double *x, double *y)
{
    int64_t beyond = 0, pushed = learner->pushed;
    VOLT_TRY(take_input(learner, x, &beyond));
    volt_status status = push_taken(learner, x, y);
    if (learner->pushed > pushed)
        learner->beyond = beyond;
    return status;
}

/* ---- learn ------------------------------------------------------------------------------------ */

static volt_status check_target(const volt_learner *learner, const double *x, const double *y)
{
    const volt_model *model = learner->model;
    for (int64_t k = 0; k < model->q; k++) {
        double from = model->anchors[k] >= 0 ? x[model->anchors[k]] : model->target_mean[k];
        VOLT_REQUIRE(isfinite(y[k]) && isfinite((y[k] - from) / model->target_scale[k]), VOLT_ERR_NOT_FINITE,
                     "target %" PRId64 " is not finite or too large: %.6g", k + 1, y[k]);
        VOLT_REQUIRE(model->recipe.fed.n == 0 || isfinite(volt_fed_column(&model->recipe.fed, k, y[k])),
                     VOLT_ERR_NOT_FINITE, "target %" PRId64 " is too large to come back: %.6g", k + 1, y[k]);
    }
    return VOLT_OK;
}

static double scaled_target(const volt_model *model, int64_t k, const double *x, const double *y)
{
    double from = model->anchors[k] >= 0 ? x[model->anchors[k]] : model->target_mean[k];
    return (y[k] - from) / model->target_scale[k];
}

/* The targets y of the row x as the readout learns them, to their groups, and to the next row of the means. */
static void scale_target(const volt_learner *learner, const double *x, const double *y)
{
    const volt_model *model = learner->model;
    const volt_learner_means *means = &learner->means;
    for (int64_t i = 0; i < means->n; i++)
        means->Y[learner->n * means->n + i] = scaled_target(model, means->outputs[i], x, y);
    for (int64_t g = 0; g < learner->n_groups; g++) {
        const volt_learner_group *group = &learner->groups[g];
        for (int64_t i = 0; i < group->n; i++)
            group->y[i] = scaled_target(model, group->outputs[i], x, y);
    }
}

/* Columns before the window are of no more use than the past makes of them. */
static void release_columns(volt_learner *learner)
{
    int64_t begin = volt_moving_begin(learner->moving), next = volt_moving_next(learner->moving);
    int64_t wanted = learner->n > 0 ? learner->numbers[0] : volt_late_oldest(learner, next - learner->pending);
    volt_moving_release(learner->moving, wanted);
    int64_t gone = volt_moving_begin(learner->moving) - begin;
    if (learner->pending && gone > 0) /* k goes with the columns */
        memmove(learner->k, learner->k + gone, (size_t)(next - begin - gone) * sizeof *learner->k);
}

static void drop_rows(volt_learner *learner, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t g = 0; g < learner->n_groups; g++)
            volt_online_drop(learner->groups[g].factor);
    learner->n -= count;
    memmove(learner->numbers, learner->numbers + count, (size_t)learner->n * sizeof *learner->numbers);
    volt_learner_means *means = &learner->means;
    if (means->n > 0)
        memmove(means->Y, means->Y + count * means->n, (size_t)(learner->n * means->n) * sizeof *means->Y);
}

/* Into the window, for which the factors are solved. On failure the window is as it was. */
static volt_status append_row(volt_learner *learner, const volt_late_row *row, const double *y)
{
    for (int64_t g = 0; g < learner->n_groups; g++)
        VOLT_TRY(volt_online_check(learner->groups[g].factor));
    scale_target(learner, row->x, y);
    for (int64_t g = 0; g < learner->n_groups; g++)
        volt_online_append(learner->groups[g].factor, learner->groups[g].y);
    volt_learner_observe(learner, row->forecast, y);
    record_output(learner, row->number, y);
    learner->numbers[learner->n++] = row->number;
    learner->learned++;
    learner->solved = false;
    volt_late_clear(learner, row->number + 1); /* rows are learned in their order */
    if (learner->window > 0 && learner->n > learner->window)
        drop_rows(learner, learner->n - learner->window);
    return VOLT_OK;
}

volt_status volt_learner_do_learn(volt_learner *learner, const double *y)
{
    VOLT_REQUIRE(learner->pending, VOLT_ERR_ARGUMENT,
                 "there is no row to learn a target of: push one first; a row is learned once");
    VOLT_TRY(check_target(learner, learner->last, y));
    VOLT_TRY(volt_learner_reserve(learner, learner->n + 1));
    if (!learner->solved)
        volt_learner_solve(learner);
    const volt_late_row newest = volt_learner_newest(learner);
    VOLT_TRY(append_row(learner, &newest, y));
    learner->pending = false;
    volt_recent_feed(&learner->model->recipe, &learner->recent, y);
    release_columns(learner);
    return VOLT_OK;
}

volt_status volt_learner_do_learn_late(volt_learner *learner, const double *y, bool *learned)
{
    int64_t ahead = learner->model->ahead;
    volt_late_row *row = volt_late_find(learner, volt_moving_next(learner->moving) - ahead);
    *learned = false;
    if (ahead == 1 && learner->pending) { /* the last row itself */
        VOLT_TRY(volt_learner_do_learn(learner, y));
    } else if (row) {
        VOLT_TRY(check_target(learner, row->x, y));
        VOLT_TRY(volt_learner_reserve(learner, learner->n + 1));
        learner->solved = false;
        solve_row(learner, row);
        VOLT_TRY(append_row(learner, row, y));
        release_columns(learner);
    } else {
        return VOLT_OK;
    }
    *learned = true;
    return VOLT_OK;
}

volt_status volt_learner_do_advance(volt_learner *learner, const double *x, const double *y, double *forecast,
                                    bool *learned, bool *pushed)
{
    int64_t beyond = 0, before = learner->pushed;
    *learned = *pushed = false;
    VOLT_TRY(take_input(learner, x, &beyond));
    volt_status status = volt_learner_do_learn_late(learner, y, learned);
    if (status != VOLT_OK && status != VOLT_ERR_SINGULAR) {
        volt_recent_unfilter(&learner->model->recipe, &learner->recent);
        return status;
    }
    volt_status forecasts = push_taken(learner, x, forecast);
    *pushed = learner->pushed > before;
    if (*pushed)
        learner->beyond = beyond;
    return forecasts != VOLT_OK ? forecasts : status;
}

volt_status volt_learner_do_drop(volt_learner *learner, int64_t count)
{
    VOLT_REQUIRE(count >= 0 && count <= learner->n, VOLT_ERR_ARGUMENT,
                 "%" PRId64 " rows are to be dropped, and the window has %" PRId64, count, learner->n);
    drop_rows(learner, count);
    release_columns(learner);
    if (learner->pending)
        volt_learner_solve(learner);
    return VOLT_OK;
}

volt_status volt_learner_do_restart(volt_learner *learner)
{
    volt_pushed_rows *history = &learner->history;
    VOLT_TRY(volt_grow((void **)&history->starts, &history->starts_room, history->n_starts + 1,
                       sizeof *history->starts));
    VOLT_TRY(volt_moving_restart(learner->moving));
    int64_t next = volt_moving_next(learner->moving);
    if (history->complete && (history->n_starts == 0 || history->starts[history->n_starts - 1] != next))
        history->starts[history->n_starts++] = next;
    volt_recent_restart(&learner->recent);
    volt_late_clear(learner, volt_moving_next(learner->moving));
    learner->pending = false;
    return VOLT_OK;
}

/* ---- with the journal ------------------------------------------------------------------------- */

volt_status volt_learner_push(volt_learner *learner, const double *x, double *y)
{
    VOLT_REQUIRE(learner && x && y, VOLT_ERR_ARGUMENT, "the learner, the input or the output is NULL");
    VOLT_TRY(volt_journal_check(learner));
    int64_t pushed = learner->pushed;
    volt_status status = volt_learner_do_push(learner, x, y);
    if (learner->pushed > pushed)
        VOLT_TRY(volt_journal_write(learner, 'p', x, learner->model->recipe.inputs, NULL, 0));
    return status;
}

volt_status volt_learner_learn(volt_learner *learner, const double *y)
{
    VOLT_REQUIRE(learner && y, VOLT_ERR_ARGUMENT, "the learner or the target is NULL");
    VOLT_TRY(volt_journal_check(learner));
    VOLT_TRY(volt_learner_do_learn(learner, y));
    return volt_journal_write(learner, 'l', y, learner->model->q, NULL, 0);
}

volt_status volt_learner_update(volt_learner *learner, const double *x, const double *y, double *forecast)
{
    VOLT_REQUIRE(learner && x && y, VOLT_ERR_ARGUMENT, "the learner, the input or the target is NULL");
    const volt_model *model = learner->model;
    VOLT_TRY(volt_journal_check(learner));
    VOLT_TRY(check_target(learner, x, y));
    int64_t pushed = learner->pushed;
    volt_status status = volt_learner_do_push(learner, x, forecast);
    if (learner->pushed == pushed)
        return status;
    volt_status learned = volt_learner_do_learn(learner, y);
    if (learned == VOLT_OK)
        VOLT_TRY(volt_journal_write(learner, 'u', x, model->recipe.inputs, y, model->q));
    else
        VOLT_TRY(volt_journal_write(learner, 'p', x, model->recipe.inputs, NULL, 0));
    return learned != VOLT_OK ? learned : status;
}

/* Are all targets known? */
static bool all_known(const volt_learner *learner, const double *y)
{
    for (int64_t k = 0; k < learner->model->q; k++)
        if (isnan(y[k]))
            return false;
    return true;
}

volt_status volt_learner_advance(volt_learner *learner, const double *x, const double *y, double *forecast)
{
    VOLT_REQUIRE(learner && x && y, VOLT_ERR_ARGUMENT, "the learner, the input or the target is NULL");
    const volt_model *model = learner->model;
    bool known = all_known(learner, y), learned = false, pushed = false;
    if (known && model->ahead == 0)
        return volt_learner_update(learner, x, y, forecast);
    VOLT_TRY(volt_journal_check(learner));
    volt_status status = VOLT_OK;
    if (known) {
        status = volt_learner_do_advance(learner, x, y, forecast, &learned, &pushed);
    } else {
        int64_t before = learner->pushed;
        status = volt_learner_do_push(learner, x, forecast);
        pushed = learner->pushed > before;
    }
    if (learned && pushed)
        VOLT_TRY(volt_journal_write(learner, 'a', x, model->recipe.inputs, y, model->q));
    else if (pushed)
        VOLT_TRY(volt_journal_write(learner, 'p', x, model->recipe.inputs, NULL, 0));
    else if (learned)
        VOLT_TRY(volt_journal_write(learner, 'w', y, model->q, NULL, 0));
    return status;
}

volt_status volt_learner_drop(volt_learner *learner, int64_t count)
{
    VOLT_REQUIRE(learner, VOLT_ERR_ARGUMENT, "the learner is NULL");
    VOLT_TRY(volt_journal_check(learner));
    VOLT_TRY(volt_learner_do_drop(learner, count));
    return volt_journal_write(learner, 'd', &(double){(double)count}, 1, NULL, 0);
}

volt_status volt_learner_restart(volt_learner *learner)
{
    VOLT_REQUIRE(learner, VOLT_ERR_ARGUMENT, "the learner is NULL");
    VOLT_TRY(volt_journal_check(learner));
    VOLT_TRY(volt_learner_do_restart(learner));
    return volt_journal_write(learner, 'r', NULL, 0, NULL, 0);
}
