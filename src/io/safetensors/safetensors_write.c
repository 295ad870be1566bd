/* src/io/safetensors/safetensors_write.c: writes safetensors files. */
#include "io/safetensors/safetensors.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "io/file/atomic_file.h"
#include "io/file/file_bytes.h"
#include "io/file/text_lines.h"
#include "text/text.h"

#include <inttypes.h>
#include <string.h>

static int64_t tensor_length(const volt_tensor *tensor)
{
    return tensor->cols > 0 ? tensor->rows * tensor->cols : tensor->rows;
}

static volt_status check_tensors(const volt_tensor *tensors, int64_t n_tensors)
{
    int64_t capacity = INT64_MAX / (int64_t)sizeof(double);
    for (int64_t i = 0; i < n_tensors; i++) {
        const volt_tensor *tensor = &tensors[i];
        VOLT_REQUIRE(tensor->name && strcmp(tensor->name, "__metadata__") != 0, VOLT_ERR_ARGUMENT,
                     "a tensor must have a name other than __metadata__");
        int64_t cols = tensor->cols > 0 ? tensor->cols : 1;
        VOLT_REQUIRE(tensor->rows >= 0 && tensor->cols >= 0 && tensor->rows <= capacity / cols,
                     VOLT_ERR_ARGUMENT, "tensor %s: the shape %" PRId64 " x %" PRId64 " is not supported",
                     tensor->name, tensor->rows, tensor->cols);
        VOLT_REQUIRE(tensor->data || tensor_length(tensor) == 0, VOLT_ERR_ARGUMENT, "tensor %s has no data",
                     tensor->name);
        capacity -= tensor_length(tensor);
    }
    return VOLT_OK;
}

/* Checks that a text can be written as JSON. */
static volt_status check_text(const char *text)
{
    VOLT_REQUIRE(text, VOLT_ERR_ARGUMENT, "a name or text for a safetensors file is NULL");
    char shown[VOLT_EXCERPT_LENGTH];
    VOLT_REQUIRE(volt_is_utf8(text, strlen(text)), VOLT_ERR_ARGUMENT, "'%s' is not UTF-8 text",
                 volt_excerpt(text, strlen(text), shown));
    return VOLT_OK;
}

/* Adds an entry to an object; takes over `value`, which is NULL when out of memory. */
static volt_status add(json_t *object, const char *key, json_t *value)
{
    if (json_object_get(object, key)) {
        json_decref(value);
        return volt_fail(VOLT_ERR_ARGUMENT, "a safetensors file cannot contain '%s' twice", key);
    }
    if (json_object_set_new(object, key, value) != 0)
        return volt_fail(VOLT_ERR_MEMORY, "not enough memory for the header of a safetensors file");
    return VOLT_OK;
}

static volt_status add_entries(json_t *header, json_t *notes, const volt_tensor *tensors, int64_t n_tensors,
                               const volt_metadatum *metadata, int64_t n_metadata)
{
    int64_t begin = 0;
    VOLT_TRY(add(notes, "checksum", json_string(SAFETENSORS_NO_CHECKSUM)));
    for (int64_t i = 0; i < n_metadata; i++) {
        VOLT_TRY(check_text(metadata[i].key));
        VOLT_TRY(check_text(metadata[i].value));
        VOLT_TRY(add(notes, metadata[i].key, json_string(metadata[i].value)));
    }
    for (int64_t i = 0; i < n_tensors; i++) {
        const volt_tensor *tensor = &tensors[i];
        VOLT_TRY(check_text(tensor->name));
        int64_t end = begin + tensor_length(tensor) * (int64_t)sizeof(double);
        json_t *shape = tensor->cols > 0
                            ? json_pack("[I,I]", (json_int_t)tensor->rows, (json_int_t)tensor->cols)
                            : json_pack("[I]", (json_int_t)tensor->rows);
        VOLT_TRY(add(header, tensor->name,
                     json_pack("{s:s, s:o, s:[I,I]}", "dtype", "F64", "shape", shape, "data_offsets",
                               (json_int_t)begin, (json_int_t)end)));
        begin = end;
    }
    return VOLT_OK;
}

/* The JSON header with a checksum of zeros. Release *text with volt_free. */
static volt_status make_header(const volt_tensor *tensors, int64_t n_tensors, const volt_metadatum *metadata,
                               int64_t n_metadata, char **text)
{
    json_t *header = json_object(), *notes = json_object();
    if (json_object_set_new(header, "__metadata__", notes) != 0) { /* takes over the notes; NULL fails */
        json_decref(header);
        return volt_fail(VOLT_ERR_MEMORY, "not enough memory for the header of a safetensors file");
    }
    volt_status status = add_entries(header, notes, tensors, n_tensors, metadata, n_metadata);
    if (!status)
        status = volt_json_text(header, text);
    json_decref(header);
    return status;
}

/* CRC-32 over tensors in their order on disk. */
static uint32_t tensors_crc(uint32_t crc, const volt_tensor *tensors, int64_t n_tensors, volt_stage *stage)
{
    enum { CHUNK = 512 };
    unsigned char bytes[CHUNK * sizeof(double)];
    for (int64_t i = 0; i < n_tensors; i++) {
        int64_t length = tensor_length(&tensors[i]);
        for (int64_t done = 0; done < length && volt_stage_poll(stage); done += CHUNK) {
            int64_t step = length - done < CHUNK ? length - done : CHUNK;
            volt_doubles_to_little(tensors[i].data + done, step, bytes);
            crc = safetensors_crc(crc, bytes, (size_t)step * sizeof(double));
        }
    }
    return crc;
}

static volt_status write_file(const char *path, unsigned char *head, int64_t head_size,
                              const volt_tensor *tensors, int64_t n_tensors, volt_progress progress)
{
    double bytes = (double)head_size;
    for (int64_t i = 0; i < n_tensors; i++)
        bytes += (double)tensor_length(&tensors[i]) * sizeof(double);
    volt_stage stage;
    volt_stage_begin(&stage, progress, "write", 0, 1, bytes);

    char digits[SAFETENSORS_DIGITS + 1];
    uint32_t crc = safetensors_crc(0, head, (size_t)head_size);
    safetensors_crc_digits(tensors_crc(crc, tensors, n_tensors, &stage), digits);
    memcpy(head + SAFETENSORS_DIGITS_AT, digits, SAFETENSORS_DIGITS);

    volt_atomic_file file;
    VOLT_TRY(volt_atomic_open(&file, path));
    file.stage = &stage;
    volt_atomic_write(&file, head, (size_t)head_size);
    for (int64_t i = 0; i < n_tensors; i++)
        volt_write_doubles(&file, tensors[i].data, tensor_length(&tensors[i]));
    return volt_atomic_close(&file);
}

volt_status volt_safetensors_write(const char *path, const volt_tensor *tensors, int64_t n_tensors,
                                   const volt_metadatum *metadata, int64_t n_metadata)
{
    return volt_safetensors_write_watched(path, tensors, n_tensors, metadata, n_metadata,
                                          (volt_progress){NULL, NULL});
}

volt_status volt_safetensors_write_watched(const char *path, const volt_tensor *tensors, int64_t n_tensors,
                                           const volt_metadatum *metadata, int64_t n_metadata,
                                           volt_progress progress)
{
    VOLT_REQUIRE(path && *path, VOLT_ERR_ARGUMENT, "the file name is empty");
    VOLT_TRY(check_tensors(tensors, n_tensors));
    char *text = NULL;
    VOLT_TRY(make_header(tensors, n_tensors, metadata, n_metadata, &text));

    volt_status status = VOLT_ERR_MEMORY;
    int64_t length = (int64_t)strlen(text);
    int64_t padded = (length + SAFETENSORS_ALIGNMENT - 1) / SAFETENSORS_ALIGNMENT * SAFETENSORS_ALIGNMENT;
    unsigned char *head = volt_alloc(SAFETENSORS_LENGTH_BYTES + padded, 1);
    if (padded > SAFETENSORS_LONGEST_HEADER) {
        status = volt_fail(VOLT_ERR_ARGUMENT, "the names and metadata take %" PRId64 " bytes; at most %d fit",
                           padded, SAFETENSORS_LONGEST_HEADER);
    } else if (head) {
        volt_put_little((uint64_t)padded, SAFETENSORS_LENGTH_BYTES, head);
        memcpy(head + SAFETENSORS_LENGTH_BYTES, text, (size_t)length);
        memset(head + SAFETENSORS_LENGTH_BYTES + length, ' ', (size_t)(padded - length));
        status = write_file(path, head, SAFETENSORS_LENGTH_BYTES + padded, tensors, n_tensors, progress);
    }
    volt_free(head);
    volt_free(text);
    return status;
}
