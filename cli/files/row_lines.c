/* cli/files/row_lines.c: parse lines of text into rows of model inputs. */
#include "files/row_lines.h"

#include "files/header_line.h"
#include "terminal/messages.h"
#include "volterra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Default mapping: one cell per input, in the order of the inputs. */
static void take_in_order(row_lines *lines)
{
    lines->n_cells = lines->d;
    for (int64_t j = 0; j < lines->d; j++)
        lines->from[j] = j;
}

int row_lines_begin(row_lines *lines, int64_t d, const char *const *names, const char *const *known,
                    int64_t n_known)
{
    lines->d = lines->capacity = d;
    lines->names = names;
    lines->known = known;
    lines->n_known = n_known;
    lines->cells = malloc((size_t)d * sizeof *lines->cells);
    lines->from = malloc((size_t)d * sizeof *lines->from);
    if (!lines->cells || !lines->from)
        return complain(EXIT_FAILED, "not enough memory for a row of the model");
    take_in_order(lines);
    return 0;
}

void row_lines_release(row_lines *lines)
{
    free(lines->cells);
    free(lines->from);
    free(lines->header);
    memset(lines, 0, sizeof *lines);
}

static int complain_memory(const char *what)
{
    return complain(EXIT_FAILED, "not enough memory for %s of standard input", what);
}

/* ---- the header ------------------------------------------------------------------------------- */

static int keep_header(row_lines *lines, const char *text)
{
    lines->header = malloc(strlen(text) + 1);
    if (!lines->header)
        return complain_memory("the header");
    strcpy(lines->header, text);
    lines->header_line = lines->line;
    return 0;
}

/* Maps the columns of the header to the model's inputs. *all: they are among them. */
static volt_status locate_columns(row_lines *lines, char *const *names, int64_t count, bool *all)
{
    take_in_order(lines);
    if (!lines->names)
        return VOLT_OK;
    if (count > lines->capacity) {
        double *cells = realloc(lines->cells, (size_t)count * sizeof *cells);
        if (!cells)
            return VOLT_ERR_MEMORY;
        lines->cells = cells;
        lines->capacity = count;
    }
    volt_status status = header_line_locate(names, count, lines->names, lines->d, lines->from, all);
    if (!status && *all)
        lines->n_cells = count;
    return status;
}

/* A header may reorder columns and have additional ones. It is parsed with each following line until one of
 * them is a row, because the row determines the separator. */
static volt_status read_header(row_lines *lines, const char *row, bool *all)
{
    char **names = NULL;
    int64_t count = 0;
    volt_status status = volt_csv_split_line(lines->header, row, &names, &count);
    if (status == VOLT_ERR_FORMAT) /* the row is malformed and is rejected later */
        status = volt_csv_split_line(lines->header, NULL, &names, &count);
    if (!status)
        status = locate_columns(lines, names, count, all);
    volt_free(names);
    return status;
}

/* Whether the line has one of the known names between separators. The separator is not known before the first row, and a name
 * may contain others. */
static bool has_known_name(const row_lines *lines, const char *line)
{
    static const char separators[] = " \t,;\"";
    for (int64_t k = 0; k < lines->n_known; k++) {
        size_t length = strlen(lines->known[k]);
        for (const char *at = strstr(line, lines->known[k]); at && length > 0;
             at = strstr(at + 1, lines->known[k]))
            if ((at == line || strchr(separators, at[-1])) && strchr(separators, at[length]))
                return true;
    }
    return false;
}

/* A header has names and no number, one of the known names, and a cell for each input. */
static volt_status find_header(const row_lines *lines, const char *line, bool *is_header)
{
    char **cells = NULL;
    int64_t count = 0;
    volt_status status = header_line_is(line, is_header);
    *is_header = *is_header && has_known_name(lines, line);
    if (status || !*is_header)
        return status;
    status = volt_csv_split_line(line, NULL, &cells, &count);
    *is_header = !status && count >= lines->d;
    volt_free(cells);
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK;
}

/* Rejects a header with some of the names. */
static int complain_header(const row_lines *lines)
{
    char **names = NULL;
    int64_t count = 0, *from = malloc((size_t)lines->d * sizeof *from);
    int by_position = 0;
    volt_status status = from ? volt_csv_split_line(lines->header, NULL, &names, &count) : VOLT_ERR_MEMORY;
    if (!status)
        status =
            volt_columns_match((const char *const *)names, count, lines->names, lines->d, from, &by_position);
    volt_free(names);
    free(from);
    return complain(EXIT_FAILED, "line %lld of standard input: %s", (long long)lines->header_line,
                    status ? volt_error_detail() : "the header has only some of the names of the model");
}

/* The line reader skips a date column, but the header counts it. Skip it if the first cell is not a number,
 * was not a number in earlier rows, and its column is not a model input. */
static volt_status may_skip_date(const row_lines *lines, const char *line, bool *may)
{
    bool begins_with_number = false;
    *may = !lines->knows_first_column && lines->n_cells > lines->d;
    for (int64_t j = 0; *may && j < lines->d; j++)
        *may = lines->from[j] > 0;
    if (!*may)
        return VOLT_OK;
    volt_status status = header_line_begins_with_number(line, &begins_with_number);
    *may = !begins_with_number;
    return status;
}

/* Shifts the columns to the right by `by`. */
static void shift_columns(row_lines *lines, int64_t by)
{
    for (int64_t j = 0; j < lines->d; j++)
        lines->from[j] += by;
    lines->n_cells += by;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static void note_problem(row_lines *lines, const char *problem)
{
    snprintf(lines->problem, sizeof lines->problem, "%s", problem);
}

/* Copies the row in the model's order. For a row with missing values, notes the first missing input. */
static row_kind deal_out(row_lines *lines, double *x)
{
    row_kind kind = ROW_WHOLE;
    for (int64_t j = 0; j < lines->d; j++) {
        x[j] = lines->cells[lines->from[j]];
        if (kind == ROW_HOLED || !isnan(x[j]))
            continue;
        kind = ROW_HOLED;
        if (lines->names)
            snprintf(lines->problem, sizeof lines->problem, "column '%.200s': the value is missing",
                     lines->names[j]);
        else
            snprintf(lines->problem, sizeof lines->problem, "input %lld: the value is missing",
                     (long long)j + 1);
    }
    return kind;
}

static volt_status parse_cells(row_lines *lines, const char *row)
{
    volt_status status = volt_csv_parse_row(row, lines->n_cells, VOLT_MISSING_KEEP, lines->cells);
    if (status)
        note_problem(lines, volt_error_detail());
    return status;
}

/* Parses a line that is not a header. A rejected line leaves the columns unchanged. */
static volt_status read_cells(row_lines *lines, const char *row)
{
    bool may_skip = false, begins_with_number = false;
    volt_status status = parse_cells(lines, row);
    if (status == VOLT_ERR_FORMAT) {
        volt_status known = may_skip_date(lines, row, &may_skip);
        if (known)
            return known;
        shift_columns(lines, -(int64_t)may_skip);
        status = may_skip ? parse_cells(lines, row) : status;
        if (status)
            shift_columns(lines, may_skip);
    }
    if (status || lines->knows_first_column || lines->n_cells <= lines->d) /* no column to skip */
        return status;
    status = header_line_begins_with_number(row, &begins_with_number);
    lines->knows_first_column = may_skip || begins_with_number;
    return status;
}

static int take_row(row_lines *lines, const char *row, double *x, row_kind *kind)
{
    bool has_all = true;
    volt_status status = lines->header ? read_header(lines, row, &has_all) : VOLT_OK;
    if (!status && !has_all)
        return complain_header(lines);
    if (!status)
        status = read_cells(lines, row);
    if (status == VOLT_ERR_MEMORY)
        return complain_memory("a line");
    if (status) {
        *kind = ROW_REFUSED;
        return 0;
    }
    free(lines->header);
    lines->header = NULL;
    *kind = deal_out(lines, x);
    return 0;
}

int row_lines_take(row_lines *lines, char *line, size_t length, double *x, row_kind *kind)
{
    *kind = ROW_NONE;
    lines->line++;
    if (strlen(line) != length) {
        note_problem(lines, "it contains a zero byte");
        *kind = ROW_REFUSED;
        return 0;
    }
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        line[--length] = '\0';
    if (strspn(line, " \t") == length)
        return 0;
    bool is_header = false;
    const char *row = lines->has_begun ? line : header_line_behind_mark(line);
    if (!lines->has_begun && find_header(lines, row, &is_header))
        return complain_memory("a line");
    int failed = is_header ? keep_header(lines, row) : take_row(lines, row, x, kind);
    lines->has_begun = lines->has_begun || is_header || *kind == ROW_WHOLE || *kind == ROW_HOLED;
    return failed;
}
