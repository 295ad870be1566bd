/* src/io/csv/csv_text.c: a text of cells, and what separates them. */
#include "io/csv/csv_text.h"

#include "io/file/text_lines.h"
#include "volterra/base.h"

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

/* In order of preference where a file divides evenly by several. A comma beside semicolons is a decimal
 * comma, a tab beside commas is padding. */
static const char separators[4] = {';', ',', '\t', ' '};

/* Where we are with respect to quoted cells; a text begins with {.before = '\n'}. */
typedef struct quote_walk {
    int is_quoted;
    int has_closed; /* by the character before this one */
    char before;
} quote_walk;

/* Step over `c`; returns whether it stands within a quoted cell. A quotation mark opens a quoted cell only at the
 * cell's beginning, elsewhere it is a character; within one, two stand for one. */
static int step_quotes(quote_walk *walk, char c)
{
    int closes = c == '"' && walk->is_quoted;
    int begins_cell = is_line_end(walk->before) || memchr(separators, walk->before, sizeof separators) != NULL;
    if (c == '"')
        walk->is_quoted = !walk->is_quoted && (begins_cell || walk->has_closed);
    walk->has_closed = closes;
    walk->before = c;
    return walk->is_quoted;
}

/* Count separators outside quotes on the line at *at, and step behind it. A run of blanks between two cells
 * counts once, in counts[3]. Returns 0 for a blank line. */
static int count_separators(const char *text, int64_t size, int64_t *at, int64_t counts[4])
{
    int is_quoted = 0, has_cells = 0, after_blank = 0;
    quote_walk walk = {.before = '\n'};
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

/* The character that separates cells, from the first lines of a text: a tab, a semicolon or a comma, whichever
 * divides them all into the same number of cells; ' ' for cells separated by white space; ',' otherwise. */
static char find_delimiter(const char *text, int64_t size)
{
    int64_t first[4] = {0}, counts[4];
    int is_even[4] = {1, 1, 1, 1};
    int n_lines = 0;
    for (int64_t at = 0; at < size && n_lines < SAMPLE_LINES;) {
        if (!count_separators(text, size, &at, counts))
            continue;
        for (int s = 0; s < 4; s++) {
            if (n_lines == 0)
                first[s] = counts[s];
            is_even[s] &= counts[s] == first[s];
        }
        n_lines++;
    }
    /* Where runs of blanks divide the lines alike into more cells than tabs do, tabs are just blanks. */
    int has_runs = first[3] > 0 && is_even[3];
    for (int s = 0; s < 3; s++)
        if (first[s] > 0 && is_even[s])
            return separators[s] == '\t' && has_runs && first[3] > first[s] ? ' ' : separators[s];
    if (first[0] == 0 && first[1] == 0 && (has_runs || first[2] == 0))
        return has_runs ? ' ' : ',';
    /* No separator divides all lines alike: the file is ragged. Take the most frequent one of the first
     * line, so that the error can say where. */
    int most = 0;
    for (int s = 1; s < 3; s++)
        if (first[s] > first[most])
            most = s;
    return separators[most];
}

/* Rewrite cells separated by white space in place so that one blank stands between two cells and none at either
 * end of a line. Returns the new size; lines stay lines. */
static int64_t squeeze(char *text, int64_t size)
{
    int64_t used = 0;
    int has_blank = 0, has_cells = 0;
    quote_walk walk = {.before = '\n'};
    for (int64_t i = 0; i < size; i++) {
        char c = text[i];
        int is_quoted = step_quotes(&walk, c);
        if (!is_quoted && is_blank(c)) {
            has_blank = 1;
            continue;
        }
        if (!is_quoted && is_line_end(c)) {
            has_blank = has_cells = 0;
        } else {
            if (has_blank && has_cells)
                text[used++] = ' ';
            has_blank = 0;
            has_cells = 1;
        }
        text[used++] = c;
    }
    return used;
}

/* ---- the text --------------------------------------------------------------------------------- */

volt_csv_text volt_csv_text_of(char *text, int64_t size)
{
    char delimiter = find_delimiter(text, size);
    return (volt_csv_text){text, delimiter == ' ' ? squeeze(text, size) : size, delimiter, NULL};
}

volt_status volt_csv_text_load(const char *path, volt_csv_text *csv)
{
    volt_text_lines lines;
    volt_status status = volt_text_lines_open(path, &lines);
    if (status)
        return status;
    char *first = lines.next + strspn(lines.next, " \t\r\n");
    if (*first == '#')
        *first = ' ';
    *csv = volt_csv_text_of(lines.next, lines.end - lines.next);
    csv->loaded = lines.text;
    return VOLT_OK;
}

void volt_csv_text_free(volt_csv_text *csv)
{
    volt_free(csv->loaded);
}
