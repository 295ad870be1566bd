/* src/io/table/table.c: reading and writing tables, whatever the format. */
#include "io/table/table.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/excerpt.h"
#include "io/source.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

volt_table *volt_table_new(int64_t rows, int64_t cols)
{
    volt_table *table = volt_alloc_zero(1, sizeof *table);
    if (!table)
        return NULL;
    table->rows = rows;
    table->cols = cols;
    table->values = volt_alloc_doubles(rows, cols);
    table->names = volt_alloc_zero(cols, sizeof *table->names);
    if (!table->values || !table->names) {
        volt_table_free(table);
        return NULL;
    }
    return table;
}

void volt_table_free(volt_table *table)
{
    if (!table)
        return;
    for (int64_t j = 0; table->names && j < table->cols; j++)
        volt_free(table->names[j]);
    volt_free(table->names);
    volt_free(table->values);
    volt_free(table);
}

volt_status volt_table_check_values(const volt_table *table, const char *path, volt_missing missing)
{
    char name[VOLT_EXCERPT_LENGTH];
    for (int64_t i = 0; i < table->rows; i++)
        for (int64_t j = 0; j < table->cols; j++) {
            double value = table->values[i * table->cols + j];
            if (isfinite(value) || (isnan(value) && missing != VOLT_MISSING_ERROR))
                continue;
            volt_excerpt(table->names[j], strlen(table->names[j]), name);
            return volt_fail(VOLT_ERR_NOT_FINITE, "%s, row %" PRId64 ", column '%s': the value is %s", path,
                             i + 1, name, isnan(value) ? "missing (NaN)" : "infinite");
        }
    return VOLT_OK;
}

static volt_status read_kind(volt_file_kind kind, const char *path, const char *columns, volt_missing missing,
                             volt_table **table)
{
    switch (kind) {
    case VOLT_FILE_NPY:
        return volt_npy_read(path, columns, missing, table);
    case VOLT_FILE_MAT:
        return volt_mat_read(path, columns, missing, table);
    case VOLT_FILE_SERIES:
        return volt_fail(VOLT_ERR_FORMAT,
                         "%s is a collection of series, not one table (gram takes it as a collection)", path);
    default:
        return volt_csv_read(path, columns, missing, table);
    }
}

volt_status volt_table_read(const char *source, volt_missing missing, volt_table **table)
{
    VOLT_REQUIRE(source && table, VOLT_ERR_ARGUMENT, "volt_table_read: source and table must not be NULL");
    VOLT_REQUIRE(*source, VOLT_ERR_IO, "the name of a file is empty");
    VOLT_REQUIRE(missing >= VOLT_MISSING_ERROR && missing <= VOLT_MISSING_INTERPOLATE, VOLT_ERR_ARGUMENT,
                 "volt_table_read: %d is no way to treat missing values", (int)missing);
    char *path = NULL;
    const char *columns = NULL;
    VOLT_TRY(volt_source_split(source, &path, &columns));

    volt_table *read = NULL;
    volt_status status = read_kind(volt_file_kind_guess(path), path, columns, missing, &read);
    if (!status && (missing == VOLT_MISSING_DROP || missing == VOLT_MISSING_INTERPOLATE)) {
        status = volt_tables_clean(read, NULL, missing);
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

volt_status volt_table_write(const char *path, volt_view values, const char *const *names)
{
    return volt_table_write_watched(path, values, names, (volt_progress){NULL, NULL});
}

volt_status volt_table_write_watched(const char *path, volt_view values, const char *const *names,
                                     volt_progress progress)
{
    VOLT_REQUIRE(path && *path, VOLT_ERR_ARGUMENT, "volt_table_write: the name of the file is empty");
    VOLT_REQUIRE(values.rows >= 0 && values.cols >= 1 && values.ld >= values.cols, VOLT_ERR_ARGUMENT,
                 "cannot write a matrix of %" PRId64 " x %" PRId64 " (leading dimension %" PRId64 ")",
                 values.rows, values.cols, values.ld);
    VOLT_REQUIRE(values.data || values.rows == 0, VOLT_ERR_ARGUMENT, "volt_table_write: there are no values");
    volt_atomic_file file;
    VOLT_TRY(volt_atomic_open(&file, path));
    /* Bytes of a number: those of a double, or a text of 18 digits on average. */
    volt_file_kind kind = volt_file_kind_of(path);
    double bytes = kind == VOLT_FILE_NPY || kind == VOLT_FILE_MAT ? 8 : 19;
    volt_stage stage;
    volt_stage_begin(&stage, progress, "write", 0, 1, bytes * (double)values.rows * (double)values.cols);
    file.stage = &stage;
    volt_status status = VOLT_OK;
    switch (kind) {
    case VOLT_FILE_NPY:
        status = volt_npy_write(&file, values);
        break;
    case VOLT_FILE_MAT:
        status = volt_mat_write(&file, values);
        break;
    default:
        status = volt_csv_write(&file, values, names);
        break;
    }
    if (status) {
        volt_atomic_discard(&file);
        return status;
    }
    return volt_atomic_close(&file);
}
