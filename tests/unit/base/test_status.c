/* tests/unit/base/test_status.c: status messages and the error message of each thread. */
#include "base/error.h"
#include "support/check.h"

#include <pthread.h>

#define CODE(code, message) code,
static const volt_status codes[] = {VOLT_STATUS_LIST(CODE)};
enum { STATUS_COUNT = sizeof codes / sizeof *codes };

static void every_code_has_its_own_message(void **state)
{
    assert_int_equal(VOLT_OK, 0);
    for (int i = 0; i < STATUS_COUNT; i++) {
        const char *message = volt_status_message(codes[i]);
        assert_int_equal(codes[i], i);
        assert_true(strlen(message) > 3);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(message, volt_status_message(codes[j]));
    }
    assert_string_equal(volt_status_message(VOLT_OK), "success");
    assert_string_equal(volt_status_message(VOLT_ERR_MEMORY), "not enough memory");
}

static void other_values_are_unknown(void **state)
{
    static const int others[] = {-1, STATUS_COUNT, STATUS_COUNT + 1, 1 << 20};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        volt_status status;
        memcpy(&status, &others[i], sizeof status); /* not a value of the enum, as from an invalid caller */
        assert_string_equal(volt_status_message(status), "unknown status");
    }
}

static void message_belongs_to_last_failure(void **state)
{
    assert_int_equal(volt_fail(VOLT_ERR_SHAPE, "%d rows and %d", 3, 4), VOLT_ERR_SHAPE);
    assert_string_equal(volt_error_detail(), "3 rows and 4");
    assert_int_equal(volt_fail_prefix(VOLT_ERR_IO, "file %s", "a.csv"), VOLT_ERR_IO);
    assert_string_equal(volt_error_detail(), "file a.csv: 3 rows and 4");
}

/* A message longer than its buffer is truncated and never written past the end. */
static void long_messages_are_truncated(void **state)
{
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    volt_fail(VOLT_ERR_IO, "%s", text);
    size_t length = strlen(volt_error_detail());
    assert_in_range(length, 500, 4998);
    volt_fail_prefix(VOLT_ERR_IO, "prefix");
    assert_int_equal(strlen(volt_error_detail()), length);
    assert_memory_equal(volt_error_detail(), "prefix: xxx", 11);
    volt_fail_prefix(VOLT_ERR_IO, "%s", text);
    assert_int_equal(strlen(volt_error_detail()), length);
}

static volt_status forward(volt_status status, int *went_on)
{
    VOLT_TRY(status);
    *went_on = 1;
    return VOLT_OK;
}

static volt_status require_positive(int value)
{
    VOLT_REQUIRE(value > 0, VOLT_ERR_ARGUMENT, "the value must be above 0 (got %d)", value);
    return VOLT_OK;
}

static void macros_forward_and_require(void **state)
{
    int went_on = 0;
    assert_int_equal(forward(VOLT_ERR_IO, &went_on), VOLT_ERR_IO);
    assert_int_equal(went_on, 0);
    check_ok(forward(VOLT_OK, &went_on));
    assert_int_equal(went_on, 1);
    check_ok(require_positive(1));
    check_fails(require_positive(-2), VOLT_ERR_ARGUMENT, "value -2 0");
}

static void *fail_elsewhere(void *seen_first)
{
    strcpy(seen_first, volt_error_detail());
    volt_fail(VOLT_ERR_IO, "the other thread");
    return strcmp(volt_error_detail(), "the other thread") == 0 ? seen_first : NULL;
}

static void each_thread_has_its_message(void **state)
{
    volt_fail(VOLT_ERR_SHAPE, "this thread");
    char seen_first[2000] = "not written";
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, seen_first), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, seen_first);
    assert_string_equal(seen_first, "");
    assert_string_equal(volt_error_detail(), "this thread");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_own_message),  cmocka_unit_test(other_values_are_unknown),
        cmocka_unit_test(message_belongs_to_last_failure), cmocka_unit_test(long_messages_are_truncated),
        cmocka_unit_test(macros_forward_and_require),      cmocka_unit_test(each_thread_has_its_message),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
