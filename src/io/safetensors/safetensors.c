/* src/io/safetensors/safetensors.c: reads safetensors files; checks every length before it is used.
 *
 * The file is kept in one block of memory. The tensors point into it (the data section begins at a multiple of
 * 8 bytes), the names and texts into the parsed header. */
#include "io/safetensors/safetensors.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "io/file/file_bytes.h"
#include "io/file/text_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

int64_t volt_safetensors_extent(const char *bytes, int64_t size)
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
static int read_size(const json_t *value, int64_t *size)
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
    volt_status status = volt_file_load_declared(path, volt_safetensors_extent, &read->bytes, &read->size);
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
