/* tests/unit/io/test_text_file.c: read and write whole text files. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "volterra/io.h"

static void text_reads_back(void **state)
{
    static const char *const texts[] = {"", "one line\n", "no end of line", "\xc3\xa4\r\n\t{}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *text = NULL;
        check_ok(volt_text_write(scratch_path("text.json"), texts[i]));
        check_ok(volt_text_read(scratch_path("text.json"), &text));
        assert_string_equal(text, texts[i]);
        volt_free(text);
    }
    assert_int_equal(scratch_count(), 1); /* no temporary file is left */
}

static void invalid_text_is_rejected(void **state)
{
    char *text = NULL;
    check_fails(volt_text_read(scratch_path("nowhere"), &text), VOLT_ERR_IO, "nowhere");
    check_fails(volt_text_read(scratch_directory(), &text), VOLT_ERR_IO, "directory");
    check_fails(volt_text_read(scratch_write("bytes", "a\0b", 3), &text), VOLT_ERR_FORMAT, "zero");
    check_fails(volt_text_read(NULL, &text), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_text_read("x", NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_text_write(scratch_path("no/such/place"), "x"), VOLT_ERR_IO, "no/such/place");
    check_fails(volt_text_write(NULL, "x"), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_text_write("x", NULL), VOLT_ERR_ARGUMENT, "NULL");
    assert_null(text);
}

/* Writing is tested in tests/unit/io/test_atomic_file.c. */
static void every_allocation_of_reading_may_fail(void **state)
{
    const char *path = scratch_write_text("again", "some text");
    for (int64_t k = 0; failing_alloc_next(&k);) {
        char *text = NULL;
        volt_status status = volt_text_read(path, &text);
        volt_free(text);
        failing_alloc_check(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_reads_back),
        cmocka_unit_test(invalid_text_is_rejected),
        cmocka_unit_test(every_allocation_of_reading_may_fail),
    };
    return cmocka_run_group_tests_name("text_file", tests, NULL, NULL);
}
