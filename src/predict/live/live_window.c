/* src/predict/live/live_window.c: the window of a live object that learns, and its factors.
 *
 * The kernel of a row against the window is computed once, when the row is fed, together with l = L^{-1} k.
 * The prediction, the pivot and the new row of the factor follow from it (solve/exact/online_factor.h). */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "gram/engine/engine.h"
#include "predict/live/live_internal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- kernel with forgetting ----------------------------------------------------------------------- */

/* The part of a kernel entry that does not decay with age. */
static double steady_part(const volt_live *live)
{
    bool fades = live->forget < 1 && live->forget_what == VOLT_FORGET_ALL;
    return fades ? 0 : live->model->resolved.common;
}

double volt_live_common(const volt_live *live)
{
    return live->model->intercept ? steady_part(live) : 0;
}

/* phi^{|i-j|/2} (k - steady) + steady - `less`, without cancellation when steady and less are equal. */
static double faded_less(const volt_live *live, double k, int64_t apart, double less)
{
    double steady = steady_part(live);
    if (live->forget == 1)
        return k - less;
    return (k - steady) * exp(0.5 * (double)apart * log(live->forget)) + (steady - less);
}

double volt_live_decayed(const volt_live *live, double k, int64_t apart)
{
    return faded_less(live, k, apart, 0);
}

double volt_live_factored(const volt_live *live, double k, int64_t apart)
{
    return faded_less(live, k, apart, volt_live_common(live));
}

/* ---- memory ----------------------------------------------------------------------------------- */

static volt_status reserve_numbers(double **numbers, int64_t *capacity, int64_t needed)
{
    return volt_grow((void **)numbers, capacity, needed, sizeof(double));
}

volt_status volt_live_reserve(volt_live *live, int64_t rows)
{
    VOLT_TRY(volt_grow((void **)&live->numbers, &live->capacity, rows, sizeof *live->numbers));
    VOLT_TRY(reserve_numbers(&live->seen, &live->seen_size, rows));
    VOLT_TRY(volt_means_reserve(&live->means, rows));
    for (int64_t g = 0; g < live->n_groups; g++)
        VOLT_TRY(volt_online_reserve(live->groups[g].factor, rows));
    return VOLT_OK;
}

static int64_t history_width(const volt_live *live)
{
    return live->model->recipe.inputs + live->model->q;
}

/* Numbers of row `number` in the history; NULL: none. */
static double *history_row(const volt_live *live, int64_t number)
{
    int64_t row = number - live->model->n;
    return live->history.complete && row >= 0 ? live->history.rows + row * history_width(live) : NULL;
}

void volt_window_record(volt_live *live, int64_t number, const double *y)
{
    double *row = history_row(live, number);
    if (row)
        memcpy(row + live->model->recipe.inputs, y, (size_t)live->model->q * sizeof *row);
}

/* Allocates everything that a row requires, learned or not. */
static volt_status prepare(volt_live *live)
{
    int64_t columns = volt_moving_next(live->moving) - volt_moving_begin(live->moving);
    VOLT_TRY(reserve_numbers(&live->fresh, &live->fresh_size, columns + 1));
    VOLT_TRY(reserve_numbers(&live->seen, &live->seen_size, live->n + 1));
    if (live->history.complete)
        VOLT_TRY(reserve_numbers(&live->history.rows, &live->history.capacity,
                                 (live->pushed + 1) * history_width(live)));
    return volt_moving_prepare(live->moving, live->z, true, true);
}

volt_status volt_window_take(volt_live *live)
{
    volt_blas_use use = {0};
    bool multiplies = live->model->columns->engine != &volt_engine_scan;
    if (multiplies)
        VOLT_TRY(volt_blas_claim(&use));
    volt_status status = prepare(live);
    if (status == VOLT_OK)
        volt_moving_push(live->moving, live->z, true, live->fresh);
    if (multiplies)
        volt_blas_release(&use);
    return status;
}

/* ---- forecast --------------------------------------------------------------------------------- */

/* Solves the factors for a row. */
static void solve_row(volt_live *live, const volt_late_row *row)
{
    double self = volt_live_factored(live, row->k[row->number - row->first], 0);
    for (int64_t i = 0; i < live->n; i++) {
        int64_t before = live->numbers[i];
        live->seen[i] = volt_live_factored(live, row->k[before - row->first], row->number - before);
    }
    for (int64_t g = 0; g < live->n_groups; g++)
        volt_online_solve(live->groups[g].factor, live->seen, self);
}

void volt_window_solve(volt_live *live)
{
    const volt_late_row newest = volt_late_newest(live);
    solve_row(live, &newest);
    live->solved = true;
    volt_means_forecast(&live->means, live->n, live->y);
    for (int64_t g = 0; g < live->n_groups; g++) {
        const volt_live_group *group = &live->groups[g];
        volt_online_forecast(group->factor, group->constant, group->y);
        for (int64_t i = 0; i < group->n; i++)
            live->y[group->outputs[i]] = live->model->shares[group->outputs[i]] * group->y[i];
    }
}

void volt_window_commit(volt_live *live, const double *x)
{
    double *k = live->fresh;
    int64_t capacity = live->fresh_size;
    volt_late_keep(live);
    live->fresh = live->k;
    live->fresh_size = live->k_size;
    live->k = k;
    live->k_size = capacity;
    double *row = history_row(live, volt_moving_next(live->moving) - 1);
    if (row)
        memcpy(row, x, (size_t)live->model->recipe.inputs * sizeof *row);
    live->pending = true;
}

/* ---- learn ------------------------------------------------------------------------------------ */

volt_status volt_window_check_target(const volt_live *live, const double *x, const double *y)
{
    const volt_model *model = live->model;
    for (int64_t k = 0; k < model->q; k++) {
        double from = model->anchors[k] >= 0 ? x[model->anchors[k]] : model->target_mean[k];
        VOLT_REQUIRE(isfinite(y[k]) && isfinite((y[k] - from) / model->target_scale[k]), VOLT_ERR_NOT_FINITE,
                     "target %" PRId64 " is not finite or too large: %.6g", k + 1, y[k]);
        VOLT_REQUIRE(model->recipe.fed_outputs.n == 0 ||
                         isfinite(volt_feedback_column(&model->recipe.fed_outputs, k, y[k])),
                     VOLT_ERR_NOT_FINITE, "target %" PRId64 " is too large for feedback: %.6g", k + 1, y[k]);
    }
    return VOLT_OK;
}

static double scaled_target(const volt_model *model, int64_t k, const double *x, const double *y)
{
    double from = model->anchors[k] >= 0 ? x[model->anchors[k]] : model->target_mean[k];
    return (y[k] - from) / model->target_scale[k];
}

/* Scales the targets y of row x, into their groups and the next row of the means. */
static void scale_target(const volt_live *live, const double *x, const double *y)
{
    const volt_model *model = live->model;
    const volt_live_means *means = &live->means;
    for (int64_t i = 0; i < means->n; i++)
        means->Y[live->n * means->n + i] = scaled_target(model, means->outputs[i], x, y);
    for (int64_t g = 0; g < live->n_groups; g++) {
        const volt_live_group *group = &live->groups[g];
        for (int64_t i = 0; i < group->n; i++)
            group->y[i] = scaled_target(model, group->outputs[i], x, y);
    }
}

/* Releases columns before the window. */
static void release_columns(volt_live *live)
{
    int64_t begin = volt_moving_begin(live->moving), next = volt_moving_next(live->moving);
    int64_t wanted = live->n > 0 ? live->numbers[0] : volt_late_oldest(live, next - live->pending);
    volt_moving_release(live->moving, wanted);
    int64_t gone = volt_moving_begin(live->moving) - begin;
    if (live->pending && gone > 0) /* k has one entry per column */
        memmove(live->k, live->k + gone, (size_t)(next - begin - gone) * sizeof *live->k);
}

static void drop_rows(volt_live *live, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t g = 0; g < live->n_groups; g++)
            volt_online_drop(live->groups[g].factor);
    live->n -= count;
    memmove(live->numbers, live->numbers + count, (size_t)live->n * sizeof *live->numbers);
    volt_live_means *means = &live->means;
    if (means->n > 0)
        memmove(means->Y, means->Y + count * means->n, (size_t)(live->n * means->n) * sizeof *means->Y);
}

/* Adds a row to the window, for which the factors are solved. On failure the window is unchanged. */
static volt_status append_row(volt_live *live, const volt_late_row *row, const double *y)
{
    for (int64_t g = 0; g < live->n_groups; g++)
        VOLT_TRY(volt_online_check(live->groups[g].factor));
    scale_target(live, row->x, y);
    for (int64_t g = 0; g < live->n_groups; g++)
        volt_online_append(live->groups[g].factor, live->groups[g].y);
    volt_window_record(live, row->number, y);
    live->numbers[live->n++] = row->number;
    live->learned++;
    live->solved = false;
    volt_late_clear(live, row->number + 1); /* rows are learned in order */
    if (live->window > 0 && live->n > live->window)
        drop_rows(live, live->n - live->window);
    return VOLT_OK;
}

volt_status volt_window_learn(volt_live *live, int64_t back, const double *y, bool *learned)
{
    const volt_late_row newest = volt_late_newest(live);
    const volt_late_row *row = back == 0 ? &newest : volt_late_find(live, newest.number - back);
    *learned = false;
    if (back == 0 ? !live->pending : !row)
        return VOLT_OK;
    VOLT_TRY(volt_window_check_target(live, row->x, y));
    VOLT_TRY(volt_live_reserve(live, live->n + 1));
    if (back > 0) {
        live->solved = false;
        solve_row(live, row);
    } else if (!live->solved) {
        volt_window_solve(live);
    }
    VOLT_TRY(append_row(live, row, y));
    if (back == 0)
        live->pending = false;
    release_columns(live);
    *learned = true;
    return VOLT_OK;
}

void volt_window_drop(volt_live *live, int64_t count)
{
    drop_rows(live, count);
    release_columns(live);
    if (live->pending)
        volt_window_solve(live);
}

volt_status volt_window_restart(volt_live *live)
{
    volt_feedback_rows *history = &live->history;
    VOLT_TRY(volt_grow((void **)&history->starts, &history->starts_size, history->n_starts + 1,
                       sizeof *history->starts));
    VOLT_TRY(volt_moving_restart(live->moving));
    int64_t next = volt_moving_next(live->moving);
    if (history->complete && (history->n_starts == 0 || history->starts[history->n_starts - 1] != next))
        history->starts[history->n_starts++] = next;
    volt_late_clear(live, next);
    live->pending = false;
    return VOLT_OK;
}
