/* tests/unit/io/test_read_part.c: read a range of rows and a selection of columns, with missing values inside
 * and outside of them. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "volterra.h"

enum { MAX_ROWS = 12, COLS = 3 };

/* A table of small numbers, some of them missing, written in each format in turn. */
typedef struct holed {
    double values[MAX_ROWS * COLS];
    int64_t rows;
    const char *path;
} holed;

static int64_t draw_below(volt_rng *rng, int64_t n)
{
    return (int64_t)(volt_rng_uniform(rng) * (double)n);
}

static void draw_file(volt_rng *rng, int kind, holed *file)
{
    static const char *const names[] = {"part.csv", "part.npy", "part.mat"};
    static const char *const header[] = {"a", "b", "c"};
    file->rows = 2 + draw_below(rng, MAX_ROWS - 1); /* a single row of a MAT file would be read as a column */
    for (int64_t i = 0; i < file->rows * COLS; i++)
        file->values[i] = volt_rng_uniform(rng) < 0.3 ? NAN : (double)draw_below(rng, 50);
    file->path = scratch_path(names[kind]);
    assert_int_equal(volt_table_write(file->path, volt_view_of(file->values, file->rows, COLS), header, NULL),
                     VOLT_OK);
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Rows first <= t < end, as numbered in the file, for each policy: the values equal those of the file, and
 * only missing values in the range count. */
static void check_part(const holed *file, volt_read_options options, int64_t first, int64_t count)
{
    bool has_hole = false;
    for (int64_t i = first * COLS; i < (first + count) * COLS; i++)
        has_hole |= isnan(file->values[i]) != 0;
    volt_table *table = NULL;
    options.missing = VOLT_MISSING_KEEP;
    assert_int_equal(volt_table_read(file->path, &options, &table), VOLT_OK);
    assert_int_equal(table->rows, count);
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(table->row_numbers[i], first + i);
    assert_int_equal(table->file_rows, file->rows);
    for (int64_t i = 0; i < count * COLS; i++)
        assert_true(same_number(table->values[i], file->values[first * COLS + i]));
    volt_table_free(table);

    table = NULL;
    options.missing = VOLT_MISSING_ERROR;
    assert_int_equal(volt_table_read(file->path, &options, &table), has_hole ? VOLT_ERR_NOT_FINITE : VOLT_OK);
    volt_table_free(table);

    table = NULL;
    options.missing = VOLT_MISSING_DROP;
    int64_t kept = 0;
    for (int64_t i = first; i < first + count; i++) {
        const double *row = file->values + i * COLS;
        kept += !isnan(row[0]) && !isnan(row[1]) && !isnan(row[2]);
    }
    assert_int_equal(volt_table_read(file->path, &options, &table), kept ? VOLT_OK : VOLT_ERR_NOT_FINITE);
    if (kept) {
        assert_int_equal(table->rows, kept);
        assert_int_equal(table->dropped, count - kept);
        assert_int_equal(table->file_rows, file->rows);
    }
    volt_table_free(table);
}

static void rows_of_every_kind(void **state)
{
    const uint64_t seed = 20;
    print_message("seed %d\n", (int)seed);
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    for (int round = 0; round < 150; round++) {
        holed file;
        draw_file(&rng, round % 3, &file);
        int64_t first = draw_below(&rng, file.rows), end = first + 1 + draw_below(&rng, file.rows - first);
        volt_read_options options = volt_read_options_default();
        options.first = round % 2 ? first : first - file.rows;
        if (end < file.rows)
            options.end = round % 4 < 2 ? end : end - file.rows;
        check_part(&file, options, first, end - first);
    }
}

static void rows_outside_the_file(void **state)
{
    const char *path = scratch_write_text("few.csv", "a,b\n1,2\n3,4\n5,6\n");
    static const struct {
        int64_t first, end;
        const char *says;
    } cases[] = {
        {0, 4, "0:4 reaches beyond the 3 rows of "},
        {4, VOLT_LAST_ROW, "4: reaches beyond the 3 rows"},
        {-4, 2, "-4:2 reaches beyond the 3 rows"},
        {0, -4, "0:-4 reaches beyond the 3 rows"},
        {2, 2, "2:2 selects none of the 3 rows"},
        {2, 1, "2:1 selects none of the 3 rows"},
        {3, VOLT_LAST_ROW, "3: "},
        {INT64_MIN, VOLT_LAST_ROW, "reaches beyond"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_table *table = NULL;
        volt_read_options options = volt_read_options_default();
        options.first = cases[i].first;
        options.end = cases[i].end;
        check_fails(volt_table_read(path, &options, &table), VOLT_ERR_SHAPE, cases[i].says);
        assert_null(table);
    }
}

/* Text and missing values in unselected rows or columns are ignored; errors in selected ones report the
 * line. */
static void lines_of_the_file(void **state)
{
    const char *path = scratch_write_text("lines.csv", "a,b,c\nx,1,2\n\n3,,4\n5,6,7\n8,NA,inf\n");
    volt_table *table = NULL;
    volt_read_options options = volt_read_options_default();
    options.first = 2;
    options.end = 3;
    assert_int_equal(volt_table_read(path, &options, &table), VOLT_OK);
    assert_true(table->values[0] == 5 && table->values[2] == 7);
    volt_table_free(table);
    table = NULL;
    options.first = 1;
    check_fails(volt_table_read(path, &options, &table), VOLT_ERR_NOT_FINITE, "line 4 column 'b'");
    static const char *const names[] = {"c", "a"};
    options.names = names;
    options.n_names = 2;
    assert_int_equal(volt_table_read(path, &options, &table), VOLT_OK);
    assert_int_equal(table->cols, 2);
    assert_string_equal(table->names[0], "c");
    assert_true(table->values[0] == 4 && table->values[1] == 3 && table->values[3] == 5);
    volt_table_free(table);

    /* If a name is missing, both lists are named; without any known name, columns are read by position. */
    static const char *const others[] = {"c", "z"}, *const three[] = {"x", "y", "z"};
    options.names = others;
    options.missing = VOLT_MISSING_KEEP;
    check_fails(volt_table_read(path, &options, &table), VOLT_ERR_FORMAT, "'c, z' 'a, b, c'");
    options.names = three;
    options.n_names = 3;
    assert_int_equal(volt_table_read(path, &options, &table), VOLT_OK);
    assert_int_equal(table->cols, 3);
    check_fails(volt_tables_clean(table, NULL, VOLT_MISSING_ERROR, NULL, 0), VOLT_ERR_NOT_FINITE,
                "row 2 column 'b'");
    volt_table_free(table);
}

/* The table contains the times of the selected rows. */
static void times_of_the_rows(void **state)
{
    const char *path = scratch_write_text("times.csv", "date,a\n2020-01-01,1\n2020-01-02,NA\n2020-01-03,3\n");
    volt_table *table = NULL;
    volt_read_options options = volt_read_options_default();
    options.first = 1;
    options.missing = VOLT_MISSING_DROP;
    assert_int_equal(volt_table_read(path, &options, &table), VOLT_OK);
    assert_int_equal(table->rows, 1);
    assert_int_equal(table->row_numbers[0], 2);
    assert_string_equal(table->time_texts[0], "2020-01-03");
    volt_table_free(table);
}

/* Two columns of the same name are used in file order. */
static void duplicate_column_names(void **state)
{
    const char *path = scratch_write_text("twice.csv", "a,z,a\n1,oops,2\n");
    static const char *const names[] = {"a", "a"};
    volt_table *table = NULL;
    volt_read_options options = volt_read_options_default();
    options.names = names;
    options.n_names = 2;
    assert_int_equal(volt_table_read(path, &options, &table), VOLT_OK);
    assert_true(table->cols == 2 && table->values[0] == 1 && table->values[1] == 2);
    volt_table_free(table);
}

/* Missing values at the ends take the nearest value, integers are exact, and the counts report number and
 * position. */
static void missing_ends_use_nearest_value(void **state)
{
    const char *path = scratch_write_text("ends.csv", "a,b\n,NA\n2,\n,7\n4,8\n,\n");
    const double expected[] = {2, 7, 2, 7, 3, 7, 4, 8, 4, 8};
    volt_table *table = NULL;
    assert_int_equal(volt_table_read(path,
                                     &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                          .missing = VOLT_MISSING_INTERPOLATE,
                                                          .end = VOLT_LAST_ROW},
                                     &table),
                     VOLT_OK);
    assert_memory_equal(table->values, expected, sizeof expected);
    assert_int_equal(table->interpolated, 1);
    assert_int_equal(table->filled_before, 3);
    assert_int_equal(table->filled_behind, 2);
    assert_int_equal(table->filled_column, 1);
    volt_table_free(table);

    const char *empty = scratch_write_text("empty.csv", "a,b\n1,\n2,NA\n");
    table = NULL;
    check_fails(volt_table_read(empty,
                                &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                     .missing = VOLT_MISSING_INTERPOLATE,
                                                     .end = VOLT_LAST_ROW},
                                &table),
                VOLT_ERR_NOT_FINITE, "column 'b' 2 rows");
    assert_null(table);
}

static void every_allocation_may_fail(void **state)
{
    const char *path = scratch_write_text("alloc.csv", "a,b,c\n1,2,3\n4,,6\n7,8,9\n");
    static const char *const names[] = {"c", "b"};
    volt_read_options options = {
        .struct_size = sizeof(volt_read_options), VOLT_MISSING_INTERPOLATE, 1, VOLT_LAST_ROW, names, 2};
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_table *table = NULL;
        volt_status status = volt_table_read(path, &options, &table);
        volt_table_free(table);
        failing_alloc_check(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_every_kind),        cmocka_unit_test(rows_outside_the_file),
        cmocka_unit_test(lines_of_the_file),         cmocka_unit_test(times_of_the_rows),
        cmocka_unit_test(duplicate_column_names),    cmocka_unit_test(missing_ends_use_nearest_value),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
