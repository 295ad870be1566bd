/* tests/unit/io/test_mat.c: read MATLAB files of version 5 and 7.3, intact and damaged. The files are written
 * by matio. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "volterra/io.h"

#include <matio.h>
#include <unistd.h>

static void put(mat_t *file, const char *name, enum matio_classes class, enum matio_types type, size_t rows,
                size_t cols, const void *data, int flags, enum matio_compression compression)
{
    size_t dims[] = {rows, cols};
    matvar_t *variable = Mat_VarCreate(name, class, type, 2, dims, (void *)(uintptr_t)data, flags);
    assert_non_null(variable);
    assert_int_equal(Mat_VarWrite(file, variable, compression), 0);
    Mat_VarFree(variable);
}

/* X is 3 x 2 (1 2; 3 4; 5 6), y a column, r a row, i integers, s text. */
static const char *make_sample(const char *name, enum mat_ft version, enum matio_compression compression)
{
    static const double X[] = {1, 3, 5, 2, 4, 6}, y[] = {7, 8, 9};
    static const float r[] = {0.5f, 1.5f, 2.5f};
    static const int16_t i[] = {-1, 0, 300};
    const char *path = scratch_path(name);
    unlink(path);
    mat_t *file = Mat_CreateVer(path, "MATLAB 5.0 MAT-file, test", version);
    assert_non_null(file);
    put(file, "s", MAT_C_CHAR, MAT_T_UINT8, 1, 4, "text", 0, compression);
    put(file, "X", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, 2, X, 0, compression);
    put(file, "y", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, 1, y, 0, compression);
    put(file, "r", MAT_C_SINGLE, MAT_T_SINGLE, 1, 3, r, 0, compression);
    put(file, "i", MAT_C_INT16, MAT_T_INT16, 3, 1, i, 0, compression);
    Mat_Close(file);
    return path;
}

static volt_status read_columns(const char *path, const char *columns, volt_table **table)
{
    char source[5000];
    snprintf(source, sizeof source, "%s%s%s", path, columns ? ":" : "", columns ? columns : "");
    *table = NULL;
    return volt_table_read(source, NULL, table);
}

static void assert_fails(const char *path, const char *columns, volt_status expected, const char *reason)
{
    volt_table *table;
    volt_status status = read_columns(path, columns, &table);
    if (status != expected || !error_names(reason))
        fail_msg("status %d, '%s' does not say '%s'", (int)status, volt_error_detail(), reason);
    assert_null(table);
}

static const struct {
    enum mat_ft version;
    enum matio_compression compression;
} kinds[] = {{MAT_FT_MAT5, MAT_COMPRESSION_NONE},
             {MAT_FT_MAT5, MAT_COMPRESSION_ZLIB},
             {MAT_FT_MAT73, MAT_COMPRESSION_NONE},
             {MAT_FT_MAT73, MAT_COMPRESSION_ZLIB}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void reads_every_kind(void **state)
{
    static const char *const names[] = {"X_1", "X_2", "y", "r", "i"};
    static const double expected[] = {1, 2, 7, 0.5, -1, 3, 4, 8, 1.5, 0, 5, 6, 9, 2.5, 300};
    for (int k = 0; k < KINDS; k++) {
        const char *path = make_sample("sample.mat", kinds[k].version, kinds[k].compression);
        volt_table *table;
        if (read_columns(path, "X,y,r,i", &table))
            fail_msg("kind %d: %s", k, volt_error_detail());
        assert_int_equal(table->rows, 3);
        assert_int_equal(table->cols, 5);
        assert_int_equal(table->has_header, 1);
        for (int j = 0; j < 5; j++)
            assert_string_equal(table->names[j], names[j]);
        assert_memory_equal(table->values, expected, sizeof expected);
        volt_table_free(table);

        assert_int_equal(read_columns(path, NULL, &table), VOLT_OK); /* text is skipped */
        assert_int_equal(table->cols, 5);
        volt_table_free(table);
        assert_int_equal(read_columns(path, "y,X_2", &table), VOLT_OK);
        assert_true(table->cols == 2 && table->values[0] == 7 && table->values[1] == 2);
        volt_table_free(table);
        assert_fails(path, "s", VOLT_ERR_FORMAT, "column 's'");
        assert_fails(path, "X_3", VOLT_ERR_FORMAT, "column 'X_3'");
    }
}

/* Integers of every size, at the limits of their range. */
static void integer_types(void **state)
{
    static const int8_t a[] = {INT8_MIN, INT8_MAX};
    static const uint8_t b[] = {0, UINT8_MAX};
    static const int16_t c[] = {INT16_MIN, INT16_MAX};
    static const uint16_t d[] = {0, UINT16_MAX};
    static const int32_t e[] = {INT32_MIN, INT32_MAX};
    static const uint32_t f[] = {0, UINT32_MAX};
    static const int64_t g[] = {INT64_MIN, -1};
    static const uint64_t h[] = {0, UINT64_C(1) << 63};
    static const double expected[] = {
        INT8_MIN,  0,         INT16_MIN,  0,         INT32_MIN,  0,  -9223372036854775808.0, 0, INT8_MAX,
        UINT8_MAX, INT16_MAX, UINT16_MAX, INT32_MAX, UINT32_MAX, -1, 9223372036854775808.0};
    for (int k = 0; k < KINDS; k++) {
        const char *path = scratch_path("integers.mat");
        unlink(path);
        mat_t *file = Mat_CreateVer(path, "MATLAB 5.0 MAT-file, test", kinds[k].version);
        assert_non_null(file);
        put(file, "a", MAT_C_INT8, MAT_T_INT8, 2, 1, a, 0, kinds[k].compression);
        put(file, "b", MAT_C_UINT8, MAT_T_UINT8, 2, 1, b, 0, kinds[k].compression);
        put(file, "c", MAT_C_INT16, MAT_T_INT16, 2, 1, c, 0, kinds[k].compression);
        put(file, "d", MAT_C_UINT16, MAT_T_UINT16, 2, 1, d, 0, kinds[k].compression);
        put(file, "e", MAT_C_INT32, MAT_T_INT32, 2, 1, e, 0, kinds[k].compression);
        put(file, "f", MAT_C_UINT32, MAT_T_UINT32, 2, 1, f, 0, kinds[k].compression);
        put(file, "g", MAT_C_INT64, MAT_T_INT64, 2, 1, g, 0, kinds[k].compression);
        put(file, "h", MAT_C_UINT64, MAT_T_UINT64, 2, 1, h, 0, kinds[k].compression);
        Mat_Close(file);
        volt_table *table;
        if (read_columns(path, "a,b,c,d,e,f,g,h", &table))
            fail_msg("kind %d: %s", k, volt_error_detail());
        assert_true(table->rows == 2 && table->cols == 8);
        assert_memory_equal(table->values, expected, sizeof expected);
        volt_table_free(table);
    }
}

static void rejects_non_tables(void **state)
{
    static double two[] = {1, 2}, three[] = {1, 2, 3}, bad[] = {1, INFINITY, NAN};
    mat_complex_split_t complex_numbers = {two, two};
    for (int k = 0; k < KINDS; k++) {
        const char *path = scratch_path("odd.mat");
        unlink(path);
        mat_t *file = Mat_CreateVer(path, "MATLAB 5.0 MAT-file, test", kinds[k].version);
        assert_non_null(file);
        put(file, "u", MAT_C_DOUBLE, MAT_T_DOUBLE, 1, 3, three, 0, kinds[k].compression);
        put(file, "fs", MAT_C_DOUBLE, MAT_T_DOUBLE, 1, 1, two, 0, kinds[k].compression);
        put(file, "bad", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, 1, bad, 0, kinds[k].compression);
        put(file, "words", MAT_C_CHAR, MAT_T_UINT8, 1, 4, "text", 0,
            kinds[k].compression); /* not numeric: not listed */
        Mat_Close(file);
        assert_fails(path, NULL, VOLT_ERR_FORMAT, "rows");
        assert_true(strstr(volt_error_detail(), "u 3 x 1") && strstr(volt_error_detail(), "fs 1 x 1"));
        assert_null(strstr(volt_error_detail(), "words"));
        assert_fails(path, "bad", VOLT_ERR_NOT_FINITE, "row 2 column 'bad'");
        volt_table *table;
        assert_int_equal(read_columns(path, "u", &table), VOLT_OK);
        assert_memory_equal(table->values, three, sizeof three);
        volt_table_free(table);

        unlink(path);
        file = Mat_CreateVer(path, "MATLAB 5.0 MAT-file, test", kinds[k].version);
        put(file, "u", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, 1, two, 0, kinds[k].compression);
        put(file, "c", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, 1, &complex_numbers, MAT_F_COMPLEX, kinds[k].compression);
        Mat_Close(file);
        assert_fails(path, NULL, VOLT_ERR_FORMAT, "'c'");
        assert_fails(path, "c", VOLT_ERR_FORMAT, "column 'c'");
        assert_int_equal(read_columns(path, "u", &table), VOLT_OK);
        volt_table_free(table);

        unlink(path);
        size_t dims[] = {2, 1, 3};
        static double six[] = {1, 2, 3, 4, 5, 6};
        file = Mat_CreateVer(path, "MATLAB 5.0 MAT-file, test", kinds[k].version);
        put(file, "u", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, 1, two, 0, kinds[k].compression);
        matvar_t *block = Mat_VarCreate("block", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, six, 0);
        assert_int_equal(Mat_VarWrite(file, block, kinds[k].compression), 0);
        Mat_VarFree(block);
        Mat_Close(file);
        assert_fails(path, "block", VOLT_ERR_FORMAT, "dimensions");
        assert_int_equal(read_columns(path, "u", &table), VOLT_OK);
        volt_table_free(table);
    }
}

/* matio itself reads a truncated file of version 5 and returns arbitrary numbers: every truncation must be
 * detected. */
static void every_cut_is_rejected(void **state)
{
    for (int k = 0; k < KINDS; k++) {
        size_t size, step = kinds[k].version == MAT_FT_MAT5 ? 1 : 97;
        char *bytes = scratch_read(make_sample("whole.mat", kinds[k].version, kinds[k].compression), &size);
        for (size_t length = 0; length < size; length += step) {
            volt_table *table;
            const char *path = scratch_write("cut.mat", bytes, length);
            volt_status status = read_columns(path, "X,y,r,i", &table);
            volt_table_free(table);
            /* A cut between two variables leaves a valid file without the last variable. */
            if (status != VOLT_ERR_FORMAT)
                fail_msg("kind %d cut to %zu bytes: status %d", k, length, (int)status);
        }
        free(bytes);
    }
}

/* The checksum of compressed data and the library's own scan detect every flipped bit after the header. A
 * flipped bit in the header yields the original matrix or an error. */
static void flipped_bits_of_compressed_data(void **state)
{
    static const double expected[] = {1, 2, 3, 4, 5, 6};
    size_t size, n_refused = 0;
    char *bytes = scratch_read(make_sample("whole.mat", MAT_FT_MAT5, MAT_COMPRESSION_ZLIB), &size);
    for (size_t bit = 8 * 124; bit < 8 * size; bit++) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        volt_table *table;
        volt_status status = read_columns(scratch_write("flip.mat", bytes, size), "X", &table);
        n_refused += status != VOLT_OK;
        if (!status)
            assert_memory_equal(table->values, expected, sizeof expected);
        volt_table_free(table);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
    assert_true(n_refused >= 8 * (size - 128)); /* every bit after the header */
    free(bytes);
}

/* The last four bytes of the header. */
static void set_version(void *header, unsigned char first, unsigned char second, char third, char fourth)
{
    unsigned char *bytes = (unsigned char *)header + 124;
    bytes[0] = first;
    bytes[1] = second;
    bytes[2] = (unsigned char)third;
    bytes[3] = (unsigned char)fourth;
}

static void foreign_files(void **state)
{
    char bytes[700] = "hello, this is text";
    assert_fails(scratch_write("a.mat", bytes, 19), NULL, VOLT_ERR_FORMAT, "too");
    assert_fails(scratch_write("a.mat", bytes, 200), NULL, VOLT_ERR_FORMAT, "MAT");
    set_version(bytes, 0, 2, 'I', 'M');
    assert_fails(scratch_write("a.mat", bytes, sizeof bytes), NULL, VOLT_ERR_FORMAT, "HDF5");
    set_version(bytes, 0, 3, 'I', 'M');
    assert_fails(scratch_write("a.mat", bytes, sizeof bytes), NULL, VOLT_ERR_FORMAT, "version 0x0300");
    set_version(bytes, 0, 1, 'I', 'M');
    assert_fails(scratch_write("a.mat", bytes, 128), NULL, VOLT_ERR_FORMAT, "readable");
    assert_fails(scratch_write("a.mat", bytes, 200), NULL, VOLT_ERR_FORMAT, "type 0");
    assert_fails(scratch_path("absent.mat"), NULL, VOLT_ERR_IO, "No");
    /* A matrix without a body is allowed only within a cell: plain, and compressed (zlib, one stored block). */
    static const unsigned char plain[] = {14, 0, 0, 0, 0, 0, 0, 0},
                               compressed[] = {15,   0,  0, 0, 19, 0, 0, 0, 0x78, 1, 1,   8, 0, 0xf7,
                                               0xff, 14, 0, 0, 0,  0, 0, 0, 0,    0, 120, 0, 15};
    memcpy(bytes + 128, plain, sizeof plain);
    assert_fails(scratch_write("a.mat", bytes, 128 + sizeof plain), NULL, VOLT_ERR_FORMAT, "byte 128");
    memcpy(bytes + 128, compressed, sizeof compressed);
    assert_fails(scratch_write("a.mat", bytes, 128 + sizeof compressed), NULL, VOLT_ERR_FORMAT, "byte 128");
}

/* A matrix in big-endian order, byte by byte, with a short name and a short count. */
static void big_endian(void **state)
{
    unsigned char bytes[128 + 8 + 16 + 16 + 8 + 16] = "MATLAB 5.0 MAT-file, test";
    static const unsigned char body[] = {0, 0, 0, 14, 0, 0, 0, 56, 0,    0,    0, 6, 0,   0, 0, 8,
                                         0, 0, 0, 6,  0, 0, 0, 0,  0,    0,    0, 5, 0,   0, 0, 8,
                                         0, 0, 0, 1,  0, 0, 0, 1,  0,    1,    0, 1, 'q', 0, 0, 0,
                                         0, 0, 0, 9,  0, 0, 0, 8,  0x3f, 0xf8, 0, 0, 0,   0, 0, 0};
    set_version(bytes, 1, 0, 'M', 'I');
    memcpy(bytes + 128, body, sizeof body);
    volt_table *table;
    const char *path = scratch_write("big.mat", bytes, 128 + sizeof body);
    if (read_columns(path, NULL, &table))
        fail_msg("%s", volt_error_detail());
    assert_string_equal(table->names[0], "q");
    assert_true(table->rows == 1 && table->cols == 1 && table->values[0] == 1.5);
    volt_table_free(table);
}

static void written_files_are_read_by_matio(void **state)
{
    const double values[] = {1, 2, 99, 3, 4, 99, 5, 6, 99}, expected[] = {1, 3, 5, 2, 4, 6};
    const volt_view view = {values, 3, 2, 3};
    const char *path = scratch_path("written.mat");
    assert_int_equal(volt_table_write(path, view, NULL, NULL), VOLT_OK);
    mat_t *file = Mat_Open(path, MAT_ACC_RDONLY);
    assert_non_null(file);
    matvar_t *variable = Mat_VarRead(file, "data");
    assert_non_null(variable);
    assert_int_equal(variable->class_type, MAT_C_DOUBLE);
    assert_true(variable->rank == 2 && variable->dims[0] == 3 && variable->dims[1] == 2);
    /* a text filled with spaces, no subsystem data, the version and the order of bytes; then little-endian words: matrix,
     * bytes; flags, class; dimensions; the name in one word; numbers, bytes */
    char head[128];
    unsigned char words[14][4];
    static const uint32_t expected_words[14] = {14, 96, 6, 8, 6, 0, 5, 8, 3, 2, 0x00040001, 0x61746164, 9, 48};
    FILE *stream = fopen(path, "rb");
    assert_true(stream && fread(head, 1, sizeof head, stream) == sizeof head);
    assert_true(fread(words, 1, sizeof words, stream) == sizeof words);
    for (int i = 0; i < 14; i++) {
        const unsigned char *w = words[i];
        assert_int_equal(w[0] | w[1] << 8 | w[2] << 16 | w[3] << 24, expected_words[i]);
    }
    fclose(stream);
    assert_memory_equal(head, "MATLAB 5.0 MAT-file, written by volterra", 40);
    for (int i = 40; i < 116; i++)
        assert_true(head[i] == ' ');
    assert_memory_equal(head + 116, "\0\0\0\0\0\0\0\0\0\1IM", 12);
    assert_memory_equal(variable->data, expected, sizeof expected);
    Mat_VarFree(variable);
    Mat_Close(file);
    volt_table *table;
    assert_int_equal(read_columns(path, "data_2", &table), VOLT_OK);
    assert_true(table->values[2] == 6);
    volt_table_free(table);
    const volt_view huge = {values, INT64_C(1) << 30, 1, 1};
    assert_int_equal(volt_table_write(path, huge, NULL, NULL), VOLT_ERR_ARGUMENT);
}

static void every_allocation_may_fail(void **state)
{
    for (int kind = 0; kind < KINDS; kind++) {
        const char *path = make_sample("alloc.mat", kinds[kind].version, kinds[kind].compression);
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_table *table = NULL;
            volt_status status = volt_table_read(path, NULL, &table);
            volt_table_free(table);
            failing_alloc_check(status);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_kind),
        cmocka_unit_test(integer_types),
        cmocka_unit_test(rejects_non_tables),
        cmocka_unit_test(every_cut_is_rejected),
        cmocka_unit_test(flipped_bits_of_compressed_data),
        cmocka_unit_test(foreign_files),
        cmocka_unit_test(big_endian),
        cmocka_unit_test(written_files_are_read_by_matio),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
