/* cli/files/row_lines.h: parse lines of text into rows of model inputs, for line-by-line commands. */
#ifndef CLI_ROW_LINES_H
#define CLI_ROW_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROW_PROBLEM_LENGTH = 512 };

/* The kind of a line. */
typedef enum row_kind {
    ROW_NONE,   /* blank line or header, which may reorder the columns */
    ROW_WHOLE,  /* complete row of numbers */
    ROW_HOLED,  /* row with missing values (NaN) */
    ROW_REFUSED /* invalid row: text, wrong number of cells, zero byte, ... */
} row_kind;

/* State of the line parser. */
typedef struct row_lines {
    int64_t d;                /* numbers per row */
    const char *const *names; /* names of the numbers of a row; NULL: unknown, or the order determines them */
    const char *const *known; /* n_known names, one of which a header contains */
    int64_t n_known;
    double *cells; /* n_cells numbers of a line */
    int64_t n_cells, capacity;
    int64_t *from;                    /* number j of a row is cells[from[j]] */
    char *header;                     /* pending header; the first row determines the separator */
    bool has_begun;                   /* a header or a row was read */
    bool knows_first_column;          /* it is known whether the first column contains dates */
    int64_t header_line;              /* its line */
    int64_t line;                     /* lines read */
    char problem[ROW_PROBLEM_LENGTH]; /* reason for a row with missing values or an invalid row */
} row_lines;

/* Both return 0, or the exit status after an error message. A struct initialised with {0} can always be
 * released. The names must outlive the struct. */
int row_lines_begin(row_lines *lines, int64_t d, const char *const *names, const char *const *known,
                    int64_t n_known);
void row_lines_release(row_lines *lines);

/* Parses one line of `length` bytes, including its line end and followed by a zero byte. The line is
 * modified. Before the first row, a line of texts is a header if it contains a known name and d cells; with only some
 * of the names it is an error of the first row. The row is written to x[0 .. d-1], which is unchanged for ROW_NONE and ROW_REFUSED. An invalid
 * line does not change the state. Returns the exit status after an error message. */
int row_lines_take(row_lines *lines, char *line, size_t length, double *x, row_kind *kind);

#endif
