/* cli/files/row_lines.h: rows of a model's inputs from lines of text, for the command that reads line by line. */
#ifndef CLI_ROW_LINES_H
#define CLI_ROW_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROW_PROBLEM_LENGTH = 512 };

/* What a line is. */
typedef enum row_kind {
    ROW_NONE,   /* a blank line, or a header, which may order the columns in its own way */
    ROW_WHOLE,  /* a row of numbers */
    ROW_HOLED,  /* a row with values missing: NaN there */
    ROW_REFUSED /* text, cells too many or too few, a zero byte, ... */
} row_kind;

/* What is known about the lines so far. */
typedef struct row_lines {
    int64_t d;                /* numbers of a row */
    const char *const *names; /* of them, or NULL */
    double *cells;            /* a line's numbers, n_cells of them */
    int64_t n_cells, capacity;
    int64_t *from;    /* number j of a row is cells[from[j]] */
    char *header;     /* a header whose first row has not come: that row shows what separates them both */
    bool has_begun;   /* a line that is not blank was there */
    bool has_settled; /* it is known whether a column of dates stands before the others */
    int64_t line;     /* lines seen */
    char problem[ROW_PROBLEM_LENGTH]; /* of a line that is holed or refused: what is wrong with it */
} row_lines;

/* Both return 0, or the exit status after saying what is wrong. One that begins as {0} can always be
 * released. The names must outlive the lines. */
int row_lines_begin(row_lines *lines, int64_t d, const char *const *names);
void row_lines_release(row_lines *lines);

/* Take one line of `length` bytes, its end included and a zero byte behind it; the line is changed. The row goes to
 * x[0 .. d-1], which is untouched when the line is none or is refused. A line that is refused leaves everything as it
 * was. Nonzero, after saying so: memory is out. */
int row_lines_take(row_lines *lines, char *line, size_t length, double *x, row_kind *kind);

#endif
