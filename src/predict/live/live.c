/* src/predict/live/live.c: live objects: rows that are fed and learned, intervals, alarms, copies, state files, and new models of them. */
#include "backend/backend.h"

#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/clones.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/strings.h"
#include "gram/engine/engine.h"
#include "io/file/file_bytes.h"
#include "kernel/kernel_entry.h"
#include "model/file/file_fields.h"
#include "model/model_internal.h"
#include "model/recipe.h"
#include "predict/live/live_internal.h"
#include "solve/exact/operator.h"
#include "solve/solver_table.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- late targets ------------------------------------------------------------------------------- */

/* Rows whose targets become known `ahead` rows later.
 *
 * Learning a row requires its kernel against the columns that existed when it was fed, which include all
 * earlier rows of the window. The kernel of the last row is live->k. It moves to the ring when the next row
 * is fed. */

static volt_status late_create(volt_live *live)
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

static void late_free(volt_live *live)
{
    for (int64_t i = 0; i < live->n_late; i++) {
        volt_free(live->late[i].k);
        volt_free(live->late[i].x);
    }
    volt_free(live->late);
}

/* The last row as a pending row; its arrays belong to the object. */
static volt_late_row late_newest(const volt_live *live)
{
    return (volt_late_row){.number = volt_moving_next(live->moving) - 1,
                           .first = volt_moving_begin(live->moving),
                           .k = live->k,
                           .capacity = live->k_size,
                           .x = live->last};
}

/* Moves the last row, if pending, to the ring. The next row becomes the last, and live->k may be
 * overwritten. */
static void late_keep(volt_live *live)
{
    if (!live->pending || live->n_late == 0)
        return;
    volt_late_row newest = late_newest(live);
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

/* The row of this number; NULL: not pending. */
static volt_late_row *late_find(const volt_live *live, int64_t number)
{
    if (live->n_late == 0 || number < 0)
        return NULL;
    volt_late_row *row = &live->late[number % live->n_late];
    return row->number == number ? row : NULL;
}

/* The smallest pending number, or `otherwise`. */
static int64_t late_oldest(const volt_live *live, int64_t otherwise)
{
    for (int64_t i = 0; i < live->n_late; i++)
        if (live->late[i].number >= 0 && live->late[i].number < otherwise)
            otherwise = live->late[i].number;
    return otherwise;
}

/* Drops pending rows before this number. */
static void late_clear(volt_live *live, int64_t before)
{
    for (int64_t i = 0; i < live->n_late; i++)
        if (live->late[i].number < before)
            live->late[i].number = -1;
}

/* ---- means -------------------------------------------------------------------------------------- */

/* Outputs without a kernel part (alpha is INFINITY).
 *
 * Their prediction is 0 (the naive forecast of a change), or the mean of the targets in the window: the
 * limit of the readout as alpha grows. A model keeps no targets. They are recovered from the errors of the
 * training rows, where each row was predicted by the mean of the targets known before it, y_t = e_t +
 * mean(y_0, ..., y_{t-ahead}), and from the intercept, the mean of all. The first `ahead` targets have no
 * error. They are set to the common value that gives that mean; one row ahead this is exact. */

/* A level has the intercept of the options; a change may have none. */
static bool has_mean(const volt_model *model, int64_t k)
{
    return model->intercept && (model->anchors[k] < 0 || model->intercepts[k] != 0);
}

static volt_status means_create(const volt_model *model, volt_live_means *means)
{
    means->outputs = volt_alloc(model->q, sizeof *means->outputs);
    means->constant = volt_alloc(model->q, sizeof *means->constant);
    if (!means->outputs || !means->constant)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < model->q; k++)
        if (isinf(model->alphas[k])) {
            means->constant[means->n] = has_mean(model, k);
            means->outputs[means->n++] = k;
        }
    return VOLT_OK;
}

static void means_release(volt_live_means *means)
{
    volt_free(means->outputs);
    volt_free(means->constant);
    volt_free(means->Y);
    *means = (volt_live_means){0};
}

/* Allocates memory for `rows` rows of targets. */
static volt_status means_reserve(volt_live_means *means, int64_t rows)
{
    return volt_grow((void **)&means->Y, &means->capacity, rows * means->n, sizeof *means->Y);
}

/* Writes the predictions from the first `rows` targets, scaled, to their positions among the q outputs y. */
static void means_forecast(const volt_live_means *means, int64_t rows, double *y)
{
    for (int64_t i = 0; i < means->n; i++) {
        double sum = 0;
        for (int64_t t = 0; means->constant[i] && t < rows; t++)
            sum += means->Y[t * means->n + i];
        y[means->outputs[i]] = rows > 0 ? sum / (double)rows : 0;
    }
}

/* ---- the targets of training ------------------------------------------------------------------ */

/* Recovers the targets of output k from its errors, in order. The `first` ones, without errors, are v.
 * Returns their sum. */
static double unroll(const volt_model *model, const int64_t *rows, int64_t n, int64_t k, bool constant,
                     double v, double *y)
{
    const volt_error_list *near = &model->errors.lists[VOLT_ERRORS_NEAR];
    int64_t ahead = volt_max(model->ahead, 1), known = 0;
    double sum = 0, known_sum = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t t = rows[i] - model->washout;
        for (; known < i && rows[known] - model->washout <= t - ahead; known++)
            known_sum += y[known];
        bool is_known = near->scale[t * model->q + k] > 0;
        double mean = constant && known > 0 ? known_sum / (double)known : 0;
        y[i] = is_known ? near->e[t * model->q + k] + mean : v;
        sum += y[i];
    }
    return sum;
}

/* Recovers the targets of all fitted rows into y. */
static void recover(const volt_model *model, const int64_t *rows, int64_t n, int64_t k, bool constant,
                    double *y)
{
    double c = model->intercepts[k];
    if (model->errors.lists[VOLT_ERRORS_NEAR].rows != model->n - model->washout) {
        for (int64_t i = 0; i < n; i++)
            y[i] = c;
        return;
    }
    double none = unroll(model, rows, n, k, constant, 0, y);
    double slope = unroll(model, rows, n, k, constant, 1, y) - none;
    unroll(model, rows, n, k, constant, constant && slope > 0 ? ((double)n * c - none) / slope : 0, y);
}

/* The targets of the last `window` of n fitted training rows. */
static volt_status means_start(volt_live_means *means, const volt_model *model, const int64_t *rows, int64_t n,
                               int64_t window)
{
    int64_t dropped = n - window;
    double *y = volt_alloc_doubles(n, 1);
    volt_status status = y ? means_reserve(means, window + 1) : VOLT_ERR_MEMORY;
    for (int64_t i = 0; status == VOLT_OK && i < means->n; i++) {
        recover(model, rows, n, means->outputs[i], means->constant[i], y);
        for (int64_t t = 0; t < window; t++)
            means->Y[t * means->n + i] = y[dropped + t];
    }
    volt_free(y);
    return status;
}

/* ---- the window --------------------------------------------------------------------------------- */

/* The window of a live object that learns, and its factors.
 *
 * The kernel of a row against the window is computed once, when the row is fed, together with l = L^{-1} k.
 * The prediction, the pivot and the new row of the factor follow from it (solve/exact/online_factor.h). */

/* ---- kernel with forgetting ----------------------------------------------------------------------- */

/* The part of a kernel entry that does not decay with age. */
static double steady_part(const volt_live *live)
{
    bool fades = live->forget < 1 && live->forget_what == VOLT_FORGET_ALL;
    return fades ? 0 : live->model->resolved.common;
}

/* Constant subtracted from every kernel entry before factoring. With an intercept the predictions are
 * unchanged, and the matrix is better conditioned. */
static double live_common(const volt_live *live)
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
    return faded_less(live, k, apart, live_common(live));
}

/* ---- memory ----------------------------------------------------------------------------------- */

static volt_status reserve_numbers(double **numbers, int64_t *capacity, int64_t needed)
{
    return volt_grow((void **)numbers, capacity, needed, sizeof(double));
}

/* Allocates `rows` rows in the window. */
static volt_status live_reserve(volt_live *live, int64_t rows)
{
    VOLT_TRY(volt_grow((void **)&live->numbers, &live->capacity, rows, sizeof *live->numbers));
    VOLT_TRY(reserve_numbers(&live->seen, &live->seen_size, rows));
    VOLT_TRY(means_reserve(&live->means, rows));
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

/* Records the target or the prediction of a row. */
static void window_record(volt_live *live, int64_t number, const double *y)
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

/* Adds the row in live->z to the columns and computes its kernel. On failure nothing changes. */
static volt_status window_take(volt_live *live)
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

/* Predicts the pending row from the current window, scaled, into live->y. */
static void window_solve(volt_live *live)
{
    const volt_late_row newest = late_newest(live);
    solve_row(live, &newest);
    live->solved = true;
    means_forecast(&live->means, live->n, live->y);
    for (int64_t g = 0; g < live->n_groups; g++) {
        const volt_live_group *group = &live->groups[g];
        volt_online_forecast(group->factor, group->constant, group->y);
        for (int64_t i = 0; i < group->n; i++)
            live->y[group->outputs[i]] = live->model->shares[group->outputs[i]] * group->y[i];
    }
}

/* Makes the row taken by window_take the last one. live->last is still the previous one. */
static void window_commit(volt_live *live, const double *x)
{
    double *k = live->fresh;
    int64_t capacity = live->fresh_size;
    late_keep(live);
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

static volt_status window_check_target(const volt_live *live, const double *x, const double *y)
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
    int64_t wanted = live->n > 0 ? live->numbers[0] : late_oldest(live, next - live->pending);
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
    window_record(live, row->number, y);
    live->numbers[live->n++] = row->number;
    live->learned++;
    live->solved = false;
    late_clear(live, row->number + 1); /* rows are learned in order */
    if (live->window > 0 && live->n > live->window)
        drop_rows(live, live->n - live->window);
    return VOLT_OK;
}

/* Learns the target of the row fed `back` rows before the last. VOLT_OK and *learned false: the row is not
 * pending. */
static volt_status window_learn(volt_live *live, int64_t back, const double *y, bool *learned)
{
    const volt_late_row newest = late_newest(live);
    const volt_late_row *row = back == 0 ? &newest : late_find(live, newest.number - back);
    *learned = false;
    if (back == 0 ? !live->pending : !row)
        return VOLT_OK;
    VOLT_TRY(window_check_target(live, row->x, y));
    VOLT_TRY(live_reserve(live, live->n + 1));
    if (back > 0) {
        live->solved = false;
        solve_row(live, row);
    } else if (!live->solved) {
        window_solve(live);
    }
    VOLT_TRY(append_row(live, row, y));
    if (back == 0)
        live->pending = false;
    release_columns(live);
    *learned = true;
    return VOLT_OK;
}

static void window_drop(volt_live *live, int64_t count)
{
    drop_rows(live, count);
    release_columns(live);
    if (live->pending)
        window_solve(live);
}

static volt_status window_restart(volt_live *live)
{
    volt_feedback_rows *history = &live->history;
    VOLT_TRY(volt_grow((void **)&history->starts, &history->starts_size, history->n_starts + 1,
                       sizeof *history->starts));
    VOLT_TRY(volt_moving_restart(live->moving));
    int64_t next = volt_moving_next(live->moving);
    if (history->complete && (history->n_starts == 0 || history->starts[history->n_starts - 1] != next))
        history->starts[history->n_starts++] = next;
    late_clear(live, next);
    live->pending = false;
    return VOLT_OK;
}

/* ---- the start ---------------------------------------------------------------------------------- */

/* The window at the end of the training rows of a model.
 *
 * A model keeps inputs and coefficients but no targets. They follow from the readout,
 *
 *     y_i = (K A)_i + c + alpha A_i       (share = 1; half of a readout is half of that)
 *
 * The rows of K of the window are computed again, against all training rows. Their columns in the window are
 * its Gram matrix. */

typedef struct start_task {
    volt_live *live;
    const volt_model *model;
    volt_records records;
    int64_t *rows;  /* training rows of the window */
    int64_t n;      /* their number */
    double *fitted; /* n x q: K A */
    double *block;  /* max_rows x model->n of K */
    int64_t max_rows;
} start_task;

/* ---- selection of rows ---------------------------------------------------------------------------- */

/* Rows without a target were not fitted and have zero coefficients. Fitted rows have nonzero ones, unless
 * the target is constant. */
static bool has_coefficients(const volt_model *model, int64_t i)
{
    for (int64_t k = 0; k < model->q; k++)
        if (model->coefficients[i * model->q + k] != 0)
            return true;
    return false;
}

/* If no row has coefficients, rows without a target are found from the errors: they could be predicted but
 * have none. */
static bool is_missing_target(const volt_model *model, int64_t i)
{
    const volt_error_list *near = &model->errors.lists[VOLT_ERRORS_NEAR];
    int64_t t = i - model->washout;
    bool known = near->rows != model->n - model->washout || t < volt_max(model->ahead, 1);
    for (int64_t k = 0; !known && k < model->q; k++)
        known = near->scale[t * model->q + k] > 0;
    return !known;
}

/* At least one row: the washout is shorter than the model, and its first row is not a hole. */
static volt_status choose_rows(start_task *task)
{
    const volt_model *model = task->model;
    int64_t window = task->live->window, fitted = 0;
    for (int64_t i = model->washout; i < model->n; i++)
        fitted += has_coefficients(model, i);
    for (int64_t i = model->washout; i < model->n; i++)
        if (fitted == 0 ? !is_missing_target(model, i) : has_coefficients(model, i))
            task->rows[task->n++] = i;
    int64_t dropped = window > 0 ? volt_max(task->n - window, 0) : 0;
    VOLT_TRY(means_start(&task->live->means, model, task->rows, task->n, task->n - dropped));
    task->n -= dropped;
    memmove(task->rows, task->rows + dropped, (size_t)task->n * sizeof *task->rows);
    return VOLT_OK;
}

/* ---- the matrix of the window ----------------------------------------------------------------- */

/* Stores the window rows among rows first .. first + count - 1 of K, which are in the block, from row `next`
 * of the window on. Returns the next window row. */
static int64_t take_rows(start_task *task, int64_t next, int64_t first, int64_t count, volt_matrix gram)
{
    const volt_model *model = task->model;
    const volt_live *live = task->live;
    for (; next < task->n && task->rows[next] < first + count; next++) {
        const double *k = task->block + (task->rows[next] - first) * model->n;
        cblas_dgemv(CblasRowMajor, CblasTrans, (volt_blas_int)model->n, (volt_blas_int)model->q, 1,
                    model->coefficients, (volt_blas_int)model->q, k, 1, 0, task->fitted + next * model->q, 1);
        for (int64_t j = 0; j <= next; j++)
            gram.data[next * gram.ld + j] =
                volt_live_factored(live, k[task->rows[j]], task->rows[next] - task->rows[j]);
    }
    return next;
}

/* Computes the required rows of K in blocks. A scan requires all rows before them, windows only those within
 * reach. */
static volt_status run_rows(start_task *task, volt_state *kernel_state, volt_matrix gram, volt_stage *stage)
{
    const volt_model *model = task->model;
    volt_view Z = volt_view_of(model->columns->given, model->n, model->d);
    int64_t first = 0, next = 0;
    if (kernel_state->ops->seek) {
        first = task->rows[0];
        VOLT_TRY(volt_state_seek(kernel_state, volt_view_rows(Z, 0, first)));
    }
    for (int64_t count = 0; first < model->n; first += count) {
        count = volt_min(task->max_rows, volt_records_segment_end(&task->records, first, model->n) - first);
        if (volt_records_begins(&task->records, first))
            volt_state_zero(kernel_state);
        volt_state_advance(kernel_state, volt_view_rows(Z, first, count), false,
                           volt_matrix_of(task->block, count, model->n), stage);
        if (!volt_stage_should_continue(stage))
            break;
        next = take_rows(task, next, first, count, gram);
    }
    return volt_stage_end(stage);
}

static volt_status fill_gram(start_task *task, volt_progress progress, volt_matrix gram)
{
    const volt_model *model = task->model;
    volt_stage stage;
    volt_state *kernel_state = NULL;
    volt_stage_begin(&stage, progress, "gram", 0, 0.5, (double)model->n * (double)model->n);
    task->max_rows = volt_block_rows(model->n, model->n);
    task->block = volt_alloc_doubles(task->max_rows, model->n);
    volt_status status =
        task->block ? volt_state_create(&model->resolved, model->columns, task->max_rows, &kernel_state)
                    : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = run_rows(task, kernel_state, gram, &stage);
    volt_state_free(kernel_state);
    return status;
}

/* ---- factors ---------------------------------------------------------------------------------- */

/* Recovers the targets of a group from the fitted values. */
static void recover_targets(const start_task *task, const volt_live_group *group, double *Y)
{
    const volt_model *model = task->model;
    int64_t q = model->q;
    for (int64_t i = 0; i < task->n; i++)
        for (int64_t g = 0; g < group->n; g++) {
            int64_t k = group->outputs[g];
            double a = model->coefficients[task->rows[i] * q + k];
            Y[i * group->n + g] =
                (task->fitted[i * q + k] + model->intercepts[k] + model->alphas[k] * a) / model->shares[k];
        }
}

/* Every group has its alpha and its matrix, so the matrix is copied before factoring. */
static volt_status make_factors(start_task *task, volt_progress progress)
{
    volt_live *live = task->live;
    int64_t n = task->n;
    double *Y = volt_alloc_doubles(n, live->model->q);
    volt_status status = Y ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t g = live->n_groups - 1; status == VOLT_OK && g >= 0; g--) {
        volt_live_group *group = &live->groups[g];
        volt_matrix to = volt_online_gram(group->factor, n);
        volt_matrix from = volt_online_gram(live->groups[0].factor, n);
        for (int64_t i = 0; g > 0 && i < n; i++)
            memcpy(to.data + i * to.ld, from.data + i * from.ld, (size_t)(i + 1) * sizeof(double));
        volt_stage stage;
        double share = 0.4 / (double)live->n_groups;
        volt_stage_begin(&stage, progress, "factor", 0.9 - share * (double)(g + 1), share,
                         volt_cholesky_units(n));
        recover_targets(task, group, Y);
        status = volt_online_factorise(group->factor, volt_view_of(Y, n, group->n), &stage);
        if (status == VOLT_OK)
            status = volt_stage_end(&stage);
    }
    volt_free(Y);
    return status;
}

/* ---- the state ----------------------------------------------------------------------------------- */

/* Runs all training rows; those before the window are not kept. */
static volt_status run_initial_rows(start_task *task, volt_progress progress)
{
    volt_live *live = task->live;
    const volt_model *model = task->model;
    int64_t wanted = task->rows[0];
    volt_stage stage;
    volt_stage_begin(&stage, progress, "learn", 0.9, 0.1, (double)model->n);
    for (int64_t i = 0; i < model->n && volt_stage_advance(&stage, 1); i++) {
        const double *z = model->columns->given + i * model->d;
        if (volt_records_begins(&task->records, i))
            VOLT_TRY(volt_moving_restart(live->moving));
        VOLT_TRY(volt_moving_prepare(live->moving, z, true, false));
        volt_moving_push(live->moving, z, true, NULL);
        volt_moving_release(live->moving, wanted);
    }
    return volt_stage_end(&stage);
}

/* ---- all of it -------------------------------------------------------------------------------- */

static volt_status start(start_task *task, volt_progress progress)
{
    volt_live *live = task->live;
    const volt_model *model = task->model;
    VOLT_TRY(volt_records_make(model->records, model->n_records, model->n, &task->records));
    task->rows = volt_alloc(model->n, sizeof *task->rows);
    if (!task->rows)
        return VOLT_ERR_MEMORY;
    VOLT_TRY(choose_rows(task));
    task->fitted = volt_alloc_doubles(task->n, model->q);
    if (!task->fitted)
        return VOLT_ERR_MEMORY;
    VOLT_TRY(live_reserve(live, task->n + 1));
    if (live->n_groups > 0) {
        VOLT_TRY(fill_gram(task, progress, volt_online_gram(live->groups[0].factor, task->n)));
        VOLT_TRY(make_factors(task, progress));
    }
    VOLT_TRY(run_initial_rows(task, progress));
    live->n = task->n;
    memcpy(live->numbers, task->rows, (size_t)task->n * sizeof *task->rows);
    volt_recent_copy(&model->recipe, &model->recent, &live->recent);
    return VOLT_OK;
}

/* Initialises an object without rows: the window, its factors, the state. The caller claims BLAS. */
static volt_status live_start(volt_live *live, volt_progress progress)
{
    start_task task = {.live = live, .model = live->model};
    volt_status status = start(&task, progress);
    volt_free(task.block);
    volt_free(task.fitted);
    volt_free(task.rows);
    volt_records_release(&task.records);
    return status;
}

/* ---- rows --------------------------------------------------------------------------------------- */

/* Feeds rows and predicts them; learns, feeds back or tracks their targets.
 *
 *     k_j <- 1 + lambda^2 kappa(z_t, z_j) k_{j-1},     y = c + A' k      (Volterra; section II.B) */

VOLT_CLONES
static double dot(const double *restrict a, const double *restrict b, int64_t n)
{
    enum { LANES = 8 };
    double lane[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += a[i + l] * b[i + l];
    double sum = 0;
    for (; i < n; i++)
        sum += a[i] * b[i];
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    return sum;
}

/* ---- predictions without targets yet ---------------------------------------------------------------- */

/* The prediction made `back` rows before the last; NULL: none since the last restart. */
static double *live_prediction(const volt_live *live, int64_t back)
{
    int64_t row = live->n_predictions - 1 - back;
    return row < 0 ? NULL : live->predictions + row % (live->model->ahead + 1) * live->model->q;
}

/* Stores the prediction of the last row in the ring; y NULL: it overflowed. */
static void keep_prediction(volt_live *live, const double *y)
{
    double *kept = live_prediction(live, 0);
    for (int64_t k = 0; k < live->model->q; k++)
        kept[k] = y ? y[k] : DBL_MAX;
    if (live->learns)
        window_record(live, volt_moving_next(live->moving) - 1, kept);
}

/* Updates the intervals with the target of a prediction. */
static volt_status observe(volt_live *live, int64_t back, const double *y)
{
    const double *made = live_prediction(live, back);
    if (!live->interval || !made || made[0] == DBL_MAX)
        return VOLT_OK;
    return volt_interval_learn(live->interval, made, y);
}

/* ---- intervals -------------------------------------------------------------------------------- */

/* Computes the half-widths about the next prediction. */
static void live_update_half_widths(volt_live *live)
{
    if (live->interval)
        volt_interval_half_widths(live->interval, live->half);
}

volt_status volt_live_track(volt_live *live, const double *coverages, int64_t count)
{
    VOLT_REQUIRE(live && coverages, VOLT_ERR_ARGUMENT, "the live object or the coverages are NULL");
    volt_interval *interval = NULL;
    VOLT_TRY(volt_interval_create(live->model, coverages, count, &interval));
    double *half = volt_alloc_doubles(count, live->model->q);
    if (!half) {
        volt_interval_free(interval);
        return VOLT_ERR_MEMORY;
    }
    volt_interval_free(live->interval);
    volt_free(live->half);
    live->interval = interval;
    live->half = half;
    live_update_half_widths(live);
    return VOLT_OK;
}

volt_status volt_live_interval(const volt_live *live, double *half)
{
    VOLT_REQUIRE(live && half, VOLT_ERR_ARGUMENT, "the live object or the output for the half-widths is NULL");
    VOLT_REQUIRE(live->interval, VOLT_ERR_ARGUMENT, "no intervals are tracked: set coverages in the options");
    memcpy(half, live->half, (size_t)(live->interval->count * live->interval->q) * sizeof *half);
    return VOLT_OK;
}

/* ---- feed ------------------------------------------------------------------------------------- */

/* After loading, the prediction is known only up to rounding, so the message may name any output. */
volt_status volt_live_report_diverged(const volt_live *live, int64_t row)
{
    const volt_feedback *fed_outputs = &live->model->recipe.fed_outputs;
    for (int64_t i = 0; live->members && i < live->model->sum->n; i++)
        if (live->members[i]->diverged)
            return volt_fail_prefix(volt_live_report_diverged(live->members[i], row), "member %" PRId64, i + 1);
    int64_t k = volt_feedback_find_diverged(fed_outputs, live->y);
    return volt_feedback_report_diverged(fed_outputs, k < 0 ? 0 : k, row, live->y);
}

/* Whether a row of the object, without learning, calls BLAS. */
static bool multiplies(const volt_live *live)
{
    bool any = !live->members && volt_model_reader_of(live->model).columns->engine->multiplies;
    for (int64_t i = 0; live->members && !any && i < live->model->sum->n; i++)
        any = multiplies(live->members[i]);
    return any;
}

/* Advances the state with the row in live->z; its kernel is in live->k. */
static void advance_kernel_state(volt_live *live)
{
    volt_state_advance(live->kernel_state, volt_view_of(live->z, 1, live->model->d), false,
                       volt_matrix_of(live->k, 1, volt_model_reader_of(live->model).columns->m), NULL);
}

static volt_status feed_taken(volt_live *live, const double *x, double *y);

/* Feeds the row x, which all members have taken, and adds their outputs. Every member is fed, also after one
 * whose output overflowed. */
static volt_status feed_members(volt_live *live, const double *x)
{
    const volt_members *sum = live->model->sum;
    volt_status failed = VOLT_OK;
    live->diverged = false;
    for (int64_t i = 0; i < sum->n; i++) {
        volt_live *member = live->members[i];
        volt_status status = feed_taken(member, x, NULL);
        if (status != VOLT_OK)
            failed = volt_fail_prefix(status, "member %" PRId64, i + 1);
        live->diverged |= member->diverged;
        volt_sum_add(sum->weights[i], member->y, live->model->q, i == 0, live->y);
    }
    VOLT_TRY(failed);
    return volt_model_check_output(live->model, live->pushed - 1, live->y);
}

/* Predicts the last row x into live->y. */
static volt_status evaluate(volt_live *live, const double *x)
{
    const volt_model *model = live->model;
    if (live->members)
        return feed_members(live, x);
    if (live->learns) {
        window_solve(live);
        return volt_model_unscale_output(model, live->pushed - 1, x, live->y);
    }
    int64_t m = volt_model_reader_of(model).columns->m;
    for (int64_t k = 0; k < model->q; k++)
        live->y[k] = dot(live->k, live->coefficients + k * m, m);
    return volt_model_finish_output(model, live->pushed - 1, x, live->y);
}

/* Undoes take_input. */
static void release_input(volt_live *live)
{
    for (int64_t i = 0; live->members && i < live->model->sum->n; i++)
        release_input(live->members[i]);
    volt_recent_unfilter(&live->model->recipe, &live->recent);
    live->recent.fed &= !live->found_first;
}

/* Feeds row x, which take_input has converted to live->z. */
static volt_status feed_taken(volt_live *live, const double *x, double *y)
{
    const volt_model *model = live->model;
    const volt_feedback *fed_outputs = &model->recipe.fed_outputs;
    volt_status status = live->learns ? window_take(live) : VOLT_OK;
    if (status != VOLT_OK) {
        release_input(live);
        return status;
    }
    if (live->learns)
        window_commit(live, x);
    else if (!live->members)
        advance_kernel_state(live);
    memcpy(live->last, x, (size_t)model->recipe.inputs * sizeof *x);
    volt_recent_push(&model->recipe, &live->recent, x);
    live->pushed++;
    live->beyond = live->next_beyond;
    live->n_predictions++;
    live_update_half_widths(live);
    live->diverged = fed_outputs->n > 0 && !live->learns; /* an output that is not finite is not fed back */
    status = evaluate(live, x);
    keep_prediction(live, status == VOLT_OK ? live->y : NULL);
    VOLT_TRY(status);
    volt_recent_feed(&model->recipe, &live->recent, live->y); /* until the target is known */
    if (!live->members)
        live->diverged = live->diverged && volt_feedback_find_diverged(fed_outputs, live->y) >= 0;
    if (y)
        memcpy(y, live->y, (size_t)model->q * sizeof *y);
    return VOLT_OK;
}

/* Sets the output before the first row of a sequence if none is known. A learning object keeps the mean: its
 * readout changes. */
static volt_status find_first_output(volt_live *live, const double *x)
{
    const volt_model *model = live->model;
    if (live->recent.begun || live->recent.fed || model->initial != VOLT_INITIAL_FIRST ||
        model->recipe.fed_outputs.n == 0 || live->learns)
        return VOLT_OK;
    VOLT_TRY(volt_model_stationary_output(model, x, live->y));
    volt_recent_feed(&model->recipe, &live->recent, live->y);
    live->found_first = true;
    return VOLT_OK;
}

static volt_status take_input(volt_live *live, const double *x);

/* All members take the row, or none. */
static volt_status take_members(volt_live *live, const double *x)
{
    for (int64_t i = 0; i < live->model->sum->n; i++) {
        volt_live *member = live->members[i];
        volt_status status = take_input(member, x);
        if (status != VOLT_OK) {
            for (int64_t j = 0; j < i; j++)
                release_input(live->members[j]);
            return volt_fail_prefix(status, "member %" PRId64, i + 1);
        }
        live->next_beyond = volt_max(live->next_beyond, member->next_beyond);
    }
    return VOLT_OK;
}

/* Converts the input for the kernel, into live->z. */
static volt_status take_input(volt_live *live, const double *x)
{
    live->next_beyond = live->beyond;
    if (live->members)
        return take_members(live, x);
    if (live->diverged)
        return volt_live_report_diverged(live, live->pushed - 1);
    live->found_first = false;
    VOLT_TRY(find_first_output(live, x));
    volt_status status = volt_model_take_input(live->model, &live->recent, x, live->policy, live->pushed,
                                               live->z, &live->next_beyond);
    if (status != VOLT_OK)
        live->recent.fed &= !live->found_first;
    return status;
}

static volt_status feed_row(volt_live *live, const double *x, double *y)
{
    volt_blas_use use;
    bool claims = !live->learns && !live->claimed && multiplies(live);
    if (claims)
        VOLT_TRY(volt_blas_claim(&use));
    volt_status status = take_input(live, x);
    if (status == VOLT_OK)
        status = feed_taken(live, x, y);
    if (claims)
        volt_blas_release(&use);
    return status;
}

volt_status volt_live_feed(volt_live *live, const double *x, double *y)
{
    VOLT_REQUIRE(live && x && y, VOLT_ERR_ARGUMENT, "the live object, the input or the output is NULL");
    return feed_row(live, x, y);
}

/* ---- learn ------------------------------------------------------------------------------------ */

static bool all_known(const volt_live *live, const double *y)
{
    for (int64_t k = 0; k < live->model->q; k++)
        if (isnan(y[k]))
            return false;
    return true;
}

static volt_status set_known(volt_live *live, const double *y, bool apply);

/* Members fitted on residuals receive what the members before them leave of the outputs. */
static volt_status set_known_of_members(volt_live *live, const double *y, bool apply)
{
    const volt_members *sum = live->model->sum;
    double *own = live->k;
    bool exact = true; /* `own` is known */
    memcpy(own, y, (size_t)live->model->q * sizeof *y);
    for (int64_t i = 0; i < sum->n; i++) {
        if (volt_model_feedback_weight(sum->models[i]) > 0) {
            VOLT_REQUIRE(exact, VOLT_ERR_ARGUMENT,
                         "known outputs before the first row are not supported by member %" PRId64
                         ", which was fitted on a residual",
                         i + 1);
            VOLT_TRY(set_known(live->members[i], own, apply));
        }
        const double *made = live_prediction(live->members[i], 0);
        if (sum->kind == VOLT_SUM_RESIDUAL && made)
            volt_sum_add(-sum->weights[i], made, live->model->q, false, own);
        exact &= sum->kind == VOLT_SUM_AVERAGE || made;
    }
    return VOLT_OK;
}

/* Feeds known outputs back; with apply false, only checks them. */
static volt_status set_known(volt_live *live, const double *y, bool apply)
{
    const volt_recipe *recipe = &live->model->recipe;
    for (int64_t k = 0; k < recipe->fed_outputs.n; k++)
        VOLT_REQUIRE(isfinite(y[k]) && isfinite(volt_feedback_column(&recipe->fed_outputs, k, y[k])),
                     VOLT_ERR_NOT_FINITE,
                     "known output %" PRId64 " of row %" PRId64 " is not finite or too large", k + 1,
                     live->pushed);
    if (live->members)
        VOLT_TRY(set_known_of_members(live, y, apply));
    if (apply) {
        volt_recent_feed(recipe, &live->recent, y);
        live->diverged = false;
    }
    return VOLT_OK;
}

/* A target without learning: for intervals and feedback. */
static volt_status compare(volt_live *live, int64_t back, const double *y)
{
    bool fed_outputs = volt_model_feedback_weight(live->model) > 0 && !live->free_run;
    VOLT_REQUIRE(
        live->interval || fed_outputs, VOLT_ERR_ARGUMENT,
        "targets are not used: the object does not learn, tracks no intervals and was fitted without feedback");
    VOLT_REQUIRE(back >= 0 && back <= live->model->ahead, VOLT_ERR_ARGUMENT,
                 "the target must be 0 to %" PRId64 " rows back (got %" PRId64 ")", live->model->ahead, back);
    fed_outputs = fed_outputs && back == 0 && all_known(live, y);
    if (fed_outputs)
        VOLT_TRY(set_known(live, y, false));
    VOLT_TRY(observe(live, back, y));
    return fed_outputs ? set_known(live, y, true) : VOLT_OK;
}

/* Learns the target of a pending row. *learned false: it is not pending. */
static volt_status learn_waiting(volt_live *live, int64_t back, const double *y, bool *learned)
{
    VOLT_TRY(window_learn(live, back, y, learned));
    if (!*learned)
        return VOLT_OK;
    (void)observe(live, back, y); /* an error that overflows is ignored */
    if (back == 0)
        volt_recent_feed(&live->model->recipe, &live->recent, y);
    return VOLT_OK;
}

volt_status volt_live_learn(volt_live *live, int64_t back, const double *y)
{
    VOLT_REQUIRE(live && y, VOLT_ERR_ARGUMENT, "the live object or the target is NULL");
    bool learned = false;
    if (!live->learns)
        return compare(live, back, y);
    int64_t late = volt_max(live->model->ahead, 1) - 1;
    VOLT_REQUIRE(back == 0 || back == late, VOLT_ERR_ARGUMENT,
                 late ? "the target must be 0 or %" PRId64 " rows back (got %" PRId64 ")"
                      : "the target must be %" PRId64 " rows back (got %" PRId64 ")",
                 late, back);
    VOLT_TRY(learn_waiting(live, back, y, &learned));
    VOLT_REQUIRE(learned, VOLT_ERR_ARGUMENT,
                 "no row has this target pending: feed a row first; rows are learned once, in order");
    return VOLT_OK;
}

/* ---- both ------------------------------------------------------------------------------------- */

/* Without learning the row is fed first, so that a rejected row changes nothing. */
static volt_status update_fixed(volt_live *live, const double *x, bool late, const double *y,
                                double *prediction)
{
    VOLT_TRY(feed_row(live, x, prediction));
    VOLT_TRY(compare(live, late ? live->model->ahead : 0, y));
    if (late)
        live_update_half_widths(live);
    return VOLT_OK;
}

static volt_status update_own(volt_live *live, const double *x, const double *y, double *prediction)
{
    VOLT_TRY(window_check_target(live, x, y));
    int64_t pushed = live->pushed;
    volt_status status = feed_row(live, x, prediction);
    if (live->pushed == pushed)
        return status;
    volt_status learned = volt_live_learn(live, 0, y);
    return learned != VOLT_OK ? learned : status;
}

static volt_status update_late(volt_live *live, const double *x, const double *y, double *prediction)
{
    if (!all_known(live, y))
        return feed_row(live, x, prediction);
    bool learned = false;
    VOLT_TRY(take_input(live, x));
    volt_status status = learn_waiting(live, live->model->ahead - 1, y, &learned);
    if (status != VOLT_OK && status != VOLT_ERR_SINGULAR) {
        release_input(live);
        return status;
    }
    volt_status predicts = feed_taken(live, x, prediction);
    return predicts != VOLT_OK ? predicts : status;
}

volt_status volt_live_update(volt_live *live, const double *x, int late, const double *y, double *prediction)
{
    VOLT_REQUIRE(live && x && y, VOLT_ERR_ARGUMENT, "the live object, the input or the target is NULL");
    bool waits = late && live->model->ahead > 0;
    if (!live->learns)
        return update_fixed(live, x, waits, y, prediction);
    return waits || (late && !all_known(live, y)) ? update_late(live, x, y, prediction)
                                                  : update_own(live, x, y, prediction);
}

/* ---- drop and restart ------------------------------------------------------------------------- */

volt_status volt_live_drop(volt_live *live, int64_t count)
{
    VOLT_REQUIRE(live, VOLT_ERR_ARGUMENT, "the live object is NULL");
    VOLT_REQUIRE(count >= 0 && count <= live->n, VOLT_ERR_ARGUMENT,
                 "%" PRId64 " rows are to be dropped, but the window has %" PRId64, count, live->n);
    if (live->learns)
        window_drop(live, count);
    return VOLT_OK;
}

volt_status volt_live_restart(volt_live *live)
{
    VOLT_REQUIRE(live, VOLT_ERR_ARGUMENT, "the live object is NULL");
    if (live->learns)
        VOLT_TRY(window_restart(live));
    else if (!live->members)
        volt_state_zero(live->kernel_state);
    for (int64_t i = 0; live->members && i < live->model->sum->n; i++)
        VOLT_TRY(volt_live_restart(live->members[i]));
    volt_recent_restart(&live->recent);
    live->diverged = false;
    live->n_predictions = 0;
    return VOLT_OK;
}

/* ---- alarms ------------------------------------------------------------------------------------- */

/* Compares rows of a series with their one-step predictions.
 *
 *     score_t = max_k |x_tk - prediction_tk| / scale_tk,     scale_tk = 1.4826 median of the last |errors| of channel k
 *
 * The factor 1.4826 makes the scale a standard deviation for normal errors. The scale is bounded while fewer
 * than half of the errors are outliers.
 *
 * The alarm level is the ceil((N + 1)(1 - rate))-th smallest of the last N scores. If all ranks of the next
 * score are equally likely, it exceeds the level with probability at most rate and at least rate - 1 / (N +
 * 1), for any distribution. With fewer than 1 / rate scores that rank does not exist. Then the largest tenth
 * is modelled as an exponential tail above u with mean excess b: P(score > u + x) = (share of the tail)
 * exp(-x / b). */

enum { MIN_ERRORS = 10 }; /* required for a scale */
enum { MIN_SCORES = 30, MIN_CAPACITY = 1000, MAX_CAPACITY = 100000, MIN_TAIL_ROWS = 5 };

/* A score that raised an alarm is limited to this multiple of the threshold: larger values would mask the
 * next alarm. A threshold that is too low can still rise. */
static const double ceiling = 1.5;

/* The last errors of one channel. */
typedef struct channel_errors {
    int64_t n, next;
    double *ring, *sorted; /* scale_rows each */
    double largest;        /* |x|, for the rounding of its predictions */
} channel_errors;

struct volt_detector {
    int64_t d, scale_rows;
    double *errors; /* d: of the current row */
    channel_errors *channels;
    double *numbers; /* memory of the arrays */
    volt_alarm_level level;
};

/* ---- the level -------------------------------------------------------------------------------- */

volt_status volt_alarm_level_begin(volt_alarm_level *level, double rate)
{
    int64_t capacity = (int64_t)fmin(fmax(ceil(20 / rate), MIN_CAPACITY), MAX_CAPACITY);
    *level = (volt_alarm_level){.rate = rate,
                                .capacity = capacity,
                                .ring = volt_alloc_doubles(capacity, 1),
                                .sorted = volt_alloc_doubles(capacity, 1)};
    return level->ring && level->sorted ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_alarm_level_release(volt_alarm_level *level)
{
    volt_free(level->ring);
    volt_free(level->sorted);
}

void volt_alarm_level_add(volt_alarm_level *level, double score)
{
    volt_sorted_ring_add(level->ring, level->sorted, level->capacity, &level->n, &level->next, score);
}

static double exponential_tail(const volt_alarm_level *level)
{
    int64_t n = level->n, tail = volt_max(n / 10, MIN_TAIL_ROWS);
    double edge = level->sorted[n - tail - 1], excess = 0;
    for (int64_t i = n - tail; i < n; i++)
        excess += (level->sorted[i] - edge) / (double)tail;
    return edge + excess * log((double)tail / ((double)(n + 1) * level->rate));
}

double volt_alarm_level_now(const volt_alarm_level *level)
{
    if (level->n < MIN_SCORES)
        return INFINITY;
    double place = volt_interval_quantile(level->sorted, level->n, 1 - level->rate);
    return isfinite(place) ? place : exponential_tail(level);
}

/* ---- scores ----------------------------------------------------------------------------------- */

/* 0 while there are too few errors. If all are 0, the rounding of the values is the scale. */
static double scale_of(const channel_errors *channel)
{
    if (channel->n < MIN_ERRORS)
        return 0;
    const double *middle = channel->sorted + (channel->n - 1) / 2;
    double median = channel->n % 2 ? middle[0] : (middle[0] + middle[1]) / 2;
    return fmax(1.4826 * median, fmax(8 * DBL_EPSILON * channel->largest, DBL_MIN));
}

static volt_detection no_score(const volt_detector *detector)
{
    return (volt_detection){.score = NAN, .threshold = volt_alarm_level_now(&detector->level), .channel = -1};
}

/* The score of a row with these errors, which are not added yet. */
static volt_detection judge(const volt_detector *detector, const double *errors)
{
    volt_detection row = no_score(detector);
    for (int64_t k = 0; k < detector->d; k++) {
        double scale = scale_of(&detector->channels[k]);
        if (scale == 0)
            return no_score(detector);
        double score = fmin(fabs(errors[k]) / scale, DBL_MAX);
        if (row.channel < 0 || score > row.score) {
            row.score = score;
            row.channel = k;
        }
    }
    row.alarm = row.score > row.threshold;
    return row;
}

static void remember(volt_detector *detector, const double *errors, const double *x, double score)
{
    for (int64_t k = 0; k < detector->d; k++) {
        channel_errors *channel = &detector->channels[k];
        channel->largest = fmax(channel->largest, x ? fabs(x[k]) : 0);
        volt_sorted_ring_add(channel->ring, channel->sorted, detector->scale_rows, &channel->n, &channel->next,
                             fabs(errors[k]));
    }
    if (!isnan(score))
        volt_alarm_level_add(&detector->level, score);
}

/* ---- creation --------------------------------------------------------------------------------- */

static void detector_free(volt_detector *detector)
{
    if (!detector)
        return;
    volt_free(detector->errors);
    volt_free(detector->channels);
    volt_free(detector->numbers);
    volt_alarm_level_release(&detector->level);
    volt_free(detector);
}

static volt_status check(const volt_model *model, double rate, int64_t scale_rows)
{
    VOLT_TRY(volt_model_require_single(model, "the detection of anomalies"));
    VOLT_REQUIRE(model->feedback && model->ahead == 1 && model->recipe.inputs == model->q, VOLT_ERR_ARGUMENT,
                 "the model predicts %" PRId64 " outputs of %" PRId64 " inputs, %" PRId64
                 " rows ahead: a detector requires one that predicts its own inputs one row ahead",
                 model->q, model->recipe.inputs, model->ahead);
    VOLT_REQUIRE(rate > 0 && rate < 1, VOLT_ERR_ARGUMENT, "the alarm rate must be between 0 and 1 (got %g)",
                 rate);
    VOLT_REQUIRE(scale_rows >= MIN_ERRORS, VOLT_ERR_ARGUMENT,
                 "scale_rows must be at least %d (got %" PRId64 ")", MIN_ERRORS, scale_rows);
    return VOLT_OK;
}

/* Creates a detector without errors. */
static volt_status allocate(const volt_model *model, double rate, int64_t scale_rows, volt_detector **detector)
{
    int64_t d = model->q;
    VOLT_TRY(check(model, rate, scale_rows));
    volt_detector *fresh = *detector = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->d = d;
    fresh->scale_rows = scale_rows;
    fresh->errors = volt_alloc_doubles(d, 1);
    fresh->channels = volt_alloc_zero(d, sizeof *fresh->channels);
    fresh->numbers = volt_alloc_doubles(d, 2 * scale_rows);
    if (!fresh->errors || !fresh->channels || !fresh->numbers)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < d; k++) {
        fresh->channels[k].ring = fresh->numbers + k * 2 * scale_rows;
        fresh->channels[k].sorted = fresh->channels[k].ring + scale_rows;
    }
    return volt_alarm_level_begin(&fresh->level, rate);
}

/* Adds the errors of the later half of training, each predicted from the rows before it. */
static volt_status begin_errors(volt_detector *detector, const volt_model *model)
{
    volt_matrix none = {0};
    int64_t rows = volt_model_errors_read(model, none), d = detector->d;
    if (rows == 0)
        return VOLT_OK;
    volt_matrix errors = volt_matrix_of(volt_alloc_doubles(rows, d), rows, d);
    if (!errors.data)
        return VOLT_ERR_MEMORY;
    volt_model_errors_read(model, errors);
    for (int64_t t = rows / 2; t < rows; t++) {
        bool known = true;
        for (int64_t k = 0; k < d; k++)
            known = known && isfinite(errors.data[t * d + k]);
        if (known)
            remember(detector, errors.data + t * d, NULL, judge(detector, errors.data + t * d).score);
    }
    volt_free(errors.data);
    return VOLT_OK;
}

/* *detector is NULL on failure. */
static volt_status end_creation(volt_status status, volt_detector **detector)
{
    if (status != VOLT_OK) {
        detector_free(*detector);
        *detector = NULL;
    }
    return status;
}

/* For a model that predicts its own inputs one row ahead. Starts with the errors of the later half of
 * training. VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
static volt_status detector_create(const volt_model *model, double rate, int64_t scale_rows,
                                   volt_detector **detector)
{
    volt_status status = allocate(model, rate, scale_rows, detector);
    if (status == VOLT_OK)
        status = begin_errors(*detector, model);
    return end_creation(status, detector);
}

static volt_status detector_copy(const volt_detector *source, const volt_model *model, volt_detector **detector)
{
    volt_status status = allocate(model, source->level.rate, source->scale_rows, detector);
    for (int64_t k = 0; status == VOLT_OK && k < source->d; k++) {
        const channel_errors *from = &source->channels[k];
        channel_errors *to = &(*detector)->channels[k];
        to->n = from->n;
        to->next = from->next;
        to->largest = from->largest;
        memcpy(to->ring, from->ring, (size_t)from->n * sizeof *to->ring);
        memcpy(to->sorted, from->sorted, (size_t)from->n * sizeof *to->sorted);
    }
    if (status == VOLT_OK) {
        volt_alarm_level *to = &(*detector)->level;
        to->n = source->level.n;
        to->next = source->level.next;
        memcpy(to->ring, source->level.ring, (size_t)to->n * sizeof *to->ring);
        memcpy(to->sorted, source->level.sorted, (size_t)to->n * sizeof *to->sorted);
    }
    return end_creation(status, detector);
}

/* ---- files ------------------------------------------------------------------------------------ */

/* Numbers of a ring, oldest first. */
static void put_ring(const double *ring, int64_t capacity, int64_t n, int64_t next, double *numbers)
{
    for (int64_t i = 0; i < n; i++)
        numbers[i] = ring[(n < capacity ? i : next + i) % capacity];
}

/* Saves to a state file, and reads from one; *detector is NULL if the file has none. */
static void detector_put(const volt_detector *detector, volt_file_writer *writer)
{
    const volt_alarm_level *level = &detector->level;
    int64_t n = detector->channels[0].n;
    volt_put_number(writer, "alarm_rate", level->rate);
    volt_put_count(writer, "scale_rows", detector->scale_rows);
    double *largest = volt_put_buffer(writer, "detector_largest", detector->d, 0);
    double *errors = volt_put_buffer(writer, "detector_errors", detector->d * n, 0);
    double *scores = volt_put_buffer(writer, "detector_scores", level->n, 0);
    if (!largest || !errors || !scores)
        return;
    for (int64_t k = 0; k < detector->d; k++) {
        const channel_errors *channel = &detector->channels[k];
        largest[k] = channel->largest;
        put_ring(channel->ring, detector->scale_rows, n, channel->next, errors + k * n);
    }
    put_ring(level->ring, level->capacity, level->n, level->next, scores);
}

/* Reads numbers that must not be negative. */
static volt_status read_detector_numbers(const volt_file_fields *fields, const char *key, int64_t rows,
                                         const volt_tensor **numbers)
{
    VOLT_TRY(volt_fields_tensor(fields, key, rows, 0, numbers));
    for (int64_t i = 0; i < (*numbers)->rows; i++)
        VOLT_REQUIRE((*numbers)->data[i] >= 0, VOLT_ERR_FORMAT, "%s: tensor \"%s\" has a negative number",
                     fields->path, key);
    return VOLT_OK;
}

static volt_status fill(const volt_file_fields *fields, volt_detector *detector)
{
    const volt_tensor *largest = NULL, *errors = NULL, *scores = NULL;
    volt_alarm_level *level = &detector->level;
    int64_t d = detector->d;
    VOLT_TRY(read_detector_numbers(fields, "detector_largest", d, &largest));
    VOLT_TRY(read_detector_numbers(fields, "detector_errors", -1, &errors));
    VOLT_TRY(read_detector_numbers(fields, "detector_scores", -1, &scores));
    int64_t n = errors->rows / d;
    VOLT_REQUIRE(n * d == errors->rows && n <= detector->scale_rows && scores->rows <= level->capacity,
                 VOLT_ERR_FORMAT, "%s: the detector has more numbers than its options allow", fields->path);
    for (int64_t k = 0; k < d; k++) {
        channel_errors *channel = &detector->channels[k];
        channel->largest = largest->data[k];
        for (int64_t i = 0; i < n; i++)
            volt_sorted_ring_add(channel->ring, channel->sorted, detector->scale_rows, &channel->n,
                                 &channel->next, errors->data[k * n + i]);
    }
    for (int64_t i = 0; i < scores->rows; i++)
        volt_alarm_level_add(level, scores->data[i]);
    return VOLT_OK;
}

static volt_status detector_read(const volt_file_fields *fields, const volt_model *model,
                                 volt_detector **detector)
{
    enum { MAX_SCALE_ROWS = 1 << 24 }; /* limit for files, as memory is allocated for them */
    double rate = 0;
    int64_t scale_rows = 0;
    *detector = NULL;
    if (!volt_safetensors_tensor(fields->file, "detector_errors"))
        return VOLT_OK;
    VOLT_TRY(volt_fields_number(fields, "alarm_rate", 0, &rate));
    VOLT_TRY(volt_fields_count(fields, "scale_rows", &scale_rows));
    VOLT_REQUIRE(scale_rows <= MAX_SCALE_ROWS, VOLT_ERR_FORMAT, "%s: \"scale_rows\" is %" PRId64, fields->path,
                 scale_rows);
    volt_status status = allocate(model, rate, scale_rows, detector);
    if (status == VOLT_ERR_ARGUMENT)
        status = volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path);
    if (status == VOLT_OK)
        status = fill(fields, *detector);
    return end_creation(status, detector);
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Feeds the row, which is the target of the previous row and is learned unless it raised an alarm. */
static volt_status take_row(volt_live *live, const double *x, bool alarm)
{
    int64_t pushed = live->pushed;
    bool learns = (live->learns || live->interval) && !alarm;
    volt_status status = learns ? volt_live_update(live, x, 1, x, NULL) : volt_live_feed(live, x, live->y);
    return status == VOLT_ERR_SINGULAR && live->pushed > pushed ? VOLT_OK : status;
}

volt_status volt_live_detect(volt_live *live, const double *x, double *expected, volt_detection *detection)
{
    VOLT_REQUIRE(live && x && detection, VOLT_ERR_ARGUMENT,
                 "the live object, the row or the output for its score is NULL");
    volt_detector *detector = live->detector;
    VOLT_REQUIRE(detector, VOLT_ERR_ARGUMENT, "there is no detector: set alarm_rate in the options");
    int64_t d = detector->d;
    for (int64_t k = 0; k < d; k++)
        VOLT_REQUIRE(isfinite(x[k]), VOLT_ERR_NOT_FINITE, "value %" PRId64 " of the row is %g", k + 1, x[k]);
    const double *made = live_prediction(live, 0);
    bool known = made && made[0] != DBL_MAX;
    volt_detection judged = no_score(detector);
    for (int64_t k = 0; k < d; k++) {
        detector->errors[k] = known ? x[k] - made[k] : NAN;
        if (expected)
            expected[k] = known ? made[k] : NAN;
    }
    if (known)
        judged = judge(detector, detector->errors);
    VOLT_TRY(take_row(live, x, judged.alarm));
    if (known)
        remember(detector, detector->errors, x,
                 judged.alarm ? fmin(judged.score, ceiling * judged.threshold) : judged.score);
    return volt_result_copy(detection, &judged, sizeof judged, "volt_detection");
}

/* ---- live objects ------------------------------------------------------------------------------- */

const char *const volt_forget_words[2] = {[VOLT_FORGET_DYNAMICS] = "dynamics", [VOLT_FORGET_ALL] = "all"};

volt_live_options volt_live_options_default(void)
{
    return (volt_live_options){.struct_size = sizeof(volt_live_options),
                               .start = VOLT_START_CONTINUE,
                               .beyond = VOLT_BEYOND_CLIP,
                               .forget = 1,
                               .forget_what = VOLT_FORGET_ALL,
                               .scale_rows = 300};
}

/* ---- groups of outputs ------------------------------------------------------------------------ */

/* Whether output k has a kernel part. */
static bool is_live(const volt_model *model, int64_t k)
{
    return isfinite(model->alphas[k]) && model->alphas[k] > 0;
}

/* Whether output k was fitted with an intercept. A fit without one leaves 0, less the share of the common
 * part of all entries (solve/choice/choice.c). It is computed here in the same way, to the same bits. A
 * constant target has intercept 0 and coefficients 0 in both cases; then the setting of the model applies. */
static bool is_constant(const volt_model *model, int64_t k)
{
    double sum = 0;
    bool moves = false;
    for (int64_t i = model->washout; i < model->n; i++) {
        sum += model->coefficients[i * model->q + k];
        moves = moves || model->coefficients[i * model->q + k] != 0;
    }
    return model->intercept && (!moves || model->intercepts[k] != -model->resolved.common * sum);
}

static bool is_first_of_alpha(const volt_model *model, int64_t k)
{
    for (int64_t i = 0; i < k; i++)
        if (is_live(model, i) && model->alphas[i] == model->alphas[k])
            return false;
    return is_live(model, k);
}

static volt_status make_group(const volt_model *model, double alpha, volt_live_group *group)
{
    group->outputs = volt_alloc(model->q, sizeof *group->outputs);
    group->constant = volt_alloc(model->q, sizeof *group->constant);
    group->y = volt_alloc_doubles(model->q, 1);
    if (!group->outputs || !group->constant || !group->y)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < model->q; k++)
        if (model->alphas[k] == alpha) {
            group->constant[group->n] = is_constant(model, k);
            group->outputs[group->n++] = k;
        }
    return volt_online_create(group->n, alpha, &group->factor);
}

static volt_status make_groups(volt_live *live)
{
    const volt_model *model = live->model;
    live->groups = volt_alloc_zero(model->q, sizeof *live->groups);
    if (!live->groups)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < model->q; k++)
        if (is_first_of_alpha(model, k))
            VOLT_TRY(make_group(model, model->alphas[k], &live->groups[live->n_groups++]));
    return VOLT_OK;
}

/* ---- creation --------------------------------------------------------------------------------- */

static volt_status check_options(const volt_model *model, const volt_live_options *options)
{
    VOLT_TRY(volt_model_require_single(model, "online learning"));
    VOLT_REQUIRE(options->window >= 0, VOLT_ERR_ARGUMENT,
                 "the window must be at least 1, or 0 for all (got %" PRId64 " rows)", options->window);
    VOLT_REQUIRE(options->forget > 0 && options->forget <= 1, VOLT_ERR_ARGUMENT,
                 "forget must be above 0 and at most 1 (got %.6g)", options->forget);
    VOLT_REQUIRE(options->forget_what == VOLT_FORGET_DYNAMICS || options->forget_what == VOLT_FORGET_ALL,
                 VOLT_ERR_ARGUMENT, "forget_what must be VOLT_FORGET_DYNAMICS or VOLT_FORGET_ALL (got %d)",
                 (int)options->forget_what);
    VOLT_REQUIRE(model->trained.landmarks == 0, VOLT_ERR_ARGUMENT,
                 "learning requires all rows of training, but the model has %" PRId64
                 " landmarks of them: fit it with the exact solver",
                 model->trained.landmarks);
    VOLT_TRY(volt_model_require_squares(model, "online learning"));
    VOLT_REQUIRE(
        !model->resolved.centred || model->intercept, VOLT_ERR_ARGUMENT,
        "online learning with a centred kernel requires an intercept: the model does not keep the mean of its "
        "targets");
    return VOLT_OK;
}

/* Allocates the data of every live object. */
static volt_status live_allocate(const volt_model *model, volt_beyond policy, volt_live **live)
{
    volt_live *fresh = *live = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->model = model;
    fresh->policy = policy;
    fresh->last = volt_alloc_doubles(1, model->recipe.inputs);
    fresh->z = volt_alloc_doubles(1, model->d);
    fresh->y = volt_alloc_doubles(1, model->q);
    fresh->predictions = volt_alloc_zero((model->ahead + 1) * model->q, sizeof *fresh->predictions);
    if (!fresh->last || !fresh->z || !fresh->y || !fresh->predictions)
        return VOLT_ERR_MEMORY;
    return volt_recent_create(&model->recipe, &fresh->recent);
}

/* Transposed, so that each output is one pass over contiguous memory. */
static volt_status copy_coefficients(volt_live *live)
{
    volt_model_reader reads = volt_model_reader_of(live->model);
    int64_t m = live->k_size = reads.columns->m, q = live->model->q;
    live->k = volt_alloc_doubles(1, m);
    live->coefficients = volt_alloc_doubles(q, m);
    if (!live->k || !live->coefficients)
        return VOLT_ERR_MEMORY;
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < q; k++)
            live->coefficients[k * m + j] = reads.coefficients[j * q + k];
    return VOLT_OK;
}

/* Creates an object that does not learn, in the state `start` and `recent`; NULL both: zero initial state. */
static volt_status live_open_at(const volt_model *model, volt_beyond policy, const volt_state *start,
                                const volt_recent *recent, volt_live **live)
{
    volt_live *fresh = NULL;
    volt_status status = live_allocate(model, policy, &fresh);
    if (status == VOLT_OK)
        status = copy_coefficients(fresh);
    if (status == VOLT_OK)
        status = start ? volt_state_copy(start, 1, &fresh->kernel_state)
                       : volt_state_create(&model->resolved, volt_model_reader_of(model).columns, 1,
                                           &fresh->kernel_state);
    if (status != VOLT_OK) {
        volt_live_free(fresh);
        return status;
    }
    if (recent)
        volt_recent_copy(&model->recipe, recent, &fresh->recent);
    *live = fresh;
    return VOLT_OK;
}

/* Creates an object of a sum: with the members of `source`, or (NULL) as volt_live_open. */
static volt_status live_open_sum(const volt_model *model, volt_start start, volt_beyond policy,
                                 const volt_live *source, volt_live **live)
{
    volt_live *fresh = NULL;
    volt_status status = live_allocate(model, policy, &fresh);
    if (status == VOLT_OK) {
        fresh->members = volt_alloc_zero(model->sum->n, sizeof *fresh->members);
        fresh->k = volt_alloc_doubles(model->q, 1);
        status = fresh->members && fresh->k ? VOLT_OK : VOLT_ERR_MEMORY;
    }
    for (int64_t i = 0; status == VOLT_OK && i < model->sum->n; i++) {
        status = source ? volt_live_copy(source->members[i], &fresh->members[i])
                        : volt_live_open(model->sum->models[i], start, policy, &fresh->members[i]);
        if (status != VOLT_OK)
            volt_fail_prefix(status, "member %" PRId64, i + 1);
    }
    if (status == VOLT_OK)
        *live = fresh;
    else
        volt_live_free(fresh);
    return status;
}

volt_status volt_live_open(const volt_model *model, volt_start start, volt_beyond policy, volt_live **live)
{
    VOLT_TRY(volt_model_check_start(model, start));
    if (model->sum)
        return live_open_sum(model, start, policy, NULL, live);
    bool reset = start == VOLT_START_RESET;
    return live_open_at(model, policy, reset ? NULL : model->end, reset ? NULL : &model->recent, live);
}

/* Creates an object that learns, before the first row of the model. VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
static volt_status live_begin(const volt_model *model, const volt_live_options *options, volt_live **live)
{
    VOLT_TRY(check_options(model, options));
    volt_live *fresh = NULL;
    volt_status status = live_allocate(model, options->beyond, &fresh);
    if (status == VOLT_OK) {
        fresh->learns = true;
        fresh->window = options->window;
        fresh->forget = options->forget;
        fresh->forget_what = options->forget_what;
        fresh->history.complete = options->window == 0;
        status = late_create(fresh);
    }
    if (status == VOLT_OK)
        status = make_groups(fresh);
    if (status == VOLT_OK)
        status = means_create(model, &fresh->means);
    if (status == VOLT_OK)
        status = volt_moving_create(&model->resolved, &fresh->moving);
    if (status == VOLT_OK)
        *live = fresh;
    else
        volt_live_free(fresh);
    return status;
}

static volt_status create_learning(const volt_model *model, const volt_live_options *options, volt_live **live)
{
    volt_blas_use use;
    VOLT_REQUIRE(options->start == VOLT_START_CONTINUE || options->start == VOLT_START_RESET, VOLT_ERR_ARGUMENT,
                 "the start must be VOLT_START_CONTINUE (%d) or VOLT_START_RESET (%d), got %d",
                 (int)VOLT_START_CONTINUE, (int)VOLT_START_RESET, (int)options->start);
    VOLT_TRY(live_begin(model, options, live));
    VOLT_TRY(volt_blas_claim(&use));
    volt_status status = live_start(*live, options->progress);
    volt_blas_release(&use);
    if (status == VOLT_OK && options->start == VOLT_START_RESET)
        status = volt_live_restart(*live);
    return status;
}

static bool has_kernel_part(const volt_model *model)
{
    bool has = false;
    for (int64_t k = 0; k < model->q; k++)
        has = has || isfinite(model->alphas[k]);
    return has;
}

static volt_status feed_pending(volt_live *live, volt_view rows)
{
    if (rows.rows > 0)
        VOLT_TRY(volt_model_check_inputs(live->model, rows));
    for (int64_t i = 0; i < rows.rows; i++)
        VOLT_TRY(volt_live_feed(live, rows.data + i * rows.ld, live->y));
    return VOLT_OK;
}

static volt_status create_new(const volt_model *model, const volt_live_options *options, volt_live **live)
{
    volt_live *fresh = NULL;
    bool learns = options->learn && (options->alarm_rate == 0 || has_kernel_part(model));
    volt_status status = learns ? create_learning(model, options, &fresh)
                                : volt_live_open(model, options->start, options->beyond, &fresh);
    if (status == VOLT_OK)
        status = feed_pending(fresh, options->pending);
    if (status == VOLT_OK)
        *live = fresh;
    else
        volt_live_free(fresh);
    return status;
}

/* ---- state files -------------------------------------------------------------------------------- */

/* The state of a live object as a safetensors file.
 *
 * The file holds everything that changes with the rows, and a digest of the model (docs/file_formats.md).
 * Version 1.0 wrote two formats, one for objects that learn and one for the others. */

enum { VERSION = 1 };
static const char format[] = "volterra-live", stream_format[] = "volterra-stream",
                  learner_format[] = "volterra-learner";

/* ---- save ------------------------------------------------------------------------------------- */

static void put_head(const volt_live *live, volt_file_writer *writer)
{
    const volt_model *model = live->model;
    const volt_recent *recent = &live->recent;
    char digest[VOLT_DIGEST_LENGTH] = "";
    double *row = volt_writer_buffer(writer, model->d);
    if (row)
        volt_model_digest(model, row, digest);
    volt_put_text(writer, "format", format);
    volt_put_count(writer, "version", VERSION);
    volt_put_text(writer, "library", volt_version());
    volt_put_text(writer, "kernel", volt_model_text(model));
    volt_put_copy(writer, "model", digest);
    volt_put_flag(writer, "learns", live->learns);
    volt_put_count(writer, "rows", live->pushed);
    volt_put_count(writer, "beyond", live->beyond);
    volt_put_flag(writer, "begun", recent->begun);
    volt_put_tensor(writer, "last", live->pushed > 0 ? model->recipe.inputs : 0, 0, live->last);
    double *rows = volt_put_buffer(writer, "recent", recent->begun ? volt_recent_length(&model->recipe) : 0, 0);
    if (rows && recent->begun)
        volt_recent_get(&model->recipe, recent, rows);
    if (recent->n_fed_outputs > 0)
        volt_put_tensor(writer, "fed", recent->n_fed_outputs, 0, recent->fed_outputs);
}

/* Predictions without a target yet, oldest first, and the intervals. */
static void put_predictions(const volt_live *live, volt_file_writer *writer)
{
    int64_t q = live->model->q, waiting = volt_min(live->n_predictions, live->model->ahead + 1);
    double *made = volt_put_buffer(writer, "made", waiting * q, 0);
    for (int64_t i = 0; made && i < waiting; i++)
        memcpy(made + i * q, live_prediction(live, waiting - 1 - i), (size_t)q * sizeof *made);
    if (!live->interval)
        return;
    volt_put_tensor(writer, "coverages", live->interval->count, 0, live->interval->coverages);
    double *scores = volt_put_buffer(writer, "scores", volt_interval_length(live->interval), 0);
    if (scores)
        volt_interval_get(live->interval, scores);
}

static void put_kernel_state(const volt_live *live, volt_file_writer *writer)
{
    if (live->recent.n_fed_outputs > 0)
        volt_put_flag(writer, "strays", live->diverged);
    double *state = volt_put_buffer(writer, "state", volt_state_length(live->kernel_state), 0);
    if (state)
        volt_state_get(live->kernel_state, state);
}

static void put_settings(const volt_live *live, volt_file_writer *writer)
{
    volt_put_count(writer, "window", live->window);
    volt_put_number(writer, "forget", live->forget);
    volt_put_text(writer, "forget_what", volt_forget_words[live->forget_what]);
    volt_put_count(writer, "learned", live->learned);
    volt_put_flag(writer, "pending", live->pending);
}

static int64_t count_columns(const volt_live *live)
{
    return volt_moving_next(live->moving) - volt_moving_begin(live->moving);
}

/* Length of the factors of all groups, and of their solves. */
static int64_t factor_length(const volt_live *live)
{
    return live->n * (live->n + 1) / 2;
}

static int64_t solved_length(const volt_live *live)
{
    int64_t columns = 0;
    for (int64_t g = 0; g < live->n_groups; g++)
        columns += live->groups[g].n + 1;
    return live->n * columns;
}

static void put_columns(const volt_live *live, volt_file_writer *writer)
{
    double *moving = volt_put_buffer(writer, "moving", volt_moving_length(live->moving), 0);
    if (moving)
        volt_moving_get(live->moving, moving);
    if (live->pending)
        volt_put_tensor(writer, "pending_kernel", count_columns(live), 0, live->k);
}

/* Pending rows before the last, in order, each with its kernel from the first kept column to its own. */
static void put_late(const volt_live *live, volt_file_writer *writer)
{
    int64_t begin = volt_moving_begin(live->moving), next = volt_moving_next(live->moving);
    int64_t inputs = live->model->recipe.inputs, n = 0, entries = 0;
    for (int64_t i = 0; i < live->n_late; i++)
        if (live->late[i].number >= begin) {
            entries += live->late[i].number - begin + 1;
            n++;
        }
    if (n == 0)
        return;
    double *numbers = volt_put_buffer(writer, "late", n, 0);
    double *kernels = volt_put_buffer(writer, "late_kernels", entries, 0);
    double *x = volt_put_buffer(writer, "late_inputs", n * inputs, 0);
    if (!numbers || !kernels || !x)
        return;
    for (int64_t t = next - live->n_late - 1, i = 0; t < next; t++) {
        const volt_late_row *row = late_find(live, t);
        if (!row || t < begin)
            continue;
        int64_t length = t - begin + 1;
        numbers[i] = (double)t;
        memcpy(kernels, row->k + (begin - row->first), (size_t)length * sizeof *kernels);
        memcpy(x + i * inputs, row->x, (size_t)inputs * sizeof *x);
        kernels += length;
        i++;
    }
}

static void put_window(const volt_live *live, volt_file_writer *writer)
{
    double *numbers = volt_put_buffer(writer, "numbers", live->n, 0);
    double *packed = volt_put_buffer(writer, "factors", live->n_groups * factor_length(live), 0);
    double *solved = volt_put_buffer(writer, "solved", solved_length(live), 0);
    for (int64_t i = 0; numbers && i < live->n; i++)
        numbers[i] = (double)live->numbers[i];
    for (int64_t g = 0; packed && solved && g < live->n_groups; g++) {
        const volt_online_factor *factor = live->groups[g].factor;
        int64_t width = factor->q + 1;
        volt_online_get(factor, packed + g * factor_length(live));
        memcpy(solved, factor->W + factor->start * width, (size_t)(live->n * width) * sizeof *solved);
        solved += live->n * width;
    }
    if (live->means.n > 0 && live->n > 0)
        volt_put_tensor(writer, "means", live->n * live->means.n, 0, live->means.Y);
}

/* All rows since the end of the model, if kept. Older readers skip them. */
static void put_history(const volt_live *live, volt_file_writer *writer)
{
    const volt_feedback_rows *history = &live->history;
    if (history->complete && live->pushed > 0)
        volt_put_tensor(writer, "history", live->pushed * (live->model->recipe.inputs + live->model->q), 0,
                        history->rows);
    double *starts = history->n_starts > 0 ? volt_put_buffer(writer, "starts", history->n_starts, 0) : NULL;
    for (int64_t i = 0; starts && i < history->n_starts; i++)
        starts[i] = (double)history->starts[i];
}

static volt_status check_finite(const volt_file_writer *writer)
{
    for (int64_t t = 0; t < writer->n_tensors; t++)
        for (int64_t i = 0; !writer->failed && i < writer->tensors[t].rows; i++)
            VOLT_REQUIRE(isfinite(writer->tensors[t].data[i]), VOLT_ERR_NOT_FINITE,
                         "the state contains a value that is not finite (%s), and cannot be saved",
                         writer->tensors[t].name);
    return VOLT_OK;
}

static void live_put_state(const volt_live *live, volt_file_writer *writer);

/* The state of each member of a sum. */
static void live_put_members(const volt_live *live, volt_file_writer *writer)
{
    char prefix[VOLT_MEMBER_PREFIX];
    for (int64_t i = 0; i < live->model->sum->n; i++) {
        volt_file_writer member = {0};
        live_put_state(live->members[i], &member);
        volt_writer_append(writer, volt_member_prefix(i, prefix), &member);
    }
}

/* Adds the state to a file, or reads it from one of the same model. */
static void live_put_state(const volt_live *live, volt_file_writer *writer)
{
    put_head(live, writer);
    if (live->learns) {
        put_settings(live, writer);
        put_columns(live, writer);
        put_late(live, writer);
        put_window(live, writer);
        put_history(live, writer);
    } else if (live->members) {
        live_put_members(live, writer);
    } else {
        put_kernel_state(live, writer);
    }
    put_predictions(live, writer);
    if (live->detector)
        detector_put(live->detector, writer);
}

static volt_status write_state(const volt_live *live, const char *path)
{
    volt_file_writer writer = {0};
    volt_state_lock *taken = NULL;
    live_put_state(live, &writer);
    volt_status status = check_finite(&writer);
    if (status == VOLT_OK)
        status = volt_state_lock_for_save(live->lock, path, &taken);
    if (status == VOLT_OK)
        status = volt_writer_finish(&writer, path, (volt_progress){0});
    volt_state_lock_free(taken);
    volt_writer_release(&writer);
    return status;
}

volt_status volt_live_save(volt_live *live, const char *path)
{
    VOLT_REQUIRE(live, VOLT_ERR_ARGUMENT, "the live object is NULL");
    VOLT_REQUIRE(path || live->path, VOLT_ERR_ARGUMENT, "the path is NULL, and the object has no state file");
    return write_state(live, path ? path : live->path);
}

/* ---- load: head ------------------------------------------------------------------------------- */

static volt_status check_model(const volt_file_fields *fields, const volt_model *model)
{
    const char *text = NULL, *kernel = NULL;
    char digest[VOLT_DIGEST_LENGTH];
    VOLT_TRY(volt_fields_text(fields, "kernel", &kernel));
    VOLT_TRY(volt_fields_text(fields, "model", &text));
    double *row = volt_alloc_doubles(1, model->d);
    if (!row)
        return VOLT_ERR_MEMORY;
    volt_model_digest(model, row, digest);
    volt_free(row);
    VOLT_REQUIRE(strcmp(text, digest) == 0, VOLT_ERR_FORMAT,
                 "%s belongs to another model (%.40s with kernel %.80s; this one is %s with kernel %.80s)",
                 fields->path, text, kernel, digest, volt_model_text(model));
    return VOLT_OK;
}

static volt_status check_head(const volt_file_fields *fields, const volt_model *model, bool *learns)
{
    const char *text = NULL;
    int64_t version = 0;
    VOLT_TRY(volt_fields_text(fields, "format", &text));
    bool known = strcmp(text, format) == 0;
    *learns = strcmp(text, learner_format) == 0;
    if (!known && !*learns && strcmp(text, stream_format) != 0)
        return volt_fields_wrong_format(fields, text);
    VOLT_TRY(volt_fields_count(fields, "version", &version));
    VOLT_REQUIRE(version == VERSION, VOLT_ERR_FORMAT,
                 "%s has state format %" PRId64 ", but this library (%s) reads format %d", fields->path,
                 version, volt_version(), VERSION);
    if (known)
        VOLT_TRY(volt_fields_flag(fields, "learns", learns));
    return check_model(fields, model);
}

static volt_status read_head(const volt_file_fields *fields, volt_live *live)
{
    const volt_recipe *recipe = &live->model->recipe;
    volt_recent *recent = &live->recent;
    const volt_tensor *rows = NULL;
    VOLT_TRY(volt_fields_count(fields, "rows", &live->pushed));
    VOLT_TRY(volt_fields_count(fields, "beyond", &live->beyond));
    VOLT_TRY(volt_fields_flag(fields, "begun", &recent->begun));
    VOLT_TRY(volt_fields_copy(fields, "last", live->pushed > 0 ? recipe->inputs : 0, 0, live->last));
    VOLT_TRY(volt_fields_tensor(fields, "recent", recent->begun ? volt_recent_length(recipe) : 0, 0, &rows));
    if (recent->begun)
        volt_recent_set(recipe, rows->data, recent);
    return recent->n_fed_outputs > 0
               ? volt_fields_copy(fields, "fed", recent->n_fed_outputs, 0, recent->fed_outputs)
               : VOLT_OK;
}

/* ---- load: the window ------------------------------------------------------------------------- */

static volt_status read_options(const volt_file_fields *fields, volt_live_options *options)
{
    const char *what = NULL;
    VOLT_TRY(volt_fields_count(fields, "window", &options->window));
    VOLT_TRY(volt_fields_number(fields, "forget", 0, &options->forget));
    VOLT_REQUIRE(options->forget > 0 && options->forget <= 1, VOLT_ERR_FORMAT,
                 "%s: \"forget\" must be above 0 and at most 1 (got %g)", fields->path, options->forget);
    VOLT_TRY(volt_fields_text(fields, "forget_what", &what));
    bool all = strcmp(what, volt_forget_words[VOLT_FORGET_ALL]) == 0;
    VOLT_REQUIRE(all || strcmp(what, volt_forget_words[VOLT_FORGET_DYNAMICS]) == 0, VOLT_ERR_FORMAT,
                 "%s: \"forget_what\" must be %s or %s (got \"%.40s\")", fields->path,
                 volt_forget_words[VOLT_FORGET_DYNAMICS], volt_forget_words[VOLT_FORGET_ALL], what);
    options->forget_what = all ? VOLT_FORGET_ALL : VOLT_FORGET_DYNAMICS;
    return VOLT_OK;
}

/* Rows of the window are consecutive columns. */
static volt_status read_numbers(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *numbers = NULL;
    int64_t next = volt_moving_next(live->moving);
    int64_t least = volt_max(volt_moving_begin(live->moving), live->model->washout);
    VOLT_TRY(volt_fields_tensor(fields, "numbers", -1, 0, &numbers));
    VOLT_REQUIRE(numbers->rows <= next - least && (live->window == 0 || numbers->rows <= live->window),
                 VOLT_ERR_FORMAT, "%s: the window has %" PRId64 " rows, more than there can be", fields->path,
                 numbers->rows);
    VOLT_TRY(live_reserve(live, numbers->rows + 1));
    for (int64_t i = 0; i < numbers->rows; i++) {
        double number = numbers->data[i];
        VOLT_REQUIRE(number >= (double)least && number < (double)next && number == floor(number),
                     VOLT_ERR_FORMAT, "%s: row %" PRId64 " of the window has number %.9g, which no column has",
                     fields->path, i + 1, number);
        live->numbers[i] = (int64_t)number;
        least = live->numbers[i] + 1;
    }
    live->n = numbers->rows;
    VOLT_REQUIRE(!live->pending || least < next, VOLT_ERR_FORMAT,
                 "%s: the row with the pending target is missing", fields->path);
    return VOLT_OK;
}

static volt_status read_groups(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *packed = NULL, *solved = NULL;
    int64_t each = factor_length(live);
    VOLT_TRY(volt_fields_tensor(fields, "factors", live->n_groups * each, 0, &packed));
    VOLT_TRY(volt_fields_tensor(fields, "solved", solved_length(live), 0, &solved));
    const double *W = solved->data;
    for (int64_t g = 0; g < live->n_groups; g++) {
        volt_online_factor *factor = live->groups[g].factor;
        volt_status status = volt_online_set(factor, live->n, packed->data + g * each, W);
        if (status != VOLT_OK)
            return volt_fail_prefix(status, "%s", fields->path);
        W += live->n * (factor->q + 1);
    }
    return VOLT_OK;
}

/* Files of versions that did not learn these outputs have no means; learning continues from the mean of the
 * model. */
static volt_status read_means(const volt_file_fields *fields, volt_live *live)
{
    volt_live_means *means = &live->means;
    VOLT_TRY(means_reserve(means, live->n + 1));
    if (volt_safetensors_tensor(fields->file, "means"))
        return volt_fields_copy(fields, "means", live->n * means->n, 0, means->Y);
    for (int64_t t = 0; t < live->n; t++)
        for (int64_t i = 0; i < means->n; i++)
            means->Y[t * means->n + i] = live->model->intercepts[means->outputs[i]];
    return VOLT_OK;
}

static volt_status read_history(const volt_file_fields *fields, volt_live *live)
{
    volt_feedback_rows *history = &live->history;
    const volt_tensor *starts = NULL, *rows = NULL;
    int64_t inputs = live->model->recipe.inputs, q = live->model->q, pushed = live->pushed;
    int64_t least = live->model->n;
    history->complete = live->window == 0 && (pushed == 0 || volt_safetensors_tensor(fields->file, "history"));
    if (!history->complete)
        return VOLT_OK;
    VOLT_REQUIRE(volt_moving_next(live->moving) == live->model->n + pushed, VOLT_ERR_FORMAT,
                 "%s: %" PRId64 " rows were pushed, but its columns end with row %" PRId64, fields->path,
                 pushed, volt_moving_next(live->moving));
    if (pushed > 0) {
        VOLT_TRY(volt_fields_tensor(fields, "history", -1, 0, &rows));
        VOLT_REQUIRE(rows->rows % (inputs + q) == 0 && rows->rows / (inputs + q) == pushed, VOLT_ERR_FORMAT,
                     "%s: tensor \"history\" has %" PRId64 " numbers, but %" PRId64 " rows of %" PRId64
                     " were pushed",
                     fields->path, rows->rows, pushed, inputs + q);
        VOLT_TRY(volt_grow((void **)&history->rows, &history->capacity, rows->rows, sizeof(double)));
        memcpy(history->rows, rows->data, (size_t)rows->rows * sizeof(double));
    }
    if (!volt_safetensors_tensor(fields->file, "starts"))
        return VOLT_OK;
    VOLT_TRY(volt_fields_tensor(fields, "starts", -1, 0, &starts));
    VOLT_TRY(volt_grow((void **)&history->starts, &history->starts_size, starts->rows, sizeof(int64_t)));
    for (; history->n_starts < starts->rows; history->n_starts++) {
        int64_t *start = &history->starts[history->n_starts];
        VOLT_TRY(volt_fields_index(fields, "starts", starts->data[history->n_starts], least,
                                   live->model->n + pushed, start));
        least = *start + 1;
    }
    return VOLT_OK;
}

/* Solves again for the row whose target is pending. */
static volt_status read_pending(const volt_file_fields *fields, volt_live *live)
{
    int64_t columns = count_columns(live);
    if (!live->pending)
        return VOLT_OK;
    VOLT_TRY(volt_grow((void **)&live->k, &live->k_size, columns, sizeof *live->k));
    VOLT_TRY(volt_fields_copy(fields, "pending_kernel", columns, 0, live->k));
    window_solve(live);
    return VOLT_OK;
}

/* Reads one pending row. Its kernel starts at the first kept column. */
static volt_status read_late_row(const volt_file_fields *fields, volt_live *live, int64_t number,
                                 const volt_tensor *kernels, int64_t *taken)
{
    volt_late_row *row = &live->late[number % live->n_late];
    int64_t begin = volt_moving_begin(live->moving), length = number - begin + 1;
    VOLT_REQUIRE(*taken + length <= kernels->rows, VOLT_ERR_FORMAT,
                 "%s: tensor \"late_kernels\" has %" PRId64 " numbers, too few for row %" PRId64, fields->path,
                 kernels->rows, number);
    VOLT_TRY(volt_grow((void **)&row->k, &row->capacity, length, sizeof *row->k));
    memcpy(row->k, kernels->data + *taken, (size_t)length * sizeof *row->k);
    *taken += length;
    row->number = number;
    row->first = begin;
    return VOLT_OK;
}

static volt_status read_late(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *numbers = NULL, *kernels = NULL, *x = NULL;
    int64_t inputs = live->model->recipe.inputs, taken = 0, least = 0;
    int64_t begin = volt_moving_begin(live->moving), next = volt_moving_next(live->moving);
    if (!volt_safetensors_tensor(fields->file, "late"))
        return VOLT_OK;
    VOLT_TRY(volt_fields_tensor(fields, "late", -1, 0, &numbers));
    VOLT_TRY(volt_fields_tensor(fields, "late_kernels", -1, 0, &kernels));
    VOLT_TRY(volt_fields_tensor(fields, "late_inputs", numbers->rows * inputs, 0, &x));
    least = next - 1 - live->n_late > begin ? next - 1 - live->n_late : begin;
    if (live->n > 0 && live->numbers[live->n - 1] >= least)
        least = live->numbers[live->n - 1] + 1; /* they are learned in order */
    for (int64_t i = 0; i < numbers->rows; i++) {
        int64_t number = 0;
        VOLT_TRY(volt_fields_index(fields, "late", numbers->data[i], least, next - 2, &number));
        VOLT_TRY(read_late_row(fields, live, number, kernels, &taken));
        volt_late_row *row = &live->late[number % live->n_late];
        memcpy(row->x, x->data + i * inputs, (size_t)inputs * sizeof *row->x);
        least = number + 1;
    }
    VOLT_REQUIRE(taken == kernels->rows, VOLT_ERR_FORMAT,
                 "%s: tensor \"late_kernels\" has %" PRId64 " numbers, but its rows are %" PRId64 " long",
                 fields->path, kernels->rows, taken);
    return VOLT_OK;
}

/* ---- load: the rest --------------------------------------------------------------------------- */

static volt_status read_kernel_state(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *state = NULL;
    VOLT_TRY(volt_fields_tensor(fields, "state", volt_state_length(live->kernel_state), 0, &state));
    volt_state_set(live->kernel_state, state->data);
    for (int64_t k = 0; k < live->recent.n_fed_outputs; k++)
        live->y[k] = volt_feedback_output(&live->model->recipe.fed_outputs, k, live->recent.fed_outputs[k]);
    return live->recent.n_fed_outputs > 0 ? volt_fields_flag(fields, "strays", &live->diverged) : VOLT_OK;
}

static volt_status read_window(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *moving = NULL;
    VOLT_TRY(volt_fields_count(fields, "learned", &live->learned));
    VOLT_TRY(volt_fields_flag(fields, "pending", &live->pending));
    VOLT_REQUIRE(!live->pending || live->pushed > 0, VOLT_ERR_FORMAT,
                 "%s: the target of a row is pending, but no row was fed", fields->path);
    VOLT_TRY(volt_fields_tensor(fields, "moving", -1, 0, &moving));
    volt_status status = volt_moving_set(live->moving, moving->data, moving->rows);
    if (status == VOLT_ERR_FORMAT)
        return volt_fail_prefix(status, "%s", fields->path);
    VOLT_TRY(status);
    VOLT_TRY(read_numbers(fields, live));
    VOLT_TRY(read_groups(fields, live));
    VOLT_TRY(read_means(fields, live));
    VOLT_TRY(read_history(fields, live));
    VOLT_TRY(read_late(fields, live));
    return read_pending(fields, live);
}

/* For an object that learned, in version 1.0: predictions are stored with the pending rows. */
static volt_status read_waiting_predictions(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *late = NULL, *late_made = NULL;
    int64_t q = live->model->q, rows = live->model->ahead + 1, next = volt_moving_next(live->moving);
    for (int64_t i = 0; i < rows * q; i++)
        live->predictions[i] = DBL_MAX;
    live->n_predictions = rows;
    if (live->pending)
        VOLT_TRY(volt_fields_copy(fields, "pending_forecast", q, 0, live_prediction(live, 0)));
    if (!volt_safetensors_tensor(fields->file, "late"))
        return VOLT_OK;
    VOLT_TRY(volt_fields_tensor(fields, "late", -1, 0, &late));
    VOLT_TRY(volt_fields_tensor(fields, "late_forecasts", late->rows * q, 0, &late_made));
    for (int64_t i = 0; i < late->rows; i++) /* read_late has checked the numbers */
        memcpy(live_prediction(live, next - 1 - (int64_t)late->data[i]), late_made->data + i * q,
               (size_t)q * sizeof(double));
    return VOLT_OK;
}

static volt_status read_predictions(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *made = NULL;
    bool older = !volt_safetensors_metadata(fields->file, "learns");
    if (older && !volt_safetensors_tensor(fields->file, "made"))
        return live->learns ? read_waiting_predictions(fields, live) : VOLT_OK;
    VOLT_TRY(volt_fields_tensor(fields, "made", -1, 0, &made));
    int64_t q = live->model->q, rows = made->rows / q;
    VOLT_REQUIRE(made->rows == rows * q && rows <= live->model->ahead + 1 && (rows > 0 || !live->pending),
                 VOLT_ERR_FORMAT,
                 "%s: tensor \"made\" has %" PRId64 " numbers, which are not predictions of %" PRId64
                 " outputs that wait %" PRId64 " rows",
                 fields->path, made->rows, q, live->model->ahead);
    memcpy(live->predictions, made->data, (size_t)made->rows * sizeof *live->predictions);
    live->n_predictions = rows;
    return VOLT_OK;
}

static volt_status read_interval(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *coverages = NULL, *scores = NULL;
    if (!volt_safetensors_tensor(fields->file, "coverages"))
        return VOLT_OK;
    VOLT_TRY(volt_fields_tensor(fields, "coverages", -1, 0, &coverages));
    volt_status status = volt_live_track(live, coverages->data, coverages->rows);
    if (status == VOLT_ERR_ARGUMENT)
        return volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path);
    VOLT_TRY(status);
    VOLT_TRY(volt_fields_tensor(fields, "scores", volt_interval_length(live->interval), 0, &scores));
    VOLT_REQUIRE(volt_interval_set(live->interval, scores->data), VOLT_ERR_FORMAT,
                 "%s: tensor \"scores\" does not hold errors of predictions", fields->path);
    live_update_half_widths(live);
    return VOLT_OK;
}

static volt_status live_read_fields(const volt_file_fields *fields, volt_live *live);

static volt_status read_member(const volt_file_fields *fields, int64_t i, volt_live *live)
{
    volt_live *member = live->members[i];
    volt_file_fields own;
    VOLT_TRY(volt_fields_member(fields, i, &own));
    volt_status status = live_read_fields(&own, member);
    volt_fields_member_free(&own);
    if (status == VOLT_ERR_FORMAT)
        return volt_fail_prefix(status, "member %" PRId64, i + 1);
    VOLT_TRY(status);
    VOLT_REQUIRE(member->pushed == live->pushed, VOLT_ERR_FORMAT,
                 "%s: \"rows\" of member %" PRId64 " is %" PRId64 ", but that of the sum is %" PRId64,
                 fields->path, i + 1, member->pushed, live->pushed);
    return VOLT_OK;
}

static volt_status live_read_members(const volt_file_fields *fields, volt_live *live)
{
    for (int64_t i = 0; i < live->model->sum->n; i++)
        VOLT_TRY(read_member(fields, i, live));
    return VOLT_OK;
}

static volt_status read_state(const volt_file_fields *fields, volt_live *live)
{
    VOLT_TRY(read_head(fields, live));
    VOLT_TRY(live->learns    ? read_window(fields, live)
             : live->members ? live_read_members(fields, live)
                             : read_kernel_state(fields, live));
    VOLT_TRY(read_predictions(fields, live));
    VOLT_TRY(detector_read(fields, live->model, &live->detector));
    return read_interval(fields, live);
}

static volt_status live_read_fields(const volt_file_fields *fields, volt_live *live)
{
    bool learns = false;
    VOLT_TRY(check_head(fields, live->model, &learns));
    VOLT_REQUIRE(!learns, VOLT_ERR_FORMAT, "%s: \"learns\" must be no in a sum", fields->path);
    return read_state(fields, live);
}

static volt_status open_fields(const volt_file_fields *fields, const volt_model *model, int learn,
                               const volt_live_options *options, volt_live **live)
{
    volt_live_options opts = *options;
    bool learns = false;
    VOLT_TRY(check_head(fields, model, &learns));
    VOLT_REQUIRE(learn < 0 || learn == learns, VOLT_ERR_FORMAT, "%s was saved with learn %d, but learn is %d",
                 fields->path, learns, learn);
    if (learns) {
        VOLT_TRY(read_options(fields, &opts));
        VOLT_TRY(live_begin(model, &opts, live));
    } else {
        VOLT_TRY(volt_live_open(model, VOLT_START_RESET, opts.beyond, live));
    }
    return read_state(fields, *live);
}

/* All numbers of the file are finite, but those computed from extreme ones may not be. Such a state could not be saved. */
static volt_status check_loaded(const volt_file_fields *fields, const volt_live *live)
{
    volt_file_writer writer = {0};
    live_put_state(live, &writer);
    volt_status status = writer.failed ? VOLT_ERR_MEMORY : check_finite(&writer);
    volt_writer_release(&writer);
    return status == VOLT_ERR_NOT_FINITE ? volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path) : status;
}

/* Creates the object of a state file. `learn`: 1 or 0, as required of the file; -1: either. On failure
 * *live, if not NULL, can only be freed. */
static volt_status live_read_state(const volt_model *model, const char *path, int learn,
                                   const volt_live_options *options, volt_live **live)
{
    volt_safetensors *file = NULL;
    VOLT_TRY(volt_safetensors_read(path, &file));
    const volt_file_fields fields = {.file = file, .path = path, .kind = "the state of a volterra model"};
    volt_status status = open_fields(&fields, model, learn, options, live);
    if (status == VOLT_OK)
        status = check_loaded(&fields, *live);
    volt_safetensors_free(file);
    return status;
}

/* ---- creation, or from a file ------------------------------------------------------------------------------------ */

/* Adds intervals and a detector to an object. */
static volt_status finish(volt_live *live, const volt_live_options *options, const char *path)
{
    live->free_run = options->free_run != 0;
    live->progress = options->progress;
    if (path && !(live->path = volt_strdup(path)))
        return VOLT_ERR_MEMORY;
    if (options->n_coverages > 0 && !live->interval)
        VOLT_TRY(volt_live_track(live, options->coverages, options->n_coverages));
    if (options->alarm_rate != 0 && !live->detector)
        VOLT_TRY(detector_create(live->model, options->alarm_rate, options->scale_rows, &live->detector));
    return VOLT_OK;
}

/* The file is locked before it is read, so that no other object can save in between. `must` 1: it must
 * exist. */
static volt_status make_live(const volt_model *model, const volt_live_options *options, const char *path,
                             bool lock, bool must, int learn, volt_live **live)
{
    volt_state_lock *held = NULL;
    volt_live *fresh = NULL;
    VOLT_TRY(volt_coverages_check(options->coverages, options->n_coverages));
    if (lock)
        VOLT_TRY(volt_state_lock_take(path, &held));
    bool resumes = must;
    volt_status status = path && !must ? volt_file_exists(path, &resumes) : VOLT_OK;
    if (status == VOLT_OK)
        status =
            resumes ? live_read_state(model, path, learn, options, &fresh) : create_new(model, options, &fresh);
    if (status == VOLT_OK) {
        fresh->lock = held;
        held = NULL;
        fresh->resumed = resumes;
        status = finish(fresh, options, path);
    }
    volt_state_lock_free(held);
    if (status == VOLT_OK)
        *live = fresh;
    else
        volt_live_free(fresh);
    return status;
}

volt_status volt_live_create(const volt_model *model, const volt_live_options *options, volt_live **live)
{
    VOLT_REQUIRE(model && live, VOLT_ERR_ARGUMENT, "the model or the output for the live object is NULL");
    volt_live_options opts = volt_live_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_live_options"));
    VOLT_TRY(volt_beyond_check(opts.beyond));
    return make_live(model, &opts, opts.state, opts.state != NULL, false, opts.learn != 0, live);
}

volt_status volt_live_load(const volt_model *model, const volt_live_options *options, const char *path,
                           volt_live **live)
{
    VOLT_REQUIRE(model && path && live, VOLT_ERR_ARGUMENT,
                 "the model, the path or the output for the live object is NULL");
    volt_live_options opts = volt_live_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_live_options"));
    VOLT_TRY(volt_beyond_check(opts.beyond));
    return make_live(model, &opts, path, opts.lock != 0, true, options ? opts.learn != 0 : -1, live);
}

/* ---- release ---------------------------------------------------------------------------------- */

void volt_live_free(volt_live *live)
{
    if (!live)
        return;
    volt_state_lock_free(live->lock);
    volt_free(live->path);
    for (int64_t i = 0; live->members && i < live->model->sum->n; i++)
        volt_live_free(live->members[i]);
    volt_free(live->members);
    volt_state_free(live->kernel_state);
    volt_free(live->coefficients);
    volt_moving_free(live->moving);
    volt_recent_release(&live->recent);
    for (int64_t g = 0; g < live->n_groups; g++) {
        volt_online_free(live->groups[g].factor);
        volt_free(live->groups[g].outputs);
        volt_free(live->groups[g].constant);
        volt_free(live->groups[g].y);
    }
    volt_free(live->groups);
    means_release(&live->means);
    volt_free(live->history.rows);
    volt_free(live->history.starts);
    volt_free(live->numbers);
    volt_free(live->last);
    volt_free(live->z);
    volt_free(live->y);
    late_free(live);
    volt_free(live->k);
    volt_free(live->fresh);
    volt_free(live->seen);
    volt_free(live->predictions);
    volt_interval_free(live->interval);
    volt_free(live->half);
    detector_free(live->detector);
    volt_free(live);
}

/* ---- facts ------------------------------------------------------------------------------------ */

/* Block size of volt_live_predict for a long sequence. */
static int64_t block_rows(const volt_live *live)
{
    enum { MANY = 1 << 20 };
    int64_t most = 1;
    for (int64_t i = 0; live->members && i < live->model->sum->n; i++)
        most = volt_max(most, block_rows(live->members[i]));
    if (live->members)
        return most;
    return live->learns
               ? 1
               : volt_block_rows_at(volt_backend_current(), MANY, volt_model_reader_of(live->model).columns->m);
}

volt_status volt_live_get_info(const volt_live *live, volt_live_info *info)
{
    VOLT_REQUIRE(live && info, VOLT_ERR_ARGUMENT, "the live object or the output for its info is NULL");
    double condition = 1;
    for (int64_t g = 0; g < live->n_groups; g++)
        condition = fmax(condition, volt_online_condition(live->groups[g].factor));
    volt_live_info now = {
        .learns = live->learns,
        .rows = live->n,
        .window = live->window,
        .forget = live->learns ? live->forget : 1,
        .forget_what = live->forget_what,
        .rows_fed = live->pushed,
        .learned = live->learned,
        .beyond = live->beyond,
        .condition = condition,
        .resumed = live->resumed,
        .last = live->pushed > 0 ? live->last : NULL,
        .coverages = live->interval ? live->interval->coverages : NULL,
        .n_coverages = live->interval ? live->interval->count : 0,
        .block_rows = block_rows(live),
    };
    return volt_result_copy(info, &now, sizeof now, "volt_live_info");
}

/* Copies the coefficients of one group to the columns of its outputs. `a` is a buffer of n x group->n
 * numbers and group->n more. */
static void give_coefficients(const volt_live *live, const volt_live_group *group, double *a, volt_matrix A,
                              double *c)
{
    double *outputs = a + live->n * group->n, common = live_common(live);
    volt_online_coefficients(group->factor, group->constant, volt_matrix_of(a, live->n, group->n), outputs);
    for (int64_t i = 0; i < group->n; i++) {
        int64_t k = group->outputs[i];
        double share = live->model->shares[k], sum = 0;
        for (int64_t j = 0; j < live->n; j++) {
            A.data[j * A.ld + k] = share * a[j * group->n + i];
            sum += A.data[j * A.ld + k];
        }
        c[k] = share * outputs[i] - common * sum;
    }
}

volt_status volt_live_coefficients(const volt_live *live, volt_matrix A, double *c, int64_t *t)
{
    VOLT_REQUIRE(live && c, VOLT_ERR_ARGUMENT, "the live object or the output for the intercepts is NULL");
    VOLT_REQUIRE(live->learns, VOLT_ERR_ARGUMENT,
                 "the coefficients are the model's: the object does not learn");
    const volt_model *model = live->model;
    VOLT_REQUIRE(A.rows == live->n && A.cols == model->q && A.ld >= A.cols && (A.data || A.rows == 0),
                 VOLT_ERR_SHAPE,
                 "the coefficients must be %" PRId64 " x %" PRId64 " (got %" PRId64 " x %" PRId64 ")", live->n,
                 model->q, A.rows, A.cols);
    double *a = volt_alloc_doubles(live->n + 1, model->q);
    if (!a)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < live->n; i++)
        memset(A.data + i * A.ld, 0, (size_t)A.cols * sizeof *A.data);
    means_forecast(&live->means, live->n, c);
    for (int64_t g = 0; g < live->n_groups; g++)
        give_coefficients(live, &live->groups[g], a, A, c);
    if (t)
        memcpy(t, live->numbers, (size_t)live->n * sizeof *t);
    volt_free(a);
    return VOLT_OK;
}

/* ---- copies ------------------------------------------------------------------------------------- */

/* Copies of live objects. */

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
    VOLT_TRY(live_reserve(live, source->n + 1));
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
    window_solve(live);
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
        VOLT_TRY(live_begin(model, &options, &fresh));
    else if (source->members)
        VOLT_TRY(live_open_sum(model, VOLT_START_RESET, source->policy, source, &fresh));
    else
        VOLT_TRY(live_open_at(model, source->policy, source->kernel_state, &source->recent, &fresh));
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
        status = detector_copy(source->detector, model, &fresh->detector);
    if (status == VOLT_OK)
        *live = fresh;
    else
        volt_live_free(fresh);
    return status;
}

/* ---- live model --------------------------------------------------------------------------------- */

/* Fits a model to all rows learned so far.
 *
 * Kernel, scales, alphas, target kinds and shares are taken from the previous model. With these settings the
 * exact solver (solve/solver_table.h) fits the rows of that model and those pushed since. It also computes
 * the errors of all rows, for intervals, and the factor, for standard deviations.
 *
 * Inputs are recomputed from the history with the recipe and the policy in use then. Targets of the window
 * rows are recovered from its factors, Y = L W. The model ends before the last `ahead` rows, which have no
 * target yet. */

typedef struct model_task {
    const volt_live *live;
    const volt_model *base;
    volt_model *model;
    int64_t added;    /* rows of the history in the model */
    double *Z;        /* n x d: all inputs as passed to the kernel */
    bool *without;    /* n - washout: rows that are not fitted */
    int64_t *lengths; /* of records */
    int64_t n_records;
    double *unlearned;
    volt_chosen *outputs;
    double *weights; /* of reservoirs */
} model_task;

static void release(model_task *task)
{
    volt_free(task->Z);
    volt_free(task->without);
    volt_free(task->lengths);
    volt_free(task->unlearned);
    volt_free(task->outputs);
    volt_free(task->weights);
}

/* ---- settings --------------------------------------------------------------------------------- */

/* Copies the kernel, with the ball of the previous model. */
static volt_status copy_kernel(model_task *task)
{
    const volt_model *base = task->base;
    volt_model *model = task->model;
    volt_extent extents[VOLT_MAX_FACTORS];
    volt_saved_weights weights;
    VOLT_TRY(volt_kernel_parse(volt_kernel_text(base->kernel), &model->kernel));
    model->initial = base->initial;
    VOLT_TRY(volt_initial_values(base->initial_values ? VOLT_INITIAL_VALUES : base->initial,
                                 base->initial_values, volt_view_of(NULL, 0, base->recipe.inputs),
                                 &model->initial_values));
    model->recipe.initial = model->initial_values;
    VOLT_TRY(volt_initial_past(base->initial, base->past.input, base->past.n, &model->past));
    VOLT_TRY(volt_kernel_use_past(model->kernel, &model->past));
    volt_recipe_use_filters(&model->recipe, model->kernel);
    int64_t slices = volt_kernel_slices(model->kernel);
    VOLT_TRY(
        volt_extents_of(volt_view_of(base->columns->given, base->n, base->d), slices, "the inputs", extents));
    model->largest = volt_alloc_doubles(slices, 1);
    if (!model->largest)
        return VOLT_ERR_MEMORY;
    for (int64_t s = 0; s < slices; s++) {
        extents[s].radius = volt_slice_radius(&base->resolved, s);
        extents[s].largest = model->largest[s] = base->largest ? base->largest[s] : extents[s].largest;
    }
    VOLT_TRY(volt_weights_of(base, model->kernel, &weights, &task->weights));
    volt_status status =
        volt_kernel_resolve_slices(model->kernel, extents, model->recipe.columns, &model->resolved);
    volt_weights_detach(model->kernel);
    return status;
}

static void copy_numbers(const volt_model *base, volt_model *model)
{
    size_t each = (size_t)base->q * sizeof(double);
    model->washout = base->washout;
    model->ahead = base->ahead;
    model->intercept = base->intercept;
    model->scaled = base->scaled;
    model->scale_each = base->scale_each;
    model->feedback = base->feedback;
    model->season = base->season;
    model->kind = base->kind;
    model->input.scale = base->input.scale;
    memcpy(model->input.shift, base->input.shift, (size_t)base->recipe.columns * sizeof(double));
    memcpy(model->target_mean, base->target_mean, each);
    memcpy(model->target_scale, base->target_scale, each);
    memcpy(model->alphas, base->alphas, each);
    memcpy(model->shares, base->shares, each);
    memcpy(model->anchors, base->anchors, (size_t)base->q * sizeof *model->anchors);
}

static volt_status copy_settings(model_task *task)
{
    const volt_model *base = task->base;
    volt_model *model = task->model;
    copy_numbers(base, model);
    VOLT_TRY(volt_recipe_copy(&base->recipe, &model->recipe));
    VOLT_TRY(volt_names_copy((const char *const *)base->input_names, base->recipe.inputs, &model->input_names));
    VOLT_TRY(volt_names_copy((const char *const *)base->output_names, base->q, &model->output_names));
    VOLT_TRY(volt_notes_copy(&base->notes, &model->notes));
    return copy_kernel(task);
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Lengths of the records of the previous model and of those started since. */
static volt_status find_records(model_task *task)
{
    const volt_model *base = task->base;
    const volt_feedback_rows *history = &task->live->history;
    int64_t before = volt_max(base->n_records, 1), begin = base->n, count = before;
    task->lengths = volt_alloc(before + history->n_starts, sizeof *task->lengths);
    if (!task->lengths)
        return VOLT_ERR_MEMORY;
    task->lengths[0] = base->n;
    for (int64_t r = 0; r < base->n_records; r++)
        task->lengths[r] = base->records[r];
    begin -= task->lengths[before - 1];
    for (int64_t i = 0; i < history->n_starts; i++) {
        task->lengths[count - 1] = history->starts[i] - begin;
        begin = history->starts[i];
        count++;
    }
    task->lengths[count - 1] = base->n + task->added - begin;
    task->n_records = count;
    VOLT_REQUIRE(task->lengths[count - 1] > 0, VOLT_ERR_ARGUMENT,
                 "no row of the last record has a target: a model requires more than %" PRId64 " rows of it",
                 base->ahead);
    return VOLT_OK;
}

/* The rows as passed to the kernel, and the state of the recipe after the last. */
static volt_status make_rows(model_task *task)
{
    const volt_live *live = task->live;
    const volt_model *base = task->base;
    volt_model *model = task->model;
    int64_t inputs = base->recipe.inputs, width = inputs + base->q, beyond = 0, next_start = 0;
    task->Z = volt_alloc_doubles(model->n, model->d);
    if (!task->Z)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < base->n; i++)
        volt_columns_row(base->columns, i, task->Z + i * base->d);
    if (base->input_range) {
        VOLT_TRY(volt_model_extend_range(model, volt_view_of(base->input_range, 2, inputs)));
        VOLT_TRY(volt_model_extend_range(model, (volt_view){live->history.rows, task->added, inputs, width}));
    }
    VOLT_TRY(volt_recent_create(&model->recipe, &model->recent));
    volt_recent_copy(&model->recipe, &base->recent, &model->recent);
    for (int64_t i = 0; i < task->added; i++) {
        const double *x = live->history.rows + i * width;
        if (next_start < live->history.n_starts && live->history.starts[next_start] == base->n + i) {
            volt_recent_restart(&model->recent);
            next_start++;
        }
        VOLT_TRY(volt_model_take_input(base, &model->recent, x, live->policy, i,
                                       task->Z + (base->n + i) * base->d, &beyond));
        volt_recent_push(&model->recipe, &model->recent, x);
        volt_recent_feed(&model->recipe, &model->recent, x + inputs);
    }
    return VOLT_OK;
}

/* Row i of L W of a group into the targets of its outputs. */
static void take_group_targets(const volt_live_group *group, int64_t i, double *y)
{
    const volt_online_factor *f = group->factor;
    int64_t width = f->q + 1;
    for (int64_t g = 0; g < group->n; g++)
        y[group->outputs[g]] = 0;
    for (int64_t j = 0; j <= i; j++) {
        double l = f->L[(f->start + j) * f->capacity + f->start + i];
        const double *w = f->W + (f->start + j) * width;
        for (int64_t g = 0; g < group->n; g++)
            y[group->outputs[g]] += l * w[g];
    }
}

/* Writes the scaled targets of the kept rows to model->coefficients; 0 for rows without a target. */
static void take_targets(model_task *task)
{
    const volt_live *live = task->live;
    const volt_live_means *means = &live->means;
    volt_model *model = task->model;
    int64_t w = model->washout, q = model->q;
    memset(model->coefficients, 0, (size_t)(model->n * q) * sizeof(double));
    for (int64_t t = 0; t < model->n - w; t++)
        task->without[t] = true;
    for (int64_t i = 0; i < live->n; i++) {
        double *y = model->coefficients + live->numbers[i] * q;
        task->without[live->numbers[i] - w] = false;
        for (int64_t g = 0; g < live->n_groups; g++)
            take_group_targets(&live->groups[g], i, y);
        for (int64_t m = 0; m < means->n; m++)
            y[means->outputs[m]] = means->Y[i * means->n + m];
    }
}

/* The target of the last row, in its units. */
static void take_last_target(model_task *task)
{
    const volt_model *base = task->base;
    volt_model *model = task->model;
    int64_t width = base->recipe.inputs + base->q;
    model->no_last_target = task->without[model->n - 1 - model->washout];
    model->ends_without_target = model->no_last_target && model->recipe.fed_outputs.n > 0;
    if (task->added == 0)
        memcpy(model->last_target, base->last_target, (size_t)model->q * sizeof(double));
    else if (!model->no_last_target)
        memcpy(model->last_target, task->live->history.rows + (task->added - 1) * width + base->recipe.inputs,
               (size_t)model->q * sizeof(double));
}

/* ---- the readout ------------------------------------------------------------------------------ */

/* Keeps the alpha, intercept and share of each output. */
static void take_choice(model_task *task)
{
    const volt_live *live = task->live;
    for (int64_t g = 0; g < live->n_groups; g++)
        for (int64_t i = 0; i < live->groups[g].n; i++)
            task->outputs[live->groups[g].outputs[i]].constant = live->groups[g].constant[i];
    for (int64_t i = 0; i < live->means.n; i++)
        task->outputs[live->means.outputs[i]].constant = live->means.constant[i];
    for (int64_t k = 0; k < task->model->q; k++) {
        task->outputs[k].alpha = task->model->alphas[k];
        task->outputs[k].share = task->model->shares[k];
    }
}

static volt_status solve(model_task *task, bool keep_factor, volt_progress progress)
{
    volt_model *model = task->model;
    int64_t w = model->washout, q = model->q, kept = model->n - w;
    volt_view Z = volt_view_of(task->Z, model->n, model->d);
    volt_row_errors errors[VOLT_ROW_ERRORS];
    volt_choice choice = {.ahead = volt_max(model->ahead, 1), .decided = true, .outputs = task->outputs};
    volt_readout readout = {.A = volt_matrix_of(model->coefficients + w * q, kept, q),
                            .intercepts = model->intercepts,
                            .unlearned = task->unlearned};
    volt_solver_task work = {.washout = w,
                             .without = task->without,
                             .intercept = model->intercept,
                             .common = model->intercept ? model->resolved.common : 0,
                             .choice = &choice,
                             .errors = errors,
                             .progress = progress};
    VOLT_TRY(volt_errors_prepare(kept, q, choice.ahead, task->without, kept, &model->errors, errors));
    if (keep_factor) {
        VOLT_TRY(volt_stored_factors_create(q, &model->stored_factors));
        work.stored_factors = &model->stored_factors;
    } else {
        VOLT_TRY(volt_readout_allocate(model));
    }
    VOLT_TRY(volt_kernel_operator(&model->resolved, model->columns, Z, false, &work.kernel));
    if (model->states)
        volt_kernel_operator_use_states(work.kernel, model->states);
    volt_status status = volt_solver_exact.solve(&work, &readout);
    model->rcond = readout.rcond;
    if (status == VOLT_OK && model->states)
        status = volt_operator_fold(work.kernel, volt_view_of(model->coefficients, model->n, q),
                                    volt_matrix_of(model->states_readout, model->states->m, q), progress);
    if (status == VOLT_OK)
        status = volt_kernel_operator_end(work.kernel, &model->end);
    volt_operator_free(work.kernel);
    return status;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static volt_status make_model(model_task *task, bool keep_factor, volt_progress progress)
{
    volt_model *model = task->model;
    task->without = volt_alloc_zero(model->n, sizeof *task->without);
    task->unlearned = volt_alloc_doubles(model->q, 1);
    task->outputs = volt_alloc_zero(model->q, sizeof *task->outputs);
    if (!task->without || !task->unlearned || !task->outputs)
        return VOLT_ERR_MEMORY;
    VOLT_TRY(copy_settings(task));
    VOLT_TRY(find_records(task));
    VOLT_TRY(make_rows(task));
    VOLT_TRY(volt_model_use_records(model, task->lengths, task->n_records));
    VOLT_TRY(volt_model_pack(model, volt_view_of(task->Z, model->n, model->d), progress));
    take_targets(task);
    take_last_target(task);
    take_choice(task);
    return solve(task, keep_factor, progress);
}

static volt_status check_can_become_model(const volt_live *live)
{
    VOLT_REQUIRE(live->learns, VOLT_ERR_ARGUMENT, "the object does not learn, so it has no new model");
    VOLT_REQUIRE(live->window == 0 && live->forget == 1, VOLT_ERR_ARGUMENT,
                 "a model requires all rows: window is %" PRId64
                 " and forget is %g, but they must be 0 (all) and 1",
                 live->window, live->forget);
    VOLT_REQUIRE(live->history.complete, VOLT_ERR_ARGUMENT,
                 "the state was read from a file of version 1.0 or before, which does not have the %" PRId64
                 " rows fed since the model ended",
                 live->pushed);
    VOLT_REQUIRE(live->n > 0, VOLT_ERR_ARGUMENT, "the window has no rows to make_model a model of");
    return VOLT_OK;
}

volt_status volt_live_model(const volt_live *live, int keep_factor, volt_progress progress, volt_model **model)
{
    VOLT_REQUIRE(live && model, VOLT_ERR_ARGUMENT, "the live object or the output for the model is NULL");
    VOLT_TRY(check_can_become_model(live));
    const volt_model *base = live->model;
    int64_t known = volt_max(live->pushed - base->ahead, live->numbers[live->n - 1] + 1 - base->n);
    model_task task = {.live = live, .base = base, .added = volt_max(known, 0)};
    volt_blas_use use;
    VOLT_TRY(volt_model_allocate(base->n + task.added, base->d, base->q, &task.model));
    volt_status status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        status = make_model(&task, keep_factor != 0, progress);
        volt_blas_release(&use);
    }
    release(&task);
    if (status == VOLT_OK)
        *model = task.model;
    else
        volt_model_free(task.model);
    return status;
}
