/* volterra/io.h: matrices from and to files: CSV, NPY, MAT.
 *
 *     volt_table *table = NULL;
 *     volt_status status = volt_table_read("data.csv:z1..z5", NULL, &table);
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
 * A column of dates or times is not data: it is left out unless it is named, which is an error. A column called year,
 * date, time, datetime or timestamp of rising years, 1871, is left out too, unless it is named. The first such column is
 * kept beside the data, as the time of the rows. What stands in columns that were not asked for does not matter. */
#ifndef VOLTERRA_IO_H
#define VOLTERRA_IO_H

#include "volterra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to do with a missing value in a column that was asked for: an empty cell, NA, N/A, NaN, null, none, ?,
 * in any case. */
typedef enum volt_missing {
    VOLT_MISSING_ERROR,       /* VOLT_ERR_NOT_FINITE; the sentence names line and column */
    VOLT_MISSING_KEEP,        /* NaN in the table, for the two functions below */
    VOLT_MISSING_DROP,        /* leave the row out */
    VOLT_MISSING_INTERPOLATE, /* on the line between the neighbours; before the first value of a column and behind its
                               * last, where there is one neighbour only, that one. A column without any value is an
                               * error */
    VOLT_MISSING_DROP_FIRST /* of two tables: leave out the rows in which the first has a hole; NaN in the second */
} volt_missing;

/* A moment, in seconds since 1970-01-01 00:00: `clock` is what the clock shows where the text was written, `seconds` the
 * same in UTC. They are one where the text names no zone. */
typedef struct volt_time {
    double seconds, clock;
} volt_time;

/* A matrix with column names. Read the fields, do not change them. */
typedef struct volt_table {
    size_t struct_size;
    int64_t rows, cols;
    double *values;        /* rows x cols */
    char **names;          /* cols */
    int has_header;        /* names come from the file */
    int64_t dropped;       /* rows left out because a value was missing */
    int64_t interpolated;  /* values filled in between two others */
    int64_t filled_before; /* values filled in before the first of their column ... */
    int64_t filled_behind; /* ... and behind the last */
    int64_t filled_column; /* the column with most of those two, when there are some */
    int64_t file_rows;     /* rows of the file, whether they were read or not */
    int64_t *row_numbers;  /* rows: which row of the file each is, from 0 */
    char *time_name;       /* of the first column of dates or times, which is no column of `values`, or NULL */
    char **time_texts;     /* rows of its texts, or NULL */
    volt_time *times;      /* rows of moments; NULL: no such column, or one that volt_times_parse refuses */
} volt_table;

/* What to read of a file. Begin with volt_read_options_default: everything, and a missing value is an error. */
typedef struct volt_read_options {
    size_t struct_size;
    volt_missing missing;
    int64_t first, end; /* rows first <= t < end, counted from 0; below 0: from the last row on backwards */
    const char *const
        *names;      /* (optional) where all of these are among the columns that the source asks for, they */
    int64_t n_names; /* alone are read, in this order */
} volt_read_options;
#define VOLT_LAST_ROW INT64_MAX /* as `end`: up to the last row */
VOLT_API volt_read_options volt_read_options_default(void);

/* Reads a source. options NULL: all rows and columns, and a missing value is an error. Values in rows and columns that are not
 * selected are ignored. Rows are those of the file, counted before any is dropped. VOLT_ERR_IO: no such file, not readable;
 * VOLT_ERR_FORMAT: damaged, ragged, text in a cell, no such column (the message names the nearest), empty;
 * VOLT_ERR_SHAPE: no such rows; VOLT_ERR_NOT_FINITE: see above, and for every infinite value. */
VOLT_API volt_status volt_table_read(const char *source, const volt_read_options *options, volt_table **table);
VOLT_API void volt_table_free(volt_table *table);

static inline volt_view volt_table_view(const volt_table *table)
{
    return volt_view_of(table->values, table->rows, table->cols);
}

/* One column of a file as texts, for every row of it: which record a row belongs to, say. `source` is PATH:COLUMN, or PATH,
 * whose only column it is then, or the one named series. Numbers of NPY and MAT files are written as text. One block:
 * free *texts with volt_free. Status as above; an empty cell is VOLT_ERR_FORMAT. */
VOLT_API volt_status volt_texts_read(const char *source, char ***texts, int64_t *rows);

/* Applies `missing` (not KEEP) to one table, or to two that were read with KEEP and have the same rows: DROP leaves out the
 * rows in which either has a missing value. `second` may be NULL. With n_records > 0 the rows are records of these lengths, one
 * after the other: values are interpolated within a record only, and a column without any value in a record is an error.
 * VOLT_ERR_SHAPE when the numbers of rows differ, or the lengths do not add up to the rows. */
VOLT_API volt_status volt_tables_clean(volt_table *first, volt_table *second, volt_missing missing,
                                       const int64_t *records, int64_t n_records);

typedef struct volt_write_options {
    size_t struct_size;
    const char *
        label_name; /* (optional) name of a first column of texts, such as times; CSV only, other formats omit it */
    const char *const *labels; /* (optional) volt_table_write: the texts, one for each row */
    volt_progress progress;
} volt_write_options;
VOLT_API volt_write_options volt_write_options_default(void);

/* Writes a matrix; the format follows the extension (.npy, .mat, anything else CSV), "-" is CSV on
 * standard output. names (cols of them, may be NULL) become the header of a CSV, unless all of them are
 * numbers: that would read back as a row. NPY files are '<f8' in C order; MAT files are version 5 with one
 * variable, data. The file is replaced as a whole or not at all. options may be NULL. VOLT_ERR_IO, VOLT_ERR_ARGUMENT,
 * VOLT_ERR_CANCELLED. */
VOLT_API volt_status volt_table_write(const char *path, volt_view values, const char *const *names,
                                      const volt_write_options *options);

/* A file of `rows` x `cols` numbers that is written piece by piece, CSV or NPY. It replaces the old file when it is closed.
 * Names and options as above; names must stay valid during this call. VOLT_ERR_ARGUMENT also for a MAT file, which is
 * written as a whole. */
typedef struct volt_table_writer volt_table_writer;
VOLT_API volt_status volt_table_writer_open(const char *path, int64_t rows, int64_t cols,
                                            const char *const *names, const volt_write_options *options,
                                            volt_table_writer **writer);
/* The next rows, with a label each where there are labels. VOLT_ERR_SHAPE: other columns, or more rows than were announced. */
VOLT_API volt_status volt_table_writer_rows(volt_table_writer *writer, volt_view values,
                                            const char *const *labels);
/* Frees the writer (NULL has no effect). With keep = 1 the file is put in place; VOLT_ERR_SHAPE when rows are missing. With
 * keep = 0, and on failure, the old file stays. */
VOLT_API volt_status volt_table_writer_close(volt_table_writer *writer, int keep);

/* Reads one line of CSV into row[0 .. cols-1]; dates are skipped. `missing` is VOLT_MISSING_ERROR or VOLT_MISSING_KEEP (a
 * missing value is NaN). VOLT_ERR_FORMAT or VOLT_ERR_NOT_FINITE; the message names the column. */
VOLT_API volt_status volt_csv_parse_row(const char *line, int64_t cols, volt_missing missing, double *row);

/* The cells of one line of CSV, without quotes and padding, divided as volt_csv_parse_row divides it; count is at least
 * 1 unless the line is blank. `next`, which may be NULL, is a line that follows it: what separates cells then is what
 * divides both alike. One block: free *cells with volt_free. VOLT_ERR_FORMAT when a quote is never closed. */
VOLT_API volt_status volt_csv_split_line(const char *line, const char *next, char ***cells, int64_t *count);

/* ---- times ------------------------------------------------------------------------------------ */

enum { VOLT_TIME_LENGTH = 64, VOLT_CALENDAR_NAME_LENGTH = 16, VOLT_CALENDAR_COLUMNS = 10 };

/* The moments of a column of texts: 2019-04-09, 2019/4/9, 2019-04, 2019Q2 and 2019 (their first day), 09.04.2019, or 9/4/2019
 * where one of the texts has a number above 12 that settles which is the day; each date with or without a time of day:
 * 12:30, 12:30:05, 12:30:05.25, AM or PM, Z, UTC, +01:00. VOLT_ERR_FORMAT when a text is no date or may be two; `times`
 * is then undefined. */
VOLT_API volt_status volt_times_parse(const char *const *texts, int64_t n, volt_time *times);

/* 2019-04-09, 2019-04-09 12:30, with seconds and offset where there are any; reads back as the same to 1e-6 s. Returns `text`. */
VOLT_API const char *volt_time_format(volt_time time, char text[VOLT_TIME_LENGTH]);

/* `time` in the form and the zone of the text `like`, which is the moment like_time. VOLT_ERR_FORMAT. */
VOLT_API volt_status volt_time_write_like(const char *like, volt_time like_time, volt_time time,
                                          char text[VOLT_TIME_LENGTH]);

/* From a row to the next: so many seconds, or calendar months; all zero: not known. */
typedef struct volt_time_step {
    double seconds;
    int64_t months;
    int is_month_end; /* to the last day of the month */
} volt_time_step;

/* The step that at least nineteen of twenty rows have; none (all zero) when there is no such. VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_time_step_find(const volt_time *times, int64_t n, volt_time_step *step);
static inline int volt_time_step_is_known(volt_time_step step)
{
    return step.months > 0 || step.seconds > 0;
}

/* `count` steps later. */
VOLT_API volt_time volt_time_advance(volt_time time, volt_time_step step, int64_t count);
/* "3600 s", "1 month", "3 months to the last day": one reads what the other writes. VOLT_ERR_FORMAT. */
VOLT_API const char *volt_time_step_format(volt_time_step step, char text[VOLT_TIME_LENGTH]);
VOLT_API volt_status volt_time_step_parse(const char *text, volt_time_step *step);

/* Cyclic columns of the calendar. `parts` is a list of minute (of the hour), hour (of the day), weekday, month and yearday,
 * with commas between: "hour,weekday". Each is two columns, scale sin(2 pi s) and scale cos(2 pi s), s the share of its
 * round that has gone by the clock: hours with their minutes, the others by whole days or months. */
typedef struct volt_calendar {
    int64_t cols;
    char names[VOLT_CALENDAR_COLUMNS][VOLT_CALENDAR_NAME_LENGTH]; /* hour.sin, hour.cos, ... */
} volt_calendar;
/* VOLT_ERR_ARGUMENT for a list that names an unknown part, or one twice. */
VOLT_API volt_status volt_calendar_parse(const char *parts, volt_calendar *calendar);
/* out.rows times into out (rows x cols of the list). VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE. */
VOLT_API volt_status volt_calendar_columns(const volt_time *times, const char *parts, double scale,
                                           volt_matrix out);

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
    size_t struct_size;
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
