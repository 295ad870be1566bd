/* src/io/csv/csv_column_texts.c: one column of a CSV file, as texts.
 *
 * The first row determines the column. It is a header when it contains a text, as in csv.c. */
#include "io/csv/csv.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "io/table/table.h"
#include "text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct column_reader {
    const char *selection;
    char **cells; /* of the first row */
    int64_t n_cells, capacity;
    int64_t column; /* to be read */
    int64_t rows;   /* of data */
    int is_below_first;
    volt_text_buffer bytes; /* the texts, each zero-terminated */
} column_reader;

/* Stores a cell of the column. */
static volt_status put_text(column_reader *reader, int64_t line, const char *text)
{
    VOLT_REQUIRE(*text, VOLT_ERR_FORMAT, "line %" PRId64 ": the column of records is empty", line);
    volt_text_put_bytes(&reader->bytes, text, strlen(text) + 1);
    reader->rows++;
    return reader->bytes.failed ? VOLT_ERR_MEMORY : VOLT_OK;
}

static volt_status read_cell(void *context, int64_t line, int64_t j, const char *text, size_t length)
{
    column_reader *reader = context;
    if (reader->is_below_first)
        return j == reader->column ? put_text(reader, line, text) : VOLT_OK;
    VOLT_TRY(volt_grow((void **)&reader->cells, &reader->capacity, j + 1, sizeof *reader->cells));
    reader->cells[j] = volt_alloc((int64_t)length + 1, 1);
    if (!reader->cells[j])
        return VOLT_ERR_MEMORY;
    memcpy(reader->cells[j], text, length + 1);
    reader->n_cells = j + 1;
    return VOLT_OK;
}

static volt_status choose(const column_reader *reader, const char *const *names, int64_t *column)
{
    volt_column_list list = {.count = reader->n_cells, .names = names};
    int64_t *chosen = NULL, count = 0;
    if (!reader->selection && reader->n_cells == 1) {
        *column = 0;
        return VOLT_OK;
    }
    VOLT_TRY(volt_choose_columns(&list, reader->selection ? reader->selection : "series", &chosen, &count));
    *column = chosen[0];
    volt_free(chosen);
    VOLT_REQUIRE(count == 1, VOLT_ERR_FORMAT,
                 "'%.60s' selects %" PRId64 " columns; the record of a row is one column", reader->selection,
                 count);
    return VOLT_OK;
}

/* The names are the cells of a header, or the positions. */
static volt_status end_first_row(column_reader *reader, int64_t line)
{
    int has_header = volt_cells_are_header((const char *const *)reader->cells, reader->n_cells);
    const char **names = volt_alloc(reader->n_cells, sizeof *names);
    char(*numbers)[VOLT_NUMBER_LENGTH] = volt_alloc(reader->n_cells, sizeof *numbers);
    volt_status status = names && numbers ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t j = 0; status == VOLT_OK && j < reader->n_cells; j++) {
        snprintf(numbers[j], sizeof numbers[j], "%" PRId64, j + 1);
        names[j] = has_header && *reader->cells[j] ? reader->cells[j] : numbers[j];
    }
    if (status == VOLT_OK)
        status = choose(reader, names, &reader->column);
    if (status == VOLT_OK && !has_header)
        status = put_text(reader, line, reader->cells[reader->column]);
    reader->is_below_first = 1;
    volt_free(numbers);
    volt_free(names);
    return status;
}

static volt_status end_row(void *context, int64_t line, int64_t n_cells)
{
    column_reader *reader = context;
    if (!reader->is_below_first)
        return end_first_row(reader, line);
    VOLT_REQUIRE(n_cells == reader->n_cells, VOLT_ERR_FORMAT,
                 "line %" PRId64 " is ragged: found %" PRId64 ", expected %" PRId64 " cells", line, n_cells,
                 reader->n_cells);
    return VOLT_OK;
}

/* Pointers, followed by the texts. */
static volt_status join(const column_reader *reader, char ***texts)
{
    VOLT_REQUIRE(reader->rows > 0, VOLT_ERR_FORMAT, "the file has no data row");
    int64_t pointers = reader->rows * (int64_t)sizeof **texts;
    char **all = volt_alloc(pointers + reader->bytes.size, 1);
    if (!all)
        return VOLT_ERR_MEMORY;
    char *next = (char *)(all + reader->rows);
    memcpy(next, reader->bytes.bytes, (size_t)reader->bytes.size);
    for (int64_t i = 0; i < reader->rows; i++, next += strlen(next) + 1)
        all[i] = next;
    *texts = all;
    return VOLT_OK;
}

volt_status volt_csv_column_texts(const char *path, const char *selection, char ***texts, int64_t *rows)
{
    volt_csv_text csv;
    column_reader reader = {.selection = selection};
    volt_csv_events events = {read_cell, end_row, &reader};
    volt_status status = volt_csv_text_open(path, &csv);
    if (status == VOLT_OK) {
        status = volt_csv_walk(&csv, &events);
        volt_csv_text_close(&csv);
    }
    if (status == VOLT_OK)
        status = join(&reader, texts);
    if (status == VOLT_OK)
        *rows = reader.rows;
    for (int64_t j = 0; j < reader.n_cells; j++)
        volt_free(reader.cells[j]);
    volt_free(reader.cells);
    volt_free(reader.bytes.bytes);
    return status == VOLT_ERR_FORMAT ? volt_fail_prefix(status, "%s", path) : status;
}
