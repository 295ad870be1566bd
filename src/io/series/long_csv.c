/* src/io/series/long_csv.c: a collection in long CSV format: a column `series`, and one column per channel.
 *
 *     series,x,y
 *     a,0.1,1
 *     a,0.2,2
 *     b,0.3,3
 *
 * Rows are in time order within each series; rows of different series may alternate. As in other CSV files, a
 * column of dates is not data (here its first cell decides), nor is the empty column after a comma at the end
 * of every line. */
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "base/memory.h"
#include "io/csv/csv.h"
#include "io/file/text_lines.h"
#include "io/series/series_list.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef enum column_role { ROLE_OPEN, ROLE_SERIES, ROLE_CHANNEL, ROLE_NO_DATA } column_role;

typedef struct long_column {
    char *name;
    column_role role; /* channel or not; decided by the first row below the header */
    int64_t small;    /* cells that are whole numbers of at most three digits ... */
    int64_t groups;   /* ... and of groups of three digits: 1.045 ... */
    int64_t line;     /* ... the line of the first of these ... */
    char first[VOLT_NUMBER_LENGTH];
} long_column;

typedef struct long_reader {
    long_column *columns;
    int64_t n_columns, columns_capacity;
    int64_t header_line;
    int64_t n_rows; /* below the header */
    int is_below_header;
    volt_text_index series; /* the cells of the column `series` */
    int64_t *series_of_row;
    int64_t rows_capacity;
    int64_t n_channels;
    double *values; /* n_rows x n_channels, in file order */
    int64_t n_values, values_capacity;
} long_reader;

/* ---- pass over the cells ---------------------------------------------------------------------- */

static volt_status cell_failure(const long_reader *reader, volt_status status, int64_t line, int64_t j,
                                const char *text, const char *problem)
{
    char name[VOLT_EXCERPT_LENGTH], shown[VOLT_EXCERPT_LENGTH];
    volt_excerpt(reader->columns[j].name, strlen(reader->columns[j].name), name);
    return volt_fail(status, "line %" PRId64 ", column '%s': '%s' %s", line, name,
                     volt_excerpt(text, strlen(text), shown), problem);
}

/* Adds a column of the header; one without a name is named after its position, from 1. */
static volt_status add_column(long_reader *reader, int64_t j, const char *text, size_t length)
{
    char number[VOLT_NUMBER_LENGTH];
    snprintf(number, sizeof number, "%" PRId64, j + 1);
    VOLT_TRY(volt_grow((void **)&reader->columns, &reader->columns_capacity, j + 1, sizeof *reader->columns));
    char *name = *text ? volt_utf8_copy(text, length) : volt_strdup(number);
    if (!name)
        return VOLT_ERR_MEMORY;
    int is_series = strcasecmp(name, "series") == 0;
    reader->columns[j] = (long_column){.name = name, .role = is_series ? ROLE_SERIES : ROLE_OPEN};
    reader->n_columns = j + 1;
    return VOLT_OK;
}

/* The role of a column, from the first cell below the header. */
static column_role role_of(const long_reader *reader, int64_t j, const char *text)
{
    char position[VOLT_NUMBER_LENGTH];
    snprintf(position, sizeof position, "%" PRId64, j + 1);
    int is_behind_last_comma =
        j > 0 && j == reader->n_columns - 1 && !*text && strcmp(reader->columns[j].name, position) == 0;
    return is_behind_last_comma || volt_cell_is_date(text) ? ROLE_NO_DATA : ROLE_CHANNEL;
}

static volt_status read_number(long_reader *reader, int64_t line, int64_t j, const char *text)
{
    double value = NAN;
    const char *problem = NULL;
    volt_cell kind = volt_cell_read(text, &value); /* before its value is used */
    volt_status status = volt_cell_check(kind, value, &problem);
    if (status)
        return cell_failure(reader, status, line, j, text, problem);
    long_column *column = &reader->columns[j];
    int groups = volt_cell_groups(text, '.');
    if (groups > 0 && column->groups++ == 0) {
        column->line = line;
        snprintf(column->first, sizeof column->first, "%s", text);
    }
    column->small += groups == 0;
    VOLT_TRY(volt_grow((void **)&reader->values, &reader->values_capacity, reader->n_values + 1, sizeof value));
    reader->values[reader->n_values++] = value;
    return VOLT_OK;
}

static volt_status read_cell(void *context, int64_t line, int64_t j, const char *text, size_t length)
{
    long_reader *reader = context;
    if (!reader->is_below_header)
        return add_column(reader, j, text, length);
    if (j >= reader->n_columns)
        return VOLT_OK; /* one cell too many: end_row reports it */
    long_column *column = &reader->columns[j];
    if (column->role == ROLE_OPEN) {
        column->role = role_of(reader, j, text);
        reader->n_channels += column->role == ROLE_CHANNEL;
    }
    if (column->role == ROLE_CHANNEL)
        return read_number(reader, line, j, text);
    if (column->role == ROLE_NO_DATA)
        return VOLT_OK;
    if (!*text)
        return cell_failure(reader, VOLT_ERR_FORMAT, line, j, text, "names no series");
    VOLT_TRY(volt_grow((void **)&reader->series_of_row, &reader->rows_capacity, reader->n_rows + 1,
                       sizeof *reader->series_of_row));
    return volt_text_index_put(&reader->series, text, &reader->series_of_row[reader->n_rows]);
}

static volt_status end_header(long_reader *reader, int64_t line)
{
    int64_t n_series = 0;
    for (int64_t j = 0; j < reader->n_columns; j++)
        n_series += reader->columns[j].role == ROLE_SERIES;
    VOLT_REQUIRE(n_series > 0, VOLT_ERR_FORMAT,
                 "line %" PRId64
                 ": there is no column 'series'; a collection of series has one, and one column per channel",
                 line);
    VOLT_REQUIRE(n_series == 1, VOLT_ERR_FORMAT, "line %" PRId64 ": %" PRId64 " columns are named 'series'",
                 line, n_series);
    reader->header_line = line;
    reader->is_below_header = 1;
    return VOLT_OK;
}

static volt_status end_row(void *context, int64_t line, int64_t n_cells)
{
    long_reader *reader = context;
    if (!reader->is_below_header)
        return end_header(reader, line);
    VOLT_REQUIRE(n_cells == reader->n_columns, VOLT_ERR_FORMAT,
                 "line %" PRId64 " has %" PRId64 " cells, expected %" PRId64 " as on line %" PRId64, line,
                 n_cells, reader->n_columns, reader->header_line);
    VOLT_REQUIRE(reader->n_channels > 0, VOLT_ERR_FORMAT, "there is no column of numbers other than 'series'");
    reader->n_rows++;
    return VOLT_OK;
}

/* ---- from rows to series ---------------------------------------------------------------------- */

/* Groups the rows by series, in file order within each; `next` is workspace, one entry per series. */
static void gather_rows(const long_reader *reader, const int64_t *rows, int64_t *next, double *gathered)
{
    int64_t first = 0, width = reader->n_channels;
    for (int64_t s = 0; s < reader->series.count; s++) {
        next[s] = first;
        first += rows[s];
    }
    for (int64_t i = 0; i < reader->n_rows; i++)
        memcpy(gathered + next[reader->series_of_row[i]]++ * width, reader->values + i * width,
               (size_t)width * sizeof *gathered);
}

/* Series are numbered in order of appearance, so rows are grouped when their numbers never decrease. */
static int is_gathered(const long_reader *reader)
{
    for (int64_t i = 1; i < reader->n_rows; i++)
        if (reader->series_of_row[i] < reader->series_of_row[i - 1])
            return 0;
    return 1;
}

static volt_status gather(long_reader *reader)
{
    if (is_gathered(reader))
        return VOLT_OK;
    volt_status status = VOLT_ERR_MEMORY;
    int64_t *rows = volt_alloc_zero(reader->series.count, sizeof *rows);
    int64_t *next = volt_alloc(reader->series.count, sizeof *next);
    double *gathered = volt_alloc_doubles(reader->n_rows, reader->n_channels);
    if (rows && next && gathered) {
        for (int64_t i = 0; i < reader->n_rows; i++)
            rows[reader->series_of_row[i]]++;
        gather_rows(reader, rows, next, gathered);
        double *spare = reader->values;
        reader->values = gathered;
        gathered = spare;
        status = VOLT_OK;
    }
    volt_free(gathered);
    volt_free(next);
    volt_free(rows);
    return status;
}

/* Moves series, numbers and names to a list; the reader keeps the rest. */
static volt_status fill_list(long_reader *reader, volt_series_list *list)
{
    VOLT_TRY(gather(reader));
    list->rows = volt_alloc_zero(reader->series.count, sizeof *list->rows);
    list->names = volt_alloc_zero(reader->n_channels, sizeof *list->names);
    if (!list->rows || !list->names)
        return VOLT_ERR_MEMORY;
    list->count = reader->series.count;
    list->channels = reader->n_channels;
    for (int64_t i = 0; i < reader->n_rows; i++)
        list->rows[reader->series_of_row[i]]++;
    list->values = reader->values;
    reader->values = NULL;
    for (int64_t j = 0, k = 0; j < reader->n_columns; j++)
        if (reader->columns[j].role == ROLE_CHANNEL) {
            list->names[k++] = reader->columns[j].name;
            reader->columns[j].name = NULL;
        }
    return VOLT_OK;
}

/* Rejects a column whose points may separate thousands. */
static volt_status check_groups(const long_reader *reader)
{
    for (int64_t j = 0; j < reader->n_columns; j++) {
        const long_column *column = &reader->columns[j];
        if (column->groups > 0 && column->small > 0 && column->groups + column->small == reader->n_rows)
            return cell_failure(reader, VOLT_ERR_FORMAT, column->line, j, column->first,
                                "has a decimal point or a separator of thousands (write 1045 or 1.0450)");
    }
    return VOLT_OK;
}

/* ---- the steps in order ----------------------------------------------------------------------- */

static volt_status read_text(long_reader *reader, const volt_csv_text *csv)
{
    volt_csv_events events = {read_cell, end_row, reader};
    VOLT_TRY(volt_csv_walk(csv, &events));
    VOLT_REQUIRE(reader->is_below_header, VOLT_ERR_FORMAT, "the file contains only blank lines");
    VOLT_REQUIRE(reader->n_rows > 0, VOLT_ERR_FORMAT, "the file has a header but no rows");
    return check_groups(reader);
}

volt_status volt_long_csv_read(const char *path, volt_collection **collection)
{
    volt_csv_text csv;
    VOLT_TRY(volt_csv_text_open(path, &csv));
    long_reader reader = {.n_rows = 0};
    volt_series_list list = {.count = 0};
    volt_status status = read_text(&reader, &csv);
    if (!status)
        status = fill_list(&reader, &list);
    status = volt_series_finish(&list, status, collection);
    for (int64_t j = 0; j < reader.n_columns; j++)
        volt_free(reader.columns[j].name);
    volt_free(reader.columns);
    volt_free(reader.series_of_row);
    volt_free(reader.values);
    volt_text_index_clear(&reader.series);
    volt_csv_text_close(&csv);
    return status;
}
