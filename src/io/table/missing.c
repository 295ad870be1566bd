/* src/io/table/missing.c: drops rows with missing values, or interpolates the values.
 *
 * A missing value is NaN. Interpolation is linear in the row number: between rows a < i < b with values, v_i =
 * ((b - i) v_a + (i - a) v_b) / (b - a). Before the first value of a column and after the last, the nearest
 * value is used. Records are separate sequences: values are not interpolated across records. */
#include "base/error.h"
#include "io/file/text_lines.h"
#include "io/table/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double *entry(const volt_table *table, int64_t i, int64_t j)
{
    return &table->values[i * table->cols + j];
}

static int row_has_missing(const volt_table *table, int64_t i)
{
    for (int64_t j = 0; table && j < table->cols; j++)
        if (isnan(*entry(table, i, j)))
            return 1;
    return 0;
}

static volt_status refuse_missing(const volt_table *table)
{
    char name[VOLT_EXCERPT_LENGTH];
    for (int64_t i = 0; table && i < table->rows; i++)
        for (int64_t j = 0; j < table->cols; j++)
            if (isnan(*entry(table, i, j)))
                return volt_fail(VOLT_ERR_NOT_FINITE, "row %" PRId64 ", column '%s': the value is missing",
                                 table->row_numbers[i] + 1,
                                 volt_excerpt(table->names[j], strlen(table->names[j]), name));
    return VOLT_OK;
}

/* Rows begin <= i < end of a table: a record, or all rows. */
typedef struct stretch {
    int64_t number, begin, end;
} stretch;

/* The first row from `i` on, in steps of `step`, with a value in column j; -1: none. */
static int64_t find_value(const volt_table *table, stretch rows, int64_t j, int64_t i, int64_t step)
{
    for (; i >= rows.begin && i < rows.end; i += step)
        if (!isnan(*entry(table, i, j)))
            return i;
    return -1;
}

/* Checks that every column has a value in every record. */
static volt_status check_columns(const volt_table *table, stretch rows)
{
    char name[VOLT_EXCERPT_LENGTH], where[96] = "";
    if (table && rows.number > 0)
        snprintf(where, sizeof where, " of record %" PRId64 " (from row %" PRId64 " on)", rows.number,
                 table->row_numbers[rows.begin] + 1);
    for (int64_t j = 0; table && rows.begin < rows.end && j < table->cols; j++)
        VOLT_REQUIRE(find_value(table, rows, j, rows.begin, 1) >= 0, VOLT_ERR_NOT_FINITE,
                     "column '%s' has no value in any of the %" PRId64 " rows%s, so it cannot be interpolated",
                     volt_excerpt(table->names[j], strlen(table->names[j]), name), rows.end - rows.begin,
                     where);
    return VOLT_OK;
}

/* Interpolates between the first value of a column and the last. */
static void fill_between(volt_table *table, int64_t j, int64_t first, int64_t last)
{
    int64_t a = first; /* the last row with a value */
    for (int64_t b = first + 1; b <= last; b++) {
        if (isnan(*entry(table, b, j)))
            continue;
        double left = *entry(table, a, j), right = *entry(table, b, j);
        for (int64_t i = a + 1; i < b; i++) {
            double share = (double)(i - a) / (double)(b - a);
            *entry(table, i, j) = (1 - share) * left + share * right;
            table->interpolated++;
        }
        a = b;
    }
}

/* Fills column j of one record. Returns the number of values extrapolated at its ends. */
static int64_t fill_column(volt_table *table, stretch rows, int64_t j)
{
    int64_t first = find_value(table, rows, j, rows.begin, 1),
            last = find_value(table, rows, j, rows.end - 1, -1);
    fill_between(table, j, first, last);
    for (int64_t i = rows.begin; i < first; i++)
        *entry(table, i, j) = *entry(table, first, j);
    for (int64_t i = last + 1; i < rows.end; i++)
        *entry(table, i, j) = *entry(table, last, j);
    table->filled_before += first - rows.begin;
    table->filled_behind += rows.end - 1 - last;
    return first - rows.begin + rows.end - 1 - last;
}

/* The r-th record; without records, all rows. */
static stretch record_at(const volt_table *table, const int64_t *records, int64_t r, int64_t begin)
{
    if (!records)
        return (stretch){0, 0, table->rows};
    return (stretch){r + 1, begin, begin + records[r]};
}

static volt_status check_records(const volt_table *table, const int64_t *records, int64_t n)
{
    stretch rows = {0};
    for (int64_t r = 0; table && r < n; r++) {
        rows = record_at(table, records, r, rows.end);
        VOLT_TRY(check_columns(table, rows));
    }
    return VOLT_OK;
}

static void interpolate(volt_table *table, const int64_t *records, int64_t n)
{
    int64_t most = 0;
    for (int64_t j = 0; table && table->rows > 0 && j < table->cols; j++) {
        int64_t at_ends = 0;
        stretch rows = {0};
        for (int64_t r = 0; r < n; r++) {
            rows = record_at(table, records, r, rows.end);
            at_ends += fill_column(table, rows, j);
        }
        if (at_ends > most) {
            most = at_ends;
            table->filled_column = j;
        }
    }
}

/* Keeps the rows without missing values, in both tables; `requested` is the second table to check. */
static volt_status drop_rows(volt_table *first, volt_table *second, const volt_table *requested)
{
    volt_table *tables[2] = {first, second};
    int64_t n_kept = 0;
    for (int64_t i = 0; i < first->rows; i++)
        n_kept += !row_has_missing(first, i) && !row_has_missing(requested, i);
    VOLT_REQUIRE(n_kept > 0, VOLT_ERR_NOT_FINITE, "every one of the %" PRId64 " rows has a missing value",
                 first->rows);
    int64_t kept = 0, rows = first->rows;
    for (int64_t i = 0; i < rows; i++) {
        if (row_has_missing(first, i) || row_has_missing(requested, i)) {
            for (int t = 0; t < 2; t++)
                volt_table_drop_fault(tables[t], i);
            continue;
        }
        for (int t = 0; t < 2; t++)
            if (tables[t] && kept < i)
                volt_table_move_row(tables[t], i, kept);
        kept++;
    }
    for (int t = 0; t < 2; t++)
        if (tables[t]) {
            tables[t]->rows = kept;
            tables[t]->dropped += rows - kept;
        }
    return VOLT_OK;
}

static volt_status check_lengths(const volt_table *table, const int64_t *records, int64_t n_records)
{
    int64_t sum = 0;
    VOLT_REQUIRE(n_records >= 0 && (n_records > 0) == (records != NULL), VOLT_ERR_ARGUMENT,
                 "volt_tables_clean: %" PRId64 " records without their lengths", n_records);
    for (int64_t r = 0; r < n_records; r++) {
        VOLT_REQUIRE(records[r] >= 1 && records[r] <= table->rows - sum, VOLT_ERR_SHAPE,
                     "record %" PRId64 " must have 1 to %" PRId64 " rows (got %" PRId64 ")", r + 1,
                     table->rows - sum, records[r]);
        sum += records[r];
    }
    VOLT_REQUIRE(!records || sum == table->rows, VOLT_ERR_SHAPE,
                 "the records have %" PRId64 " rows and the table %" PRId64, sum, table->rows);
    return VOLT_OK;
}

volt_status volt_tables_clean(volt_table *first, volt_table *second, volt_missing missing,
                              const int64_t *records, int64_t n_records)
{
    VOLT_REQUIRE(first, VOLT_ERR_ARGUMENT, "volt_tables_clean: the first table must not be NULL");
    VOLT_REQUIRE(!second || first->rows == second->rows, VOLT_ERR_SHAPE,
                 "the first table has %" PRId64 " rows and the second %" PRId64, first->rows,
                 second ? second->rows : 0);
    VOLT_TRY(check_lengths(first, records, n_records));
    int64_t n = records ? n_records : 1;
    switch (missing) {
    case VOLT_MISSING_ERROR:
        VOLT_TRY(refuse_missing(first));
        return refuse_missing(second);
    case VOLT_MISSING_DROP:
        return drop_rows(first, second, second);
    case VOLT_MISSING_DROP_FIRST:
        return drop_rows(first, second, NULL);
    case VOLT_MISSING_INTERPOLATE:
        VOLT_TRY(check_records(first, records, n));
        VOLT_TRY(check_records(second, records, n));
        interpolate(first, records, n);
        interpolate(second, records, n);
        return VOLT_OK;
    default:
        return volt_fail(VOLT_ERR_ARGUMENT, "volt_tables_clean takes error, drop or interpolate");
    }
}
