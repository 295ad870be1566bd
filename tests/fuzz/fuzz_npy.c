/* tests/fuzz/fuzz_npy.c: libFuzzer target for the NPY reader. */
#include "fuzz/fuzz_input.h"
#include "io/npy/npy.h"

#include <math.h>
#include <stdlib.h>

static void read_columns(const char *path, const char *columns, volt_missing missing)
{
    volt_table *table = NULL;
    volt_read_options options = volt_read_options_default();
    options.missing = missing;
    if (volt_npy_read(path, columns, &options, &table))
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
    read_columns(path, "2,1", VOLT_MISSING_KEEP);
    return 0;
}
