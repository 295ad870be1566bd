/* src/io/series/npy_collection.c: a collection as an NPY array: series x time x channels, or series x time.
 *
 * In C order the array has the memory layout of the collection. In Fortran order the series varies fastest,
 * then time, then the channel, and the numbers are rearranged. */
#include "base/error.h"
#include "base/memory.h"
#include "io/file/file_bytes.h"
#include "io/npy/npy.h"
#include "io/series/series_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* The position in memory of the i-th number of a file in Fortran order. */
static int64_t fortran_place(const volt_npy_header *header, int64_t count, int64_t i)
{
    int64_t s = i % count, time = i / count % header->rows, channel = i / count / header->rows;
    return (s * header->rows + time) * header->cols + channel;
}

typedef struct placing {
    const volt_npy_header *header;
    int64_t count; /* of series */
    double *values;
} placing;

static void place_numbers(void *context, int64_t first, const double *numbers, int64_t count)
{
    const placing *at = context;
    for (int64_t i = 0; i < count; i++) {
        int64_t place = at->header->is_fortran ? fortran_place(at->header, at->count, first + i) : first + i;
        at->values[place] = numbers[i];
    }
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
    VOLT_TRY(volt_npy_check_size(stream, &header, count));
    list->channels = header.cols;
    VOLT_TRY(volt_series_reserve(list, count * header.rows * header.cols));
    double *series;
    for (int64_t s = 0; s < count; s++)
        VOLT_TRY(volt_series_add(list, header.rows, &series));

    placing at = {.header = &header, .count = count, .values = list->values};
    VOLT_TRY(volt_npy_read_items(stream, &header, count * header.rows * header.cols, place_numbers, &at));
    return check_values(&header, count, list->values);
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
    return volt_series_finish(&list, status, collection);
}
