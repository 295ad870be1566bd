/* src/io/csv/csv.h: tables from and to CSV files. */
#ifndef IO_CSV_H
#define IO_CSV_H

#include "io/csv/csv_text.h"
#include "io/file/atomic_file.h"
#include "io/time/time_text.h"
#include "volterra/io.h"
#include "volterra/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read `columns` (NULL: all that are data) of a file, and of those what `options` ask for. A missing value is an error with
 * VOLT_MISSING_ERROR and NaN in the table otherwise: dropping and filling in is left to volt_tables_clean. */
volt_status volt_csv_read(const char *path, const char *columns, const volt_read_options *options,
                          volt_table **table);

/* Append the header to `file`, which keeps failed writes (see io/file/atomic_file.h), and then rows, in as many pieces as there
 * are. names may be NULL; label_name, NULL without labels, is that of a first column of texts. */
void volt_csv_write_header(volt_atomic_file *file, int64_t cols, const char *const *names,
                           const char *label_name);
void volt_csv_write_rows(volt_atomic_file *file, volt_view values, const char *const *labels);

/* ---- what a cell of a CSV file is -------------------------------------------------------------- */

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

/* ---- one column of a CSV file, as texts -------------------------------------------------------- */

/* The column that `selection` names; NULL: the only one, or `series`. One block: free *texts with volt_free. VOLT_ERR_IO,
 * VOLT_ERR_MEMORY; VOLT_ERR_FORMAT, with the file, for an empty cell too. */
volt_status volt_csv_column_texts(const char *path, const char *selection, char ***texts, int64_t *rows);

/* ---- the times of the rows of a CSV file, kept as text beside the numbers ---------------------- */

/* A column kept as text: one block, the pointers and behind them the texts. */
typedef struct volt_csv_texts {
    int64_t column; /* of the file; -1: none */
    char **texts;
    char *next; /* where the next text goes ... */
    char *end;  /* ... and where the block ends */
} volt_csv_texts;

/* Room for `rows` texts of `bytes` bytes, their zero bytes included. VOLT_ERR_MEMORY. */
volt_status volt_csv_texts_begin(volt_csv_texts *kept, int64_t column, int64_t rows, int64_t bytes);
/* False: there is no room, as there are more bytes than volt_csv_texts_begin was told. */
bool volt_csv_texts_put(volt_csv_texts *kept, int64_t row, const char *text, size_t length);

/* Hand the dates over to `table`, which has as many rows, as its times under `name`, each with the time of day behind it
 * that stands in a column of its own; `order` is what the file says about days and months. Texts that are no moments stay texts. `dates` is empty afterwards.
 * VOLT_ERR_MEMORY. */
volt_status volt_csv_times_finish(volt_csv_texts *dates, const volt_csv_texts *clocks, const char *name,
                                  volt_date_order order, volt_table *table);

/* ---- libcsv over a text, with the line numbers of the file ------------------------------------- */

/* What to call. Lines count from 1, quoted line breaks included; columns count from 0. A status other than
 * VOLT_OK ends the walk. Blank lines are no rows. */
typedef struct volt_csv_events {
    /* A cell without its quotes and padding, with a zero byte behind it, and the line it begins on. */
    volt_status (*cell)(void *context, int64_t line, int64_t column, const char *text, size_t length);
    /* The end of a row, and the line it began on. */
    volt_status (*row)(void *context, int64_t line, int64_t n_cells);
    void *context;
} volt_csv_events;

/* VOLT_ERR_FORMAT when a quote is never closed, VOLT_ERR_MEMORY, what an event returned, or what volt_csv_feed_next does. */
volt_status volt_csv_walk(const volt_csv_text *csv, const volt_csv_events *events);

#endif
