/* tests/unit/base/test_serial_blas.c: an OpenBLAS without threads is called from one thread only. */
#include "base/blas.h"
#include "base/threads.h"
#include "support/check.h"
#include "volterra/base.h"

/* Replaces the function of OpenBLAS: 0 means without threads. */
int openblas_get_parallel(void);
int openblas_get_parallel(void)
{
    return 0;
}

static void one_thread_is_used(void **state)
{
    int64_t before = -1;
    if (!strstr(volt_blas_name(), "OpenBLAS"))
        skip();
    assert_true(volt_blas_needs_one_thread());
    assert_int_equal(volt_default_threads(), 1);
    check_ok(volt_set_threads(4));
    assert_int_equal(volt_threads(), 1);
    assert_non_null(strstr(volt_threads_from(), "OpenBLAS"));
    check_ok(volt_set_threads_local(3, &before));
    assert_int_equal(volt_threads(), 1);
    check_ok(volt_set_threads_local(before, NULL));
    check_fails(volt_set_threads(-1), VOLT_ERR_ARGUMENT, "-1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
