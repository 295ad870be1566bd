/* src/model/model.c: creation and release of models, and functions shared by all predictions. */
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/strings.h"
#include "base/views.h"
#include "gram/engine/state.h"
#include "kernel/kernel_entry.h"
#include "model/initial.h"
#include "model/model_internal.h"
#include "model/model_notes.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

volt_status volt_model_allocate(int64_t n, int64_t d, int64_t q, volt_model **model)
{
    volt_model *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->n = n;
    fresh->d = d;
    fresh->q = q;
    fresh->recipe = (volt_recipe){.inputs = d, .columns = d, .plain = true};
    fresh->input.shift = volt_alloc_zero(d, sizeof(double));
    fresh->target_mean = volt_alloc_zero(q, sizeof(double));
    fresh->target_scale = volt_alloc_doubles(1, q);
    fresh->coefficients = volt_alloc_doubles(n, q);
    fresh->intercepts = volt_alloc_zero(q, sizeof(double));
    fresh->last_target = volt_alloc_zero(q, sizeof(double));
    fresh->alphas = volt_alloc_doubles(1, q);
    fresh->anchors = volt_alloc_zero(q, sizeof *fresh->anchors);
    fresh->shares = volt_alloc_doubles(1, q);
    fresh->report_numbers = volt_alloc_doubles(VOLT_REPORT_NUMBERS, q);
    if (!fresh->input.shift || !fresh->target_mean || !fresh->target_scale || !fresh->coefficients ||
        !fresh->intercepts || !fresh->last_target || !fresh->alphas || !fresh->anchors || !fresh->shares ||
        !fresh->report_numbers) {
        volt_model_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    for (int64_t k = 0; k < q; k++) {
        fresh->anchors[k] = -1;
        fresh->shares[k] = 1;
    }
    *model = fresh;
    return VOLT_OK;
}

volt_status volt_model_use_records(volt_model *model, const int64_t *lengths, int64_t n)
{
    volt_records records;
    VOLT_TRY(volt_records_make(lengths, n, model->n, &records));
    volt_status status = volt_resolved_split(&model->resolved, &records, 0);
    if (status == VOLT_OK && records.n > 0) {
        model->records = volt_alloc(n, sizeof *model->records);
        if (model->records) {
            memcpy(model->records, lengths, (size_t)n * sizeof *lengths);
            model->n_records = n;
        } else {
            status = VOLT_ERR_MEMORY;
        }
    }
    volt_records_release(&records);
    return status;
}

void volt_model_free(volt_model *model)
{
    if (!model || atomic_fetch_sub(&model->shared, 1) > 0)
        return;
    volt_sum_free(model->sum);
    volt_state_free(model->end);
    volt_columns_free(model->columns);
    volt_columns_free(model->states);
    volt_free(model->states_readout);
    volt_resolved_release(&model->resolved);
    volt_kernel_free(model->kernel);
    volt_free(model->initial_values);
    volt_past_release(&model->past);
    volt_free(model->largest);
    volt_free(model->input.shift);
    volt_free(model->target_mean);
    volt_free(model->target_scale);
    volt_free(model->coefficients);
    volt_free(model->intercepts);
    volt_free(model->last_target);
    volt_free(model->pending);
    volt_free(model->input_range);
    volt_free(model->alphas);
    volt_free(model->anchors);
    volt_free(model->shares);
    volt_free(model->report_numbers);
    volt_names_free(model->input_names, model->recipe.inputs);
    volt_recent_release(&model->recent);
    volt_recipe_release(&model->recipe);
    volt_names_free(model->output_names, model->q);
    volt_notes_release(&model->notes);
    volt_free(model->records);
    volt_free(model->trained.records);
    volt_errors_release(&model->errors);
    volt_loss_free(model->loss);
    volt_names_free(model->classes, model->n_classes);
    volt_stored_factors_release(&model->stored_factors);
    volt_free(model);
}

volt_status volt_model_pack(volt_model *model, volt_view Z, volt_progress progress)
{
    volt_stage stage; /* start of the Gram matrix; the solver adds its share */
    volt_stage_begin(&stage, progress, "gram", 0, 0, 1);
    VOLT_TRY(volt_columns_create(&model->resolved, Z, &stage, &model->columns));
    return volt_stage_should_continue(&stage) ? VOLT_OK : volt_stage_end(&stage);
}

volt_status volt_model_extend_range(volt_model *model, volt_view X)
{
    int64_t d = model->recipe.inputs;
    if (model->kind != VOLT_INPUT_LEVEL)
        return VOLT_OK;
    bool is_new = !model->input_range;
    if (is_new)
        model->input_range = volt_alloc_doubles(2, d);
    if (!model->input_range)
        return VOLT_ERR_MEMORY;
    double *low = model->input_range, *high = low + d;
    for (int64_t j = 0; is_new && j < d; j++) {
        low[j] = INFINITY;
        high[j] = -INFINITY;
    }
    for (int64_t i = 0; i < X.rows; i++)
        for (int64_t j = 0; j < d; j++) {
            low[j] = fmin(low[j], X.data[i * X.ld + j]);
            high[j] = fmax(high[j], X.data[i * X.ld + j]);
        }
    return VOLT_OK;
}

volt_status volt_model_check_inputs(const volt_model *model, volt_view X)
{
    VOLT_TRY(volt_check_shape(X, "the inputs"));
    VOLT_REQUIRE(X.cols == model->recipe.inputs, VOLT_ERR_SHAPE,
                 "the inputs have %" PRId64 " columns, but the model takes %" PRId64, X.cols,
                 model->recipe.inputs);
    return VOLT_OK;
}

int64_t volt_model_fitted_rows(const volt_model *model)
{
    const volt_trained *trained = &model->trained;
    return trained->landmarks > 0 ? trained->rows - trained->washout : model->n - model->washout;
}

volt_status volt_model_get_info(const volt_model *model, volt_model_info *info)
{
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the model is NULL");
    volt_model_info now = {
        .struct_size = sizeof(volt_model_info),
        .n = model->n,
        .d = model->recipe.inputs,
        .q = model->q,
        .kernel = volt_model_text(model),
        .facts = model->sum ? NULL : &model->resolved.facts,
        .alpha = model->alphas[0],
        .rcond = model->rcond,
        .washout = model->washout,
        .ahead = model->ahead,
        .intercept = model->intercept,
        .scaled = model->scaled,
        .feedback = model->feedback,
        .input_names = (const char *const *)model->input_names,
        .output_names = (const char *const *)model->output_names,
        .coefficients = model->coefficients,
        .intercepts = model->intercepts,
        .input_shift = model->input.shift,
        .input_scale = model->input.scale,
        .target_mean = model->target_mean,
        .target_scale = model->target_scale,
        .columns = model->recipe.columns,
        .season = model->season,
        .input = model->kind,
        .anchors = model->anchors,
        .alphas = model->alphas,
        .report = model->has_report ? &model->report : NULL,
        .notes = model->notes,
        .records = model->records,
        .n_records = model->n_records,
        .feedback_weight = volt_model_feedback_weight(model),
        .loss = volt_model_loss(model) ? volt_model_loss(model)->text : NULL,
        .objective = model->objective,
        .duality_gap = model->gap,
        .tolerance = model->tolerance,
        .classes = (const char *const *)model->classes,
        .n_classes = model->n_classes,
        .keeps_factor = model->stored_factors.of != NULL,
        .kernel_rows = model->n,
        .pending = volt_model_pending(model),
        .expansion_inputs = model->recipe.inputs + model->recipe.fed_outputs.n,
        .initial = model->initial,
        .initial_values = model->initial_values,
        .scale_each = model->scale_each,
        .library = model->library[0] ? model->library : volt_version(),
    };
    if (model->sum)
        volt_sum_get_info(model->sum, &now);
    volt_notes_get_times(&now.notes, model->ahead, &now.times); /* valid: checked by fit and load */
    if (model->trained.landmarks > 0) {
        now.n = model->trained.rows;
        now.washout = model->trained.washout;
        now.records = model->trained.records;
        now.n_records = model->trained.n_records;
        now.landmarks = model->trained.landmarks;
    }
    return volt_result_copy(info, &now, sizeof now, "volt_model_info");
}

/* ---- inputs and outputs ----------------------------------------------------------------------- */

volt_predict_options volt_predict_options_default(void)
{
    volt_predict_options options = {
        .struct_size = sizeof(volt_predict_options), .start = VOLT_START_CONTINUE, .beyond = VOLT_BEYOND_CLIP};
    return options;
}

volt_status volt_model_check_start(const volt_model *model, volt_start start)
{
    VOLT_REQUIRE(start == VOLT_START_CONTINUE || start == VOLT_START_RESET, VOLT_ERR_ARGUMENT,
                 "the start must be VOLT_START_CONTINUE (%d) or VOLT_START_RESET (%d), got %d",
                 (int)VOLT_START_CONTINUE, (int)VOLT_START_RESET, (int)start);
    VOLT_REQUIRE(start == VOLT_START_RESET || !model->ends_without_target, VOLT_ERR_ARGUMENT,
                 "the last training row has no target: start by reset");
    return VOLT_OK;
}

volt_status volt_beyond_check(volt_beyond beyond)
{
    VOLT_REQUIRE(beyond >= VOLT_BEYOND_CLIP && beyond <= VOLT_BEYOND_ALLOW, VOLT_ERR_ARGUMENT,
                 "beyond must be one of volt_beyond, 0 to %d (got %d)", (int)VOLT_BEYOND_ALLOW, (int)beyond);
    return VOLT_OK;
}

static volt_status refuse_beyond(double radius, int64_t row, double norm, double kept)
{
    if (kept >= 1)
        return volt_fail(VOLT_ERR_DOMAIN,
                         "input row %" PRId64 " has scaled norm %.6g (largest in training: %.6g), and "
                         "lambda^2 kappa would reach %.6g there; it must stay below 1",
                         row + 1, norm, radius, kept);
    return volt_fail(VOLT_ERR_DOMAIN,
                     "input row %" PRId64 " has scaled norm %.6g, beyond the largest of training, %.6g",
                     row + 1, norm, radius);
}

/* For a row that the recipe clips. */
static volt_status refuse_range(int64_t row)
{
    return volt_fail(VOLT_ERR_DOMAIN,
                     "input row %" PRId64 " is outside the range of the training inputs or of their changes",
                     row + 1);
}

/* Applies the policy to one slice of the scaled and filtered row. *counted: it was outside its ball. */
static volt_status take_slice(const volt_model *model, int64_t s, volt_beyond policy, int64_t row, double *z,
                              bool *counted)
{
    int64_t d = model->recipe.columns;
    double norm = volt_row_norm(z, d), radius = volt_slice_radius(&model->resolved, s);
    VOLT_REQUIRE(isfinite(norm * norm), VOLT_ERR_NOT_FINITE,
                 "input row %" PRId64 " contains a value that is not finite or too large", row + 1);
    if (volt_is_within(norm, radius, d))
        return VOLT_OK;
    if (policy == VOLT_BEYOND_ERROR)
        return refuse_beyond(radius, row, norm, 0);
    double kept = volt_slice_gain(&model->resolved, s, norm);
    if (policy == VOLT_BEYOND_ALLOW) {
        if (!(kept < 1))
            return refuse_beyond(radius, row, norm, kept);
        *counted = true;
    } else if (kept >= 0) { /* a kernel that accepts any input has no limit to clip to */
        for (int64_t k = 0; k < d; k++)
            z[k] *= radius / norm;
        *counted = true;
    }
    return VOLT_OK;
}

static volt_status take_slices(const volt_model *model, volt_beyond policy, int64_t row, double *z,
                               bool *counted)
{
    for (int64_t s = 0; s < model->d / model->recipe.columns; s++)
        VOLT_TRY(take_slice(model, s, policy, row, z + s * model->recipe.columns, counted));
    return VOLT_OK;
}

volt_status volt_model_take_input(const volt_model *model, volt_recent *recent, const double *x,
                                  volt_beyond policy, int64_t row, double *z, int64_t *beyond)
{
    const volt_recipe *recipe = &model->recipe;
    volt_recipe_row(recipe, recent, x, z);
    for (int64_t j = 0; j < recipe->columns; j++) /* before clipping */
        VOLT_REQUIRE(isfinite(z[j]), VOLT_ERR_NOT_FINITE,
                     "input row %" PRId64 " contains a value that is not finite or too large", row + 1);
    bool counted = policy != VOLT_BEYOND_ALLOW && volt_recipe_clip(recipe, z);
    if (counted && policy == VOLT_BEYOND_ERROR)
        return refuse_range(row);
    volt_input_scale_row(&model->input, recipe->columns, z, z);
    volt_recent_filter(recipe, recent, z);
    volt_status status = take_slices(model, policy, row, z, &counted);
    if (status != VOLT_OK)
        volt_recent_unfilter(recipe, recent);
    else
        *beyond += counted;
    return status;
}

volt_status volt_model_finish_output(const volt_model *model, int64_t row, const double *x, double *v)
{
    for (int64_t k = 0; k < model->q; k++)
        v[k] += model->intercepts[k];
    return volt_model_unscale_output(model, row, x, v);
}

volt_status volt_model_check_output(const volt_model *model, int64_t row, const double *v)
{
    for (int64_t k = 0; k < model->q; k++)
        VOLT_REQUIRE(isfinite(v[k]), VOLT_ERR_NOT_FINITE,
                     "output %" PRId64 " of row %" PRId64 " is too large for a double", k + 1, row + 1);
    return VOLT_OK;
}

volt_status volt_model_record_pending(volt_model *model, volt_view rows)
{
    int64_t d = model->recipe.inputs;
    if (rows.rows == 0 || model->feedback) /* with feedback the last target is that row */
        return VOLT_OK;
    VOLT_REQUIRE(rows.data && rows.rows > 0 && rows.cols == d && rows.ld >= d, VOLT_ERR_SHAPE,
                 "the pending inputs must have %" PRId64 " columns, as X (got %" PRId64 " x %" PRId64 ")", d,
                 rows.rows, rows.cols);
    for (int64_t i = 0; i < rows.rows; i++)
        for (int64_t k = 0; k < d; k++)
            VOLT_REQUIRE(isfinite(rows.data[i * rows.ld + k]), VOLT_ERR_NOT_FINITE,
                         "pending input %" PRId64 " of row %" PRId64 " is not finite", k + 1, i + 1);
    model->pending = volt_alloc_doubles(rows.rows, d);
    if (!model->pending)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < rows.rows; i++)
        memcpy(model->pending + i * d, rows.data + i * rows.ld, (size_t)d * sizeof(double));
    model->n_pending = rows.rows;
    return VOLT_OK;
}

volt_view volt_model_pending(const volt_model *model)
{
    if (model->sum)
        return volt_model_pending(model->sum->models[0]);
    if (model->feedback && !model->no_last_target)
        return volt_view_of(model->last_target, 1, model->q);
    return volt_view_of(model->pending, model->n_pending, model->recipe.inputs);
}

volt_status volt_model_unscale_output(const volt_model *model, int64_t row, const double *x, double *v)
{
    for (int64_t k = 0; k < model->q; k++) {
        int64_t anchor = model->anchors[k];
        v[k] = model->target_mean[k] + model->target_scale[k] * v[k];
        if (anchor >= 0)
            v[k] += x[anchor];
    }
    if (model->loss)
        volt_loss_link(model->loss, model->q, v);
    return volt_model_check_output(model, row, v);
}

/* ---- coefficients of rows, or of states -------------------------------------------------------- */

volt_model_reader volt_model_reader_of(const volt_model *model)
{
    if (model->states)
        return (volt_model_reader){model->states, model->states_readout};
    return (volt_model_reader){model->columns, model->coefficients};
}

volt_status volt_readout_allocate(volt_model *model)
{
    int64_t count = volt_states_count(&model->resolved);
    if (count == 0)
        return VOLT_OK;
    model->states_readout = volt_alloc_doubles(count, model->q);
    return model->states_readout ? volt_states_columns(&model->resolved, &model->states) : VOLT_ERR_MEMORY;
}

int64_t volt_readout_state_length(const volt_model *model)
{
    return model->states ? volt_states_length(&model->resolved)
                         : volt_state_length_for(&model->resolved, model->n);
}
