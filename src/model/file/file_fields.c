/* src/model/file/file_fields.c: the texts, numbers and tensors of a safetensors file, written and read. */
#include "model/file/file_fields.h"

#include "base/error.h"
#include "base/memory.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- writing ----------------------------------------------------------------------------------- */

/* Makes room for one more entry of a list. */
static bool has_room(volt_file_writer *writer, void **list, int64_t *capacity, int64_t count, size_t size)
{
    if (volt_grow(list, capacity, count + 1, size) != VOLT_OK)
        writer->failed = true;
    return count < *capacity;
}

/* Transfers ownership to the writer; NULL: allocation failed. */
static void *keep_memory(volt_file_writer *writer, void *memory)
{
    if (memory &&
        has_room(writer, (void **)&writer->owned, &writer->max_owned, writer->n_owned, sizeof *writer->owned))
        return writer->owned[writer->n_owned++] = memory;
    volt_free(memory);
    writer->failed = true;
    return NULL;
}

void volt_put_tensor(volt_file_writer *writer, const char *name, int64_t rows, int64_t cols, const double *data)
{
    if (has_room(writer, (void **)&writer->tensors, &writer->max_tensors, writer->n_tensors,
                 sizeof *writer->tensors))
        writer->tensors[writer->n_tensors++] = (volt_tensor){name, rows, cols, data};
}

double *volt_writer_buffer(volt_file_writer *writer, int64_t count)
{
    return keep_memory(writer, volt_alloc_doubles(count, 1));
}

double *volt_put_buffer(volt_file_writer *writer, const char *name, int64_t rows, int64_t cols)
{
    double *workspace = keep_memory(writer, volt_alloc_doubles(rows, cols > 0 ? cols : 1));
    volt_put_tensor(writer, name, rows, cols, workspace);
    return workspace;
}

void volt_put_text(volt_file_writer *writer, const char *key, const char *text)
{
    if (has_room(writer, (void **)&writer->metadata, &writer->max_metadata, writer->n_metadata,
                 sizeof *writer->metadata))
        writer->metadata[writer->n_metadata++] = (volt_metadatum){key, text};
}

void volt_put_text_owned(volt_file_writer *writer, const char *key, char *text)
{
    if (text)
        volt_put_text(writer, key, keep_memory(writer, text));
}

void volt_put_copy(volt_file_writer *writer, const char *key, const char *text)
{
    volt_put_text(writer, key, keep_memory(writer, volt_strdup(text)));
}

void volt_put_count(volt_file_writer *writer, const char *key, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    volt_put_copy(writer, key, text);
}

void volt_put_number(volt_file_writer *writer, const char *key, double value)
{
    char text[VOLT_NUMBER_LENGTH];
    volt_put_copy(writer, key, volt_format_number(value, text));
}

void volt_put_flag(volt_file_writer *writer, const char *key, bool value)
{
    volt_put_text(writer, key, value ? "yes" : "no");
}

static const char *prefixed(volt_file_writer *writer, const char *prefix, const char *name)
{
    size_t length = strlen(prefix) + strlen(name) + 1;
    char *text = keep_memory(writer, volt_alloc((int64_t)length, 1));
    if (text)
        snprintf(text, length, "%s%s", prefix, name);
    return text;
}

void volt_writer_append(volt_file_writer *writer, const char *prefix, volt_file_writer *part)
{
    writer->failed = writer->failed || part->failed;
    for (int64_t i = 0; !writer->failed && i < part->n_tensors; i++) {
        const volt_tensor *tensor = &part->tensors[i];
        volt_put_tensor(writer, prefixed(writer, prefix, tensor->name), tensor->rows, tensor->cols,
                        tensor->data);
    }
    for (int64_t i = 0; !writer->failed && i < part->n_metadata; i++)
        volt_put_text(writer, prefixed(writer, prefix, part->metadata[i].key), part->metadata[i].value);
    for (int64_t i = 0; i < part->n_owned; i++)
        keep_memory(writer, part->owned[i]);
    part->n_owned = 0;
    volt_writer_release(part);
}

volt_status volt_writer_finish(const volt_file_writer *writer, const char *path, volt_progress progress)
{
    if (writer->failed)
        return VOLT_ERR_MEMORY;
    return volt_safetensors_write_watched(path, writer->tensors, writer->n_tensors, writer->metadata,
                                          writer->n_metadata, progress);
}

void volt_writer_release(volt_file_writer *writer)
{
    for (int64_t i = 0; i < writer->n_owned; i++)
        volt_free(writer->owned[i]);
    volt_free(writer->owned);
    volt_free(writer->tensors);
    volt_free(writer->metadata);
    *writer = (volt_file_writer){0};
}

/* ---- reading ----------------------------------------------------------------------------------- */

const char *volt_member_prefix(int64_t i, char text[VOLT_MEMBER_PREFIX])
{
    snprintf(text, VOLT_MEMBER_PREFIX, "member%" PRId64 ".", i + 1);
    return text;
}

volt_status volt_fields_member(const volt_file_fields *fields, int64_t i, volt_file_fields *member)
{
    char prefix[VOLT_MEMBER_PREFIX];
    volt_safetensors *part = NULL;
    VOLT_TRY(volt_safetensors_part(fields->file, volt_member_prefix(i, prefix), &part));
    *member = (volt_file_fields){.file = part, .path = fields->path, .kind = fields->kind};
    return VOLT_OK;
}

void volt_fields_member_free(const volt_file_fields *member)
{
    volt_safetensors_free((volt_safetensors *)member->file);
}

volt_status volt_fields_wrong_kind(const volt_file_fields *fields, const char *why)
{
    return volt_fail(VOLT_ERR_FORMAT, "%s is not %s: %s", fields->path, fields->kind, why);
}

volt_status volt_fields_wrong_format(const volt_file_fields *fields, const char *format)
{
    return volt_fail(VOLT_ERR_FORMAT, "%s is not %s: its format is \"%.40s\"", fields->path, fields->kind,
                     format);
}

volt_status volt_fields_text(const volt_file_fields *fields, const char *key, const char **text)
{
    *text = volt_safetensors_metadata(fields->file, key);
    VOLT_REQUIRE(*text, VOLT_ERR_FORMAT, "%s is not %s: it has no \"%s\"", fields->path, fields->kind, key);
    return VOLT_OK;
}

volt_status volt_fields_number(const volt_file_fields *fields, const char *key, double least, double *value)
{
    const char *text = NULL;
    VOLT_TRY(volt_fields_text(fields, key, &text));
    VOLT_REQUIRE(volt_parse_number(text, value) && isfinite(*value) && *value >= least, VOLT_ERR_FORMAT,
                 "%s: \"%s\" must be a number of at least %g (got \"%.40s\")", fields->path, key, least, text);
    return VOLT_OK;
}

volt_status volt_fields_count(const volt_file_fields *fields, const char *key, int64_t *value)
{
    double number = 0;
    VOLT_TRY(volt_fields_number(fields, key, 0, &number));
    VOLT_REQUIRE(number == floor(number) && number < 9e15, VOLT_ERR_FORMAT, "%s: \"%s\" must be whole (got %g)",
                 fields->path, key, number);
    *value = (int64_t)number;
    return VOLT_OK;
}

volt_status volt_fields_flag(const volt_file_fields *fields, const char *key, bool *value)
{
    const char *text = NULL;
    VOLT_TRY(volt_fields_text(fields, key, &text));
    *value = strcmp(text, "yes") == 0;
    VOLT_REQUIRE(*value || strcmp(text, "no") == 0, VOLT_ERR_FORMAT,
                 "%s: \"%s\" must be yes or no (got \"%.40s\")", fields->path, key, text);
    return VOLT_OK;
}

volt_status volt_fields_tensor(const volt_file_fields *fields, const char *name, int64_t rows, int64_t cols,
                               const volt_tensor **tensor)
{
    const volt_tensor *found = volt_safetensors_tensor(fields->file, name);
    VOLT_REQUIRE(found, VOLT_ERR_FORMAT, "%s is not %s: it has no tensor \"%s\"", fields->path, fields->kind,
                 name);
    VOLT_REQUIRE((rows < 0 || found->rows == rows) && (cols < 0 || found->cols == cols), VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" is %" PRId64 " x %" PRId64 ", which does not fit the other tensors",
                 fields->path, name, found->rows, found->cols);
    int64_t numbers = found->rows * (found->cols > 0 ? found->cols : 1);
    for (int64_t i = 0; i < numbers; i++)
        VOLT_REQUIRE(isfinite(found->data[i]), VOLT_ERR_FORMAT,
                     "%s: tensor \"%s\" contains a value that is not finite", fields->path, name);
    *tensor = found;
    return VOLT_OK;
}

volt_status volt_fields_copy(const volt_file_fields *fields, const char *name, int64_t rows, int64_t cols,
                             double *to)
{
    const volt_tensor *tensor = NULL;
    VOLT_TRY(volt_fields_tensor(fields, name, rows, cols, &tensor));
    memcpy(to, tensor->data, (size_t)(rows * (cols > 0 ? cols : 1)) * sizeof(double));
    return VOLT_OK;
}

volt_status volt_fields_index(const volt_file_fields *fields, const char *name, double value, int64_t least,
                              int64_t most, int64_t *index)
{
    VOLT_REQUIRE(value == floor(value) && value >= (double)least && value <= (double)most, VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" must contain whole numbers from %" PRId64 " to %" PRId64 " (got %g)",
                 fields->path, name, least, most, value);
    *index = (int64_t)value;
    return VOLT_OK;
}

/* ---- tables ------------------------------------------------------------------------------------ */

static int64_t vector_length(const volt_entry *field, const void *object)
{
    return *(const int64_t *)((const char *)object + field->length);
}

void volt_put_fields(volt_file_writer *writer, const volt_entry *table, int count, const void *object)
{
    for (const volt_entry *field = table; field < table + count; field++) {
        const void *member = (const char *)object + field->at;
        switch (field->type) {
        case VOLT_FIELD_NUMBER:
            volt_put_number(writer, field->name, *(const double *)member);
            break;
        case VOLT_FIELD_COUNT:
            volt_put_count(writer, field->name, *(const int64_t *)member);
            break;
        case VOLT_FIELD_FLAG:
            volt_put_flag(writer, field->name, *(const bool *)member);
            break;
        case VOLT_FIELD_MARK:
            if (*(const bool *)member)
                volt_put_flag(writer, field->name, true);
            break;
        case VOLT_FIELD_VECTOR:
            volt_put_tensor(writer, field->name, vector_length(field, object), 0, *(double *const *)member);
            break;
        case VOLT_FIELD_SCALAR:
            volt_put_tensor(writer, field->name, 1, 0, member);
            break;
        }
    }
}

static volt_status load_field(const volt_file_fields *fields, const volt_entry *field, void *object)
{
    void *member = (char *)object + field->at;
    switch (field->type) {
    case VOLT_FIELD_NUMBER:
        return volt_fields_number(fields, field->name, field->least, member);
    case VOLT_FIELD_COUNT:
        return volt_fields_count(fields, field->name, member);
    case VOLT_FIELD_MARK:
        if (!volt_safetensors_metadata(fields->file, field->name))
            return VOLT_OK;
        return volt_fields_flag(fields, field->name, member);
    case VOLT_FIELD_FLAG:
        return volt_fields_flag(fields, field->name, member);
    case VOLT_FIELD_VECTOR:
        return volt_fields_copy(fields, field->name, vector_length(field, object), 0, *(double **)member);
    case VOLT_FIELD_SCALAR:
        return volt_fields_copy(fields, field->name, 1, 0, member);
    }
    return VOLT_OK;
}

volt_status volt_fields_load(const volt_file_fields *fields, const volt_entry *table, int count, void *object)
{
    for (int i = 0; i < count; i++)
        VOLT_TRY(load_field(fields, &table[i], object));
    return VOLT_OK;
}
