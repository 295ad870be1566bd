/* src/io/csv/csv.c: reads CSV files.
 *
 * The file is read in two passes, block by block. The first pass finds its shape: columns, rows, whether the
 * first row is a header, which columns are dates, and whether every line ends with a comma. The second pass
 * reads the numbers of the selected columns and the texts of the time column; other columns are ignored. If
 * the file changed its shape between the two passes, reading fails. */
#include "io/csv/csv.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/text_lines.h"
#include "io/table/table.h"
#include "io/time/time_text.h"
#include "text/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct csv_column {
    char *name;                   /* cell of the first row; later the column's name */
    int64_t written;              /* non-blank cells below the header */
    int64_t filled;               /* of those, cells that are not missing */
    int64_t dates;                /* of those, leading cells that are dates or times of day */
    int64_t clocks;               /* of those, times of day without a date */
    volt_date_order order;        /* order of day and month in its dates */
    int64_t timed;                /* of those, dates with a time of day */
    int64_t bytes;                /* of its texts, including zero bytes */
    volt_digit_dates digit_dates; /* its cells as dates in digits: 2019, 04.2019 */
    int is_digit_date;            /* they are dates, in the form `order` */
    int64_t points;               /* numbers with a decimal point ... */
    int64_t point_groups;         /* ... and those of groups of three digits: 1.045 */
    int64_t comma_groups;         /* the same with commas */
    int64_t small;                /* whole numbers of at most three digits: 996 */
    int begins_with_number;       /* the first filled cell is a number */
    int second_is_number;         /* the second filled cell is */
    int64_t wholes;               /* cells of digits only, after a sign ... */
    size_t digits;                /* ... the number of digits of the first of them ... */
    int64_t alike;                /* ... and cells with as many, without a sign */
} csv_column;

typedef struct csv_reader {
    const char *path;
    const char *selection; /* NULL: every column */
    const volt_read_options *options;
    csv_column *columns;
    int64_t n_columns, capacity;
    int64_t first_line; /* of the first row */
    int64_t n_rows;     /* header included */
    int64_t n_cells;    /* of every row: n_columns, and one more where a trailing comma was dropped */
    int has_header;
    int may_have_commas;    /* commas do not separate the cells */
    int64_t commas, points; /* numbers with a decimal comma and with a decimal point ... */
    int64_t comma_groups;   /* ... and those of groups of three digits: 1,045 */
    volt_cell_marks given;  /* by the options; 0: detected */
    int64_t *place;         /* column of the table for each column of the file, -1: not selected */
    volt_table *table;
    volt_csv_texts dates, clocks; /* the times of the rows; times of day may be in a separate column */
    int64_t first;                /* row of the file at which the table begins, from 0 */
    int64_t row;                  /* of the second pass, without the header, which is -1 */
} csv_reader;

static const char one_column_hint[] = "; for one column with decimal commas, add a first line with its name";

/* ---- first pass: shape ------------------------------------------------------------------------ */

/* Whether commas in numbers are decimal commas: commas do not separate cells, and no number has a decimal point. */
static int has_decimal_commas(const csv_reader *reader)
{
    return reader->commas > 0 && reader->points == 0;
}

/* Whether 1.045 or 1,045, with this mark, may be a decimal number or have a separator of thousands. */
static int is_ambiguous(const csv_reader *reader, const csv_column *column, char mark)
{
    int64_t groups = mark == '.' ? column->point_groups : column->comma_groups;
    return !reader->given.decimal && groups > 0 && column->small > 0 &&
           groups + column->small == column->filled && reader->points == 0 &&
           reader->commas == reader->comma_groups;
}

/* Counts whole numbers, and those of equal length. */
static void learn_whole(csv_column *column, const char *text)
{
    size_t sign = *text == '-', length = strlen(text), digits = strspn(text + sign, "0123456789");
    if (digits == 0 || sign + digits < length)
        return;
    if (column->wholes++ == 0)
        column->digits = digits;
    column->alike += !sign && digits == column->digits;
}

/* Whether the first n rows, without a header, may be one column with decimal commas: 10,25. */
static int may_be_one_column(const csv_reader *reader, int64_t n)
{
    return !reader->has_header && reader->n_columns == 2 && !reader->may_have_commas && n >= 3 &&
           reader->columns[0].wholes >= n && reader->columns[1].alike >= n;
}

static void learn_cell(csv_reader *reader, csv_column *column, const char *text)
{
    double value;
    if (!*text)
        return;
    if (reader->may_have_commas) {
        reader->commas += volt_cell_decimal_comma(text, &value);
        reader->comma_groups += volt_cell_groups(text, ',') == 1;
    }
    column->points += strchr(text, '.') && volt_parse_number(text, &value) && volt_cell_groups(text, '.') != 1;
    column->written++;
    if (volt_cell_is_missing(text))
        return;
    learn_whole(column, text);
    column->small += volt_cell_groups(text, '.') == 0;
    column->point_groups += volt_cell_groups(text, '.') > 0;
    column->comma_groups += volt_cell_groups(text, ',') > 0;
    if (column->filled == 0)
        column->begins_with_number = volt_parse_number(text, &value);
    if (column->filled == 1)
        column->second_is_number = volt_parse_number(text, &value) || volt_cell_decimal_comma(text, &value);
    volt_digit_dates_learn(&column->digit_dates, text);
    volt_time_text parts;
    if (column->dates == column->filled && volt_time_text_read(text, &parts)) {
        column->dates++;
        if (column->order == VOLT_ORDER_OPEN)
            column->order = volt_time_text_order(text, &parts);
        column->clocks += parts.fields[TIME_YEAR].length == 0;
        column->timed += parts.fields[TIME_YEAR].length > 0 && parts.fields[TIME_HOUR].length > 0;
    }
    column->filled++;
}

static volt_status survey_cell(void *context, int64_t line, int64_t j, const char *text, size_t length)
{
    (void)line;
    csv_reader *reader = context;
    if (reader->n_rows > 0) {
        if (j < reader->n_columns) {
            learn_cell(reader, &reader->columns[j], text);
            reader->columns[j].bytes += (int64_t)length + 1;
        }
        return VOLT_OK;
    }
    VOLT_TRY(volt_grow((void **)&reader->columns, &reader->capacity, j + 1, sizeof *reader->columns));
    csv_column fresh = {.name = volt_utf8_copy(text, length), .bytes = (int64_t)length + 1};
    if (!fresh.name)
        return VOLT_ERR_MEMORY;
    reader->columns[j] = fresh;
    reader->n_columns = j + 1;
    return VOLT_OK;
}

/* The first row is complete: decide whether it is a header. */
static void survey_first_row(csv_reader *reader)
{
    double value;
    for (int64_t j = 0; j < reader->n_columns && !reader->has_header; j++)
        reader->has_header =
            volt_cell_read(reader->columns[j].name, &value) == VOLT_CELL_TEXT &&
            !(reader->given.decimal && volt_cell_read_marked(reader->columns[j].name, reader->given, &value)) &&
            !(reader->may_have_commas && volt_cell_decimal_comma(reader->columns[j].name, &value));
    for (int64_t j = 0; j < reader->n_columns && !reader->has_header; j++)
        learn_cell(reader, &reader->columns[j], reader->columns[j].name);
}

static volt_status survey_row(void *context, int64_t line, int64_t n_cells)
{
    csv_reader *reader = context;
    if (reader->n_rows++ == 0) {
        reader->first_line = line;
        survey_first_row(reader);
    }
    VOLT_REQUIRE(n_cells == reader->n_columns, VOLT_ERR_FORMAT,
                 "line %" PRId64 " is ragged: found %" PRId64 ", expected %" PRId64 " cells as on line %" PRId64
                 "%s",
                 line, n_cells, reader->n_columns, reader->first_line,
                 may_be_one_column(reader, reader->n_rows - 1) ? one_column_hint : "");
    return VOLT_OK;
}

/* A comma at the end of every line creates a last column without name or value, which is dropped. */
static void drop_trailing_column(csv_reader *reader)
{
    if (reader->n_columns < 2)
        return;
    const csv_column *last = &reader->columns[reader->n_columns - 1];
    int has_name = reader->has_header && *last->name;
    if (!has_name && last->written == 0)
        volt_free(reader->columns[--reader->n_columns].name);
}

/* Trims the names of the header; a column without one is named after its position, from 1. */
static volt_status name_columns(csv_reader *reader)
{
    for (int64_t j = 0; j < reader->n_columns; j++) {
        char *name = reader->columns[j].name;
        size_t length = strlen(name);
        size_t start = 0;
        while (start < length && isspace((unsigned char)name[start]))
            start++;
        while (length > start && isspace((unsigned char)name[length - 1]))
            length--;
        if (reader->has_header && length > start) {
            memmove(name, name + start, length - start);
            name[length - start] = '\0';
            continue;
        }
        char number[VOLT_NUMBER_LENGTH];
        snprintf(number, sizeof number, "%" PRId64, j + 1);
        char *position = volt_strdup(number);
        if (!position)
            return VOLT_ERR_MEMORY;
        volt_free(name);
        reader->columns[j].name = position;
    }
    return VOLT_OK;
}

enum { MIN_DAYS = 3 /* rows */ };

static int is_date_column(const csv_reader *reader, const csv_column *column)
{
    if (column->filled == 0)
        return 0;
    if (column->dates == column->filled || column->dates >= MIN_DAYS) /* a later cell may be wrong */
        return 1;
    return reader->has_header && volt_time_name_is_known(column->name) && !column->begins_with_number;
}

/* Finds the columns of dates in digits, and counts the decimal points of the others. */
static void find_digit_dates(csv_reader *reader)
{
    for (int64_t j = 0; j < reader->n_columns; j++) {
        csv_column *column = &reader->columns[j];
        volt_date_order order;
        column->is_digit_date =
            reader->n_columns > 1 &&
            volt_digit_dates_find(&column->digit_dates, reader->has_header ? column->name : NULL, &order);
        if (column->is_digit_date)
            column->order = order;
        else
            reader->points += column->points;
    }
}

/* Whether a column has dates in digits, which are the times of the rows. Selected by name, the column is read as numbers. */
static int is_year_column(const csv_reader *reader, const csv_column *column)
{
    if (!column->is_digit_date)
        return 0;
    for (int64_t k = 0; k < reader->options->n_names; k++)
        if (strcmp(reader->options->names[k], column->name) == 0)
            return 0;
    return 1;
}

/* ---- second pass: numbers --------------------------------------------------------------------- */

enum { HINT_LENGTH = 200 };

/* Lists the other columns of numbers, as a source that selects them: "; to select other columns: FILE:a,b". */
static void list_numbers(const csv_reader *reader, int64_t wrong, char hint[HINT_LENGTH])
{
    size_t used = 0;
    for (int64_t k = 0; !reader->selection && !reader->options->n_names && k < reader->n_columns; k++) {
        const csv_column *column = &reader->columns[k];
        if (k == wrong || !column->begins_with_number || reader->place[k] < 0)
            continue;
        int length = snprintf(hint + used, HINT_LENGTH - used, "%s%s",
                              used ? "," : "; to select other columns: FILE:", column->name);
        if (length < 0 || (size_t)length >= HINT_LENGTH - used) {
            hint[used] = '\0';
            return;
        }
        used += (size_t)length;
    }
}

static volt_status cell_failure(const csv_reader *reader, volt_status status, int64_t line, int64_t j,
                                const char *text, const char *problem)
{
    char name[VOLT_EXCERPT_LENGTH], shown[VOLT_EXCERPT_LENGTH];
    volt_excerpt(reader->columns[j].name, strlen(reader->columns[j].name), name);
    volt_excerpt(text, strlen(text), shown);
    char hint[HINT_LENGTH] = "";
    list_numbers(reader, j, hint);
    if (!*text)
        return volt_fail(status, "line %" PRId64 ", column '%s': %s%s", line, name, problem, hint);
    return volt_fail(status, "line %" PRId64 ", column '%s': '%s' %s%s", line, name, shown, problem, hint);
}

/* The problem of a cell of column j that is not a number. */
static const char *text_problem(const csv_reader *reader, int64_t j, const char *text)
{
    double value;
    if (reader->given.decimal)
        return "is not a number with the given decimal mark and separator of thousands";
    if (volt_cell_groups(text, '.') > 1)
        return "is not a number (set thousands to '.' if it has separators of thousands)";
    if (volt_cell_groups(text, ',') > 0)
        return "is not a number (set thousands to ',' if it has separators of thousands)";
    if (volt_cell_decimal_comma(text, &value) && !strchr(text, '.'))
        return reader->points > 0 ? "is not a number (other numbers have a decimal point)"
                                  : "is not a number (its decimal mark must be a point)";
    if (isdigit((unsigned char)*text) && text[strspn(text, "0123456789.,' ")] == '\0')
        return "is not a number (remove the separators of thousands)";
    if (reader->has_header && reader->row == 0 && reader->columns[j].second_is_number)
        return "is not a number (remove a second line of names or units)";
    return "is not a number";
}

/* The second pass differs from the first. */
static volt_status shape_failure(const csv_reader *reader, int64_t line)
{
    return volt_fail(VOLT_ERR_IO, "%s was written to while it was read: line %" PRId64 " has changed",
                     reader->path, line);
}

/* Stores the fault of a cell; a row keeps its first. */
static volt_status keep_fault(volt_table *table, int64_t row, const char *text, const char *problem)
{
    char shown[VOLT_EXCERPT_LENGTH], fault[VOLT_EXCERPT_LENGTH + 80];
    if (!table->faults)
        table->faults = volt_alloc_zero(table->rows, sizeof *table->faults);
    if (!table->faults)
        return VOLT_ERR_MEMORY;
    if (table->faults[row])
        return VOLT_OK;
    snprintf(fault, sizeof fault, "'%s' %s", volt_excerpt(text, strlen(text), shown), problem);
    table->faults[row] = volt_strdup(fault);
    return table->faults[row] ? VOLT_OK : VOLT_ERR_MEMORY;
}

static volt_status fill_cell(void *context, int64_t line, int64_t j, const char *text, size_t length)
{
    csv_reader *reader = context;
    volt_table *table = reader->table;
    int64_t row = reader->row - reader->first;
    if (row < 0 || row >= table->rows)
        return VOLT_OK;
    if (j == reader->dates.column && !volt_csv_texts_put(&reader->dates, row, text, length))
        return shape_failure(reader, line);
    if (j == reader->clocks.column && !volt_csv_texts_put(&reader->clocks, row, text, length))
        return shape_failure(reader, line);
    if (j >= reader->n_columns || reader->place[j] < 0)
        return VOLT_OK;
    double value = NAN;
    const char *problem = NULL;
    volt_cell kind = volt_cell_read(text, &value);
    volt_cell_marks marks = has_decimal_commas(reader) ? (volt_cell_marks){',', '.'} : reader->given;
    if (reader->given.decimal)
        marks = reader->given;
    if (kind != VOLT_CELL_MISSING && marks.decimal) {
        if (volt_cell_read_marked(text, marks, &value))
            kind = VOLT_CELL_NUMBER;
        else if (reader->given.decimal && isfinite(value))
            kind = VOLT_CELL_TEXT;
    }
    volt_status status = volt_cell_check(kind, value, &problem);
    const csv_column *column = &reader->columns[j];
    bool is_open_point = is_ambiguous(reader, column, '.') && volt_cell_groups(text, '.') > 0;
    bool is_open = is_open_point || (is_ambiguous(reader, column, ',') && volt_cell_groups(text, ',') > 0);
    if (is_open)
        status = VOLT_ERR_FORMAT;
    if (status && !(kind == VOLT_CELL_MISSING && reader->options->missing != VOLT_MISSING_ERROR)) {
        if (!*text)
            problem = "the value is missing";
        else if (is_open)
            problem = is_open_point
                          ? "has a decimal point or a separator of thousands (set decimal or thousands to '.')"
                          : "has a decimal comma or a separator of thousands (set decimal or thousands to ',')";
        else if (status == VOLT_ERR_FORMAT)
            problem = text_problem(reader, j, text);
        if (reader->options->keep_faults && kind != VOLT_CELL_MISSING) {
            table->values[row * table->cols + reader->place[j]] = INFINITY;
            return keep_fault(table, row, text, problem);
        }
        return cell_failure(reader, status, line, j, text, problem);
    }
    table->values[row * table->cols + reader->place[j]] = value;
    return VOLT_OK;
}

static volt_status fill_row(void *context, int64_t line, int64_t n_cells)
{
    csv_reader *reader = context;
    int64_t row = reader->row++ - reader->first;
    if (reader->table->lines && row >= 0 && row < reader->table->rows)
        reader->table->lines[row] = line;
    return n_cells == reader->n_cells ? VOLT_OK : shape_failure(reader, line);
}

/* ---- the passes in order ---------------------------------------------------------------------- */

/* Selects the columns to read: fills reader->place and creates reader->table with its names. */
static volt_status choose_columns(csv_reader *reader)
{
    volt_status status = VOLT_ERR_MEMORY;
    int64_t n = reader->n_columns, file_rows = reader->n_rows - reader->has_header, rows = 0;
    VOLT_TRY(volt_select_rows(reader->options, file_rows, reader->path, &reader->first, &rows));
    const char **names = volt_alloc(n, sizeof *names);
    const char **refusals = volt_alloc(n, sizeof *refusals);
    reader->place = volt_alloc(n, sizeof *reader->place);
    if (names && refusals && reader->place) {
        for (int64_t j = 0; j < n; j++) {
            names[j] = reader->columns[j].name;
            int is_skipped = is_date_column(reader, &reader->columns[j]) ||
                             (!reader->selection && is_year_column(reader, &reader->columns[j]));
            refusals[j] = is_skipped ? "is a date column, not numbers" : NULL;
        }
        volt_column_list columns = {.count = n,
                                    .names = names,
                                    .refusals = refusals,
                                    .unnamed = !reader->has_header,
                                    .path = reader->path};
        status = volt_table_of_columns(&columns, reader->selection, reader->options, rows, reader->place,
                                       &reader->table);
    }
    if (!status)
        volt_table_set_first_row(reader->table, reader->first, file_rows);
    volt_free(refusals);
    volt_free(names);
    return status;
}

static volt_status keep_texts(const csv_reader *reader, volt_csv_texts *kept, int64_t j)
{
    return volt_csv_texts_begin(kept, j, reader->table->rows, reader->columns[j].bytes);
}

/* The times of the rows are the first column of dates. If those have no time of day, the first column of
 * times of day is added to them. */
static volt_status find_times(csv_reader *reader)
{
    int64_t dates = -1, clocks = -1;
    const char *wanted = reader->options->time_name;
    for (int64_t j = 0; wanted && j < reader->n_columns; j++)
        if (reader->place[j] < 0 && strcmp(reader->columns[j].name, wanted) == 0)
            return keep_texts(reader, &reader->dates, j);
    VOLT_REQUIRE(!wanted, VOLT_ERR_FORMAT, "there is no further column '%.60s' for the times", wanted);
    for (int64_t j = 0; j < reader->n_columns; j++) {
        const csv_column *column = &reader->columns[j];
        int is_date = is_date_column(reader, column);
        if (reader->place[j] >= 0 || (!is_date && !is_year_column(reader, column)))
            continue;
        int is_clock = is_date && column->clocks == column->filled;
        if (dates < 0 && !is_clock)
            dates = j;
        if (clocks < 0 && is_clock)
            clocks = j;
    }
    if (dates < 0 && clocks < 0)
        return VOLT_OK;
    VOLT_TRY(keep_texts(reader, &reader->dates, dates < 0 ? clocks : dates));
    int is_day = dates >= 0 && reader->columns[dates].timed == 0;
    return is_day && clocks >= 0 ? keep_texts(reader, &reader->clocks, clocks) : VOLT_OK;
}

/* The marks of the options: one of them determines the other. */
static volt_cell_marks given_marks(const volt_read_options *options)
{
    char decimal = (char)(options->decimal ? *options->decimal : 0),
         thousands = (char)(options->thousands ? *options->thousands : 0);
    if (thousands && !decimal)
        decimal = (char)(thousands == '.' ? ',' : '.');
    else if (decimal && !thousands)
        thousands = (char)(decimal == '.' ? ',' : '.');
    return (volt_cell_marks){decimal, thousands};
}

static volt_status read_text(csv_reader *reader, const volt_csv_text *csv)
{
    volt_csv_events survey = {survey_cell, survey_row, reader};
    reader->may_have_commas = csv->delimiter != ',';
    reader->given = given_marks(reader->options);
    VOLT_TRY(volt_csv_walk(csv, &survey));
    VOLT_REQUIRE(reader->n_rows > 0, VOLT_ERR_FORMAT, "the file contains only blank lines");
    VOLT_REQUIRE(reader->n_rows > reader->has_header, VOLT_ERR_FORMAT, "the file has a header but no rows");
    reader->n_cells = reader->n_columns;
    drop_trailing_column(reader);
    if (may_be_one_column(reader, reader->n_rows) && !reader->selection)
        volt_log(VOLT_LOG_WARNING, "%s: '%s,%s' is read as two columns%s", reader->path,
                 reader->columns[0].name, reader->columns[1].name, one_column_hint);
    VOLT_TRY(name_columns(reader));
    find_digit_dates(reader);
    VOLT_TRY(choose_columns(reader));
    VOLT_TRY(find_times(reader));
    if (reader->dates.texts || reader->options->keep_faults) {
        reader->table->lines = volt_alloc(reader->table->rows, sizeof *reader->table->lines);
        if (!reader->table->lines)
            return VOLT_ERR_MEMORY;
    }

    volt_csv_events fill = {fill_cell, fill_row, reader};
    reader->row = -reader->has_header;
    VOLT_TRY(volt_csv_walk(csv, &fill));
    VOLT_REQUIRE(reader->row == reader->n_rows - reader->has_header, VOLT_ERR_IO,
                 "%s was written to while it was read: it had %" PRId64 " rows, and now has %" PRId64,
                 reader->path, reader->n_rows - reader->has_header, reader->row);
    if (!reader->dates.texts)
        return VOLT_OK;
    const csv_column *dates = &reader->columns[reader->dates.column];
    return volt_csv_times_finish(&reader->dates, &reader->clocks, dates->name, dates->order, reader->table);
}

volt_status volt_csv_read(const char *path, const char *columns, const volt_read_options *options,
                          volt_table **table)
{
    volt_csv_text csv = {.loaded = NULL};
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    csv_reader reader = {.path = name,
                         .selection = columns,
                         .options = options,
                         .dates = {.column = -1},
                         .clocks = {.column = -1}};
    volt_status status = volt_csv_text_open(path, &csv);
    if (!status)
        status = read_text(&reader, &csv);
    if (status == VOLT_ERR_FORMAT || status == VOLT_ERR_NOT_FINITE) /* VOLT_ERR_IO names the file */
        volt_fail_prefix(status, "%s", name);

    for (int64_t j = 0; j < reader.n_columns; j++)
        volt_free(reader.columns[j].name);
    volt_free(reader.columns);
    volt_free(reader.place);
    volt_free(reader.dates.texts);
    volt_free(reader.clocks.texts);
    volt_csv_text_close(&csv);
    if (status) {
        volt_table_free(reader.table);
        return status;
    }
    reader.table->has_header = reader.has_header;
    *table = reader.table;
    return VOLT_OK;
}
