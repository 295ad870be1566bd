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

/* Reads `columns` (NULL: all data columns) of a file, restricted by `options`. A missing value is an error
 * with VOLT_MISSING_ERROR and otherwise NaN in the table; volt_tables_clean drops or fills them. */
volt_status volt_csv_read(const char *path, const char *columns, const volt_read_options *options,
                          volt_table **table);

/* Appends the header to `file`, which records failed writes (see io/file/atomic_file.h), and then rows, in
 * any number of pieces. names may be NULL; label_name, NULL without labels, names a first column of texts. */
void volt_csv_write_header(volt_atomic_file *file, int64_t cols, const char *const *names,
                           const char *label_name);
void volt_csv_write_rows(volt_atomic_file *file, volt_view values, const char *const *labels);

/* ---- classification of CSV cells --------------------------------------------------------------- */

typedef enum volt_cell {
    VOLT_CELL_NUMBER,  /* also infinite and overflowing ones */
    VOLT_CELL_MISSING, /* empty, NA, N/A, #N/A, NaN, null, none, ?, in any case */
    VOLT_CELL_DATE,    /* of a form of volt_time_text_read */
    VOLT_CELL_TEXT
} volt_cell;

/* The kind of `text` (zero-terminated); *value is set for a number. */
volt_cell volt_cell_read(const char *text, double *value);

/* The two parts of volt_cell_read. */
int volt_cell_is_date(const char *text);

/* The decimal mark and the separator of thousands of a file; 0: none. */
typedef struct volt_cell_marks {
    char decimal, thousands;
} volt_cell_marks;

/* The number of groups of three digits behind `mark`, if the text has no other mark: 1 for 1.045, 2 for 1.045.000, 0 for 996;
 * -1: another text. */
int volt_cell_groups(const char *text, char mark);

/* VOLT_OK for a finite number. Otherwise VOLT_ERR_NOT_FINITE or VOLT_ERR_FORMAT, with the rest of the
 * message "'abc' ..." in *problem, e.g. "is not a number". */
volt_status volt_cell_check(volt_cell kind, double value, const char **problem);

/* ---- one column of a CSV file, as texts -------------------------------------------------------- */

/* Reads the column named by `selection`; NULL: the only column, or `series`. One block: free *texts with
 * volt_free. VOLT_ERR_IO, VOLT_ERR_MEMORY; VOLT_ERR_FORMAT, with the file name, also for an empty cell. */
volt_status volt_csv_column_texts(const char *path, const char *selection, char ***texts, int64_t *rows);

/* ---- the times of the rows of a CSV file, kept as text ----------------------------------------- */

/* A column kept as text: one block with the pointers, followed by the texts. */
typedef struct volt_csv_texts {
    int64_t column; /* of the file; -1: none */
    char **texts;
    char *next; /* position of the next text */
    char *end;  /* end of the block */
} volt_csv_texts;

/* Allocates `rows` texts of `bytes` bytes in total, including zero bytes. VOLT_ERR_MEMORY. */
volt_status volt_csv_texts_begin(volt_csv_texts *kept, int64_t column, int64_t rows, int64_t bytes);
/* False when the texts exceed the bytes given to volt_csv_texts_begin. */
bool volt_csv_texts_put(volt_csv_texts *kept, int64_t row, const char *text, size_t length);

/* ---- libcsv over a text, with the line numbers of the file ------------------------------------- */

/* Callbacks. Lines count from 1, including quoted line breaks; columns count from 0. A status other than
 * VOLT_OK ends the pass. Blank lines are not rows. */
typedef struct volt_csv_events {
    /* A cell without quotes and padding, zero-terminated, and the line on which it begins. */
    volt_status (*cell)(void *context, int64_t line, int64_t column, const char *text, size_t length);
    /* The end of a row, and the line it began on. */
    volt_status (*row)(void *context, int64_t line, int64_t n_cells);
    void *context;
} volt_csv_events;

/* VOLT_ERR_FORMAT when a quote is never closed, VOLT_ERR_MEMORY, the status of a callback, or of
 * csv_feed_next. */
volt_status volt_csv_walk(const volt_csv_text *csv, const volt_csv_events *events);

#endif
