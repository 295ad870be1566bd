/* tests/reference/test_static_kernels.c: linear, rbf, poly and sigmoid against golden figures. */
#include "support/check.h"
#include "support/golden.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "text/text.h"

/* The field of the file, and the kernel; %s stand for gamma and coef0 of the file. */
static const struct {
    const char *field, *kernel;
} fields[] = {
    {"linear", "linear"},
    {"rbf", "rbf:gamma=%s"},
    {"rbf_default_gamma", "rbf"},
    {"poly_deg2", "poly:degree=2,gamma=%s,coef0=%s"},
    {"poly_deg3", "poly:degree=3,gamma=%s,coef0=%s"},
    {"poly_deg5", "poly:degree=5,gamma=%s,coef0=%s"},
    {"poly_default", "poly"},
    {"sigmoid", "sigmoid:gamma=%s,coef0=%s"},
    {"sigmoid_default", "sigmoid"},
};

/* The pattern with its first and second %s filled in. */
static void fill(const char *pattern, const char *first, const char *second, char *text, size_t size)
{
    size_t used = 0;
    const char *next = first;
    for (const char *at = pattern; *at && used + 1 < size; at++) {
        if (at[0] != '%') {
            text[used++] = *at;
            continue;
        }
        used += (size_t)snprintf(text + used, size - used, "%s", next);
        next = second;
        at++;
    }
    text[used] = 0;
}

static volt_kernel *kernel_of(golden *file, const char *pattern)
{
    char text[128], gamma[VOLT_NUMBER_LENGTH], coef0[VOLT_NUMBER_LENGTH];
    volt_format_number(golden_number(file, "params.gamma"), gamma);
    volt_format_number(golden_number(file, "params.coef0"), coef0);
    fill(pattern, gamma, coef0, text, sizeof text);
    return plain_parse(text);
}

/* `notes` of the files: relative to the largest of each array. */
static void check_case(const char *name)
{
    golden *file = golden_load(name);
    golden_array X = golden_array_of(file, "inputs.X"), Y = golden_array_of(file, "inputs.Y");
    volt_view x = volt_view_of(X.data, X.rows, X.cols), y = volt_view_of(Y.data, Y.rows, Y.cols);
    double *K = new_matrix(X.rows, X.rows > Y.rows ? X.rows : Y.rows);
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        char path[64];
        snprintf(path, sizeof path, "expected.%s", fields[f].field);
        golden_array expected = golden_array_of(file, path);
        assert_int_equal(expected.count, X.rows * Y.rows);
        volt_kernel *kernel = kernel_of(file, fields[f].kernel);
        check_ok(volt_gram(kernel, x, y, NULL, volt_matrix_of(K, X.rows, Y.rows)));
        golden_check(fields[f].field, expected.data, K, expected.count, golden_tol(file, fields[f].field),
                     GOLDEN_MAX_NORM);
        volt_kernel_free(kernel);
    }

    golden_array symmetric = golden_array_of(file, "expected.rbf_xx");
    volt_kernel *rbf = kernel_of(file, "rbf:gamma=%s");
    check_ok(volt_gram(rbf, x, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, X.rows, X.rows)));
    golden_check("rbf_xx", symmetric.data, K, symmetric.count, golden_tol(file, "rbf_xx"), GOLDEN_MAX_NORM);
    for (int64_t i = 0; i < X.rows; i++)
        assert_true(K[i * X.rows + i] == 1); /* a row is at distance 0 from itself, exactly */
    volt_kernel_free(rbf);
    free(K);
    golden_free(file);
}

static void one_number(void **state)
{
    check_case("static_d1");
}

static void four_numbers(void **state)
{
    check_case("static_d4");
}

static void fifteen_numbers(void **state)
{
    check_case("static_d15");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_number),
        cmocka_unit_test(four_numbers),
        cmocka_unit_test(fifteen_numbers),
    };
    return cmocka_run_group_tests_name("static_kernels", tests, NULL, NULL);
}
