/* src/io/tables.c: tables and columns of texts from a file of any kind, and tables written to one. */
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "base/memory.h"
#include "io/csv/csv.h"
#include "io/file/file_bytes.h"
#include "io/mat/mat.h"
#include "io/npy/npy.h"
#include "io/source.h"
#include "io/table/table.h"
#include "text/text.h"
#include "volterra/io.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- sources ------------------------------------------------------------------------------------ */

/* Splits PATH:COLUMNS. */

static int is_file(const char *path)
{
    return strcmp(path, "-") == 0 || access(path, F_OK) == 0;
}

static int has_known_extension(const char *path)
{
    return volt_file_kind_of(path) != VOLT_FILE_UNKNOWN;
}

/* Cuts `path` at the last colon whose left side passes `test`; -1 when there is none. */
static int64_t cut_at_colon(char *path, int (*test)(const char *))
{
    for (int64_t i = (int64_t)strlen(path) - 1; i > 0; i--) {
        if (path[i] != ':')
            continue;
        path[i] = '\0';
        if (test(path))
            return i;
        path[i] = ':';
    }
    return -1;
}

volt_status volt_source_split(const char *source, char **path, const char **columns)
{
    char *left = volt_strdup(source);
    if (!left)
        return VOLT_ERR_MEMORY;
    int64_t colon = -1;
    if (!is_file(source)) {
        colon = cut_at_colon(left, is_file);
        if (colon < 0)
            colon = cut_at_colon(left, has_known_extension);
    }
    *path = left;
    *columns = colon < 0 ? NULL : source + colon + 1;
    return VOLT_OK;
}

/* ---- reading ------------------------------------------------------------------------------------ */

/* Reads tables of any supported format. */

static volt_status read_kind(volt_file_kind kind, const char *path, const char *columns,
                             const volt_read_options *options, volt_table **table)
{
    switch (kind) {
    case VOLT_FILE_NPY:
        return volt_npy_read(path, columns, options, table);
    case VOLT_FILE_MAT:
        return volt_mat_read(path, columns, options, table);
    case VOLT_FILE_TS:
        return volt_fail(VOLT_ERR_FORMAT,
                         "%s is a collection of series, not one table (gram accepts collections)", path);
    default:
        return volt_csv_read(path, columns, options, table);
    }
}

volt_read_options volt_read_options_default(void)
{
    return (volt_read_options){
        .struct_size = sizeof(volt_read_options), .missing = VOLT_MISSING_ERROR, .end = VOLT_LAST_ROW};
}

static volt_status check_mark(const char *name, const char *mark, const char *allowed)
{
    VOLT_REQUIRE(!mark || (strlen(mark) == 1 && strchr(allowed, *mark)), VOLT_ERR_ARGUMENT,
                 "%s must be one of the characters \"%s\" (got '%.20s')", name, allowed, mark);
    return VOLT_OK;
}

volt_status volt_table_read(const char *source, const volt_read_options *options, volt_table **table)
{
    volt_read_options opts = volt_read_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_read_options"));
    options = &opts;
    VOLT_REQUIRE(source && table, VOLT_ERR_ARGUMENT, "volt_table_read: source and table must not be NULL");
    volt_missing missing = options->missing;
    VOLT_REQUIRE(*source, VOLT_ERR_IO, "the file name is empty");
    VOLT_REQUIRE(missing >= VOLT_MISSING_ERROR && missing <= VOLT_MISSING_INTERPOLATE, VOLT_ERR_ARGUMENT,
                 "volt_table_read: unknown treatment of missing values %d", (int)missing);
    VOLT_REQUIRE(options->n_names >= 0 && (options->n_names == 0 || options->names), VOLT_ERR_ARGUMENT,
                 "n_names must be at least 0, and 0 if names is NULL (got %" PRId64 ")", options->n_names);
    VOLT_TRY(check_mark("decimal", options->decimal, ".,"));
    VOLT_TRY(check_mark("thousands", options->thousands, ".,' "));
    VOLT_REQUIRE(!options->decimal || !options->thousands || strcmp(options->decimal, options->thousands) != 0,
                 VOLT_ERR_ARGUMENT, "decimal and thousands must differ (got '%s' for both)", options->decimal);
    char *path = NULL;
    const char *columns = NULL;
    VOLT_TRY(volt_source_split(source, &path, &columns));

    volt_table *read = NULL;
    volt_status status = read_kind(volt_file_kind_guess(path), path, columns, options, &read);
    if (!status && (missing == VOLT_MISSING_DROP || missing == VOLT_MISSING_INTERPOLATE)) {
        status = volt_tables_clean(read, NULL, missing, NULL, 0);
        if (status)
            volt_fail_prefix(status, "%s", path);
    }
    volt_free(path);
    if (status) {
        volt_table_free(read);
        return status;
    }
    *table = read;
    return VOLT_OK;
}

/* ---- texts -------------------------------------------------------------------------------------- */

/* Reads one column of a file of any supported format as texts. */

static volt_status texts_of_table(const char *source, const volt_table *table, char ***texts)
{
    VOLT_REQUIRE(table->cols == 1, VOLT_ERR_FORMAT,
                 "%s: there are %" PRId64 " columns; the record of a row is one column", source, table->cols);
    char **all = volt_alloc(table->rows, (int64_t)sizeof *all + VOLT_NUMBER_LENGTH);
    if (!all)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < table->rows; i++) {
        all[i] = (char *)(all + table->rows) + i * VOLT_NUMBER_LENGTH;
        volt_format_number(table->values[i], all[i]);
    }
    *texts = all;
    return VOLT_OK;
}

/* Formats a column of numbers as texts. */
static volt_status texts_of_numbers(const char *source, char ***texts, int64_t *rows)
{
    volt_table *table = NULL;
    VOLT_TRY(volt_table_read(source, NULL, &table));
    volt_status status = texts_of_table(source, table, texts);
    if (status == VOLT_OK)
        *rows = table->rows;
    volt_table_free(table);
    return status;
}

/* The rows of the texts. Their times are read like those of numbers, whatever the cells of the column are; a file that cannot be
 * read in this way has none. */
static volt_status rows_of_texts(const char *source, bool may_have_times, int64_t rows, volt_table **table)
{
    volt_read_options options = volt_read_options_default();
    options.missing = VOLT_MISSING_KEEP;
    options.keep_faults = 1;
    *table = NULL;
    volt_status status = may_have_times ? volt_table_read(source, &options, table) : VOLT_OK;
    if (status == VOLT_ERR_MEMORY)
        return status;
    if (*table && (*table)->rows == rows)
        return VOLT_OK;
    volt_table_free(*table);
    *table = volt_table_new(rows, 0);
    return *table ? VOLT_OK : VOLT_ERR_MEMORY;
}

volt_status volt_texts_read(const char *source, char ***texts, int64_t *rows, volt_table **table)
{
    VOLT_REQUIRE(source && texts && rows, VOLT_ERR_ARGUMENT,
                 "volt_texts_read: source, texts and rows must not be NULL");
    VOLT_REQUIRE(*source, VOLT_ERR_IO, "the file name is empty");
    char *path = NULL, **read = NULL;
    const char *columns = NULL;
    int64_t count = 0;
    VOLT_TRY(volt_source_split(source, &path, &columns));
    volt_file_kind kind = volt_file_kind_guess(path);
    bool is_csv = kind != VOLT_FILE_NPY && kind != VOLT_FILE_MAT;
    volt_status status =
        is_csv ? volt_csv_column_texts(path, columns, &read, &count) : texts_of_numbers(source, &read, &count);
    if (!status && table)
        status = rows_of_texts(source, is_csv && strcmp(path, "-") != 0, count, table);
    volt_free(path);
    if (status) {
        volt_free(read);
        return status;
    }
    *texts = read;
    *rows = count;
    return VOLT_OK;
}

/* ---- writing ------------------------------------------------------------------------------------ */

/* Writes tables in any supported format. */

/* ---- in pieces -------------------------------------------------------------------------------- */

struct volt_table_writer {
    volt_atomic_file file;
    volt_stage stage;
    volt_file_kind kind;
    int64_t rows, cols;
    int64_t done; /* rows that were written */
    bool has_labels;
};

static volt_status check_shape(const char *path, int64_t rows, int64_t cols, int64_t ld)
{
    VOLT_REQUIRE(path && *path, VOLT_ERR_ARGUMENT, "volt_table_write: the name of the file is empty");
    VOLT_REQUIRE(rows >= 0 && cols >= 1 && ld >= cols, VOLT_ERR_ARGUMENT,
                 "cannot write a matrix of %" PRId64 " x %" PRId64 " (leading dimension %" PRId64 ")", rows,
                 cols, ld);
    return VOLT_OK;
}

/* Opens the file with progress over the given number of bytes. */
static volt_status open_file(const char *path, volt_progress progress, int64_t rows, int64_t cols,
                             volt_file_kind kind, volt_stage *stage, volt_atomic_file *file)
{
    VOLT_TRY(volt_atomic_open(file, path));
    /* Bytes per number: a double, or a text of 18 digits on average. */
    double bytes = kind == VOLT_FILE_NPY || kind == VOLT_FILE_MAT ? 8 : 19;
    volt_stage_begin(stage, progress, "write", 0, 1, bytes * (double)rows * (double)cols);
    file->stage = stage;
    return VOLT_OK;
}

static volt_status take_options(const volt_write_options *given, volt_write_options *options)
{
    *options = (volt_write_options){.struct_size = sizeof *options};
    return volt_options_take(options, sizeof *options, given, "volt_write_options");
}

volt_status volt_table_writer_open(const char *path, int64_t rows, int64_t cols, const char *const *names,
                                   const volt_write_options *options, volt_table_writer **writer)
{
    volt_write_options opts;
    VOLT_TRY(take_options(options, &opts));
    VOLT_REQUIRE(writer, VOLT_ERR_ARGUMENT, "volt_table_writer: the output for the writer is NULL");
    VOLT_TRY(check_shape(path, rows, cols, cols));
    volt_file_kind kind = volt_file_kind_of(path);
    VOLT_REQUIRE(kind != VOLT_FILE_MAT, VOLT_ERR_ARGUMENT, "%s: a MAT file cannot be written in pieces", path);
    volt_table_writer *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->kind = kind;
    fresh->rows = rows;
    fresh->cols = cols;
    fresh->has_labels = opts.label_name != NULL;
    volt_status status = open_file(path, opts.progress, rows, cols, kind, &fresh->stage, &fresh->file);
    if (status) {
        volt_free(fresh);
        return status;
    }
    if (kind == VOLT_FILE_NPY)
        volt_npy_write_header(&fresh->file, rows, cols);
    else
        volt_csv_write_header(&fresh->file, cols, names, opts.label_name);
    *writer = fresh;
    return VOLT_OK;
}

volt_status volt_table_writer_rows(volt_table_writer *writer, volt_view values, const char *const *labels)
{
    VOLT_REQUIRE(writer && (values.data || values.rows == 0), VOLT_ERR_ARGUMENT,
                 "volt_table_write: there are no values");
    VOLT_REQUIRE(!writer->has_labels || labels || values.rows == 0, VOLT_ERR_ARGUMENT,
                 "volt_table_write: rows without their labels");
    VOLT_REQUIRE(values.cols == writer->cols && values.ld >= values.cols && values.rows >= 0 &&
                     values.rows <= writer->rows - writer->done,
                 VOLT_ERR_SHAPE,
                 "%" PRId64 " x %" PRId64 " numbers do not fit the %" PRId64 " x %" PRId64
                 " that remain to be written",
                 values.rows, values.cols, writer->rows - writer->done, writer->cols);
    if (writer->kind == VOLT_FILE_NPY)
        volt_npy_write_rows(&writer->file, values);
    else
        volt_csv_write_rows(&writer->file, values, writer->has_labels ? labels : NULL);
    writer->done += values.rows;
    return VOLT_OK;
}

volt_status volt_table_writer_close(volt_table_writer *writer, int keep)
{
    if (!writer)
        return VOLT_OK;
    volt_status status = VOLT_OK;
    if (keep && writer->done < writer->rows)
        status = volt_fail(VOLT_ERR_SHAPE, "%s: %" PRId64 " rows were written, expected %" PRId64,
                           writer->file.path, writer->done, writer->rows);
    if (keep && !status)
        status = volt_atomic_close(&writer->file);
    else
        volt_atomic_discard(&writer->file);
    volt_free(writer);
    return status;
}

/* ---- as a whole ------------------------------------------------------------------------------- */

static volt_status write_mat(const char *path, volt_view values, volt_progress progress)
{
    volt_atomic_file file;
    volt_stage stage;
    VOLT_TRY(open_file(path, progress, values.rows, values.cols, VOLT_FILE_MAT, &stage, &file));
    volt_status status = volt_mat_write(&file, values);
    if (status) {
        volt_atomic_discard(&file);
        return status;
    }
    return volt_atomic_close(&file);
}

volt_status volt_table_write(const char *path, volt_view values, const char *const *names,
                             const volt_write_options *options)
{
    volt_write_options opts;
    VOLT_TRY(take_options(options, &opts));
    VOLT_REQUIRE(!opts.labels || opts.label_name, VOLT_ERR_ARGUMENT, "volt_table_write: labels without a name");
    VOLT_TRY(check_shape(path, values.rows, values.cols, values.ld));
    VOLT_REQUIRE(values.data || values.rows == 0, VOLT_ERR_ARGUMENT, "volt_table_write: there are no values");
    if (volt_file_kind_of(path) == VOLT_FILE_MAT)
        return write_mat(path, values, opts.progress);
    if (!opts.labels)
        opts.label_name = NULL;
    volt_table_writer *writer = NULL;
    VOLT_TRY(volt_table_writer_open(path, values.rows, values.cols, names, &opts, &writer));
    volt_status status = volt_table_writer_rows(writer, values, opts.labels);
    volt_status closed = volt_table_writer_close(writer, !status);
    return status ? status : closed;
}

/* ---- numbers of texts --------------------------------------------------------------------------- */

/* Numbers for texts such as class labels. */

/* Orders numbers by value, before all other texts, which are ordered by their bytes. */
static int compare_texts(const void *first, const void *second)
{
    const char *a = *(const char *const *)first, *b = *(const char *const *)second;
    double x = 0, y = 0;
    bool is_x = volt_parse_number(a, &x) && !isnan(x), is_y = volt_parse_number(b, &y) && !isnan(y);
    if (is_x && is_y && x != y)
        return x < y ? -1 : 1;
    return is_x != is_y ? (is_x ? -1 : 1) : strcmp(a, b);
}

volt_status volt_texts_number(const char *const *texts, int64_t n, const char **distinct, int64_t *count,
                              int64_t *numbers)
{
    VOLT_REQUIRE(texts && distinct && count && numbers && n >= 0, VOLT_ERR_ARGUMENT,
                 "the texts or the output for their numbers is NULL");
    *count = 0;
    memcpy((void *)distinct, (const void *)texts, (size_t)n * sizeof *distinct);
    qsort((void *)distinct, (size_t)n, sizeof *distinct, compare_texts);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || strcmp(distinct[i], distinct[*count - 1]) != 0)
            distinct[(*count)++] = distinct[i];
    for (int64_t i = 0; i < n; i++)
        numbers[i] = (const char **)bsearch(&texts[i], (void *)distinct, (size_t)*count, sizeof *distinct,
                                            compare_texts) -
                     distinct;
    return VOLT_OK;
}
