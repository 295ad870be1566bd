/* src/io/npy/npy.c: NPY files: reads floats and integers in any byte order, C and Fortran order; writes
 * '<f8' in C order. */
#define _POSIX_C_SOURCE 200809L
#include "io/npy/npy.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/file_bytes.h"
#include "io/file/text_lines.h"
#include "io/table/table.h"
#include "text/text.h"
#include "volterra/base.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- header ------------------------------------------------------------------------------------- */

/* Parses the header of an NPY file strictly, without evaluating it. */

enum { PREAMBLE = 8, LONGEST_HEADER = 1 << 20, LONGEST_WORD = 32, MAX_DIMENSIONS = 32, KEPT_DIMENSIONS = 3 };

/* The three entries of the dictionary. */
typedef struct npy_entries {
    char descr[LONGEST_WORD];
    int is_fortran;
    int n_dimensions;
    int64_t shape[KEPT_DIMENSIONS]; /* the first three */
} npy_entries;

static void skip_space(const char **at)
{
    *at += strspn(*at, " \t\n");
}

/* Advances over `word` if it comes next. */
static int accept(const char **at, const char *word)
{
    skip_space(at);
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return 0;
    *at += length;
    return 1;
}

/* A string in single or double quotes, without escapes. */
static int accept_string(const char **at, char text[LONGEST_WORD])
{
    skip_space(at);
    char quote = **at;
    if (quote != '\'' && quote != '"')
        return 0;
    const char *end = strchr(*at + 1, quote);
    if (!end || end - *at > LONGEST_WORD - 1)
        return 0;
    size_t length = (size_t)(end - *at - 1);
    memcpy(text, *at + 1, length);
    text[length] = '\0';
    *at = end + 1;
    return 1;
}

static int accept_integer(const char **at, int64_t *value)
{
    skip_space(at);
    int64_t number = 0;
    const char *digit = *at;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        if (number > (INT64_MAX - 9) / 10)
            return 0;
        number = number * 10 + (*digit - '0');
    }
    if (digit == *at)
        return 0;
    *at = digit;
    (void)accept(at, "L"); /* written by Python 2 */
    *value = number;
    return 1;
}

/* (), (3,), (3, 4), (3, 4, 5, ...): keeps the first three lengths and counts all. */
static int accept_shape(const char **at, npy_entries *entries)
{
    int64_t length;
    entries->n_dimensions = 0;
    if (!accept(at, "("))
        return 0;
    while (!accept(at, ")")) {
        if (entries->n_dimensions == MAX_DIMENSIONS || !accept_integer(at, &length))
            return 0;
        if (entries->n_dimensions < KEPT_DIMENSIONS)
            entries->shape[entries->n_dimensions] = length;
        entries->n_dimensions++;
        if (!accept(at, ",")) {
            if (entries->n_dimensions == 1)
                return 0; /* (3) is not a tuple */
            return accept(at, ")");
        }
    }
    return 1;
}

static volt_status parse_entries(const char *text, npy_entries *entries)
{
    char shown[VOLT_EXCERPT_LENGTH], key[LONGEST_WORD];
    int seen[3] = {0, 0, 0};
    const char *at = text;
    int is_good = accept(&at, "{");
    while (is_good && !accept(&at, "}")) {
        is_good = accept_string(&at, key) && accept(&at, ":");
        if (is_good && strcmp(key, "descr") == 0) {
            if (accept(&at, "["))
                return volt_fail(VOLT_ERR_FORMAT,
                                 "the array has fields (a structured dtype); only plain numbers are supported");
            is_good = seen[0]++ == 0 && accept_string(&at, entries->descr);
        } else if (is_good && strcmp(key, "fortran_order") == 0) {
            entries->is_fortran = accept(&at, "True");
            is_good = seen[1]++ == 0 && (entries->is_fortran || accept(&at, "False"));
        } else if (is_good && strcmp(key, "shape") == 0) {
            is_good = seen[2]++ == 0 && accept_shape(&at, entries);
        } else {
            is_good = 0;
        }
        if (is_good && !accept(&at, ",")) {
            is_good = accept(&at, "}");
            break;
        }
    }
    skip_space(&at);
    VOLT_REQUIRE(is_good && !*at && seen[0] && seen[1] && seen[2], VOLT_ERR_FORMAT, "invalid NPY header: %s",
                 volt_excerpt(text, strlen(text), shown));
    return VOLT_OK;
}

/* Types such as "<f8". */
static volt_status parse_type(const char *descr, volt_npy_header *header)
{
    static const struct {
        const char *type;
        int item_size;
    } known[] = {{"f8", 8}, {"f4", 4}, {"i1", 1}, {"i2", 2}, {"i4", 4}, {"i8", 8},
                 {"u1", 1}, {"u2", 2}, {"u4", 4}, {"u8", 8}, {"b1", 1}};
    int host_is_little_endian = volt_host_is_little();
    char order = descr[0], shown[VOLT_EXCERPT_LENGTH];
    for (size_t i = 0; order && strchr("<>|=", order) && i < sizeof known / sizeof *known; i++)
        if (strcmp(descr + 1, known[i].type) == 0) {
            header->type = known[i].type[0];
            header->item_size = known[i].item_size;
            header->is_swapped =
                (order == '<' && !host_is_little_endian) || (order == '>' && host_is_little_endian);
            return VOLT_OK;
        }
    return volt_fail(VOLT_ERR_FORMAT, "the dtype '%s' is not supported; save the array as float64 ('<f8')",
                     volt_excerpt(descr, strlen(descr), shown));
}

/* Reads the header, except the shape, into `header`, and the dictionary into `entries`. */
static volt_status read_entries(FILE *stream, volt_npy_header *header, npy_entries *entries)
{
    unsigned char start[PREAMBLE + 4];
    VOLT_REQUIRE(fread(start, 1, PREAMBLE + 2, stream) == PREAMBLE + 2 && memcmp(start, "\x93NUMPY", 6) == 0,
                 VOLT_ERR_FORMAT, "this is not an NPY file: it does not begin with \\x93NUMPY");
    int major = start[6], minor = start[7];
    VOLT_REQUIRE(major >= 1 && major <= 3 && minor == 0, VOLT_ERR_FORMAT,
                 "NPY version %d.%d is not supported; 1.0, 2.0 and 3.0 are", major, minor);
    int64_t length = start[8] | (int64_t)start[9] << 8;
    header->data_offset = PREAMBLE + 2;
    if (major > 1) {
        VOLT_REQUIRE(fread(start + 10, 1, 2, stream) == 2, VOLT_ERR_FORMAT,
                     "the file ends within the NPY header");
        length |= (int64_t)start[10] << 16 | (int64_t)start[11] << 24;
        header->data_offset += 2;
    }
    header->data_offset += length;
    VOLT_REQUIRE(length <= LONGEST_HEADER, VOLT_ERR_FORMAT,
                 "the NPY header is %" PRId64 " bytes long; at most %d are supported", length, LONGEST_HEADER);

    char *text = volt_alloc(length + 1, 1);
    if (!text)
        return VOLT_ERR_MEMORY;
    volt_status status = VOLT_OK;
    if (fread(text, 1, (size_t)length, stream) != (size_t)length)
        status = volt_fail(VOLT_ERR_FORMAT, "the file ends within the NPY header");
    text[length] = '\0';
    if (!status && strlen(text) != (size_t)length)
        status = volt_fail(VOLT_ERR_FORMAT, "the NPY header contains a zero byte");
    if (!status)
        status = parse_entries(text, entries);
    if (!status)
        status = parse_type(entries->descr, header);
    volt_free(text);
    header->is_fortran = entries->is_fortran;
    return status;
}

/* Reads and checks the header at the beginning of `stream`, and leaves the stream at the first number.
 * VOLT_ERR_FORMAT; VOLT_ERR_MEMORY. */
static volt_status npy_header_read(FILE *stream, volt_npy_header *header)
{
    npy_entries entries = {.n_dimensions = 0};
    VOLT_TRY(read_entries(stream, header, &entries));
    VOLT_REQUIRE(entries.n_dimensions == 1 || entries.n_dimensions == 2, VOLT_ERR_FORMAT,
                 "the array has %d dimensions; a matrix has 2, a single series 1", entries.n_dimensions);
    header->rows = entries.shape[0];
    header->cols = entries.n_dimensions == 2 ? entries.shape[1] : 1;
    VOLT_REQUIRE(header->rows > 0 && header->cols > 0, VOLT_ERR_FORMAT,
                 "the array is empty: %" PRId64 " x %" PRId64, header->rows, header->cols);
    return VOLT_OK;
}

volt_status volt_npy_header_read_series(FILE *stream, volt_npy_header *header, int64_t *count)
{
    npy_entries entries = {.n_dimensions = 0};
    VOLT_TRY(read_entries(stream, header, &entries));
    VOLT_REQUIRE(entries.n_dimensions == 2 || entries.n_dimensions == 3, VOLT_ERR_FORMAT,
                 "the array has %d dimension%s; a collection has 3 (series x time x channels), or 2 with one "
                 "channel",
                 entries.n_dimensions, entries.n_dimensions == 1 ? "" : "s");
    *count = entries.shape[0];
    header->rows = entries.shape[1];
    header->cols = entries.n_dimensions == 3 ? entries.shape[2] : 1;
    VOLT_REQUIRE(*count > 0 && header->rows > 0 && header->cols > 0, VOLT_ERR_FORMAT,
                 "the array is empty: %" PRId64 " x %" PRId64 " x %" PRId64, *count, header->rows,
                 header->cols);
    return VOLT_OK;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

/* The numbers of an NPY file, converted to doubles. */

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

/* ---- tables ------------------------------------------------------------------------------------- */

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
    VOLT_TRY(npy_header_read(stream, &header));
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
    enum { START = 10, HEADER = 128 - START };
    char dictionary[HEADER + 1];
    int length =
        snprintf(dictionary, sizeof dictionary,
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (%" PRId64 ", %" PRId64 "), }", rows, cols);
    memset(dictionary + length, ' ', (size_t)(HEADER - 1 - length));
    dictionary[HEADER - 1] = '\n';
    const unsigned char preamble[START] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, HEADER, 0};
    volt_atomic_write(file, preamble, START);
    volt_atomic_write(file, dictionary, HEADER);
}

void volt_npy_write_rows(volt_atomic_file *file, volt_view values)
{
    for (int64_t i = 0; i < values.rows && !file->failure; i++)
        volt_write_doubles(file, values.data + i * values.ld, values.cols);
}
