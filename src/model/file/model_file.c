/* src/model/file/model_file.c: saves and loads a model as a safetensors file.
 *
 * Tensors hold the arrays. Metadata hold the kernel and the settings, as text that reads back exactly. The
 * parts define the contents; docs/file_formats.md describes the file. */
#include "base/error.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/strings.h"
#include "gram/engine/engine.h"
#include "kernel/kernel_entry.h"
#include "model/file/file_fields.h"
#include "model/model_internal.h"
#include "model/recipe.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parts -------------------------------------------------------------------------------------- */

/* A part is the data of one feature: its tensors and metadata, written and read in one place. To add one,
 * define a `static const file_part NAME_part` and add it to the table `parts`. docs/file_formats.md describes the contents.
 *
 * The format of the file is the largest format of its parts, so that a reader without support for a part
 * rejects the file. A part that does not affect predictions has format VOLT_FORMAT_ANY, and older readers
 * skip it. */

/* Format numbers, named by what they added. */
enum {
    VOLT_FORMAT_ANY = 0, /* a part that older readers may skip */
    VOLT_FORMAT_PLAIN = 1,
    VOLT_FORMAT_RECIPE = 2,
    VOLT_FORMAT_RECORDS = 3,
    VOLT_FORMAT_FEEDBACK = 4,
    VOLT_FORMAT_LOSS = 5,
    VOLT_FORMAT_LANDMARKS = 6,
    VOLT_FORMAT_SUM = 7, /* a sum of models, each with a format of its own */
    VOLT_FORMAT_INITIAL = 8,
    VOLT_FORMAT_WEIGHTED = 9, /* levels with a weight each */
    VOLT_FORMAT_NEWEST = VOLT_FORMAT_WEIGHTED
};

typedef struct file_part {
    const char *name;
    int format; /* minimum format of a file with this part */
    /* A tensor or metadata key that only files with this part have. NULL: every file of this format or later
     * has the part. */
    const char *mark;
    /* Whether the model has data for the part. NULL: no model requires the part; it is implied by the
     * format. */
    bool (*present)(const volt_model *model);
    volt_status (*save)(const volt_model *model, volt_file_writer *writer);
    /* (optional) Reads the structure of the rows: kernel, recipe, records. Called in table order, before any
     * `load`. */
    volt_status (*load_rows)(const volt_file_fields *fields, volt_model *model);
    /* (optional) Reads the rest, in table order, after load_rows of every part. Everything is checked: a
     * file with a valid checksum may still come from another program. */
    volt_status (*load)(const volt_file_fields *fields, volt_model *model);
} file_part;

/* ---- weights of reservoirs ---------------------------------------------------------------------- */

/* The weights of reservoirs in a model file.
 *
 * The kernel text defines how they were drawn, or names a file of weights. With the weights in the model
 * file, predictions are bitwise identical on other machines and do not require that file. */

static const char *const reservoir_names[VOLT_MAX_FACTORS] = {
    "reservoir.1",  "reservoir.2",  "reservoir.3",  "reservoir.4",  "reservoir.5",  "reservoir.6",
    "reservoir.7",  "reservoir.8",  "reservoir.9",  "reservoir.10", "reservoir.11", "reservoir.12",
    "reservoir.13", "reservoir.14", "reservoir.15", "reservoir.16"};

static int64_t count_factors(const volt_kernel *kernel)
{
    return kernel->n_factors > 0 ? kernel->n_factors : 1;
}

static const volt_reservoir *reservoir_of(const volt_model *model, int64_t f)
{
    return model->resolved.sum ? model->resolved.sum->factor[f].reservoir : model->resolved.reservoir;
}

static int64_t count_reservoirs(const volt_model *model)
{
    int64_t count = 0;
    for (int64_t f = 0; f < count_factors(model->kernel); f++)
        count += reservoir_of(model, f) != NULL;
    return count;
}

static bool is_present(const volt_model *model)
{
    return count_reservoirs(model) > 0;
}

static volt_status save(const volt_model *model, volt_file_writer *writer)
{
    volt_put_count(writer, "reservoirs", count_reservoirs(model));
    if (model->states)
        volt_put_tensor(writer, "states_readout", model->states->m, model->q, model->states_readout);
    for (int64_t f = 0; f < count_factors(model->kernel); f++) {
        const volt_reservoir *reservoir = reservoir_of(model, f);
        double *numbers =
            reservoir ? volt_put_buffer(writer, reservoir_names[f], reservoir->length + 1, reservoir->size)
                      : NULL;
        if (numbers)
            volt_reservoir_get(reservoir, numbers);
    }
    return VOLT_OK;
}

/* ---- load, or copy ----------------------------------------------------------------------------- */

static volt_kernel *factor_of(volt_kernel *kernel, int64_t f)
{
    return kernel->n_factors > 0 ? kernel->factors[f] : kernel;
}

/* Size of the state by the kernel text; 0: defined by a file of weights, which may no longer exist. */
static int64_t size_of_text(const volt_kernel *factor)
{
    volt_kernel_value size = {.struct_size = sizeof size}, weights = {.struct_size = sizeof weights};
    bool known = volt_kernel_get(factor, "size", &size) == VOLT_OK &&
                 volt_kernel_get(factor, "weights", &weights) == VOLT_OK && !weights.present;
    return known ? (int64_t)size.number : 0;
}

/* Checks the number of reservoirs in the file, if declared. */
static volt_status check_count(const volt_file_fields *fields, int64_t count)
{
    int64_t declared = 0;
    if (!volt_safetensors_metadata(fields->file, "reservoirs"))
        return VOLT_OK;
    VOLT_TRY(volt_fields_count(fields, "reservoirs", &declared));
    VOLT_REQUIRE(declared == count, VOLT_ERR_FORMAT,
                 "%s: \"reservoirs\" is %" PRId64 ", but its kernel has %" PRId64, fields->path, declared,
                 count);
    return VOLT_OK;
}

/* Makes the factors of the kernel use the weights in `saved`, which is filled from the file and must outlive
 * all calls that resolve the kernel. Nothing is drawn, and no file of weights is read. VOLT_ERR_FORMAT. */
static volt_status weights_find(const volt_file_fields *fields, volt_kernel *kernel, volt_saved_weights *saved)
{
    int64_t count = 0;
    for (int64_t f = 0; f < count_factors(kernel); f++) {
        volt_kernel *factor = factor_of(kernel, f);
        const volt_tensor *tensor = NULL;
        if (!factor->entry->reservoir)
            continue;
        count++;
        VOLT_TRY(volt_fields_tensor(fields, reservoir_names[f], -1, -1, &tensor));
        assert(tensor);
        VOLT_REQUIRE(tensor->rows > 0 && tensor->cols > 0, VOLT_ERR_FORMAT, "%s: tensor \"%s\" is empty",
                     fields->path, reservoir_names[f]);
        int64_t size = size_of_text(factor);
        VOLT_REQUIRE(size == 0 || size == tensor->cols, VOLT_ERR_FORMAT,
                     "%s: tensor \"%s\" is a reservoir of size %" PRId64 ", but its kernel has size=%" PRId64,
                     fields->path, reservoir_names[f], tensor->cols, size);
        saved->factor[f] = (volt_reservoir_matrix){tensor->rows, tensor->cols, tensor->data};
        factor->stored = &saved->factor[f];
    }
    return check_count(fields, count);
}

volt_status volt_weights_of(const volt_model *model, volt_kernel *kernel, volt_saved_weights *saved,
                            double **numbers)
{
    int64_t total = 0, taken = 0;
    for (int64_t f = 0; f < count_factors(kernel); f++) {
        const volt_reservoir *reservoir = reservoir_of(model, f);
        total += reservoir ? (reservoir->length + 1) * reservoir->size : 0;
    }
    *numbers = volt_alloc_doubles(total, 1);
    if (!*numbers)
        return VOLT_ERR_MEMORY;
    for (int64_t f = 0; f < count_factors(kernel); f++) {
        const volt_reservoir *reservoir = reservoir_of(model, f);
        if (!reservoir)
            continue;
        volt_reservoir_get(reservoir, *numbers + taken);
        saved->factor[f] = (volt_reservoir_matrix){reservoir->length + 1, reservoir->size, *numbers + taken};
        factor_of(kernel, f)->stored = &saved->factor[f];
        taken += (reservoir->length + 1) * reservoir->size;
    }
    return VOLT_OK;
}

void volt_weights_detach(volt_kernel *kernel)
{
    for (int64_t f = 0; f < count_factors(kernel); f++)
        factor_of(kernel, f)->stored = NULL;
}

static const file_part reservoir_part = {
    .name = "reservoir", .format = VOLT_FORMAT_ANY, .mark = "reservoirs", .present = is_present, .save = save};

/* ---- names and notes ---------------------------------------------------------------------------- */

/* Names of inputs and outputs, and the notes, in a model file. */

/* Names as a JSON list, released with volt_free; *text stays NULL without names. */
static volt_status names_to_json(const char *key, char **names, int64_t count, char **text)
{
    if (!names)
        return VOLT_OK;
    volt_text_buffer list = {0};
    volt_status status = VOLT_OK;
    for (int64_t i = 0; status == VOLT_OK && i < count; i++) {
        volt_text_put(&list, i ? "," : "[");
        status = volt_json_quote(&list, names[i]);
        if (status == VOLT_ERR_ARGUMENT)
            status = volt_fail(status, "%s: name %" PRId64 " is not UTF-8, and cannot be saved", key, i + 1);
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

/* Adds names as a JSON list; no effect for NULL. VOLT_ERR_ARGUMENT when one is not UTF-8. */
static volt_status put_names(volt_file_writer *writer, const char *key, char **names, int64_t count)
{
    char *text = NULL;
    VOLT_TRY(names_to_json(key, names, count, &text));
    volt_put_text_owned(writer, key, text);
    return VOLT_OK;
}

static volt_status save_names(const volt_model *model, volt_file_writer *writer)
{
    VOLT_TRY(put_names(writer, "input_names", model->input_names, model->recipe.inputs));
    return put_names(writer, "output_names", model->output_names, model->q);
}

/* Reads `count` names, for volt_names_free; *names stays NULL if the file has none. */
static volt_status fields_names(const volt_file_fields *fields, const char *key, int64_t count, char ***names)
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

static volt_status load_names(const volt_file_fields *fields, volt_model *model)
{
    VOLT_TRY(fields_names(fields, "input_names", model->recipe.inputs, &model->input_names));
    return fields_names(fields, "output_names", model->q, &model->output_names);
}

static const file_part names_part = {
    .name = "names", .format = VOLT_FORMAT_PLAIN, .save = save_names, .load = load_names};

/* ---- notes ------------------------------------------------------------------------------------ */

static volt_status save_notes(const volt_model *model, volt_file_writer *writer)
{
    volt_metadatum metadata[VOLT_NOTES];
    int64_t count = volt_notes_list(&model->notes, metadata);
    for (int64_t i = 0; i < count; i++)
        volt_put_text(writer, metadata[i].key, metadata[i].value);
    return VOLT_OK;
}

static volt_status load_notes(const volt_file_fields *fields, volt_model *model)
{
    VOLT_TRY(volt_notes_read(fields->file, &model->notes));
    volt_status status = volt_notes_get_times(&model->notes, model->ahead, NULL);
    return status ? volt_fail_prefix(status, "%s", fields->path) : VOLT_OK;
}

static const file_part notes_part = {
    .name = "notes", .format = VOLT_FORMAT_PLAIN, .save = save_notes, .load = load_notes};

/* ---- recipe ------------------------------------------------------------------------------------- */

/* The parts of a model file for kernel columns: columns of the inputs and their
 * weights, anchors of the outputs, and fed-back outputs. An infinite alpha is written as 0, and an unbounded range as the
 * largest numbers. */

#define WEIGHTED "weighted_inputs"

/* Numbers per column of the recipe in the file: source, lags (minus: -1 for none), weight, range. */
enum { COLUMN_NUMBERS = 6 };

static const char *const input_words[] = {"level", "change", "both"}; /* by volt_input */

static bool has_recipe(const volt_model *model)
{
    bool needs = !model->recipe.plain || model->resolved.sum;
    for (int64_t k = 0; k < model->q; k++)
        needs |= model->anchors[k] >= 0 || model->alphas[k] != model->alphas[0] || isinf(model->alphas[k]);
    return needs;
}

/* ---- save ------------------------------------------------------------------------------------- */

static void save_outputs(const volt_model *model, volt_file_writer *writer)
{
    double *anchors = volt_put_buffer(writer, "anchors", model->q, 0);
    double *alphas = volt_put_buffer(writer, "alphas", model->q, 0);
    for (int64_t k = 0; anchors && alphas && k < model->q; k++) {
        anchors[k] = (double)model->anchors[k];
        alphas[k] = isinf(model->alphas[k]) ? 0 : model->alphas[k];
    }
}

static void save_columns(const volt_recipe *recipe, volt_file_writer *writer)
{
    int64_t input_columns = volt_recipe_input_columns(recipe);
    double *columns = volt_put_buffer(writer, "columns", input_columns, COLUMN_NUMBERS);
    for (int64_t j = 0; columns && j < input_columns; j++) {
        const volt_column *column = &recipe->column[j];
        const double numbers[COLUMN_NUMBERS] = {(double)column->source,      (double)column->plus,
                                                (double)column->minus,       column->weight,
                                                fmax(column->low, -DBL_MAX), fmin(column->high, DBL_MAX)};
        memcpy(columns + j * COLUMN_NUMBERS, numbers, sizeof numbers);
    }
}

static void save_radii(const volt_model *model, volt_file_writer *writer)
{
    int64_t slices = volt_kernel_slices(model->kernel);
    double *radii = volt_put_buffer(writer, "radii", slices, 0);
    for (int64_t s = 0; radii && s < slices; s++)
        radii[s] = volt_slice_radius(&model->resolved, s);
}

static volt_status save_recipe(const volt_model *model, volt_file_writer *writer)
{
    const volt_recipe *recipe = &model->recipe;
    int64_t rows = recipe->memory * recipe->inputs;
    double *recent = volt_writer_buffer(writer, volt_recent_length(recipe));
    if (!recent)
        return VOLT_ERR_MEMORY;
    volt_recent_get(recipe, &model->recent, recent);
    save_outputs(model, writer);
    if (!recipe->plain)
        save_columns(recipe, writer);
    if (recipe->memory > 0)
        volt_put_tensor(writer, "recent", recipe->memory, recipe->inputs, recent);
    if (model->resolved.sum)
        save_radii(model, writer);
    if (recipe->filters)
        volt_put_tensor(writer, "filters", volt_recent_length(recipe) - rows, 0, recent + rows);
    volt_put_text(writer, "input", input_words[model->kind]);
    volt_put_count(writer, "season", model->season);
    return VOLT_OK;
}

/* ---- load ------------------------------------------------------------------------------------- */

/* Number of inputs and of recent rows. Levels need no recent rows. */
static volt_status read_sizes(const volt_file_fields *fields, volt_model *model)
{
    const volt_tensor *recent = NULL;
    volt_recipe *recipe = &model->recipe;
    if (model->kind == VOLT_INPUT_LEVEL)
        return VOLT_OK;
    VOLT_TRY(volt_fields_tensor(fields, "recent", -1, -1, &recent));
    VOLT_REQUIRE(recent->rows > 0 && recent->cols > 0, VOLT_ERR_FORMAT, "%s: tensor \"recent\" is empty",
                 fields->path);
    VOLT_REQUIRE(!model->scale_each || recent->cols == recipe->inputs, VOLT_ERR_FORMAT,
                 "%s: tensor \"recent\" has %" PRId64 " columns, and \"" WEIGHTED "\" is %" PRId64,
                 fields->path, recent->cols, recipe->inputs);
    recipe->inputs = recent->cols;
    recipe->memory = recent->rows;
    return VOLT_OK;
}

static volt_status read_columns(const volt_file_fields *fields, volt_model *model)
{
    const volt_tensor *columns = NULL;
    volt_recipe *recipe = &model->recipe;
    int64_t input_columns = volt_recipe_input_columns(recipe);
    VOLT_TRY(read_sizes(fields, model));
    VOLT_TRY(volt_fields_tensor(fields, "columns", input_columns, COLUMN_NUMBERS, &columns));
    recipe->column = volt_alloc_zero(input_columns, sizeof *recipe->column);
    if (!recipe->column)
        return VOLT_ERR_MEMORY;
    recipe->plain = false;
    for (int64_t j = 0; j < input_columns; j++) {
        const double *numbers = columns->data + j * COLUMN_NUMBERS;
        volt_column *column = &recipe->column[j];
        VOLT_TRY(volt_fields_index(fields, "columns", numbers[0], 0, recipe->inputs - 1, &column->source));
        VOLT_TRY(volt_fields_index(fields, "columns", numbers[1], 0, recipe->memory, &column->plus));
        VOLT_TRY(volt_fields_index(fields, "columns", numbers[2], -1, recipe->memory, &column->minus));
        column->weight = numbers[3];
        column->low = numbers[4];
        column->high = numbers[5];
        VOLT_REQUIRE(column->weight > 0 && column->low <= column->high, VOLT_ERR_FORMAT,
                     "%s: column %" PRId64 " of the recipe has weight %g and range %g to %g", fields->path,
                     j + 1, column->weight, column->low, column->high);
    }
    return VOLT_OK;
}

/* State of the recipe after training: recent rows and filters. */
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

static volt_status load_rows_recipe(const volt_file_fields *fields, volt_model *model)
{
    const char *word = NULL;
    const volt_tensor *anchors = NULL;
    VOLT_TRY(volt_fields_text(fields, "input", &word));
    while ((int)model->kind < VOLT_INPUT_AUTO && strcmp(word, input_words[model->kind]) != 0)
        model->kind++;
    VOLT_REQUIRE(model->kind != VOLT_INPUT_AUTO, VOLT_ERR_FORMAT,
                 "%s: \"input\" must be level, change or both (got \"%.40s\")", fields->path, word);
    VOLT_TRY(volt_fields_count(fields, "season", &model->season));
    bool plain = model->kind == VOLT_INPUT_LEVEL && !model->scale_each;
    VOLT_REQUIRE(!plain || !volt_safetensors_tensor(fields->file, "columns"), VOLT_ERR_FORMAT,
                 "%s: \"input\" is level, and has no tensor \"columns\"", fields->path);
    if (!plain)
        VOLT_TRY(read_columns(fields, model));
    VOLT_TRY(read_recent(fields, model));
    VOLT_TRY(volt_fields_tensor(fields, "anchors", model->q, 0, &anchors));
    for (int64_t k = 0; k < model->q; k++)
        VOLT_TRY(volt_fields_index(fields, "anchors", anchors->data[k], -1, model->recipe.inputs - 1,
                                   &model->anchors[k]));
    return VOLT_OK;
}

/* Loaded after the settings, whose alpha it replaces. */
static volt_status load_recipe(const volt_file_fields *fields, volt_model *model)
{
    double alpha = model->alphas[0];
    VOLT_TRY(volt_fields_copy(fields, "alphas", model->q, 0, model->alphas));
    VOLT_REQUIRE(model->alphas[0] == alpha, VOLT_ERR_FORMAT,
                 "%s: \"alpha\" is %g, but that of the first output in tensor \"alphas\" %g", fields->path,
                 alpha, model->alphas[0]);
    for (int64_t k = 0; k < model->q; k++) {
        VOLT_REQUIRE(model->alphas[k] >= 0, VOLT_ERR_FORMAT, "%s: alpha of output %" PRId64 " is %g",
                     fields->path, k + 1, model->alphas[k]);
        if (model->alphas[k] == 0)
            model->alphas[k] = INFINITY;
    }
    return VOLT_OK;
}

static const file_part recipe_part = {.name = "recipe",
                                      .format = VOLT_FORMAT_RECIPE,
                                      .present = has_recipe,
                                      .save = save_recipe,
                                      .load_rows = load_rows_recipe,
                                      .load = load_recipe};

/* ---- inputs with a weight each -----------------------------------------------------------------
 * The weights are in the columns of the recipe. */

static bool has_weighted(const volt_model *model)
{
    return model->scale_each;
}

static volt_status save_weighted(const volt_model *model, volt_file_writer *writer)
{
    volt_put_count(writer, WEIGHTED, model->recipe.inputs);
    return VOLT_OK;
}

/* Loaded before the recipe, whose columns need not use every input. */
static volt_status load_rows_weighted(const volt_file_fields *fields, volt_model *model)
{
    int64_t inputs = 0;
    VOLT_TRY(volt_fields_count(fields, WEIGHTED, &inputs));
    VOLT_REQUIRE(inputs > 0, VOLT_ERR_FORMAT, "%s: \"" WEIGHTED "\" must be at least 1 (got %" PRId64 ")",
                 fields->path, inputs);
    model->recipe.inputs = inputs;
    model->scale_each = true;
    return VOLT_OK;
}

static const file_part weighted_part = {.name = "weighted",
                                        .format = VOLT_FORMAT_WEIGHTED,
                                        .mark = WEIGHTED,
                                        .present = has_weighted,
                                        .save = save_weighted,
                                        .load_rows = load_rows_weighted};

/* ---- feedback ---------------------------------------------------------------------------------- */

/* Numbers per fed-back output in the file: offset, weight, range of the training targets. */
enum { FED_NUMBERS = 4 };

static bool has_feedback(const volt_model *model)
{
    return model->recipe.fed_outputs.n > 0;
}

static volt_status save_feedback(const volt_model *model, volt_file_writer *writer)
{
    const volt_feedback *fed_outputs = &model->recipe.fed_outputs;
    double *numbers = volt_put_buffer(writer, "fed", fed_outputs->n, FED_NUMBERS);
    for (int64_t k = 0; numbers && k < fed_outputs->n; k++) {
        double *to = numbers + k * FED_NUMBERS;
        to[0] = fed_outputs->offset[k];
        to[1] = fed_outputs->weight[k];
        to[2] = fed_outputs->low[k];
        to[3] = fed_outputs->high[k];
    }
    volt_put_number(writer, "feedback_weight", fed_outputs->omega);
    volt_put_flag(writer, "ends_without_target", model->ends_without_target);
    return VOLT_OK;
}

/* Loaded after the kernel, which defines the number of columns, and before the recipe. */
static volt_status load_rows_feedback(const volt_file_fields *fields, volt_model *model)
{
    volt_recipe *recipe = &model->recipe;
    const volt_tensor *numbers = NULL;
    double omega = 0;
    VOLT_TRY(volt_fields_number(fields, "feedback_weight", 0, &omega));
    VOLT_TRY(volt_fields_tensor(fields, "fed", model->q, FED_NUMBERS, &numbers));
    VOLT_REQUIRE(omega > 0 && model->q < recipe->columns, VOLT_ERR_FORMAT,
                 "%s: its feedback weight is %g, and of its %" PRId64 " columns %" PRId64 " are fed back",
                 fields->path, omega, recipe->columns, model->q);
    recipe->inputs = recipe->columns -= model->q;
    VOLT_TRY(volt_recipe_feed_back(recipe, model->q, omega));
    for (int64_t k = 0; k < model->q; k++) {
        const double *from = numbers->data + k * FED_NUMBERS;
        VOLT_REQUIRE(from[1] > 0 && from[2] <= from[3], VOLT_ERR_FORMAT,
                     "%s: fed-back output %" PRId64 " has weight %g and range %g to %g", fields->path, k + 1,
                     from[1], from[2], from[3]);
        recipe->fed_outputs.offset[k] = from[0];
        recipe->fed_outputs.weight[k] = from[1];
        recipe->fed_outputs.low[k] = from[2];
        recipe->fed_outputs.high[k] = from[3];
    }
    return VOLT_OK;
}

/* Loaded after the last target, which is fed back first. */
static volt_status load_feedback(const volt_file_fields *fields, volt_model *model)
{
    VOLT_TRY(volt_fields_flag(fields, "ends_without_target", &model->ends_without_target));
    VOLT_REQUIRE(!model->feedback && model->ahead == 0, VOLT_ERR_FORMAT,
                 "%s: feedback or ahead is not compatible with the feedback weight", fields->path);
    VOLT_REQUIRE(model->ends_without_target || !model->no_last_target, VOLT_ERR_FORMAT,
                 "%s: \"no_last_target\" is yes, and \"ends_without_target\" is no", fields->path);
    if (!model->ends_without_target)
        volt_recent_feed(&model->recipe, &model->recent, model->last_target);
    return VOLT_OK;
}

static const file_part feedback_part = {.name = "feedback",
                                        .format = VOLT_FORMAT_FEEDBACK,
                                        .mark = "feedback_weight",
                                        .present = has_feedback,
                                        .save = save_feedback,
                                        .load_rows = load_rows_feedback,
                                        .load = load_feedback};

/* ---- readout ------------------------------------------------------------------------------------ */

/* The parts of a model file that hold what was fitted: kernel, readout, settings and final
 * state; the loss, its certificate and its classes; the share of the readout that was used. */

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
    VOLT_TRY(weights_find(fields, model->kernel, &weights));
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

static const file_part readout_part = {.name = "readout",
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
    return put_names(writer, "classes", model->classes, model->n_classes);
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
    VOLT_TRY(fields_names(fields, "classes", model->q, &model->classes));
    VOLT_REQUIRE(model->classes, VOLT_ERR_FORMAT, "%s: its classes have no names", fields->path);
    model->n_classes = model->q;
    return VOLT_OK;
}

static const file_part loss_part = {.name = "loss",
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

static const file_part shares_part = {.name = "shares",
                                      .format = VOLT_FORMAT_ANY,
                                      .mark = "shares",
                                      .present = has_shares,
                                      .save = save_shares,
                                      .load = load_shares};

/* ---- rows --------------------------------------------------------------------------------------- */

/* The parts of a model file that describe rows: the records of the training rows,
 * the landmarks and the rows they were chosen from, and inputs after the last training row. */

/* ---- records ----------------------------------------------------------------------------------- */

static bool has_records(const volt_model *model)
{
    return model->n_records > 0;
}

static volt_status save_records(const volt_model *model, volt_file_writer *writer)
{
    double *lengths = volt_put_buffer(writer, "records", model->n_records, 0);
    for (int64_t r = 0; lengths && r < model->n_records; r++)
        lengths[r] = (double)model->records[r];
    return VOLT_OK;
}

/* Loaded before the columns and the state, which depend on the records. */
static volt_status load_rows_records(const volt_file_fields *fields, volt_model *model)
{
    const volt_tensor *tensor = NULL;
    VOLT_TRY(volt_fields_tensor(fields, "records", -1, 0, &tensor));
    int64_t *lengths = volt_alloc(tensor->rows, sizeof *lengths);
    volt_status status = lengths ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t r = 0; status == VOLT_OK && r < tensor->rows; r++)
        status = volt_fields_index(fields, "records", tensor->data[r], 1, model->n, &lengths[r]);
    if (status == VOLT_OK)
        status = volt_model_use_records(model, lengths, tensor->rows);
    volt_free(lengths);
    return status == VOLT_ERR_ARGUMENT ? volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path) : status;
}

static const file_part records_part = {.name = "records",
                                       .format = VOLT_FORMAT_RECORDS,
                                       .mark = "records",
                                       .present = has_records,
                                       .save = save_records,
                                       .load_rows = load_rows_records};

/* ---- landmarks --------------------------------------------------------------------------------- */

/* First entries of the tensor "landmarks", followed by the lengths of the training records. */
enum { LANDMARKS, ROWS, WASHOUT, NUMBERS };

static bool has_landmarks(const volt_model *model)
{
    return model->trained.landmarks > 0;
}

static volt_status save_landmarks(const volt_model *model, volt_file_writer *writer)
{
    const volt_trained *trained = &model->trained;
    double *numbers = volt_put_buffer(writer, "landmarks", NUMBERS + trained->n_records, 0);
    if (!numbers) /* the writer has recorded the failure */
        return VOLT_OK;
    numbers[LANDMARKS] = (double)trained->landmarks;
    numbers[ROWS] = (double)trained->rows;
    numbers[WASHOUT] = (double)trained->washout;
    for (int64_t r = 0; r < trained->n_records; r++)
        numbers[NUMBERS + r] = (double)trained->records[r];
    return VOLT_OK;
}

static volt_status load_rows_landmarks(const volt_file_fields *fields, volt_model *model)
{
    enum { MAX_LANDMARKS = 1 << 30 };
    const volt_tensor *tensor = NULL;
    volt_trained *trained = &model->trained;
    VOLT_TRY(volt_fields_tensor(fields, "landmarks", -1, 0, &tensor));
    VOLT_REQUIRE(tensor->rows >= NUMBERS, VOLT_ERR_FORMAT,
                 "%s: tensor \"landmarks\" must have at least %d numbers (got %" PRId64 ")", fields->path,
                 NUMBERS, tensor->rows);
    const double *numbers = tensor->data;
    VOLT_TRY(volt_fields_index(fields, "landmarks", numbers[ROWS], 1, MAX_LANDMARKS, &trained->rows));
    VOLT_TRY(volt_fields_index(fields, "landmarks", numbers[WASHOUT], 0, trained->rows - 1, &trained->washout));
    int64_t records = tensor->rows - NUMBERS;
    if (records > 0) {
        trained->records = volt_alloc(records, sizeof *trained->records);
        if (!trained->records)
            return VOLT_ERR_MEMORY;
    }
    int64_t left = trained->rows;
    for (trained->n_records = 0; trained->n_records < records; trained->n_records++) {
        int64_t *length = &trained->records[trained->n_records];
        VOLT_TRY(volt_fields_index(fields, "landmarks", numbers[NUMBERS + trained->n_records], 1, trained->rows,
                                   length));
        left -= *length;
    }
    VOLT_REQUIRE(records == 0 || left == 0, VOLT_ERR_FORMAT,
                 "%s: tensor \"landmarks\" has records of %" PRId64 " rows in all, and %" PRId64
                 " training rows",
                 fields->path, trained->rows - left, trained->rows);
    int64_t most = volt_min(model->n, trained->rows - trained->washout);
    return volt_fields_index(fields, "landmarks", numbers[LANDMARKS], 1, most, &trained->landmarks);
}

static const file_part landmarks_part = {.name = "landmarks",
                                         .format = VOLT_FORMAT_LANDMARKS,
                                         .mark = "landmarks",
                                         .present = has_landmarks,
                                         .save = save_landmarks,
                                         .load_rows = load_rows_landmarks};

/* ---- pending inputs ----------------------------------------------------------------------------
 * Inputs whose targets are not known yet. Predictions do not depend on them. */

#define PENDING "pending_inputs"

static bool has_pending(const volt_model *model)
{
    return model->n_pending > 0;
}

static volt_status save_pending(const volt_model *model, volt_file_writer *writer)
{
    volt_put_tensor(writer, PENDING, model->n_pending, model->recipe.inputs, model->pending);
    return VOLT_OK;
}

static volt_status load_pending(const volt_file_fields *fields, volt_model *model)
{
    const volt_tensor *rows = NULL;
    VOLT_TRY(volt_fields_tensor(fields, PENDING, -1, model->recipe.inputs, &rows));
    VOLT_REQUIRE(rows->rows > 0, VOLT_ERR_FORMAT, "%s: tensor \"%s\" has no rows", fields->path, PENDING);
    return volt_model_record_pending(model, volt_view_of(rows->data, rows->rows, rows->cols));
}

static const file_part pending_part = {.name = "pending",
                                       .format = VOLT_FORMAT_ANY,
                                       .mark = PENDING,
                                       .present = has_pending,
                                       .save = save_pending,
                                       .load = load_pending};

/* ---- range of the training inputs ---------------------------------------------------------------
 * For warnings. Predictions do not depend on it. */

#define RANGE "input_range"

static bool has_range(const volt_model *model)
{
    return model->input_range != NULL;
}

static volt_status save_range(const volt_model *model, volt_file_writer *writer)
{
    volt_put_tensor(writer, RANGE, 2, model->recipe.inputs, model->input_range);
    return VOLT_OK;
}

static volt_status load_range(const volt_file_fields *fields, volt_model *model)
{
    int64_t d = model->recipe.inputs;
    const volt_tensor *range = NULL;
    VOLT_TRY(volt_fields_tensor(fields, RANGE, 2, d, &range));
    for (int64_t j = 0; j < d; j++)
        VOLT_REQUIRE(range->data[j] <= range->data[d + j], VOLT_ERR_FORMAT,
                     "%s: tensor \"%s\": the smallest value of input %" PRId64 " is above the largest",
                     fields->path, RANGE, j + 1);
    return volt_model_extend_range(model, volt_view_of(range->data, 2, d));
}

static const file_part range_part = {.name = "range",
                                     .format = VOLT_FORMAT_ANY,
                                     .mark = RANGE,
                                     .present = has_range,
                                     .save = save_range,
                                     .load = load_range};

/* ---- initial inputs ----------------------------------------------------------------------------- */

/* The part of a model file for the inputs before the first row of a record. */

static bool has_initial(const volt_model *model)
{
    return model->initial != VOLT_INITIAL_ZERO;
}

static volt_status save_initial(const volt_model *model, volt_file_writer *writer)
{
    volt_put_text(writer, "initial", volt_initial_words[model->initial]);
    if (model->initial_values) {
        volt_put_tensor(writer, "initial_values", model->recipe.inputs, 0, model->initial_values);
        volt_put_tensor(writer, "initial_input", model->past.n, 0, model->past.input);
    }
    return VOLT_OK;
}

/* Loaded before the kernel, which uses the past. */
static volt_status load_rows_initial(const volt_file_fields *fields, volt_model *model)
{
    const char *word = NULL;
    const volt_tensor *input = NULL;
    int kind = VOLT_INITIAL_FIRST;
    VOLT_TRY(volt_fields_text(fields, "initial", &word));
    while (kind <= VOLT_INITIAL_VALUES && strcmp(word, volt_initial_words[kind]) != 0)
        kind++;
    VOLT_REQUIRE(kind <= VOLT_INITIAL_VALUES, VOLT_ERR_FORMAT,
                 "%s: \"initial\" must be first, mean or values (got \"%.40s\")", fields->path, word);
    model->initial = (volt_initial)kind;
    if (kind == VOLT_INITIAL_FIRST)
        return volt_initial_past(model->initial, NULL, 0, &model->past);
    VOLT_TRY(volt_fields_tensor(fields, "initial_input", -1, 0, &input));
    return volt_initial_past(model->initial, input->data, input->rows, &model->past);
}

static volt_status load_initial(const volt_file_fields *fields, volt_model *model)
{
    if (model->initial == VOLT_INITIAL_FIRST)
        return VOLT_OK;
    VOLT_REQUIRE(model->recipe.fed_outputs.n == 0, VOLT_ERR_FORMAT,
                 "%s: \"initial\" must be first for a model with a feedback weight (got %s)", fields->path,
                 volt_initial_words[model->initial]);
    model->initial_values = volt_alloc_doubles(model->recipe.inputs, 1);
    if (!model->initial_values)
        return VOLT_ERR_MEMORY;
    model->recipe.initial = model->initial_values;
    return volt_fields_copy(fields, "initial_values", model->recipe.inputs, 0, model->initial_values);
}

static const file_part initial_part = {.name = "initial",
                                       .format = VOLT_FORMAT_INITIAL,
                                       .mark = "initial",
                                       .present = has_initial,
                                       .save = save_initial,
                                       .load_rows = load_rows_initial,
                                       .load = load_initial};

/* ---- errors and factor -------------------------------------------------------------------------- */

/* The parts of a model file for intervals: errors of the training rows, and factors of the Gram
 * matrix. Predictions do not depend on them. */

/* ---- errors ------------------------------------------------------------------------------------ */

/* By volt_error_kind. */
static const struct {
    const char *errors, *scales;
} error_names[VOLT_ROW_ERRORS] = {{"errors", "error_scales"}, {"far_errors", "far_error_scales"}};

static bool has_errors(const volt_model *model)
{
    return model->errors.lists[VOLT_ERRORS_NEAR].rows > 0;
}

/* Whether all outputs have the same scales, as with one alpha. Then one column is saved. */
static bool has_one_scale(const volt_error_list *list, int64_t q)
{
    bool same = true;
    for (int64_t i = 0; same && i < list->rows * q; i++)
        same = list->scale[i] == list->scale[i / q * q];
    return same;
}

static volt_status save_errors(const volt_model *model, volt_file_writer *writer)
{
    for (int i = 0; i < VOLT_ROW_ERRORS; i++) {
        const volt_error_list *list = &model->errors.lists[i];
        int64_t q = model->q, columns = has_one_scale(list, q) ? 1 : q;
        volt_put_tensor(writer, error_names[i].errors, list->rows, q, list->e);
        double *scales = volt_put_buffer(writer, error_names[i].scales, list->rows, columns);
        for (int64_t t = 0; scales && t < list->rows; t++)
            memcpy(scales + t * columns, list->scale + t * q, (size_t)columns * sizeof *scales);
    }
    return VOLT_OK;
}

static volt_status load_list(const volt_file_fields *fields, int i, int64_t rows, int64_t q,
                             volt_error_list *list)
{
    const volt_tensor *e = NULL, *scales = NULL;
    VOLT_TRY(volt_fields_tensor(fields, error_names[i].errors, rows, q, &e));
    VOLT_TRY(volt_fields_tensor(fields, error_names[i].scales, e->rows, -1, &scales));
    VOLT_REQUIRE(scales->cols == 1 || scales->cols == q, VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" must have 1 or %" PRId64 " columns (got %" PRId64 ")", fields->path,
                 error_names[i].scales, q, scales->cols);
    VOLT_TRY(volt_error_list_allocate(e->rows, q, list));
    memcpy(list->e, e->data, (size_t)(e->rows * q) * sizeof(double));
    for (int64_t j = 0; j < e->rows * q; j++) {
        list->scale[j] = scales->data[scales->cols == q ? j : j / q];
        VOLT_REQUIRE(list->scale[j] >= 0, VOLT_ERR_FORMAT, "%s: tensor \"%s\" contains %g, which is below 0",
                     fields->path, error_names[i].scales, list->scale[j]);
    }
    return VOLT_OK;
}

static volt_status load_errors(const volt_file_fields *fields, volt_model *model)
{
    int64_t fitted_rows = volt_model_fitted_rows(model);
    volt_error_list *near = &model->errors.lists[VOLT_ERRORS_NEAR];
    bool has_landmarks = model->trained.landmarks > 0; /* only errors of the last rows */
    VOLT_TRY(load_list(fields, VOLT_ERRORS_NEAR, has_landmarks ? -1 : fitted_rows, model->q, near));
    VOLT_REQUIRE(near->rows <= fitted_rows, VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" has %" PRId64 " rows, but may have %" PRId64, fields->path,
                 error_names[VOLT_ERRORS_NEAR].errors, near->rows, fitted_rows);
    volt_error_list *far = &model->errors.lists[VOLT_ERRORS_FAR];
    VOLT_TRY(load_list(fields, VOLT_ERRORS_FAR, -1, model->q, far));
    VOLT_REQUIRE(far->rows > 0 && far->rows <= fitted_rows, VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" must have 1 to %" PRId64 " rows (got %" PRId64 ")", fields->path,
                 error_names[VOLT_ERRORS_FAR].errors, fitted_rows, far->rows);
    return VOLT_OK;
}

static const file_part errors_part = {.name = "errors",
                                      .format = VOLT_FORMAT_ANY,
                                      .mark = "errors",
                                      .present = has_errors,
                                      .save = save_errors,
                                      .load = load_errors};

/* ---- factors ----------------------------------------------------------------------------------- */

static bool has_factors(const volt_model *model)
{
    return model->stored_factors.of != NULL;
}

static int64_t packed(int64_t m)
{
    return m * (m + 1) / 2;
}

static volt_status save_factors(const volt_model *model, volt_file_writer *writer)
{
    const volt_stored_factors *stored_factors = &model->stored_factors;
    int64_t m = model->n - model->washout, numbers = packed(m);
    double *outputs = volt_put_buffer(writer, "factor_outputs", model->q, 2);
    for (int64_t k = 0; outputs && k < model->q; k++) {
        outputs[2 * k] = (double)stored_factors->of[k];
        outputs[2 * k + 1] = stored_factors->constant[k];
    }
    double *alphas = volt_put_buffer(writer, "factor_alphas", stored_factors->count, 2);
    double *ones = volt_put_buffer(writer, "factor_ones", stored_factors->count, m);
    for (int64_t f = 0; alphas && ones && f < stored_factors->count; f++) {
        alphas[2 * f] = stored_factors->factors[f].alpha;
        alphas[2 * f + 1] = stored_factors->factors[f].common;
        memcpy(ones + f * m, stored_factors->factors[f].u, (size_t)m * sizeof(double));
    }
    if (stored_factors->count == 1) { /* written in place: it is large */
        volt_put_tensor(writer, "factors", 1, numbers, stored_factors->factors[0].L);
        return VOLT_OK;
    }
    double *factors = volt_put_buffer(writer, "factors", stored_factors->count, numbers);
    for (int64_t f = 0; factors && f < stored_factors->count; f++)
        memcpy(factors + f * numbers, stored_factors->factors[f].L, (size_t)numbers * sizeof(double));
    return VOLT_OK;
}

static volt_status load_outputs(const volt_file_fields *fields, int64_t count,
                                volt_stored_factors *stored_factors)
{
    const volt_tensor *outputs = NULL;
    VOLT_TRY(volt_fields_tensor(fields, "factor_outputs", stored_factors->q, 2, &outputs));
    for (int64_t k = 0; k < stored_factors->q; k++) {
        int64_t constant = 0;
        VOLT_TRY(volt_fields_index(fields, "factor_outputs", outputs->data[2 * k], -1, count - 1,
                                   &stored_factors->of[k]));
        VOLT_TRY(volt_fields_index(fields, "factor_outputs", outputs->data[2 * k + 1], 0, 1, &constant));
        stored_factors->constant[k] = constant != 0;
    }
    return VOLT_OK;
}

static volt_status load_one(const volt_file_fields *fields, const double *numbers, const double *alpha,
                            const double *ones, int64_t m, volt_stored_factor *factor)
{
    VOLT_REQUIRE(alpha[0] > 0, VOLT_ERR_FORMAT,
                 "%s: tensor \"factor_alphas\" contains %g, which is not above 0", fields->path, alpha[0]);
    VOLT_TRY(volt_stored_factor_allocate(m, factor));
    factor->alpha = alpha[0];
    factor->common = alpha[1];
    memcpy(factor->L, numbers, (size_t)packed(m) * sizeof(double));
    memcpy(factor->u, ones, (size_t)m * sizeof(double));
    for (int64_t i = 0; i < m; i++) {
        factor->uu += ones[i] * ones[i];
        VOLT_REQUIRE(factor->L[packed(i) + i] >= 0, VOLT_ERR_FORMAT,
                     "%s: tensor \"factors\" has %g on its diagonal, which is below 0", fields->path,
                     factor->L[packed(i) + i]);
    }
    return VOLT_OK;
}

static volt_status load_factors(const volt_file_fields *fields, volt_model *model)
{
    int64_t m = model->n - model->washout;
    const volt_tensor *factors = NULL, *alphas = NULL, *ones = NULL;
    VOLT_TRY(volt_fields_tensor(fields, "factors", -1, packed(m), &factors));
    VOLT_REQUIRE(factors->rows <= model->q, VOLT_ERR_FORMAT,
                 "%s: there are %" PRId64 " factors, and %" PRId64 " outputs", fields->path, factors->rows,
                 model->q);
    VOLT_TRY(volt_fields_tensor(fields, "factor_alphas", factors->rows, 2, &alphas));
    VOLT_TRY(volt_fields_tensor(fields, "factor_ones", factors->rows, m, &ones));
    VOLT_TRY(volt_stored_factors_create(model->q, &model->stored_factors));
    VOLT_TRY(load_outputs(fields, factors->rows, &model->stored_factors));
    model->stored_factors.count = factors->rows;
    for (int64_t f = 0; f < factors->rows; f++)
        VOLT_TRY(load_one(fields, factors->data + f * packed(m), alphas->data + 2 * f, ones->data + f * m, m,
                          &model->stored_factors.factors[f]));
    for (int64_t k = 0; k < model->q; k++) {
        int64_t f = model->stored_factors.of[k];
        VOLT_REQUIRE(f < 0 || model->stored_factors.factors[f].alpha == model->alphas[k], VOLT_ERR_FORMAT,
                     "%s: tensor \"factor_alphas\" has %g for output %" PRId64 ", whose alpha is %g",
                     fields->path, model->stored_factors.factors[f < 0 ? 0 : f].alpha, k + 1, model->alphas[k]);
    }
    return VOLT_OK;
}

static const file_part factor_part = {.name = "factor",
                                      .format = VOLT_FORMAT_ANY,
                                      .mark = "factor_outputs",
                                      .present = has_factors,
                                      .save = save_factors,
                                      .load = load_factors};

/* ---- the file ----------------------------------------------------------------------------------- */

static const char *const format_name = "volterra-model";

/* ---- parts ------------------------------------------------------------------------------------- */

/* In the order of writing and reading. */
static const file_part *const parts[] = {
    &initial_part,   /* inputs before the first row of a record */
    &readout_part,   /* kernel, inputs, coefficients, settings, final state */
    &feedback_part,  /* fed-back outputs */
    &names_part,     /* of inputs and outputs */
    &weighted_part,  /* inputs with a weight each */
    &recipe_part,    /* kernel columns of the inputs, and the anchors of outputs */
    &records_part,   /* lengths of the records */
    &landmarks_part, /* landmarks, and facts about the training rows */
    &reservoir_part, /* weights of reservoirs */
    &loss_part,      /* loss other than squares, its certificate, and classes */
    &shares_part,    /* shares of the readout, if not 1 */
    &notes_part,     /* user notes */
    &pending_part,   /* inputs after the last training row */
    &range_part,     /* of the training inputs */
    &errors_part,    /* of the training rows, for intervals */
    &factor_part,    /* of the Gram matrix, for variances */
};
enum { N_PARTS = sizeof parts / sizeof parts[0] };

/* The largest format that a part of the model requires. */
static int parts_format(const volt_model *model)
{
    int format = VOLT_FORMAT_PLAIN;
    for (int i = 0; i < N_PARTS; i++)
        if (parts[i]->format > format && parts[i]->present && parts[i]->present(model))
            format = parts[i]->format;
    return format;
}

static bool is_saved(const file_part *part, const volt_model *model, int format)
{
    return part->mark ? part->present(model) : part->format <= format;
}

/* A part without a mark is loaded if the format implies it. If it is missing, its loader reports a damaged
 * file. */
static bool is_loaded(const file_part *part, const volt_file_fields *fields, int64_t format)
{
    if (!part->mark || part->format >= format)
        return part->format <= format;
    return volt_safetensors_tensor(fields->file, part->mark) ||
           volt_safetensors_metadata(fields->file, part->mark);
}

static volt_status parts_save(const volt_model *model, volt_file_writer *writer)
{
    int format = parts_format(model);
    for (int i = 0; i < N_PARTS; i++)
        if (is_saved(parts[i], model, format))
            VOLT_TRY(parts[i]->save(model, writer));
    return VOLT_OK;
}

static volt_status parts_load(const volt_file_fields *fields, int64_t format, volt_model *model)
{
    for (int i = 0; i < N_PARTS; i++)
        if (parts[i]->load_rows && is_loaded(parts[i], fields, format))
            VOLT_TRY(parts[i]->load_rows(fields, model));
    for (int i = 0; i < N_PARTS; i++)
        if (parts[i]->load && is_loaded(parts[i], fields, format))
            VOLT_TRY(parts[i]->load(fields, model));
    return VOLT_OK;
}

/* ---- save ------------------------------------------------------------------------------------- */

static volt_status put_model(const volt_model *model, volt_file_writer *writer);

/* Members are stored as models under a prefix. */
static volt_status put_sum(const volt_members *sum, volt_file_writer *writer)
{
    char prefix[VOLT_MEMBER_PREFIX];
    volt_status status = VOLT_OK;
    volt_put_text(writer, "sum", volt_sum_words[sum->kind]);
    volt_put_tensor(writer, "weights", sum->n, 0, sum->weights);
    for (int64_t i = 0; status == VOLT_OK && i < sum->n; i++) {
        volt_file_writer member = {0};
        status = put_model(sum->models[i], &member);
        volt_writer_append(writer, volt_member_prefix(i, prefix), &member);
    }
    return status;
}

static volt_status put_model(const volt_model *model, volt_file_writer *writer)
{
    volt_put_text(writer, "format", format_name);
    volt_put_count(writer, "version", model->sum ? VOLT_FORMAT_SUM : parts_format(model));
    volt_put_text(writer, "library", volt_version());
    return model->sum ? put_sum(model->sum, writer) : parts_save(model, writer);
}

volt_status volt_model_save(const volt_model *model, const char *path, volt_progress progress)
{
    VOLT_REQUIRE(model && path, VOLT_ERR_ARGUMENT, "the model or the path is NULL");
    volt_file_writer writer = {0};
    volt_status status = put_model(model, &writer);
    if (status == VOLT_OK)
        status = volt_writer_finish(&writer, path, progress);
    volt_writer_release(&writer);
    return status;
}

/* ---- load ------------------------------------------------------------------------------------- */

static volt_status read_header(const volt_file_fields *fields, int64_t *format)
{
    const char *text = NULL;
    VOLT_TRY(volt_fields_text(fields, "format", &text));
    if (strcmp(text, format_name) != 0)
        return volt_fields_wrong_format(fields, text);
    VOLT_TRY(volt_fields_count(fields, "version", format));
    VOLT_REQUIRE(*format >= VOLT_FORMAT_PLAIN && *format <= VOLT_FORMAT_NEWEST, VOLT_ERR_FORMAT,
                 "%s has model format %" PRId64 ", but this library (%s) reads formats %d to %d", fields->path,
                 *format, volt_version(), VOLT_FORMAT_PLAIN, VOLT_FORMAT_NEWEST);
    return VOLT_OK;
}

static volt_status read_model(const volt_file_fields *fields, int level, volt_model **model);

static volt_status read_member(const volt_file_fields *fields, int64_t i, int level, volt_model **model)
{
    volt_file_fields member;
    VOLT_TRY(volt_fields_member(fields, i, &member));
    volt_status status = read_model(&member, level + 1, model);
    volt_fields_member_free(&member);
    return status == VOLT_ERR_FORMAT ? volt_fail_prefix(status, "member %" PRId64, i + 1) : status;
}

/* Reads the members into `models`, which the caller frees, and their sum. */
static volt_status read_members(const volt_file_fields *fields, int level, const volt_tensor *weights,
                                volt_model **models, volt_model **model)
{
    const char *text = NULL;
    VOLT_TRY(volt_fields_text(fields, "sum", &text));
    bool residual = strcmp(text, volt_sum_words[VOLT_SUM_RESIDUAL]) == 0;
    VOLT_REQUIRE(residual || strcmp(text, volt_sum_words[VOLT_SUM_AVERAGE]) == 0, VOLT_ERR_FORMAT,
                 "%s: \"sum\" must be %s or %s (got \"%.40s\")", fields->path, volt_sum_words[VOLT_SUM_AVERAGE],
                 volt_sum_words[VOLT_SUM_RESIDUAL], text);
    for (int64_t i = 0; i < weights->rows; i++)
        VOLT_TRY(read_member(fields, i, level, &models[i]));
    volt_status status = volt_model_sum((const volt_model *const *)models, weights->data, weights->rows,
                                        residual ? VOLT_SUM_RESIDUAL : VOLT_SUM_AVERAGE, model);
    return status == VOLT_OK || status == VOLT_ERR_MEMORY
               ? status
               : volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path);
}

static volt_status read_sum(const volt_file_fields *fields, int level, volt_model **model)
{
    const volt_tensor *weights = NULL;
    VOLT_REQUIRE(level < VOLT_SUM_DEPTH, VOLT_ERR_FORMAT, "%s: sums of sums must have at most %d levels",
                 fields->path, VOLT_SUM_DEPTH);
    VOLT_TRY(volt_fields_tensor(fields, "weights", -1, 0, &weights));
    VOLT_REQUIRE(weights->rows >= 1 && weights->rows <= VOLT_SUM_MEMBERS, VOLT_ERR_FORMAT,
                 "%s: a sum must have 1 to %d members (got %" PRId64 ")", fields->path, VOLT_SUM_MEMBERS,
                 weights->rows);
    volt_model **models = volt_alloc_zero(weights->rows, sizeof *models);
    if (!models)
        return VOLT_ERR_MEMORY;
    volt_status status = read_members(fields, level, weights, models, model);
    for (int64_t i = 0; i < weights->rows; i++)
        volt_model_free(models[i]); /* shared with the sum */
    volt_free(models);
    return status;
}

static volt_status read_fitted(const volt_file_fields *fields, int64_t format, volt_model **model)
{
    const volt_tensor *inputs = NULL, *coefficients = NULL;
    VOLT_TRY(volt_fields_tensor(fields, "inputs", -1, -1, &inputs));
    assert(inputs);
    VOLT_TRY(volt_fields_tensor(fields, "coefficients", inputs->rows, -1, &coefficients));
    assert(coefficients);
    if (inputs->rows < 1 || inputs->cols < 1 || coefficients->cols < 1)
        return volt_fields_wrong_kind(fields, "its tensors are empty");
    VOLT_TRY(volt_model_allocate(inputs->rows, inputs->cols, coefficients->cols, model));
    return parts_load(fields, format, *model);
}

/* `level` counts the sums around the model. */
static volt_status read_model(const volt_file_fields *fields, int level, volt_model **model)
{
    int64_t format = 0;
    VOLT_TRY(read_header(fields, &format));
    VOLT_TRY(format == VOLT_FORMAT_SUM ? read_sum(fields, level, model) : read_fitted(fields, format, model));
    const char *library = volt_safetensors_metadata(fields->file, "library");
    snprintf((*model)->library, sizeof(*model)->library, "%s", library ? library : "unknown");
    return VOLT_OK;
}

volt_status volt_model_load(const char *path, volt_model **model)
{
    VOLT_REQUIRE(path && model, VOLT_ERR_ARGUMENT, "the path or the model is NULL");
    volt_safetensors *file = NULL;
    VOLT_TRY(volt_safetensors_read(path, &file));
    volt_file_fields fields = {.file = file, .path = path, .kind = "a volterra model"};
    volt_model *fresh = NULL;
    volt_status status = read_model(&fields, 0, &fresh);
    volt_safetensors_free(file);
    if (status == VOLT_OK)
        *model = fresh;
    else
        volt_model_free(fresh);
    return status;
}
