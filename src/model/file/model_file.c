/* src/model/file/model_file.c: a model as a safetensors file.
 *
 * Tensors hold every array; the metadata hold the kernel's text and the rest as text that reads back exactly. What they
 * are is the business of the parts (file_parts.h); docs/file_formats.md describes the file. */
#include "base/error.h"
#include "base/memory.h"
#include "model/file/file_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static const char *const format_name = "volterra-model";

/* ---- save ------------------------------------------------------------------------------------- */

volt_status volt_model_save(const volt_model *model, const char *path, const volt_progress *progress)
{
    VOLT_REQUIRE(model && path, VOLT_ERR_ARGUMENT, "the model or the path is NULL");
    volt_file_writer writer = {0};
    volt_put_text(&writer, "format", format_name);
    volt_put_count(&writer, "version", volt_parts_format(model));
    volt_put_text(&writer, "library", volt_version());
    volt_status status = volt_parts_save(model, &writer);
    if (status == VOLT_OK)
        status = volt_writer_finish(&writer, path, progress ? *progress : (volt_progress){NULL, NULL});
    volt_writer_release(&writer);
    return status;
}

/* ---- load ------------------------------------------------------------------------------------- */

static volt_status read_header(const volt_file_fields *fields, int64_t *format)
{
    const char *text = NULL;
    VOLT_TRY(volt_fields_text(fields, "format", &text));
    if (strcmp(text, format_name) != 0)
        return volt_fields_foreign(fields, "its format is another");
    VOLT_TRY(volt_fields_count(fields, "version", format));
    VOLT_REQUIRE(*format >= VOLT_FORMAT_PLAIN && *format <= VOLT_FORMAT_NEWEST, VOLT_ERR_FORMAT,
                 "%s has model format %" PRId64 ", and this library (%s) reads formats %d to %d", fields->path,
                 *format, volt_version(), VOLT_FORMAT_PLAIN, VOLT_FORMAT_NEWEST);
    return VOLT_OK;
}

static volt_status read_model(const volt_file_fields *fields, volt_model **model)
{
    const volt_tensor *inputs = NULL, *coefficients = NULL;
    int64_t format = 0;
    VOLT_TRY(read_header(fields, &format));
    VOLT_TRY(volt_fields_tensor(fields, "inputs", -1, -1, &inputs));
    assert(inputs);
    VOLT_TRY(volt_fields_tensor(fields, "coefficients", inputs->rows, -1, &coefficients));
    assert(coefficients);
    if (inputs->rows < 1 || inputs->cols < 1 || coefficients->cols < 1)
        return volt_fields_foreign(fields, "its tensors are empty");
    VOLT_TRY(volt_model_allocate(inputs->rows, inputs->cols, coefficients->cols, model));
    return volt_parts_load(fields, format, *model);
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
