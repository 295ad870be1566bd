/* tests/unit/io/test_damaged_files.c: files with inconsistent structure, built byte by byte: MAT files of
 * version 5, and safetensors arrays of other programs. */
#include "io/mat/mat.h"
#include "io/safetensors/safetensors.h"
#include "support/check.h"
#include "support/scratch.h"
#include "volterra/io.h"

#include <zlib.h>

/* ---- MAT files -------------------------------------------------------------------------------- */

/* Elements are little-endian words of 4 bytes: tags {type, bytes}, or {type | bytes << 16, body} in the
 * short form. */
enum { INT8 = 1, INT32 = 5, UINT32 = 6, DOUBLE = 9, MATRIX = 14, COMPRESSED = 15, MAX_WORDS = 8192 };
enum { CELL = 1, STRUCT = 2, OBJECT = 3, CHAR = 4, NUMBERS = 6, FUNCTION = 16, OPAQUE = 17 };
#define SHORT(type, bytes) ((type) | (uint32_t)(bytes) << 16)
#define FLAGS(class) UINT32, 8, class, 0
#define SHAPE(rows, cols) INT32, 8, rows, cols
#define NAME SHORT(INT8, 1), 'a'
#define HEAD(class, rows, cols) FLAGS(class), SHAPE(rows, cols), NAME
#define BODY(...) (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

typedef struct mat_file {
    unsigned char bytes[4 * MAX_WORDS];
    size_t size;
} mat_file;

static void put_word(mat_file *file, uint32_t word)
{
    assert_true(file->size + 4 <= sizeof file->bytes);
    for (int b = 0; b < 4; b++)
        file->bytes[file->size++] = (unsigned char)(word >> (8 * b));
}

static void begin_mat(mat_file *file)
{
    memset(file, 0, sizeof *file);
    memset(file->bytes, ' ', 124);
    memcpy(file->bytes + 124, "\0\1IM", 4);
    file->size = 128;
}

static void put_element(mat_file *file, uint32_t type, const uint32_t *words, size_t count)
{
    put_word(file, type);
    put_word(file, (uint32_t)(4 * count));
    for (size_t i = 0; i < count; i++)
        put_word(file, words[i]);
}

/* The matrix of these words, compressed, without the last `cut` bytes. */
static void put_compressed(mat_file *file, const uint32_t *words, size_t count, size_t cut)
{
    static mat_file plain;
    plain.size = 0;
    put_element(&plain, MATRIX, words, count);
    uLongf length = compressBound(plain.size);
    unsigned char *packed = malloc(length);
    assert_non_null(packed);
    assert_int_equal(compress(packed, &length, plain.bytes, plain.size), Z_OK);
    put_word(file, COMPRESSED);
    put_word(file, (uint32_t)(length - cut));
    memcpy(file->bytes + file->size, packed, length - cut);
    file->size += length - cut;
    free(packed);
}

static volt_status check_mat(const mat_file *file)
{
    int64_t size = 0;
    volt_status status = volt_mat_check(scratch_write("made.mat", file->bytes, file->size), &size);
    assert_int_equal(size, file->size);
    return status;
}

static void inconsistent_matrices_are_rejected(void **state)
{
    static mat_file file;
    const struct {
        const char *what;
        const uint32_t *words;
        size_t count;
        bool is_good;
    } cases[] = {
        {"numbers", BODY(HEAD(NUMBERS, 1, 1), DOUBLE, 8, 0, 0), true},
        {"complex numbers", BODY(FLAGS(NUMBERS | 0x0800), SHAPE(1, 1), NAME, DOUBLE, 8, 0, 0, DOUBLE, 8, 0, 0),
         true},
        {"one part of complex numbers", BODY(FLAGS(NUMBERS | 0x0800), SHAPE(1, 1), NAME, DOUBLE, 8, 0, 0),
         false},
        {"too few numbers", BODY(HEAD(NUMBERS, 1, 2), DOUBLE, 8, 0, 0), false},
        {"numbers of no type", BODY(HEAD(NUMBERS, 1, 1), 8, 8, 0, 0), false},
        {"something behind the numbers", BODY(HEAD(NUMBERS, 1, 1), DOUBLE, 8, 0, 0, 0, 0), false},
        {"no numbers", BODY(HEAD(NUMBERS, 1, 1)), false},
        {"more numbers than there are bytes", BODY(HEAD(NUMBERS, 1, 1), DOUBLE, 16, 0, 0), false},
        {"a shape beyond any file", BODY(HEAD(NUMBERS, 0x7fffffff, 0x7fffffff), DOUBLE, 8, 0, 0), false},
        {"a negative shape", BODY(HEAD(NUMBERS, 0x80000000, 1), DOUBLE, 8, 0, 0), false},
        {"a shape of one number", BODY(FLAGS(NUMBERS), SHORT(INT32, 4), 1, NAME, DOUBLE, 8, 0, 0), false},
        {"text with a shape of one number", BODY(FLAGS(CHAR), SHORT(INT32, 4), 1, NAME, 1, 2, 3, 4), false},
        {"a cell with a shape beyond any file", BODY(HEAD(CELL, 0x7fffffff, 0x7fffffff)), false},
        {"no name", BODY(FLAGS(NUMBERS), SHAPE(1, 1)), false},
        {"a name of numbers", BODY(FLAGS(NUMBERS), SHAPE(1, 1), SHORT(INT32, 4), 1, DOUBLE, 8, 0, 0), false},
        {"nothing", BODY(FLAGS(NUMBERS)), false},
        {"one flag", BODY(SHORT(UINT32, 4), NUMBERS), false},
        {"short and too long", BODY(SHORT(UINT32, 8), NUMBERS), false},
        {"an unknown class", BODY(HEAD(18, 1, 1), DOUBLE, 8, 0, 0), false},
        {"text, which is passed over", BODY(HEAD(CHAR, 1, 1), 1, 2, 3, 4), true},
        {"objects of no documented form", BODY(FLAGS(OPAQUE)), false},
        {"an empty cell", BODY(HEAD(CELL, 0, 0)), true},
        {"a cell of an empty matrix", BODY(HEAD(CELL, 1, 1), MATRIX, 0), true},
        {"a cell of a number", BODY(HEAD(CELL, 1, 1), MATRIX, 56, HEAD(NUMBERS, 1, 1), DOUBLE, 8, 0, 0), true},
        {"a cell of two, with one", BODY(HEAD(CELL, 1, 2), MATRIX, 0), false},
        {"a cell of one, with two", BODY(HEAD(CELL, 1, 1), MATRIX, 0, MATRIX, 0), false},
        {"a cell of no matrix", BODY(HEAD(CELL, 1, 1), DOUBLE, 8, 0, 0), false},
        {"a cell of a matrix that is not padded", BODY(HEAD(CELL, 1, 1), MATRIX, 4, 0, 0), false},
        {"a cell of a damaged matrix", BODY(HEAD(CELL, 1, 1), MATRIX, 8, 0, 0), false},
        {"a function", BODY(HEAD(FUNCTION, 1, 1), MATRIX, 0), true},
        {"a structure", BODY(HEAD(STRUCT, 1, 1), SHORT(INT32, 4), 8, INT8, 8, 'x', 0, MATRIX, 0), true},
        {"a structure without fields", BODY(HEAD(STRUCT, 1, 1), SHORT(INT32, 4), 8, INT8, 0), true},
        {"a structure of two fields and one matrix",
         BODY(HEAD(STRUCT, 1, 1), SHORT(INT32, 4), 4, INT8, 8, 'x', 'y', MATRIX, 0), false},
        {"a structure without a length of names", BODY(HEAD(STRUCT, 1, 1)), false},
        {"a structure with two lengths", BODY(HEAD(STRUCT, 1, 1), INT32, 8, 8, 8, INT8, 8, 'x', 0, MATRIX, 0),
         false},
        {"a structure without names", BODY(HEAD(STRUCT, 1, 1), SHORT(INT32, 4), 8), false},
        {"names of no length", BODY(HEAD(STRUCT, 1, 1), SHORT(INT32, 4), 0, INT8, 8, 'x', 0, MATRIX, 0), false},
        {"names of too much", BODY(HEAD(STRUCT, 1, 1), SHORT(INT32, 4), 0x80000000, INT8, 8, 'x', 0), false},
        {"names that are cut", BODY(HEAD(STRUCT, 1, 1), SHORT(INT32, 4), 5, INT8, 8, 'x', 0, MATRIX, 0), false},
        {"more structures times fields than a number holds",
         BODY(HEAD(STRUCT, 0x7fffffff, 0x08000000), SHORT(INT32, 4), 1, INT8, 128, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
              1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
         false},
        {"an object",
         BODY(HEAD(OBJECT, 1, 1), SHORT(INT8, 1), 'c', SHORT(INT32, 4), 8, INT8, 8, 'x', 0, MATRIX, 0), true},
        {"an object without a class", BODY(HEAD(OBJECT, 1, 1)), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int packed = 0; packed < 2;
             packed++) { /* the same within compressed data, except for two that matio skips */
            begin_mat(&file);
            if (packed)
                put_compressed(&file, cases[i].words, cases[i].count, 0);
            else
                put_element(&file, MATRIX, cases[i].words, cases[i].count);
            bool skipped = packed && strcmp(cases[i].what, "objects of no documented form") == 0;
            volt_status status = check_mat(&file);
            if (status != (cases[i].is_good || skipped ? VOLT_OK : VOLT_ERR_FORMAT))
                fail_msg("%s%s: status %d", cases[i].what, packed ? ", compressed" : "", (int)status);
            if (status != VOLT_OK)
                assert_non_null(strstr(volt_error_detail(), "made.mat: the variable at byte 128 is damaged"));
        }
    begin_mat(&file);
    put_compressed(&file, BODY(HEAD(FUNCTION, 1, 1), 1, 2, 3, 4), 0); /* skipped, whatever it contains */
    check_ok(check_mat(&file));
}

/* Nested cells: the maximum depth, and one more level. */
static void nested_cells_are_rejected(void **state)
{
    enum { HEAD_WORDS = 10, INNER = 14, MOST = 34 };
    static const uint32_t head[HEAD_WORDS] = {HEAD(CELL, 1, 1)},
                          inner[INNER] = {HEAD(NUMBERS, 1, 1), DOUBLE, 8, 0, 0};
    for (uint32_t depth = 31; depth <= 33; depth++) {
        static mat_file file;
        begin_mat(&file);
        for (uint32_t i = 0; i < depth; i++) {
            put_word(&file, MATRIX);
            put_word(&file, 4 * ((depth - i) * (HEAD_WORDS + 2) + INNER - 0));
            for (int k = 0; k < HEAD_WORDS; k++)
                put_word(&file, head[k]);
        }
        put_element(&file, MATRIX, inner, INNER);
        volt_status status = check_mat(&file);
        assert_int_equal(status, depth <= 32 ? VOLT_OK : VOLT_ERR_FORMAT);
    }
}

/* Data longer than the reader's buffer, complete and truncated. */
static void long_compressed_data(void **state)
{
    enum { NUMBERS_IN_IT = 1500, WORDS = 12 + 2 * NUMBERS_IN_IT };
    static uint32_t words[WORDS] = {HEAD(NUMBERS, NUMBERS_IN_IT, 1), DOUBLE, 8 * NUMBERS_IN_IT};
    static mat_file file;
    uint32_t noise = 1;
    for (int i = 12; i < WORDS; i++)
        words[i] = noise = noise * 1664525u + 1013904223u;
    begin_mat(&file);
    put_compressed(&file, words, WORDS, 0);
    assert_true(file.size > 128 + 2 * 4096);
    check_ok(check_mat(&file));
    for (size_t cut = 1; cut < 9000; cut += 1 + cut / 4) {
        begin_mat(&file);
        put_compressed(&file, words, WORDS, cut);
        check_fails(check_mat(&file), VOLT_ERR_FORMAT, "variable 128");
    }
}

/* MATLAB stores the contents of objects in a variable without a name. */
static void unnamed_variable_is_skipped(void **state)
{
    static mat_file file;
    begin_mat(&file);
    put_element(&file, MATRIX, BODY(FLAGS(NUMBERS), SHAPE(1, 1), SHORT(INT8, 0), 0, DOUBLE, 8, 0, 0x40000000));
    put_element(&file, MATRIX, BODY(HEAD(NUMBERS, 1, 1), DOUBLE, 8, 0, 0x40080000));
    const char *path = scratch_write("nameless.mat", file.bytes, file.size);
    volt_table *table = NULL;
    check_ok(volt_table_read(path, NULL, &table));
    assert_int_equal(table->rows, 1);
    assert_int_equal(table->cols, 1);
    assert_string_equal(table->names[0], "a");
    assert_true(table->values[0] == 3);
    volt_table_free(table);
}

/* ---- arrays ----------------------------------------------------------------------------------- */

static volt_status read_arrays(const char *header, size_t data_bytes, volt_arrays **arrays)
{
    char bytes[1024] = {0};
    size_t length = strlen(header);
    assert_true(8 + length + data_bytes < sizeof bytes);
    bytes[0] = (char)(length & 0xff);
    bytes[1] = (char)(length >> 8);
    snprintf(bytes + 8, sizeof bytes - 8, "%s", header);
    *arrays = NULL;
    return volt_arrays_read(scratch_write("arrays.safetensors", bytes, 8 + length + data_bytes), arrays);
}

#define ARRAY(type, shape, offsets) \
    "\"a\":{\"dtype\":" type ",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void inconsistent_arrays_are_rejected(void **state)
{
    static const struct {
        const char *header, *reason;
    } cases[] = {
        {"[1, 2]", "the header is not a JSON object"},
        {"{\"a\": ", "the header is not JSON"},
        {"{" ARRAY("\"I64\"", "[5]", "[0,40]") "}", "tensor 'a'"},
        {"{" ARRAY("64", "[5]", "[0,40]") "}", "other than F64"},
        {"{\"a\":{\"shape\":[5],\"data_offsets\":[0,40]}}", "other than F64"},
        {"{\"a\":7}", "other than F64"},
        {"{" ARRAY("\"F64\"", "[5]", "[0]") "}", "outside the file"},
        {"{" ARRAY("\"F64\"", "[5]", "40") "}", "outside the file"},
        {"{" ARRAY("\"F64\"", "[5]", "[-8,32]") "}", "outside the file"},
        {"{" ARRAY("\"F64\"", "[5]", "[\"0\",40]") "}", "outside the file"},
        {"{" ARRAY("\"F64\"", "[5]", "[0,40.5]") "}", "outside the file"},
        {"{" ARRAY("\"F64\"", "[5]", "[40,0]") "}", "outside the file"},
        {"{" ARRAY("\"F64\"", "[6]", "[0,48]") "}", "outside the file"},
        {"{" ARRAY("\"F64\"", "[]", "[0,40]") "}", "0 dimensions, expected 1 to 3"},
        {"{" ARRAY("\"F64\"", "[5,1,1,1]", "[0,40]") "}", "4 dimensions"},
        {"{" ARRAY("\"F64\"", "[\"5\"]", "[0,40]") "}", "the shape of tensor 'a'"},
        {"{" ARRAY("\"F64\"", "[0]", "[0,0]") "}", "the shape of tensor 'a'"},
        {"{" ARRAY("\"F64\"", "[-5]", "[0,40]") "}", "the shape of tensor 'a'"},
        {"{" ARRAY("\"F64\"", "[5,9223372036854775807]", "[0,40]") "}", "too short for it"},
        {"{" ARRAY("\"F64\"", "[4]", "[0,40]") "}", "tensor 'a' of 4 numbers has 40 bytes"},
        {"{" ARRAY("\"F32\"", "[5]", "[0,40]") "}", "tensor 'a' of 5 numbers has 40 bytes"},
    };
    volt_arrays *arrays = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_fails(read_arrays(cases[i].header, 40, &arrays), VOLT_ERR_FORMAT, cases[i].reason);
        assert_non_null(strstr(volt_error_detail(), "arrays.safetensors"));
        assert_null(arrays);
    }
    /* Metadata are not an array. */
    check_ok(
        read_arrays("{\"__metadata__\":{\"by\":\"hand\"}," ARRAY("\"F64\"", "[5]", "[0,40]") "}", 40, &arrays));
    assert_non_null(volt_arrays_find(arrays, "a"));
    assert_int_equal(volt_arrays_find(arrays, "a")->shape[0], 5);
    assert_null(volt_arrays_find(arrays, "__metadata__"));
    volt_arrays_free(arrays);
    volt_arrays_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inconsistent_matrices_are_rejected),
        cmocka_unit_test(nested_cells_are_rejected),
        cmocka_unit_test(long_compressed_data),
        cmocka_unit_test(unnamed_variable_is_skipped),
        cmocka_unit_test(inconsistent_arrays_are_rejected),
    };
    return cmocka_run_group_tests_name("damaged_files", tests, NULL, NULL);
}
