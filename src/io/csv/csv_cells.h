/* src/io/csv/csv_cells.h: what a cell of a CSV file is. */
#ifndef IO_CSV_CELLS_H
#define IO_CSV_CELLS_H

#include "volterra/status.h"

#include <stdint.h>

typedef enum volt_cell {
    VOLT_CELL_NUMBER,  /* also infinite ones and those too large for a double */
    VOLT_CELL_MISSING, /* empty, NA, N/A, #N/A, NaN, null, none, ?, in any case */
    VOLT_CELL_DATE, /* 2019-04-09, 2019/4/9, 09.04.2019, 2019-04, 2019Q2, 12:30, each date with or without a time */
    VOLT_CELL_TEXT
} volt_cell;

/* What `text` (with a zero byte behind it) is; *value is set for a number. */
volt_cell volt_cell_read(const char *text, double *value);

/* The two halves of that, for callers that know more. */
int volt_cell_is_missing(const char *text);
int volt_cell_is_date(const char *text);

/* VOLT_OK for a finite number. Otherwise what ails a cell of that kind, VOLT_ERR_NOT_FINITE or VOLT_ERR_FORMAT, and in
 * *problem how the sentence "'abc' ..." goes on: "is not a number". */
volt_status volt_cell_check(volt_cell kind, double value, const char **problem);

/* Is a row of these kinds a header, not data: does it hold a text? */
int volt_cells_are_header(const char *const *texts, int64_t count);

#endif
