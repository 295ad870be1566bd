/* src/io/safetensors/safetensors.h: named tensors of doubles and metadata texts in one file.
 *
 * A safetensors file is the length of the header (8 bytes, little-endian), the header (JSON, padded with
 * blanks to a multiple of 8 bytes), then the tensors without gaps, little-endian, row-major:
 *
 *     {"__metadata__": {"checksum": "1c291ca3", KEY: TEXT, ...},
 *      NAME: {"dtype": "F64", "shape": [ROWS, COLS], "data_offsets": [BEGIN, END]}, ...}
 *
 * The checksum is an addition of this library: the CRC-32 of the whole file, with its own eight digits
 * replaced by zeros. It is the first entry of the metadata, and the metadata come first, so that the digits
 * have a fixed position. A file without it is refused. */
#ifndef IO_SAFETENSORS_H
#define IO_SAFETENSORS_H

#include "volterra/base.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

/* cols = 0: a vector of `rows` numbers. */
typedef struct volt_tensor {
    const char *name;
    int64_t rows, cols;
    const double *data;
} volt_tensor;

typedef struct volt_metadatum {
    const char *key, *value;
} volt_metadatum;

/* Writes a file, replaced atomically. Names and keys must be unique; text must be UTF-8; the key "checksum"
 * and the name "__metadata__" are reserved. VOLT_ERR_ARGUMENT, VOLT_ERR_IO, VOLT_ERR_MEMORY. */
volt_status volt_safetensors_write(const char *path, const volt_tensor *tensors, int64_t n_tensors,
                                   const volt_metadatum *metadata, int64_t n_metadata);

/* The same with progress. VOLT_ERR_CANCELLED keeps the old file. */
volt_status volt_safetensors_write_watched(const char *path, const volt_tensor *tensors, int64_t n_tensors,
                                           const volt_metadatum *metadata, int64_t n_metadata,
                                           volt_progress progress);

/* A file in memory; owns its memory. */
typedef struct volt_safetensors volt_safetensors;

/* VOLT_ERR_IO; VOLT_ERR_FORMAT for a file that is truncated, damaged or not written by this library;
 * VOLT_ERR_MEMORY. */
volt_status volt_safetensors_read(const char *path, volt_safetensors **file);
void volt_safetensors_free(volt_safetensors *file);

/* The tensors and metadata of `file` whose names begin with `prefix`, under the rest of their names. It refers
 * to `file`, which must outlive it. VOLT_ERR_MEMORY, VOLT_ERR_FORMAT if the prefixes of nested parts are too
 * long. */
volt_status volt_safetensors_part(const volt_safetensors *file, const char *prefix, volt_safetensors **part);

/* NULL for an unknown name. The results belong to the file. */
const char *volt_safetensors_metadata(const volt_safetensors *file, const char *key);
const volt_tensor *volt_safetensors_tensor(const volt_safetensors *file, const char *name);

/* ---- arrays of any safetensors file, such as the weights of a kernel ---------------------------- */

enum { VOLT_MAX_DIMENSIONS = 3 };

/* Row-major. The name and the numbers belong to the volt_arrays object. */
typedef struct volt_array {
    const char *name;
    int dimensions;
    int64_t shape[VOLT_MAX_DIMENSIONS]; /* 1 after the last dimension */
    const double *data;
} volt_array;

typedef struct volt_arrays volt_arrays;

/* Reads all arrays of a safetensors file: numbers of 4 or 8 bytes. VOLT_ERR_IO; VOLT_ERR_FORMAT for a
 * truncated, damaged or unsupported file; VOLT_ERR_NOT_FINITE names the first non-finite number;
 * VOLT_ERR_MEMORY. */
volt_status volt_arrays_read(const char *path, volt_arrays **arrays);
void volt_arrays_free(volt_arrays *arrays); /* NULL is allowed */

/* NULL for an unknown name. */
const volt_array *volt_arrays_find(const volt_arrays *arrays, const char *name);

/* ---- constants shared by the writer and the reader of safetensors files ------------------------ */

enum {
    SAFETENSORS_LENGTH_BYTES = 8,
    SAFETENSORS_ALIGNMENT = 8,
    SAFETENSORS_DIGITS = 8,                /* of the checksum */
    SAFETENSORS_LONGEST_HEADER = 100000000 /* the limit of the format */
};

/* Every header written by this library begins with this, the digits of the checksum, and a quotation mark. */
#define SAFETENSORS_BEGINNING "{\"__metadata__\":{\"checksum\":\""
#define SAFETENSORS_NO_CHECKSUM "00000000"

/* Position of the digits in the file. */
#define SAFETENSORS_DIGITS_AT (SAFETENSORS_LENGTH_BYTES + sizeof SAFETENSORS_BEGINNING - 1)

/* CRC-32 (zlib's), updated with `size` more bytes. */
static inline uint32_t safetensors_crc(uint32_t crc, const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(crc, bytes, size);
}

static inline void safetensors_crc_digits(uint32_t crc, char digits[SAFETENSORS_DIGITS + 1])
{
    snprintf(digits, SAFETENSORS_DIGITS + 1, "%08x", (unsigned)crc);
}

#endif
