/* src/io/read_texts.c: reads one column of a file of any supported format as texts. */
#include "base/error.h"
#include "base/memory.h"
#include "io/csv/csv.h"
#include "io/file/file_bytes.h"
#include "io/source.h"
#include "io/table/table.h"
#include "text/text.h"
#include "volterra/io.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

static volt_status texts_of_table(const char *source, const volt_table *table, char ***texts)
{
    VOLT_REQUIRE(table->cols == 1, VOLT_ERR_FORMAT,
                 "%s: there are %" PRId64 " columns; the record of a row is one column", source, table->cols);
    char **all = volt_alloc(table->rows, (int64_t)sizeof *all + VOLT_NUMBER_LENGTH);
    if (!all)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < table->rows; i++) {
        all[i] = (char *)(all + table->rows) + i * VOLT_NUMBER_LENGTH;
        volt_format_number(table->values[i], all[i]);
    }
    *texts = all;
    return VOLT_OK;
}

/* Formats a column of numbers as texts. */
static volt_status texts_of_numbers(const char *source, char ***texts, int64_t *rows)
{
    volt_table *table = NULL;
    VOLT_TRY(volt_table_read(source, NULL, &table));
    volt_status status = texts_of_table(source, table, texts);
    if (status == VOLT_OK)
        *rows = table->rows;
    volt_table_free(table);
    return status;
}

/* The rows of the texts. Their times are read like those of numbers, whatever the cells of the column are; a file that cannot be
 * read in this way has none. */
static volt_status rows_of_texts(const char *source, bool may_have_times, int64_t rows, volt_table **table)
{
    volt_read_options options = volt_read_options_default();
    options.missing = VOLT_MISSING_KEEP;
    options.keep_faults = 1;
    *table = NULL;
    volt_status status = may_have_times ? volt_table_read(source, &options, table) : VOLT_OK;
    if (status == VOLT_ERR_MEMORY)
        return status;
    if (*table && (*table)->rows == rows)
        return VOLT_OK;
    volt_table_free(*table);
    *table = volt_table_new(rows, 0);
    return *table ? VOLT_OK : VOLT_ERR_MEMORY;
}

volt_status volt_texts_read(const char *source, char ***texts, int64_t *rows, volt_table **table)
{
    VOLT_REQUIRE(source && texts && rows, VOLT_ERR_ARGUMENT,
                 "volt_texts_read: source, texts and rows must not be NULL");
    VOLT_REQUIRE(*source, VOLT_ERR_IO, "the file name is empty");
    char *path = NULL, **read = NULL;
    const char *columns = NULL;
    int64_t count = 0;
    VOLT_TRY(volt_source_split(source, &path, &columns));
    volt_file_kind kind = volt_file_kind_guess(path);
    bool is_csv = kind != VOLT_FILE_NPY && kind != VOLT_FILE_MAT;
    volt_status status =
        is_csv ? volt_csv_column_texts(path, columns, &read, &count) : texts_of_numbers(source, &read, &count);
    if (!status && table)
        status = rows_of_texts(source, is_csv && strcmp(path, "-") != 0, count, table);
    volt_free(path);
    if (status) {
        volt_free(read);
        return status;
    }
    *texts = read;
    *rows = count;
    return VOLT_OK;
}
