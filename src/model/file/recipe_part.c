/* src/model/file/recipe_part.c: the parts of a model file for kernel columns: columns of the inputs and their
 * weights, anchors of the outputs, and fed-back outputs. An infinite alpha is written as 0, and an unbounded range as the
 * largest numbers. */
#include "base/error.h"
#include "base/memory.h"
#include "model/file/file_parts.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

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

const volt_file_part volt_recipe_part = {.name = "recipe",
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

const volt_file_part volt_weighted_part = {.name = "weighted",
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

const volt_file_part volt_feedback_part = {.name = "feedback",
                                           .format = VOLT_FORMAT_FEEDBACK,
                                           .mark = "feedback_weight",
                                           .present = has_feedback,
                                           .save = save_feedback,
                                           .load_rows = load_rows_feedback,
                                           .load = load_feedback};
