/* src/io/series/npy_collection.c: a collection as an NPY array: series x time x channels, or series x time.
 *
 * In C order the array is the collection as it stands in memory. In Fortran order the series runs fastest,
 * then time, then the channel, and every number goes to its place. */
#include "base/error.h"
#include "base/memory.h"
#include "io/file/file_bytes.h"
#include "io/file/little_endian.h"
#include "io/npy/npy_header.h"
#include "io/npy/npy_items.h"
#include "io/series/collection_readers.h"
#include "io/series/series_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { BUFFER_ITEMS = 8192, LARGEST_ITEM = 8 };

#define SHAPE_FORMAT "%" PRId64 " x %" PRId64 " x %" PRId64

static volt_status check_size(FILE *stream, const volt_npy_header *header, int64_t count)
{
    const int64_t most = INT64_MAX / LARGEST_ITEM;
    int64_t size = volt_file_size(stream), rows = header->rows, cols = header->cols;
    VOLT_REQUIRE(size >= 0, VOLT_ERR_IO, "an NPY file is read from a regular file only");
    VOLT_REQUIRE(rows <= most / cols && count <= most / (rows * cols), VOLT_ERR_FORMAT,
                 "the shape " SHAPE_FORMAT " is larger than any file", count, rows, cols);
    int64_t found = size - header->data_offset, expected = count * rows * cols * header->item_size;
    VOLT_REQUIRE(found >= expected, VOLT_ERR_FORMAT,
                 "the file is cut short: " SHAPE_FORMAT " numbers are %" PRId64 " bytes, found %" PRId64, count,
                 rows, cols, expected, found);
    VOLT_REQUIRE(found == expected, VOLT_ERR_FORMAT, "%" PRId64 " bytes follow the " SHAPE_FORMAT " numbers",
                 found - expected, count, rows, cols);
    return VOLT_OK;
}

/* Where the i-th number of a file in Fortran order belongs. */
static int64_t fortran_place(const volt_npy_header *header, int64_t count, int64_t i)
{
    int64_t s = i % count, time = i / count % header->rows, channel = i / count / header->rows;
    return (s * header->rows + time) * header->cols + channel;
}

static volt_status read_numbers(FILE *stream, const volt_npy_header *header, int64_t count,
                                unsigned char *bytes, double *numbers, double *values)
{
    int64_t n_items = count * header->rows * header->cols;
    for (int64_t done = 0; done < n_items;) {
        int64_t n = n_items - done < BUFFER_ITEMS ? n_items - done : BUFFER_ITEMS;
        VOLT_REQUIRE(fread(bytes, (size_t)header->item_size, (size_t)n, stream) == (size_t)n, VOLT_ERR_IO,
                     "the file ended while it was read");
        if (header->is_swapped)
            volt_swap_items(bytes, n, header->item_size);
        if (!header->is_fortran) {
            volt_npy_decode(bytes, n, header->type, header->item_size, values + done);
        } else {
            volt_npy_decode(bytes, n, header->type, header->item_size, numbers);
            for (int64_t i = 0; i < n; i++)
                values[fortran_place(header, count, done + i)] = numbers[i];
        }
        done += n;
    }
    return VOLT_OK;
}

static volt_status check_values(const volt_npy_header *header, int64_t count, const double *values)
{
    int64_t per_series = header->rows * header->cols;
    for (int64_t i = 0; i < count * per_series; i++)
        VOLT_REQUIRE(isfinite(values[i]), VOLT_ERR_NOT_FINITE,
                     "series %" PRId64 ", row %" PRId64 ", channel %" PRId64 ": the value is %s",
                     i / per_series + 1, i % per_series / header->cols + 1, i % header->cols + 1,
                     isnan(values[i]) ? "missing (NaN)" : "infinite");
    return VOLT_OK;
}

static volt_status read_stream(FILE *stream, volt_series_list *list)
{
    volt_npy_header header = {.rows = 0};
    int64_t count = 0;
    VOLT_TRY(volt_npy_header_read_series(stream, &header, &count));
    VOLT_TRY(check_size(stream, &header, count));
    list->channels = header.cols;
    VOLT_TRY(volt_series_reserve(list, count * header.rows * header.cols));
    double *series;
    for (int64_t s = 0; s < count; s++)
        VOLT_TRY(volt_series_add(list, header.rows, &series));

    volt_status status = VOLT_ERR_MEMORY;
    unsigned char *bytes = volt_alloc(BUFFER_ITEMS, LARGEST_ITEM);
    double *numbers = volt_alloc(BUFFER_ITEMS, sizeof *numbers);
    if (bytes && numbers)
        status = read_numbers(stream, &header, count, bytes, numbers, list->values);
    if (!status)
        status = check_values(&header, count, list->values);
    volt_free(numbers);
    volt_free(bytes);
    return status;
}

volt_status volt_npy_collection_read(const char *path, volt_collection **collection)
{
    FILE *stream = NULL;
    VOLT_TRY(volt_file_open(path, &stream));
    volt_series_list list = {.count = 0};
    volt_status status = read_stream(stream, &list);
    fclose(stream);
    if (status == VOLT_ERR_IO)
        volt_fail_prefix(status, "%s", path);
    if (!status)
        status = volt_series_finish(&list, collection);
    volt_series_discard(&list);
    return status;
}
