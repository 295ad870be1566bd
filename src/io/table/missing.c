/* src/io/table/missing.c: rows with missing values left out, or the values filled in.
 *
 * A missing value is NaN. Interpolation is linear in the row number: between rows a < i < b that have
 * values, v_i = ((b - i) v_a + (i - a) v_b) / (b - a). */
#include "base/error.h"
#include "io/file/excerpt.h"
#include "io/table/table.h"

#include <inttypes.h>
#include <math.h>
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
                                 i + 1, volt_excerpt(table->names[j], strlen(table->names[j]), name));
    return VOLT_OK;
}

/* Interpolation needs a value in the first and in the last row of every column. */
static volt_status check_ends(const volt_table *table)
{
    char name[VOLT_EXCERPT_LENGTH];
    for (int64_t j = 0; table && j < table->cols; j++)
        for (int end = 0; end < 2; end++) {
            int64_t i = end ? table->rows - 1 : 0;
            if (table->rows > 0 && isnan(*entry(table, i, j)))
                return volt_fail(VOLT_ERR_NOT_FINITE,
                                 "column '%s' %s with a missing value (row %" PRId64
                                 "), which has only one neighbour to interpolate from",
                                 volt_excerpt(table->names[j], strlen(table->names[j]), name),
                                 end ? "ends" : "begins", i + 1);
        }
    return VOLT_OK;
}

static void interpolate(volt_table *table)
{
    for (int64_t j = 0; table && j < table->cols; j++) {
        int64_t a = 0; /* the last row that has a value */
        for (int64_t b = 1; b < table->rows; b++) {
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
}

/* Keep the rows whose values are all there, in both tables. */
static volt_status drop_rows(volt_table *first, volt_table *second)
{
    volt_table *tables[2] = {first, second};
    int64_t n_kept = 0;
    for (int64_t i = 0; i < first->rows; i++)
        n_kept += !row_has_missing(first, i) && !row_has_missing(second, i);
    VOLT_REQUIRE(n_kept > 0, VOLT_ERR_NOT_FINITE, "a value is missing in every one of the %" PRId64 " rows",
                 first->rows);
    int64_t kept = 0, rows = first->rows;
    for (int64_t i = 0; i < rows; i++) {
        if (row_has_missing(first, i) || row_has_missing(second, i))
            continue;
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

volt_status volt_tables_clean(volt_table *first, volt_table *second, volt_missing missing)
{
    VOLT_REQUIRE(first, VOLT_ERR_ARGUMENT, "volt_tables_clean: the first table must not be NULL");
    VOLT_REQUIRE(!second || first->rows == second->rows, VOLT_ERR_SHAPE,
                 "the first table has %" PRId64 " rows and the second %" PRId64, first->rows,
                 second ? second->rows : 0);
    switch (missing) {
    case VOLT_MISSING_ERROR:
        VOLT_TRY(refuse_missing(first));
        return refuse_missing(second);
    case VOLT_MISSING_DROP:
        return drop_rows(first, second);
    case VOLT_MISSING_INTERPOLATE:
        VOLT_TRY(check_ends(first));
        VOLT_TRY(check_ends(second));
        interpolate(first);
        interpolate(second);
        return VOLT_OK;
    default:
        return volt_fail(VOLT_ERR_ARGUMENT, "volt_tables_clean takes error, drop or interpolate");
    }
}
