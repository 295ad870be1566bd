/* src/io/write_table.c: writes tables in any supported format. */
#include "base/error.h"
#include "base/memory.h"
#include "io/csv/csv.h"
#include "io/file/file_bytes.h"
#include "io/mat/mat.h"
#include "io/npy/npy.h"

#include <inttypes.h>

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
