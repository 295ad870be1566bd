/* cli/files/row_lines.c: rows of a model's inputs from lines of text. */
#include "files/row_lines.h"

#include "files/header_line.h"
#include "terminal/messages.h"
#include "volterra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many cells as inputs, in their order. */
static void take_in_order(row_lines *lines)
{
    lines->n_cells = lines->d;
    for (int64_t j = 0; j < lines->d; j++)
        lines->from[j] = j;
}

int row_lines_begin(row_lines *lines, int64_t d, const char *const *names)
{
    lines->d = lines->capacity = d;
    lines->names = names;
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

/* ---- the header ------------------------------------------------------------------------------- */

static int keep_header(row_lines *lines, const char *text)
{
    lines->header = malloc(strlen(text) + 1);
    if (!lines->header)
        return complain(EXIT_FAILED, "not enough memory for the header of standard input");
    strcpy(lines->header, text);
    return 0;
}

/* A header may order the columns in its own way, and have more of them than the model. It is read anew beside each
 * line, until one of them is a row. */
static int read_header(row_lines *lines, const char *row)
{
    char **names = NULL;
    int64_t count = 0;
    volt_status status = volt_csv_split_line(lines->header, row, &names, &count);
    if (status == VOLT_ERR_FORMAT) /* the row is at fault, and is refused as one */
        status = volt_csv_split_line(lines->header, NULL, &names, &count);
    if (status)
        return complain_status(status);
    int failed = 0;
    take_in_order(lines);
    if (count > lines->capacity) {
        double *cells = realloc(lines->cells, (size_t)count * sizeof *cells);
        if (!cells)
            failed = complain(EXIT_FAILED, "not enough memory for the columns of standard input");
        else
            lines->cells = cells, lines->capacity = count;
    }
    if (!failed && lines->names && header_line_locate(names, count, lines->names, lines->d, lines->from))
        lines->n_cells = count;
    volt_free(names);
    return failed;
}

/* The reader of lines leaves out a date; a header counts it. Do so too when the first cell of a row is no number, that
 * of none before it was, and its column is none of the model's. */
static bool skip_date_column(row_lines *lines, const char *line)
{
    if (lines->has_settled || lines->n_cells <= lines->d || header_line_begins_with_number(line))
        return false;
    for (int64_t j = 0; j < lines->d; j++)
        if (lines->from[j] == 0)
            return false;
    for (int64_t j = 0; j < lines->d; j++)
        lines->from[j]--;
    lines->n_cells--;
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static row_kind refuse(row_lines *lines, const char *problem)
{
    snprintf(lines->problem, sizeof lines->problem, "%s", problem);
    return ROW_REFUSED;
}

/* The numbers of a row that was read, in the model's order; which of them is missing is the problem of a holed one. */
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

static int take_row(row_lines *lines, const char *row, double *x, row_kind *kind)
{
    int failed = lines->header ? read_header(lines, row) : 0;
    if (failed)
        return failed;
    bool skipped = false;
    volt_status status = volt_csv_parse_row(row, lines->n_cells, VOLT_MISSING_KEEP, lines->cells);
    if (status == VOLT_ERR_FORMAT && skip_date_column(lines, row)) {
        skipped = true;
        status = volt_csv_parse_row(row, lines->n_cells, VOLT_MISSING_KEEP, lines->cells);
    }
    if (status == VOLT_ERR_MEMORY)
        return complain_status(status);
    if (status) {
        *kind = refuse(lines, volt_error_detail());
        for (int64_t j = 0; skipped && j < lines->d; j++)
            lines->from[j]++;
        lines->n_cells += skipped;
        return 0;
    }
    if (!lines->has_settled)
        lines->has_settled = skipped || header_line_begins_with_number(row);
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
        *kind = refuse(lines, "it holds a zero byte");
        return 0;
    }
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        line[--length] = '\0';
    if (strspn(line, " \t") == length)
        return 0;
    bool is_first = !lines->has_begun;
    lines->has_begun = true;
    const char *row = is_first ? header_line_behind_mark(line) : line;
    if (is_first && header_line_is(row))
        return keep_header(lines, row);
    return take_row(lines, row, x, kind);
}
