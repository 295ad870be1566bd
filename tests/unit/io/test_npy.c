/* tests/unit/io/test_npy.c: read NPY files of every order and type, intact and damaged. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "volterra/io.h"

/* A file from a preamble, the given header and data. */
static const char *make_file(int version, const char *header, const void *data, size_t data_bytes)
{
    static unsigned char bytes[4096];
    size_t length = strlen(header), at = 8;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)version;
    bytes[7] = 0;
    for (int i = 0; i < (version == 1 ? 2 : 4); i++)
        bytes[at++] = (unsigned char)(length >> 8 * i);
    memcpy(bytes + at, header, length);
    if (data_bytes > 0)
        memcpy(bytes + at + length, data, data_bytes);
    return scratch_write("file.npy", bytes, at + length + data_bytes);
}

static const char *make_typed(const char *descr, const char *order, const char *shape, const void *data,
                              size_t bytes)
{
    char header[200];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }   \n", descr, order,
             shape);
    return make_file(1, header, data, bytes);
}

static void assert_reads(const char *path, int64_t rows, int64_t cols, const double *expected)
{
    volt_table *table = NULL;
    if (volt_table_read(path, NULL, &table))
        fail_msg("%s", volt_error_detail());
    assert_int_equal(table->rows, rows);
    assert_int_equal(table->cols, cols);
    assert_memory_equal(table->values, expected, (size_t)(rows * cols) * sizeof *expected);
    assert_string_equal(table->names[0], "1");
    assert_int_equal(table->has_header, 0);
    volt_table_free(table);
}

static void assert_fails(const char *path, volt_status expected, const char *reason)
{
    volt_table *table = NULL;
    volt_status status = volt_table_read(path, NULL, &table);
    if (status != expected || !error_names(reason))
        fail_msg("status %d, '%s' does not say '%s'", (int)status, volt_error_detail(), reason);
    assert_null(table);
}

static void orders_and_types(void **state)
{
    /* The bytes of 1.5 and -2 in each type and byte order. */
    static const unsigned char little8[] = {0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0};
    static const unsigned char big8[] = {0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0};
    static const unsigned char little4[] = {0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0},
                               big4[] = {0x3f, 0xc0, 0, 0, 0xc0, 0, 0, 0};
    const double values[] = {1.5, -2};
    assert_reads(make_typed("<f8", "False", "(2,)", little8, 16), 2, 1, values);
    assert_reads(make_typed(">f8", "False", "(2, 1)", big8, 16), 2, 1, values);
    assert_reads(make_typed("<f8", "False", "(1, 2)", little8, 16), 1, 2, values);
    assert_reads(make_typed("<f4", "False", "(2,)", little4, 8), 2, 1, values);
    assert_reads(make_typed(">f4", "True", "(2,)", big4, 8), 2, 1, values);
    assert_reads(make_typed("=f8", "False", "(2,)", values, 16), 2, 1, values);

    static const unsigned char little2[] = {0xfe, 0xff, 3, 1}, big2[] = {0xff, 0xfe, 1, 3};
    const double signed2[] = {-2, 259}, unsigned2[] = {65534, 259}, bytes2[] = {-2, -1, 3, 1};
    assert_reads(make_typed("<i2", "False", "(2,)", little2, 4), 2, 1, signed2);
    assert_reads(make_typed(">i2", "False", "(2,)", big2, 4), 2, 1, signed2);
    assert_reads(make_typed("<u2", "False", "(2,)", little2, 4), 2, 1, unsigned2);
    assert_reads(make_typed("|i1", "False", "(4,)", little2, 4), 4, 1, bytes2);
    const int64_t long_integers[] = {-5, INT64_C(1) << 52};
    const double long_values[] = {-5, 4503599627370496.0}, truth[] = {1, 0};
    assert_reads(make_typed("=i8", "False", "(2,)", long_integers, 16), 2, 1, long_values);
    const int32_t integers[] = {-5, INT32_MAX};
    const uint32_t naturals[] = {5, UINT32_MAX};
    const uint64_t long_naturals[] = {5, UINT64_C(1) << 63};
    const double values4[] = {-5, 2147483647.0}, naturals4[] = {5, 4294967295.0},
                 naturals8[] = {5, 9223372036854775808.0};
    assert_reads(make_typed("=i4", "False", "(2,)", integers, 8), 2, 1, values4);
    assert_reads(make_typed("=u4", "False", "(2,)", naturals, 8), 2, 1, naturals4);
    assert_reads(make_typed("=u8", "False", "(2,)", long_naturals, 16), 2, 1, naturals8);
    assert_reads(make_typed("|b1", "False", "(2,)", "\1\0", 2), 2, 1, truth);

    const double by_columns[] = {1, 4, 2, 5, 3, 6}, by_rows[] = {1, 2, 3, 4, 5, 6};
    assert_reads(make_typed("=f8", "True", "(2, 3)", by_columns, 48), 2, 3, by_rows);
    assert_reads(make_typed("=f8", "False", "(2, 3)", by_rows, 48), 2, 3, by_rows);
    assert_reads(make_file(2, "{'shape': (2, 3), \"fortran_order\": False, 'descr': '=f8'}", by_rows, 48), 2, 3,
                 by_rows);
    assert_reads(make_file(3, "{'descr':'=f8','fortran_order':False,'shape':(2L,3L),}\n", by_rows, 48), 2, 3,
                 by_rows);
}

static void columns_by_number(void **state)
{
    const double by_rows[] = {1, 2, 3, 4, 5, 6}, chosen[] = {3, 1, 6, 4};
    char source[5000];
    snprintf(source, sizeof source, "%s:3,1", make_typed("=f8", "False", "(2, 3)", by_rows, 48));
    volt_table *table = NULL;
    assert_int_equal(volt_table_read(source, NULL, &table), VOLT_OK);
    assert_int_equal(table->cols, 2);
    assert_string_equal(table->names[0], "3");
    assert_memory_equal(table->values, chosen, sizeof chosen);
    volt_table_free(table);
}

/* Rows 1 and 2 of four, of all columns and of one, in both orders: item r of column c is 10 c + r. */
static void some_rows(void **state)
{
    static const double by_rows[12] = {0, 10, 20, 1, 11, 21, 2, 12, 22, 3, 13, 23},
                        by_columns[12] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
    volt_read_options options = volt_read_options_default();
    options.first = 1;
    options.end = -1;
    for (int fortran = 0; fortran < 2; fortran++)
        for (int all = 0; all < 2; all++) {
            char source[5000];
            volt_table *table = NULL;
            const char *path = make_typed("=f8", fortran ? "True" : "False", "(4, 3)",
                                          fortran ? by_columns : by_rows, sizeof by_rows);
            snprintf(source, sizeof source, "%s%s", path, all ? "" : ":3");
            assert_int_equal(volt_table_read(source, &options, &table), VOLT_OK);
            assert_true(table->rows == 2 && table->cols == (all ? 3 : 1) && table->file_rows == 4);
            for (int64_t i = 0; i < 2; i++) {
                assert_int_equal(table->row_numbers[i], 1 + i);
                for (int64_t j = 0; j < table->cols; j++)
                    assert_true(table->values[i * table->cols + j] == (double)(10 * (all ? j : 2) + 1 + i));
            }
            volt_table_free(table);
        }
}

static void non_finite_values(void **state)
{
    const double with_nan[] = {1, 2, NAN, 4, 5, 6}, with_inf[] = {1, 2, 3, -INFINITY};
    const char *path = make_typed("=f8", "False", "(3, 2)", with_nan, 48);
    assert_fails(path, VOLT_ERR_NOT_FINITE, "row 2 column '1'");
    volt_table *table = NULL;
    assert_int_equal(volt_table_read(path,
                                     &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                          .missing = VOLT_MISSING_INTERPOLATE,
                                                          .end = VOLT_LAST_ROW},
                                     &table),
                     VOLT_OK);
    assert_true(table->values[2] == 3);
    volt_table_free(table);
    assert_fails(make_typed("=f8", "False", "(2, 2)", with_inf, 32), VOLT_ERR_NOT_FINITE, "row 2 column '2'");
}

static void damaged_and_foreign(void **state)
{
    const double data[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const struct {
        const char *header, *reason;
    } cases[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "0 dimensions"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 2), }", "3 dimensions"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", "empty"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 0), }", "empty: 3 x 0"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }", "72 bytes, found 64"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (7,), }", "8 bytes follow"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }",
         "larger than any file"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 1), }",
         "invalid NPY header"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-8,), }", "invalid NPY header"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (8), }", "invalid NPY header"},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': (8,), }", "invalid NPY header"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (8,), 'more': 1}", "invalid NPY header"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (8,), } x", "invalid NPY header"},
        {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (8,)}", "invalid NPY header"},
        {"{'descr': '<f8', 'shape': (8,), }", "invalid NPY header"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (4,), }", "'<c16'"},
        {"{'descr': '|S8', 'fortran_order': False, 'shape': (8,), }", "'|S8'"},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (8,), }", "fields"},
        {"", "invalid NPY header"},
        {"{'descr", "invalid NPY header"},
        {"{'descr': '<f8", "invalid NPY header"},
        {"{descr: '<f8', 'fortran_order': False, 'shape': (8,)}", "invalid NPY header"},
        {"{'descr' '<f8', 'fortran_order': False, 'shape': (8,)}", "invalid NPY header"},
        {"{'descr': '', 'fortran_order': False, 'shape': (8,)}", "the dtype ''"},
        {"{'descr': 'f8', 'fortran_order': False, 'shape': (8,)}", "the dtype 'f8'"},
        {"{'descr': 'a word of more than 31 letters, that is', 'fortran_order': False, 'shape': (8,)}",
         "invalid NPY header"},
        {"{'descr': '<f8', 'fortran_order': False, 'fortran_order': False, 'shape': (8,)}",
         "invalid NPY header"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': 8}", "invalid NPY header"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (8,), 'shape': (8,)}", "invalid NPY header"},
        {"{'descr': '<f8', 'fortran_order': False}", "invalid NPY header"},
        {"{'fortran_order': False, 'shape': (8,)}", "invalid NPY header"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': "
         "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,1,1,1,1,8)}",
         "32 dimensions"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': "
         "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,1,1,1,1,1,8)}",
         "invalid NPY header"}, /* one more than NumPy supports */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_fails(make_file(1, cases[i].header, data, sizeof data), VOLT_ERR_FORMAT, cases[i].reason);
    assert_fails(make_file(4, cases[0].header, data, sizeof data), VOLT_ERR_FORMAT, "version 4.0");
    assert_fails(scratch_write("a.npy", "\x93NUMPY\2\0\xff\xff\xff\x7f", 12), VOLT_ERR_FORMAT, "most");
    assert_fails(make_file(0, cases[0].header, data, sizeof data), VOLT_ERR_FORMAT, "version 0.0");
    assert_fails(scratch_write("a.npy", "\x93NUMPY\1\1\2\0{}", 12), VOLT_ERR_FORMAT, "version 1.1");
    assert_fails(scratch_write("a.npy", "\x93NUMPY\2\0\2\0", 10), VOLT_ERR_FORMAT, "NPY header");
    assert_fails(scratch_write("a.npy", "\x93NUMPY\1\0\3\0{\0}", 13), VOLT_ERR_FORMAT, "zero");
    assert_fails(scratch_write("a.npy", "hello world", 11), VOLT_ERR_FORMAT, "NPY");
    assert_fails(scratch_write("a.npy", "", 0), VOLT_ERR_FORMAT, "NPY");
    assert_fails(scratch_path("absent.npy"), VOLT_ERR_IO, "No");

    size_t size;
    const char *path = make_typed("=f8", "False", "(8,)", data, sizeof data);
    char *bytes = scratch_read(path, &size);
    for (size_t length = 0; length < size; length++) {
        volt_table *table = NULL;
        assert_int_equal(volt_table_read(scratch_write("cut.npy", bytes, length), NULL, &table),
                         VOLT_ERR_FORMAT);
        assert_null(table);
    }
    free(bytes);
}

static void written_files_are_read_by_numpy(void **state)
{
    const double values[] = {1.5, -2, 99, 3, 4, 99}, expected[] = {1.5, -2, 3, 4};
    const volt_view view = {values, 2, 2, 3};
    const char *path = scratch_path("written.npy");
    assert_int_equal(volt_table_write(path, view, NULL, NULL), VOLT_OK);
    size_t size;
    char *bytes = scratch_read(path, &size);
    assert_int_equal(size, 128 + 32);
    assert_memory_equal(
        bytes, "\x93NUMPY\1\0\x76\0{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }  ", 10 + 61);
    assert_int_equal(bytes[127], '\n');
    const unsigned char one_and_a_half[] = {0, 0, 0, 0, 0, 0, 0xf8, 0x3f};
    assert_memory_equal(bytes + 128, one_and_a_half, 8);
    free(bytes);
    assert_reads(path, 2, 2, expected);
}

static void every_allocation_may_fail(void **state)
{
    const double data[] = {1, 2, 3, 4, 5, 6};
    const char *path = make_typed("=f8", "True", "(3, 2)", data, sizeof data);
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_table *table = NULL;
        volt_status status = volt_table_read(path, NULL, &table);
        volt_table_free(table);
        failing_alloc_check(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_and_types),
        cmocka_unit_test(columns_by_number),
        cmocka_unit_test(some_rows),
        cmocka_unit_test(non_finite_values),
        cmocka_unit_test(damaged_and_foreign),
        cmocka_unit_test(written_files_are_read_by_numpy),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
