/* src/fit/fit.c: fits a model to a sequence of inputs and targets.
 *
 * This file computes the scales and resolves the kernel. A solver from the table (solve/solver_table.h)
 * computes the readout. It also chooses alpha and the kind of target when they are not given
 * (solve/choice/choice.h).
 *
 * Fitted values follow from K A + 1 c = Y - alpha A on the fitted rows. K A of the washout rows is computed
 * with the readout.
 *
 * A kernel with a centred Gram matrix, H K H, and no intercept predicts like the plain kernel with an
 * intercept, less the mean of the fitted targets. It is solved in that form (factor.h). */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/strings.h"
#include "fit/fit_iteration.h"
#include "fit/fit_task.h"
#include "fit/landmarks.h"
#include "gram/gram.h"
#include "kernel/kernel_entry.h"
#include "model/initial.h"
#include "model/model_internal.h"
#include "model/model_notes.h"
#include "solve/landmark/placement.h"
#include "solve/solver_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the fit ---------------------------------------------------------------------------------- */

/* Means and units of the targets: of the level, or of the change. The mean of a change is learned. */
static void prepare_targets(const fit_task *task, const volt_loss *loss, volt_model *model)
{
    volt_view Y = task->Y;
    bool unscaled = loss && loss->kind->info.unscaled;
    volt_target_scale_learn(task->missing_targets->present, !model->scaled || unscaled, model->target_mean,
                            model->target_scale);
    if (!model->scaled && !unscaled)
        volt_target_scale_powers(task->missing_targets->present, model->target_scale);
    for (int64_t k = 0; task->change && model->scaled && k < Y.cols; k++) {
        volt_squares squares = {0};
        int64_t count = 0;
        for (int64_t i = 0; i < Y.rows; i++)
            if (fit_task_has_target(task, i)) {
                volt_squares_add(&squares, Y.data[i * Y.ld + k] -
                                               task->X.data[i * task->X.ld + task->options->anchors[k]]);
                count++;
            }
        double unit = volt_squares_root_mean(&squares, count);
        model->target_scale[k] = unit > 0 && isfinite(1 / unit) ? unit : 1;
    }
}

/* A target of weight 0 is not fitted, but is still an input when outputs are the next inputs. */
static bool knows_last_target(const fit_task *task, const volt_model *model)
{
    volt_view Y = task->Y;
    bool known = model->feedback || model->recipe.fed_outputs.n > 0;
    for (int64_t k = 0; known && k < Y.cols; k++)
        known = isfinite(Y.data[(Y.rows - 1) * Y.ld + k]);
    return known || fit_task_has_target(task, Y.rows - 1);
}

/* Prepares everything before the Gram matrix: scales, kernel, and the rows as passed to the kernel (`width`
 * numbers each). */
static volt_status prepare(const volt_kernel *kernel, const fit_task *task, const volt_loss *loss,
                           int64_t width, bool stored, volt_fit_rows *rows, volt_model *model)
{
    const volt_fit_options *options = task->options;
    volt_view Y = task->Y;
    model->washout = options->washout;
    model->ahead = options->ahead;
    model->intercept = options->intercept != 0;
    model->scaled = options->scale != 0;
    model->scale_each = options->scale_each != 0;
    model->feedback = options->feedback != 0;
    model->season = task->season;
    model->kind = task->input;
    model->no_last_target = !knows_last_target(task, model);
    model->ends_without_target = model->recipe.fed_outputs.n > 0 && model->no_last_target;
    if (!model->no_last_target)
        memcpy(model->last_target, Y.data + (Y.rows - 1) * Y.ld, (size_t)Y.cols * sizeof(double));
    VOLT_TRY(volt_names_copy(options->input_names, model->recipe.inputs, &model->input_names));
    VOLT_TRY(volt_names_copy(options->output_names, model->q, &model->output_names));
    VOLT_TRY(volt_notes_copy(&options->notes, &model->notes));
    if (options->times)
        VOLT_TRY(volt_notes_set_times(options->times, options->n_times, options->ahead, &model->notes));
    VOLT_TRY(volt_notes_get_times(&model->notes, options->ahead, NULL));
    VOLT_TRY(volt_notes_first_rows(task->X, &model->notes));
    VOLT_TRY(volt_model_record_pending(model, options->pending));
    VOLT_TRY(volt_model_extend_range(model, task->X));
    VOLT_TRY(volt_kernel_parse(volt_kernel_text(kernel), &model->kernel));
    volt_recipe_use_filters(&model->recipe, model->kernel);
    model->initial = options->initial;
    VOLT_TRY(volt_initial_values(options->initial, options->initial_values, task->X, &model->initial_values));
    model->recipe.initial = model->initial_values;

    prepare_targets(task, loss, model); /* before the inputs, which may include fed-back targets */
    VOLT_TRY(volt_fit_rows_begin(task, model, width, stored, rows));
    if (!model->ends_without_target)
        volt_recent_feed(&model->recipe, &model->recent, model->last_target);
    volt_extent extents[VOLT_MAX_FACTORS];
    VOLT_TRY(volt_fit_rows_extents(rows, volt_kernel_slices(kernel), extents));
    VOLT_TRY(volt_kernel_resolve_slices(model->kernel, extents, model->recipe.columns, &model->resolved));
    return volt_fit_rows_warn(rows);
}

/* Stores the choice in the model: alphas, shares, and which outputs are changes. */
static void take_choice(const fit_task *task, const volt_chosen *chosen, volt_model *model)
{
    for (int64_t k = 0; k < model->q; k++) {
        bool change = chosen ? task->change && !chosen[k].level : task->change;
        model->alphas[k] = chosen ? chosen[k].alpha : task->options->alpha;
        model->shares[k] = chosen && chosen[k].share > 0 ? chosen[k].share : 1;
        if (change)
            volt_fit_task_take_change(task, k, model);
    }
}

/* Holes after the washout. NULL: none. */
static const bool *fitted_missing(const fit_task *task)
{
    return task->missing_targets->without ? task->missing_targets->without + task->options->washout : NULL;
}

/* Buffers for a choice, or for the errors of a fit with a given alpha. */
typedef struct choice_buffers {
    volt_choice choice;
    volt_held_out held;
    volt_matrix naive, level;
} choice_buffers;

static volt_status prepare_choice(const fit_task *task, const volt_model *model, volt_view first,
                                  bool landmarks, choice_buffers *buffers)
{
    int64_t fitted_rows = first.rows, q = first.cols, ahead = volt_max(task->options->ahead, 1);
    int64_t blocks = volt_fit_task_blocks(task->options, q);
    buffers->held = (volt_held_out){.ahead = ahead, .blocks = blocks, .mse = volt_alloc_doubles(q, 1)};
    volt_held_out_rows(&buffers->held, fitted_rows, fitted_missing(task));
    buffers->choice = (volt_choice){.ahead = ahead,
                                    .alpha = task->options->alpha,
                                    .start = task->options->alpha_start,
                                    .held = {.blocks = blocks},
                                    .naive = task->change ? first : volt_view_of(NULL, 0, 0),
                                    .outputs = volt_alloc_zero(q, sizeof *buffers->choice.outputs)};
    if (!buffers->held.mse || !buffers->choice.outputs)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < q; k++)
        buffers->held.mse[k] = NAN; /* until rows are held out */
    if (!task->chooses || !task->change)
        return VOLT_OK;
    /* The first targets are the errors of the naive forecast. The solver overwrites them with coefficients,
     * except with landmarks, so they are copied here. */
    if (!landmarks)
        buffers->naive = volt_matrix_of(volt_alloc_doubles(fitted_rows, q), fitted_rows, q);
    if (task->level)
        buffers->level = volt_matrix_of(volt_alloc_doubles(fitted_rows, q), fitted_rows, q);
    if ((!landmarks && !buffers->naive.data) || (task->level && !buffers->level.data))
        return VOLT_ERR_MEMORY;
    if (!landmarks) {
        volt_fit_task_scale_targets(task, model, true, buffers->naive);
        buffers->choice.naive = volt_as_view(buffers->naive);
    }
    if (task->level) {
        volt_fit_task_scale_targets(task, model, false, buffers->level);
        buffers->choice.level = volt_as_view(buffers->level);
    }
    return VOLT_OK;
}

enum { LANDMARK_ERRORS = 2048 }; /* kept by a model on landmarks, to limit its size */

/* The chosen solver and its buffers. */
typedef struct solve_workspace {
    volt_solver_choice solver_choice;
    choice_buffers choice;
    volt_landmark_set set;
    double *coefficients; /* of all rows, when the model has landmarks */
    double *gamma;        /* readout of the landmark features */
    volt_iteration_workspace iteration;
} solve_workspace;

static void release_workspace(solve_workspace *buffers)
{
    volt_free(buffers->choice.held.mse);
    volt_free(buffers->choice.choice.outputs);
    volt_free(buffers->choice.naive.data);
    volt_free(buffers->choice.level.data);
    volt_landmark_set_release(&buffers->set);
    volt_free(buffers->coefficients);
    volt_free(buffers->gamma);
    volt_iteration_end(&buffers->iteration);
}

/* Stores the rows that the model keeps: all rows, or landmarks. */
static volt_status take_rows(const fit_task *task, volt_fit_rows *rows, solve_workspace *buffers,
                             volt_model *model)
{
    const volt_fit_options *options = task->options;
    if (!buffers->solver_choice.landmarks) {
        VOLT_TRY(volt_model_use_records(model, options->records, options->n_records));
        return volt_model_pack(model, rows->Z, options->progress);
    }
    VOLT_TRY(volt_landmark_set_choose(rows->Z.rows, options->washout, task->records,
                                      buffers->solver_choice.landmarks, options->landmark_choice,
                                      volt_landmark_memory(&model->resolved), &buffers->set));
    if (task->levels)
        volt_landmark_set_nest(&buffers->set, options->landmark_choice, task->levels);
    return volt_model_use_landmarks(model, task, rows, &buffers->set, options->progress,
                                    &buffers->coefficients);
}

static void get_rows(void *context, int64_t first, volt_matrix Z)
{
    volt_fit_rows_get(context, first, Z);
}

/* The operator of the solver: the kernel, or landmark features. */
static volt_status make_operator(const fit_task *fit, const solve_workspace *buffers, const volt_model *model,
                                 volt_fit_rows *rows, double common, volt_operator **op)
{
    if (!buffers->solver_choice.landmarks)
        return volt_kernel_operator(&model->resolved, model->columns, rows->Z, false, op);
    volt_landmark_task task = {
        .resolved = &model->resolved,
        .columns = model->columns,
        .column = buffers->set.column,
        .m = buffers->set.m,
        .Z = rows->Z,
        .get_rows = get_rows,
        .context = rows,
        .records = fit->records,
        .common = common,
        .washout = model->washout,
        .backend = volt_place_agree(volt_place_landmarks(rows->Z.rows, buffers->set.m, rows->Z.cols))};
    double share = volt_landmark_share(&task, 0);
    volt_stage stage;
    volt_meter_cover(fit->meter, 0, share);
    volt_stage_begin(&stage, fit->options->progress, "landmarks", 0, 1, volt_landmark_units(&task));
    volt_status status = volt_landmark_operator(&task, &stage, op);
    volt_meter_cover(fit->meter, share, 1 - share);
    return status;
}

/* The readout of states, if any: of reservoirs, or of landmarks. */
static volt_status make_states(const fit_task *fit, solve_workspace *buffers, volt_model *model,
                               volt_matrix *states)
{
    if (buffers->solver_choice.landmarks) {
        buffers->gamma = volt_alloc_doubles(buffers->set.m, model->q);
        *states = volt_matrix_of(buffers->gamma, buffers->set.m, model->q);
        return buffers->gamma ? VOLT_OK : VOLT_ERR_MEMORY;
    }
    if (!fit->options->keep_factor) /* the factor belongs to rows, not to states */
        VOLT_TRY(volt_readout_allocate(model));
    *states = volt_matrix_of(model->states_readout, model->states ? model->states->m : 0, model->q);
    return VOLT_OK;
}

static volt_status find_solver(const volt_solver_choice *choice, const volt_model *model,
                               const volt_backend *backend, const volt_solver **solver)
{
    int64_t states = model->states ? model->states->m : 0;
    *solver = choice->solver ? choice->solver
                             : volt_solver_choose(model->n, model->q, states, false,
                                                  volt_solver_available(backend, model->n));
    VOLT_REQUIRE(!(*solver)->needs.states || states > 0, VOLT_ERR_ARGUMENT,
                 "the solver \"%s\" requires a kernel with explicit states (got %s)", (*solver)->info.name,
                 volt_kernel_text(model->kernel));
    return VOLT_OK;
}

/* Stores the result of the solver in the model: coefficients of landmarks or of states, and the final state. */
static volt_status take_readout(const fit_task *fit, solve_workspace *buffers, const volt_solver *solver,
                                volt_operator *op, volt_matrix states, volt_matrix washout_fitted,
                                volt_model *model)
{
    if (buffers->solver_choice.landmarks) {
        volt_model_take_landmarks(model, &buffers->set, op, states, washout_fitted);
        return volt_landmark_operator_end(op, &model->end);
    }
    if (model->states && !solver->needs.states)
        VOLT_TRY(volt_operator_fold(op, volt_view_of(model->coefficients, model->n, model->q), states,
                                    fit->options->progress));
    return volt_kernel_operator_end(op, &model->end);
}

/* Computes coefficients, intercepts and the state after the last row. If `washout_fitted` (washout x q) has
 * data, it
 * receives K A of the washout rows. */
static volt_status solve_readout(const fit_task *fit, volt_model *model, volt_fit_rows *rows,
                                 solve_workspace *solving, double *unlearned, volt_matrix washout_fitted)
{
    choice_buffers *buffers = &solving->choice;
    volt_matrix states;
    const volt_solver *solver;
    VOLT_TRY(make_states(fit, solving, model, &states));
    VOLT_TRY(find_solver(&solving->solver_choice, model, fit->backend, &solver));
    if (!solver->accepts.device)
        volt_place_on_cpu("a solver that does not store the Gram matrix works");
    int64_t w = model->washout, q = model->q, fitted_rows = rows->Z.rows - w;
    double *coefficients = solving->coefficients ? solving->coefficients : model->coefficients;
    volt_matrix A = volt_matrix_of(coefficients + w * q, fitted_rows, q);
    bool intercept = model->intercept || model->resolved.centred;
    bool centred = model->resolved.centred && !model->intercept;
    VOLT_REQUIRE(!fit->chooses || !centred, VOLT_ERR_ARGUMENT,
                 "alpha is required for a centred kernel without an intercept");
    memset(coefficients, 0, (size_t)(w * q) * sizeof(double));
    volt_fit_task_scale_targets(fit, model, fit->change, A);
    VOLT_TRY(prepare_choice(fit, model, volt_as_view(A), solving->solver_choice.landmarks > 0, buffers));
    volt_solver_task task = {.washout = w,
                             .alpha = fit->options->alpha,
                             .without = fitted_missing(fit),
                             .intercept = intercept,
                             .common = intercept ? model->resolved.common : 0,
                             .centred = centred,
                             .choice = fit->chooses ? &buffers->choice : NULL,
                             .held_out = centred ? NULL : &buffers->held,
                             .target_scale = model->target_scale,
                             .backend = fit->backend,
                             .progress = fit->options->progress};
    volt_row_errors errors[VOLT_ROW_ERRORS];
    if (!centred) {
        VOLT_TRY(volt_errors_prepare(fitted_rows, q, buffers->held.ahead, fitted_missing(fit),
                                     solving->solver_choice.landmarks ? LANDMARK_ERRORS : fitted_rows,
                                     &model->errors, errors));
        task.errors = errors;
    }
    if (fit->options->keep_factor) {
        VOLT_REQUIRE(!centred, VOLT_ERR_ARGUMENT,
                     "keep_factor requires an intercept when the kernel is centred: without one there is no "
                     "error estimate");
        VOLT_TRY(volt_stored_factors_create(q, &model->stored_factors));
        task.stored_factors = &model->stored_factors;
    }
    volt_readout readout = {.A = A,
                            .intercepts = model->intercepts,
                            .unlearned = unlearned,
                            .washout_fitted = washout_fitted,
                            .log_likelihood = NAN,
                            .dimension = centred ? NULL : model->report_numbers + 13 * q,
                            .dimension_error = model->report_numbers + 14 * q};
    for (int64_t k = 0; k < 2 * q; k++)
        model->report_numbers[13 * q + k] = NAN;
    volt_loo_errors loo_errors = {.loo = model->report_numbers + 4 * q, .gcv = model->report_numbers + 5 * q};
    if (solver->offers.leverages)
        task.loo_errors = &loo_errors;
    VOLT_TRY(volt_iteration_begin(fit, model, rows->Z, solving->solver_choice.preconditioner_landmarks, solver,
                                  &task, volt_as_view(A), &solving->iteration));
    task.iteration = &solving->iteration.settings;
    VOLT_TRY(make_operator(fit, solving, model, rows, task.common, &task.kernel));
    if (model->states)
        volt_kernel_operator_use_states(task.kernel, model->states);
    readout.states = states;
    task.levels = solving->solver_choice.landmarks > 0 ? fit->levels : NULL;
    volt_status status = solver->solve(&task, &readout);
    model->rcond = readout.rcond;
    if (status == VOLT_OK && !task.levels) {
        take_choice(fit, fit->chooses ? buffers->choice.outputs : NULL, model);
        if (!centred)
            volt_fit_make_report(fit, fit->chooses ? &buffers->choice : NULL, &buffers->held, model);
        model->report.log_likelihood = readout.log_likelihood;
        volt_fit_report_solver(solver, &solving->solver_choice, task.iteration,
                               solving->solver_choice.landmarks ? task.kernel->sums_backend
                               : solver->accepts.device         ? fit->backend
                                                                : NULL,
                               model);
        if (task.loo_errors)
            volt_fit_report_loo(&loo_errors, model);
        bool on_states = solver->needs.states || solving->solver_choice.landmarks > 0;
        if (!centred)
            volt_fit_report_norms(fit, coefficients, unlearned, fit->chooses ? buffers->choice.outputs : NULL,
                                  on_states ? volt_as_view(states) : (volt_view){0}, model);
        status = take_readout(fit, solving, solver, task.kernel, states, washout_fitted, model);
    }
    volt_operator_free(task.kernel);
    return status;
}

/* Fitted values (see the top of this file). `washout_fitted` is K A of the washout rows. With a share of 1/2,
 * the
 * fitted value is halfway between the present value and that of the full readout. */
static volt_status finish_fitted(const fit_task *task, const volt_model *model, const double *coefficients,
                                 const double *unlearned, volt_view washout_fitted, volt_matrix fitted)
{
    int64_t w = task->options->washout, q = model->q;
    volt_view X = task->X, Y = task->Y;
    for (int64_t i = 0; i < w; i++) {
        memcpy(fitted.data + i * fitted.ld, washout_fitted.data + i * washout_fitted.ld,
               (size_t)q * sizeof(double));
        VOLT_TRY(volt_model_finish_output(model, i, X.data + i * X.ld, fitted.data + i * fitted.ld));
    }
    for (int64_t k = 0; k < q; k++) {
        double scale = model->target_scale[k], shift = scale * unlearned[k];
        double share = model->has_report ? model->report.share[k] : 1;
        bool is_constant = isinf(model->alphas[k]);
        for (int64_t i = w; i < fitted.rows; i++) {
            double base = model->anchors[k] >= 0 ? X.data[i * X.ld + model->anchors[k]] : model->target_mean[k];
            double y = Y.data[i * Y.ld + k], *f = &fitted.data[i * fitted.ld + k];
            if (is_constant)
                *f = base + scale * model->intercepts[k];
            else
                *f = (share == 1 ? y : base + share * (y - base)) - shift -
                     model->alphas[k] * scale * coefficients[i * q + k];
        }
    }
    return VOLT_OK;
}

volt_status volt_fit_solve_part(const volt_kernel *kernel, const fit_task *task, volt_loss_fit *loss,
                                volt_matrix fitted, volt_model **model)
{
    const volt_fit_options *options = task->options;
    int64_t n = task->X.rows, q = task->Y.cols;
    volt_recipe recipe = {0};
    solve_workspace buffers = {0};
    volt_status status = volt_fit_task_recipe(task, n, &recipe);
    if (status == VOLT_OK)
        status =
            volt_fit_solver_choose(kernel, task, recipe.columns, loss->loss != NULL, &buffers.solver_choice);
    int64_t width = recipe.columns * volt_kernel_slices(kernel); /* width of a row as passed to the kernel */
    volt_model *fresh = NULL;
    /* Landmark fits read the rows in blocks and need no copy of the inputs. */
    bool stored = !buffers.solver_choice.landmarks || recipe.fed_outputs.n > 0;
    volt_fit_rows rows = {0};
    volt_matrix washout_fitted = {0};
    double *unlearned = NULL;
    if (status == VOLT_OK)
        status = volt_model_allocate(n, width, q, &fresh);
    if (status == VOLT_OK) {
        fresh->recipe = recipe;
        unlearned = volt_alloc_doubles(q, 1);
        washout_fitted =
            volt_matrix_of(volt_alloc_doubles(fitted.data ? options->washout : 0, q), options->washout, q);
        status = unlearned && washout_fitted.data
                     ? prepare(kernel, task, loss->loss, width, stored, &rows, fresh)
                     : VOLT_ERR_MEMORY;
    } else {
        volt_recipe_release(&recipe);
    }
    if (status == VOLT_OK)
        status = take_rows(task, &rows, &buffers, fresh);
    if (status == VOLT_OK && loss->loss)
        status = volt_loss_fit_solve(task, loss, buffers.solver_choice.solver, rows.Z, fitted, fresh);
    else if (status == VOLT_OK)
        status = solve_readout(task, fresh, &rows, &buffers, unlearned,
                               fitted.data ? washout_fitted : (volt_matrix){0});
    bool has_readout = !(task->levels && task->levels->count > 0);
    if (status == VOLT_OK && fitted.data && !fresh->loss && has_readout)
        status = finish_fitted(task, fresh, buffers.coefficients ? buffers.coefficients : fresh->coefficients,
                               unlearned, volt_as_view(washout_fitted), fitted);

    release_workspace(&buffers);
    volt_free(washout_fitted.data);
    volt_free(unlearned);
    volt_fit_rows_release(&rows);
    if (status == VOLT_OK)
        *model = fresh;
    else
        volt_model_free(fresh);
    return status;
}
