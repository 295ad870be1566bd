/* tests/fuzz/fuzz_time_columns.c: libFuzzer target for FILE:COLUMNS and columns of numbers that are times: row numbers, clocks,
 * serial dates.
 *
 * The first line is the part COLUMNS of a source, the second one the number of rows of the first record (0: one sequence), the
 * rest a CSV file. Columns of times increase within records, and warnings name their columns and rows. */
#include "fuzz/fuzz_input.h"
#include "io/csv/csv.h"
#include "io/source.h"
#include "volterra.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 13, MAX_COLUMNS = 64 };

static bool increases(const volt_table *table, int64_t column, int64_t record)
{
    for (int64_t i = 0; i < table->rows; i++) {
        double value = table->values[i * table->cols + column];
        if (!isfinite(value) ||
            (i > 0 && i != record && !(value > table->values[(i - 1) * table->cols + column])))
            return false;
    }
    return true;
}

static void check_warnings(const volt_table *table, const int *is_time, const volt_time_columns *found)
{
    FUZZ_CHECK(found->n_warnings >= 0 && found->n_warnings <= 4);
    for (int64_t i = 0; i < found->n_warnings; i++) {
        const volt_warning *warning = &found->warnings[i];
        FUZZ_CHECK(warning->series >= 0 && warning->series < table->cols && is_time[warning->series]);
        FUZZ_CHECK(warning->code != VOLT_WARNING_ROWS_MISSING ||
                   (warning->row >= 1 && warning->row < table->rows && warning->value >= 0));
        FUZZ_CHECK(warning->code != VOLT_WARNING_SERIAL_DATES || (found->serial && isfinite(warning->value)));
    }
}

static void check_times(const volt_table *table, int64_t first)
{
    int is_time[MAX_COLUMNS] = {0};
    const int64_t record = first > 0 && first < table->rows ? first : 0;
    const int64_t lengths[2] = {record, table->rows - record};
    volt_time_columns found = {.struct_size = sizeof found};
    FUZZ_CHECK(volt_time_columns_find(volt_view_of(table->values, table->rows, table->cols),
                                      table->has_header ? (const char *const *)table->names : NULL,
                                      record ? lengths : NULL, record ? 2 : 0, is_time, &found) == VOLT_OK);
    FUZZ_CHECK(found.counter >= -1 && found.counter < table->cols && found.clock >= -1 &&
               found.clock < table->cols);
    FUZZ_CHECK(found.counter < 0 || (is_time[found.counter] && found.step > 0 && isfinite(found.step)));
    FUZZ_CHECK(found.clock < 0 || is_time[found.clock]);
    FUZZ_CHECK(found.clock >= 0 || !found.serial);
    check_warnings(table, is_time, &found);
    /* A counter increases but for the rounding of its values. */
    for (int64_t j = 0; j < table->cols; j++)
        FUZZ_CHECK(!is_time[j] || found.counter >= 0 || increases(table, j, record));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const uint8_t *first = memchr(bytes, '\n', size);
    const uint8_t *second = first ? memchr(first + 1, '\n', size - (size_t)(first + 1 - bytes)) : NULL;
    if (!second || size > MAX_BYTES || memchr(bytes, 0, (size_t)(second - bytes)))
        return 0;
    const char *file = fuzz_input_path(second + 1, size - (size_t)(second + 1 - bytes));
    char source[MAX_BYTES + 128], number[24] = "";
    snprintf(source, sizeof source, "%s:%.*s", file, (int)(first - bytes), (const char *)bytes);
    snprintf(number, sizeof number, "%.*s", (int)(second - first - 1), (const char *)first + 1);

    char *path = NULL;
    const char *columns = NULL;
    FUZZ_CHECK(volt_source_split(source, &path, &columns) == VOLT_OK);
    FUZZ_CHECK(columns && strcmp(path, file) == 0 && columns == source + strlen(file) + 1);

    volt_table *table = NULL;
    volt_read_options options = volt_read_options_default();
    options.missing = VOLT_MISSING_KEEP;
    options.keep_faults = 1;
    if (volt_csv_read(path, *columns ? columns : NULL, &options, &table))
        FUZZ_CHECK(!table && *volt_error_detail());
    else if (table->cols <= MAX_COLUMNS)
        check_times(table, strtoll(number, NULL, 10));
    volt_table_free(table);
    volt_free(path);
    return 0;
}
