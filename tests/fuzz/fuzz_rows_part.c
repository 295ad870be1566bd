/* tests/fuzz/fuzz_rows_part.c: libFuzzer target for row ranges of a CSV or NPY file.
 *
 * The first two bytes select the rows. The result is bitwise equal to these rows of the whole table, or an
 * error if the rows do not exist. Other rows may be invalid. */
#include "fuzz/fuzz_input.h"

#include "io/csv/csv.h"
#include "io/npy/npy.h"

#include <math.h>
#include <string.h>

typedef volt_status reader(const char *path, const char *columns, const volt_read_options *options,
                           volt_table **table);

static volt_table *read_rows(reader *read, const char *path, int64_t first, int64_t end)
{
    volt_table *table = NULL;
    volt_read_options options = volt_read_options_default();
    options.missing = VOLT_MISSING_KEEP;
    options.first = first;
    options.end = end;
    volt_status status = read(path, NULL, &options, &table);
    FUZZ_CHECK(status ? !table && *volt_error_detail() : table && table->rows >= 1 && table->cols >= 1);
    return table;
}

/* -0 and 0 differ, and NaN is NaN: by their bytes. */
static int is_same(const volt_table *part, const volt_table *whole, int64_t from)
{
    size_t bytes = (size_t)(part->rows * part->cols) * sizeof(double);
    return part->cols == whole->cols && memcmp(part->values, whole->values + from * whole->cols, bytes) == 0;
}

static void compare(reader *read, const char *path, int64_t first, int64_t end)
{
    volt_table *whole = read_rows(read, path, 0, VOLT_LAST_ROW), *part = read_rows(read, path, first, end);
    if (whole) {
        int64_t from = first < 0 ? first + whole->rows : first;
        int64_t to = end == VOLT_LAST_ROW ? whole->rows : end < 0 ? end + whole->rows : end;
        int is_there = from >= 0 && from < to && to <= whole->rows;
        FUZZ_CHECK(is_there == (part != NULL));
        if (part)
            FUZZ_CHECK(part->rows == to - from && is_same(part, whole, from));
    }
    volt_table_free(part);
    volt_table_free(whole);
}

/* From -128 to 127. */
static int64_t signed_byte(uint8_t byte)
{
    return byte < 0x80 ? byte : (int64_t)byte - 0x100;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2)
        return 0;
    int64_t first = signed_byte(bytes[0]), end = bytes[1] == 0x7f ? VOLT_LAST_ROW : signed_byte(bytes[1]);
    const char *path = fuzz_input_path(bytes + 2, size - 2);
    compare(volt_npy_read, path, first, end);
    compare(volt_csv_read, path, first, end);
    return 0;
}
