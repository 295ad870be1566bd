/* src/fit/fit_rows.c: training rows, stored or computed on demand. */
#include "fit/fit_task.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/kernel_entry.h"
#include "model/initial.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096 }; /* rows per block: at least the number that volt_kernel_warn reads */

/* ---- computed on demand ------------------------------------------------------------------------- */

/* Unscaled columns of row `next`. Increments `next`. */
static void make_columns(volt_fit_rows *rows, double *columns)
{
    const volt_recipe *recipe = &rows->model->recipe;
    const double *x = rows->task->X.data + rows->next * rows->task->X.ld;
    if (rows->next == 0 || volt_records_begins(rows->task->records, rows->next))
        volt_recent_restart(&rows->recent);
    volt_recipe_row(recipe, &rows->recent, x, columns);
    volt_recent_push(recipe, &rows->recent, x);
    rows->next++;
}

static void make_row(volt_fit_rows *rows, double *z)
{
    const volt_model *model = rows->model;
    make_columns(rows, z);
    volt_input_scale_row(&model->input, model->recipe.columns, z, z);
    volt_recent_filter(&model->recipe, &rows->recent, z);
}

/* For volt_input_scale_learn_rows, which reads rows in order. */
static const double *columns_of(void *context, int64_t i)
{
    volt_fit_rows *rows = context;
    rows->next = i;
    make_columns(rows, rows->workspace);
    return rows->workspace;
}

void volt_fit_rows_get(volt_fit_rows *rows, int64_t first, volt_matrix Z)
{
    if (rows->Z.data) {
        for (int64_t i = 0; i < Z.rows; i++)
            memcpy(Z.data + i * Z.ld, rows->Z.data + (first + i) * rows->Z.ld, (size_t)Z.cols * sizeof(double));
        return;
    }
    int64_t begin = volt_records_begin(rows->task->records, first);
    if (rows->next > first || rows->next < begin)
        rows->next = begin; /* start of the record */
    while (rows->next < first)
        make_row(rows, rows->workspace);
    for (int64_t i = 0; i < Z.rows; i++)
        make_row(rows, Z.data + i * Z.ld);
}

/* ---- begin ------------------------------------------------------------------------------------ */

/* Fills Z with columns of the inputs and of fed-back targets, then scales and filters them. */
static volt_status store(volt_fit_rows *rows, volt_matrix Z)
{
    const fit_task *task = rows->task;
    volt_model *model = rows->model;
    volt_matrix columns = {Z.data, Z.rows, model->recipe.columns, Z.ld}; /* before filtering */
    volt_view own = {Z.data, Z.rows, volt_recipe_input_columns(&model->recipe), Z.ld};
    while (rows->next < Z.rows)
        make_columns(rows, Z.data + rows->next * Z.ld);
    VOLT_TRY(
        volt_input_scale_learn(own, !volt_kernel_keeps_origin(model->kernel), !model->scaled, &model->input));
    if (model->recipe.fed_outputs.n > 0)
        VOLT_TRY(volt_feedback_learn(&model->recipe.fed_outputs, task->Y, task->records, model->target_mean,
                                     model->target_scale, !model->scaled, model->initial == VOLT_INITIAL_FIRST,
                                     columns, &model->input));
    VOLT_TRY(volt_model_settle_past(model));
    for (int64_t i = 0; i < Z.rows; i++) {
        double *z = Z.data + i * Z.ld;
        if (volt_records_begins(task->records, i) && rows->recent.bank.state)
            volt_filter_bank_reset(&rows->recent.bank);
        volt_input_scale_row(&model->input, columns.cols, z, z);
        volt_recent_filter(&model->recipe, &rows->recent, z);
    }
    rows->Z = volt_as_view(Z);
    return VOLT_OK;
}

static volt_status learn(volt_fit_rows *rows)
{
    volt_model *model = rows->model;
    volt_row_source source = {
        .rows = rows->Z.rows, .cols = model->recipe.columns, .row = columns_of, .context = rows};
    VOLT_TRY(volt_input_scale_learn_rows(&source, !volt_kernel_keeps_origin(model->kernel), !model->scaled,
                                         &model->input));
    VOLT_TRY(volt_model_settle_past(model));
    rows->next = 0;
    while (rows->next < rows->Z.rows) /* state before the row after the last */
        make_row(rows, rows->workspace);
    return VOLT_OK;
}

volt_status volt_fit_rows_begin(const fit_task *task, volt_model *model, int64_t d, bool stored,
                                volt_fit_rows *rows)
{
    int64_t n = task->X.rows;
    *rows = (volt_fit_rows){.task = task, .model = model, .Z = volt_view_of(NULL, n, d)};
    VOLT_TRY(volt_recent_create(&model->recipe, &model->recent));
    VOLT_TRY(volt_recent_create(&model->recipe, &rows->recent));
    double *memory = volt_alloc_doubles(stored ? n : 1, d);
    if (!memory)
        return VOLT_ERR_MEMORY;
    volt_status status = VOLT_OK;
    if (stored) {
        status = store(rows, volt_matrix_of(memory, n, d));
        rows->Z.data = memory; /* released by the caller in every case */
    } else {
        rows->workspace = memory;
        status = learn(rows);
    }
    if (status == VOLT_OK)
        volt_recent_copy(&model->recipe, &rows->recent, &model->recent);
    return status;
}

void volt_fit_rows_release(volt_fit_rows *rows)
{
    volt_recent_release(&rows->recent);
    volt_free((double *)rows->Z.data);
    volt_free(rows->workspace);
    *rows = (volt_fit_rows){0};
}

/* ---- statistics of all rows ---------------------------------------------------------------------- */

volt_status volt_fit_rows_extents(volt_fit_rows *rows, int64_t slices, volt_extent *extents)
{
    static const char name[] = "the inputs";
    if (rows->Z.data)
        return volt_extents_of(rows->Z, slices, name, extents);
    int64_t n = rows->Z.rows, d = rows->Z.cols;
    volt_status status = VOLT_OK;
    double *memory = volt_alloc_doubles(volt_min(n, BLOCK), d);
    if (!memory)
        return VOLT_ERR_MEMORY;
    for (int64_t first = 0; first < n && status == VOLT_OK; first += BLOCK) {
        volt_extent found[VOLT_MAX_FACTORS];
        volt_matrix block = volt_matrix_of(memory, volt_min(BLOCK, n - first), d);
        volt_fit_rows_get(rows, first, block);
        status = volt_extents_of(volt_as_view(block), slices, name, found);
        for (int64_t s = 0; s < slices && status == VOLT_OK; s++)
            extents[s] = first == 0 ? found[s]
                                    : (volt_extent){.radius = fmax(extents[s].radius, found[s].radius),
                                                    .largest = fmax(extents[s].largest, found[s].largest)};
    }
    volt_free(memory);
    return status;
}

volt_status volt_fit_rows_warn(volt_fit_rows *rows)
{
    const volt_model *model = rows->model;
    if (rows->Z.data)
        return volt_kernel_warn(model->kernel, &model->resolved, rows->Z);
    int64_t count = volt_min(rows->Z.rows, BLOCK), d = rows->Z.cols;
    volt_matrix some = volt_matrix_of(volt_alloc_doubles(count, d), count, d);
    if (!some.data)
        return VOLT_ERR_MEMORY;
    volt_fit_rows_get(rows, 0, some);
    volt_status status = volt_kernel_warn(model->kernel, &model->resolved, volt_as_view(some));
    volt_free(some.data);
    return status;
}
