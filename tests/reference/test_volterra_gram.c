/* tests/reference/test_volterra_gram.c: Gram matrices of the geometric lift against golden figures. */
#include "support/check.h"
#include "support/golden.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "text/text.h"

/* `notes` of the files: the tolerance is relative, element by element. */
static void check_case(const char *name)
{
    golden *file = golden_load(name);
    golden_array X = golden_array_of(file, "inputs.X"), Y = golden_array_of(file, "inputs.Y");
    golden_array gram_xx = golden_array_of(file, "expected.gram_xx");
    golden_array gram_yx = golden_array_of(file, "expected.gram_yx");
    char text[128], tau[VOLT_NUMBER_LENGTH], lambda[VOLT_NUMBER_LENGTH];
    snprintf(text, sizeof text, "volterra:tau=%s,lambda=%s",
             volt_format_number(golden_number(file, "params.tau"), tau),
             volt_format_number(golden_number(file, "params.omega_lambda"), lambda));
    volt_kernel *kernel = plain_parse(text);
    volt_view view_X = volt_view_of(X.data, X.rows, X.cols), view_Y = volt_view_of(Y.data, Y.rows, Y.cols);
    assert_int_equal(gram_xx.count, X.rows * X.rows);
    assert_int_equal(gram_yx.count, Y.rows * X.rows);

    double *K = new_matrix(X.rows, X.rows), *reset = new_matrix(Y.rows, X.rows);
    check_ok(volt_gram(kernel, view_X, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, X.rows, X.rows)));
    golden_check("gram_xx", gram_xx.data, K, gram_xx.count, golden_tol(file, "gram_xx"), GOLDEN_RELATIVE);
    check_ok(volt_gram(kernel, view_Y, view_X, NULL, volt_matrix_of(reset, Y.rows, X.rows)));
    golden_check("gram_yx", gram_yx.data, reset, gram_yx.count, golden_tol(file, "gram_yx"), GOLDEN_RELATIVE);

    free(reset);
    free(K);
    volt_kernel_free(kernel);
    golden_free(file);
}

static void one_input(void **state)
{
    check_case("volterra_gram_d1_p0");
    check_case("volterra_gram_d1_p1");
    check_case("volterra_gram_d1_p2");
}

static void three_inputs(void **state)
{
    check_case("volterra_gram_d3_p0");
    check_case("volterra_gram_d3_p1");
    check_case("volterra_gram_d3_p2");
}

static void seven_inputs(void **state)
{
    check_case("volterra_gram_d7_p0");
    check_case("volterra_gram_d7_p1");
    check_case("volterra_gram_d7_p2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_input),
        cmocka_unit_test(three_inputs),
        cmocka_unit_test(seven_inputs),
    };
    return cmocka_run_group_tests_name("volterra_gram", tests, NULL, NULL);
}
