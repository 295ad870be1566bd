/* cli/files/row_lines.c: rows of a model's inputs from lines of text. */
#include "files/row_lines.h"

#include "files/header_line.h"
#include "terminal/messages.h"
#include "volterra.h"

#include <stdlib.h>
#include <string.h>

int row_lines_begin(row_lines *lines, int64_t d, const char *const *names)
{
    lines->d = lines->n_cells = d;
    lines->names = names;
    lines->cells = malloc((size_t)d * sizeof *lines->cells);
    lines->from = malloc((size_t)d * sizeof *lines->from);
    if (!lines->cells || !lines->from)
        return complain(EXIT_FAILED, "not enough memory for a row of the model");
    for (int64_t j = 0; j < d; j++)
        lines->from[j] = j;
    return 0;
}

void row_lines_release(row_lines *lines)
{
    free(lines->cells);
    free(lines->from);
    free(lines->header);
    memset(lines, 0, sizeof *lines);
}

/* A header may order the columns in its own way, and have more of them than the model. */
static int take_header(row_lines *lines, const char *row)
{
    char **names = NULL;
    int64_t count = 0;
    volt_status status = volt_csv_split_line(lines->header, row, &names, &count);
    if (status == VOLT_ERR_FORMAT) /* the row is at fault, and is refused as one */
        status = volt_csv_split_line(lines->header, NULL, &names, &count);
    free(lines->header);
    lines->header = NULL;
    if (status)
        return complain_status(status);
    int failed = 0;
    if (lines->names && header_line_locate(names, count, lines->names, lines->d, lines->from)) {
        double *cells = realloc(lines->cells, (size_t)count * sizeof *cells);
        if (cells) {
            lines->cells = cells;
            lines->n_cells = count;
        } else {
            failed = complain(EXIT_FAILED, "not enough memory for the columns of standard input");
        }
    }
    volt_free(names);
    return failed;
}

/* The reader of lines leaves out a date; a header counts it. Do so too when the first cell of the first row is no
 * number and its column none of the model's. */
static bool skip_date_column(row_lines *lines, const char *line)
{
    if (lines->rows > 0 || lines->n_cells <= lines->d || header_line_begins_with_number(line))
        return false;
    for (int64_t j = 0; j < lines->d; j++)
        if (lines->from[j] == 0)
            return false;
    for (int64_t j = 0; j < lines->d; j++)
        lines->from[j]--;
    lines->n_cells--;
    return true;
}

int row_lines_take(row_lines *lines, char *line, size_t length, double *x, bool *is_row)
{
    *is_row = false;
    lines->line++;
    if (strlen(line) != length)
        return complain(EXIT_FAILED, "line %lld of standard input holds a zero byte", (long long)lines->line);
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        line[--length] = '\0';
    if (strspn(line, " \t") == length)
        return 0;
    const char *row = lines->line == 1 ? header_line_behind_mark(line) : line;
    if (lines->line == 1 && header_line_is(row)) {
        lines->header = malloc(strlen(row) + 1);
        if (!lines->header)
            return complain(EXIT_FAILED, "not enough memory for the header of standard input");
        strcpy(lines->header, row);
        return 0;
    }
    int failed = lines->header ? take_header(lines, row) : 0;
    if (failed)
        return failed;

    volt_status status = volt_csv_parse_line(row, lines->n_cells, lines->cells);
    if (status && skip_date_column(lines, row))
        status = volt_csv_parse_line(row, lines->n_cells, lines->cells);
    if (status)
        return complain(EXIT_FAILED, "line %lld of standard input: %s", (long long)lines->line,
                        volt_error_detail());
    for (int64_t j = 0; j < lines->d; j++)
        x[j] = lines->cells[lines->from[j]];
    lines->rows++;
    *is_row = true;
    return 0;
}
