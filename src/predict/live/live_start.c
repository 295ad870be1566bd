/* src/predict/live/live_start.c: the window at the end of the training rows of a model.
 *
 * A model keeps inputs and coefficients but no targets. They follow from the readout,
 *
 *     y_i = (K A)_i + c + alpha A_i       (share = 1; half of a readout is half of that)
 *
 * The rows of K of the window are computed again, against all training rows. Their columns in the window are
 * its Gram matrix. */
#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "predict/live/live_internal.h"
#include "solve/exact/operator.h"

#include <string.h>

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
    VOLT_TRY(volt_means_start(&task->live->means, model, task->rows, task->n, task->n - dropped));
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
    VOLT_TRY(volt_live_reserve(live, task->n + 1));
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

volt_status volt_live_start(volt_live *live, volt_progress progress)
{
    start_task task = {.live = live, .model = live->model};
    volt_status status = start(&task, progress);
    volt_free(task.block);
    volt_free(task.fitted);
    volt_free(task.rows);
    volt_records_release(&task.records);
    return status;
}
