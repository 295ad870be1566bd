/* cli/files/row_lines.h: rows of a model's inputs from lines of text, for the command that reads line by line. */
#ifndef CLI_ROW_LINES_H
#define CLI_ROW_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known about the lines so far. */
typedef struct row_lines {
    int64_t d;                /* numbers of a row */
    const char *const *names; /* of them, or NULL */
    double *cells;            /* a line's numbers, n_cells of them */
    int64_t n_cells;
    int64_t *from;      /* number j of a row is cells[from[j]] */
    char *header;       /* a header whose first row has not come: that row shows what separates them both */
    int64_t line, rows; /* lines seen, rows taken from them */
} row_lines;

/* Every function returns 0, or the exit status after saying what is wrong. One that begins as {0} can always be
 * released. The names must outlive the lines. */
int row_lines_begin(row_lines *lines, int64_t d, const char *const *names);
void row_lines_release(row_lines *lines);

/* Take one line of `length` bytes, its end included and a zero byte behind it; the line is changed. *is_row: it was a
 * row, now in x[0 .. d-1]; a blank line and a header, which may order the columns in its own way, are none. x is
 * untouched when the line is none or is refused. */
int row_lines_take(row_lines *lines, char *line, size_t length, double *x, bool *is_row);

#endif
