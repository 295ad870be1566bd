/* tests/unit/base/test_symmetric_eigen.c: eigenvalues of small symmetric matrices. */
#include "base/symmetric_eigen.h"
#include "support/check.h"

/* Known eigenvalues of matrices with a zero diagonal and of diagonal matrices. */
static void eigenvalues_by_hand(void **state)
{
    double V[9], swap[] = {0, 2, 2, 0};
    assert_int_equal(volt_symmetric_eigen(2, swap, V), 1);
    assert_true(fabs(fabs(swap[0]) - 2) < 1e-14 && fabs(swap[0] + swap[3]) < 1e-14 && swap[1] == 0);
    assert_true(fabs(fabs(V[0]) - sqrt(0.5)) < 1e-14 && fabs(V[0] * V[2] + V[1] * V[3]) < 1e-14);
    double ones[] = {0, 1, 1, 1, 0, 1, 1, 1, 0}; /* 2, -1, -1 */
    assert_int_equal(volt_symmetric_eigen(3, ones, V), 1);
    double least = fmin(fmin(ones[0], ones[4]), ones[8]), most = fmax(fmax(ones[0], ones[4]), ones[8]);
    assert_true(fabs(least + 1) < 1e-13 && fabs(most - 2) < 1e-13);
    assert_true(fabs(ones[0] + ones[4] + ones[8]) < 1e-13);
    double diagonal[] = {3, 0, 0, -1};
    assert_int_equal(volt_symmetric_eigen(2, diagonal, V), 1);
    assert_true(diagonal[0] == 3 && diagonal[3] == -1 && V[0] == 1 && V[1] == 0 && V[3] == 1);
    double infinite[] = {INFINITY, 0, 0, 1};
    assert_int_equal(volt_symmetric_eigen(2, infinite, V), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(eigenvalues_by_hand)};
    return cmocka_run_group_tests_name("symmetric eigen", tests, NULL, NULL);
}
