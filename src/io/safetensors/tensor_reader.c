/* src/io/safetensors/tensor_reader.c: reads the arrays of any safetensors file.
 *
 * Files of this library have a checksum and contain only doubles (safetensors.c); this reader requires
 * neither. Every length is checked against the file before it is used. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "io/file/file_bytes.h"
#include "io/file/text_lines.h"
#include "io/safetensors/safetensors.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct volt_arrays {
    json_t *header; /* owns the names */
    volt_array *items;
    int64_t count;
};

/* The file being read. */
typedef struct tensor_file {
    char *bytes;
    int64_t size, data_at;
} tensor_file;

static const char *shown(const char *name, char buffer[VOLT_EXCERPT_LENGTH])
{
    return volt_excerpt(name, strlen(name), buffer);
}

static volt_status read_header(tensor_file *file, json_t **header)
{
    VOLT_REQUIRE(file->size >= SAFETENSORS_LENGTH_BYTES + 2, VOLT_ERR_FORMAT,
                 "%" PRId64 " bytes are too few for a safetensors file", file->size);
    uint64_t length = volt_get_little((const unsigned char *)file->bytes, SAFETENSORS_LENGTH_BYTES);
    int64_t found = file->size - SAFETENSORS_LENGTH_BYTES;
    VOLT_REQUIRE(length <= SAFETENSORS_LONGEST_HEADER && (int64_t)length <= found, VOLT_ERR_FORMAT,
                 "the header length is %" PRIu64 " bytes, but %" PRId64
                 " follow: not a safetensors file, or truncated",
                 length, found);
    file->data_at = SAFETENSORS_LENGTH_BYTES + (int64_t)length;
    volt_status status = volt_json_parse(file->bytes + SAFETENSORS_LENGTH_BYTES, (int64_t)length, header);
    if (status == VOLT_ERR_FORMAT)
        return volt_fail_prefix(status, "the header is not JSON");
    VOLT_TRY(status);
    VOLT_REQUIRE(json_typeof(*header) == JSON_OBJECT, VOLT_ERR_FORMAT, "the header is not a JSON object");
    return VOLT_OK;
}

static bool read_size(const json_t *value, int64_t *size)
{
    *size = json_is_integer(value) ? (int64_t)json_integer_value(value) : -1;
    return *size >= 0;
}

/* Parses the shape into `array`, the number of its items into *count: at most `most`, the bytes between the
 * offsets. */
static volt_status read_shape(const json_t *shape, int64_t most, volt_array *array, int64_t *count)
{
    char buffer[VOLT_EXCERPT_LENGTH];
    size_t dimensions = json_array_size(shape);
    VOLT_REQUIRE(dimensions >= 1 && dimensions <= VOLT_MAX_DIMENSIONS, VOLT_ERR_FORMAT,
                 "tensor '%s' has %zu dimensions, expected 1 to %d", shown(array->name, buffer), dimensions,
                 VOLT_MAX_DIMENSIONS);
    array->dimensions = (int)dimensions;
    *count = 1;
    for (int k = 0; k < VOLT_MAX_DIMENSIONS; k++) {
        array->shape[k] = 1;
        if (k >= array->dimensions)
            continue;
        VOLT_REQUIRE(read_size(json_array_get(shape, (size_t)k), &array->shape[k]) && array->shape[k] >= 1 &&
                         array->shape[k] <= most / *count,
                     VOLT_ERR_FORMAT, "the shape of tensor '%s' is invalid, or its data are too short for it",
                     shown(array->name, buffer));
        *count *= array->shape[k];
    }
    return VOLT_OK;
}

/* Converts items of 4 or 8 bytes, little-endian, to doubles. */
static void take_items(const char *from, int width, int64_t count, double *to)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = volt_get_little((const unsigned char *)from + i * width, width);
        uint32_t half = (uint32_t)bits;
        float single = 0;
        memcpy(&single, &half, sizeof single);
        if (width == 8)
            memcpy(&to[i], &bits, sizeof to[i]);
        else
            to[i] = single;
    }
}

static volt_status check_items(const volt_array *array, int64_t count)
{
    char buffer[VOLT_EXCERPT_LENGTH];
    int64_t columns = array->shape[array->dimensions - 1];
    for (int64_t i = 0; i < count; i++)
        VOLT_REQUIRE(isfinite(array->data[i]), VOLT_ERR_NOT_FINITE,
                     "tensor '%s' contains %g in row %" PRId64 ", column %" PRId64 " (counted from 1)",
                     shown(array->name, buffer), array->data[i], i / columns + 1, i % columns + 1);
    return VOLT_OK;
}

static volt_status read_array(const tensor_file *file, const json_t *entry, volt_array *array)
{
    char buffer[VOLT_EXCERPT_LENGTH];
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    const json_t *offsets = json_object_get(entry, "data_offsets");
    int width = type && strcmp(type, "F64") == 0 ? 8 : type && strcmp(type, "F32") == 0 ? 4 : 0;
    int64_t begin = 0, end = 0, count = 0, held = file->size - file->data_at;
    VOLT_REQUIRE(width > 0, VOLT_ERR_FORMAT, "tensor '%s' has a type other than F64 and F32",
                 shown(array->name, buffer));
    VOLT_REQUIRE(json_array_size(offsets) == 2 && read_size(json_array_get(offsets, 0), &begin) &&
                     read_size(json_array_get(offsets, 1), &end) && begin <= end && end <= held,
                 VOLT_ERR_FORMAT, "the data of tensor '%s' are outside the file, which is damaged or truncated",
                 shown(array->name, buffer));
    VOLT_TRY(read_shape(json_object_get(entry, "shape"), (end - begin) / width, array, &count));
    VOLT_REQUIRE(count * width == end - begin, VOLT_ERR_FORMAT,
                 "tensor '%s' of %" PRId64 " numbers has %" PRId64 " bytes", shown(array->name, buffer), count,
                 end - begin);
    double *numbers = volt_alloc_doubles(count, 1);
    if (!numbers)
        return VOLT_ERR_MEMORY;
    array->data = numbers;
    take_items(file->bytes + file->data_at + begin, width, count, numbers);
    return check_items(array, count);
}

static volt_status read_arrays(tensor_file *file, volt_arrays *arrays)
{
    const char *name;
    json_t *entry;
    VOLT_TRY(read_header(file, &arrays->header));
    arrays->items = volt_alloc_zero((int64_t)json_object_size(arrays->header), sizeof *arrays->items);
    if (!arrays->items)
        return VOLT_ERR_MEMORY;
    json_object_foreach(arrays->header, name, entry)
    {
        if (strcmp(name, "__metadata__") == 0)
            continue;
        volt_array *array = &arrays->items[arrays->count++];
        array->name = name;
        VOLT_TRY(read_array(file, entry, array));
    }
    return VOLT_OK;
}

volt_status volt_arrays_read(const char *path, volt_arrays **arrays)
{
    tensor_file file = {0};
    volt_arrays *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_file_load_declared(path, volt_safetensors_extent, &file.bytes, &file.size);
    if (status == VOLT_OK) {
        status = read_arrays(&file, fresh);
        if (status != VOLT_OK && status != VOLT_ERR_MEMORY)
            volt_fail_prefix(status, "%s", path);
    }
    volt_free(file.bytes);
    if (status == VOLT_OK)
        *arrays = fresh;
    else
        volt_arrays_free(fresh);
    return status;
}

void volt_arrays_free(volt_arrays *arrays)
{
    if (!arrays)
        return;
    for (int64_t i = 0; i < arrays->count; i++)
        volt_free((double *)arrays->items[i].data);
    volt_free(arrays->items);
    json_decref(arrays->header);
    volt_free(arrays);
}

const volt_array *volt_arrays_find(const volt_arrays *arrays, const char *name)
{
    for (int64_t i = 0; i < arrays->count; i++)
        if (strcmp(arrays->items[i].name, name) == 0)
            return &arrays->items[i];
    return NULL;
}
