/* tests/unit/io/test_choose_columns.c: columns by name, range and pattern; PATH:COLUMNS; consistency of tables. */
#include "base/memory.h"
#include "io/file/file_bytes.h"
#include "io/source.h"
#include "io/table/table.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "volterra/io.h"

#include <unistd.h>

static const char *const names[] = {"date", "z1",   "z2",   "z3",   "h11", "h12",
                                    "a*b",  "x..y", "z1,5", "twin", "twin"};
static const char *const refusals[11] = {"is a date column"};
static const char *const families[11] = {NULL, "z", "z", "z"};
static const volt_column_list columns = {
    .count = 11, .names = names, .families = families, .refusals = refusals};

static void assert_chosen(const char *selection, const char *expected)
{
    int64_t *chosen = NULL, n_chosen = 0;
    char found[200] = "";
    if (volt_choose_columns(&columns, selection, &chosen, &n_chosen))
        fail_msg("%s: %s", selection, volt_error_detail());
    for (int64_t i = 0; i < n_chosen; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%d", i ? " " : "", (int)chosen[i]);
    assert_string_equal(found, expected);
    volt_free(chosen);
}

static void assert_refused(const char *selection, const char *reason)
{
    int64_t *chosen = NULL, n_chosen = 0;
    assert_int_equal(volt_choose_columns(&columns, selection, &chosen, &n_chosen), VOLT_ERR_FORMAT);
    assert_null(chosen);
    if (!error_names(reason))
        fail_msg("%s: '%s' does not say '%s'", selection, volt_error_detail(), reason);
}

static void selections(void **state)
{
    assert_chosen(NULL, "1 2 3 4 5 6 7 8 9 10");
    assert_chosen("z2", "2");
    assert_chosen("h12,z1", "5 1");
    assert_chosen(" h12 , z1 ", "5 1");
    assert_chosen("z1..z3", "1 2 3");
    assert_chosen("h*", "4 5");
    assert_chosen("z?", "1 2 3");
    assert_chosen("h1[12]", "4 5");
    assert_chosen("z3,z*", "3 1 2 8"); /* kept at its first position */
    assert_chosen("z1,z1", "1");
    assert_chosen("a*b", "6");  /* names take precedence over patterns */
    assert_chosen("x..y", "7"); /* names take precedence over ranges */
    assert_chosen("z1?5", "8"); /* a name with a comma */
    assert_chosen("z", "1 2 3");
    assert_chosen("t*", "9 10");
    assert_chosen("*", "1 2 3 4 5 6 7 8 9 10"); /* excludes the date */
    assert_refused("z4", "no column 'z4'");
    assert_refused("H11x", "no column 'H11x' 'h11'");
    assert_refused("something else", "no column 'something else'");
    assert_refused("z1..q", "no column 'q'");
    assert_refused("z3..z1", "z3..z1");
    assert_refused("q*", "no column matches 'q*'");
    assert_refused("date", "column 'date' is a date column");
    assert_refused("date..z1", "column 'date' is a date column");
    assert_refused("twin", "names both column 10 and column 11");
    assert_refused("", "empty item");
    assert_refused("z1,,z2", "empty item");
    const volt_column_list none = {.count = 0};
    int64_t *chosen = NULL, n_chosen = 0;
    assert_int_equal(volt_choose_columns(&none, "a", &chosen, &n_chosen), VOLT_ERR_FORMAT);
}

/* Of many columns, the message names the nearest one, or the first. */
/* Columns are matched by name in the order of the names; of two with one name the first is the first. Without any known name they
 * are matched by position, and a part of the names is an error with both lists. */
static void columns_matched_by_name(void **state)
{
    static const char *const given[] = {"u", "v", "w", "v"};
    static const struct {
        const char *const wanted[4];
        int64_t n_given, n, from[4];
        int by_position;
        const char *says; /* NULL: no error */
    } cases[] = {
        {{"w", "u"}, 4, 2, {2, 0}, 0, NULL},
        {{"v", "v", "w"}, 4, 3, {1, 3, 2}, 0, NULL},
        {{"a", "b"}, 2, 2, {0, 1}, 1, NULL},
        {{"u", "x"}, 2, 2, {0}, 0, "2 'u, x' 'u, v'"},
        {{"u", "u"}, 4, 2, {0}, 0, "'u, u' 'u, v, w, v'"},
        {{"a", "b", "c"}, 2, 3, {0}, 0, "3 'a, b, c' 2 'u, v'"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t from[4] = {-7, -7, -7, -7};
        int by_position = -7;
        volt_status status =
            volt_columns_match(given, cases[c].n_given, cases[c].wanted, cases[c].n, from, &by_position);
        if (cases[c].says) {
            check_fails(status, VOLT_ERR_FORMAT, cases[c].says);
            assert_true(from[0] == -7 && by_position == -7);
            continue;
        }
        check_ok(status);
        assert_memory_equal(from, cases[c].from, (size_t)cases[c].n * sizeof *from);
        assert_int_equal(by_position, cases[c].by_position);
    }
    int64_t from[2];
    int by_position = 1;
    check_ok(volt_columns_match(NULL, 2, given, 2, from, &by_position));
    assert_true(from[0] == 0 && from[1] == 1 && by_position == 0);
    check_fails(volt_columns_match(NULL, 3, given, 2, from, &by_position), VOLT_ERR_FORMAT, "3 2 'u, v'");
    check_fails(volt_columns_match(given, 0, given, 2, from, &by_position), VOLT_ERR_ARGUMENT, "0 2");
}

/* Among chosen columns only; columns without names are used by position. */
static void chosen_columns_narrowed(void **state)
{
    static const char *const first[] = {"h12", "z1"}, *const other[] = {"z1", "z2"},
                             *const four[] = {"a", "b", "c", "d"};
    int64_t chosen[] = {1, 5, 9, 10}, count = 4;
    bool narrowed = false;
    check_fails(volt_narrow_columns(&columns, other, 2, chosen, &count, &narrowed), VOLT_ERR_FORMAT,
                "'z1, z2'");
    check_ok(volt_narrow_columns(&columns, NULL, 0, chosen, &count, &narrowed));
    check_ok(volt_narrow_columns(&columns, four, 4, chosen, &count, &narrowed));
    assert_true(!narrowed && count == 4 && chosen[0] == 1 && chosen[3] == 10);
    check_ok(volt_narrow_columns(&columns, first, 2, chosen, &count, &narrowed));
    assert_true(narrowed && count == 2 && chosen[0] == 5 && chosen[1] == 1);
    volt_column_list unnamed = columns;
    unnamed.unnamed = true;
    check_ok(volt_narrow_columns(&unnamed, first, 2, chosen, &count, &narrowed));
    assert_true(!narrowed && count == 2 && chosen[0] == 5);
}

static void unknown_among_many(void **state)
{
    enum { MANY = 12 };
    char text[MANY][24];
    const char *many[MANY];
    for (int j = 0; j < MANY; j++) {
        snprintf(text[j], sizeof text[j], "temperature_at_%d", 100 + j);
        many[j] = text[j];
    }
    const volt_column_list list = {.count = MANY, .names = many};
    int64_t *chosen = NULL, n_chosen = 0;
    check_fails(volt_choose_columns(&list, "temperatur_at_105", &chosen, &n_chosen), VOLT_ERR_FORMAT,
                "'temperatur_at_105' 'temperature_at_105'");
    check_fails(volt_choose_columns(&list, "q", &chosen, &n_chosen), VOLT_ERR_FORMAT,
                "'q' 12 'temperature_at_100'");
    assert_null(chosen);
}

static void assert_split(const char *source, const char *path, const char *selection)
{
    char *found = NULL;
    const char *rest = NULL;
    assert_int_equal(volt_source_split(source, &found, &rest), VOLT_OK);
    assert_string_equal(found, path);
    if (selection)
        assert_string_equal(rest, selection);
    else
        assert_null(rest);
    volt_free(found);
}

static void sources(void **state)
{
    char source[3][5000];
    const char *plain = scratch_write_text("plain.csv", "a\n1\n"),
               *odd = scratch_write_text("odd.csv:a", "a\n1\n");
    snprintf(source[0], sizeof source[0], "%s:a", plain);
    snprintf(source[1], sizeof source[1], "%s:a:b", plain);
    snprintf(source[2], sizeof source[2], "%s:a", odd);
    assert_split(plain, plain, NULL);
    assert_split(source[0], plain, "a");
    assert_split(source[1], plain, "a:b"); /* a column name may contain a colon */
    assert_split(odd, odd, NULL);          /* a file name may, too */
    assert_split(source[2], odd, "a");
    assert_split("-", "-", NULL);
    assert_split("-:a,b", "-", "a,b");
    assert_split("absent.csv:a..b", "absent.csv", "a..b");
    assert_split("absent.NPY:1", "absent.NPY", "1");
    assert_split("absent:a", "absent:a", NULL);
    assert_split(":a", ":a", NULL);
    assert_split("x:", "x:", NULL);
    assert_int_equal(volt_file_kind_of("dir.npy/file"), VOLT_FILE_UNKNOWN);
    assert_int_equal(volt_file_kind_of("a.MAT"), VOLT_FILE_MAT);
    assert_int_equal(volt_file_kind_of("a.b.tsv"), VOLT_FILE_CSV);
    unlink(odd);
}

static void file_kind_from_first_bytes(void **state)
{
    const double values[] = {1, 2, 3, 4};
    const char *npy = scratch_path("matrix.npy"), *mat = scratch_path("matrix.mat"),
               *bare = scratch_path("matrix");
    assert_int_equal(volt_table_write(npy, volt_view_of(values, 2, 2), NULL, NULL), VOLT_OK);
    assert_int_equal(volt_table_write(mat, volt_view_of(values, 2, 2), NULL, NULL), VOLT_OK);
    assert_int_equal(volt_table_write(bare, volt_view_of(values, 2, 2), NULL, NULL), VOLT_OK);
    assert_int_equal(volt_file_kind_guess(bare), VOLT_FILE_CSV);
    const char *files[] = {npy, mat};
    for (int i = 0; i < 2; i++) {
        volt_table *table = NULL;
        assert_int_equal(rename(files[i], bare), 0);
        assert_int_equal(volt_table_read(bare, NULL, &table), VOLT_OK);
        assert_int_equal(table->rows, 2);
        assert_memory_equal(table->values, values, sizeof values);
        volt_table_free(table);
    }
}

static void tables_with_common_rows(void **state)
{
    const char *first_path = scratch_write_text("x.csv", "a,b\n1,2\nNA,4\n5,6\n7,8\n");
    const char *second_path = scratch_write_text("y.csv", "c\n10\n20\nNA\n40\n");
    volt_table *first = NULL, *second = NULL;
    assert_int_equal(volt_table_read(first_path,
                                     &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                          .missing = VOLT_MISSING_KEEP,
                                                          .end = VOLT_LAST_ROW},
                                     &first),
                     VOLT_OK);
    assert_int_equal(volt_table_read(second_path,
                                     &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                          .missing = VOLT_MISSING_KEEP,
                                                          .end = VOLT_LAST_ROW},
                                     &second),
                     VOLT_OK);
    assert_int_equal(volt_tables_clean(first, second, VOLT_MISSING_ERROR, NULL, 0), VOLT_ERR_NOT_FINITE);
    assert_non_null(strstr(volt_error_detail(), "row 2, column 'a'"));
    assert_int_equal(volt_tables_clean(first, second, VOLT_MISSING_KEEP, NULL, 0), VOLT_ERR_ARGUMENT);
    assert_int_equal(first->rows, 4);
    assert_int_equal(volt_tables_clean(first, second, VOLT_MISSING_DROP, NULL, 0), VOLT_OK);
    const double kept_first[] = {1, 2, 7, 8}, kept_second[] = {10, 40};
    assert_int_equal(first->rows, 2);
    assert_int_equal(second->rows, 2);
    assert_int_equal(first->dropped, 2);
    assert_int_equal(second->dropped, 2);
    assert_memory_equal(first->values, kept_first, sizeof kept_first);
    assert_memory_equal(second->values, kept_second, sizeof kept_second);
    volt_table_free(second);

    assert_int_equal(volt_table_read(second_path,
                                     &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                          .missing = VOLT_MISSING_KEEP,
                                                          .end = VOLT_LAST_ROW},
                                     &second),
                     VOLT_OK);
    assert_int_equal(volt_tables_clean(first, second, VOLT_MISSING_DROP, NULL, 0), VOLT_ERR_SHAPE);
    assert_int_equal(volt_tables_clean(second, NULL, VOLT_MISSING_INTERPOLATE, NULL, 0), VOLT_OK);
    assert_true(second->values[2] == 30);
    assert_int_equal(second->interpolated, 1);
    volt_table_free(second);
    volt_table_free(first);
    volt_table_free(NULL);
}

/* Two gaps of different lengths are interpolated linearly. Rounding affects 1 - share and the two products,
 * so 4 eps times the largest value is sufficient. */
static void interpolation_is_linear(void **state)
{
    volt_table *table = NULL;
    const char *path = scratch_write_text("gaps.csv", "a\n3\nNA\nNA\n-6\nNA\n1\n");
    assert_int_equal(volt_table_read(path,
                                     &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                          .missing = VOLT_MISSING_INTERPOLATE,
                                                          .end = VOLT_LAST_ROW},
                                     &table),
                     VOLT_OK);
    const double expected[] = {3, 0, -3, -6, -2.5, 1};
    for (int i = 0; i < 6; i++)
        assert_true(fabs(table->values[i] - expected[i]) <= 4 * 2.220446049250313e-16 * 6);
    assert_int_equal(table->interpolated, 3);
    volt_table_free(table);
}

static void every_allocation_may_fail(void **state)
{
    for (int64_t k = 0; failing_alloc_next(&k);) {
        int64_t *chosen = NULL, n_chosen = 0;
        volt_status status = volt_choose_columns(&columns, "h*,z1..z3", &chosen, &n_chosen);
        volt_free(chosen);
        failing_alloc_check(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selections),
        cmocka_unit_test(columns_matched_by_name),
        cmocka_unit_test(chosen_columns_narrowed),
        cmocka_unit_test(unknown_among_many),
        cmocka_unit_test(sources),
        cmocka_unit_test(file_kind_from_first_bytes),
        cmocka_unit_test(tables_with_common_rows),
        cmocka_unit_test(interpolation_is_linear),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
