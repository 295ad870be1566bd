/* tests/fuzz/fuzz_stream_lines.c: libFuzzer target for the input lines of `volterra stream`, including the
 * header.
 *
 * A complete row is finite. An invalid line does not change the values, and reading continues after it. If
 * the file reader finds the columns of the model by name, a stream of the same lines must read the same
 * values. */
#include "fuzz/fuzz_input.h"

#include "files/header_line.h"
#include "files/row_lines.h"
#include "fuzz/fuzz_mute.h"
#include "volterra.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { D = 3, MAX_ROWS = 64, MAX_BYTES = 1 << 13 };
static const char *const names[D] = {"a", "b", "c"};
static const double untouched = -12345.678;

/* A complete row is finite, a row with missing values reports them, and an invalid line does not change the
 * values. */
static void check_row(const row_lines *lines, row_kind kind, const double *x)
{
    int n_finite = 0, n_missing = 0;
    for (int j = 0; j < D; j++) {
        n_finite += isfinite(x[j]) != 0;
        n_missing += isnan(x[j]) != 0;
        FUZZ_CHECK(kind == ROW_WHOLE || kind == ROW_HOLED || x[j] == untouched);
    }
    FUZZ_CHECK(n_finite + n_missing == D && (n_missing > 0) == (kind == ROW_HOLED));
    FUZZ_CHECK((kind != ROW_HOLED && kind != ROW_REFUSED) || *lines->problem);
}

/* Rows that were taken from the lines of `bytes`, at most MAX_ROWS; -1 when a line was refused or lacks a
 * value. */
static int64_t take_lines(const uint8_t *bytes, size_t size, const char *const *columns, double *rows)
{
    row_lines lines = {0};
    int64_t count = 0;
    bool all = true;
    FUZZ_CHECK(row_lines_begin(&lines, D, columns, names, D) == 0);
    for (size_t at = 0; at < size && count < MAX_ROWS;) {
        const uint8_t *end = memchr(bytes + at, '\n', size - at);
        size_t length = end ? (size_t)(end - bytes) + 1 - at : size - at;
        char *line = malloc(length + 1); /* exactly as long as it is: the sanitizer sees the end */
        FUZZ_CHECK(line);
        memcpy(line, bytes + at, length);
        line[length] = '\0';
        double x[D] = {untouched, untouched, untouched};
        row_kind kind = ROW_NONE;
        int failed = row_lines_take(&lines, line, length, x, &kind); /* a header with some of the names */
        FUZZ_CHECK(!failed || kind == ROW_NONE);
        check_row(&lines, kind, x);
        if (kind == ROW_WHOLE)
            memcpy(rows + count++ * D, x, sizeof x);
        all = all && !failed && kind != ROW_HOLED && kind != ROW_REFUSED;
        free(line);
        at += length;
    }
    row_lines_release(&lines);
    return all ? count : -1;
}

/* A stream sees one line at a time and a file reader all of them, so either may refuse what the other takes. */
static void compare_with_file(const uint8_t *bytes, size_t size, const double *rows, int64_t count)
{
    char source[96];
    volt_table *table = NULL;
    snprintf(source, sizeof source, "%s:a,b,c", fuzz_input_path(bytes, size));
    if (volt_table_read(source, NULL, &table))
        return;
    FUZZ_CHECK(table->cols == D && (table->rows == count || count == MAX_ROWS));
    FUZZ_CHECK(memcmp(table->values, rows, (size_t)(count * D) * sizeof *rows) == 0);
    volt_table_free(table);
}

/* The names of the first line, printed as a header, split into the same names. */
static void check_header(const uint8_t *bytes, size_t size)
{
    char line[MAX_BYTES + 1], *printed = NULL, **cells = NULL, **again = NULL;
    size_t length = 0;
    int64_t count = 0, count_again = 0;
    while (length < size && bytes[length] && bytes[length] != '\n' && bytes[length] != '\r')
        length++;
    memcpy(line, bytes, length);
    line[length] = '\0';
    if (volt_csv_split_line(header_line_behind_mark(line), NULL, &cells, &count) || count == 0) {
        volt_free(cells);
        return;
    }
    FILE *out = open_memstream(&printed, &length);
    FUZZ_CHECK(out);
    header_line_print(out, (const char *const *)cells, count);
    FUZZ_CHECK(fclose(out) == 0);
    FUZZ_CHECK(volt_csv_split_line(header_line_behind_mark(printed), NULL, &again, &count_again) == VOLT_OK);
    if (!(count == 1 && !*cells[0])) { /* one empty name is a blank line */
        FUZZ_CHECK(count_again == count);
        for (int64_t j = 0; j < count; j++)
            FUZZ_CHECK(strcmp(cells[j], again[j]) == 0);
    }
    free(printed);
    volt_free(again);
    volt_free(cells);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    double rows[MAX_ROWS * D];
    if (size > MAX_BYTES)
        return 0;
    fuzz_mute();
    int64_t count = take_lines(bytes, size, names, rows);
    if (count >= 0)
        compare_with_file(bytes, size, rows, count);
    take_lines(bytes, size, NULL, rows);
    check_header(bytes, size);
    return 0;
}
