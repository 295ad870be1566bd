/* src/model/file/names_part.c: names of inputs and outputs, and the notes, in a model file. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/strings.h"
#include "model/file/file_parts.h"
#include "model/model_notes.h"

#include <inttypes.h>
#include <string.h>

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

volt_status volt_put_names(volt_file_writer *writer, const char *key, char **names, int64_t count)
{
    char *text = NULL;
    VOLT_TRY(names_to_json(key, names, count, &text));
    volt_put_text_owned(writer, key, text);
    return VOLT_OK;
}

static volt_status save_names(const volt_model *model, volt_file_writer *writer)
{
    VOLT_TRY(volt_put_names(writer, "input_names", model->input_names, model->recipe.inputs));
    return volt_put_names(writer, "output_names", model->output_names, model->q);
}

volt_status volt_fields_names(const volt_file_fields *fields, const char *key, int64_t count, char ***names)
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
    VOLT_TRY(volt_fields_names(fields, "input_names", model->recipe.inputs, &model->input_names));
    return volt_fields_names(fields, "output_names", model->q, &model->output_names);
}

const volt_file_part volt_names_part = {
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

const volt_file_part volt_notes_part = {
    .name = "notes", .format = VOLT_FORMAT_PLAIN, .save = save_notes, .load = load_notes};
