/* volterra/io.h: matrices from and to files: CSV, NPY, MAT.
 *
 *     volt_table *table = NULL;
 *     volt_status status = volt_table_read("data.csv:z1..z5", VOLT_MISSING_ERROR, &table);
 *     ... volt_table_view(table) is rows x cols ...
 *     volt_table_free(table);
 *
 * A source is PATH or PATH:COLUMNS, where PATH ends in .csv (also .txt, .tsv, .dat), .npy or .mat, or
 * is "-" (CSV on standard input). COLUMNS is a comma-separated list of
 *     name          that column
 *     first..last   those two and all between
 *     h*, z?        every column that the pattern matches
 * in the order asked; a column asked for twice is kept once, at its first place. Without COLUMNS all columns
 * are read. Columns of a file without a header are named 1, 2, 3, ... A MAT file's columns are named after
 * their variable, with _1, _2, ... behind it when the variable has several columns; the variable's own name
 * stands for all of them.
 *
 * CSV files are read as they are found: comma, semicolon, tab or blanks between cells, quoted cells, a header
 * (a first row that holds a text) or none, a comma at the end of every line, blank lines, a byte order mark.
 * A column of dates or times is not data: it is left out unless it is named, which is an error. What stands in
 * columns that were not asked for does not matter. */
#ifndef VOLTERRA_IO_H
#define VOLTERRA_IO_H

#include "volterra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to do with a missing value in a column that was asked for: an empty cell, NA, N/A, NaN, null, none, ?,
 * in any case. */
typedef enum volt_missing {
    VOLT_MISSING_ERROR,      /* VOLT_ERR_NOT_FINITE; the sentence names line and column */
    VOLT_MISSING_KEEP,       /* NaN in the table, for the two functions below */
    VOLT_MISSING_DROP,       /* leave the row out */
    VOLT_MISSING_INTERPOLATE /* on the line between the neighbours; an error at either end */
} volt_missing;

/* A matrix with column names. Read the fields, do not change them. */
typedef struct volt_table {
    int64_t rows, cols;
    double *values;       /* rows x cols */
    char **names;         /* cols */
    int has_header;       /* names come from the file */
    int64_t dropped;      /* rows left out because a value was missing */
    int64_t interpolated; /* values filled in */
} volt_table;

/* Read a source. VOLT_ERR_IO: no such file, not readable; VOLT_ERR_FORMAT: damaged, ragged, text in a
 * cell, no such column (the sentence names the nearest), empty; VOLT_ERR_NOT_FINITE: see above, and for
 * every infinite value. */
VOLT_API volt_status volt_table_read(const char *source, volt_missing missing, volt_table **table);
VOLT_API void volt_table_free(volt_table *table);

static inline volt_view volt_table_view(const volt_table *table)
{
    return volt_view_of(table->values, table->rows, table->cols);
}

/* Apply `missing` (not KEEP) to one table, or to two that were read with KEEP and belong together row
 * by row: DROP leaves out the rows in which either has a missing value. `second` may be NULL.
 * VOLT_ERR_SHAPE when the numbers of rows differ. */
VOLT_API volt_status volt_tables_clean(volt_table *first, volt_table *second, volt_missing missing);

/* Write a matrix; the format follows the extension (.npy, .mat, anything else CSV), "-" is CSV on
 * standard output. names (cols of them, may be NULL) become the header of a CSV, unless all of them are
 * numbers: that would read back as a row. NPY files are '<f8' in C order; MAT files are version 5 with one
 * variable, data. The file is replaced as a whole or not at all. VOLT_ERR_IO, VOLT_ERR_ARGUMENT. */
VOLT_API volt_status volt_table_write(const char *path, volt_view values, const char *const *names);

/* The same with progress; when it is cancelled (VOLT_ERR_CANCELLED) the old file stays. */
VOLT_API volt_status volt_table_write_watched(const char *path, volt_view values, const char *const *names,
                                              volt_progress progress);

/* One line of CSV into row[0 .. cols-1]; dates are passed over. VOLT_ERR_FORMAT or VOLT_ERR_NOT_FINITE; the
 * sentence names the column, and the caller knows the line. */
VOLT_API volt_status volt_csv_parse_line(const char *line, int64_t cols, double *row);

/* The cells of one line of CSV, without quotes and padding, divided as volt_csv_parse_line divides it; count is at least
 * 1 unless the line is blank. `next`, which may be NULL, is a line that follows it: what separates cells then is what
 * divides both alike. One block: free *cells with volt_free. VOLT_ERR_FORMAT when a quote is never closed. */
VOLT_API volt_status volt_csv_split_line(const char *line, const char *next, char ***cells, int64_t *count);

/* ---- texts ------------------------------------------------------------------------------------ */

/* A whole text file, for formats of other modules (BEKK parameters, reports); "-" is standard input or output. Free
 * *text with volt_free. A file is replaced as a whole or not at all. VOLT_ERR_IO, VOLT_ERR_MEMORY; VOLT_ERR_FORMAT for a
 * file that holds a zero byte. */
VOLT_API volt_status volt_text_read(const char *path, char **text);
VOLT_API volt_status volt_text_write(const char *path, const char *text);

/* ---- collections of series -------------------------------------------------------------------- */

/* A collection of series, e.g. for classification: series s has its own number of rows (time), and all have
 * the same channels. Read the fields, do not change them. */
typedef struct volt_collection {
    int64_t count, channels;
    volt_view *series; /* count views, each rows x channels, into memory that the collection owns */
    char **labels;     /* count class labels; NULL when the file has none */
    char **names;      /* channels names, or NULL */
} volt_collection;

/* Read .ts and .arff (UEA archive, multivariate and univariate), .npy (series x time x channels; a 2-D
 * array is count univariate series), or a long CSV with a column `series` and one column per channel, rows in
 * time order; "-" is a long CSV on standard input. Lengths may differ between the series of a .ts file or a
 * CSV. In a CSV the cells of the column `series` are compared as text, rows of one series need not stand
 * together, and series come in the order in which they first appear. The target of a regression problem in a
 * .ts file is its label.
 * VOLT_ERR_IO; VOLT_ERR_FORMAT (the sentence names the line); VOLT_ERR_NOT_FINITE for a missing or infinite
 * value (the sentence names its place); VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_collection_read(const char *path, volt_collection **collection);
VOLT_API void volt_collection_free(volt_collection *collection);

#ifdef __cplusplus
}
#endif
#endif
