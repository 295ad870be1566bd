/* src/model/file/readout_part.c: the parts of a model file that hold what was fitted: kernel, readout, settings and final
 * state; the loss, its certificate and its classes; the share of the readout that was used. */
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel_entry.h"
#include "model/file/file_parts.h"
#include "model/model_internal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- readout: save ----------------------------------------------------------------------------- */

/* The arrays of every model. */
static const volt_entry arrays[] = {
    {"intercepts", VOLT_FIELD_VECTOR, offsetof(volt_model, intercepts), offsetof(volt_model, q), 0},
    {"input_shift", VOLT_FIELD_VECTOR, offsetof(volt_model, input.shift), offsetof(volt_model, recipe.columns),
     0},
    {"input_scale", VOLT_FIELD_SCALAR, offsetof(volt_model, input.scale), 0, 0},
    {"target_mean", VOLT_FIELD_VECTOR, offsetof(volt_model, target_mean), offsetof(volt_model, q), 0},
    {"target_scale", VOLT_FIELD_VECTOR, offsetof(volt_model, target_scale), offsetof(volt_model, q), 0},
    {"last_target", VOLT_FIELD_VECTOR, offsetof(volt_model, last_target), offsetof(volt_model, q), 0},
};
enum { N_ARRAYS = sizeof arrays / sizeof arrays[0] };

/* Settings of every model except kernel, radius and alpha. */
static const volt_entry settings[] = {
    {"rcond", VOLT_FIELD_NUMBER, offsetof(volt_model, rcond), 0, 0},
    {"washout", VOLT_FIELD_COUNT, offsetof(volt_model, washout), 0, 0},
    {"ahead", VOLT_FIELD_COUNT, offsetof(volt_model, ahead), 0, 0},
    {"intercept", VOLT_FIELD_FLAG, offsetof(volt_model, intercept), 0, 0},
    {"scaled", VOLT_FIELD_FLAG, offsetof(volt_model, scaled), 0, 0},
    {"feedback", VOLT_FIELD_FLAG, offsetof(volt_model, feedback), 0, 0},
    {"no_last_target", VOLT_FIELD_MARK, offsetof(volt_model, no_last_target), 0, 0},
};
enum { N_SETTINGS = sizeof settings / sizeof settings[0] };

static volt_status save_readout(const volt_model *model, volt_file_writer *writer)
{
    int64_t n = model->n, d = model->d;
    double *inputs = volt_put_buffer(writer, "inputs", n, d);
    for (int64_t j = 0; inputs && j < n; j++)
        volt_columns_row(model->columns, j, inputs + j * d);
    volt_put_tensor(writer, "coefficients", n, model->q, model->coefficients);
    volt_put_fields(writer, arrays, N_ARRAYS, model);
    double *state = volt_put_buffer(writer, "state", volt_state_length(model->end), 0);
    if (state)
        volt_state_get(model->end, state);
    volt_put_text(writer, "kernel", volt_kernel_text(model->kernel));
    volt_put_number(writer, "radius", model->resolved.facts.radius);
    if (model->largest)
        volt_put_tensor(writer, "largest", volt_kernel_slices(model->kernel), 0, model->largest);
    volt_put_number(writer, "alpha", isinf(model->alphas[0]) ? 0 : model->alphas[0]);
    volt_put_fields(writer, settings, N_SETTINGS, model);
    return VOLT_OK;
}

/* ---- readout: load ----------------------------------------------------------------------------- */

/* Reads the ball and the largest values at resolution of the kernel. */
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

/* Inputs must be inside the ball, unless the kernel accepts them: rows learned later may be outside. */
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

/* Radii of the slices: a tensor for several, a number for one. */
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
    const volt_tensor *inputs = volt_safetensors_tensor(fields->file, "inputs"); /* created the model */
    const char *text = NULL;
    double radii[VOLT_MAX_FACTORS];
    volt_extent extents[VOLT_MAX_FACTORS];
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
    VOLT_REQUIRE(!model->past.input || model->past.n == d, VOLT_ERR_FORMAT,
                 "%s: tensor \"initial_input\" has %" PRId64 " numbers, but the kernel has %" PRId64 " columns",
                 fields->path, model->past.n, d);
    VOLT_TRY(volt_kernel_use_past(model->kernel, &model->past));
    volt_recipe_use_filters(&model->recipe, model->kernel);
    VOLT_TRY(read_radii(fields, model->kernel, radii));
    volt_view rows = volt_view_of(inputs->data, inputs->rows, inputs->cols);
    VOLT_TRY(read_extents(fields, rows, slices, radii, model, extents));
    volt_saved_weights weights;
    VOLT_TRY(volt_weights_find(fields, model->kernel, &weights));
    status = volt_kernel_resolve_slices(model->kernel, extents, d, &model->resolved);
    volt_weights_detach(model->kernel);
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
    VOLT_TRY(volt_fields_load(fields, settings, N_SETTINGS, model));
    VOLT_REQUIRE(model->washout < model->n && (!model->feedback || model->recipe.inputs == model->q),
                 VOLT_ERR_FORMAT, "%s: its washout or feedback do not fit its tensors", fields->path);
    VOLT_REQUIRE(model->ahead <= VOLT_MAX_AHEAD, VOLT_ERR_FORMAT,
                 "%s: \"ahead\" must be 0 to %d (got %" PRId64 ")", fields->path, VOLT_MAX_AHEAD, model->ahead);
    return VOLT_OK;
}

static volt_status read_arrays(const volt_file_fields *fields, volt_model *model)
{
    int64_t n = model->n, d = model->d, q = model->q;
    const volt_tensor *inputs = volt_safetensors_tensor(fields->file, "inputs"), *state = NULL;
    const volt_tensor *coefficients = volt_safetensors_tensor(fields->file, "coefficients");
    if (volt_safetensors_tensor(fields->file, "states_readout")) /* models with a loss have none */
        VOLT_TRY(volt_readout_allocate(model));
    VOLT_REQUIRE(model->states || !volt_safetensors_tensor(fields->file, "states_readout"), VOLT_ERR_FORMAT,
                 "%s: it has a tensor \"states_readout\", but its kernel has no states", fields->path);
    if (model->states)
        VOLT_TRY(volt_fields_copy(fields, "states_readout", model->states->m, q, model->states_readout));
    memcpy(model->coefficients, coefficients->data, (size_t)(n * q) * sizeof(double));
    VOLT_TRY(volt_fields_load(fields, arrays, N_ARRAYS, model));
    for (int64_t k = 0; k < q; k++)
        VOLT_REQUIRE(model->target_scale[k] > 0, VOLT_ERR_FORMAT,
                     "%s: tensor \"target_scale\" must be above 0 (got %g)", fields->path,
                     model->target_scale[k]);
    VOLT_TRY(volt_fields_tensor(fields, "state", volt_readout_state_length(model), 0, &state));
    VOLT_TRY(volt_columns_create(&model->resolved, volt_view_of(inputs->data, n, d), NULL, &model->columns));
    VOLT_TRY(volt_state_create(&model->resolved, volt_model_reader_of(model).columns, 1, &model->end));
    volt_state_set(model->end, state->data);
    return VOLT_OK;
}

static volt_status load_readout(const volt_file_fields *fields, volt_model *model)
{
    VOLT_REQUIRE(!model->recipe.filters || model->recent.bank.state, VOLT_ERR_FORMAT,
                 "%s: its kernel has filters, but a file of its format does not", fields->path);
    VOLT_TRY(read_settings(fields, model));
    return read_arrays(fields, model);
}

const volt_file_part volt_readout_part = {.name = "readout",
                                          .format = VOLT_FORMAT_PLAIN,
                                          .save = save_readout,
                                          .load_rows = load_kernel,
                                          .load = load_readout};

/* ---- loss -------------------------------------------------------------------------------------- */

static const volt_entry certificate[] = {
    {"objective", VOLT_FIELD_NUMBER, offsetof(volt_model, objective), 0, -DBL_MAX},
    {"duality_gap", VOLT_FIELD_NUMBER, offsetof(volt_model, gap), 0, 0},
    {"tolerance", VOLT_FIELD_NUMBER, offsetof(volt_model, tolerance), 0, 0},
};
enum { N_CERTIFICATE = sizeof certificate / sizeof certificate[0] };

static bool has_loss(const volt_model *model)
{
    return model->loss != NULL;
}

static volt_status save_loss(const volt_model *model, volt_file_writer *writer)
{
    volt_put_text(writer, "loss", model->loss->text);
    volt_put_fields(writer, certificate, N_CERTIFICATE, model);
    return volt_put_names(writer, "classes", model->classes, model->n_classes);
}

/* Loaded after the readout. Outputs are groups of levels, or one per class. */
static volt_status load_loss(const volt_file_fields *fields, volt_model *model)
{
    const char *text = NULL;
    VOLT_TRY(volt_fields_text(fields, "loss", &text));
    volt_status status = volt_loss_parse(text, &model->loss);
    if (status == VOLT_ERR_ARGUMENT)
        return volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path);
    VOLT_TRY(status);
    VOLT_TRY(volt_fields_load(fields, certificate, N_CERTIFICATE, model));
    int64_t count = model->loss->count;
    VOLT_REQUIRE(count < 2 || model->q % count == 0, VOLT_ERR_FORMAT,
                 "%s: its %" PRId64 " outputs are not a multiple of %" PRId64 " levels", fields->path, model->q,
                 count);
    if (!model->loss->kind->info.classes)
        return VOLT_OK;
    VOLT_REQUIRE(model->q >= 2 && model->q <= VOLT_MAX_LEVELS, VOLT_ERR_FORMAT,
                 "%s: its %" PRId64 " outputs are not 2 to %d classes", fields->path, model->q,
                 VOLT_MAX_LEVELS);
    for (int64_t k = 0; k < model->q; k++)
        VOLT_REQUIRE(model->anchors[k] < 0, VOLT_ERR_FORMAT,
                     "%s: tensor \"anchors\" has %" PRId64 " for output %" PRId64
                     ", but the probability of a class is no change of an input",
                     fields->path, model->anchors[k], k + 1);
    VOLT_TRY(volt_fields_names(fields, "classes", model->q, &model->classes));
    VOLT_REQUIRE(model->classes, VOLT_ERR_FORMAT, "%s: its classes have no names", fields->path);
    model->n_classes = model->q;
    return VOLT_OK;
}

const volt_file_part volt_loss_part = {.name = "loss",
                                       .format = VOLT_FORMAT_LOSS,
                                       .mark = "loss",
                                       .present = has_loss,
                                       .save = save_loss,
                                       .load = load_loss};

/* ---- shares ------------------------------------------------------------------------------------
 * A fit that is uncertain uses half of its readout (solve/choice/choice.h). The coefficients include the share, so
 * predictions do not need it; a learner does, to recover the targets. */

static bool has_shares(const volt_model *model)
{
    for (int64_t k = 0; k < model->q; k++)
        if (model->shares[k] != 1)
            return true;
    return false;
}

static volt_status save_shares(const volt_model *model, volt_file_writer *writer)
{
    volt_put_tensor(writer, "shares", model->q, 0, model->shares);
    return VOLT_OK;
}

static volt_status load_shares(const volt_file_fields *fields, volt_model *model)
{
    VOLT_TRY(volt_fields_copy(fields, "shares", model->q, 0, model->shares));
    for (int64_t k = 0; k < model->q; k++)
        VOLT_REQUIRE(model->shares[k] > 0 && model->shares[k] <= 1, VOLT_ERR_FORMAT,
                     "%s: a share of the readout must be above 0 and at most 1 (got %g)", fields->path,
                     model->shares[k]);
    return VOLT_OK;
}

const volt_file_part volt_shares_part = {.name = "shares",
                                         .format = VOLT_FORMAT_ANY,
                                         .mark = "shares",
                                         .present = has_shares,
                                         .save = save_shares,
                                         .load = load_shares};
