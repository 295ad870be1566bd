/* src/io/csv/csv.c: reads CSV files.
 *
 * The file is read in two passes, block by block. The first pass finds its shape: columns, rows, whether the
 * first row is a header, which columns are dates, and whether every line ends with a comma. The second pass
 * reads the numbers of the selected columns and the texts of the time column; other columns are ignored. If
 * the file changed its shape between the two passes, reading fails. */
#define _POSIX_C_SOURCE 200809L
#include "io/csv/csv.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "io/csv/csv_text.h"
#include "io/file/file_bytes.h"
#include "io/file/text_lines.h"
#include "io/table/table.h"
#include "io/time/time_text.h"
#include "text/text.h"
#include "volterra/base.h"
#include "volterra/io.h"

#include <csv.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- numbers ------------------------------------------------------------------------------------ */

/* Classification of CSV cells. */

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

/* The two parts of volt_cell_read. */
static int cell_is_missing(const char *text)
{
    static const char *const words[] = {"na", "nan", "-nan", "n/a", "#n/a", "null", "none", "?"};
    text = skip_blanks(text);
    if (!*text)
        return 1;
    size_t length = strcspn(text, " \t");
    if (length > 4 || *skip_blanks(text + length))
        return 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncasecmp(text, words[i], length) == 0)
            return 1;
    return 0;
}

int volt_cell_is_date(const char *text)
{
    volt_time_text parts;
    return volt_time_text_read(text, &parts);
}

volt_cell volt_cell_read(const char *text, double *value)
{
    double number;
    if (volt_parse_number(text, &number)) {
        if (isnan(number))
            return VOLT_CELL_MISSING;
        *value = number;
        return VOLT_CELL_NUMBER;
    }
    if (cell_is_missing(text))
        return VOLT_CELL_MISSING;
    return volt_cell_is_date(text) ? VOLT_CELL_DATE : VOLT_CELL_TEXT;
}

int volt_cell_groups(const char *text, char mark)
{
    int groups = 0;
    text += *text == '-' || *text == '+';
    size_t first = strspn(text, "0123456789");
    if (first < 1 || first > 3)
        return -1;
    int begins_with_zero = *text == '0';
    for (text += first; *text == mark && strspn(text + 1, "0123456789") == 3; text += 4)
        groups++;
    return *text || (groups > 0 && begins_with_zero) ? -1 : groups;
}

/* Whether the text is a number with these marks, such as 1.234,5 or 1.234; *value is then set. */
static int cell_read_marked(const char *text, volt_cell_marks marks, double *value)
{
    char number[VOLT_NUMBER_LENGTH];
    size_t used = 0, length = strlen(text), whole = strcspn(text, (char[]){marks.decimal, '\0'});
    if (length >= sizeof number)
        return 0;
    memcpy(number, text, whole);
    number[whole] = '\0';
    if (strchr(number, marks.thousands) && volt_cell_groups(number, marks.thousands) < 0)
        return 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c == marks.thousands && i < whole)
            continue;
        if (i != whole && (c == '.' || c == ','))
            return 0; /* another mark */
        number[used++] = (char)(i == whole ? '.' : c);
    }
    number[used] = '\0';
    return volt_parse_number(number, value);
}

/* Whether the text is a number with a decimal comma, such as 1,5 or 1.234,5; *value is then set. */
static int cell_decimal_comma(const char *text, double *value)
{
    return strchr(text, ',') && cell_read_marked(text, (volt_cell_marks){',', '.'}, value);
}

volt_status volt_cell_check(volt_cell kind, double value, const char **problem)
{
    switch (kind) {
    case VOLT_CELL_NUMBER:
        *problem = isfinite(value) ? NULL : "is not a finite number";
        return *problem ? VOLT_ERR_NOT_FINITE : VOLT_OK;
    case VOLT_CELL_MISSING:
        *problem = "is a missing value";
        return VOLT_ERR_NOT_FINITE;
    default:
        *problem = "is not a number";
        return VOLT_ERR_FORMAT;
    }
}

/* Whether a row with these cells is a header: it contains a text. */
static int cells_are_header(const char *const *texts, int64_t count)
{
    double value;
    for (int64_t j = 0; j < count; j++)
        if (volt_cell_read(texts[j], &value) == VOLT_CELL_TEXT)
            return 1;
    return 0;
}

/* ---- text --------------------------------------------------------------------------------------- */

/* CSV text and its delimiter. */

enum { SAMPLE_LINES = 20 };

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* In order of preference when several split a file evenly. With semicolons, a comma is a decimal comma; with
 * commas, a tab is padding. */
static const char separators[4] = {';', ',', '\t', ' '};

/* Before the first character of a text. */
static const volt_csv_quotes no_quotes = {.before = '\n'};

/* Advances over `c`; returns whether it is inside a quoted cell. A quotation mark opens a quoted cell only
 * at the start of the cell; inside a quoted cell, two represent one. */
static int step_quotes(volt_csv_quotes *walk, char c)
{
    int closes = c == '"' && walk->is_quoted;
    int begins_cell = is_line_end(walk->before) || memchr(separators, walk->before, sizeof separators) != NULL;
    if (c == '"')
        walk->is_quoted = !walk->is_quoted && (begins_cell || walk->has_closed);
    walk->has_closed = closes;
    walk->before = c;
    return walk->is_quoted;
}

/* Counts separators outside quotes on the line at *at, and advances past the line. A run of blanks between
 * two cells counts once, in counts[3]. Returns 0 for a blank line. */
static int count_separators(const char *text, int64_t size, int64_t *at, int64_t counts[4])
{
    int is_quoted = 0, has_cells = 0, after_blank = 0;
    volt_csv_quotes walk = no_quotes;
    memset(counts, 0, 4 * sizeof *counts);
    int64_t i = *at;
    for (; i < size && (is_quoted || !is_line_end(text[i])); i++) {
        char c = text[i];
        is_quoted = step_quotes(&walk, c);
        if (!is_quoted && is_blank(c)) {
            after_blank = has_cells;
        } else {
            counts[3] += after_blank;
            after_blank = 0;
            has_cells = 1;
        }
        for (int s = 0; s < 3; s++)
            counts[s] += !is_quoted && c == separators[s];
    }
    *at = i + 1;
    return has_cells;
}

/* Whether the first lines are one column of numbers, some with a decimal comma, under a header of one cell or none: not all
 * lines have a comma, and those that have one are numbers. */
static bool has_one_column(const char *text, int64_t size)
{
    int64_t at = 0, counts[4];
    char line[VOLT_NUMBER_LENGTH];
    bool has_comma = false, lacks_comma = false;
    for (int n_lines = 0; at < size && n_lines < SAMPLE_LINES;) {
        int64_t begin = at;
        double value;
        if (!count_separators(text, size, &at, counts))
            continue;
        size_t length = (size_t)(at - 1 - begin);
        bool fits = length < sizeof line;
        memcpy(line, text + begin, fits ? length : 0);
        line[fits ? length : 0] = '\0';
        bool is_number =
            fits && (cell_decimal_comma(line, &value) || volt_cell_read(line, &value) != VOLT_CELL_TEXT);
        if (counts[0] + counts[2] + counts[3] > 0 || counts[1] > 1 ||
            (!is_number && (n_lines > 0 || counts[1] > 0)))
            return false;
        *(counts[1] > 0 ? &has_comma : &lacks_comma) = true;
        n_lines++;
    }
    return has_comma && lacks_comma;
}

/* Finds the delimiter from the first lines of a text: the tab, semicolon or comma that splits all of them
 * into the same number of cells; ' ' for cells separated by white space; ',' otherwise. *read receives the
 * bytes needed to decide, up to `size`. */
static char find_delimiter(const char *text, int64_t size, int64_t *read)
{
    int64_t first[4] = {0}, counts[4];
    int is_even[4] = {1, 1, 1, 1};
    int n_lines = 0;
    int64_t at = 0;
    while (at < size && n_lines < SAMPLE_LINES) {
        if (!count_separators(text, size, &at, counts))
            continue;
        for (int s = 0; s < 4; s++) {
            if (n_lines == 0)
                first[s] = counts[s];
            is_even[s] &= counts[s] == first[s];
        }
        n_lines++;
    }
    *read = at;
    /* If runs of blanks split the lines evenly into more cells than tabs do, tabs count as blanks. */
    int has_runs = first[3] > 0 && is_even[3];
    for (int s = 0; s < 3; s++)
        if (first[s] > 0 && is_even[s])
            return separators[s] == '\t' && has_runs && first[3] > first[s] ? ' ' : separators[s];
    if (!is_even[1] && has_one_column(text, size))
        return ';';
    if (first[0] == 0 && first[1] == 0 && (has_runs || first[2] == 0))
        return has_runs ? ' ' : ',';
    /* No separator splits all lines evenly: the file is ragged. Use the most frequent one of the first line,
     * so that the error can name the line. */
    int most = 0;
    for (int s = 1; s < 3; s++)
        if (first[s] > first[most])
            most = s;
    return separators[most];
}

/* Reduces white space to one blank between cells, and none at either end of a line: `size` bytes of a feed,
 * from `text` to `out`, which may start one byte earlier, for a blank carried over from the previous block.
 * Returns the new size; line breaks are kept. */
static int64_t squeeze(volt_csv_feed *feed, const char *text, int64_t size, char *out)
{
    int64_t used = 0;
    for (int64_t i = 0; i < size; i++) {
        char c = text[i];
        int is_quoted = step_quotes(&feed->quotes, c);
        if (!is_quoted && is_blank(c)) {
            feed->has_blank = 1;
            continue;
        }
        if (!is_quoted && is_line_end(c)) {
            feed->has_blank = feed->has_cells = 0;
        } else {
            if (feed->has_blank && feed->has_cells)
                out[used++] = ' ';
            feed->has_blank = 0;
            feed->has_cells = 1;
        }
        out[used++] = c;
    }
    return used;
}

volt_csv_text volt_csv_text_of(char *text, int64_t size)
{
    int64_t read;
    volt_csv_feed whole = {.quotes = no_quotes};
    char delimiter = find_delimiter(text, size, &read);
    return (volt_csv_text){
        .text = text,
        .size = delimiter == ' ' ? squeeze(&whole, text, size, text) : size,
        .delimiter = delimiter,
        .block = VOLT_CSV_BLOCK,
    };
}

/* ---- files ------------------------------------------------------------------------------------ */

/* Overwrites a '#' before the header with a blank. Returns its address, or NULL. */
static char *blank_comment(char *text, const char *end)
{
    while (text < end && (is_blank(*text) || is_line_end(*text)))
        text++;
    if (text == end || *text != '#')
        return NULL;
    *text = ' ';
    return text;
}

static volt_status load(const char *path, volt_csv_text *csv)
{
    volt_text_lines lines;
    VOLT_TRY(volt_text_lines_open(path, &lines));
    blank_comment(lines.next, lines.end);
    *csv = volt_csv_text_of(lines.next, lines.end - lines.next);
    csv->loaded = lines.text;
    return VOLT_OK;
}

/* `count` bytes of the file from `at` on. */
static volt_status read_block(const volt_csv_text *csv, int64_t at, int64_t count, char *bytes)
{
    VOLT_TRY(volt_file_read_at(csv->file, csv->path, csv->size, at, count, bytes));
    VOLT_TRY(volt_text_check(bytes, at, count));
    if (csv->comment >= at && csv->comment < at + count)
        bytes[csv->comment - at] = ' ';
    return VOLT_OK;
}

/* Reads enough of the beginning of the file to determine the delimiter: lines may be long. */
static volt_status read_head(volt_csv_text *csv)
{
    char *head = NULL;
    int64_t capacity = 0, count = 0, read = 0;
    volt_status status = VOLT_OK;
    while (status == VOLT_OK && read >= count && count < csv->size) {
        count = count == 0 ? csv->block : 2 * count;
        count = count < csv->size ? count : csv->size;
        csv->comment = -1;
        status = volt_grow((void **)&head, &capacity, count, 1);
        if (status == VOLT_OK)
            status = read_block(csv, 0, count, head);
        if (status != VOLT_OK)
            break;
        csv->begin = count >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        char *text = head + csv->begin, *comment = blank_comment(text, head + count);
        csv->comment = comment ? comment - head : -1;
        csv->delimiter = find_delimiter(text, head + count - text, &read);
        read += csv->begin;
    }
    volt_free(head);
    return status;
}

volt_status volt_csv_text_open(const char *path, volt_csv_text *csv)
{
    return volt_csv_text_open_blocks(path, VOLT_CSV_BLOCK, csv);
}

volt_status volt_csv_text_open_blocks(const char *path, int64_t block, volt_csv_text *csv)
{
    FILE *file = NULL;
    if (!volt_file_is_regular(path))
        return load(path, csv);
    VOLT_TRY(volt_file_open(path, &file));
    int64_t size = volt_file_size(file);
    if (size <= 0) { /* empty, or a file of /proc, which has no size */
        fclose(file);
        return load(path, csv);
    }
    *csv = (volt_csv_text){.size = size, .file = file, .path = path, .comment = -1, .block = block};
    volt_status status = read_head(csv);
    if (status != VOLT_OK)
        volt_csv_text_close(csv);
    return status;
}

void volt_csv_text_close(volt_csv_text *csv)
{
    volt_free(csv->loaded);
    if (csv->file)
        fclose(csv->file);
    csv->loaded = NULL;
    csv->file = NULL;
}

/* ---- reading by blocks ------------------------------------------------------------------------ */

static volt_status csv_feed_begin(const volt_csv_text *csv, volt_csv_feed *feed)
{
    *feed = (volt_csv_feed){.csv = csv, .done = csv->begin, .quotes = no_quotes};
    if (!csv->file)
        return VOLT_OK;
    feed->buffer = volt_alloc(csv->block + 1, 1);
    return feed->buffer ? VOLT_OK : VOLT_ERR_MEMORY;
}

/* Returns the next bytes, valid until the next call; *length is 0 only at the end. VOLT_ERR_IO: the file was
 * truncated, or cannot be read; VOLT_ERR_FORMAT: it is not text. */
static volt_status csv_feed_next(volt_csv_feed *feed, const char **block, size_t *length)
{
    const volt_csv_text *csv = feed->csv;
    *length = 0;
    while (feed->done < csv->size && *length == 0) { /* skip blocks that contain only blanks */
        int64_t count = csv->size - feed->done;
        if (count > csv->block)
            count = csv->block;
        if (!csv->file) {
            *block = csv->text + feed->done;
            *length = (size_t)count;
        } else {
            char *bytes = feed->buffer + 1;
            VOLT_TRY(read_block(csv, feed->done, count, bytes));
            bool squeezes = csv->delimiter == ' ';
            *block = squeezes ? feed->buffer : bytes;
            *length = (size_t)(squeezes ? squeeze(feed, bytes, count, feed->buffer) : count);
        }
        feed->done += count;
    }
    return VOLT_OK;
}

static void csv_feed_end(volt_csv_feed *feed)
{
    volt_free(feed->buffer);
}

/* ---- lines -------------------------------------------------------------------------------------- */

/* Parses one line of CSV into numbers or cells, for streams. */

typedef struct line_reader {
    double *row;
    int64_t cols;
    volt_missing missing;
    int64_t n_numbers; /* cells read as numbers, or missing and kept */
    int64_t n_surplus; /* blank cells after the last number: a trailing comma creates one */
    int64_t n_rows;
} line_reader;

static volt_status read_line_cell(void *context, int64_t line, int64_t column, const char *text, size_t length)
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

static volt_status end_line(void *context, int64_t line, int64_t n_cells)
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
    volt_status status = walk_line(line, &(volt_csv_events){read_line_cell, end_line, &reader});
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

/* ---- cells of a file ---------------------------------------------------------------------------- */

/* Runs libcsv over a text, with the line numbers of the file.
 *
 * libcsv stores one cell at a time in its own buffer, allocated with malloc. */

typedef struct csv_walk {
    const volt_csv_events *events;
    int64_t line;     /* current line */
    int64_t row_line; /* of the first cell of this row */
    int64_t n_cells;  /* of this row so far */
    int after_return; /* a line feed now belongs to the carriage return before it */
    volt_status status;
} csv_walk;

/* `text` ends with a zero byte (CSV_APPEND_NULL). */
static int64_t line_breaks(const char *text, size_t length)
{
    int64_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n');
    return count;
}

static void on_cell(void *text, size_t length, void *context)
{
    csv_walk *walk = context;
    walk->after_return = 0;
    if (walk->status)
        return;
    if (walk->n_cells == 0)
        walk->row_line = walk->line;
    const volt_csv_events *events = walk->events;
    walk->status = events->cell(events->context, walk->line, walk->n_cells, text, length);
    walk->n_cells++;
    walk->line += line_breaks(text, length);
}

/* Called for every line end outside quotes (CSV_REPALL_NL), and with -1 at the end of the text. */
static void on_line_end(int character, void *context)
{
    csv_walk *walk = context;
    if (walk->status)
        return;
    if (walk->n_cells > 0)
        walk->status = walk->events->row(walk->events->context, walk->row_line, walk->n_cells);
    walk->n_cells = 0;
    walk->line += !(character == '\n' && walk->after_return);
    walk->after_return = character == '\r';
}

static volt_status walk_failure(const csv_walk *walk, int error)
{
    if (error == CSV_EPARSE)
        return volt_fail(VOLT_ERR_FORMAT, "a quotation mark that opens on line %" PRId64 " is never closed",
                         walk->line);
    return volt_fail(VOLT_ERR_MEMORY, "a cell on line %" PRId64 " is too large for memory", walk->line);
}

/* Parses all blocks, then ends the text. */
static volt_status walk_blocks(volt_csv_feed *feed, struct csv_parser *parser, csv_walk *walk)
{
    const char *block;
    size_t length = 0;
    do {
        VOLT_TRY(csv_feed_next(feed, &block, &length));
        bool is_parsed = length == 0 || csv_parse(parser, block, length, on_cell, on_line_end, walk) == length;
        VOLT_TRY(walk->status);
        if (!is_parsed)
            return walk_failure(walk, csv_error(parser));
    } while (length > 0);
    /* Strict only now: an open quote at the end of the text is an error, quotes within cells are not. */
    csv_set_opts(parser, CSV_REPALL_NL | CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
    bool is_closed = csv_fini(parser, on_cell, on_line_end, walk) == 0;
    VOLT_TRY(walk->status);
    return is_closed ? VOLT_OK : walk_failure(walk, csv_error(parser));
}

volt_status volt_csv_walk(const volt_csv_text *csv, const volt_csv_events *events)
{
    struct csv_parser parser;
    volt_csv_feed feed;
    VOLT_TRY(csv_feed_begin(csv, &feed));
    if (csv_init(&parser, CSV_REPALL_NL | CSV_APPEND_NULL) != 0) {
        csv_feed_end(&feed);
        return volt_fail(VOLT_ERR_MEMORY, "could not start the CSV parser");
    }
    csv_set_delim(&parser, (unsigned char)csv->delimiter);
    csv_walk walk = {.events = events, .line = 1, .row_line = 1};
    volt_status status = walk_blocks(&feed, &parser, &walk);
    csv_free(&parser);
    csv_feed_end(&feed);
    return status;
}

/* ---- times -------------------------------------------------------------------------------------- */

/* The times of the rows of a CSV file, kept as text. */

volt_status volt_csv_texts_begin(volt_csv_texts *kept, int64_t column, int64_t rows, int64_t bytes)
{
    kept->column = column;
    kept->texts = volt_alloc(rows * (int64_t)sizeof *kept->texts + bytes, 1);
    if (!kept->texts)
        return VOLT_ERR_MEMORY;
    kept->next = (char *)(kept->texts + rows);
    kept->end = kept->next + bytes;
    return VOLT_OK;
}

bool volt_csv_texts_put(volt_csv_texts *kept, int64_t row, const char *text, size_t length)
{
    if ((size_t)(kept->end - kept->next) < length + 1)
        return false;
    kept->texts[row] = kept->next;
    memcpy(kept->next, text, length);
    kept->next[length] = '\0';
    kept->next += length + 1;
    return true;
}

/* "16/12/2006" and "17:24:00" become "16/12/2006 17:24:00". */
static volt_status join_date_and_clock(volt_csv_texts *dates, const volt_csv_texts *clocks, int64_t rows)
{
    int64_t bytes = 0;
    for (int64_t i = 0; i < rows; i++)
        bytes += (int64_t)(strlen(dates->texts[i]) + strlen(clocks->texts[i])) + 2;
    volt_csv_texts both = {.column = -1};
    volt_status status = volt_csv_texts_begin(&both, dates->column, rows, bytes);
    if (status)
        return status;
    for (int64_t i = 0; i < rows; i++) {
        size_t length = strlen(dates->texts[i]);
        volt_csv_texts_put(&both, i, dates->texts[i], length);
        both.texts[i][length] = ' ';
        volt_csv_texts_put(&both, i, clocks->texts[i], strlen(clocks->texts[i]));
        both.texts[i] -= length + 1;
    }
    volt_free(dates->texts);
    *dates = both;
    return VOLT_OK;
}

/* Moves the dates to `table`, which has the same number of rows, as its times under `name`. Times of day
 * from a separate column are appended; `order` is the order of days and months found in the file. Texts that
 * cannot be parsed as times remain texts. `dates` is empty afterwards. VOLT_ERR_MEMORY. */
static volt_status csv_times_finish(volt_csv_texts *dates, const volt_csv_texts *clocks, const char *name,
                                    volt_date_order order, volt_table *table)
{
    volt_status status = clocks->texts ? join_date_and_clock(dates, clocks, table->rows) : VOLT_OK;
    if (status)
        return status;
    table->time_name = volt_strdup(name);
    table->times = volt_alloc(table->rows, sizeof *table->times);
    if (!table->time_name || !table->times)
        return VOLT_ERR_MEMORY;
    table->time_texts = dates->texts;
    dates->texts = NULL;
    if (volt_times_parse_as((const char *const *)table->time_texts, table->rows, order, table->times) !=
        VOLT_OK) {
        volt_free(table->times);
        table->times = NULL;
    }
    return VOLT_OK;
}

/* ---- tables ------------------------------------------------------------------------------------- */

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
        reader->commas += cell_decimal_comma(text, &value);
        reader->comma_groups += volt_cell_groups(text, ',') == 1;
    }
    column->points += strchr(text, '.') && volt_parse_number(text, &value) && volt_cell_groups(text, '.') != 1;
    column->written++;
    if (cell_is_missing(text))
        return;
    learn_whole(column, text);
    column->small += volt_cell_groups(text, '.') == 0;
    column->point_groups += volt_cell_groups(text, '.') > 0;
    column->comma_groups += volt_cell_groups(text, ',') > 0;
    if (column->filled == 0)
        column->begins_with_number = volt_parse_number(text, &value);
    if (column->filled == 1)
        column->second_is_number = volt_parse_number(text, &value) || cell_decimal_comma(text, &value);
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
            !(reader->given.decimal && cell_read_marked(reader->columns[j].name, reader->given, &value)) &&
            !(reader->may_have_commas && cell_decimal_comma(reader->columns[j].name, &value));
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
    if (cell_decimal_comma(text, &value) && !strchr(text, '.'))
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
        if (cell_read_marked(text, marks, &value))
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
    return csv_times_finish(&reader->dates, &reader->clocks, dates->name, dates->order, reader->table);
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

/* ---- texts of columns --------------------------------------------------------------------------- */

/* One column of a CSV file, as texts.
 *
 * The first row determines the column. It is a header when it contains a text, as in csv.c. */

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

static volt_status read_text_cell(void *context, int64_t line, int64_t j, const char *text, size_t length)
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
    int has_header = cells_are_header((const char *const *)reader->cells, reader->n_cells);
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

static volt_status end_text_row(void *context, int64_t line, int64_t n_cells)
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
static volt_status join_texts(const column_reader *reader, char ***texts)
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
    volt_csv_events events = {read_text_cell, end_text_row, &reader};
    volt_status status = volt_csv_text_open(path, &csv);
    if (status == VOLT_OK) {
        status = volt_csv_walk(&csv, &events);
        volt_csv_text_close(&csv);
    }
    if (status == VOLT_OK)
        status = join_texts(&reader, texts);
    if (status == VOLT_OK)
        *rows = reader.rows;
    for (int64_t j = 0; j < reader.n_cells; j++)
        volt_free(reader.cells[j]);
    volt_free(reader.cells);
    volt_free(reader.bytes.bytes);
    return status == VOLT_ERR_FORMAT ? volt_fail_prefix(status, "%s", path) : status;
}

/* ---- writing ------------------------------------------------------------------------------------ */

/* Writes CSV: a header, then one line per row, with numbers that parse to the same
 * value. */

/* Quotes a name or label that the reader would otherwise split or trim; quotation marks in it are doubled. */
static void write_cell(volt_atomic_file *file, const char *name)
{
    size_t length = strlen(name);
    int is_padded = length > 0 && (strchr(" \t", name[0]) || strchr(" \t", name[length - 1]));
    if (!is_padded && !strpbrk(name, ",;\t\"\r\n")) {
        volt_atomic_write(file, name, length);
        return;
    }
    volt_atomic_write(file, "\"", 1);
    for (const char *c = name; *c; c++) {
        volt_atomic_write(file, c, 1);
        if (*c == '"')
            volt_atomic_write(file, c, 1);
    }
    volt_atomic_write(file, "\"", 1);
}

void volt_csv_write_header(volt_atomic_file *file, int64_t cols, const char *const *names,
                           const char *label_name)
{
    /* A header that contains only numbers would be read as data, so it is not written. */
    if (!names || !(cells_are_header(names, cols) || (label_name && cells_are_header(&label_name, 1))))
        return;
    if (label_name) {
        write_cell(file, label_name);
        volt_atomic_write(file, ",", 1);
    }
    for (int64_t j = 0; j < cols; j++) {
        write_cell(file, names[j]);
        volt_atomic_write(file, j + 1 < cols ? "," : "\n", 1);
    }
}

void volt_csv_write_rows(volt_atomic_file *file, volt_view values, const char *const *labels)
{
    for (int64_t i = 0; i < values.rows && !file->failure; i++) {
        if (labels) {
            write_cell(file, labels[i]);
            volt_atomic_write(file, ",", 1);
        }
        for (int64_t j = 0; j < values.cols; j++) {
            char text[VOLT_NUMBER_LENGTH];
            volt_format_number(values.data[i * values.ld + j], text);
            volt_atomic_write(file, text, strlen(text));
            volt_atomic_write(file, j + 1 < values.cols ? "," : "\n", 1);
        }
    }
}
