/* src/io/read_table.c: reads tables of any supported format. */
#include "base/error.h"
#include "base/memory.h"
#include "io/csv/csv.h"
#include "io/file/file_bytes.h"
#include "io/mat/mat.h"
#include "io/npy/npy.h"
#include "io/source.h"

#include <inttypes.h>
#include <string.h>

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
