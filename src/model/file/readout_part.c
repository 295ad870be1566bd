/* src/model/file/readout_part.c: kernel, readout, settings and the state at the end of training in a model file. */
#include "base/error.h"
#include "base/memory.h"
#include "model/file/file_parts.h"
#include "model/file/reservoir_part.h"
#include "model/readout.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static volt_status save(const volt_model *model, volt_file_writer *writer)
{
    int64_t n = model->n, d = model->d, q = model->q;
    double *inputs = volt_put_room(writer, "inputs", n, d);
    for (int64_t j = 0; inputs && j < n; j++)
        volt_columns_row(model->columns, j, inputs + j * d);
    volt_put_tensor(writer, "coefficients", n, q, model->coefficients);
    volt_put_tensor(writer, "intercepts", q, 0, model->intercepts);
    volt_put_tensor(writer, "input_shift", model->recipe.columns, 0, model->input.shift);
    volt_put_tensor(writer, "input_scale", 1, 0, &model->input.scale);
    volt_put_tensor(writer, "target_mean", q, 0, model->target_mean);
    volt_put_tensor(writer, "target_scale", q, 0, model->target_scale);
    volt_put_tensor(writer, "last_target", q, 0, model->last_target);
    double *state = volt_put_room(writer, "state", volt_past_length(model->end), 0);
    if (state)
        volt_past_get(model->end, state);
    volt_put_text(writer, "kernel", volt_kernel_text(model->kernel));
    volt_put_number(writer, "radius", model->resolved.facts.radius);
    if (model->largest)
        volt_put_tensor(writer, "largest", volt_kernel_slices(model->kernel), 0, model->largest);
    volt_put_number(writer, "alpha", isinf(model->alphas[0]) ? 0 : model->alphas[0]);
    volt_put_number(writer, "rcond", model->rcond);
    volt_put_count(writer, "washout", model->washout);
    volt_put_count(writer, "ahead", model->ahead);
    volt_put_flag(writer, "intercept", model->intercept);
    volt_put_flag(writer, "scaled", model->scaled);
    volt_put_flag(writer, "feedback", model->feedback);
    if (model->no_last_target)
        volt_put_flag(writer, "no_last_target", true);
    return VOLT_OK;
}

/* ---- load ------------------------------------------------------------------------------------- */

/* The ball and the largest values that the kernel was resolved with. */
static volt_status read_extents(const volt_file_fields *fields, volt_view inputs, int64_t slices,
                                const double *radii, volt_model *model, volt_extent *extents)
{
    VOLT_TRY(volt_extents_of(inputs, slices, "inputs", extents));
    if (volt_safetensors_tensor(fields->file, "largest")) {
        model->largest = volt_alloc_doubles(slices, 1);
        if (!model->largest)
            return VOLT_ERR_MEMORY;
        VOLT_TRY(volt_fields_copy(fields, "largest", slices, 0, model->largest));
    }
    for (int64_t s = 0; s < slices; s++) {
        extents[s].radius = radii[s];
        if (model->largest)
            extents[s].largest = model->largest[s];
    }
    return VOLT_OK;
}

/* No input may lie outside the ball, unless the kernel takes it all the same: rows that were learned later may. */
static volt_status check_inputs(const char *path, volt_view inputs, int64_t slices, const double *radii,
                                const volt_model *model)
{
    int64_t d = inputs.cols / slices;
    for (int64_t s = 0; s < slices; s++)
        for (int64_t i = 0; i < inputs.rows; i++) {
            double norm = volt_row_norm(inputs.data + i * inputs.ld + s * d, d);
            VOLT_REQUIRE(volt_is_within(norm, radii[s], d) ||
                             (model->largest && volt_slice_gain(&model->resolved, s, norm) < 1),
                         VOLT_ERR_FORMAT, "%s: input %" PRId64 " has norm %g, beyond the model's radius %g",
                         path, i + 1, norm, radii[s]);
        }
    return VOLT_OK;
}

/* Radii of the slices: a number of its own for a kernel that stands alone. */
static volt_status read_radii(const volt_file_fields *fields, const volt_kernel *kernel, double *radii)
{
    int64_t slices = volt_kernel_slices(kernel);
    if (kernel->n_factors == 0)
        return volt_fields_number(fields, "radius", 0, radii);
    VOLT_TRY(volt_fields_copy(fields, "radii", slices, 0, radii));
    for (int64_t s = 0; s < slices; s++)
        VOLT_REQUIRE(radii[s] >= 0, VOLT_ERR_FORMAT, "%s: radius %" PRId64 " is %g", fields->path, s + 1,
                     radii[s]);
    return VOLT_OK;
}

static volt_status load_kernel(const volt_file_fields *fields, volt_model *model)
{
    const volt_tensor *inputs = volt_safetensors_tensor(fields->file, "inputs"); /* which made the model */
    const char *text = NULL;
    double radii[VOLT_MOST_FACTORS];
    volt_extent extents[VOLT_MOST_FACTORS];
    VOLT_TRY(volt_fields_text(fields, "kernel", &text));
    volt_status status = volt_kernel_parse(text, &model->kernel);
    if (status == VOLT_ERR_KERNEL)
        return volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path);
    VOLT_TRY(status);
    int64_t slices = volt_kernel_slices(model->kernel), d = model->d / slices;
    VOLT_REQUIRE(d * slices == model->d, VOLT_ERR_FORMAT,
                 "%s: its inputs have %" PRId64 " columns, which %" PRId64 " filters cannot share",
                 fields->path, model->d, slices);
    model->recipe.inputs = model->recipe.columns = d;
    volt_recipe_use_filters(&model->recipe, model->kernel);
    VOLT_TRY(read_radii(fields, model->kernel, radii));
    volt_view rows = volt_view_of(inputs->data, inputs->rows, inputs->cols);
    VOLT_TRY(read_extents(fields, rows, slices, radii, model, extents));
    volt_saved_weights weights;
    VOLT_TRY(volt_weights_find(fields, model->kernel, &weights));
    status = volt_kernel_resolve_slices(model->kernel, extents, d, &model->resolved);
    volt_weights_forget(model->kernel);
    if (status == VOLT_OK)
        return check_inputs(fields->path, rows, slices, radii, model);
    return status == VOLT_ERR_MEMORY ? status : volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path);
}

static volt_status read_settings(const volt_file_fields *fields, volt_model *model)
{
    double alpha = 0;
    VOLT_TRY(volt_fields_number(fields, "alpha", 0, &alpha));
    for (int64_t k = 0; k < model->q; k++)
        model->alphas[k] = alpha;
    VOLT_TRY(volt_fields_number(fields, "rcond", 0, &model->rcond));
    VOLT_TRY(volt_fields_count(fields, "washout", &model->washout));
    VOLT_TRY(volt_fields_count(fields, "ahead", &model->ahead));
    VOLT_TRY(volt_fields_flag(fields, "intercept", &model->intercept));
    VOLT_TRY(volt_fields_flag(fields, "scaled", &model->scaled));
    VOLT_TRY(volt_fields_flag(fields, "feedback", &model->feedback));
    if (volt_safetensors_metadata(fields->file, "no_last_target"))
        VOLT_TRY(volt_fields_flag(fields, "no_last_target", &model->no_last_target));
    VOLT_REQUIRE(model->washout < model->n && (!model->feedback || model->recipe.inputs == model->q),
                 VOLT_ERR_FORMAT, "%s: its washout or feedback do not fit its tensors", fields->path);
    return VOLT_OK;
}

static volt_status read_arrays(const volt_file_fields *fields, volt_model *model)
{
    int64_t n = model->n, d = model->d, q = model->q;
    const volt_tensor *inputs = volt_safetensors_tensor(fields->file, "inputs"), *state = NULL;
    const volt_tensor *coefficients = volt_safetensors_tensor(fields->file, "coefficients");
    if (volt_safetensors_tensor(fields->file, "states_readout")) /* models of losses have none */
        VOLT_TRY(volt_readout_allocate(model));
    VOLT_REQUIRE(model->states || !volt_safetensors_tensor(fields->file, "states_readout"), VOLT_ERR_FORMAT,
                 "%s: it has a tensor \"states_readout\", and its kernel has no states", fields->path);
    if (model->states)
        VOLT_TRY(volt_fields_copy(fields, "states_readout", model->states->m, q, model->states_readout));
    memcpy(model->coefficients, coefficients->data, (size_t)(n * q) * sizeof(double));
    VOLT_TRY(volt_fields_copy(fields, "intercepts", q, 0, model->intercepts));
    VOLT_TRY(volt_fields_copy(fields, "input_shift", model->recipe.columns, 0, model->input.shift));
    VOLT_TRY(volt_fields_copy(fields, "input_scale", 1, 0, &model->input.scale));
    VOLT_TRY(volt_fields_copy(fields, "target_mean", q, 0, model->target_mean));
    VOLT_TRY(volt_fields_copy(fields, "target_scale", q, 0, model->target_scale));
    for (int64_t k = 0; k < q; k++)
        VOLT_REQUIRE(model->target_scale[k] > 0, VOLT_ERR_FORMAT,
                     "%s: tensor \"target_scale\" has %g, and must be above 0", fields->path,
                     model->target_scale[k]);
    VOLT_TRY(volt_fields_copy(fields, "last_target", q, 0, model->last_target));
    VOLT_TRY(volt_fields_tensor(fields, "state", volt_readout_state_length(model), 0, &state));
    VOLT_TRY(volt_columns_create(&model->resolved, volt_view_of(inputs->data, n, d), NULL, &model->columns));
    VOLT_TRY(volt_past_create(&model->resolved, volt_model_reads(model).columns, 1, &model->end));
    volt_past_set(model->end, state->data);
    return VOLT_OK;
}

static volt_status load(const volt_file_fields *fields, volt_model *model)
{
    VOLT_REQUIRE(!model->recipe.filters || model->recent.bank.state, VOLT_ERR_FORMAT,
                 "%s: its kernel has filters, and a file of its format does not", fields->path);
    VOLT_TRY(read_settings(fields, model));
    return read_arrays(fields, model);
}

const volt_file_part volt_readout_part = {
    .name = "readout", .format = VOLT_FORMAT_PLAIN, .save = save, .load_rows = load_kernel, .load = load};
