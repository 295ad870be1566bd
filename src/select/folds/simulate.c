/* src/select/folds/simulate.c: free runs on validation blocks.
 *
 * A fold is converted to a model made of data of the evaluation and runs like any model with feedback
 * (predict/predict.c): from the measured state, or a zero initial state, with its own outputs. */
#include "select/folds/cross_validation.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "model/model_internal.h"
#include "predict/predict_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- inputs ----------------------------------------------------------------------------------- */

void volt_feedback_inputs_release(volt_feedback_inputs *inputs)
{
    volt_free(inputs->all.Z);
    *inputs = (volt_feedback_inputs){0};
}

static double *feedback_part(const volt_feedback_inputs *inputs, int64_t row)
{
    int64_t d = inputs->problem->d;
    return inputs->all.Z + row * (d + inputs->problem->q) + d;
}

void volt_feedback_inputs_slice(volt_feedback_inputs *inputs, int64_t row)
{
    const volt_problem *problem = inputs->problem;
    if (inputs->omega == 0)
        return;
    double weight = problem->initial == VOLT_INITIAL_FIRST ? inputs->shrink * inputs->omega : 0;
    for (int64_t k = 0; k < problem->q; k++)
        feedback_part(inputs, row)[k] = weight * problem->Y[row * problem->q + k];
}

void volt_feedback_inputs_join(volt_feedback_inputs *inputs, int64_t row)
{
    if (inputs->omega > 0 && volt_records_begins(&inputs->problem->records, row))
        volt_feedback_inputs_slice(inputs, row);
    if (inputs->omega == 0 || volt_records_begins(&inputs->problem->records, row))
        return;
    int64_t q = inputs->problem->q;
    for (int64_t k = 0; k < q; k++)
        feedback_part(inputs, row)[k] = inputs->shrink * inputs->omega * inputs->problem->Y[(row - 1) * q + k];
}

/* 1 over the largest norm of (own_t, omega Y_{t-1}). */
static double shrink_of(const volt_feedback_inputs *inputs)
{
    const volt_problem *problem = inputs->problem;
    double largest = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        bool first = volt_records_begins(&problem->records, i);
        double input_norm = volt_row_norm(inputs->inputs_only->Z + i * problem->d, problem->d);
        bool known = !first || problem->initial == VOLT_INITIAL_FIRST;
        double fed_outputs = known ? volt_row_norm(problem->Y + (i - !first) * problem->q, problem->q) : 0;
        largest = fmax(largest, hypot(input_norm, inputs->omega * fed_outputs));
    }
    return 1 / largest;
}

volt_status volt_feedback_inputs_create(const volt_problem *problem, const volt_scaled_inputs *inputs_only,
                                        double omega, volt_feedback_inputs *inputs)
{
    int64_t d = problem->d, q = problem->q;
    *inputs =
        (volt_feedback_inputs){.problem = problem, .inputs_only = inputs_only, .omega = omega, .shrink = 1};
    inputs->all.Z = volt_alloc_zero(problem->n * (d + q), sizeof *inputs->all.Z);
    if (!inputs->all.Z)
        return VOLT_ERR_MEMORY;
    if (problem->scaled)
        inputs->shrink = shrink_of(inputs);
    for (int64_t i = 0; i < problem->n; i++) {
        for (int64_t j = 0; j < d; j++)
            inputs->all.Z[i * (d + q) + j] = inputs->shrink * inputs_only->Z[i * d + j];
        volt_feedback_inputs_join(inputs, i);
    }
    return VOLT_OK;
}

/* ---- the state -------------------------------------------------------------------------------------- */

/* Pushes the measured rows before the block. */
static volt_status push_training_rows(const volt_fold_run *run, volt_state **kernel_state)
{
    enum { MAX_ROWS = 64 };
    int64_t rows = run->kernel_state.rows, m = run->columns->m, most = volt_max(volt_min(MAX_ROWS, rows), 1);
    VOLT_TRY(volt_state_create(run->resolved, run->columns, most, kernel_state));
    if (rows == 0 || volt_state_seek(*kernel_state, run->kernel_state) == VOLT_OK)
        return VOLT_OK;
    double *block = volt_alloc_doubles(most, m);
    if (!block)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < rows && volt_stage_should_continue(run->stage); i += most) {
        int64_t count = volt_min(most, rows - i);
        volt_state_advance(*kernel_state, volt_view_rows(run->kernel_state, i, count), false,
                           volt_matrix_of(block, count, m), NULL);
    }
    volt_free(block);
    return volt_stage_should_continue(run->stage) ? VOLT_OK : VOLT_ERR_CANCELLED;
}

/* Filters after the measured rows, and the last measured output. */
static volt_status push_recent(const volt_fold_run *run, volt_model *model)
{
    const volt_problem *problem = run->problem;
    VOLT_TRY(volt_recent_create(&model->recipe, &model->recent));
    double *z = volt_alloc_doubles(1, model->d);
    if (!z)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; model->recipe.filters && i < run->scaled.rows; i++) {
        memcpy(z, run->scaled.data + i * run->scaled.ld, (size_t)run->scaled.cols * sizeof *z);
        volt_recent_filter(&model->recipe, &model->recent, z);
    }
    volt_free(z);
    if (run->kernel_state.rows > 0)
        for (int64_t k = 0; k < problem->q; k++)
            model->recent.fed_outputs[k] =
                run->fed_outputs->omega * problem->Y[(run->split->begin - 1) * problem->q + k];
    model->recent.begun = true;
    return VOLT_OK;
}

/* ---- the model -------------------------------------------------------------------------------- */

/* Outputs are fed back in the units of problem->Y, with weight omega. The model scales the whole row by
 * `shrink`. */
static void set_feedback(const volt_fold_run *run, volt_feedback *fed_outputs)
{
    const volt_problem *problem = run->problem;
    int64_t q = problem->q;
    for (int64_t k = 0; k < q; k++) {
        double low = INFINITY, high = -INFINITY, mean = problem->target_mean[k], sd = problem->target_scale[k];
        for (int64_t i = run->split->train_begin; i < run->split->train_end; i++) {
            low = fmin(low, problem->Y[i * q + k]);
            high = fmax(high, problem->Y[i * q + k]);
        }
        fed_outputs->offset[k] = mean;
        fed_outputs->weight[k] = run->fed_outputs->omega / sd;
        fed_outputs->low[k] = mean + sd * low;
        fed_outputs->high[k] = mean + sd * high;
    }
}

/* The inputs of the block, without fed-back outputs. */
static volt_view block_inputs(const volt_fold_run *run)
{
    int64_t d = run->problem->d, count = run->split->end - run->split->begin;
    return volt_view_of(run->fed_outputs->inputs_only->Z + run->split->begin * d, count, d);
}

/* Measured outputs of rows first .. end - 1 of the search, in the units of the targets; the caller frees them. */
static double *measured_outputs(const volt_problem *problem, int64_t first, int64_t end)
{
    int64_t q = problem->q;
    double *outputs = volt_alloc_doubles(end - first, q);
    for (int64_t i = 0; outputs && i < end - first; i++)
        for (int64_t k = 0; k < q; k++)
            outputs[i * q + k] =
                problem->target_mean[k] + problem->target_scale[k] * problem->Y[(first + i) * q + k];
    return outputs;
}

/* One free run for each record of the block. Measured outputs in the washout of a record set its state. */
static volt_status run_each_record(const volt_fold_run *run, const volt_model *model,
                                   volt_predict_options options, volt_matrix out)
{
    const volt_problem *problem = run->problem;
    int64_t begin = run->split->begin;
    const volt_records one = {0};
    volt_view X = block_inputs(run);
    for (int64_t at = begin, end; at < run->split->end; at = end) {
        end = volt_records_segment_end(&problem->records, at, run->split->end);
        double *known = NULL;
        if (volt_records_begins(&problem->records, at)) {
            options.start = VOLT_START_RESET;
            known = measured_outputs(problem, at, end);
            if (!known)
                return VOLT_ERR_MEMORY;
            options.known = volt_view_of(known, end - at, problem->q);
            options.warm_up = volt_min(problem->record_washout, end - at);
        }
        volt_status status =
            volt_model_run_free(model, problem->backend, volt_view_rows(X, at - begin, end - at), &one,
                                &options, NULL, volt_matrix_rows(out, at - begin, end - at), NULL);
        volt_free(known);
        VOLT_TRY(status);
    }
    return VOLT_OK;
}

static volt_status run_records(const volt_fold_run *run, const volt_model *model,
                               const volt_predict_options *options, volt_matrix out)
{
    const volt_problem *problem = run->problem;
    volt_records records = {0};
    if (problem->record_washout > 0)
        return run_each_record(run, model, *options, out);
    VOLT_TRY(volt_records_from(&problem->records, run->split->begin, &records));
    volt_status status =
        volt_model_run_free(model, problem->backend, block_inputs(run), &records, options, NULL, out, NULL);
    volt_records_release(&records);
    return status;
}

/* Free run, in the units of the targets, and conversion back. */
static volt_status run_block(const volt_fold_run *run, const volt_model *model, volt_matrix out)
{
    const volt_problem *problem = run->problem;
    volt_predict_options options = volt_predict_options_default();
    options.start = run->kernel_state.rows > 0 ? VOLT_START_CONTINUE : VOLT_START_RESET;
    options.progress = volt_stage_polled(run->stage); /* of all evaluations */
    volt_status status = run_records(run, model, &options, out);
    if (status == VOLT_ERR_NOT_FINITE)
        return volt_fail_prefix(status, "on rows %" PRId64 " to %" PRId64, run->split->begin + 1,
                                run->split->end);
    for (int64_t i = 0; status == VOLT_OK && i < out.rows; i++)
        for (int64_t k = 0; k < out.cols; k++)
            out.data[i * out.ld + k] =
                (out.data[i * out.ld + k] - problem->target_mean[k]) / problem->target_scale[k];
    return status;
}

volt_status volt_fold_simulate(const volt_fold_run *run, volt_matrix out)
{
    const volt_problem *problem = run->problem;
    int64_t q = problem->q, d = problem->d;
    int64_t *anchors = volt_alloc(q, sizeof *anchors);
    double *shift = volt_alloc_zero(d + q, sizeof *shift);
    volt_model model = {.n = run->columns->m,
                        .d = run->kernel_state.cols,
                        .q = q,
                        .recipe = {.inputs = d, .columns = d, .plain = true},
                        .anchors = anchors,
                        .initial = problem->initial,
                        .resolved = *run->resolved,
                        .columns = run->columns,
                        .input = {.shift = shift, .scale = run->fed_outputs->shrink},
                        .target_mean = problem->target_mean,
                        .target_scale = problem->target_scale,
                        .coefficients = (double *)run->coefficients,
                        .intercepts = (double *)run->intercepts};
    volt_status status =
        anchors && shift ? volt_recipe_feed_back(&model.recipe, q, run->fed_outputs->omega) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        for (int64_t k = 0; k < q; k++)
            anchors[k] = -1;
        volt_recipe_use_filters(&model.recipe, run->kernel);
        set_feedback(run, &model.recipe.fed_outputs);
        status = push_training_rows(run, &model.end);
    }
    if (status == VOLT_OK)
        status = push_recent(run, &model);
    if (status == VOLT_OK)
        status = run_block(run, &model, out);
    volt_recent_release(&model.recent);
    volt_recipe_release(&model.recipe);
    volt_state_free(model.end);
    volt_free(shift);
    volt_free(anchors);
    return status;
}
