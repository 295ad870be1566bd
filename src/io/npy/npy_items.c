/* src/io/npy/npy_items.c: the numbers of an NPY file, converted to doubles. */
#include "io/npy/npy.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/file_bytes.h"
#include "text/text.h"
#include "volterra/base.h"

#include <inttypes.h>
#include <string.h>

enum { BUFFER_ITEMS = 8192, LARGEST_ITEM = 8 };

/* ---- size ------------------------------------------------------------------------------------- */

volt_status volt_npy_check_size(FILE *stream, const volt_npy_header *header, int64_t count)
{
    const int64_t most = INT64_MAX / LARGEST_ITEM;
    int64_t size = volt_file_size(stream), rows = header->rows, cols = header->cols,
            n_arrays = count ? count : 1;
    char shape[3 * VOLT_NUMBER_LENGTH];
    size_t used = count ? (size_t)snprintf(shape, sizeof shape, "%" PRId64 " x ", count) : 0;
    snprintf(shape + used, sizeof shape - used, "%" PRId64 " x %" PRId64, rows, cols);
    VOLT_REQUIRE(size >= 0, VOLT_ERR_IO, "an NPY file must be a regular file");
    VOLT_REQUIRE(rows <= most / cols && n_arrays <= most / (rows * cols), VOLT_ERR_FORMAT,
                 "the shape %s is larger than any file", shape);
    int64_t found = size - header->data_offset, expected = n_arrays * rows * cols * header->item_size;
    VOLT_REQUIRE(found >= expected, VOLT_ERR_FORMAT,
                 "the file is truncated: %s numbers are %" PRId64 " bytes, found %" PRId64, shape, expected,
                 found);
    VOLT_REQUIRE(found == expected, VOLT_ERR_FORMAT, "%" PRId64 " bytes follow the %s numbers",
                 found - expected, shape);
    return VOLT_OK;
}

/* ---- values ----------------------------------------------------------------------------------- */

#define DECODE_CASE(letter, ctype)                                        \
    case (letter) << 4 | (int)sizeof(ctype):                              \
        for (int64_t i = 0; i < count; i++) {                             \
            ctype item;                                                   \
            memcpy(&item, bytes + i * (int64_t)sizeof item, sizeof item); \
            numbers[i] = (double)item;                                    \
        }                                                                 \
        break

/* `count` numbers in this machine's byte order. */
static void decode(const volt_npy_header *header, const unsigned char *bytes, int64_t count, double *numbers)
{
    switch (header->type << 4 | header->item_size) {
        DECODE_CASE('f', double);
        DECODE_CASE('f', float);
        DECODE_CASE('i', int8_t);
        DECODE_CASE('i', int16_t);
        DECODE_CASE('i', int32_t);
        DECODE_CASE('i', int64_t);
        DECODE_CASE('u', uint8_t);
        DECODE_CASE('u', uint16_t);
        DECODE_CASE('u', uint32_t);
        DECODE_CASE('u', uint64_t);
        DECODE_CASE('b', uint8_t);
    }
}

static volt_status read_blocks(FILE *stream, const volt_npy_header *header, int64_t n_items,
                               unsigned char *bytes, double *numbers, volt_npy_take_fn *take, void *context)
{
    for (int64_t done = 0; done < n_items;) {
        int64_t count = n_items - done < BUFFER_ITEMS ? n_items - done : BUFFER_ITEMS;
        VOLT_REQUIRE(fread(bytes, (size_t)header->item_size, (size_t)count, stream) == (size_t)count,
                     VOLT_ERR_IO, "the file ended while it was read");
        if (header->is_swapped)
            volt_swap_items(bytes, count, header->item_size);
        decode(header, bytes, count, numbers);
        take(context, done, numbers, count);
        done += count;
    }
    return VOLT_OK;
}

volt_status volt_npy_read_items(FILE *stream, const volt_npy_header *header, int64_t n_items,
                                volt_npy_take_fn *take, void *context)
{
    volt_status status = VOLT_ERR_MEMORY;
    unsigned char *bytes = volt_alloc(BUFFER_ITEMS, LARGEST_ITEM);
    double *numbers = volt_alloc(BUFFER_ITEMS, sizeof *numbers);
    if (bytes && numbers)
        status = read_blocks(stream, header, n_items, bytes, numbers, take, context);
    volt_free(numbers);
    volt_free(bytes);
    return status;
}
