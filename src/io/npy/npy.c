/* src/io/npy/npy.c: NPY files: any byte order, C and Fortran order, floats and integers in; '<f8' in C order out.
 *
 * Numbers pass through a small buffer straight to their place in the table, so that a large matrix is in memory
 * once, whatever its type and order. */
#include "io/npy/npy.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/file_bytes.h"
#include "io/file/little_endian.h"
#include "io/npy/npy_header.h"
#include "io/npy/npy_items.h"
#include "io/table/choose_columns.h"
#include "io/table/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BUFFER_ITEMS = 8192, LARGEST_ITEM = 8 };

/* ---- reading ---------------------------------------------------------------------------------- */

static volt_status check_size(FILE *stream, const volt_npy_header *header)
{
    int64_t size = volt_file_size(stream), n_items;
    VOLT_REQUIRE(size >= 0, VOLT_ERR_IO, "an NPY file is read from a regular file only");
    int64_t found = size - header->data_offset;
    VOLT_REQUIRE(header->rows <= INT64_MAX / LARGEST_ITEM / header->cols, VOLT_ERR_FORMAT,
                 "the shape %" PRId64 " x %" PRId64 " is larger than any file", header->rows, header->cols);
    n_items = header->rows * header->cols;
    VOLT_REQUIRE(found >= n_items * header->item_size, VOLT_ERR_FORMAT,
                 "the file is cut short: %" PRId64 " x %" PRId64 " numbers are %" PRId64
                 " bytes, found %" PRId64,
                 header->rows, header->cols, n_items * header->item_size, found);
    VOLT_REQUIRE(found == n_items * header->item_size, VOLT_ERR_FORMAT,
                 "%" PRId64 " bytes follow the %" PRId64 " x %" PRId64 " numbers",
                 found - n_items * header->item_size, header->rows, header->cols);
    return VOLT_OK;
}

/* Read all numbers in file order; column j of the file goes to column place[j] of the table, or nowhere. */
static volt_status read_numbers(FILE *stream, const volt_npy_header *header, const int64_t *place,
                                unsigned char *bytes, double *numbers, volt_table *table)
{
    int64_t n_items = header->rows * header->cols, row = 0, col = 0;
    for (int64_t done = 0; done < n_items;) {
        int64_t count = n_items - done < BUFFER_ITEMS ? n_items - done : BUFFER_ITEMS;
        VOLT_REQUIRE(fread(bytes, (size_t)header->item_size, (size_t)count, stream) == (size_t)count,
                     VOLT_ERR_IO, "the file ended while it was read");
        if (header->is_swapped)
            volt_swap_items(bytes, count, header->item_size);
        volt_npy_decode(bytes, count, header->type, header->item_size, numbers);
        for (int64_t i = 0; i < count; i++) {
            if (place[col] >= 0)
                table->values[row * table->cols + place[col]] = numbers[i];
            if (header->is_fortran && ++row == header->rows) {
                row = 0;
                col++;
            } else if (!header->is_fortran && ++col == header->cols) {
                col = 0;
                row++;
            }
        }
        done += count;
    }
    return VOLT_OK;
}

/* The columns 1, 2, ..., of which `selection` takes some: fills place and makes the table with its names. */
static volt_status choose_columns(const volt_npy_header *header, const char *selection, int64_t *place,
                                  volt_table **table)
{
    volt_status status = VOLT_ERR_MEMORY;
    int64_t n = header->cols, *chosen = NULL, n_chosen = 0;
    char(*numbers)[VOLT_NUMBER_LENGTH] = volt_alloc(n, sizeof *numbers);
    const char **names = volt_alloc(n, sizeof *names);
    if (numbers && names) {
        for (int64_t j = 0; j < n; j++) {
            snprintf(numbers[j], sizeof numbers[j], "%" PRId64, j + 1);
            names[j] = numbers[j];
            place[j] = -1;
        }
        volt_column_list columns = {.count = n, .names = names};
        status = volt_choose_columns(&columns, selection, &chosen, &n_chosen);
    }
    volt_table *made = status ? NULL : volt_table_new(header->rows, n_chosen);
    if (!status && !made)
        status = VOLT_ERR_MEMORY;
    for (int64_t i = 0; !status && i < n_chosen; i++) {
        place[chosen[i]] = i;
        made->names[i] = volt_strdup(names[chosen[i]]);
        if (!made->names[i])
            status = VOLT_ERR_MEMORY;
    }
    volt_free(chosen);
    volt_free(names);
    volt_free(numbers);
    *table = made;
    return status;
}

static volt_status read_stream(FILE *stream, const char *selection, volt_table **table)
{
    volt_npy_header header = {.rows = 0};
    VOLT_TRY(volt_npy_header_read(stream, &header));
    VOLT_TRY(check_size(stream, &header));
    VOLT_TRY(volt_memory_require((double)header.rows * (double)header.cols * sizeof(double), "the matrix"));

    volt_status status = VOLT_ERR_MEMORY;
    int64_t *place = volt_alloc(header.cols, sizeof *place);
    unsigned char *bytes = volt_alloc(BUFFER_ITEMS, LARGEST_ITEM);
    double *numbers = volt_alloc(BUFFER_ITEMS, sizeof *numbers);
    if (place && bytes && numbers)
        status = choose_columns(&header, selection, place, table);
    if (!status)
        status = read_numbers(stream, &header, place, bytes, numbers, *table);
    volt_free(numbers);
    volt_free(bytes);
    volt_free(place);
    return status;
}

volt_status volt_npy_read(const char *path, const char *columns, volt_missing missing, volt_table **table)
{
    FILE *stream = NULL;
    volt_table *read = NULL;
    VOLT_TRY(volt_file_open(path, &stream));
    volt_status status = read_stream(stream, columns, &read);
    fclose(stream);
    if (status && status != VOLT_ERR_MEMORY)
        volt_fail_prefix(status, "%s", path);
    if (!status)
        status = volt_table_check_values(read, path, missing);
    if (status) {
        volt_table_free(read);
        return status;
    }
    *table = read;
    return VOLT_OK;
}

/* ---- writing ---------------------------------------------------------------------------------- */

volt_status volt_npy_write(volt_atomic_file *file, volt_view values)
{
    enum { PREAMBLE = 10, HEADER = 128 - PREAMBLE };
    char dictionary[HEADER + 1];
    int length = snprintf(dictionary, sizeof dictionary,
                          "{'descr': '<f8', 'fortran_order': False, 'shape': (%" PRId64 ", %" PRId64 "), }",
                          values.rows, values.cols);
    memset(dictionary + length, ' ', (size_t)(HEADER - 1 - length));
    dictionary[HEADER - 1] = '\n';
    const unsigned char preamble[PREAMBLE] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, HEADER, 0};
    volt_atomic_write(file, preamble, PREAMBLE);
    volt_atomic_write(file, dictionary, HEADER);
    for (int64_t i = 0; i < values.rows && !file->failure; i++)
        volt_write_doubles(file, values.data + i * values.ld, values.cols);
    return VOLT_OK;
}
