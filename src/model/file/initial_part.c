/* src/model/file/initial_part.c: the part of a model file for the inputs before the first row of a record. */
#include "base/error.h"
#include "base/memory.h"
#include "model/file/file_parts.h"
#include "model/initial.h"

#include <inttypes.h>
#include <string.h>

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

const volt_file_part volt_initial_part = {.name = "initial",
                                          .format = VOLT_FORMAT_INITIAL,
                                          .mark = "initial",
                                          .present = has_initial,
                                          .save = save_initial,
                                          .load_rows = load_rows_initial,
                                          .load = load_initial};
