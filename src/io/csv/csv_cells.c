/* src/io/csv/csv_cells.c: what a cell of a CSV file is, and what separates cells. */
#define _POSIX_C_SOURCE 200809L
#include "io/csv/csv_cells.h"

#include "volterra/base.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum { SAMPLE_LINES = 20 };

/* ---- one cell --------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

int volt_cell_is_missing(const char *text)
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

/* Step over `least` to `most` digits; NULL when there are fewer. */
static const char *digits(const char *text, int least, int most)
{
    int count = 0;
    while (text && count < most && isdigit((unsigned char)text[count]))
        count++;
    return text && count >= least ? text + count : NULL;
}

static const char *one_of(const char *text, const char *characters)
{
    return text && *text && strchr(characters, *text) ? text + 1 : NULL;
}

/* 12:30, 12:30:05, 12:30:05.25, then perhaps AM, PM, Z, UTC, +01:00 or +0100. NULL when it is none. */
static const char *time_of_day(const char *text)
{
    const char *at = digits(one_of(digits(text, 1, 2), ":"), 2, 2);
    if (!at)
        return NULL;
    const char *seconds = digits(one_of(at, ":"), 2, 2);
    if (seconds) {
        at = seconds;
        const char *fraction = digits(one_of(at, ".,"), 1, 12);
        if (fraction)
            at = fraction;
    }
    const char *zone = skip_blanks(at);
    static const char *const words[] = {"am", "pm", "z", "utc", "gmt"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncasecmp(zone, words[i], strlen(words[i])) == 0)
            return zone + strlen(words[i]);
    const char *hours = digits(one_of(zone, "+-"), 2, 2);
    if (!hours)
        return at;
    const char *minutes = digits(*hours == ':' ? hours + 1 : hours, 2, 2);
    return minutes ? minutes : hours;
}

/* 2019-04-09, 2019/4/9, 2019-04, 09.04.2019, 4/9/2019. NULL when it is none. */
static const char *calendar_date(const char *text)
{
    const char *year = digits(text, 4, 4);
    const char *month = digits(one_of(year, "-/."), 1, 2);
    if (month) {
        const char *day = *month == *year ? digits(month + 1, 1, 2) : NULL;
        return day ? day : *year == '-' && month - year == 3 ? month : NULL;
    }
    const char *first = digits(text, 1, 2);
    const char *second = digits(one_of(first, "-/."), 1, 2);
    return second && *second == *first ? digits(second + 1, 4, 4) : NULL;
}

int volt_cell_is_date(const char *text)
{
    text = skip_blanks(text);
    const char *end = calendar_date(text);
    if (end) {
        const char *clock = time_of_day(*end == 'T' || *end == 't' ? end + 1 : skip_blanks(end));
        end = clock ? clock : end;
    } else {
        end = time_of_day(text);
    }
    return end && !*skip_blanks(end);
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
    if (volt_cell_is_missing(text))
        return VOLT_CELL_MISSING;
    return volt_cell_is_date(text) ? VOLT_CELL_DATE : VOLT_CELL_TEXT;
}

int volt_cells_are_header(const char *const *texts, int64_t count)
{
    double value;
    for (int64_t j = 0; j < count; j++)
        if (volt_cell_read(texts[j], &value) == VOLT_CELL_TEXT)
            return 1;
    return 0;
}

/* ---- what separates cells --------------------------------------------------------------------- */

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

char volt_csv_delimiter(const char *text, int64_t size)
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

int64_t volt_csv_squeeze(char *text, int64_t size)
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
