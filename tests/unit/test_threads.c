/* tests/unit/test_threads.c: the number of threads is set in one place. */
#include "support/check.h"
#include "volterra/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include <omp.h>

static void a_count_is_kept_until_the_default_is_restored(void **state)
{
    (void)state;
    int64_t initial = volt_threads();
    assert_int_equal(initial, omp_get_max_threads());
    for (int64_t count = 1; count <= 5; count++) {
        check_ok(volt_set_threads(count));
        assert_int_equal(volt_threads(), count);
    }
    check_ok(volt_set_threads(0));
    assert_int_equal(volt_threads(), initial);
}

static void impossible_counts_are_refused_and_change_nothing(void **state)
{
    (void)state;
    check_ok(volt_set_threads(3));
    check_fails(volt_set_threads(-1), VOLT_ERR_ARGUMENT, "threads is -1");
    check_fails(volt_set_threads(INT64_MIN), VOLT_ERR_ARGUMENT, "-9223372036854775808");
    check_fails(volt_set_threads(INT64_MAX), VOLT_ERR_ARGUMENT, "9223372036854775807");
    assert_int_equal(volt_threads(), 3);
    check_ok(volt_set_threads(0));
}

static void the_build_tells_what_it_is(void **state)
{
    (void)state;
    check_ok(volt_set_threads(2));
    volt_build_info info;
    volt_build_info_get(&info);
    assert_string_equal(info.version, volt_version());
    assert_int_equal(info.threads, 2);
    const char *const texts[] = {info.version, info.compiler, info.cpu_flags, info.fast_loops, info.blas};
    for (int i = 0; i < 5; i++)
        assert_true(texts[i] && strlen(texts[i]) > 0);
    check_ok(volt_set_threads(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_is_kept_until_the_default_is_restored),
        cmocka_unit_test(impossible_counts_are_refused_and_change_nothing),
        cmocka_unit_test(the_build_tells_what_it_is),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
