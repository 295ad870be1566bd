/* src/io/csv/csv_cells.h: what a cell of a CSV file is, and what separates cells. */
#ifndef IO_CSV_CELLS_H
#define IO_CSV_CELLS_H

#include <stddef.h>
#include <stdint.h>

typedef enum volt_cell {
    VOLT_CELL_NUMBER,  /* also infinite ones and those too large for a double */
    VOLT_CELL_MISSING, /* empty, NA, N/A, #N/A, NaN, null, none, ?, in any case */
    VOLT_CELL_DATE,    /* 2019-04-09, 2019/4/9, 09.04.2019, 2019-04, 12:30, each date with or without a time */
    VOLT_CELL_TEXT
} volt_cell;

/* What `text` (with a zero byte behind it) is; *value is set for a number. */
volt_cell volt_cell_read(const char *text, double *value);

/* The two halves of that, for callers that know more. */
int volt_cell_is_missing(const char *text);
int volt_cell_is_date(const char *text);

/* Is a row of these kinds a header, not data: does it hold a text? */
int volt_cells_are_header(const char *const *texts, int64_t count);

/* The character that separates cells, from the first lines of a text: a tab, a semicolon or a comma, whichever
 * divides them all into the same number of cells; ' ' for cells separated by white space; ',' otherwise. */
char volt_csv_delimiter(const char *text, int64_t size);

/* Rewrite cells separated by white space in place so that one blank stands between two cells and none at
 * either end of a line. Returns the new size; lines stay lines. */
int64_t volt_csv_squeeze(char *text, int64_t size);

#endif
