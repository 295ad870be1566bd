/* tests/unit/gram/test_distance_unit.c: the distance unit for searches over kernel widths. */
#include "select/candidates/candidates.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/sequences.h"
#include "volterra/kernel.h"

/* 0, 1, 3 have distances 1, 2 and 3: the median is 2. */
static void by_hand(void **state)
{
    double line[] = {0, 1, 3}, corner[] = {0, 0, 99, 3, 4, 99}, unit = 0;
    check_ok(volt_kernel_distance_unit(volt_view_of(line, 3, 1), 1, &unit));
    assert_true(unit == 2);
    check_ok(volt_kernel_distance_unit(volt_view_of(line, 3, 1), 9, &unit));
    assert_true(unit == 6); /* times sqrt(9) */
    volt_view padded = {corner, 2, 2, 3};
    check_ok(volt_kernel_distance_unit(padded, 4, &unit));
    assert_true(unit == 10);
}

/* Duplicate rows are ignored: 0 and 1, each repeated many times, have distance 1. */
static void repeated_rows_are_ignored(void **state)
{
    double rows[400], unit = 0;
    for (int i = 0; i < 400; i++)
        rows[i] = i % 10 == 0;
    check_ok(volt_kernel_distance_unit(volt_view_of(rows, 400, 1), 1, &unit));
    assert_true(unit == 1);
}

/* Uniform on [0, 1]: |x - y| has the median 1 - sqrt(1/2) = 0.2929. The estimate from 256 sampled rows is
 * within 10 % and scales with the data. */
static void large_samples(void **state)
{
    volt_rng rng = test_rng(391);
    enum { N = 5000 };
    double *rows = new_matrix(N, 1), unit = 0, larger = 0;
    for (int i = 0; i < N; i++)
        rows[i] = volt_rng_uniform(&rng);
    check_ok(volt_kernel_distance_unit(volt_view_of(rows, N, 1), 1, &unit));
    assert_true(fabs(unit - (1 - sqrt(0.5))) < 0.03);
    for (int i = 0; i < N; i++)
        rows[i] *= 1024;
    check_ok(volt_kernel_distance_unit(volt_view_of(rows, N, 1), 1, &larger));
    assert_true(larger == 1024 * unit);
    free(rows);
}

static void failures(void **state)
{
    double alike[] = {2, 2, 2}, bad[] = {1, NAN}, unit = -1;
    check_fails(volt_kernel_distance_unit(volt_view_of(alike, 3, 1), 1, &unit), VOLT_ERR_DATA, "equal");
    check_fails(volt_kernel_distance_unit(volt_view_of(alike, 1, 3), 1, &unit), VOLT_ERR_DATA, "equal");
    check_fails(volt_kernel_distance_unit(volt_view_of(bad, 2, 1), 1, &unit), VOLT_ERR_NOT_FINITE, "row 2");
    check_fails(volt_kernel_distance_unit(volt_view_of(NULL, 0, 0), 1, &unit), VOLT_ERR_SHAPE, "x 0");
    check_fails(volt_kernel_distance_unit(volt_view_of(alike, 3, 1), 0, &unit), VOLT_ERR_ARGUMENT, "window");
    double rows[] = {1, 2};
    failing_alloc_start(1);
    volt_status status = volt_kernel_distance_unit(volt_view_of(rows, 2, 1), 1, &unit);
    int64_t live = failing_alloc_live();
    failing_alloc_stop();
    assert_int_equal(status, VOLT_ERR_MEMORY);
    assert_int_equal(live, 0);
    assert_true(unit == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(repeated_rows_are_ignored),
        cmocka_unit_test(large_samples),
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests_name("distance_unit", tests, NULL, NULL);
}
