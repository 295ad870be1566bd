/* src/io/csv/csv_text.c: CSV text and its delimiter. */
#include "io/csv/csv_text.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/csv/csv.h"
#include "io/file/file_bytes.h"
#include "io/file/text_lines.h"
#include "text/text.h"

#include <string.h>

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
            fits && (volt_cell_decimal_comma(line, &value) || volt_cell_read(line, &value) != VOLT_CELL_TEXT);
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

volt_status volt_csv_feed_begin(const volt_csv_text *csv, volt_csv_feed *feed)
{
    *feed = (volt_csv_feed){.csv = csv, .done = csv->begin, .quotes = no_quotes};
    if (!csv->file)
        return VOLT_OK;
    feed->buffer = volt_alloc(csv->block + 1, 1);
    return feed->buffer ? VOLT_OK : VOLT_ERR_MEMORY;
}

volt_status volt_csv_feed_next(volt_csv_feed *feed, const char **block, size_t *length)
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

void volt_csv_feed_end(volt_csv_feed *feed)
{
    volt_free(feed->buffer);
}
