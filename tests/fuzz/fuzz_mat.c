/* tests/fuzz/fuzz_mat.c: libFuzzer target for the MAT reader. */
#include "fuzz/fuzz_input.h"
#include "io/mat/mat.h"

#include <math.h>
#include <stdlib.h>

/* HDF5 1.10 leaks when it opens a damaged file; leaks are not checked. LeakSanitizer defines the name. */
const char *__lsan_default_suppressions(void); // NOLINT(bugprone-reserved-identifier)
const char *__lsan_default_suppressions(void)  // NOLINT(bugprone-reserved-identifier)
{
    return "leak:libhdf5";
}

static void read_columns(const char *path, const char *columns, volt_missing missing)
{
    volt_table *table = NULL;
    volt_read_options options = volt_read_options_default();
    options.missing = missing;
    if (volt_mat_read(path, columns, &options, &table))
        return;
    if (table->rows < 1 || table->cols < 1)
        abort();
    for (int64_t i = 0; i < table->rows * table->cols; i++)
        if (isinf(table->values[i]) || (isnan(table->values[i]) && missing == VOLT_MISSING_ERROR))
            abort();
    volt_table_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *path = fuzz_input_path(bytes, size);
    read_columns(path, NULL, VOLT_MISSING_ERROR);
    read_columns(path, "X,y", VOLT_MISSING_KEEP);
    return 0;
}
