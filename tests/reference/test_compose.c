/* tests/reference/test_compose.c: sums, products, filters and fir against double sums and explicit zero padding. */
#include "support/check.h"
#include "support/golden.h"
#include "support/sequences.h"
#include "volterra/kernel.h"

static void check_file(const char *name)
{
    golden *file = golden_load(name);
    golden_array X = golden_array_of(file, "X"), Y = golden_array_of(file, "Y");
    int64_t cases = golden_length(file, "cases");
    assert_true(cases > 0);
    for (int64_t c = 0; c < cases; c++) {
        char path[64];
        snprintf(path, sizeof path, "cases.%d.kernel", (int)c);
        const char *text = golden_text(file, path);
        snprintf(path, sizeof path, "cases.%d.K", (int)c);
        golden_array expected = golden_array_of(file, path);
        volt_kernel *kernel = NULL;
        double *K = new_matrix(X.rows, Y.rows);
        check_ok(volt_kernel_parse(text, &kernel));
        check_ok(volt_gram(kernel, volt_view_of(X.data, X.rows, X.cols), volt_view_of(Y.data, Y.rows, Y.cols),
                           NULL, volt_matrix_of(K, X.rows, Y.rows)));
        golden_check(text, expected.data, K, expected.count, golden_number(file, "rtol"), GOLDEN_MAX_NORM);
        volt_kernel_free(kernel);
        free(K);
    }
    golden_free(file);
}

static void one_channel(void **state)
{
    check_file("m2_compose_d1");
}

static void three_channels(void **state)
{
    check_file("m2_compose_d3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_channel),
        cmocka_unit_test(three_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
