/* tests/fuzz/fuzz_csv.c: libFuzzer target for the CSV reader, whole files and single lines. */
#include "fuzz/fuzz_input.h"
#include "io/csv/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A table that is read has a positive shape, column names, and finite or missing values. */
static void check(const volt_table *table, volt_missing missing)
{
    if (table->rows < 1 || table->cols < 1)
        abort();
    for (int64_t j = 0; j < table->cols; j++)
        if (!table->names[j])
            abort();
    for (int64_t i = 0; i < table->rows * table->cols; i++)
        if (isinf(table->values[i]) || (isnan(table->values[i]) && missing == VOLT_MISSING_ERROR))
            abort();
}

static void read_columns(const char *path, const char *columns, volt_missing missing)
{
    volt_table *table = NULL;
    volt_read_options options = volt_read_options_default();
    options.missing = missing;
    if (volt_csv_read(path, columns, &options, &table))
        return;
    check(table, missing);
    if (missing == VOLT_MISSING_KEEP && !volt_tables_clean(table, NULL, VOLT_MISSING_INTERPOLATE, NULL, 0))
        check(table, VOLT_MISSING_ERROR);
    if (missing == VOLT_MISSING_KEEP && !volt_tables_clean(table, NULL, VOLT_MISSING_DROP, NULL, 0))
        check(table, VOLT_MISSING_ERROR);
    volt_table_free(table);
}

static void read_line(const uint8_t *bytes, size_t size)
{
    double row[3];
    char *line = malloc(size + 1);
    if (!line)
        return;
    memcpy(line, bytes, size);
    line[size] = '\0';
    if (!volt_csv_parse_row(line, 3, VOLT_MISSING_ERROR, row) &&
        !(isfinite(row[0]) && isfinite(row[1]) && isfinite(row[2])))
        abort();
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *path = fuzz_input_path(bytes, size);
    read_columns(path, NULL, VOLT_MISSING_ERROR);
    read_columns(path, NULL, VOLT_MISSING_KEEP);
    read_columns(path, "*", VOLT_MISSING_KEEP);
    read_columns(path, "1..2,a,b*", VOLT_MISSING_ERROR);
    read_line(bytes, size);
    return 0;
}
