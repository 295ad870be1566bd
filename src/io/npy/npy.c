/* src/io/npy/npy.c: NPY files: reads floats and integers in any byte order, C and Fortran order; writes
 * '<f8' in C order. */
#define _POSIX_C_SOURCE 200809L
#include "io/npy/npy.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/file_bytes.h"
#include "io/table/table.h"
#include "text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- reading ---------------------------------------------------------------------------------- */

typedef struct placing {
    const volt_npy_header *header;
    const int64_t *place; /* column j of the file becomes column place[j] of the table; -1: none */
    volt_table *table;
    int64_t row, col; /* of the next number */
} placing;

static void place_numbers(void *context, int64_t first, const double *numbers, int64_t count)
{
    (void)first;
    placing *at = context;
    for (int64_t i = 0; i < count; i++) {
        if (at->place[at->col] >= 0)
            at->table->values[at->row * at->table->cols + at->place[at->col]] = numbers[i];
        if (at->header->is_fortran)
            at->row++;
        else if (++at->col == at->header->cols) {
            at->col = 0;
            at->row++;
        }
    }
}

/* Reads `count` items, starting with item `first` of the array. */
static volt_status read_items(FILE *stream, placing *at, int64_t first, int64_t count)
{
    const volt_npy_header *header = at->header;
    VOLT_REQUIRE(fseeko(stream, (off_t)(header->data_offset + first * header->item_size), SEEK_SET) == 0,
                 VOLT_ERR_IO, "item %" PRId64 " cannot be read: %s", first, strerror(errno));
    return volt_npy_read_items(stream, header, count, place_numbers, at);
}

/* Reads the rows of the table, from row `first` of the file on: one contiguous piece, or one for every
 * column. */
static volt_status read_rows(FILE *stream, placing *at, int64_t first)
{
    const volt_npy_header *header = at->header;
    int64_t rows = at->table->rows;
    if (!header->is_fortran)
        return read_items(stream, at, first * header->cols, rows * header->cols);
    for (at->col = 0; at->col < header->cols; at->col++) {
        at->row = 0;
        if (at->place[at->col] >= 0)
            VOLT_TRY(read_items(stream, at, at->col * header->rows + first, rows));
    }
    return VOLT_OK;
}

/* Names the columns 1, 2, ... and applies `selection`: fills place and creates the table with its names. */
static volt_status choose_columns(const volt_npy_header *header, const char *selection,
                                  const volt_read_options *options, int64_t rows, int64_t *place,
                                  volt_table **table)
{
    volt_status status = VOLT_ERR_MEMORY;
    char(*numbers)[VOLT_NUMBER_LENGTH] = volt_alloc(header->cols, sizeof *numbers);
    const char **names = volt_alloc(header->cols, sizeof *names);
    if (numbers && names) {
        for (int64_t j = 0; j < header->cols; j++) {
            snprintf(numbers[j], sizeof numbers[j], "%" PRId64, j + 1);
            names[j] = numbers[j];
        }
        volt_column_list columns = {.count = header->cols, .names = names, .unnamed = true};
        status = volt_table_of_columns(&columns, selection, options, rows, place, table);
    }
    volt_free(names);
    volt_free(numbers);
    return status;
}

static volt_status read_stream(FILE *stream, const char *path, const char *selection,
                               const volt_read_options *options, volt_table **table)
{
    volt_npy_header header = {.rows = 0};
    int64_t first, rows;
    VOLT_TRY(volt_npy_header_read(stream, &header));
    VOLT_TRY(volt_npy_check_size(stream, &header, 0));
    VOLT_TRY(volt_select_rows(options, header.rows, path, &first, &rows));
    VOLT_TRY(volt_memory_require((double)rows * (double)header.cols * sizeof(double), "the matrix"));

    int64_t *place = volt_alloc(header.cols, sizeof *place);
    volt_status status =
        place ? choose_columns(&header, selection, options, rows, place, table) : VOLT_ERR_MEMORY;
    if (!status) {
        placing at = {.header = &header, .place = place, .table = *table};
        volt_table_set_first_row(*table, first, header.rows);
        status = read_rows(stream, &at, first);
    }
    volt_free(place);
    return status;
}

volt_status volt_npy_read(const char *path, const char *columns, const volt_read_options *options,
                          volt_table **table)
{
    FILE *stream = NULL;
    volt_table *read = NULL;
    VOLT_TRY(volt_file_open(path, &stream));
    volt_status status = read_stream(stream, path, columns, options, &read);
    fclose(stream);
    return volt_table_finish(read, status, path, options, table);
}

/* ---- writing ---------------------------------------------------------------------------------- */

void volt_npy_write_header(volt_atomic_file *file, int64_t rows, int64_t cols)
{
    enum { PREAMBLE = 10, HEADER = 128 - PREAMBLE };
    char dictionary[HEADER + 1];
    int length =
        snprintf(dictionary, sizeof dictionary,
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (%" PRId64 ", %" PRId64 "), }", rows, cols);
    memset(dictionary + length, ' ', (size_t)(HEADER - 1 - length));
    dictionary[HEADER - 1] = '\n';
    const unsigned char preamble[PREAMBLE] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, HEADER, 0};
    volt_atomic_write(file, preamble, PREAMBLE);
    volt_atomic_write(file, dictionary, HEADER);
}

void volt_npy_write_rows(volt_atomic_file *file, volt_view values)
{
    for (int64_t i = 0; i < values.rows && !file->failure; i++)
        volt_write_doubles(file, values.data + i * values.ld, values.cols);
}
