/* volterra/io.h: read and write matrices as CSV, NPY and MAT files; times, text files and collections of series.
 *
 *     volt_table *table = NULL;
 *     volt_status status = volt_table_read("data.csv:z1..z5", NULL, &table);
 *     ... volt_table_view(table) is rows x cols ...
 *     volt_table_free(table);
 *
 * A source is PATH or PATH:COLUMNS, where PATH ends in .csv (also .txt, .tsv, .dat), .npy or .mat, or
 * is "-" (CSV on standard input). COLUMNS is a comma-separated list of
 *     name          one column
 *     first..last   a range of columns, both ends included
 *     h*, z?        all columns that match the pattern
 * in the given order. A column selected twice is kept once, at its first position. Without COLUMNS all columns are read.
 * Columns of a file without a header are named 1, 2, 3, ... Columns of a MAT file are named after their variable, with the
 * suffix _1, _2, ... if the variable has several columns; the name of the variable selects all of them.
 *
 * The CSV format is detected: cells separated by comma, semicolon, tab or blanks, quoted cells, an optional header (a first
 * row with text), a comma at the end of every line, blank lines, a byte order mark. Unless commas separate the cells, numbers
 * may have a decimal comma (1,5 or 1.234,5) if none has a decimal point. If all numbers of a column have at most three digits
 * or groups of three digits (996 and 1.045), and other columns do not show the decimal mark, the column is an error unless the
 * options determine the marks. A column of dates or times is skipped; selecting it by name is an error. Unless selected by
 * name, a column of increasing years or months in digits (1871, 187104) is also skipped if it is named year, month, quarter,
 * period, date, datetime, timestamp, time or ds. The same applies to any column of increasing days in digits (18710409), and
 * of consecutive months or quarters of several years (1871.04, 1871.4, 4.1871, 04.71). The first skipped column is stored
 * separately, as the times of the rows. Unselected columns are ignored. */
#ifndef VOLTERRA_IO_H
#define VOLTERRA_IO_H

#include "volterra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Treatment of missing values in selected columns: an empty cell, NA, N/A, NaN, null, none or ?, in upper or lower case. */
typedef enum volt_missing {
    VOLT_MISSING_ERROR, /* VOLT_ERR_NOT_FINITE; the message names line and column */
    VOLT_MISSING_KEEP,  /* NaN in the table, for volt_tables_clean */
    VOLT_MISSING_DROP,  /* drop the row */
    /* linear interpolation; before the first and after the last value of a column, that value. A column without values
     * is an error */
    VOLT_MISSING_INTERPOLATE,
    VOLT_MISSING_DROP_FIRST /* two tables: drop rows with missing values in the first; NaN in the second */
} volt_missing;

/* A time, in seconds since 1970-01-01 00:00: `clock` is local time as written in the text, `seconds` is UTC. The two are
 * equal if the text has no time zone. */
typedef struct volt_time {
    double seconds, clock;
} volt_time;

/* A matrix with column names. Read the fields, do not change them. */
typedef struct volt_table {
    size_t struct_size;
    int64_t rows, cols;
    double *values;        /* [array rows, cols] */
    char **names;          /* [array cols] */
    int has_header;        /* names come from the file [flag] */
    int64_t dropped;       /* rows dropped because of missing values */
    int64_t interpolated;  /* values interpolated between two others */
    int64_t filled_before; /* values filled in before the first of their column ... */
    int64_t filled_behind; /* ... and after the last */
    int64_t filled_column; /* column with the most values filled in at its ends */
    int64_t file_rows;     /* rows of the file, read or not */
    int64_t *row_numbers;  /* index of each row in the file, from 0 [array rows] */
    char *time_name;       /* name of the first column of dates or times, which is not in `values`; or NULL */
    char **time_texts;     /* its cells, or NULL [array rows] */
    volt_time *times;      /* its times; NULL: no time column, or volt_times_parse rejects it [array rows] */
    /* line of each row in a CSV file with times or with keep_faults; otherwise NULL [array rows] */
    int64_t *lines;
    char **faults; /* with keep_faults, the fault of a cell of the row, or NULL; NULL: no faults [array rows] */
    int64_t
        inserted; /* rows inserted by volt_tables_fill, with the number and the line of the row before them */
} volt_table;

/* Selection of rows and columns. Start from volt_read_options_default: everything, missing values are an error. */
typedef struct volt_read_options {
    size_t struct_size;
    volt_missing missing;
    int64_t first, end; /* rows first <= t < end, counted from 0; negative: counted from the end */
    /* (optional) names: only these of the selected columns are read, in this order. Columns of which none has one of
     * the names are read by position, with a warning to the log; see volt_columns_match [array n_names] */
    const char *const *names;
    int64_t n_names;
    /* (optional) name of the column of times of a CSV file, whatever its cells; NULL: the first column of dates or times */
    const char *time_name;
    /* 1: in a CSV file, a cell that is neither missing nor a finite number is INFINITY in the table, and `faults` has the
     * reason, such as "'x' is not a number"; 0 (default): an error */
    int keep_faults;
    /* (optional) decimal mark of a CSV file, "." or ",", and separator of its thousands, ".", ",", " " or "'". NULL: detected.
     * With one of them, the other one is the other mark (the decimal mark is a point with thousands " " and "'"). */
    const char *decimal, *thousands;
} volt_read_options;
#define VOLT_LAST_ROW INT64_MAX /* value of `end`: up to the last row */
VOLT_API volt_read_options volt_read_options_default(void);

/* Reads a source. options NULL: all rows and columns, missing values are an error. Unselected rows and columns are ignored.
 * Row numbers refer to the file, before any row is dropped. VOLT_ERR_IO: the file cannot be read; VOLT_ERR_FORMAT: damaged,
 * ragged or empty file, text or an ambiguous number in a cell (unless keep_faults), unknown column (the message suggests the closest name);
 * VOLT_ERR_SHAPE: rows out of range; VOLT_ERR_NOT_FINITE: missing values as above, and infinite values. */
VOLT_API volt_status volt_table_read(const char *source, const volt_read_options *options, volt_table **table);
VOLT_API void volt_table_free(volt_table *table);

static inline volt_view volt_table_view(const volt_table *table)
{
    return volt_view_of(table->values, table->rows, table->cols);
}

/* Matches the columns of data with those that a model requires, by name: from[k] receives the index, among n columns, of the
 * column wanted[k]. A name that occurs twice in `wanted` refers to two columns, in their order; further columns are ignored. If
 * none of the names is known and the numbers agree, the columns are matched by position and *by_position is 1: warn the user.
 * names or wanted NULL: columns without names, by position with *by_position 0. VOLT_ERR_FORMAT if only some of the names are
 * known, or the numbers of columns differ; the message lists both. */
VOLT_API volt_status volt_columns_match(const char *const *names, int64_t n, const char *const *wanted,
                                        int64_t n_wanted, int64_t *from, int *by_position);

/* Reads one column of a file as text, such as the record of each row. `source` is PATH:COLUMN; with PATH only, the file must
 * have one column or a column named series. Numbers of NPY and MAT files are formatted as text. Free *texts with volt_free
 * (one block). *table (may be NULL) receives a table of these rows for volt_tables_align (task.h), with the times of a CSV file that has
 * dates; its values are undefined. Status as above; an empty cell is VOLT_ERR_FORMAT. */
VOLT_API volt_status volt_texts_read(const char *source, char ***texts, int64_t *rows, volt_table **table);

/* Numbers n texts such as class labels from 0. `distinct` (room for n) receives the *count distinct ones, in order: numbers by
 * value, then other texts by their bytes; `numbers` (n) the index of each text among them. VOLT_ERR_ARGUMENT. */
VOLT_API volt_status volt_texts_number(const char *const *texts, int64_t n, const char **distinct,
                                       int64_t *count, int64_t *numbers);

/* Applies `missing` (not KEEP) to one table, or to two that were read with KEEP and have the same rows. DROP drops rows in
 * which either has a missing value. `second` may be NULL. With n_records > 0 the rows are consecutive records of these
 * lengths: interpolation does not cross records, and a column without values in a record is an error. VOLT_ERR_SHAPE if the
 * numbers of rows differ or the lengths do not add up. */
VOLT_API volt_status volt_tables_clean(volt_table *first, volt_table *second, volt_missing missing,
                                       const int64_t *records, int64_t n_records);

typedef struct volt_write_options {
    size_t struct_size;
    /* (optional) name of a first column of text, such as times; CSV only, other formats omit it */
    const char *label_name;
    const char *const *labels; /* (optional) volt_table_write: the texts, one for each row [array n] */
    volt_progress progress;
} volt_write_options;

/* Writes a matrix. The extension selects the format (.npy, .mat, otherwise CSV); "-" is CSV on standard output. names (cols
 * of them, may be NULL) are the header of a CSV, omitted if all of them are numbers, because they would be read as a row. NPY
 * files are '<f8' in C order; MAT files are version 5 with one variable, data. The file is replaced atomically. options may be
 * NULL. VOLT_ERR_IO, VOLT_ERR_ARGUMENT, VOLT_ERR_CANCELLED. */
VOLT_API volt_status volt_table_write(const char *path, volt_view values, const char *const *names,
                                      const volt_write_options *options);

/* Writer of a CSV or NPY file of `rows` x `cols` numbers, piece by piece. The file is replaced when the writer is closed.
 * Names and options as above; names must stay valid during this call. VOLT_ERR_ARGUMENT for a MAT file, which cannot be
 * written in pieces. */
typedef struct volt_table_writer volt_table_writer;
VOLT_API volt_status volt_table_writer_open(const char *path, int64_t rows, int64_t cols,
                                            const char *const *names, const volt_write_options *options,
                                            volt_table_writer **writer);
/* Writes the next rows, with labels if label_name is set. VOLT_ERR_SHAPE: wrong number of columns, or more than `rows` rows. */
VOLT_API volt_status volt_table_writer_rows(volt_table_writer *writer, volt_view values,
                                            const char *const *labels);
/* Frees the writer (NULL has no effect). With keep = 1 the file is replaced; VOLT_ERR_SHAPE if rows are missing. With keep = 0,
 * and on failure, the old file is kept. */
VOLT_API volt_status volt_table_writer_close(volt_table_writer *writer, int keep);

/* Reads one line of CSV into row[0 .. cols-1]; dates are skipped. `missing` is VOLT_MISSING_ERROR or VOLT_MISSING_KEEP (a
 * missing value is NaN). VOLT_ERR_FORMAT or VOLT_ERR_NOT_FINITE; the message names the column. */
VOLT_API volt_status volt_csv_parse_row(const char *line, int64_t cols, volt_missing missing, double *row);

/* Splits one line of CSV into cells, without quotes and padding, as volt_csv_parse_row does. count is at least 1 unless the
 * line is blank. `next` (may be NULL) is the following line: the separator is then one that splits both consistently. Free
 * *cells with volt_free (one block). VOLT_ERR_FORMAT for an unclosed quote. */
VOLT_API volt_status volt_csv_split_line(const char *line, const char *next, char ***cells, int64_t *count);

/* ---- times ------------------------------------------------------------------------------------ */

enum { VOLT_TIME_LENGTH = 128, VOLT_CALENDAR_NAME_LENGTH = 16, VOLT_CALENDAR_COLUMNS = 10 };

/* Parses a column of times: 2019-04-09, 2019/4/9, 20190409, 09.04.2019, 9 Apr 2019, 09-Apr-19 or April 9, 2019; months as
 * 2019-04, 2019/04, 201904, 2019M04, 04/2019, 04.2019, Apr 2019 or Apr-19, weeks as 2019-W15, quarters as 2019Q2 or Q2 2019 and
 * years as 2019 (their first day); or 9/4/2019 if a number above 12 in one of the texts determines which is the day, or only one
 * order of day and month gives (at least 3) rows with the same step, or both give the same dates. Increasing numbers of at least
 * two rows may also be 09042019, 2019.04 or 2019.4, 4.2019 or 04.19, and quarters as 2019.2. Names of months are English; years
 * of two digits are 1969 to 2068. A date may have a time of day: 12:30, 12:30:05, 12:30:05.25, AM or PM, Z, UTC, +01:00. VOLT_ERR_FORMAT if a text is
 * not a date or is ambiguous; `times` is then undefined. */
VOLT_API volt_status volt_times_parse(const char *const *texts, int64_t n, volt_time *times);

/* Returns the row whose text is the best form for later times: the last of the shortest texts (4/9/2019, not 10/9/2019) in
 * which the order of day and month is not open. */
VOLT_API int64_t volt_times_form_row(const char *const *texts, int64_t n);

/* Formats `time` in the form and time zone of the text `like`, whose time is like_time; as 2019-04-09 if the order of day and
 * month in `like` is unknown and matters. VOLT_ERR_FORMAT. */
VOLT_API volt_status volt_time_write_like(const char *like, volt_time like_time, volt_time time,
                                          char text[VOLT_TIME_LENGTH]);

/* Time between two rows, in seconds or calendar months; all zero: unknown. */
typedef struct volt_time_step {
    double seconds;
    int64_t months;
    int is_month_end; /* 1: the last day of the month */
    /* steps up to a day: bit k: weekday k (Monday 0) has no rows and is skipped; months: the last open weekday of the month
     * with is_month_end, otherwise the first [count 0 to 127] */
    int closed_weekdays;
} volt_time_step;

static inline int volt_time_step_is_known(volt_time_step step)
{
    return step.months > 0 || step.seconds > 0;
}

/* Regular times of rows, as volt_times_check finds them. */
typedef struct volt_time_grid {
    volt_time_step step; /* all zero: no regular step */
    int closes_nightly;  /* 1: most nights have no rows */
} volt_time_grid;

/* Times of training rows. */
typedef struct volt_training_times {
    volt_time end;       /* time of the last input; NaN: unknown */
    volt_time target;    /* time of the last target; NaN: unknown */
    volt_time_step step; /* all zero: unknown */
} volt_training_times;

/* Returns the time `count` steps later. Closed weekdays are skipped; holidays are not known. */
VOLT_API volt_time volt_time_advance(volt_time time, volt_time_step step, int64_t count);

/* Cyclic calendar columns. `parts` is a comma-separated list of minute (of the hour), hour (of the day), weekday, month and
 * yearday: "hour,weekday". Each part has two columns, scale sin(2 pi s) and scale cos(2 pi s), where s is the elapsed fraction
 * of its period in local time: hours include their minutes, the others count whole days or months. */
typedef struct volt_calendar {
    const char *parts; /* set by the caller */
    /* set by the caller; 0: by volt_calendar_columns, so that a sine has the standard deviation of `inputs`, 1 without them.
     * All inputs of a kernel have one scale: columns of amplitude 1 are negligible next to loads of 30000 */
    double scale;
    volt_view inputs; /* (optional) set by the caller */
    int64_t cols;
    char names[VOLT_CALENDAR_COLUMNS][VOLT_CALENDAR_NAME_LENGTH]; /* hour.sin, hour.cos, ... [array cols] */
} volt_calendar;
/* Sets the number, the names and the scale of the columns, and computes them for out.rows times into out (rows x cols; without
 * data: no columns). VOLT_ERR_ARGUMENT, also for an unknown or repeated part; VOLT_ERR_SHAPE. */
VOLT_API volt_status volt_calendar_columns(volt_calendar *calendar, const volt_time *times, volt_matrix out);

/* ---- texts ------------------------------------------------------------------------------------ */

/* Read and write a whole text file (BEKK parameters, reports); "-" is standard input or output. Free *text with volt_free.
 * A file is replaced atomically. VOLT_ERR_IO, VOLT_ERR_MEMORY; VOLT_ERR_FORMAT for a file with a zero byte. */
VOLT_API volt_status volt_text_read(const char *path, char **text);
VOLT_API volt_status volt_text_write(const char *path, const char *text);

/* ---- collections of series -------------------------------------------------------------------- */

/* A collection of series, e.g. for classification. Lengths (rows) may differ; all series have the same channels. Read the
 * fields, do not change them. */
typedef struct volt_collection {
    size_t struct_size;
    int64_t count, channels;
    volt_view *series; /* count views, each rows x channels; the collection owns their memory [other] */
    char **labels;     /* count class labels, or NULL [array count] */
    char **names;      /* channel names, or NULL [array channels] */
} volt_collection;

/* Reads .ts (UEA archive, multivariate and univariate), .npy (series x time x channels; a 2-D array is a collection
 * of univariate series), or a long CSV with a column `series` and one column per channel, rows in time order; "-" is a long
 * CSV on standard input. Lengths may differ in .ts and CSV files. In a CSV, the cells of the column `series` are compared as
 * text, rows of one series need not be adjacent, and series are in order of first appearance. The target of a regression
 * problem in a .ts file is its label. VOLT_ERR_IO; VOLT_ERR_FORMAT (the message names the line); VOLT_ERR_NOT_FINITE for a
 * missing or infinite value (the message names its position); VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_collection_read(const char *path, volt_collection **collection);
VOLT_API void volt_collection_free(volt_collection *collection);

#ifdef __cplusplus
}
#endif
#endif
