/* src/io/csv/csv_line.c: parses one line of CSV into numbers or cells, for streams. */
#include "base/error.h"
#include "base/memory.h"
#include "io/csv/csv.h"
#include "io/file/text_lines.h"
#include "volterra/io.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct line_reader {
    double *row;
    int64_t cols;
    volt_missing missing;
    int64_t n_numbers; /* cells read as numbers, or missing and kept */
    int64_t n_surplus; /* blank cells after the last number: a trailing comma creates one */
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
    bool keeps = kind == VOLT_CELL_MISSING && reader->missing == VOLT_MISSING_KEEP;
    VOLT_REQUIRE(kind != VOLT_CELL_MISSING || keeps, VOLT_ERR_NOT_FINITE,
                 "column %" PRId64 ": the value is missing", column + 1);
    const char *problem = NULL;
    volt_status status = keeps ? VOLT_OK : volt_cell_check(kind, value, &problem);
    VOLT_REQUIRE(!status, status, "column %" PRId64 ": '%s' %s", column + 1, volt_excerpt(text, length, shown),
                 problem);
    reader->row[reader->n_numbers++] = keeps ? NAN : value;
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

/* ---- the line --------------------------------------------------------------------------------- */

static volt_status walk_line(const char *line, const volt_csv_events *events)
{
    char *text = volt_strdup(line);
    if (!text)
        return VOLT_ERR_MEMORY;
    volt_csv_text csv = volt_csv_text_of(text, (int64_t)strlen(text));
    volt_status status = volt_csv_walk(&csv, events);
    volt_free(text);
    return status;
}

static volt_status check_rows(int64_t n_rows)
{
    VOLT_REQUIRE(n_rows <= 1, VOLT_ERR_FORMAT, "there are %" PRId64 " lines, expected one", n_rows);
    return VOLT_OK;
}

volt_status volt_csv_parse_row(const char *line, int64_t cols, volt_missing missing, double *row)
{
    VOLT_REQUIRE(line && row && cols > 0, VOLT_ERR_ARGUMENT,
                 "volt_csv_parse_row requires a line, a row and cols > 0");
    VOLT_REQUIRE(missing == VOLT_MISSING_ERROR || missing == VOLT_MISSING_KEEP, VOLT_ERR_ARGUMENT,
                 "volt_csv_parse_row takes error or keep");
    double *numbers = volt_alloc_doubles(1, cols); /* a line that fails must not change `row` */
    if (!numbers)
        return VOLT_ERR_MEMORY;
    line_reader reader = {.row = numbers, .cols = cols, .missing = missing};
    volt_status status = walk_line(line, &(volt_csv_events){read_cell, end_row, &reader});
    if (!status)
        status = check_rows(reader.n_rows);
    if (!status && reader.n_numbers < cols)
        status =
            volt_fail(VOLT_ERR_FORMAT, "found %" PRId64 " numbers, expected %" PRId64, reader.n_numbers, cols);
    if (!status)
        memcpy(row, numbers, (size_t)cols * sizeof *row);
    volt_free(numbers);
    return status;
}

/* ---- cells ------------------------------------------------------------------------------------ */

/* The cells are first counted, with `block` NULL, and then copied after the list. */
typedef struct cell_list {
    char **block;
    char *text; /* position of the next cell */
    int64_t count, bytes, n_rows;
} cell_list;

static volt_status list_cell(void *context, int64_t line, int64_t column, const char *text, size_t length)
{
    (void)column;
    cell_list *list = context;
    bool is_after = list->n_rows > 0 || (list->count == 0 && line > 1); /* a cell may have several lines */
    if (is_after)
        return VOLT_OK;
    if (list->block) {
        list->block[list->count] = list->text;
        memcpy(list->text, text, length);
        list->text[length] = '\0';
        list->text += length + 1;
    }
    list->count++;
    list->bytes += (int64_t)length + 1;
    return VOLT_OK;
}

static volt_status count_row(void *context, int64_t line, int64_t n_cells)
{
    (void)line;
    (void)n_cells;
    ((cell_list *)context)->n_rows++;
    return VOLT_OK;
}

/* The cells of the first line of `text`, which has at most `lines`. */
static volt_status split_first(const char *text, int64_t lines, char ***cells, int64_t *count)
{
    cell_list list = {0};
    const volt_csv_events events = {list_cell, count_row, &list};
    VOLT_TRY(walk_line(text, &events));
    VOLT_TRY(check_rows(list.n_rows - (lines - 1)));
    char **block = volt_alloc(list.count * (int64_t)sizeof *block + list.bytes + 1, 1);
    if (!block)
        return VOLT_ERR_MEMORY;
    list = (cell_list){.block = block, .text = (char *)(block + list.count)};
    volt_status status = walk_line(text, &events);
    if (status) {
        volt_free(block);
        return status;
    }
    *cells = block;
    *count = list.count;
    return VOLT_OK;
}

volt_status volt_csv_split_line(const char *line, const char *next, char ***cells, int64_t *count)
{
    VOLT_REQUIRE(line && cells && count, VOLT_ERR_ARGUMENT,
                 "volt_csv_split_line requires a line and an output for its cells");
    if (!next)
        return split_first(line, 1, cells, count);
    size_t size = strlen(line) + strlen(next) + 2;
    char *both = volt_alloc((int64_t)size, 1);
    if (!both)
        return VOLT_ERR_MEMORY;
    snprintf(both, size, "%s\n%s", line, next);
    volt_status status = split_first(both, 2, cells, count);
    volt_free(both);
    return status;
}
