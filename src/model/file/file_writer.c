/* src/model/file/file_writer.c: what goes into a safetensors file, gathered part by part. */
#include "model/file/file_writer.h"

#include "base/memory.h"
#include "text/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* The writer releases it; NULL: there was no memory for it. */
static void *own(volt_file_writer *writer, void *memory)
{
    if (memory) {
        assert(writer->n_owned < VOLT_MOST_FILE_ENTRIES);
        writer->owned[writer->n_owned++] = memory;
    } else {
        writer->failed = true;
    }
    return memory;
}

void volt_put_tensor(volt_file_writer *writer, const char *name, int64_t rows, int64_t cols, const double *data)
{
    assert(writer->n_tensors < VOLT_MOST_FILE_ENTRIES);
    writer->tensors[writer->n_tensors++] = (volt_tensor){name, rows, cols, data};
}

double *volt_writer_room(volt_file_writer *writer, int64_t count)
{
    return own(writer, volt_alloc_doubles(count, 1));
}

double *volt_put_room(volt_file_writer *writer, const char *name, int64_t rows, int64_t cols)
{
    double *room = own(writer, volt_alloc_doubles(rows, cols > 0 ? cols : 1));
    volt_put_tensor(writer, name, rows, cols, room);
    return room;
}

void volt_put_text(volt_file_writer *writer, const char *key, const char *text)
{
    assert(writer->n_metadata < VOLT_MOST_FILE_ENTRIES);
    writer->metadata[writer->n_metadata++] = (volt_metadatum){key, text};
}

void volt_put_own_text(volt_file_writer *writer, const char *key, char *text)
{
    if (text)
        volt_put_text(writer, key, own(writer, text));
}

void volt_put_copy(volt_file_writer *writer, const char *key, const char *text)
{
    volt_put_text(writer, key, own(writer, volt_strdup(text)));
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
    *writer = (volt_file_writer){0};
}
