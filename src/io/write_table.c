/* src/io/write_table.c: writing tables, whatever the format. */
#include "base/error.h"
#include "io/csv/csv.h"
#include "io/file/file_kind.h"
#include "io/mat/mat.h"
#include "io/npy/npy.h"

#include <inttypes.h>

volt_status volt_table_write(const char *path, volt_view values, const char *const *names)
{
    return volt_table_write_watched(path, values, names, (volt_progress){NULL, NULL});
}

volt_status volt_table_write_watched(const char *path, volt_view values, const char *const *names,
                                     volt_progress progress)
{
    return volt_table_write_labelled(path, values, names, NULL, NULL, progress);
}

volt_status volt_table_write_labelled(const char *path, volt_view values, const char *const *names,
                                      const char *label_name, const char *const *labels, volt_progress progress)
{
    VOLT_REQUIRE(!labels || label_name, VOLT_ERR_ARGUMENT, "volt_table_write: labels without a name");
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
        status = volt_csv_write(&file, values, names, label_name, labels);
        break;
    }
    if (status) {
        volt_atomic_discard(&file);
        return status;
    }
    return volt_atomic_close(&file);
}
