/* src/io/series/collection.c: reading collections of series, whatever the format. */
#include "base/error.h"
#include "io/file/file_kind.h"
#include "io/series/collection_readers.h"

#include <string.h>

static volt_status read_kind(const char *path, volt_collection **collection)
{
    switch (volt_file_kind_guess(path)) {
    case VOLT_FILE_TS:
        return volt_ts_read(path, collection);
    case VOLT_FILE_ARFF:
        return volt_arff_read(path, collection);
    case VOLT_FILE_NPY:
        return volt_npy_collection_read(path, collection);
    case VOLT_FILE_MAT:
        return volt_fail(VOLT_ERR_FORMAT, "this is a MAT file; a collection is a .ts, .arff, .npy or CSV file");
    default:
        return volt_long_csv_read(path, collection);
    }
}

volt_status volt_collection_read(const char *path, volt_collection **collection)
{
    VOLT_REQUIRE(path && collection, VOLT_ERR_ARGUMENT,
                 "volt_collection_read: path and collection must not be NULL");
    VOLT_REQUIRE(*path, VOLT_ERR_IO, "the name of a file is empty");
    volt_collection *read = NULL;
    volt_status status = read_kind(path, &read);
    if (status == VOLT_ERR_FORMAT || status == VOLT_ERR_NOT_FINITE)
        volt_fail_prefix(status, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
    if (status)
        return status;
    *collection = read;
    return VOLT_OK;
}
