/* src/io/csv_line.c: one line of CSV into a row of numbers, for streams. */
#include "base/error.h"
#include "base/memory.h"
#include "io/csv_cells.h"
#include "io/csv_walk.h"
#include "io/excerpt.h"
#include "volterra/io.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct line_reader {
    double *row;
    int64_t cols;
    int64_t n_numbers; /* cells that were read as numbers */
    int64_t n_surplus; /* blank cells behind the last number: a trailing comma makes one */
    int64_t n_rows;
} line_reader;

static volt_status read_cell(void *context, int64_t line, int64_t column, const char *text, size_t length)
{
    (void)line;
    line_reader *reader = context;
    char shown[VOLT_EXCERPT_LENGTH];
    double value = NAN;
    volt_cell kind = volt_cell_read(text, &value);
    if (kind == VOLT_CELL_DATE)
        return VOLT_OK; /* a date column is not data */
    if (reader->n_numbers >= reader->cols) {
        reader->n_surplus++;
        VOLT_REQUIRE(reader->n_surplus == 1 && !*text, VOLT_ERR_FORMAT,
                     "column %" PRId64 " ('%s') is one too many: expected %" PRId64 " numbers", column + 1,
                     volt_excerpt(text, length, shown), reader->cols);
        return VOLT_OK;
    }
    volt_excerpt(text, length, shown);
    VOLT_REQUIRE(kind != VOLT_CELL_TEXT, VOLT_ERR_FORMAT, "column %" PRId64 ": '%s' is not a number",
                 column + 1, shown);
    VOLT_REQUIRE(kind != VOLT_CELL_MISSING, VOLT_ERR_NOT_FINITE, "column %" PRId64 ": the value is missing",
                 column + 1);
    VOLT_REQUIRE(isfinite(value), VOLT_ERR_NOT_FINITE, "column %" PRId64 ": '%s' is not a finite number",
                 column + 1, shown);
    reader->row[reader->n_numbers++] = value;
    return VOLT_OK;
}

static volt_status end_row(void *context, int64_t line, int64_t n_cells)
{
    (void)line;
    (void)n_cells;
    line_reader *reader = context;
    reader->n_rows++;
    return VOLT_OK;
}

volt_status volt_csv_parse_line(const char *line, int64_t cols, double *row)
{
    VOLT_REQUIRE(line && row && cols > 0, VOLT_ERR_ARGUMENT, "volt_csv_parse_line: a line, a row and cols > 0");
    int64_t size = (int64_t)strlen(line);
    char *text = volt_strdup(line);
    double *numbers = volt_alloc_doubles(1, cols); /* so that a line that fails leaves `row` alone */
    volt_status status = VOLT_ERR_MEMORY;
    if (text && numbers) {
        line_reader reader = {.row = numbers, .cols = cols};
        volt_csv_events events = {read_cell, end_row, &reader};
        char delimiter = volt_csv_delimiter(text, size);
        if (delimiter == ' ')
            size = volt_csv_squeeze(text, size);
        status = volt_csv_walk(text, size, delimiter, &events);
        if (!status && reader.n_rows > 1)
            status = volt_fail(VOLT_ERR_FORMAT, "there are %" PRId64 " lines, expected one", reader.n_rows);
        else if (!status && reader.n_numbers < cols)
            status = volt_fail(VOLT_ERR_FORMAT, "found %" PRId64 " numbers, expected %" PRId64,
                               reader.n_numbers, cols);
    }
    if (!status)
        memcpy(row, numbers, (size_t)cols * sizeof *row);
    volt_free(numbers);
    volt_free(text);
    return status;
}
