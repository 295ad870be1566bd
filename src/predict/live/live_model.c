/* src/predict/live/live_model.c: fits a model to all rows learned so far.
 *
 * Kernel, scales, alphas, target kinds and shares are taken from the previous model. With these settings the
 * exact solver (solve/solver_table.h) fits the rows of that model and those pushed since. It also computes
 * the errors of all rows, for intervals, and the factor, for standard deviations.
 *
 * Inputs are recomputed from the history with the recipe and the policy in use then. Targets of the window
 * rows are recovered from its factors, Y = L W. The model ends before the last `ahead` rows, which have no
 * target yet. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/strings.h"
#include "kernel/kernel_entry.h"
#include "model/file/file_parts.h"
#include "model/initial.h"
#include "model/model_internal.h"
#include "model/model_notes.h"
#include "predict/live/live_internal.h"
#include "solve/solver_table.h"

#include <inttypes.h>
#include <string.h>

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

static volt_status make(model_task *task, bool keep_factor, volt_progress progress)
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

static volt_status check(const volt_live *live)
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
    VOLT_REQUIRE(live->n > 0, VOLT_ERR_ARGUMENT, "the window has no rows to make a model of");
    return VOLT_OK;
}

volt_status volt_live_model(const volt_live *live, int keep_factor, volt_progress progress, volt_model **model)
{
    VOLT_REQUIRE(live && model, VOLT_ERR_ARGUMENT, "the live object or the output for the model is NULL");
    VOLT_TRY(check(live));
    const volt_model *base = live->model;
    int64_t known = volt_max(live->pushed - base->ahead, live->numbers[live->n - 1] + 1 - base->n);
    model_task task = {.live = live, .base = base, .added = volt_max(known, 0)};
    volt_blas_use use;
    VOLT_TRY(volt_model_allocate(base->n + task.added, base->d, base->q, &task.model));
    volt_status status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        status = make(&task, keep_factor != 0, progress);
        volt_blas_release(&use);
    }
    release(&task);
    if (status == VOLT_OK)
        *model = task.model;
    else
        volt_model_free(task.model);
    return status;
}
