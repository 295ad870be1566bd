/* tests/unit/io/test_safetensors.c: named tensors in a file with a checksum over the whole file. */
#include "io/safetensors/safetensors.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "volterra/base.h"

static const double vector[] = {1.5, -0.0, 3e-300};
static const double matrix[] = {1, 2, 3, 4, 5, 6};
static const volt_tensor tensors[] = {{"v", 3, 0, vector}, {"M", 2, 3, matrix}, {"none", 0, 0, NULL}};
static const volt_metadatum notes[] = {{"format", "test"}, {"kernel", "volterra:tau=0.4 \"\xc3\xa9\"\n"}};

static const char *write_sample(const char *name)
{
    const char *path = scratch_path(name);
    assert_int_equal(volt_safetensors_write(path, tensors, 3, notes, 2), VOLT_OK);
    return path;
}

static volt_status read_bytes(const char *bytes, size_t size)
{
    volt_safetensors *file = NULL;
    volt_status status = volt_safetensors_read(scratch_write("bytes.safetensors", bytes, size), &file);
    assert_true((status == VOLT_OK) == (file != NULL));
    volt_safetensors_free(file);
    return status;
}

/* A file from a header (with a corrected checksum) and zeros as data. */
static volt_status read_header(const char *header, size_t data_bytes)
{
    size_t length = strlen(header), padded = (length + 7) / 8 * 8, size = 8 + padded + data_bytes;
    char *bytes = calloc(1, size), digits[SAFETENSORS_DIGITS + 1];
    assert_non_null(bytes);
    bytes[0] = (char)(padded & 0xff);
    bytes[1] = (char)(padded >> 8);
    for (size_t i = 0; i < padded; i++)
        bytes[8 + i] = i < length ? header[i] : ' ';
    char *zeros = strstr(header, SAFETENSORS_NO_CHECKSUM);
    if (zeros) {
        safetensors_crc_digits(safetensors_crc(0, bytes, size), digits);
        memcpy(bytes + 8 + (zeros - header), digits, SAFETENSORS_DIGITS);
    }
    volt_status status = read_bytes(bytes, size);
    free(bytes);
    return status;
}

static void written_file_reads_back(void **state)
{
    const char *path = write_sample("sample.safetensors");
    volt_safetensors *file = NULL;
    assert_int_equal(volt_safetensors_read(path, &file), VOLT_OK);
    for (int i = 0; i < 3; i++) {
        const volt_tensor *found = volt_safetensors_tensor(file, tensors[i].name);
        assert_non_null(found);
        assert_int_equal(found->rows, tensors[i].rows);
        assert_int_equal(found->cols, tensors[i].cols);
        size_t count = (size_t)(found->cols ? found->rows * found->cols : found->rows);
        assert_int_equal((uintptr_t)found->data % sizeof(double), 0);
        if (count > 0)
            assert_memory_equal(found->data, tensors[i].data, count * sizeof(double));
    }
    assert_null(volt_safetensors_tensor(file, "w"));
    assert_null(volt_safetensors_tensor(file, "__metadata__"));
    for (int i = 0; i < 2; i++)
        assert_string_equal(volt_safetensors_metadata(file, notes[i].key), notes[i].value);
    assert_null(volt_safetensors_metadata(file, "other"));
    volt_safetensors_free(file);
    volt_safetensors_free(NULL);
}

/* The layout, byte by byte, as required by other readers of the format. */
static void layout_is_that_of_the_format(void **state)
{
    size_t size;
    char *bytes = scratch_read(write_sample("layout.safetensors"), &size);
    size_t length = (unsigned char)bytes[0] + 256u * (unsigned char)bytes[1];
    assert_int_equal(length % 8, 0);
    assert_int_equal(size, 8 + length + sizeof vector + sizeof matrix);
    assert_memory_equal(bytes + 8, SAFETENSORS_BEGINNING, sizeof SAFETENSORS_BEGINNING - 1);
    char *entry = strstr(bytes + 8, "\"M\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[24,72]}");
    assert_non_null(entry);
    const unsigned char one_and_a_half[] = {0, 0, 0, 0, 0, 0, 0xf8, 0x3f};
    assert_memory_equal(bytes + 8 + length, one_and_a_half, 8);
    free(bytes);
}

static void every_flipped_bit_is_rejected(void **state)
{
    size_t size;
    char *bytes = scratch_read(write_sample("flip.safetensors"), &size);
    assert_int_equal(read_bytes(bytes, size), VOLT_OK);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        volt_status status = read_bytes(bytes, size);
        if (status != VOLT_ERR_FORMAT)
            fail_msg("bit %zu of byte %zu: status %d", bit % 8, bit / 8, (int)status);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
    free(bytes);
}

static void every_truncation_is_rejected(void **state)
{
    size_t size;
    char *bytes = scratch_read(write_sample("cut.safetensors"), &size);
    for (size_t length = 0; length < size; length++)
        assert_int_equal(read_bytes(bytes, length), VOLT_ERR_FORMAT);
    read_bytes(bytes, size - 8);
    assert_non_null(strstr(volt_error_detail(), "72 bytes, found 64"));
    read_bytes(bytes, 5);
    assert_non_null(strstr(volt_error_detail(), "too few"));
    char *longer = calloc(1, size + 8);
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    assert_int_equal(read_bytes(longer, size + 8), VOLT_ERR_FORMAT);
    free(longer);
    free(bytes);
}

static void rejects_invalid_files(void **state)
{
#define NOTES "{\"__metadata__\":{\"checksum\":\"00000000\"}"
#define TENSOR(name, type, shape, offsets) \
    ",\"" name "\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"
    static const struct {
        const char *header, *reason;
    } cases[] = {
        {NOTES TENSOR("a", "F64", "[2]", "[0,16]") TENSOR("b", "F64", "[2]", "[24,40]") "}", "gap"},
        {NOTES TENSOR("a", "F64", "[4]", "[0,32]") TENSOR("b", "F64", "[2]", "[24,40]") "}", "overlap"},
        {NOTES TENSOR("a", "F64", "[6]", "[0,48]") "}", "truncated"},
        {NOTES TENSOR("a", "F64", "[4]", "[0,32]") "}", "follow the last tensor"},
        {NOTES TENSOR("a", "F64", "[4]", "[0,40]") "}", "has 40 bytes"},
        {NOTES TENSOR("a", "F64", "[-5]", "[0,40]") "}", "shape"},
        {NOTES TENSOR("a", "F64", "[5.0]", "[0,40]") "}", "shape"},
        {NOTES TENSOR("a", "F64", "[5,0]", "[0,40]") "}", "shape"},
        {NOTES TENSOR("a", "F64", "[2305843009213693952,8]", "[0,40]") "}", "has 40 bytes"},
        {NOTES TENSOR("a", "F64", "[5]", "[40,0]") "}", "data_offsets"},
        {NOTES TENSOR("a", "F64", "[5]", "[0,9223372036854775807]") "}", "has 9223372036854775807 bytes"},
        {NOTES TENSOR("a", "F32", "[10]", "[0,40]") "}", "F64"},
        {NOTES TENSOR("a", "F64", "[]", "[0,40]") "}", "0 dimensions"},
        {NOTES TENSOR("a", "F64", "[5,1,1]", "[0,40]") "}", "3 dimensions"},
        {NOTES TENSOR("a", "F64", "[5]", "[0,40]") TENSOR("a", "F64", "[5]", "[0,40]") "}", "JSON"},
        {NOTES ",\"a\":7}", "lacks dtype"},
        {NOTES ",\"a\":{\"dtype\":64,\"shape\":[5],\"data_offsets\":[0,40]}}", "lacks dtype"},
        {NOTES ",\"a\":{\"dtype\":\"F64\",\"data_offsets\":[0,40]}}", "lacks dtype"},
        {NOTES ",\"a\":{\"dtype\":\"F64\",\"shape\":5,\"data_offsets\":[0,40]}}", "lacks dtype"},
        {NOTES ",\"a\":{\"dtype\":\"F64\",\"shape\":[5]}}", "lacks dtype"},
        {NOTES ",\"a\":{\"dtype\":\"F64\",\"shape\":[5],\"data_offsets\":40}}", "lacks dtype"},
        {NOTES ",\"a\":{\"dtype\":\"F64\",\"shape\":[5],\"data_offsets\":[0,40],\"more\":1}}", "lacks dtype"},
        {NOTES TENSOR("a", "F64", "[5,\"1\"]", "[0,40]") "}", "shape"},
        {NOTES TENSOR("a", "F64", "[5]", "[40]") "}", "data_offsets"},
        {NOTES TENSOR("a", "F64", "[5]", "[-1,39]") "}", "data_offsets"},
        {NOTES TENSOR("a", "F64", "[5]", "[0,null]") "}", "data_offsets"},
        {"{\"__metadata__\":{\"checksum\":\"00000000\",\"n\":7}" TENSOR("a", "F64", "[5]", "[0,40]") "}",
         "not text"},
        {"{\"__metadata__\":{\"checksum\":\"00000000of\"}" TENSOR("a", "F64", "[5]", "[0,40]") "}",
         "no checksum"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[5],\"data_offsets\":[0,40]}}", "no checksum"},
        {"{}", "no checksum"},
        {"[1,2]", "the header is not a JSON object"},
        {"hello", "JSON"},
    };
    assert_int_equal(read_header(NOTES TENSOR("a", "F64", "[5]", "[0,40]") "}", 40), VOLT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_status status = read_header(cases[i].header, 40);
        if (status != VOLT_ERR_FORMAT || !strstr(volt_error_detail(), cases[i].reason))
            fail_msg("%s: status %d, %s", cases[i].header, (int)status, volt_error_detail());
    }
    /* Tensors after an unpadded header. */
    assert_int_equal(read_bytes("\x29\0\0\0\0\0\0\0" NOTES "} ", 8 + 41), VOLT_ERR_FORMAT);
    assert_non_null(strstr(volt_error_detail(), "begin at byte 49, not at a multiple of 8"));
    /* A header that would end one byte after the end of the file. */
    assert_int_equal(read_bytes("\x03\0\0\0\0\0\0\0{}", 10), VOLT_ERR_FORMAT);
    assert_non_null(strstr(volt_error_detail(), "truncated: the header has 3 bytes, found 2"));
    assert_int_equal(read_bytes("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10), VOLT_ERR_FORMAT);
    assert_int_equal(read_bytes("\xff\xe0\xf5\x05\0\0\0\0{}", 10), VOLT_ERR_FORMAT); /* just below 100 MB */
    volt_safetensors *file = NULL;
    assert_int_equal(volt_safetensors_read(scratch_path("absent"), &file), VOLT_ERR_IO);
    assert_null(file);
}

/* Files of other programs: more bytes than the shape requires are an error. */
static void arrays_have_the_bytes_of_their_shape(void **state)
{
    static const char header[] = "{\"A\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,24]}}";
    char bytes[8 + sizeof header - 1 + 24] = {(char)(sizeof header - 1)};
    memcpy(bytes + 8, header, sizeof header - 1);
    volt_arrays *arrays = NULL;
    assert_int_equal(volt_arrays_read(scratch_write("long.safetensors", bytes, sizeof bytes), &arrays),
                     VOLT_ERR_FORMAT);
    assert_non_null(strstr(volt_error_detail(), "tensor 'A' of 2 numbers has 24 bytes"));
    assert_null(arrays);
}

static void rejects_writing_unreadable_data(void **state)
{
    const char *path = scratch_write_text("kept.safetensors", "old");
    const volt_tensor twice[] = {tensors[0], tensors[0]};
    const volt_tensor reserved[] = {{"__metadata__", 3, 0, vector}}, negative[] = {{"a", -1, 0, vector}};
    const volt_tensor huge[] = {{"a", INT64_MAX / 8, 3, vector}}, no_data[] = {{"a", 3, 0, NULL}};
    const volt_metadatum taken[] = {{"checksum", "0"}}, latin1[] = {{"name", "Stra\xdf"
                                                                             "e"}};
    assert_int_equal(volt_safetensors_write(path, twice, 2, NULL, 0), VOLT_ERR_ARGUMENT);
    assert_int_equal(volt_safetensors_write(path, reserved, 1, NULL, 0), VOLT_ERR_ARGUMENT);
    assert_int_equal(volt_safetensors_write(path, negative, 1, NULL, 0), VOLT_ERR_ARGUMENT);
    assert_int_equal(volt_safetensors_write(path, huge, 1, NULL, 0), VOLT_ERR_ARGUMENT);
    assert_int_equal(volt_safetensors_write(path, no_data, 1, NULL, 0), VOLT_ERR_ARGUMENT);
    assert_int_equal(volt_safetensors_write(path, tensors, 1, taken, 1), VOLT_ERR_ARGUMENT);
    assert_int_equal(volt_safetensors_write(path, tensors, 1, latin1, 1), VOLT_ERR_ARGUMENT);

    const volt_tensor nameless[] = {{NULL, 3, 0, vector}}, narrow[] = {{"a", 3, -1, vector}};
    const volt_tensor foreign[] = {{"\xff", 3, 0, vector}};
    const volt_metadatum no_key[] = {{NULL, "text"}}, no_text[] = {{"key", NULL}},
                         bad_key[] = {{"\xff", "text"}};
    check_fails(volt_safetensors_write(path, nameless, 1, NULL, 0), VOLT_ERR_ARGUMENT, "name");
    check_fails(volt_safetensors_write(path, narrow, 1, NULL, 0), VOLT_ERR_ARGUMENT, "x 3 -1");
    check_fails(volt_safetensors_write(path, foreign, 1, NULL, 0), VOLT_ERR_ARGUMENT, "UTF-8");
    check_fails(volt_safetensors_write(path, tensors, 1, no_key, 1), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_safetensors_write(path, tensors, 1, no_text, 1), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_safetensors_write(path, tensors, 1, bad_key, 1), VOLT_ERR_ARGUMENT, "UTF-8");
    check_fails(volt_safetensors_write(NULL, tensors, 1, NULL, 0), VOLT_ERR_ARGUMENT, "empty");
    check_fails(volt_safetensors_write("", tensors, 1, NULL, 0), VOLT_ERR_ARGUMENT, "empty");
    check_fails(volt_safetensors_read(NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_safetensors_read(path, NULL), VOLT_ERR_ARGUMENT, "NULL");
    char *bytes = scratch_read(path, NULL);
    assert_string_equal(bytes, "old");
    free(bytes);
}

static void every_allocation_may_fail(void **state)
{
    const char *path = write_sample("alloc.safetensors");
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_safetensors *file = NULL;
        volt_status status = volt_safetensors_read(path, &file);
        volt_safetensors_free(file);
        failing_alloc_check(status);
    }
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = volt_safetensors_write(path, tensors, 3, notes, 2);
        /* The last allocation is for the sync of the directory, after the file is in place. */
        failing_alloc_check_lenient(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_file_reads_back),
        cmocka_unit_test(layout_is_that_of_the_format),
        cmocka_unit_test(every_flipped_bit_is_rejected),
        cmocka_unit_test(every_truncation_is_rejected),
        cmocka_unit_test(rejects_invalid_files),
        cmocka_unit_test(rejects_writing_unreadable_data),
        cmocka_unit_test(arrays_have_the_bytes_of_their_shape),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
