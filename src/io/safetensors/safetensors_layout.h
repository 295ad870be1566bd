/* src/io/safetensors/safetensors_layout.h: what the writer and the reader of safetensors files must agree on. */
#ifndef IO_SAFETENSORS_LAYOUT_H
#define IO_SAFETENSORS_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

enum {
    SAFETENSORS_LENGTH_BYTES = 8,
    SAFETENSORS_ALIGNMENT = 8,
    SAFETENSORS_DIGITS = 8,                /* of the checksum */
    SAFETENSORS_LONGEST_HEADER = 100000000 /* the format's own limit */
};

/* Every header of ours begins with this, the digits of the checksum, and a quotation mark. */
#define SAFETENSORS_BEGINNING "{\"__metadata__\":{\"checksum\":\""
#define SAFETENSORS_NO_CHECKSUM "00000000"

/* Where the digits stand in the file. */
#define SAFETENSORS_DIGITS_AT (SAFETENSORS_LENGTH_BYTES + sizeof SAFETENSORS_BEGINNING - 1)

/* Bytes of a file that begins with these (a volt_file_extent): as far as its header declares. */
int64_t volt_safetensors_extent(const char *bytes, int64_t size);

/* CRC-32 (zlib's) carried on over `size` more bytes. */
static inline uint32_t safetensors_crc(uint32_t crc, const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(crc, bytes, size);
}

static inline void safetensors_crc_digits(uint32_t crc, char digits[SAFETENSORS_DIGITS + 1])
{
    snprintf(digits, SAFETENSORS_DIGITS + 1, "%08x", (unsigned)crc);
}

#endif
