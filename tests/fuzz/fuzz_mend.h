/* tests/fuzz/fuzz_mend.h: a mutated safetensors file of the library, with its length, its padding and its checksum put right, so
 * that what a mutation does to the metadata, the shapes and the tensors reaches the reader.
 *
 * Include it behind fuzz_input.h. */
#ifndef FUZZ_FUZZ_MEND_H
#define FUZZ_FUZZ_MEND_H

#include "io/safetensors/safetensors.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Where the JSON object at `bytes` ends; `size` when it does not. */
static size_t object_end(const uint8_t *bytes, size_t size)
{
    int depth = 0, is_text = 0;
    for (size_t i = 0; i < size; i++) {
        if (is_text && bytes[i] == '\\')
            i++;
        else if (bytes[i] == '"')
            is_text = !is_text;
        else if (!is_text && bytes[i] == '{')
            depth++;
        else if (!is_text && bytes[i] == '}' && --depth == 0)
            return i + 1;
    }
    return size;
}

/* The file with its length, its padding and its checksum put right, to be freed. */
static uint8_t *fuzz_mend(const uint8_t *bytes, size_t size, size_t *mended_size)
{
    const uint8_t *header = bytes + SAFETENSORS_LENGTH_BYTES;
    size_t left = size - SAFETENSORS_LENGTH_BYTES, length = object_end(header, left), data_at = length;
    while (data_at < left && header[data_at] == ' ')
        data_at++;
    size_t padded = (length + SAFETENSORS_ALIGNMENT - 1) / SAFETENSORS_ALIGNMENT * SAFETENSORS_ALIGNMENT;
    *mended_size = SAFETENSORS_LENGTH_BYTES + padded + (left - data_at);
    uint8_t *mended = malloc(*mended_size);
    FUZZ_CHECK(mended);
    for (int i = 0; i < SAFETENSORS_LENGTH_BYTES; i++)
        mended[i] = (uint8_t)((uint64_t)padded >> 8 * i);
    memcpy(mended + SAFETENSORS_LENGTH_BYTES, header, length);
    memset(mended + SAFETENSORS_LENGTH_BYTES + length, ' ', padded - length);
    memcpy(mended + SAFETENSORS_LENGTH_BYTES + padded, header + data_at, left - data_at);

    if (*mended_size >= SAFETENSORS_DIGITS_AT + SAFETENSORS_DIGITS) {
        char digits[SAFETENSORS_DIGITS + 1];
        memcpy(mended + SAFETENSORS_DIGITS_AT, SAFETENSORS_NO_CHECKSUM, SAFETENSORS_DIGITS);
        safetensors_crc_digits(safetensors_crc(0, mended, *mended_size), digits);
        memcpy(mended + SAFETENSORS_DIGITS_AT, digits, SAFETENSORS_DIGITS);
    }
    return mended;
}

#endif
