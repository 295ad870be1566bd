/* src/io/safetensors/safetensors.c: reads safetensors files; checks every length before it is used.
 *
 * The file is kept in one block of memory. The tensors point into it (the data section begins at a multiple of
 * 8 bytes), the names and texts into the parsed header. */
#include "io/safetensors/safetensors.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "io/file/atomic_file.h"
#include "io/file/file_bytes.h"
#include "io/file/text_lines.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------------ */

enum { MAX_PREFIX = 128, MAX_NAME = 256 };

struct volt_safetensors {
    char *bytes;
    int64_t size;
    int64_t data_at; /* start of the tensors */
    json_t *header;
    volt_tensor *tensors;
    int64_t n_tensors;
    /* of a part: `bytes` is NULL, and the header and tensors belong to the file */
    char prefix[MAX_PREFIX];
};

/* ---- header ----------------------------------------------------------------------------------- */

/* The end of the last tensor in the data section, from a header; 0 when unknown. */
static int64_t declared_data(const char *header, int64_t length)
{
    json_t *parsed = NULL, *entry;
    const char *name;
    int64_t most = 0;
    if (volt_json_parse(header, length, &parsed))
        return 0;
    json_object_foreach(parsed, name, entry)
    {
        json_int_t end = json_integer_value(json_array_get(json_object_get(entry, "data_offsets"), 1));
        if (end > most)
            most = (int64_t)end;
    }
    json_decref(parsed);
    return most;
}

/* Size of a file that begins with these bytes (a volt_file_extent), as declared by its header. */
static int64_t safetensors_extent(const char *bytes, int64_t size)
{
    if (size < SAFETENSORS_LENGTH_BYTES)
        return SAFETENSORS_LENGTH_BYTES;
    uint64_t length = volt_get_little((const unsigned char *)bytes, SAFETENSORS_LENGTH_BYTES);
    if (length > SAFETENSORS_LONGEST_HEADER)
        return SAFETENSORS_LENGTH_BYTES + 2; /* enough for the error message */
    int64_t data_at = SAFETENSORS_LENGTH_BYTES + (int64_t)length;
    if (size < data_at)
        return data_at;
    int64_t declared = declared_data(bytes + SAFETENSORS_LENGTH_BYTES, (int64_t)length);
    return declared < INT64_MAX - data_at - 2 ? data_at + declared + 2 : size; /* 2: surplus bytes */
}

static volt_status parse_header(volt_safetensors *file)
{
    VOLT_REQUIRE(file->size >= SAFETENSORS_LENGTH_BYTES + 2, VOLT_ERR_FORMAT,
                 "%" PRId64 " bytes are too few for a safetensors file", file->size);
    uint64_t length = volt_get_little((const unsigned char *)file->bytes, SAFETENSORS_LENGTH_BYTES);
    int64_t found = file->size - SAFETENSORS_LENGTH_BYTES;
    VOLT_REQUIRE(length <= SAFETENSORS_LONGEST_HEADER, VOLT_ERR_FORMAT,
                 "not a safetensors file: the header length is %" PRIu64 " bytes (at most %d)", length,
                 SAFETENSORS_LONGEST_HEADER);
    VOLT_REQUIRE((int64_t)length <= found, VOLT_ERR_FORMAT,
                 "the file is truncated: the header has %" PRIu64 " bytes, found %" PRId64, length, found);
    file->data_at = SAFETENSORS_LENGTH_BYTES + (int64_t)length;

    volt_status status =
        volt_json_parse(file->bytes + SAFETENSORS_LENGTH_BYTES, (int64_t)length, &file->header);
    if (status == VOLT_ERR_FORMAT)
        return volt_fail_prefix(status, "the header is not JSON");
    VOLT_TRY(status);
    VOLT_REQUIRE(json_typeof(file->header) == JSON_OBJECT, VOLT_ERR_FORMAT, "the header is not a JSON object");
    return VOLT_OK;
}

/* Only headers with the beginning written by this library have a checksum at the fixed position. */
static volt_status check_beginning(const volt_safetensors *file)
{
    size_t length = sizeof SAFETENSORS_BEGINNING - 1;
    const char *header = file->bytes + SAFETENSORS_LENGTH_BYTES;
    int64_t needed = (int64_t)SAFETENSORS_DIGITS_AT + SAFETENSORS_DIGITS;
    VOLT_REQUIRE(file->data_at > needed && memcmp(header, SAFETENSORS_BEGINNING, length) == 0 &&
                     file->bytes[needed] == '"',
                 VOLT_ERR_FORMAT, "the file has no checksum: it was not written by this library");
    VOLT_REQUIRE(file->data_at % SAFETENSORS_ALIGNMENT == 0, VOLT_ERR_FORMAT,
                 "the tensors begin at byte %" PRId64 ", not at a multiple of %d", file->data_at,
                 SAFETENSORS_ALIGNMENT);
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(file->header, "__metadata__"), key, value)
        VOLT_REQUIRE(json_is_string(value), VOLT_ERR_FORMAT, "an entry of the metadata is not text");
    return VOLT_OK;
}

static volt_status check_checksum(const volt_safetensors *file)
{
    char digits[SAFETENSORS_DIGITS + 1];
    const char *stored = file->bytes + SAFETENSORS_DIGITS_AT, *behind = stored + SAFETENSORS_DIGITS;
    uint32_t crc = safetensors_crc(0, file->bytes, SAFETENSORS_DIGITS_AT);
    crc = safetensors_crc(crc, SAFETENSORS_NO_CHECKSUM, SAFETENSORS_DIGITS);
    crc = safetensors_crc(crc, behind, (size_t)(file->bytes + file->size - behind));
    safetensors_crc_digits(crc, digits);
    char shown[VOLT_EXCERPT_LENGTH];
    VOLT_REQUIRE(memcmp(stored, digits, SAFETENSORS_DIGITS) == 0, VOLT_ERR_FORMAT,
                 "the file is damaged: its checksum is %s and should be %s", digits,
                 volt_excerpt(stored, SAFETENSORS_DIGITS, shown));
    return VOLT_OK;
}

/* ---- tensors ---------------------------------------------------------------------------------- */

/* Parses a non-negative JSON integer. */
static bool read_size(const json_t *value, int64_t *size)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return 0;
    *size = (int64_t)json_integer_value(value);
    return 1;
}

/* Parses one entry of the header. data_offsets, returned in *begin and *end, are later checked together. */
static volt_status read_entry(const char *name, const json_t *entry, volt_tensor *tensor, int64_t *begin,
                              int64_t *end)
{
    char shown[VOLT_EXCERPT_LENGTH];
    volt_excerpt(name, strlen(name), shown);
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    const json_t *shape = json_object_get(entry, "shape"), *offsets = json_object_get(entry, "data_offsets");
    VOLT_REQUIRE(type && json_is_array(shape) && json_is_array(offsets) && json_object_size(entry) == 3,
                 VOLT_ERR_FORMAT, "tensor '%s' lacks dtype, shape or data_offsets", shown);
    VOLT_REQUIRE(strcmp(type, "F64") == 0, VOLT_ERR_FORMAT, "tensor '%s' is not of dtype F64", shown);

    size_t n_dimensions = json_array_size(shape);
    int64_t cols = 1, rows = 0;
    VOLT_REQUIRE(n_dimensions == 1 || n_dimensions == 2, VOLT_ERR_FORMAT,
                 "tensor '%s' has %zu dimensions, expected 1 or 2", shown, n_dimensions);
    VOLT_REQUIRE(read_size(json_array_get(shape, 0), &rows) &&
                     (n_dimensions == 1 || (read_size(json_array_get(shape, 1), &cols) && cols > 0)),
                 VOLT_ERR_FORMAT, "the shape of tensor '%s' is invalid", shown);
    VOLT_REQUIRE(json_array_size(offsets) == 2 && read_size(json_array_get(offsets, 0), begin) &&
                     read_size(json_array_get(offsets, 1), end) && *begin <= *end,
                 VOLT_ERR_FORMAT, "the data_offsets of tensor '%s' are invalid", shown);
    int64_t most = (*end - *begin) / (int64_t)sizeof(double);
    VOLT_REQUIRE(rows <= most / cols && rows * cols * (int64_t)sizeof(double) == *end - *begin, VOLT_ERR_FORMAT,
                 "tensor '%s' of %" PRId64 " x %" PRId64 " numbers has %" PRId64 " bytes", shown, rows, cols,
                 *end - *begin);
    tensor->name = name;
    tensor->rows = rows;
    tensor->cols = n_dimensions == 2 ? cols : 0;
    return VOLT_OK;
}

/* The position of a tensor in the data section. */
typedef struct tensor_extent {
    int64_t begin, end;
    int64_t tensor;
} tensor_extent;

static int compare_extents(const void *left, const void *right)
{
    const tensor_extent *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Checks that the tensors fill the data section without gap or overlap. */
static volt_status check_extents(const volt_safetensors *file, tensor_extent *extents)
{
    qsort(extents, (size_t)file->n_tensors, sizeof *extents, compare_extents);
    int64_t at = 0, found = file->size - file->data_at;
    for (int64_t i = 0; i < file->n_tensors; i++) {
        VOLT_REQUIRE(extents[i].begin == at, VOLT_ERR_FORMAT,
                     "the tensors overlap or leave a gap: one ends at byte %" PRId64
                     ", the next begins at %" PRId64,
                     at, extents[i].begin);
        at = extents[i].end;
    }
    VOLT_REQUIRE(found >= at, VOLT_ERR_FORMAT,
                 "the file is truncated: the tensors have %" PRId64 " bytes, found %" PRId64, at, found);
    VOLT_REQUIRE(found == at, VOLT_ERR_FORMAT, "%" PRId64 " bytes follow the last tensor", found - at);
    return VOLT_OK;
}

static volt_status read_tensors(volt_safetensors *file, tensor_extent *extents)
{
    const char *name;
    json_t *entry;
    json_object_foreach(file->header, name, entry)
    {
        if (strcmp(name, "__metadata__") == 0)
            continue;
        volt_tensor *tensor = &file->tensors[file->n_tensors];
        tensor_extent *extent = &extents[file->n_tensors];
        extent->tensor = file->n_tensors++;
        VOLT_TRY(read_entry(name, entry, tensor, &extent->begin, &extent->end));
    }
    VOLT_TRY(check_extents(file, extents));
    for (int64_t i = 0; i < file->n_tensors; i++)
        file->tensors[extents[i].tensor].data =
            (const double *)(const void *)(file->bytes + file->data_at + extents[i].begin);
    return VOLT_OK;
}

static volt_status read_bytes(volt_safetensors *file)
{
    VOLT_TRY(parse_header(file));
    VOLT_TRY(check_beginning(file));
    int64_t n_entries = (int64_t)json_object_size(file->header);
    file->tensors = volt_alloc_zero(n_entries, sizeof *file->tensors);
    tensor_extent *extents = volt_alloc_zero(n_entries, sizeof *extents);
    volt_status status = file->tensors && extents ? read_tensors(file, extents) : VOLT_ERR_MEMORY;
    volt_free(extents);
    if (!status)
        status = check_checksum(file);
    if (!status && !volt_host_is_little())
        volt_swap_items(file->bytes + file->data_at, (file->size - file->data_at) / (int64_t)sizeof(double),
                        sizeof(double));
    return status;
}

/* ---- the file --------------------------------------------------------------------------------- */

volt_status volt_safetensors_read(const char *path, volt_safetensors **file)
{
    VOLT_REQUIRE(path && file, VOLT_ERR_ARGUMENT, "volt_safetensors_read: path and file must not be NULL");
    volt_safetensors *read = volt_alloc_zero(1, sizeof *read);
    if (!read)
        return VOLT_ERR_MEMORY;
    volt_status status = volt_file_load_declared(path, safetensors_extent, &read->bytes, &read->size);
    if (!status) {
        status = read_bytes(read);
        if (status && status != VOLT_ERR_MEMORY)
            volt_fail_prefix(status, "%s", path);
    }
    if (status) {
        volt_safetensors_free(read);
        return status;
    }
    *file = read;
    return VOLT_OK;
}

void volt_safetensors_free(volt_safetensors *file)
{
    if (!file)
        return;
    if (!*file->prefix) {
        json_decref(file->header);
        volt_free(file->tensors);
        volt_free(file->bytes);
    }
    volt_free(file);
}

volt_status volt_safetensors_part(const volt_safetensors *file, const char *prefix, volt_safetensors **part)
{
    VOLT_REQUIRE(strlen(file->prefix) + strlen(prefix) < MAX_PREFIX, VOLT_ERR_FORMAT,
                 "the parts of the file are nested too deeply");
    volt_safetensors *made = volt_alloc_zero(1, sizeof *made);
    if (!made)
        return VOLT_ERR_MEMORY;
    *made = *file;
    strcat(made->prefix, prefix);
    made->bytes = NULL;
    *part = made;
    return VOLT_OK;
}

/* The name in the file of a name of a part. */
static const char *full_name(const volt_safetensors *file, const char *name, char text[MAX_NAME])
{
    if (!*file->prefix)
        return name;
    snprintf(text, MAX_NAME, "%s%s", file->prefix, name);
    return text;
}

const char *volt_safetensors_metadata(const volt_safetensors *file, const char *key)
{
    char full[MAX_NAME];
    return json_string_value(
        json_object_get(json_object_get(file->header, "__metadata__"), full_name(file, key, full)));
}

const volt_tensor *volt_safetensors_tensor(const volt_safetensors *file, const char *name)
{
    char full[MAX_NAME];
    const char *wanted = full_name(file, name, full);
    for (int64_t i = 0; i < file->n_tensors; i++)
        if (strcmp(file->tensors[i].name, wanted) == 0)
            return &file->tensors[i];
    return NULL;
}

/* ---- writing ------------------------------------------------------------------------------------ */

/* Writes safetensors files. */

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

/* ---- arrays of files of other programs ---------------------------------------------------------- */

/* Reads the arrays of any safetensors file.
 *
 * Files of this library have a checksum and contain only doubles (safetensors.c); this reader requires
 * neither. Every length is checked against the file before it is used. */

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
    volt_status status = volt_file_load_declared(path, safetensors_extent, &file.bytes, &file.size);
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
