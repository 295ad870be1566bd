/* src/model/model_file.c: a model as a safetensors file.
 *
 * Tensors hold every array; the metadata hold the kernel's text and the rest as text that reads back exactly.
 * docs/file_formats.md describes the file. Everything is checked on the way in: a file that passed its
 * checksum may still have been written by something else. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/name_lists.h"
#include "base/numbers.h"
#include "io/safetensors/safetensors.h"
#include "model/file_fields.h"
#include "model/model_internal.h"
#include "model/model_notes.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const format_name = "volterra-model";
/* Format 1 holds models of levels, format 2 also recipes and changes, format 3 also records; the lowest one that will do
 * is written. */
enum { PLAIN_FORMAT = 1, RECIPE_FORMAT = 2, RECORDS_FORMAT = 3 };

/* Numbers of a column of the recipe in the file: source, lags (minus: -1 for none), weight, range. */
enum { COLUMN_NUMBERS = 6 };

/* Does the model need format 2? */
static bool has_recipe(const volt_model *model)
{
    bool needs = model->n_records > 0 || !model->recipe.plain || model->resolved.sum;
    for (int64_t k = 0; k < model->q; k++)
        needs |= model->anchors[k] >= 0 || model->alphas[k] != model->alphas[0] || isinf(model->alphas[k]);
    return needs;
}

/* ---- save ------------------------------------------------------------------------------------- */

/* Names as a JSON list, to be released with volt_free; *text stays NULL for no names. */
static volt_status names_to_json(char **names, int64_t count, char **text)
{
    if (!names)
        return VOLT_OK;
    volt_text_buffer list = {0};
    volt_status status = VOLT_OK;
    for (int64_t i = 0; status == VOLT_OK && i < count; i++) {
        volt_text_put(&list, i ? "," : "[");
        status = volt_json_quote(&list, names[i]);
        if (status == VOLT_ERR_ARGUMENT)
            status = volt_fail(status, "column name %" PRId64 " is not UTF-8, and cannot be saved", i + 1);
    }
    volt_text_put(&list, "]");
    if (status == VOLT_OK && list.failed)
        status = VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        *text = list.bytes;
    else
        volt_free(list.bytes);
    return status;
}

/* What format 2 has beside format 1. An infinite alpha is written as 0, and a range without bounds as the largest
 * numbers. */
typedef struct recipe_arrays {
    double *columns; /* columns x COLUMN_NUMBERS */
    double *recent;  /* memory x inputs, then the state of the filters */
    double *radii;   /* of the slices of an expression */
    double *outputs; /* 2 x q: anchors, alphas */
    double *records; /* their lengths */
} recipe_arrays;

static void recipe_arrays_release(recipe_arrays *arrays)
{
    volt_free(arrays->columns);
    volt_free(arrays->recent);
    volt_free(arrays->radii);
    volt_free(arrays->outputs);
    volt_free(arrays->records);
}

static volt_status recipe_arrays_make(const volt_model *model, recipe_arrays *arrays)
{
    const volt_recipe *recipe = &model->recipe;
    arrays->columns = volt_alloc_doubles(recipe->columns, COLUMN_NUMBERS);
    arrays->recent = volt_alloc_doubles(volt_max(volt_recent_length(recipe), 1), 1);
    arrays->radii = volt_alloc_doubles(volt_kernel_slices(model->kernel), 1);
    arrays->outputs = volt_alloc_doubles(2, model->q);
    arrays->records = volt_alloc_doubles(model->n_records, 1);
    if (!arrays->columns || !arrays->recent || !arrays->outputs || !arrays->radii || !arrays->records)
        return VOLT_ERR_MEMORY;
    for (int64_t r = 0; r < model->n_records; r++)
        arrays->records[r] = (double)model->records[r];
    for (int64_t s = 0; s < volt_kernel_slices(model->kernel); s++)
        arrays->radii[s] = volt_slice_radius(&model->resolved, s);
    for (int64_t j = 0; !recipe->plain && j < recipe->columns; j++) {
        const volt_column *column = &recipe->column[j];
        const double numbers[COLUMN_NUMBERS] = {(double)column->source,      (double)column->plus,
                                                (double)column->minus,       column->weight,
                                                fmax(column->low, -DBL_MAX), fmin(column->high, DBL_MAX)};
        memcpy(arrays->columns + j * COLUMN_NUMBERS, numbers, sizeof numbers);
    }
    volt_recent_get(recipe, &model->recent, arrays->recent);
    for (int64_t k = 0; k < model->q; k++) {
        arrays->outputs[k] = (double)model->anchors[k];
        arrays->outputs[model->q + k] = isinf(model->alphas[k]) ? 0 : model->alphas[k];
    }
    return VOLT_OK;
}

static int format_of(const volt_model *model)
{
    return model->n_records > 0 ? RECORDS_FORMAT : has_recipe(model) ? RECIPE_FORMAT : PLAIN_FORMAT;
}

static const char *const input_words[] = {"level", "change", "both"}; /* by volt_input */

static volt_status write_file(const volt_model *model, const char *path, const double *inputs,
                              const double *state, const recipe_arrays *arrays, const char *input_names,
                              const char *output_names, volt_progress progress)
{
    int64_t n = model->n, d = model->d, q = model->q;
    volt_tensor tensors[16] = {
        {"inputs", n, d, inputs},
        {"coefficients", n, q, model->coefficients},
        {"intercepts", q, 0, model->intercepts},
        {"input_shift", model->recipe.columns, 0, model->input.shift},
        {"input_scale", 1, 0, &model->input.scale},
        {"target_mean", q, 0, model->target_mean},
        {"target_scale", q, 0, model->target_scale},
        {"last_target", q, 0, model->last_target},
        {"state", volt_past_length(model->end), 0, state},
    };
    int64_t tensor_count = 9, count = 12;
    char version[32], washout[32], ahead[32], season[32];
    char radius[VOLT_NUMBER_LENGTH], alpha[VOLT_NUMBER_LENGTH], rcond[VOLT_NUMBER_LENGTH];
    snprintf(version, sizeof version, "%d", format_of(model));
    snprintf(washout, sizeof washout, "%" PRId64, model->washout);
    snprintf(ahead, sizeof ahead, "%" PRId64, model->ahead);
    snprintf(season, sizeof season, "%" PRId64, model->season);
    volt_metadatum metadata[20 + VOLT_NOTES] = {
        {"format", format_name},
        {"version", version},
        {"library", volt_version()},
        {"kernel", volt_kernel_text(model->kernel)},
        {"radius", volt_format_number(model->resolved.facts.radius, radius)},
        {"alpha", volt_format_number(isinf(model->alphas[0]) ? 0 : model->alphas[0], alpha)},
        {"rcond", volt_format_number(model->rcond, rcond)},
        {"washout", washout},
        {"ahead", ahead},
        {"intercept", model->intercept ? "yes" : "no"},
        {"scaled", model->scaled ? "yes" : "no"},
        {"feedback", model->feedback ? "yes" : "no"},
    };
    if (input_names)
        metadata[count++] = (volt_metadatum){"input_names", input_names};
    if (output_names)
        metadata[count++] = (volt_metadatum){"output_names", output_names};
    if (has_recipe(model)) {
        tensors[tensor_count++] = (volt_tensor){"anchors", q, 0, arrays->outputs};
        tensors[tensor_count++] = (volt_tensor){"alphas", q, 0, arrays->outputs + q};
        if (!model->recipe.plain)
            tensors[tensor_count++] =
                (volt_tensor){"columns", model->recipe.columns, COLUMN_NUMBERS, arrays->columns};
        if (model->recipe.memory > 0)
            tensors[tensor_count++] =
                (volt_tensor){"recent", model->recipe.memory, model->recipe.inputs, arrays->recent};
        if (model->resolved.sum)
            tensors[tensor_count++] =
                (volt_tensor){"radii", volt_kernel_slices(model->kernel), 0, arrays->radii};
        int64_t rows = model->recipe.memory * model->recipe.inputs;
        if (model->recipe.filters)
            tensors[tensor_count++] =
                (volt_tensor){"filters", volt_recent_length(&model->recipe) - rows, 0, arrays->recent + rows};
        if (model->n_records > 0)
            tensors[tensor_count++] = (volt_tensor){"records", model->n_records, 0, arrays->records};
        metadata[count++] = (volt_metadatum){"input", input_words[model->kind]};
        metadata[count++] = (volt_metadatum){"season", season};
    }
    count += volt_notes_list(&model->notes, metadata + count);
    return volt_safetensors_write_watched(path, tensors, tensor_count, metadata, count, progress);
}

volt_status volt_model_save(const volt_model *model, const char *path)
{
    return volt_model_save_watched(model, path, (volt_progress){NULL, NULL});
}

volt_status volt_model_save_watched(const volt_model *model, const char *path, volt_progress progress)
{
    VOLT_REQUIRE(model && path, VOLT_ERR_ARGUMENT, "the model or the path is NULL");
    double *inputs = volt_alloc_doubles(model->n, model->d);
    double *state = volt_alloc_doubles(volt_past_length(model->end), 1);
    char *input_names = NULL, *output_names = NULL;
    recipe_arrays arrays = {0};
    volt_status status = inputs && state ? recipe_arrays_make(model, &arrays) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = names_to_json(model->input_names, model->recipe.inputs, &input_names);
    if (status == VOLT_OK)
        status = names_to_json(model->output_names, model->q, &output_names);
    if (status == VOLT_OK) {
        for (int64_t j = 0; j < model->n; j++)
            volt_columns_row(model->columns, j, inputs + j * model->d);
        volt_past_get(model->end, state);
        status = write_file(model, path, inputs, state, &arrays, input_names, output_names, progress);
    }
    recipe_arrays_release(&arrays);
    volt_free(output_names);
    volt_free(input_names);
    volt_free(state);
    volt_free(inputs);
    return status;
}

/* ---- load ------------------------------------------------------------------------------------- */

static volt_status read_names(const volt_file_fields *fields, const char *key, int64_t count, char ***names)
{
    const char *text = volt_safetensors_metadata(fields->file, key);
    if (!text)
        return VOLT_OK;
    json_t *list = NULL;
    volt_status status = volt_json_parse(text, (int64_t)strlen(text), &list);
    if (status == VOLT_ERR_MEMORY)
        return status;
    const char **words = volt_alloc_zero(count, sizeof *words);
    if (!words)
        status = VOLT_ERR_MEMORY;
    else if (!json_is_array(list) || (int64_t)json_array_size(list) != count)
        status = volt_fail(VOLT_ERR_FORMAT, "%s: \"%s\" is not a list of %" PRId64 " names", fields->path, key,
                           count);
    for (int64_t i = 0; status == VOLT_OK && i < count; i++) {
        words[i] = json_string_value(json_array_get(list, (size_t)i));
        if (!words[i])
            status = volt_fail(VOLT_ERR_FORMAT, "%s: name %" PRId64 " of \"%s\" is not a text", fields->path,
                               i + 1, key);
    }
    if (status == VOLT_OK)
        status = volt_names_copy(words, count, names);
    volt_free(words);
    json_decref(list);
    return status;
}

static volt_status read_header(const volt_file_fields *fields, int64_t *version)
{
    const char *text = NULL;
    VOLT_TRY(volt_fields_text(fields, "format", &text));
    if (strcmp(text, format_name) != 0)
        return volt_fields_foreign(fields, "its format is another");
    VOLT_TRY(volt_fields_count(fields, "version", version));
    VOLT_REQUIRE(*version >= PLAIN_FORMAT && *version <= RECORDS_FORMAT, VOLT_ERR_FORMAT,
                 "%s has model format %" PRId64 ", and this library (%s) reads formats 1 to %d", fields->path,
                 *version, volt_version(), RECORDS_FORMAT);
    return VOLT_OK;
}

/* How far the slices of the inputs reach; none may lie outside the ball that the kernel was resolved on. */
static volt_status check_inputs(const char *path, volt_view inputs, int64_t slices, const double *radii,
                                volt_extent *extents)
{
    int64_t d = inputs.cols / slices;
    VOLT_TRY(volt_extents_of(inputs, slices, "inputs", extents));
    for (int64_t s = 0; s < slices; s++) {
        for (int64_t i = 0; i < inputs.rows; i++) {
            double norm = volt_row_norm(inputs.data + i * inputs.ld + s * d, d);
            VOLT_REQUIRE(volt_is_within(norm, radii[s], d), VOLT_ERR_FORMAT,
                         "%s: input %" PRId64 " has norm %g, beyond the model's radius %g", path, i + 1, norm,
                         radii[s]);
        }
        extents[s].radius = radii[s];
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

static volt_status read_kernel(const volt_file_fields *fields, const volt_tensor *inputs, volt_model *model)
{
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
    VOLT_TRY(check_inputs(fields->path, volt_view_of(inputs->data, inputs->rows, inputs->cols), slices, radii,
                          extents));
    status = volt_kernel_resolve_slices(model->kernel, extents, d, &model->resolved);
    return status == VOLT_OK || status == VOLT_ERR_MEMORY
               ? status
               : volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path);
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
    VOLT_REQUIRE(model->washout < model->n && (!model->feedback || model->recipe.inputs == model->q),
                 VOLT_ERR_FORMAT, "%s: its washout or feedback do not fit its tensors", fields->path);
    VOLT_TRY(volt_notes_read(fields->file, &model->notes));
    VOLT_TRY(read_names(fields, "input_names", model->recipe.inputs, &model->input_names));
    return read_names(fields, "output_names", model->q, &model->output_names);
}

static volt_status read_arrays(const volt_file_fields *fields, const volt_tensor *inputs, volt_model *model)
{
    int64_t n = model->n, d = model->d, q = model->q;
    const volt_tensor *state = NULL;
    VOLT_TRY(volt_fields_copy(fields, "coefficients", n, q, model->coefficients));
    VOLT_TRY(volt_fields_copy(fields, "intercepts", q, 0, model->intercepts));
    VOLT_TRY(volt_fields_copy(fields, "input_shift", model->recipe.columns, 0, model->input.shift));
    VOLT_TRY(volt_fields_copy(fields, "input_scale", 1, 0, &model->input.scale));
    VOLT_TRY(volt_fields_copy(fields, "target_mean", q, 0, model->target_mean));
    VOLT_TRY(volt_fields_copy(fields, "target_scale", q, 0, model->target_scale));
    VOLT_TRY(volt_fields_copy(fields, "last_target", q, 0, model->last_target));
    VOLT_TRY(volt_fields_tensor(fields, "state", volt_state_length(&model->resolved, n), 0, &state));
    VOLT_TRY(volt_columns_create(&model->resolved, volt_view_of(inputs->data, n, d), NULL, &model->columns));
    VOLT_TRY(volt_past_create(&model->resolved, model->columns, 1, &model->end));
    volt_past_set(model->end, state->data);
    return VOLT_OK;
}

/* ---- the recipe of format 2 ---- */

/* A whole number from `least` to `most` in a tensor. */
static volt_status take_index(const char *path, const char *name, double value, int64_t least, int64_t most,
                              int64_t *index)
{
    VOLT_REQUIRE(value == floor(value) && value >= (double)least && value <= (double)most, VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" holds %g, and must hold whole numbers from %" PRId64 " to %" PRId64, path,
                 name, value, least, most);
    *index = (int64_t)value;
    return VOLT_OK;
}

static volt_status read_columns(const volt_file_fields *fields, volt_model *model)
{
    const volt_tensor *columns = NULL, *recent = NULL;
    volt_recipe *recipe = &model->recipe;
    VOLT_TRY(volt_fields_tensor(fields, "recent", -1, -1, &recent));
    VOLT_REQUIRE(recent->rows > 0 && recent->cols > 0, VOLT_ERR_FORMAT, "%s: tensor \"recent\" is empty",
                 fields->path);
    VOLT_TRY(volt_fields_tensor(fields, "columns", recipe->columns, COLUMN_NUMBERS, &columns));
    recipe->column = volt_alloc_zero(recipe->columns, sizeof *recipe->column);
    if (!recipe->column)
        return VOLT_ERR_MEMORY;
    recipe->plain = false;
    recipe->inputs = recent->cols;
    recipe->memory = recent->rows;
    for (int64_t j = 0; j < recipe->columns; j++) {
        const double *numbers = columns->data + j * COLUMN_NUMBERS;
        volt_column *column = &recipe->column[j];
        VOLT_TRY(take_index(fields->path, "columns", numbers[0], 0, recipe->inputs - 1, &column->source));
        VOLT_TRY(take_index(fields->path, "columns", numbers[1], 0, recipe->memory, &column->plus));
        VOLT_TRY(take_index(fields->path, "columns", numbers[2], -1, recipe->memory, &column->minus));
        column->weight = numbers[3];
        column->low = numbers[4];
        column->high = numbers[5];
        VOLT_REQUIRE(column->weight > 0 && column->low <= column->high, VOLT_ERR_FORMAT,
                     "%s: column %" PRId64 " of the recipe has weight %g and range %g to %g", fields->path,
                     j + 1, column->weight, column->low, column->high);
    }
    return VOLT_OK;
}

/* What the rows of training left behind: themselves, and the filters. */
static volt_status read_recent(const volt_file_fields *fields, volt_model *model)
{
    const volt_recipe *recipe = &model->recipe;
    int64_t rows = recipe->memory * recipe->inputs, filters = volt_recent_length(recipe) - rows;
    double *numbers = volt_alloc_doubles(rows + filters, 1);
    volt_status status = numbers ? volt_recent_create(recipe, &model->recent) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && rows > 0)
        status = volt_fields_copy(fields, "recent", recipe->memory, recipe->inputs, numbers);
    if (status == VOLT_OK && filters > 0)
        status = volt_fields_copy(fields, "filters", filters, 0, numbers + rows);
    if (status == VOLT_OK)
        volt_recent_set(recipe, numbers, &model->recent);
    volt_free(numbers);
    return status;
}

static volt_status read_recipe(const volt_file_fields *fields, volt_model *model)
{
    const char *word = NULL;
    const volt_tensor *anchors = NULL;
    VOLT_TRY(volt_fields_text(fields, "input", &word));
    while ((int)model->kind < VOLT_INPUT_AUTO && strcmp(word, input_words[model->kind]) != 0)
        model->kind++;
    VOLT_REQUIRE(model->kind != VOLT_INPUT_AUTO, VOLT_ERR_FORMAT,
                 "%s: \"input\" is \"%.40s\", and must be level, change or both", fields->path, word);
    VOLT_TRY(volt_fields_count(fields, "season", &model->season));
    bool plain = model->kind == VOLT_INPUT_LEVEL;
    VOLT_REQUIRE(!plain || !volt_safetensors_tensor(fields->file, "columns"), VOLT_ERR_FORMAT,
                 "%s: \"input\" is level, and has no tensor \"columns\"", fields->path);
    if (!plain)
        VOLT_TRY(read_columns(fields, model));
    VOLT_TRY(read_recent(fields, model));
    VOLT_TRY(volt_fields_tensor(fields, "anchors", model->q, 0, &anchors));
    for (int64_t k = 0; k < model->q; k++)
        VOLT_TRY(take_index(fields->path, "anchors", anchors->data[k], -1, model->recipe.inputs - 1,
                            &model->anchors[k]));
    return VOLT_OK;
}

/* Before the columns and the state, which are those of the records. */
static volt_status read_records(const volt_file_fields *fields, volt_model *model)
{
    const volt_tensor *tensor = NULL;
    VOLT_TRY(volt_fields_tensor(fields, "records", -1, 0, &tensor));
    int64_t *lengths = volt_alloc(tensor->rows, sizeof *lengths);
    volt_status status = lengths ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t r = 0; status == VOLT_OK && r < tensor->rows; r++)
        status = take_index(fields->path, "records", tensor->data[r], 1, model->n, &lengths[r]);
    if (status == VOLT_OK)
        status = volt_model_use_records(model, lengths, tensor->rows);
    volt_free(lengths);
    return status == VOLT_ERR_ARGUMENT ? volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path) : status;
}

/* After the settings, whose alpha it replaces. */
static volt_status read_alphas(const volt_file_fields *fields, volt_model *model)
{
    VOLT_TRY(volt_fields_copy(fields, "alphas", model->q, 0, model->alphas));
    for (int64_t k = 0; k < model->q; k++) {
        VOLT_REQUIRE(model->alphas[k] >= 0, VOLT_ERR_FORMAT, "%s: alpha of output %" PRId64 " is %g",
                     fields->path, k + 1, model->alphas[k]);
        if (model->alphas[k] == 0)
            model->alphas[k] = INFINITY;
    }
    return VOLT_OK;
}

static volt_status read_model(const volt_file_fields *fields, volt_model **model)
{
    const volt_tensor *inputs = NULL, *coefficients = NULL;
    int64_t version = 0;
    VOLT_TRY(read_header(fields, &version));
    VOLT_TRY(volt_fields_tensor(fields, "inputs", -1, -1, &inputs));
    assert(inputs);
    VOLT_TRY(volt_fields_tensor(fields, "coefficients", inputs->rows, -1, &coefficients));
    assert(coefficients);
    if (inputs->rows < 1 || inputs->cols < 1 || coefficients->cols < 1)
        return volt_fields_foreign(fields, "its tensors are empty");
    VOLT_TRY(volt_model_allocate(inputs->rows, inputs->cols, coefficients->cols, model));
    VOLT_TRY(read_kernel(fields, inputs, *model));
    if (version >= RECIPE_FORMAT)
        VOLT_TRY(read_recipe(fields, *model));
    if (version >= RECORDS_FORMAT)
        VOLT_TRY(read_records(fields, *model));
    VOLT_TRY(read_settings(fields, *model));
    if (version >= RECIPE_FORMAT)
        VOLT_TRY(read_alphas(fields, *model));
    return read_arrays(fields, inputs, *model);
}

volt_status volt_model_load(const char *path, volt_model **model)
{
    VOLT_REQUIRE(path && model, VOLT_ERR_ARGUMENT, "the path or the place for the model is NULL");
    volt_safetensors *file = NULL;
    VOLT_TRY(volt_safetensors_read(path, &file));
    volt_file_fields fields = {.file = file, .path = path, .kind = "a volterra model"};
    volt_model *fresh = NULL;
    volt_status status = read_model(&fields, &fresh);
    volt_safetensors_free(file);
    if (status == VOLT_OK)
        *model = fresh;
    else
        volt_model_free(fresh);
    return status;
}
